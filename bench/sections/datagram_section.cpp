// Measures the cost of a datagram: one unreliable message of 100 bytes in each, and 32 datagrams
// between two receive calls on the receiving socket.
#include "bench/pairs/enet_pair.h"
#include "bench/pairs/plain_pair.h"
#include "bench/pairs/tern_pair.h"
#include "bench/sections/sections.h"
#include "tern/io.hpp"
#include <array>

namespace bench {
namespace {

constexpr size_t message_bytes = 100;
constexpr size_t burst_count = 32;

// A contender: its means of sending, and its progress.
template <class Path> struct Datagrams {
    Path path;
    size_t bursts; // Bursts per round.
    uint64_t number;
};

using Message = std::array<std::byte, message_bytes>;

// Runs a round: burst(number of the first message, tally) sends and receives burst_count messages.
template <class Path, class Burst>
Sample run_round(Datagrams<Path> &d, uint64_t (*sent_bytes)(const Path &), Burst burst)
{
    Tally sent = {};
    Tally received = {};
    const uint64_t bytes_before = sent_bytes(d.path);
    const Meter meter = start_meter();
    for (size_t i = 0; i < d.bursts; ++i) {
        for (size_t k = 0; k < burst_count; ++k)
            sent.sum += d.number + k;
        burst(d.number, received);
        d.number += burst_count;
        sent.count += burst_count;
    }
    const double cpu_ns = spent(meter).cpu_ns;
    const auto messages = static_cast<double>(sent.count);
    const auto bytes = static_cast<double>(sent_bytes(d.path) - bytes_before);
    const bool wrong = received.count == sent.count && received.sum != sent.sum;
    return {{cpu_ns / messages, bytes / messages}, sent.count, received.count, wrong};
}

uint64_t plain_bytes(const PlainPair &pair)
{
    return pair.sent_bytes;
}

Sample run_plain(Datagrams<PlainPair> &d)
{
    return run_round(d, plain_bytes, [&d](uint64_t number, Tally &tally) {
        Message message = {};
        for (size_t i = 0; i < burst_count; ++i) {
            number_message(message, number + i);
            plain_pair::send(d.path, message);
        }
        plain_pair::receive(d.path, burst_count,
                            [&tally](std::span<const std::byte> m) { tally_message(tally, m); });
    });
}

Sample run_batched(Datagrams<PlainPair> &d)
{
    return run_round(d, plain_bytes, [&d](uint64_t number, Tally &tally) {
        static Message messages[burst_count];
        std::span<const std::byte> datagrams[burst_count];
        for (size_t i = 0; i < burst_count; ++i) {
            number_message(messages[i], number + i);
            datagrams[i] = messages[i];
        }
        plain_pair::send_batch(d.path, datagrams);
        plain_pair::receive_batch(d.path, burst_count, [&tally](std::span<const std::byte> m) {
            tally_message(tally, m);
        });
    });
}

// --- tern's socket, without the rest of tern ---

struct SocketPair {
    tern::Socket *sender;
    tern::Socket *receiver;
    tern::Address to;
};

uint64_t socket_bytes(const SocketPair &pair)
{
    return pair.sender->stats().sent_bytes;
}

Sample run_socket(Datagrams<SocketPair> &d)
{
    return run_round(d, socket_bytes, [&d](uint64_t number, Tally &tally) {
        static Message messages[burst_count];
        tern::Datagram datagrams[burst_count];
        for (size_t i = 0; i < burst_count; ++i) {
            number_message(messages[i], number + i);
            datagrams[i] = {d.path.to, messages[i]};
        }
        d.path.sender->send(datagrams);
        for (const tern::Datagram &datagram : d.path.receiver->receive())
            tally_message(tally, datagram.bytes);
    });
}

// --- ENet, and tern's whole transport ---

uint64_t enet_bytes(EnetPair *const &pair)
{
    return enet_pair::sent_bytes(*pair);
}

Sample run_enet(Datagrams<EnetPair *> &d)
{
    return run_round(d, enet_bytes, [&d](uint64_t number, Tally &tally) {
        Message message = {};
        for (size_t i = 0; i < burst_count; ++i) {
            number_message(message, number + i);
            enet_pair::queue(*d.path, message, EnetDelivery::unsequenced);
            enet_pair::flush(*d.path);
        }
        enet_pair::tick(*d.path, tally);
    });
}

uint64_t tern_bytes(TernPair *const &pair)
{
    return tern_pair::sent_bytes(*pair);
}

Sample run_tern(Datagrams<TernPair *> &d)
{
    return run_round(d, tern_bytes, [&d](uint64_t number, Tally &tally) {
        Message message = {};
        for (size_t i = 0; i < burst_count; ++i) {
            number_message(message, number + i);
            tern_pair::put(*d.path, message);
            tern_pair::end_packet(*d.path);
        }
        tern_pair::flush(*d.path);
        tern_pair::tick(*d.path, tally);
    });
}

}

bool measure_datagrams(const Options &options)
{
    const size_t bursts = options.quick ? 60 : 600;
    Datagrams<PlainPair> plain = {plain_pair::make(), bursts, 0};
    Datagrams<PlainPair> batched = {plain_pair::make(), bursts, 0};
    Datagrams<SocketPair> socket = {{}, bursts, 0};
    socket.path.sender = tern::make_udp_socket(0).socket;
    socket.path.receiver = tern::make_udp_socket(0).socket;
    Datagrams<EnetPair *> enet = {enet_pair::make(), bursts, 0};
    Datagrams<TernPair *> tern = {tern_pair::make(), bursts, 0};

    std::vector<Contender> contenders = {contender<run_plain>("sendto, recvfrom", plain),
                                         contender<run_batched>("sendmmsg, recvmmsg", batched)};
    if (enet.path)
        contenders.push_back(contender<run_enet>("ENet, unsequenced, throttle off", enet));
    if (socket.path.sender && socket.path.receiver) {
        socket.path.to = tern::loopback(socket.path.receiver->local_address().port);
        contenders.push_back(contender<run_socket>("tern's UDP socket alone", socket));
    }
    contenders.push_back(contender<run_tern>("tern, encrypted, acked", tern));

    const Section section = {
        "datagrams",
        "datagrams: one unreliable message of 100 bytes in each, in bursts of 32",
        {{"CPU ns/msg", 0, true}, {"bytes/msg", 1, false}},
        {"bytes: UDP payload, both ways"}};
    const bool right = measure(section, contenders, options);
    plain_pair::destroy(plain.path);
    plain_pair::destroy(batched.path);
    tern::destroy_socket(socket.path.sender);
    tern::destroy_socket(socket.path.receiver);
    enet_pair::destroy(enet.path);
    tern_pair::destroy(tern.path);
    return right;
}

}
