#include "bench/pairs/links.h"
#include <algorithm>

using namespace tern;

namespace bench {

// Gilbert's model: a burst of losses ends with probability 1 / burst_mean and begins with the
// probability that makes `loss` the share of lost datagrams.
static bool is_lost(Link &link)
{
    const LinkQuality &q = link.quality;
    if (q.loss <= 0) return false;
    if (q.burst_mean <= 1) return random::chance(link.random, q.loss);
    const double ends = 1 / q.burst_mean;
    const double begins = ends * q.loss / (1 - q.loss);
    link.losing = random::chance(link.random, link.losing ? 1 - ends : begins);
    return link.losing;
}

static void put(Link &link, const Address &from, std::span<const std::byte> bytes, uint64_t now_us)
{
    const LinkQuality &q = link.quality;
    link.datagrams += 1;
    link.bytes += bytes.size();
    if (is_lost(link)) return;
    uint64_t leaves_us = now_us;
    if (q.bytes_per_second > 0) {
        leaves_us = std::max(now_us, link.free_us) + bytes.size() * 1'000'000 / q.bytes_per_second;
        if (leaves_us > now_us + q.queue_us) return;
        link.free_us = leaves_us;
    }
    const uint64_t jitter_us =
        q.jitter_us > 0 ? random::below(link.random, 2 * q.jitter_us + 1) : 0;
    link.flights.push_back(
        {leaves_us + q.way_us - q.jitter_us + jitter_us, from, {bytes.begin(), bytes.end()}});
}

static void take(Link &link, uint64_t now_us, std::vector<LinkFlight> &arrived)
{
    const auto due =
        std::stable_partition(link.flights.begin(), link.flights.end(),
                              [now_us](const LinkFlight &flight) { return flight.at_us > now_us; });
    std::move(due, link.flights.end(), std::back_inserter(arrived));
    link.flights.erase(due, link.flights.end());
}

std::span<const Datagram> LinkSocket::receive()
{
    arrived.clear();
    if (number > 0) take(links->down[number - 1], links->now_us, arrived);
    for (size_t i = 0; number == 0 && i < links->up.size(); ++i)
        take(links->up[i], links->now_us, arrived);
    std::stable_sort(arrived.begin(), arrived.end(),
                     [](const LinkFlight &a, const LinkFlight &b) { return a.at_us < b.at_us; });
    datagrams.clear();
    for (const LinkFlight &flight : arrived)
        datagrams.push_back({flight.from, flight.bytes});
    return datagrams;
}

void LinkSocket::send(std::span<const Datagram> to_send)
{
    for (const Datagram &datagram : to_send) {
        const size_t to = datagram.address.port - links::address(0).port;
        const size_t client = number == 0 ? to : number; // Clients can reach the host only.
        if (client == 0 || client > links->up.size() || (number > 0 && to != 0)) continue;
        Link &link = number == 0 ? links->down[client - 1] : links->up[client - 1];
        put(link, local_address(), datagram.bytes, links->now_us);
    }
}

Address LinkSocket::local_address() const
{
    return links::address(number);
}

namespace links {

std::unique_ptr<Links> make(size_t client_count, const LinkQuality &quality, uint64_t seed)
{
    auto made = std::make_unique<Links>();
    for (size_t i = 0; i < client_count; ++i)
        for (std::vector<Link> *way : {&made->up, &made->down}) {
            const uint64_t own_seed = seed * 1000 + i * 2 + (way == &made->up ? 0 : 1);
            way->push_back({quality, random::from_seed(own_seed), false, 0, {}, 0, 0});
        }
    for (size_t i = 0; i <= client_count; ++i) {
        made->sockets.push_back(std::make_unique<LinkSocket>());
        made->sockets.back()->links = made.get();
        made->sockets.back()->number = i;
    }
    return made;
}

void set_quality(Links &links, size_t client, const LinkQuality &quality)
{
    links.up[client].quality = quality;
    links.down[client].quality = quality;
}

Address address(size_t number)
{
    return loopback(static_cast<uint16_t>(7000 + number));
}

uint64_t wire_bytes(const Link &link)
{
    return link.bytes + link.datagrams * below_udp_bytes;
}

}
}
