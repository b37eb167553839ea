#include "host/http_message.h"
#include <algorithm>

namespace dedicated::http_message {

namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
    return out;
}

// RFC 9110, 5.6.2.
bool is_token(std::string_view text)
{
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
               others.find(c) != std::string_view::npos;
    });
}

bool is_printable(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) {
        return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 127);
    });
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

// What is before the separator; `text` becomes what is after it, or nothing.
std::string_view take_until(std::string_view &text, std::string_view separator)
{
    const size_t end = text.find(separator);
    const std::string_view out = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
    return out;
}

// True if a list of tokens, separated by commas, has this one.
bool lists(std::string_view list, std::string_view token)
{
    while (!list.empty())
        if (lower(trimmed(take_until(list, ","))) == token) return true;
    return false;
}

struct Head {
    HttpRequest request;
    std::string_view version;
    size_t host_count = 0;
    bool has_body = false;
    const char *problem = nullptr;
};

void read_target(Head &head, std::string_view target)
{
    if (target.starts_with("http://")) { // An absolute target: its host counts.
        target.remove_prefix(7);
        const size_t slash = std::min(target.find('/'), target.size());
        head.request.host = lower(target.substr(0, slash));
        target.remove_prefix(slash);
        if (target.empty()) target = "/";
    }
    if (!target.starts_with("/") || !is_printable(target))
        head.problem = "the target of the request is not a path";
    head.request.path = take_until(target, "?");
    head.request.query = target;
}

void read_field(Head &head, std::string_view line)
{
    const bool has_colon = line.find(':') != std::string_view::npos;
    const std::string_view name = take_until(line, ":");
    const std::string_view value = trimmed(line);
    if (!has_colon || !is_token(name) || !is_printable(value)) {
        head.problem = "a header field is malformed";
        return;
    }
    const std::string field = lower(name);
    if (field == "host") {
        head.host_count += 1;
        if (head.request.host.empty()) head.request.host = lower(value);
    } else if (field == "connection") {
        if (lists(value, "close")) head.request.keep_alive = false;
        if (lists(value, "keep-alive") && head.version == "HTTP/1.0")
            head.request.keep_alive = true;
    } else if (field == "transfer-encoding" || (field == "content-length" && value != "0")) {
        head.has_body = true;
    }
}

Head read_head(std::string_view bytes)
{
    Head head;
    std::string_view line = take_until(bytes, "\r\n");
    head.request.method = take_until(line, " ");
    const std::string_view target = take_until(line, " ");
    head.version = line;
    head.request.keep_alive = head.version == "HTTP/1.1";
    if (!is_token(head.request.method)) head.problem = "this is no request of HTTP/1.1";
    if (!head.problem) read_target(head, target);
    while (!bytes.empty() && !head.problem)
        read_field(head, take_until(bytes, "\r\n"));
    if (!head.problem && head.version == "HTTP/1.1" && head.host_count != 1)
        head.problem = "the request needs one header field Host";
    return head;
}

const char *reason_of(int status)
{
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    }
    return "Unknown";
}

ReadRequest refused(int status, const std::string &why)
{
    HttpResponse refusal;
    refusal.status = status;
    refusal.body = why + "\n";
    return {ReadState::bad, {}, 0, std::move(refusal)};
}

}

ReadRequest read(std::string_view bytes)
{
    size_t skipped = 0; // Empty lines before a request are let pass: RFC 9112, 2.2.
    while (bytes.substr(skipped).starts_with("\r\n"))
        skipped += 2;
    // Who knocks with TLS would wait for an answer that never comes.
    if (skipped < bytes.size() && bytes[skipped] != '\r' && !is_token(bytes.substr(skipped, 1)))
        return refused(400, "this is no request of HTTP/1.1; there is no TLS here");
    const size_t end = bytes.find("\r\n\r\n", skipped);
    const size_t size_bytes = end == std::string_view::npos ? bytes.size() : end + 4;
    if (size_bytes > request_bytes_max)
        return refused(431, "the head of the request is above " +
                                std::to_string(request_bytes_max) + " bytes");
    if (end == std::string_view::npos) return {ReadState::incomplete, {}, 0, {}};
    Head head = read_head(bytes.substr(skipped, end - skipped));
    if (head.version != "HTTP/1.1" && head.version != "HTTP/1.0") {
        const bool other = head.version.starts_with("HTTP/");
        return refused(other ? 505 : 400, "this server speaks HTTP/1.1");
    }
    if (head.problem) return refused(400, head.problem);
    if (head.has_body) return refused(413, "a request here has no body");
    return {ReadState::whole, std::move(head.request), size_bytes, {}};
}

std::string print(const HttpResponse &response, bool head_only, bool keep_alive)
{
    std::string out = "HTTP/1.1 " + std::to_string(response.status) + " " +
                      reason_of(response.status) + "\r\nContent-Type: " + response.content_type +
                      "\r\nContent-Length: " + std::to_string(response.body.size()) +
                      "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                      "Cross-Origin-Resource-Policy: same-origin\r\n" +
                      response.fields;
    if (!keep_alive) out += "Connection: close\r\n";
    out += "\r\n";
    if (!head_only) out += response.body;
    return out;
}

std::string_view parameter(std::string_view query, std::string_view name)
{
    while (!query.empty()) {
        std::string_view value = take_until(query, "&");
        if (take_until(value, "=") == name) return value;
    }
    return {};
}

}
