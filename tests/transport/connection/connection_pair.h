// Two connections and a simulated network between them, for tests.
#pragma once
#include "base/random.h"
#include "tern/limits.hpp"
#include "transport/connection/connection_types.h"
#include "transport/connection/packet_codec.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <sodium.h>
#include <string_view>
#include <vector>

namespace connection_test {

using namespace tern;
using Bytes = std::vector<std::byte>;

inline constexpr uint64_t tick_us = 16'667;

inline ConnectionLimits limits()
{
    return {1'000'000, 10'000'000, {100'000, 50'000}};
}

inline Address address(uint8_t last)
{
    Address result{};
    result.ip[15] = last;
    result.port = 7777;
    return result;
}

struct Side {
    std::vector<std::max_align_t> memory;
    Connection *connection;
    PacketRoom room;
    Bytes buffer = Bytes(datagram_bytes_max);
    std::map<uint64_t, int> open_outcomes; // The sent packets without an outcome yet
    std::map<uint64_t, bool> outcomes;
    explicit Side(const ConnectionLimits &limits)
        : memory(connection::size_bytes(limits) / sizeof(std::max_align_t) + 1),
          connection(connection::place(memory.data(), limits))
    {
    }
    Connection &operator*() { return *connection; }
    std::span<const std::byte> state() const { return std::as_bytes(std::span(memory)); }
};

struct Sent {
    uint64_t at_us;
    int to;
    Bytes bytes;
};

struct Network {
    uint64_t latency_us = 30'000;
    uint64_t jitter_us = 0;
    double loss = 0;
    double duplication = 0;
    size_t datagram_bytes_max = SIZE_MAX; // Larger datagrams are lost.
    bool cut[2] = {false, false};         // All datagrams to side 0, or to side 1, are lost.
};

struct Pair {
    Side side[2];
    Random random;
    Network network;
    uint64_t now_us = 1'000'000;
    std::vector<Sent> wire;
    std::vector<Sent> log; // All datagrams ever sent
    uint64_t bad = 0;
    bool accept[2] = {true, true};

    explicit Pair(uint64_t seed = 1, const ConnectionLimits &limit = limits(),
                  Cipher cipher = Cipher::chacha20_poly1305)
        : side{Side(limit), Side(limit)}, random(random::from_seed(seed))
    {
        DataKeys keys{};
        keys.cipher = cipher;
        for (size_t i = 0; i < 32; i += 1) {
            keys.send[i] = static_cast<uint8_t>(i);
            keys.receive[i] = static_cast<uint8_t>(100 + i);
        }
        connection::open(*side[0], keys, 0xaabbccdd, address(2), now_us);
        std::swap(keys.send, keys.receive);
        connection::open(*side[1], keys, 0x11223344, address(1), now_us);
    }

    void skip(uint64_t from_0, uint64_t from_1)
    {
        connection::skip_numbers(*side[0], from_0, from_1);
        connection::skip_numbers(*side[1], from_1, from_0);
    }

    // Opens window and pace wide, as if a link without bounds had been measured.
    void open_window(int at)
    {
        side[at].connection->_congestion._window_bytes = 16 * 1024 * 1024;
        side[at].connection->_pace = pace::make(UINT32_MAX, now_us);
    }

    void put_on_wire(int from, std::span<const std::byte> bytes)
    {
        const Sent sent{now_us, 1 - from, Bytes(bytes.begin(), bytes.end())};
        log.push_back(sent);
        for (int copies = 1 + random::chance(random, network.duplication); copies > 0;
             copies -= 1) {
            Sent copy = sent;
            copy.at_us += network.latency_us;
            if (network.jitter_us > 0) copy.at_us += random::below(random, network.jitter_us);
            if (bytes.size() > network.datagram_bytes_max) continue;
            if (!network.cut[copy.to] && !random::chance(random, network.loss))
                wire.push_back(copy);
        }
    }

    // Sends one packet with whatever is due and these unreliable messages. Returns its number, or
    // `nothing` if there was nothing to send.
    static constexpr uint64_t nothing = UINT64_MAX;
    uint64_t send_packet(int from, const std::vector<Bytes> &unreliable = {},
                         size_t stream_bytes_max = datagram_bytes_max)
    {
        Connection &c = *side[from];
        Packet packet = connection::begin_packet(c, side[from].buffer, stream_bytes_max, now_us);
        for (const Bytes &message : unreliable) {
            const std::span<std::byte> room = connection::unreliable_room(packet);
            if (room.size() < message.size()) break;
            std::memcpy(room.data(), message.data(), message.size());
            connection::add_unreliable(packet, UnreliableKind::updates, message.size());
        }
        const std::span<const std::byte> datagram = connection::finish_packet(c, packet, now_us);
        if (datagram.empty()) return nothing;
        side[from].open_outcomes[packet.number] = 1;
        put_on_wire(from, datagram);
        return packet.number;
    }

    OpenedPacket open(int at, const Bytes &bytes)
    {
        return connection::open_packet(*side[at], bytes, side[at].room);
    }

    bool deliver(int at, const Bytes &bytes)
    {
        const OpenedPacket packet = open(at, bytes);
        if (packet.opening != Opening::ok) {
            bad += packet.opening != Opening::replayed;
            return false;
        }
        if (accept[at]) connection::accept(*side[at], packet, now_us);
        return true;
    }

    void receive_all()
    {
        std::stable_sort(wire.begin(), wire.end(),
                         [](const Sent &a, const Sent &b) { return a.at_us < b.at_us; });
        size_t count = 0;
        for (; count < wire.size() && wire[count].at_us <= now_us; count += 1)
            deliver(wire[count].to, wire[count].bytes);
        wire.erase(wire.begin(), wire.begin() + static_cast<ptrdiff_t>(count));
    }

    // Takes all packet outcomes. Returns false if one is of a packet that was not sent, or that
    // already had an outcome.
    bool take_packet_outcomes(int at)
    {
        bool right = true;
        for (PacketOutcome outcome; connection::take_packet_outcome(*side[at], outcome);) {
            right &= side[at].open_outcomes.erase(outcome.packet) == 1;
            side[at].outcomes[outcome.packet] = outcome.acked;
        }
        return right;
    }

    void send_due(int from)
    {
        while (connection::has_budget(*side[from], now_us) &&
               connection::wants_packet(*side[from], now_us))
            send_packet(from);
    }

    bool tick()
    {
        now_us += tick_us;
        receive_all();
        bool right = true;
        for (int i : {0, 1}) {
            connection::update(*side[i], now_us);
            right &= take_packet_outcomes(i);
        }
        for (int i : {0, 1})
            send_due(i);
        return right;
    }

    bool run(uint64_t duration_us)
    {
        bool right = true;
        for (const uint64_t end_us = now_us + duration_us; now_us < end_us;)
            right &= tick();
        return right;
    }

    // A datagram with this content, sealed with the keys of side `from`.
    static Bytes sealed(int from, uint64_t number, const Bytes &content)
    {
        uint8_t key[32];
        for (size_t i = 0; i < 32; i += 1)
            key[i] = static_cast<uint8_t>(from == 0 ? i : 100 + i);
        return sealed(key, number, content);
    }

    static Bytes sealed(const uint8_t (&key)[32], uint64_t number, const Bytes &content)
    {
        Bytes datagram(data_header_bytes + content.size() + tag_bytes);
        datagram[0] = std::byte{4};
        for (size_t i = 0; i < 4; i += 1)
            datagram[5 + i] = static_cast<std::byte>(number >> 8 * i);
        unsigned char nonce[12] = {};
        for (size_t i = 0; i < 8; i += 1)
            nonce[4 + i] = static_cast<unsigned char>(number >> 8 * i);
        auto *at = reinterpret_cast<unsigned char *>(datagram.data());
        crypto_aead_chacha20poly1305_ietf_encrypt(
            at + data_header_bytes, nullptr,
            reinterpret_cast<const unsigned char *>(content.data()), content.size(), at,
            data_header_bytes, nullptr, nonce, key);
        return datagram;
    }
};

inline Bytes text(std::string_view characters)
{
    const std::span<const std::byte> bytes =
        std::as_bytes(std::span(characters.data(), characters.size()));
    return {bytes.begin(), bytes.end()};
}

// A message that can be recognized: its number, and bytes that depend on the number.
inline Bytes numbered(uint32_t number, size_t size)
{
    Bytes bytes(std::max<size_t>(size, 4));
    for (size_t i = 0; i < bytes.size(); i += 1)
        bytes[i] = static_cast<std::byte>(i < 4 ? number >> 8 * i : number * 7 + i);
    return bytes;
}

}
