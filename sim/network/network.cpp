#include "base/mistake.h"
#include "sim/network/delay_line.h"
#include "tern/sim.hpp"
#include <algorithm>

namespace tern {

namespace {

constexpr size_t inbox_datagrams_max = 1024; // For each socket; sim.hpp promises this number.

struct SimSocket final : Socket { // Closed.
    SimNetwork *_network;
    Address _address;
    SocketStats _stats;
    std::vector<Flight> _inbox; // Oldest first.
    size_t _handed_out;         // How many of the oldest the last receive() returned.
    Datagram _datagrams[receive_datagrams_max];

    ~SimSocket() override;
    std::span<const Datagram> receive() override;
    void send(std::span<const Datagram> datagrams) override;
    Address local_address() const override { return _address; }
    SocketStats stats() const override { return _stats; }
};

struct Cut {
    Address from, to;
    friend bool operator==(const Cut &, const Cut &) = default;
};

}

struct SimNetwork { // Closed.
    DelayLine _line;
    uint64_t _now_us;
    uint64_t _sent;
    uint64_t _lost; // Without those that _line has lost.
    uint64_t _delivered;
    std::vector<Cut> _cuts;
    std::vector<SimSocket *> _sockets;
};

static bool is_cut(const SimNetwork &network, const Address &from, const Address &to)
{
    return std::find(network._cuts.begin(), network._cuts.end(), Cut{from, to}) !=
           network._cuts.end();
}

static SimSocket *socket_at(const SimNetwork &network, const Address &address)
{
    for (SimSocket *socket : network._sockets) {
        if (socket->_address == address) return socket;
    }
    return nullptr;
}

SimSocket::~SimSocket()
{
    for (const Flight &flight : _inbox)
        delay_line::release(_network->_line, flight);
    std::erase(_network->_sockets, this);
}

std::span<const Datagram> SimSocket::receive()
{
    for (size_t i = 0; i < _handed_out; ++i)
        delay_line::release(_network->_line, _inbox[i]);
    _inbox.erase(_inbox.begin(), _inbox.begin() + static_cast<ptrdiff_t>(_handed_out));
    _handed_out = std::min(_inbox.size(), receive_datagrams_max);
    for (size_t i = 0; i < _handed_out; ++i) {
        const std::span<const std::byte> bytes = delay_line::bytes(_network->_line, _inbox[i]);
        _datagrams[i] = {_inbox[i].from, bytes};
        _stats.received_datagrams += 1;
        _stats.received_bytes += bytes.size();
    }
    return {_datagrams, _handed_out};
}

void SimSocket::send(std::span<const Datagram> datagrams)
{
    for (const Datagram &datagram : datagrams) {
        if (datagram.bytes.size() > socket_datagram_bytes_max) {
            _stats.send_failures += 1;
            continue;
        }
        _stats.sent_datagrams += 1;
        _stats.sent_bytes += datagram.bytes.size();
        _network->_sent += 1;
        if (is_cut(*_network, _address, datagram.address))
            _network->_lost += 1;
        else
            delay_line::send(_network->_line, _network->_now_us, _address, datagram);
    }
}

static bool is_there(const SimNetwork *network, const char *function)
{
    if (network) return true;
    return mistake::report(function, "Check that make_sim_network() has not returned null.",
                           "The network is null.");
}

SimNetwork *make_sim_network(const SimConfig &config)
{
    if (!delay_line::is_right(config.impairment, "make_sim_network")) return nullptr;
    if (config.datagrams_max == 0 || config.datagrams_max > sim_datagrams_max) {
        mistake::report("make_sim_network", "Pass 1 to 1048576, or leave the default.",
                        "datagrams_max is %u.", config.datagrams_max);
        return nullptr;
    }
    auto *network = new SimNetwork{};
    network->_line = delay_line::make(config.impairment, config.seed, config.datagrams_max);
    return network;
}

void destroy_sim_network(SimNetwork *network)
{
    if (!network) return;
    while (!network->_sockets.empty())
        delete network->_sockets.back(); // It takes itself out.
    delete network;
}

Socket *make_sim_socket(SimNetwork *network, const Address &address)
{
    if (!is_there(network, "make_sim_socket")) return nullptr;
    if (socket_at(*network, address)) {
        mistake::report("make_sim_socket", "Give each socket of a network an address of its own.",
                        "A socket of the network has the address %s.", to_text(address).text);
        return nullptr;
    }
    auto *socket = new SimSocket;
    socket->_network = network;
    socket->_address = address;
    socket->_stats = {};
    socket->_inbox.reserve(inbox_datagrams_max);
    socket->_handed_out = 0;
    network->_sockets.push_back(socket);
    return socket;
}

static void deliver(SimNetwork &network, const Flight &flight)
{
    SimSocket *socket = socket_at(network, flight.to);
    if (!socket || socket->_inbox.size() == inbox_datagrams_max ||
        is_cut(network, flight.from, flight.to)) {
        network._lost += 1;
        delay_line::release(network._line, flight);
        return;
    }
    network._delivered += 1;
    socket->_inbox.push_back(flight);
}

bool advance(SimNetwork *network, uint64_t now_us)
{
    if (!is_there(network, "advance")) return false;
    if (now_us < network->_now_us)
        return mistake::report("advance", "Pass a time that never goes back.",
                               "The time went back from %llu to %llu us.",
                               static_cast<unsigned long long>(network->_now_us),
                               static_cast<unsigned long long>(now_us));
    network->_now_us = now_us;
    while (delay_line::next_due_us(network->_line) <= now_us)
        deliver(*network, delay_line::take(network->_line));
    return true;
}

bool set_impairment(SimNetwork *network, const Impairment &impairment)
{
    if (!is_there(network, "set_impairment")) return false;
    if (!delay_line::is_right(impairment, "set_impairment")) return false;
    delay_line::set_impairment(network->_line, impairment);
    return true;
}

void set_cut(SimNetwork *network, const Address &from, const Address &to, bool cut)
{
    if (!is_there(network, "set_cut")) return;
    std::erase(network->_cuts, Cut{from, to});
    if (cut) network->_cuts.push_back({from, to});
}

SimStats network_stats(const SimNetwork *network)
{
    if (!is_there(network, "network_stats")) return {};
    return {network->_sent, network->_lost + delay_line::lost(network->_line),
            delay_line::duplicated(network->_line), network->_delivered};
}

uint64_t next_delivery_us(const SimNetwork *network)
{
    if (!is_there(network, "next_delivery_us")) return UINT64_MAX;
    return delay_line::next_due_us(network->_line);
}

}
