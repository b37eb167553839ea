// HTTP/1.1 as far as a server needs it that only answers GET and HEAD (RFC 9110 and 9112). Bytes to
// requests, responses to bytes; no socket.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace dedicated {

inline constexpr size_t request_bytes_max = 16 * 1024; // Of a request's head.

struct HttpRequest {
    std::string method, path, query; // As they came; query without its question mark.
    std::string host;                // Of the field Host, or of an absolute target. Lower case.
    bool keep_alive = false;
};

struct HttpResponse {
    int status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body;
    std::string fields; // Others than those of any response, each with its CR LF.
};

enum class ReadState { incomplete, whole, bad };

struct ReadRequest {
    ReadState state;
    HttpRequest request;  // Whole.
    size_t size_bytes;    // Whole: what of the bytes it was. The rest is the next request.
    HttpResponse refusal; // Bad: what to answer, before the connection is closed.
};

namespace http_message {

ReadRequest read(std::string_view bytes);
std::string print(const HttpResponse &response, bool head_only, bool keep_alive);

// The value of `name` in a query; empty if it is not there. Nothing is decoded.
std::string_view parameter(std::string_view query, std::string_view name);

}
}
