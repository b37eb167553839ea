// Two connections over a network that loses, duplicates, reorders and alters datagrams as the input
// chooses. Messages arrive whole, in order and once. Each packet has one outcome. Once loss stops,
// all queued messages arrive.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "tern/limits.hpp"
#include "transport/connection/connection.h"
#include <cstddef>
#include <cstring>
#include <vector>

namespace tern::fuzz {

namespace {

constexpr size_t wire_max = 48;      // Datagrams in flight; further ones are lost.
constexpr size_t messages_max = 512; // On each stream.
constexpr uint64_t tick_us = 20'000;

struct Mail {
    size_t to;
    size_t size_bytes;
    std::byte bytes[datagram_bytes_max];
};

struct Stream { // From one side to the other.
    uint16_t sizes[messages_max];
    size_t said, heard;
};

struct Side {
    std::vector<std::max_align_t> memory;
    Connection *connection;

    std::vector<bool> outcomes; // For each packet number: its outcome has been reported.
    Stream streams[stream_count];
};

struct Pair {
    Side sides[2];
    Mail wire[wire_max];
    size_t wire_count;
    uint64_t now_us;
    PacketRoom room;
};

// The content of each message is a part of the same byte sequence.
std::span<const std::byte> content(size_t message, size_t size)
{
    static const std::vector<std::byte> bytes = [] {
        std::vector<std::byte> made(stream_message_bytes_max + 256);
        for (size_t i = 0; i < made.size(); ++i)
            made[i] = static_cast<std::byte>(i * 5 + i / 256);
        return made;
    }();
    return std::span(bytes).subspan(message * 13 % 256, size);
}

// --- One side ---

void check_packet_outcomes(Side &side)
{
    for (PacketOutcome outcome; connection::take_packet_outcome(*side.connection, outcome);) {
        TERN_ASSERT(outcome.packet < side.outcomes.size() && !side.outcomes[outcome.packet],
                    "packet %llu of %zu has a second fate, or was never sent",
                    static_cast<unsigned long long>(outcome.packet), side.outcomes.size());
        side.outcomes[outcome.packet] = true;
    }
}

void say(Side &side, StreamId stream, size_t size)
{
    Stream &s = side.streams[static_cast<size_t>(stream)];
    if (s.said == messages_max) return;
    const bool room = connection::queue_room_bytes(*side.connection, stream) >= size;
    const bool queued = connection::queue_message(*side.connection, stream, content(s.said, size));
    TERN_ASSERT(queued == room, "%zu bytes: queued %d, room %d", size, queued, room);
    if (!queued) return;
    s.sizes[s.said] = static_cast<uint16_t>(size);
    s.said += 1;
}

void hear(Pair &pair, size_t at, StreamId stream)
{
    Connection &c = *pair.sides[at].connection;
    Stream &s = pair.sides[1 - at].streams[static_cast<size_t>(stream)];
    for (;;) {
        const std::span<const std::byte> message = connection::peek_message(c, stream);
        if (message.empty()) return;
        TERN_ASSERT(s.heard < s.said && message.size() == s.sizes[s.heard],
                    "message %zu of %zu has %zu bytes", s.heard, s.said, message.size());
        const std::span<const std::byte> right = content(s.heard, message.size());
        TERN_ASSERT(std::memcmp(message.data(), right.data(), right.size()) == 0,
                    "message %zu of %zu bytes came otherwise", s.heard, right.size());
        s.heard += 1;
        connection::consume_message(c, stream);
    }
}

void hear_all(Pair &pair, size_t at)
{
    hear(pair, at, StreamId::world);
    hear(pair, at, StreamId::calls);
}

// --- The network ---

void send(Pair &pair, size_t from, bool forced, size_t unreliable_bytes)
{
    Side &side = pair.sides[from];
    Connection &c = *side.connection;
    if (!connection::has_budget(c, pair.now_us)) return;
    if (!forced && !connection::wants_packet(c, pair.now_us)) return;
    Mail lost;
    Mail &mail = pair.wire_count == wire_max ? lost : pair.wire[pair.wire_count];
    Packet packet = connection::begin_packet(c, mail.bytes, datagram_bytes_max, pair.now_us);
    const std::span<std::byte> room = connection::unreliable_room(packet);
    unreliable_bytes = std::min(unreliable_bytes, room.size());
    if (unreliable_bytes > 0) {
        std::memset(room.data(), static_cast<int>(packet.number & 127), unreliable_bytes);
        connection::add_unreliable(packet, UnreliableKind::updates, unreliable_bytes);
    }
    TERN_ASSERT(packet.number == side.outcomes.size(), "packet %llu after %zu",
                static_cast<unsigned long long>(packet.number), side.outcomes.size());
    const std::span<const std::byte> sealed = connection::finish_packet(c, packet, pair.now_us);
    if (sealed.empty()) return;
    side.outcomes.push_back(false);
    mail.to = 1 - from;
    mail.size_bytes = sealed.size();
    if (pair.wire_count < wire_max) pair.wire_count += 1;
}

// Opens the packet and accepts it unless `refused`.
Opening arrive(Pair &pair, const Mail &mail, bool refused)
{
    Side &side = pair.sides[mail.to];
    const OpenedPacket packet = connection::open_packet(
        *side.connection, std::span(mail.bytes).first(mail.size_bytes), pair.room);
    if (packet.opening != Opening::ok || refused) return packet.opening;
    for (size_t i = 0; i < packet.unreliable_count; ++i)
        for (const std::byte byte : packet.unreliable[i].bytes)
            TERN_ASSERT(byte == static_cast<std::byte>(packet.number & 127), "packet %llu",
                        static_cast<unsigned long long>(packet.number));
    connection::accept(*side.connection, packet, pair.now_us);
    const OpenedPacket again = connection::open_packet(
        *side.connection, std::span(mail.bytes).first(mail.size_bytes), pair.room);
    TERN_ASSERT(again.opening == Opening::replayed, "packet %llu is accepted twice",
                static_cast<unsigned long long>(packet.number));
    return Opening::ok;
}

void take_off(Pair &pair, size_t i)
{
    pair.wire_count -= 1;
    if (i == pair.wire_count) return;
    std::memmove(&pair.wire[i], &pair.wire[i + 1], (pair.wire_count - i) * sizeof(Mail));
}

void falsify(Pair &pair, const Mail &mail, uint16_t how)
{
    Mail bad = mail;
    const size_t bit = how % (mail.size_bytes * 8);
    bad.bytes[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    if (bit / 8 >= 1 && bit / 8 < 5) return; // The endpoint checks the receiver id, not the AEAD.
    const Opening opening = arrive(pair, bad, false);
    TERN_ASSERT(opening != Opening::ok, "bit %zu of %zu bytes does not matter", bit,
                mail.size_bytes);
}

void update(Pair &pair, uint64_t duration_us)
{
    pair.now_us += duration_us;
    for (Side &side : pair.sides) {
        connection::update(*side.connection, pair.now_us);
        check_packet_outcomes(side);
        const ConnectionState state = connection::state(*side.connection);
        TERN_ASSERT(state == ConnectionState::open, "link %d", static_cast<int>(state));
    }
}

void step(Pair &pair, Input &in)
{
    const uint8_t what = input::u8(in);
    const size_t at = what >> 3 & 1;
    const size_t chosen = pair.wire_count == 0 ? 0 : (what >> 4) % pair.wire_count;
    switch (what & 7) {
    case 0: {
        const uint8_t size = input::u8(in);
        const auto stream = static_cast<StreamId>(what >> 4 & 1);
        return say(
            pair.sides[at], stream,
            std::min<size_t>(1u + size * ((what & 32) != 0 ? 65u : 1u), stream_message_bytes_max));
    }
    case 1:
        update(pair, input::u8(in) * ((what & 16) != 0 ? 4'000ull : 250ull));
        for (size_t i = 0; i < 4u + (what >> 5); ++i)
            send(pair, i % 2, false, 0);
        return;
    case 2: return send(pair, at, true, what >> 4);
    case 3: return hear_all(pair, at);
    default: break;
    }
    if (pair.wire_count == 0) return;
    if ((what & 7) == 4 || (what & 7) == 7) {
        arrive(pair, pair.wire[chosen], false);
        take_off(pair, chosen);
    } else if ((what & 7) == 5) {
        if (at == 0) return take_off(pair, chosen); // Lost.
        arrive(pair, pair.wire[chosen], false);     // Duplicated: it stays on the wire.
    } else {
        if (at == 0) return falsify(pair, pair.wire[chosen], input::u16(in));
        arrive(pair, pair.wire[chosen], true); // Opened, but not accepted.
    }
}

bool all_is_said(const Pair &pair)
{
    for (const Side &side : pair.sides)
        for (size_t i = 0; i < stream_count; ++i) {
            const auto stream = static_cast<StreamId>(i);
            if (side.streams[i].heard != side.streams[i].said ||
                connection::acked_offset(*side.connection, stream) !=
                    connection::queued_offset(*side.connection, stream))
                return false;
        }
    return true;
}

// Without further loss, everything arrives within a bounded time.
void settle(Pair &pair)
{
    constexpr int ticks_max = 20'000; // 400 s; the longest probe timeout is 64 s.
    for (int i = 0; i < ticks_max && !all_is_said(pair); ++i) {
        while (pair.wire_count > 0) {
            arrive(pair, pair.wire[0], false);
            take_off(pair, 0);
        }
        hear_all(pair, 0);
        hear_all(pair, 1);
        update(pair, tick_us);
        for (size_t k = 0; k < 16; ++k)
            send(pair, k % 2, false, 0);
    }
    TERN_ASSERT(all_is_said(pair), "not all has arrived: heard %zu of %zu, %zu of %zu",
                pair.sides[0].streams[0].heard, pair.sides[0].streams[0].said,
                pair.sides[1].streams[0].heard, pair.sides[1].streams[0].said);
}

// The memory is reused for each input; open() resets the connections.
Pair &fresh()
{
    static Pair pair;
    const ConnectionLimits limits = {1'000'000, UINT32_MAX, {32 * 1024, 17 * 1024}};
    DataKeys keys = {{1}, {2}, Cipher::chacha20_poly1305};
    pair.wire_count = 0;
    pair.now_us = 1'000'000;
    for (Side &side : pair.sides) {
        if (side.memory.empty()) {
            side.memory.resize(connection::size_bytes(limits) / sizeof(std::max_align_t) + 1);
            side.connection = connection::place(side.memory.data(), limits);
        }
        side.outcomes.clear();
        for (Stream &stream : side.streams)
            stream.said = stream.heard = 0;
        connection::open(*side.connection, keys, 7, {{}, 1}, pair.now_us);
        std::swap(keys.send, keys.receive);
    }
    return pair;
}

}

void fuzz_streams(std::span<const uint8_t> data)
{
    Input in = {data};
    Pair &pair = fresh();
    for (int steps = 0; steps < 200 && !input::empty(in); ++steps)
        step(pair, in);
    settle(pair);
}

}
