#include "host/http.h"
#include "host/http_pages.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <tern/io.h>
#include <thread>
#include <unistd.h>

// One thread and no blocking call but poll(): a client that is slow, idle or hostile has a
// connection and a deadline, and nobody waits for it. With a thread for each client a handful of
// them keeps /healthz from answering.
namespace dedicated {

namespace {

constexpr size_t connections_max = 128; // Beyond, the one that was heard of longest ago is closed.
constexpr uint64_t idle_us_max = 60'000'000;   // Between requests.
constexpr uint64_t request_us_max = 5'000'000; // From the first byte of a request to its last.
constexpr uint64_t answer_us_max = 10'000'000; // From the first byte of an answer to its last.
constexpr uint64_t linger_us_max = 1'000'000;  // For the client to read the last answer.
constexpr uint64_t accept_pause_us = 100'000;  // Out of descriptors.

enum class Phase : uint8_t { reading, writing, lingering };

struct Connection {
    int descriptor = -1;
    bool is_local = false;
    Phase phase = Phase::reading;
    bool ends = false;     // After what is being written.
    bool has_more = false; // There may be another whole request in `in`.
    std::string in, out;
    size_t written = 0; // Of out.
    uint64_t heard_us = 0, deadline_us = 0;
};

}

struct HttpServer {
    Board *board;
    uint32_t tick_age_ms_max;
    int listener = -1;
    int wake_read = -1, wake_write = -1; // A byte, or the end, of this pipe ends the thread.
    uint64_t accept_again_us = 0;
    std::vector<Connection> connections;
    std::thread thread;
};

namespace {

// --- Connections ---

void enter(Connection &connection, Phase phase, uint64_t within_us)
{
    connection.phase = phase;
    connection.deadline_us = tern::clock_us() + within_us;
}

bool is_done(const Connection &connection)
{
    return connection.descriptor < 0;
}

void close_now(Connection &connection)
{
    if (connection.descriptor >= 0) close(connection.descriptor);
    connection.descriptor = -1;
}

bool would_block()
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

// As much as the system takes.
void write_some(Connection &connection)
{
    while (connection.written < connection.out.size()) {
        const ssize_t size =
            send(connection.descriptor, connection.out.data() + connection.written,
                 connection.out.size() - connection.written, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size < 0 && !would_block()) return close_now(connection);
        if (size <= 0) return;
        connection.written += static_cast<size_t>(size);
    }
    connection.out.clear();
    connection.written = 0;
    if (!connection.ends) return enter(connection, Phase::reading, idle_us_max);
    // To close with unread bytes would reset the connection, and take the answer along.
    shutdown(connection.descriptor, SHUT_WR);
    enter(connection, Phase::lingering, linger_us_max);
}

HttpResponse answer(const HttpServer &server, const Connection &connection,
                    const HttpRequest &request)
{
    try {
        return http_pages::answer(request, connection.is_local, server.tick_age_ms_max,
                                  *server.board);
    } catch (const std::exception &error) { // Out of memory, or no random device.
        HttpResponse failure;
        failure.status = 500;
        failure.body = std::string(error.what()) + "\n";
        return failure;
    }
}

// The first request that is whole among the bytes that came. False if there is none yet.
bool answer_one(const HttpServer &server, Connection &connection)
{
    if (connection.in.empty()) return false;
    ReadRequest read = http_message::read(connection.in);
    if (read.state == ReadState::incomplete) return false;
    HttpResponse response = read.state == ReadState::bad ? std::move(read.refusal)
                                                         : answer(server, connection, read.request);
    connection.in.erase(0, read.size_bytes);
    connection.ends = connection.ends || read.state == ReadState::bad || !read.request.keep_alive;
    connection.out = http_message::print(response, read.request.method == "HEAD", !connection.ends);
    enter(connection, Phase::writing, answer_us_max);
    return true;
}

void read_some(Connection &connection)
{
    char bytes[4096];
    const ssize_t size = recv(connection.descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && would_block()) return;
    if (size <= 0) return close_now(connection);
    connection.heard_us = tern::clock_us();
    if (connection.phase == Phase::lingering) return; // Whatever it still says.
    if (connection.in.empty()) enter(connection, Phase::reading, request_us_max);
    connection.in.append(bytes, static_cast<size_t>(size));
}

// One request at a time: who sends a hundred in a row does not keep the others waiting.
void serve(const HttpServer &server, Connection &connection, bool is_ready)
{
    if (is_ready && connection.phase == Phase::writing)
        write_some(connection);
    else if (is_ready)
        read_some(connection);
    connection.has_more = !is_done(connection) && connection.phase == Phase::reading &&
                          answer_one(server, connection);
    if (connection.has_more) write_some(connection);
}

bool is_loopback(int descriptor)
{
    sockaddr_storage address = {};
    socklen_t size = sizeof address;
    if (getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size) != 0) return false;
    if (address.ss_family == AF_INET) {
        const auto &v4 = reinterpret_cast<const sockaddr_in &>(address);
        return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
    }
    const in6_addr &ip = reinterpret_cast<const sockaddr_in6 &>(address).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&ip) || (IN6_IS_ADDR_V4MAPPED(&ip) && ip.s6_addr[12] == 127);
}

void make_room(std::vector<Connection> &connections)
{
    if (connections.size() < connections_max) return;
    const auto oldest = std::min_element(
        connections.begin(), connections.end(),
        [](const Connection &a, const Connection &b) { return a.heard_us < b.heard_us; });
    close_now(*oldest);
    connections.erase(oldest);
}

void accept_all(HttpServer &server)
{
    for (size_t i = 0; i < connections_max; ++i) {
        const int descriptor =
            accept4(server.listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                server.accept_again_us = tern::clock_us() + accept_pause_us;
            return;
        }
        const int on = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        make_room(server.connections);
        Connection connection;
        connection.descriptor = descriptor;
        connection.is_local = is_loopback(descriptor);
        connection.heard_us = tern::clock_us();
        enter(connection, Phase::reading, request_us_max);
        server.connections.push_back(std::move(connection));
        serve(server, server.connections.back(), true); // Its request is often here already.
    }
}

// --- The thread ---

std::vector<pollfd> waited_for(const HttpServer &server, uint64_t now_us)
{
    std::vector<pollfd> out;
    out.push_back({server.wake_read, POLLIN, 0});
    out.push_back({now_us >= server.accept_again_us ? server.listener : -1, POLLIN, 0});
    for (const Connection &connection : server.connections) {
        const short events = connection.phase == Phase::writing ? POLLOUT : POLLIN;
        out.push_back({connection.descriptor, events, 0});
    }
    return out;
}

int timeout_ms(const HttpServer &server, uint64_t now_us)
{
    uint64_t next_us = now_us + idle_us_max;
    for (const Connection &connection : server.connections)
        next_us = connection.has_more ? now_us : std::min(next_us, connection.deadline_us);
    if (server.accept_again_us > now_us) next_us = std::min(next_us, server.accept_again_us);
    return next_us > now_us ? static_cast<int>((next_us - now_us) / 1000 + 1) : 0;
}

void run(HttpServer &server)
{
    for (;;) {
        const uint64_t now_us = tern::clock_us();
        std::vector<pollfd> waiting = waited_for(server, now_us);
        poll(waiting.data(), waiting.size(), timeout_ms(server, now_us));
        if (waiting[0].revents != 0) return;
        for (size_t i = 0; i < server.connections.size(); ++i)
            serve(server, server.connections[i], waiting[i + 2].revents != 0);
        const uint64_t then_us = tern::clock_us();
        for (Connection &connection : server.connections)
            if (then_us >= connection.deadline_us) close_now(connection);
        std::erase_if(server.connections, is_done);
        if (waiting[1].revents != 0) accept_all(server);
        std::erase_if(server.connections, is_done);
    }
}

// Empty, or what went wrong.
std::string start_thread(HttpServer &server)
{
    std::string error;
    // Signals are the main thread's.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        server.thread = std::thread([&server] { run(server); });
    } catch (const std::system_error &failure) {
        error = std::string("no thread: ") + failure.what();
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error;
}

void end(HttpServer *server)
{
    if (server->wake_write >= 0) close(server->wake_write);
    if (server->thread.joinable()) server->thread.join();
    for (Connection &connection : server->connections)
        close_now(connection);
    if (server->listener >= 0) close(server->listener);
    if (server->wake_read >= 0) close(server->wake_read);
    delete server;
}

// --- Where it listens ---

struct ListenAddress {
    sockaddr_storage address = {};
    socklen_t size = 0;
    std::string error;
};

ListenAddress parse(const std::string &text)
{
    ListenAddress out;
    const size_t colon = text.rfind(':');
    uint16_t port = 0;
    const char *end = text.data() + text.size();
    const char *digits = colon == std::string::npos ? end : text.data() + colon + 1;
    const auto parsed = std::from_chars(digits, end, port);
    if (digits == end || parsed.ec != std::errc() || parsed.ptr != end)
        out.error = "expected ip:port, with a port from 0 to 65535";
    const std::string ip = text.substr(0, colon);
    auto &v4 = reinterpret_cast<sockaddr_in &>(out.address);
    auto &v6 = reinterpret_cast<sockaddr_in6 &>(out.address);
    if (ip.starts_with("[") && ip.ends_with("]") &&
        inet_pton(AF_INET6, ip.substr(1, ip.size() - 2).c_str(), &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        out.size = sizeof v6;
    } else if (inet_pton(AF_INET, ip.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        out.size = sizeof v4;
    } else if (out.error.empty()) {
        out.error = "expected an IP address before the port, as 127.0.0.1:9101 or [::1]:9101";
    }
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

// Empty, or what went wrong.
std::string open_listener(HttpServer &server, const ListenAddress &where, uint16_t &port)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return bind_error();
    server.wake_read = ends[0];
    server.wake_write = ends[1];
    const int family = where.address.ss_family;
    server.listener = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server.listener < 0) return bind_error();
    const int on = 1, off = 0;
    setsockopt(server.listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6)
        setsockopt(server.listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_storage bound = where.address;
    socklen_t size = where.size;
    auto *const address = reinterpret_cast<sockaddr *>(&bound);
    if (bind(server.listener, address, size) != 0 || listen(server.listener, SOMAXCONN) != 0 ||
        getsockname(server.listener, address, &size) != 0)
        return bind_error();
    // The port lies at the same place in both.
    port = ntohs(reinterpret_cast<const sockaddr_in &>(bound).sin_port);
    return {};
}

}

MadeHttp http::make(const std::string &listen, uint32_t tick_age_ms_max, Board &board)
{
    const ListenAddress where = parse(listen);
    if (!where.error.empty()) return {nullptr, 0, listen + ": " + where.error};
    std::shared_ptr<HttpServer> server(new HttpServer, end);
    server->board = &board;
    server->tick_age_ms_max = tick_age_ms_max;
    uint16_t port = 0;
    std::string error = open_listener(*server, where, port);
    if (error.empty()) error = start_thread(*server);
    if (!error.empty()) return {nullptr, 0, listen + ": " + error};
    return {server, port, {}};
}

}
