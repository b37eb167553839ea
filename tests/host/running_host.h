// A tern-host process for tests, and peers of the test that join it over the loopback.
#pragma once
#include "common/type_file.h"
#include "tests/programs/process.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/socket.h>
#include <sys/un.h>
#include <tern/diagnostics.hpp>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/tern.hpp>

namespace dedicated::test {

struct TempFolder {
    std::string path;

    TempFolder()
    {
        char name[] = "/tmp/tern-host-test-XXXXXX";
        if (mkdtemp(name)) path = name;
    }
    TempFolder(const TempFolder &) = delete;
    ~TempFolder() { std::filesystem::remove_all(path); }

    std::string write(const std::string &file, const std::string &text) const
    {
        std::ofstream(path + "/" + file) << text;
        return path + "/" + file;
    }
};

inline std::string program(const std::string &name)
{
    return std::string(TERN_PROGRAMS_DIR) + "/" + name;
}

// Runs without an HTTP port, because tests run in parallel.
struct RunningHost : tern::test::Process {
    explicit RunningHost(std::vector<std::string> arguments) : Process(with(std::move(arguments)))
    {
    }
    static std::vector<std::string> with(std::vector<std::string> arguments)
    {
        std::vector<std::string> all = {program("tern-host"), "--http-listen", ""};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return all;
    }

    bool is_ready() { return print_until("tern-host ready: ") && print_until("host_started"); }
    // The invite of the only room.
    tern::Invite invite() const
    {
        const size_t at = text.find(" invite ");
        const size_t begin = at + std::strlen(" invite ");
        const std::string word = text.substr(begin, text.find_first_of(" \n", begin) - begin);
        return tern::parse_invite(word.c_str()).invite;
    }
    // Reads the output without waiting. True: the process has ended and all its output is read.
    bool has_ended()
    {
        pollfd waiting = {output, POLLIN, 0};
        while (poll(&waiting, 1, 0) > 0) {
            char bytes[4096];
            const ssize_t size = read(output, bytes, sizeof bytes);
            if (size <= 0) return true;
            text.append(bytes, static_cast<size_t>(size));
        }
        return false;
    }
};

struct Client {
    tern::Session *session;
    tern::Socket *socket;
    bool silent; // The peer neither receives nor sends.
};

struct Clients {
    std::shared_ptr<const TypeTable> types;
    tern::Topology topology;
    uint16_t peers_max;
    uint32_t timeout_ms;
    std::deque<Client> all = {};

    ~Clients()
    {
        while (!all.empty())
            drop(all.size() - 1);
    }
    void add(const tern::Invite &invite)
    {
        tern::Config config = {};
        config.types = types->types;
        config.topology = topology;
        config.peers_max = peers_max;
        config.timeout_ms = timeout_ms;
        config.name = "client";
        const tern::MadeSocket made = tern::make_udp_socket(0);
        all.push_back({tern::make_session(config), made.socket, false});
        join(all.back().session, invite);
    }
    // Ends the peer without leaving, as if its process were killed.
    void drop(size_t index)
    {
        destroy_session(all[index].session);
        destroy_socket(all[index].socket);
        all.erase(all.begin() + static_cast<ptrdiff_t>(index));
    }
    void tick()
    {
        for (Client &client : all) {
            if (client.silent) continue;
            receive(client.session, client.socket->receive(), tern::clock_us());
            client.socket->send(send(client.session, tern::clock_us()));
        }
        tern::sleep_us(5000);
    }
    // Ticks until the condition holds. False: it did not hold within a minute.
    bool tick_until(const std::function<bool()> &condition)
    {
        const uint64_t end_us = tern::clock_us() + 60'000'000;
        while (!condition()) {
            if (tern::clock_us() > end_us) return false;
            tick();
        }
        return true;
    }
    bool every(const std::function<bool(const tern::Session *)> &holds) const
    {
        for (const Client &client : all)
            if (!holds(client.session)) return false;
        return true;
    }
    // Every peer has this number of others and of objects, and all worlds are equal.
    bool agree(size_t others, uint64_t objects) const
    {
        const uint64_t first = world_digest(all[0].session);
        return every([&](const tern::Session *session) {
            return session_state(session) == tern::State::open &&
                   other_peers(session).size() == others &&
                   session_stats(session).objects == objects && world_digest(session) == first;
        });
    }
};

// Sends a request to a control socket and returns the line that answers; empty: no one listens.
inline std::string control_answer(const std::string &path, const std::string &request)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    std::string answer;
    const timeval patience = {20, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0) {
        const std::string line = request + "\n";
        if (send(descriptor, line.data(), line.size(), MSG_NOSIGNAL) > 0)
            for (char byte; recv(descriptor, &byte, 1, 0) == 1 && byte != '\n';)
                answer += byte;
    }
    close(descriptor);
    return answer;
}

}
