// Endpoints for the handshake targets, and the datagrams that they send. Endpoints are reused for
// each input, because making one costs more than a handshake.
#pragma once
#include "fuzz/support/chance.h"
#include "tern/limits.hpp"
#include "transport/endpoint.h"
#include "transport/handshake/handshake.h"
#include <vector>

namespace tern::fuzz {

inline constexpr uint64_t fuzz_session = 77;
inline constexpr uint8_t right_secret[32] = {1, 2, 3};
inline constexpr uint8_t wrong_secret[32] = {3, 2, 1};
inline constexpr uint16_t fuzz_connections_max = 2;

inline Address numbered_address(size_t number)
{
    Address address = {};
    address.ip[10] = address.ip[11] = 0xff;
    address.ip[12] = 10;
    address.ip[15] = static_cast<uint8_t>(number);
    address.port = 7000;
    return address;
}

inline Endpoint *make_fuzz_endpoint(const KeyPair &keys, const uint8_t (&secret)[32])
{
    EndpointLimits limits = {};
    limits.connections_max = fuzz_connections_max;
    limits.connection = {1'000'000, 10'000'000, {17 * 1024, 17 * 1024}};
    limits.handshake_timeout_us = 5'000'000;
    Endpoint *e = endpoint::make_endpoint(limits, keys);
    endpoint::enter(*e, fuzz_session, secret);
    return e;
}

struct FuzzDatagramBuffer {
    std::vector<std::byte> bytes = std::vector<std::byte>(64 * datagram_bytes_max);
    std::vector<Datagram> datagrams = std::vector<Datagram>(64);
    DatagramBuffer datagram_buffer = {bytes, datagrams, 0};
};

// Returns the handshake datagrams due now; valid until the next call.
inline std::span<const Datagram> handshakes_due(Endpoint &e, uint64_t now_us)
{
    static FuzzDatagramBuffer out;
    out.datagram_buffer.count = 0;
    endpoint::send_handshakes(e, out.datagram_buffer, now_us);
    return out.datagram_buffer.datagrams.first(out.datagram_buffer.count);
}

// Restores an endpoint to its state after make_fuzz_endpoint(): frees all connections, and moves
// the time forward until all other state has expired. Returns the new time.
inline uint64_t forget_all(Endpoint &e, uint64_t now_us)
{
    for (ConnectionIndex i = 0; i < fuzz_connections_max; ++i)
        endpoint::free_connection(e, i);
    now_us += 3'600'000'000;
    while (!handshakes_due(e, now_us).empty()) {
    }
    return now_us;
}

}
