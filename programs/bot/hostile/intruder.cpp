#include "intruder.h"
#include "tern/limits.hpp"
#include <algorithm>

namespace bot::intruder {

using namespace tern;

const Replica &replica(const Intruder &i)
{
    return inspect::replica(i.session);
}

BitWriter begin(Intruder &i, MessageKind kind)
{
    BitWriter w = bits::writer(i.buffer);
    bits::write(w, static_cast<uint64_t>(kind), 8);
    return w;
}

void send(Intruder &i, PeerId to, const BitWriter &w, StreamId stream)
{
    const auto message = std::span<const std::byte>(i.buffer).first(bits::size_bytes(w));
    i.sent += inspect::lie(i.session, to, stream, message);
}

void send_to_all(Intruder &i, const BitWriter &w, StreamId stream)
{
    for (const PeerId to : others(i))
        send(i, to, w, stream);
}

void send_frames(Intruder &i, PeerId to, std::span<const std::byte> frames)
{
    std::array<std::byte, datagram_bytes_max> buffer;
    const Datagram sealed = inspect::seal(i.session, to, frames, buffer);
    if (!sealed.bytes.empty()) send_datagram(i, sealed.address, sealed.bytes);
}

void send_datagram(Intruder &i, const Address &to, std::span<const std::byte> bytes)
{
    const Datagram datagram = {to, bytes};
    i.socket->send({&datagram, 1});
    i.sent += 1;
}

std::vector<PeerId> others(const Intruder &i)
{
    const std::span<const PeerId> all = other_peers(i.session);
    return {all.begin(), all.end()};
}

const KnownObject *foreign_object(Intruder &i)
{
    const auto &slots = replica(i).world.slots;
    const uint64_t first = below(i.random, std::max<uint64_t>(1, slots.count));
    for (uint32_t k = 0; k < slots.count; ++k) {
        const KnownObject &object = slots[static_cast<uint32_t>((first + k) % slots.count)];
        if (object.life == Life::alive && object.owner != local_peer(i.session)) return &object;
    }
    return nullptr;
}

PeerId departing(const Intruder &i)
{
    for (const Member &member : replica(i).members.all())
        if (member.id != PeerId::none && member.fenced) return member.id;
    return PeerId::none;
}

uint32_t take_token(Intruder &i)
{
    for (const MemberQueue &queue : replica(i).outbox.queues.all()) {
        if (queue.report_token == 0 || queue.report_token == i.token) continue;
        i.token = queue.report_token;
        return i.token;
    }
    return 0;
}

// --- Parts of messages ---

static void write_fields(BitWriter &w, Intruder &i, TypeId type)
{
    alignas(16) std::byte value[struct_bytes_max] = {};
    const auto &table = *replica(i).types;
    randomise(i.session, i.types, type, ~uint64_t{0}, value, i.random);
    type_table::normalise(table, type, value);
    type_table::write_fields(w, table, type, value, type_table::all_fields(table, type));
}

void write_state(BitWriter &w, Intruder &i, TypeId type)
{
    bits::write(w, type, 8);
    bits::write(w, replica(i).world.tick, 32);
    write_fields(w, i, type);
}

void write_grant(BitWriter &w, const Intruder &i, const KnownObject &object, PeerId owner)
{
    const std::byte signature[64] = {};
    const Replica &r = replica(i);
    const uint32_t count = stamps::parts(object.stamp).count + 1000;
    messages::write_stamp(w, stamps::make({r.term.number, replica::host(r), count}));
    messages::write_peer(w, owner);
    bits::write(w, 1, 8);
    messages::write_object_id(w, object.id);
    bits::write_varint(w, object.place);
    bits::write_bytes(w, signature);
}

void write_random(BitWriter &w, Intruder &i, uint64_t bytes_max)
{
    for (uint64_t left = 1 + below(i.random, bytes_max); left > 0; --left)
        bits::write(w, below(i.random, 256), 8);
}

// The code of a gap with gap bits of 0.
static void write_gap(BitWriter &w, uint32_t gap)
{
    constexpr uint32_t ones_max = 6;
    bits::write(w, (1u << std::min(gap, ones_max)) - 1, std::min(gap, ones_max));
    if (gap < ones_max) return bits::write_bool(w, false);
    bits::write_varint(w, gap - ones_max);
}

// The head of an object that is not near the one before it, which is serial 0 of the sender.
static void write_whole(BitWriter &w, const Intruder &i, const KnownObject &object)
{
    const bool own = object_id::creator(object.id) == local_peer(i.session);
    const StampParts stamp = stamps::parts(object.stamp);
    bits::write(w, 4, 3); // The form "whole".
    bits::write_bool(w, own);
    if (own)
        bits::write_varint(w, 2 * uint64_t{object_id::serial(object.id) - 1});
    else
        messages::write_object_id(w, object.id);
    bits::write(w, object.stamp == 0 ? 0 : 2, 2);
    if (object.stamp != 0) {
        bits::write_varint(w, stamp.count);
        bits::write_varint(w, stamp.term_number);
        messages::write_peer(w, stamp.host);
    }
    bits::write_bool(w, object.type == 0);
    if (object.type != 0) bits::write(w, object.type, 8);
    bits::write_bool(w, false); // Not hidden.
}

static void write_update(BitWriter &w, Intruder &i, const KnownObject &object)
{
    const bool own = object_id::creator(object.id) == local_peer(i.session);
    bits::write(w, replica(i).world.tick + 1, 32);
    bits::write_bool(w, false); // No ticks of their own.
    bits::write(w, 0, 4);       // Gap bits.
    if (own && object.stamp == 0 && object.type == 0) {
        bits::write(w, 2, 2); // The form "near".
        bits::write_bool(w, false);
        write_gap(w, object_id::serial(object.id) - 1);
    } else {
        write_whole(w, i, object);
    }
    if (i.types[object.type].fields.size() > 1) bits::write(w, 3, 2); // All fields.
    write_fields(w, i, object.type);
    bits::write(w, 0, 3); // The end.
}

std::span<const std::byte> update_frame(Intruder &i, const KnownObject &object,
                                        std::span<std::byte> to)
{
    constexpr size_t updates = 64, longest = 31; // Kinds and lengths of frames.
    BitWriter w = bits::writer(to.subspan(1));
    write_update(w, i, object);
    const size_t size = bits::size_bytes(w);
    to[0] = static_cast<std::byte>(updates + std::min(size, longest));
    return to.first(1 + size);
}

}
