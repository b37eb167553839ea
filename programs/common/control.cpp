#include "common/control.h"
#ifndef _WIN32
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace control {

static sockaddr_un address_of(const std::string &path)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    return address;
}

// Deletes a socket file on which no process listens. Returns an empty string, or why the path
// cannot be used.
static std::string free_path(const std::string &path)
{
    struct stat found = {};
    if (lstat(path.c_str(), &found) != 0) return "";
    if (!S_ISSOCK(found.st_mode)) return "there is a file that is no socket";
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) return std::strerror(errno);
    const sockaddr_un address = address_of(path);
    const int result = connect(probe, reinterpret_cast<const sockaddr *>(&address), sizeof address);
    const bool is_dead = result != 0 && errno == ECONNREFUSED;
    ::close(probe);
    if (!is_dead) return "another process listens there";
    if (unlink(path.c_str()) != 0 && errno != ENOENT) return std::strerror(errno);
    return "";
}

std::string open(Control &control, const std::string &path)
{
    if (std::string error = free_path(path); !error.empty()) return error;
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) return std::strerror(errno);
    const sockaddr_un address = address_of(path);
    // The socket must never be open to other users, so set its mode from the start. The umask is
    // that of the whole process.
    const mode_t mask = umask(0177);
    const int bound = bind(listener, reinterpret_cast<const sockaddr *>(&address), sizeof address);
    const int error = errno;
    umask(mask);
    struct stat made = {};
    if (bound != 0 || listen(listener, control_clients_max) != 0 ||
        lstat(path.c_str(), &made) != 0) {
        ::close(listener);
        if (bound == 0) unlink(path.c_str());
        return std::strerror(bound != 0 ? error : errno);
    }
    control.listener = listener;
    control.path = path;
    control.device = made.st_dev;
    control.file = made.st_ino;
    return "";
}

void close(Control &control)
{
    for (const ControlClient &client : control.clients)
        ::close(client.descriptor);
    control.clients.clear();
    if (control.listener < 0) return;
    struct stat found = {};
    const bool is_ours = lstat(control.path.c_str(), &found) == 0 &&
                         found.st_dev == control.device && found.st_ino == control.file;
    if (is_ours) unlink(control.path.c_str());
    ::close(control.listener);
    control.listener = -1;
}

static void accept_clients(Control &control, uint64_t now_us)
{
    while (control.clients.size() < control_clients_max) {
        const int descriptor =
            accept4(control.listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (descriptor < 0) return;
        control.clients.push_back({descriptor, "", "", now_us, false});
    }
}

// False if the connection is closed or broken.
static bool read_client(ControlClient &client, uint64_t now_us)
{
    if (!client.output.empty() || client.input.find('\n') != std::string::npos) return true;
    char bytes[control_request_bytes_max];
    const ssize_t size = recv(client.descriptor, bytes, sizeof bytes, 0);
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (size == 0) return false;
    client.used_us = now_us;
    client.input.append(bytes, static_cast<size_t>(size));
    return true;
}

static void forget_ended(Control &control, uint64_t now_us)
{
    std::erase_if(control.clients, [now_us](const ControlClient &client) {
        const bool idle = now_us - client.used_us > control_idle_us_max;
        const bool over = idle || (client.ends && client.output.empty());
        if (over) ::close(client.descriptor);
        return over;
    });
}

std::vector<ControlRequest> receive(Control &control, uint64_t now_us)
{
    if (control.listener < 0) return {};
    forget_ended(control, now_us);
    accept_clients(control, now_us);
    std::vector<ControlRequest> requests;
    for (size_t i = 0; i < control.clients.size(); ++i) {
        ControlClient &client = control.clients[i];
        if (client.ends) continue;
        if (!read_client(client, now_us)) {
            client.ends = true;
            client.output.clear();
            continue;
        }
        const size_t end = client.input.find('\n');
        if (std::min(end, client.input.size()) > control_request_bytes_max) {
            client.output = control.too_long + "\n";
            client.ends = true;
        } else if (end != std::string::npos && client.output.empty()) {
            requests.push_back({i, client.input.substr(0, end)});
            client.input.erase(0, end + 1);
        }
    }
    return requests;
}

void answer(Control &control, size_t client, const std::string &line)
{
    control.clients[client].output += line + "\n";
}

void send(Control &control, uint64_t now_us)
{
    for (ControlClient &client : control.clients) {
        if (client.output.empty()) continue;
        const ssize_t size = ::send(client.descriptor, client.output.data(), client.output.size(),
                                    MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size > 0) {
            client.output.erase(0, static_cast<size_t>(size));
            client.used_us = now_us;
        } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            client.ends = true;
            client.output.clear();
        }
    }
}

}
#endif
