#include "cuts.h"
#include <algorithm>
#include <random>

namespace demo::cuts {

using namespace tern;

namespace {

struct CutSocket final : Socket {
    Socket *_inner;
    std::vector<uint16_t> _ports;
    std::vector<Datagram> _passed;

    ~CutSocket() override { destroy_socket(_inner); }
    std::span<const Datagram> receive() override { return pass(_inner->receive()); }
    void send(std::span<const Datagram> datagrams) override { _inner->send(pass(datagrams)); }
    Address local_address() const override { return _inner->local_address(); }
    SocketStats stats() const override { return _inner->stats(); }

    std::span<const Datagram> pass(std::span<const Datagram> datagrams)
    {
        _passed.clear();
        for (const Datagram &datagram : datagrams)
            if (std::find(_ports.begin(), _ports.end(), datagram.address.port) == _ports.end())
                _passed.push_back(datagram);
        return _passed;
    }
};

bool share(const CutPair &a, const CutPair &b)
{
    return a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second;
}

}

uint32_t pairs_max(uint32_t peers)
{
    return (peers - 1) * (peers - 2) / 2;
}

uint32_t disjoint_max(uint32_t peers)
{
    return (peers - 1) / 2;
}

std::vector<CutPair> choose(uint32_t peers, uint32_t pairs, uint64_t seed)
{
    std::vector<CutPair> left, chosen;
    for (uint32_t a = 1; a < peers; ++a)
        for (uint32_t b = a + 1; b < peers; ++b)
            left.emplace_back(a, b);
    std::mt19937_64 random(seed);
    for (size_t i = left.size(); i > 1; --i)
        std::swap(left[i - 1], left[random() % i]);
    while (chosen.size() < pairs && !left.empty()) {
        const auto is_apart = [&](const CutPair &pair) {
            return std::none_of(chosen.begin(), chosen.end(),
                                [&](const CutPair &other) { return share(pair, other); });
        };
        auto next = std::find_if(left.begin(), left.end(), is_apart);
        if (next == left.end()) next = left.begin();
        chosen.push_back(*next);
        left.erase(next);
    }
    return chosen;
}

Socket *make_cut_socket(Socket *inner, const std::vector<uint16_t> &ports)
{
    auto *socket = new CutSocket;
    socket->_inner = inner;
    socket->_ports = ports;
    return socket;
}

}
