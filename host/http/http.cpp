#include "host/http/http.h"
#include "host/http/http_pages.h"
#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <httplib.h>
#include <system_error>
#include <thread>

namespace dedicated {

namespace {

// Each connection is answered once and closed. A silent client holds its thread for read_s_max at
// most, but one that slowly sends single bytes can hold it longer: the port is for trusted clients.
constexpr size_t threads = 16;
constexpr time_t read_s_max = 1, write_s_max = 5;

}

struct HttpServer {
    httplib::Server server;
    std::atomic<bool> ended = false; // No longer listening, or failed to start.
    std::thread thread;
};

namespace {

// --- The address ---

struct ListenAddress {
    std::string ip, error;
    uint16_t port = 0;
};

ListenAddress parse(const std::string &text)
{
    ListenAddress out;
    const size_t colon = text.rfind(':');
    const char *end = text.data() + text.size();
    const char *digits = colon == std::string::npos ? end : text.data() + colon + 1;
    const auto parsed = std::from_chars(digits, end, out.port);
    out.ip = text.substr(0, colon);
    const bool in_brackets = out.ip.starts_with("[") && out.ip.ends_with("]");
    if (in_brackets) out.ip = out.ip.substr(1, out.ip.size() - 2);
    unsigned char bytes[16];
    if (digits == end || parsed.ec != std::errc() || parsed.ptr != end)
        out.error = "expected ip:port, with a port from 0 to 65535";
    else if (inet_pton(in_brackets ? AF_INET6 : AF_INET, out.ip.c_str(), bytes) != 1)
        out.error = "expected an IP address before the port, as 127.0.0.1:9101 or [::1]:9101";
    return out;
}

std::string bind_error()
{
    switch (errno) {
    case EADDRINUSE: return "the port is in use";
    case EACCES: return "not permitted: a port below 1024 needs a right of its own";
    case EADDRNOTAVAIL: return "no interface of this machine has this address";
    case EAFNOSUPPORT: return "this IP version is not available here";
    default: return std::strerror(errno);
    }
}

// Returns the bound port, or 0 with the reason in errno.
uint16_t bind(httplib::Server &server, const ListenAddress &where)
{
    errno = 0;
    const int port = where.port == 0                             ? server.bind_to_any_port(where.ip)
                     : server.bind_to_port(where.ip, where.port) ? where.port
                                                                 : -1;
    return port > 0 ? static_cast<uint16_t>(port) : uint16_t{0};
}

void set_up(httplib::Server &server, uint32_t tick_age_ms_max, Board &board)
{
    server.new_task_queue = [] { return new httplib::ThreadPool(threads); };
    // httplib sets SO_REUSEPORT by default, with which a second host on the port would get half of
    // the connections.
    server.set_socket_options([](socket_t socket) {
        const int on = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    server.set_tcp_nodelay(true);
    server.set_keep_alive_max_count(1);
    server.set_keep_alive_timeout(read_s_max); // Also for the first request.
    server.set_read_timeout(read_s_max);
    server.set_write_timeout(write_s_max);
    server.set_payload_max_length(0);
    server.set_pre_routing_handler(
        [tick_age_ms_max, &board](const httplib::Request &request, httplib::Response &response) {
            http_pages::answer(request, response, tick_age_ms_max, board);
            return httplib::Server::HandlerResponse::Handled;
        });
}

// --- The threads ---

// Returns an empty string, or the error.
std::string start_threads(HttpServer &server)
{
    std::string error;
    // The new threads inherit this mask, so that only the main thread handles signals.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        server.thread = std::thread([&server] {
            server.server.listen_after_bind();
            server.ended = true;
        });
        // stop() has no effect on a server that does not listen yet.
        while (!server.server.is_running() && !server.ended)
            std::this_thread::yield();
        if (server.ended) error = "it cannot listen";
    } catch (const std::system_error &failure) {
        error = std::string("no thread: ") + failure.what();
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error;
}

void end(HttpServer *server)
{
    server->server.stop();
    if (server->thread.joinable()) server->thread.join();
    delete server;
}

}

MadeHttp http::make(const std::string &listen, uint32_t tick_age_ms_max, Board &board)
{
    const ListenAddress where = parse(listen);
    if (!where.error.empty()) return {nullptr, 0, listen + ": " + where.error};
    std::shared_ptr<HttpServer> server(new HttpServer, end);
    set_up(server->server, tick_age_ms_max, board);
    const uint16_t port = bind(server->server, where);
    if (port == 0) return {nullptr, 0, listen + ": " + bind_error()};
    const std::string error = start_threads(*server);
    if (!error.empty()) return {nullptr, 0, listen + ": " + error};
    return {server, port, {}};
}

}
