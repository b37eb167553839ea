#include "fuzz/support/lies.h"
#include "migration/messages.h"
#include "migration/roster.h"
#include "tern/diagnostics.hpp"
#include <iterator>

namespace tern::fuzz::lies {

namespace {

struct Lie {
    BitWriter w;
    Input &in;
    Arena &a;
    const Replica &r;                   // The hostile member's own.
    const KnownObject *about = nullptr; // The last object that it has named and knows.
};

// --- Parts of messages ---

// A small byte is the number itself, a larger one that many times 2^k.
uint32_t any_number(Lie &lie)
{
    const uint32_t byte = input::u8(lie.in);
    if (byte < 224) return byte % 32;
    return byte == 255 ? input::u32(lie.in) : 1u << (byte - 224);
}

PeerId any_peer(Lie &lie)
{
    const uint8_t which = input::u8(lie.in);
    if (which % 8 < arena_peers) return lie.a.now.ids[which % 8];
    if (which % 8 < 7) return static_cast<PeerId>(lie.r.term.last_peer + which % 8 - 3);
    return static_cast<PeerId>(input::u16(lie.in));
}

const KnownObject *any_known(Lie &lie, uint8_t which)
{
    const World &world = lie.r.world;
    if (world.slots.count == 0) return nullptr;
    const KnownObject &object = world.slots[which % world.slots.count];
    return object.id == ObjectId::none ? nullptr : &object;
}

ObjectId any_object(Lie &lie)
{
    const uint8_t which = input::u8(lie.in);
    const KnownObject *known = which < 192 ? any_known(lie, which) : nullptr;
    lie.about = known;
    if (known) return known->id;
    const PeerId creator = any_peer(lie);
    return object_id::make(creator, any_number(lie));
}

Stamp any_stamp(Lie &lie)
{
    const uint8_t which = input::u8(lie.in);
    if (which < 32) return 0;
    if (which < 192) {
        const KnownObject *known = any_known(lie, which);
        return known ? known->stamp + which / 64 % 2 : 0;
    }
    const auto term = static_cast<uint16_t>(any_number(lie));
    const PeerId host = any_peer(lie);
    return stamps::make({term, host, any_number(lie)});
}

// Mostly those of the object that it has named.
TypeId any_type(Lie &lie)
{
    const uint8_t which = input::u8(lie.in);
    return lie.about && which < 192 ? lie.about->type : static_cast<TypeId>(which % (GLIDE + 1));
}

uint32_t any_place(Lie &lie)
{
    const uint8_t which = input::u8(lie.in);
    return lie.about && which < 192 ? lie.about->place : which;
}

// A value in which only the first fields differ from 0, or what the input has.
void write_fields(Lie &lie, TypeId type)
{
    alignas(16) std::byte value[sizeof(Ball)] = {};
    value[0] = static_cast<std::byte>(input::u8(lie.in));
    const TypeTable &types = *lie.r.types;
    type_table::write_fields(lie.w, types, type, value, type_table::all_fields(types, type));
}

void write_state(Lie &lie, TypeId type)
{
    bits::write(lie.w, type, 8);
    bits::write(lie.w, lie.r.world.tick + input::u8(lie.in) % 8, 32);
    write_fields(lie, type);
}

void write_state(Lie &lie)
{
    write_state(lie, any_type(lie));
}

// One that a host has signed, or one that is made up; perhaps with another part changed.
Grant any_grant(Lie &lie)
{
    const uint8_t which = input::u8(lie.in);
    Grant grant = {};
    const Flat<Grant> &known = lie.r.granting.all;
    if (which < 192 && known.count > 0) grant = known[which / 8 % known.count];
    if (which < 192 && grant.object_count > 0) {
        const ObjectSlot slot = world::find_alive(lie.r.world, grant.objects[0]);
        lie.about = slot == no_slot ? nullptr : &lie.r.world.slots[slot];
        if (which % 8 == 1) grant.owner = any_peer(lie);
        if (which % 8 == 2) grant.stamp = any_stamp(lie);
        if (which % 8 == 3) grant.objects[0] = any_object(lie);
        if (which % 8 == 4) grant.places[0] = any_place(lie);
        return grant;
    }
    grant.stamp = any_stamp(lie);
    grant.owner = any_peer(lie);
    grant.object_count = static_cast<uint16_t>(1 + which % 3);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        grant.objects[i] = any_object(lie);
        grant.places[i] = any_place(lie);
    }
    return grant;
}

template <class Write> void write_list(Lie &lie, Write write)
{
    for (uint8_t left = input::u8(lie.in) % 4; left > 0; --left) {
        bits::write_bool(lie.w, true);
        write();
    }
    bits::write_bool(lie.w, false);
}

void write_gone(Lie &lie)
{
    write_list(lie, [&] {
        messages::write_peer(lie.w, any_peer(lie));
        bits::write_bool(lie.w, input::u8(lie.in) % 2 != 0);
    });
}

// The token of the host's present query, mostly; it could be guessed.
void write_token(Lie &lie)
{
    const uint8_t which = input::u8(lie.in);
    const uint32_t present = lie.a.peers[0]->replica->term.query_token;
    bits::write(lie.w, which < 192 ? present : present + which % 4 - 1, 32);
}

void write_tenure(Lie &lie)
{
    messages::write_object_id(lie.w, any_object(lie));
    messages::write_stamp(lie.w, any_stamp(lie));
    messages::write_peer(lie.w, any_peer(lie));
    bits::write_varint(lie.w, any_place(lie));
}

// --- Messages ---

void write_roster(Lie &lie)
{
    // As the hostile member knows it, but for a byte that write_message() may change.
    roster::write(lie.w, lie.r, input::u8(lie.in));
}

void welcome(Lie &lie)
{
    messages::write_peer(lie.w, any_peer(lie));
    bits::write_varint(lie.w, any_number(lie));
    bits::write(lie.w, 0, 8);
    write_roster(lie);
}

// Its serial goes on, or is one that there was.
void create(Lie &lie)
{
    const uint32_t more = any_number(lie);
    bits::write_varint(lie.w, more < 24 ? lie.r.world.serial + 1 + more : 1 + more % 32);
    bits::write_varint(lie.w, any_place(lie));
    const TypeId type = any_type(lie);
    lie.a.now.glides += type == GLIDE;
    write_state(lie, type == GLIDE && lie.a.now.glides > lying_glides_max ? TypeId{BALL} : type);
}

void migrate(Lie &lie)
{
    const Grant grant = any_grant(lie);
    messages::write_grant(lie.w, grant);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        const bool has_state = input::u8(lie.in) % 4 != 0;
        bits::write_bool(lie.w, has_state);
        if (!has_state) continue;
        bits::write(lie.w, any_number(lie), 32);
        write_state(lie);
    }
}

void grant(Lie &lie)
{
    const Grant grant = any_grant(lie);
    messages::write_grant(lie.w, grant);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        bits::write_bool(lie.w, true);
        messages::write_stamp(lie.w, any_stamp(lie));
        write_state(lie);
    }
}

void destroy(Lie &lie)
{
    const Grant grant = any_grant(lie);
    const bool is_named = input::u8(lie.in) % 4 != 0;
    messages::write_object_id(lie.w, is_named ? grant.objects[0] : any_object(lie));
    messages::write_grant(lie.w, grant);
}

void dead(Lie &lie)
{
    write_list(lie, [&] {
        messages::write_object_id(lie.w, any_object(lie));
        const uint32_t further = input::u8(lie.in);
        bits::write_varint(lie.w, further < 128 ? further % 4 : 1u << further % 32);
    });
}

void about_object(Lie &lie)
{
    messages::write_object_id(lie.w, any_object(lie));
}

void refusal(Lie &lie)
{
    about_object(lie);
    bits::write(lie.w, input::u8(lie.in) % 9, 8);
}

void query(Lie &lie)
{
    write_token(lie);
    write_gone(lie);
}

void report_object(Lie &lie)
{
    write_token(lie);
    write_tenure(lie);
    write_state(lie);
}

void report(Lie &lie)
{
    write_token(lie);
    bits::write(lie.w, (lie.r.term.number_max + any_number(lie)) & UINT16_MAX, 16);
    bits::write(lie.w, (lie.r.term.last_peer + any_number(lie)) & UINT16_MAX, 16);
    for (const Type &type : lie.r.types->types)
        if (type.objects_max > 0) bits::write_varint(lie.w, any_number(lie));
    write_gone(lie);
}

void about_peer(Lie &lie)
{
    messages::write_peer(lie.w, any_peer(lie));
}

void relay(Lie &lie)
{
    write_tenure(lie);
    bits::write(lie.w, any_number(lie), 32);
    write_state(lie);
}

void lease(Lie &lie)
{
    write_list(lie, [&] {
        bits::write_varint(lie.w, any_type(lie));
        for (int i = 0; i < 3; ++i)
            bits::write_varint(lie.w, any_number(lie));
    });
}

void accuse(Lie &lie)
{
    messages::write_peer(lie.w, any_peer(lie));
    bits::write(lie.w, input::u8(lie.in) % 32, breach_kinds);
}

// Half of the time both have one stamp.
void equivocate(Lie &lie)
{
    Grant first = any_grant(lie), second = any_grant(lie);
    if (input::u8(lie.in) % 2 == 0) second.stamp = first.stamp;
    messages::write_grant(lie.w, first);
    messages::write_grant(lie.w, second);
}

void meet(Lie &lie)
{
    bits::write(lie.w, any_number(lie) & UINT16_MAX, 16);
    bits::write(lie.w, any_number(lie) & UINT16_MAX, 16);
}

void nothing(Lie &) {}

constexpr struct {
    uint8_t kind;
    void (*write)(Lie &lie);
} kinds[] = { // The numbers of MessageKind, and MEET.
    {1, welcome},      {2, write_roster},  {3, create},        {4, migrate},
    {5, destroy},      {6, dead},          {7, nothing},       {8, nothing},
    {9, about_object}, {10, about_object}, {11, about_object}, {12, about_object},
    {13, refusal},     {14, grant},        {15, query},        {16, report_object},
    {17, report},      {18, about_peer},   {19, relay},        {20, lease},
    {21, accuse},      {22, equivocate},   {0x42, meet}};

// Changes a byte of the message, or ends it early.
size_t spoil(Input &in, std::span<std::byte> message)
{
    const uint8_t how = input::u8(in);
    if (how < 192 || message.empty()) return message.size();
    const size_t at = input::u8(in) % message.size();
    if (how < 208) return at + 1;
    message[at] ^= static_cast<std::byte>(input::u8(in));
    return message.size();
}

Lie begin(Arena &a, Input &in, std::span<std::byte> buffer)
{
    std::fill(buffer.begin(), buffer.end(), std::byte{0});
    return {bits::writer(buffer), in, a, *a.peers[hostile]->replica};
}

size_t end(Lie &lie, std::span<std::byte> buffer)
{
    TERN_ASSERT(!bits::overflow(lie.w), "%zu bytes", buffer.size());
    return spoil(lie.in, buffer.first(bits::size_bytes(lie.w)));
}

}

size_t write_message(Arena &a, Input &in, std::span<std::byte> buffer)
{
    Lie lie = begin(a, in, buffer);
    const auto &said = kinds[input::u8(in) % std::size(kinds)];
    bits::write(lie.w, said.kind, 8);
    said.write(lie);
    return end(lie, buffer);
}

size_t write_call(Arena &a, Input &in, std::span<std::byte> buffer)
{
    Lie lie = begin(a, in, buffer);
    if (lie.r.rules.topology == Topology::star) messages::write_peer(lie.w, any_peer(lie));
    const unsigned kind = input::u8(in) % 6;
    const TypeId type = static_cast<TypeId>(SHOUT + input::u8(in) % 3);
    bits::write(lie.w, kind, 3);
    bits::write(lie.w, type, 8);
    if (kind >= 1) bits::write(lie.w, any_number(lie), 32);
    if (kind == 2 || kind == 3) bits::write(lie.w, input::u8(in) % 2, 1);
    if (kind == 2) bits::write(lie.w, static_cast<uint64_t>(any_object(lie)), 48);
    if (kind == 2) bits::write(lie.w, any_stamp(lie), 64);
    if (kind <= 3 && type == ORDER) bits::write(lie.w, any_stamp(lie), 64);
    if (kind == 5)
        bits::write(lie.w, input::u8(in) % 4, 2);
    else
        bits::write(lie.w, static_cast<uint64_t>(any_object(lie)), 48);
    return end(lie, buffer);
}

// Each object has the form "whole", and all of its fields.
size_t write_update(Arena &a, Input &in, std::span<std::byte> buffer)
{
    Lie lie = begin(a, in, buffer);
    BitWriter &w = lie.w;
    bits::write(w, lie.r.world.tick + input::u8(in) % 8, 32);
    bits::write(w, 0, 1 + 4); // One tick for all; no bits of gaps.
    const ObjectId object = any_object(lie);
    const uint32_t serial = object_id::serial(object);
    bits::write(w, 4, 3);
    const bool is_own = object_id::creator(object) == a.now.ids[hostile];
    bits::write_bool(w, is_own);
    if (!is_own) messages::write_peer(w, object_id::creator(object));
    bits::write_varint(w, is_own && serial > 0 ? 2 * (uint64_t{serial} - 1) : serial);
    const StampParts stamp = stamps::parts(any_stamp(lie));
    bits::write(w, stamp.term_number == 0 ? 0 : 2, 2);
    if (stamp.term_number != 0) {
        bits::write_varint(w, stamp.count);
        bits::write_varint(w, stamp.term_number);
        messages::write_peer(w, stamp.host);
    }
    const TypeId type = any_type(lie);
    bits::write_bool(w, type == 0);
    if (type != 0) bits::write(w, type, 8);
    const bool is_hidden = input::u8(in) % 8 == 7;
    bits::write_bool(w, is_hidden);
    if (!is_hidden) bits::write(w, 3, 2);
    if (!is_hidden) write_fields(lie, type);
    bits::write(w, 0, 3);
    return end(lie, buffer);
}

}
