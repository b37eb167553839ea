#include "sim/network/impaired_socket.h"
#include "base/assert.h"
#include "base/mistake.h"
#include "sim/network/delay_line.h"

namespace tern {

namespace {

constexpr uint32_t delayed_datagrams_max = 4096; // sim.hpp promises this number.
constexpr size_t sent_together_max = 64;

struct ImpairedSocket final : Socket { // Closed.
    Socket *_inner;
    uint64_t (*_now_us)();
    uint64_t _send_failures;
    DelayLine _line;

    ~ImpairedSocket() override { destroy_socket(_inner); }
    std::span<const Datagram> receive() override;
    void send(std::span<const Datagram> datagrams) override;
    Address local_address() const override { return _inner->local_address(); }
    SocketStats stats() const override;
};

}

static void send_due(ImpairedSocket &socket)
{
    const uint64_t now_us = socket._now_us();
    while (delay_line::next_due_us(socket._line) <= now_us) {
        Flight flights[sent_together_max];
        Datagram batch[sent_together_max];
        size_t count = 0;
        while (count < sent_together_max && delay_line::next_due_us(socket._line) <= now_us) {
            flights[count] = delay_line::take(socket._line);
            batch[count] = {flights[count].to, delay_line::bytes(socket._line, flights[count])};
            count += 1;
        }
        socket._inner->send({batch, count});
        for (size_t i = 0; i < count; ++i)
            delay_line::release(socket._line, flights[i]);
    }
}

std::span<const Datagram> ImpairedSocket::receive()
{
    send_due(*this);
    return _inner->receive();
}

void ImpairedSocket::send(std::span<const Datagram> datagrams)
{
    const uint64_t now_us = _now_us();
    for (const Datagram &datagram : datagrams) {
        if (datagram.bytes.size() > socket_datagram_bytes_max)
            _send_failures += 1;
        else
            delay_line::send(_line, now_us, {}, datagram);
    }
    send_due(*this);
}

SocketStats ImpairedSocket::stats() const
{
    SocketStats stats = _inner->stats();
    stats.send_failures += _send_failures;
    return stats;
}

namespace impaired_socket {

Socket *make(Socket *inner, const Impairment &impairment, uint64_t seed, uint64_t (*now_us)())
{
    TERN_ASSERT(inner && now_us, "no socket or no clock");
    auto *socket = new ImpairedSocket;
    socket->_inner = inner;
    socket->_now_us = now_us;
    socket->_send_failures = 0;
    socket->_line = delay_line::make(impairment, seed, delayed_datagrams_max);
    return socket;
}

}

Socket *make_impaired_socket(Socket *inner, const Impairment &impairment, uint64_t seed)
{
    if (!inner) {
        mistake::report("make_impaired_socket", "Check the error of make_udp_socket() first.",
                        "The inner socket is null.");
        return nullptr;
    }
    if (!delay_line::is_right(impairment, "make_impaired_socket")) return nullptr;
    return impaired_socket::make(inner, impairment, seed, clock_us);
}

}
