#include "migration/roster.h"
#include "migration/messages.h"

namespace tern::roster {
void write(BitWriter &w, const Replica &r, uint32_t known)
{
    bits::write(w, r.term.view, 32);
    bits::write(w, r.term.number, 16);
    bits::write(w, r.term.last_peer, 16);
    bits::write(w, r.order.count, 16);
    auto before = PeerId::none;
    for (const uint16_t slot : r.order.all()) {
        const Member &member = r.members[slot];
        const bool next = static_cast<uint32_t>(member.id) == static_cast<uint32_t>(before) + 1;
        bits::write_bool(w, next);
        if (!next) messages::write_peer(w, member.id);
        bits::write_bool(w, member.votes);
        if (member.votes) bits::write_bool(w, member.vote_is_new);
        const bool is_known = known != 0 && member.since_view <= known;
        bits::write_bool(w, !is_known);
        if (!is_known) messages::write_identity(w, member.identity);
        before = member.id;
    }
}

// Every list has only one valid form: ids ascend, and the id next to the last one is never written.
static Listed read_next(BitReader &reader, PeerId before)
{
    Listed listed = {};
    const uint32_t next = static_cast<uint32_t>(before) + 1;
    if (bits::read_bool(reader)) {
        listed.id = static_cast<PeerId>(next);
        if (listed.id == PeerId::everyone) bits::fail(reader);
    } else {
        listed.id = messages::read_peer(reader);
        if (static_cast<uint32_t>(listed.id) <= next) bits::fail(reader);
    }
    listed.votes = bits::read_bool(reader);
    listed.vote_is_new = listed.votes && bits::read_bool(reader);
    listed.has_identity = bits::read_bool(reader);
    if (listed.has_identity) messages::read_identity(reader, listed.identity);
    return listed;
}

Roster read(BitReader &reader, Replica &r, PeerId self)
{
    Roster roster = {};
    roster.view = static_cast<uint32_t>(bits::read(reader, 32));
    roster.term_number = static_cast<uint16_t>(bits::read(reader, 16));
    roster.last_peer = static_cast<uint16_t>(bits::read(reader, 16));
    const auto count = static_cast<uint32_t>(bits::read(reader, 16));
    if (count == 0 || count > r.members.count) bits::fail(reader);
    auto before = PeerId::none;
    bool self_there = false;
    for (uint32_t i = 0; i < count && !bits::failed(reader); ++i) {
        const Listed listed = read_next(reader, before);
        self_there |= listed.id == self;
        const bool known = replica::find_member(r, listed.id) != no_member;
        if (!listed.has_identity && !known) bits::fail(reader);
        r.arrived.members[i] = listed;
        before = listed.id;
    }
    if (!self_there || static_cast<uint16_t>(before) > roster.last_peer) bits::fail(reader);
    if (bits::failed(reader)) return {};
    roster.members = {&r.arrived.members[0], count};
    roster.host = roster.members[0].id;
    return roster;
}

}
