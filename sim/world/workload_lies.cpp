// Liars: members that send messages of their own making among those that their sessions send. They
// know the grammar and the game, but not the keys of others. Formats: docs/wire_format.md.
#include "base/bits.h"
#include "sim/world/simulation.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <array>

namespace tern::simulation {

namespace {

struct Lie {
    BitWriter w;
    Dice dice;
    const Replica &r; // The liar's own.
    PeerId to;
};

// --- Parts of messages ---

PeerId any_peer(Lie &lie)
{
    const std::span<const PeerId> ids = lie.r.ids.all();
    const uint64_t drawn = dice::within(lie.dice, 0, ids.size());
    return drawn < ids.size() ? ids[drawn] : static_cast<PeerId>(lie.r.term.last_peer + 1);
}

// Mostly one that the liar knows; else one that may live, be dead, or not be made yet.
ObjectId any_object(Lie &lie)
{
    const uint32_t slots = lie.r.world.slots.count;
    if (slots > 0 && dice::per_mille(lie.dice, 800)) {
        const KnownObject &object = lie.r.world.slots[dice::within(lie.dice, 0, slots - 1u)];
        if (object.id != ObjectId::none) return object.id;
    }
    return object_id::make(any_peer(lie), static_cast<uint32_t>(dice::within(lie.dice, 1, 200)));
}

void write_peer(Lie &lie, PeerId peer)
{
    bits::write(lie.w, static_cast<uint64_t>(peer), 16);
}

void write_object(Lie &lie, ObjectId object)
{
    write_peer(lie, object_id::creator(object));
    bits::write_varint(lie.w, object_id::serial(object));
}

void write_stamp(Lie &lie)
{
    bits::write_varint(lie.w, dice::within(lie.dice, 0, 2));
    write_peer(lie, any_peer(lie));
    bits::write_varint(lie.w, dice::within(lie.dice, 0, 50));
}

void write_place(Lie &lie)
{
    bits::write_varint(lie.w, dice::within(lie.dice, 0, 100));
}

// Nobody but the host can sign.
void write_grant(Lie &lie)
{
    const uint8_t signature[64] = {};
    write_stamp(lie);
    write_peer(lie, any_peer(lie));
    bits::write(lie.w, 1, 8);
    write_object(lie, any_object(lie));
    write_place(lie);
    bits::write_bytes(lie.w, std::as_bytes(std::span(signature)));
}

void write_state(Lie &lie)
{
    const Written value = {};
    const TypeTable &types = *lie.r.types;
    const auto type = static_cast<TypeId>(dice::within(lie.dice, THING, KEPT));
    bits::write(lie.w, type, 8);
    bits::write(lie.w, lie.r.world.tick, 32);
    type_table::write_fields(lie.w, types, type, reinterpret_cast<const std::byte *>(&value),
                             type_table::all_fields(types, type));
}

// A list in which each element comes after a bit 1, and a bit 0 ends it.
template <class Write> void write_list(Lie &lie, Write write)
{
    for (uint64_t left = dice::within(lie.dice, 0, 4); left > 0; --left) {
        bits::write_bool(lie.w, true);
        write();
    }
    bits::write_bool(lie.w, false);
}

void write_gone(Lie &lie)
{
    write_list(lie, [&] {
        write_peer(lie, any_peer(lie));
        bits::write_bool(lie.w, dice::per_mille(lie.dice, 300));
    });
}

// The token of the query that the liar answered last, or of the next one.
uint32_t any_token(Lie &lie)
{
    uint32_t token = static_cast<uint32_t>(dice::within(lie.dice, 0, 3));
    for (const MemberQueue &queue : lie.r.outbox.queues.all())
        if (queue.report_token != 0 && dice::per_mille(lie.dice, 800)) token = queue.report_token;
    return token;
}

// --- Messages ---

void create(Lie &lie)
{
    // Its serials go on, with gaps, so that it makes no object of the session's anew.
    bits::write_varint(lie.w, lie.r.world.serial + 100 + dice::within(lie.dice, 0, 1000));
    write_place(lie);
    write_state(lie);
}

void dead(Lie &lie)
{
    write_list(lie, [&] {
        const bool own = dice::per_mille(lie.dice, 500);
        const ObjectId object =
            own ? object_id::make(lie.r.self,
                                  static_cast<uint32_t>(dice::within(lie.dice, 1000, 9000)))
                : any_object(lie);
        write_object(lie, object);
        bits::write_varint(lie.w, dice::within(lie.dice, 0, 3));
    });
}

void destroy(Lie &lie)
{
    write_object(lie, any_object(lie));
    write_grant(lie);
}

void about_object(Lie &lie)
{
    write_object(lie, any_object(lie));
}

void refusal(Lie &lie)
{
    write_object(lie, any_object(lie));
    bits::write(lie.w, dice::within(lie.dice, 0, 8), 8);
}

void migrate(Lie &lie)
{
    write_grant(lie);
    bits::write(lie.w, 1, 1);
    bits::write(lie.w, lie.r.world.tick, 32);
    write_state(lie);
}

void grant(Lie &lie)
{
    write_grant(lie);
    bits::write(lie.w, 1, 1);
    write_stamp(lie);
    write_state(lie);
}

void query(Lie &lie)
{
    bits::write(lie.w, any_token(lie), 32);
    write_gone(lie);
}

void report_object(Lie &lie)
{
    bits::write(lie.w, any_token(lie), 32);
    write_object(lie, any_object(lie));
    write_stamp(lie);
    write_peer(lie, any_peer(lie));
    write_place(lie);
    write_state(lie);
}

void report(Lie &lie)
{
    bits::write(lie.w, any_token(lie), 32);
    bits::write(lie.w, dice::within(lie.dice, 0, 3), 16);
    bits::write(lie.w, lie.r.term.last_peer, 16);
    for (const Type &type : lie.r.types->types)
        if (type.objects_max > 0)
            bits::write_varint(lie.w, dice::within(lie.dice, 0, type.objects_max));
    write_gone(lie);
}

void about_peer(Lie &lie)
{
    write_peer(lie, any_peer(lie));
}

void relay(Lie &lie)
{
    write_object(lie, any_object(lie));
    write_stamp(lie);
    write_peer(lie, any_peer(lie));
    write_place(lie);
    bits::write(lie.w, lie.r.world.tick, 32);
    write_state(lie);
}

void lease(Lie &lie)
{
    write_list(lie, [&] {
        bits::write_varint(lie.w, dice::within(lie.dice, THING, KEPT));
        bits::write_varint(lie.w, dice::within(lie.dice, 0, 5));
        bits::write_varint(lie.w, dice::within(lie.dice, 0, 40));
        bits::write_varint(lie.w, dice::within(lie.dice, 0, 1));
    });
}

void accuse(Lie &lie)
{
    write_peer(lie, any_peer(lie));
    bits::write(lie.w, dice::within(lie.dice, 1, 15) << 1, breach_kinds);
}

void equivocate(Lie &lie)
{
    write_grant(lie);
    write_grant(lie);
}

void nothing(Lie &) {}

struct Said {
    MessageKind kind;
    void (*write)(Lie &lie);
};
constexpr Said all_said[] = { // Indexed by MessageKind.
    {MessageKind::none, nothing},
    {MessageKind::welcome, about_peer},
    {MessageKind::view, about_peer},
    {MessageKind::create, create},
    {MessageKind::migrate, migrate},
    {MessageKind::destroy, destroy},
    {MessageKind::dead, dead},
    {MessageKind::synced, nothing},
    {MessageKind::caught_up, nothing},
    {MessageKind::claim, about_object},
    {MessageKind::release, about_object},
    {MessageKind::lock, about_object},
    {MessageKind::unlock, about_object},
    {MessageKind::claim_refused, refusal},
    {MessageKind::grant, grant},
    {MessageKind::query, query},
    {MessageKind::report_object, report_object},
    {MessageKind::report, report},
    {MessageKind::dead_wanted, about_peer},
    {MessageKind::relay, relay},
    {MessageKind::lease, lease},
    {MessageKind::accuse, accuse},
    {MessageKind::equivocation, equivocate}};

// While somebody departs, what a liar reports counts most.
bool is_departure(const Replica &r)
{
    const std::span<const Member> members = r.members.all();
    const auto is_fenced = [](const Member &member) { return member.fenced; };
    return std::any_of(members.begin(), members.end(), is_fenced);
}

constexpr MessageKind reports[] = {MessageKind::report_object, MessageKind::dead,
                                   MessageKind::report};

const Said &any_said(Lie &lie)
{
    const bool reports_now = is_departure(lie.r) && dice::per_mille(lie.dice, 700);
    if (!reports_now) return all_said[dice::within(lie.dice, 0, std::size(all_said) - 1)];
    const MessageKind kind = reports[dice::within(lie.dice, 0, std::size(reports) - 1)];
    return all_said[static_cast<size_t>(kind)];
}

// One message, drawn from the value. One in eight has a byte of its own changed, or no end.
size_t write_lie(Lie &lie, std::span<std::byte> buffer)
{
    const Said &said = any_said(lie);
    bits::write(lie.w, static_cast<uint64_t>(said.kind), 8);
    said.write(lie);
    TERN_ASSERT(!bits::overflow(lie.w), "%zu bytes", buffer.size());
    size_t size = bits::size_bytes(lie.w);
    if (dice::per_mille(lie.dice, 125)) {
        const uint64_t at = dice::within(lie.dice, 0, size - 1);
        if (dice::per_mille(lie.dice, 500))
            buffer[at] ^= static_cast<std::byte>(dice::within(lie.dice, 1, 255));
        else
            size = at + 1;
    }
    return size;
}

}

bool tell_lie(Simulation &sim, uint16_t place, const SimChoice &choice)
{
    Session *session = sim.nodes[place].session;
    const PeerId to = sim.nodes[choice.b].self;
    std::array<std::byte, 1024> buffer = {};
    Lie lie = {bits::writer(buffer),
               dice::make(static_cast<uint64_t>(choice.value), Stream::workload, 2000),
               inspect::replica(session), to};
    const size_t size = write_lie(lie, buffer);
    const bool calls = dice::per_mille(lie.dice, 50);
    return inspect::lie(session, to, calls ? StreamId::calls : StreamId::world,
                        std::span(buffer).first(size));
}

void lie_by_chance(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    const uint64_t lies_begin_us = sim.safety_end_us - uint64_t{sim.options.seconds} * 800'000;
    if (!is_liar(sim, place) || sim.now_us < lies_begin_us) return;
    const bool departs = is_departure(inspect::replica(sim.nodes[place].session));
    if (!dice::per_mille(p.workload, departs ? 900 : 100)) return;
    SimChoice choice = {};
    choice.act = Act::lie;
    choice.b = static_cast<uint16_t>(dice::within(p.workload, 0, sim.options.places - 1u));
    choice.value = static_cast<int64_t>(dice::next(p.workload) >> 16);
    if (choice.b != place) act(sim, place, choice);
}

}
