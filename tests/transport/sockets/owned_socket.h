// Sockets that are destroyed with their owner, and datagrams of text.
#pragma once
#include "tern/io.hpp"
#include <memory>
#include <string>
#include <vector>

namespace tern::test {

struct SocketDestroyer {
    void operator()(Socket *socket) const { destroy_socket(socket); }
};
using OwnedSocket = std::unique_ptr<Socket, SocketDestroyer>;

struct Received {
    Address from;
    std::string text;
};

inline void send_text(Socket &socket, const Address &to, const std::string &text)
{
    const Datagram datagram = {to, std::as_bytes(std::span(text))};
    socket.send({&datagram, 1});
}

// Appends the datagrams that wait at the socket.
inline void receive_texts(Socket &socket, std::vector<Received> &all)
{
    for (const Datagram &datagram : socket.receive()) {
        const auto *text = reinterpret_cast<const char *>(datagram.bytes.data());
        all.push_back({datagram.address, std::string(text, datagram.bytes.size())});
    }
}

}
