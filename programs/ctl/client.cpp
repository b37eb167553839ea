#include "client.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace ctl {

static constexpr time_t answer_s_max = 10;
static constexpr size_t answer_bytes_max = 64 << 20;
static constexpr size_t answer_depth_max = 100;

std::string default_socket()
{
    if (const char *path = std::getenv("TERN_HOST_CONTROL_SOCKET")) return path;
    if (const char *folder = std::getenv("XDG_RUNTIME_DIR")) {
        const std::string path = std::string(folder) + "/tern-host.sock";
        if (access(path.c_str(), F_OK) == 0) return path;
    }
    return "/run/tern/host.sock";
}

int connect_to(const std::string &path)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    errno = ENAMETOOLONG;
    if (path.size() >= sizeof address.sun_path) return -1;
    std::memcpy(address.sun_path, path.data(), path.size());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    const timeval patience = {answer_s_max, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
        return descriptor;
    const int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

static std::string received_error(ssize_t size)
{
    if (size == 0) return "the host has ended the connection";
    const bool late = errno == EAGAIN || errno == EWOULDBLOCK;
    return late ? "the host has not answered for 10 s" : std::strerror(errno);
}

// Returns whether the JSON nests deeper than any answer does. A copy of such a value would use up
// the stack.
static bool is_too_deep(const std::string &text)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size() && depth <= answer_depth_max; ++i) {
        const char c = text[i];
        if (c == '"') in_string = !in_string;
        if (in_string && c == '\\') i += 1;
        if (in_string) continue;
        if (c == '[' || c == '{') depth += 1;
        if ((c == ']' || c == '}') && depth > 0) depth -= 1;
    }
    return depth > answer_depth_max;
}

Answer ask(int descriptor, const Json &request)
{
    const std::string line = request.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    for (size_t sent = 0; sent < line.size();) {
        const ssize_t size = send(descriptor, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
        if (size <= 0) return {{}, std::strerror(errno)};
        sent += static_cast<size_t>(size);
    }
    std::string text;
    while (!text.ends_with('\n')) {
        char bytes[65'536];
        const ssize_t size = recv(descriptor, bytes, sizeof bytes, 0);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return {{}, received_error(size)};
        text.append(bytes, static_cast<size_t>(size));
        if (text.size() > answer_bytes_max) return {{}, "the answer is too long"};
    }
    if (is_too_deep(text)) return {{}, "what listens there is no tern-host"};
    Json body = Json::parse(text, nullptr, false);
    const bool is_answer = body.is_object() && body.contains("ok") && body["ok"].is_boolean();
    if (!is_answer) return {{}, "what listens there is no tern-host"};
    return {std::move(body), ""};
}

}
