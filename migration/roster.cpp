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
void read_next(BitReader &reader, Listed &listed)
{
    const uint32_t next = static_cast<uint32_t>(listed.id) + 1;
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
    listed.identity = {};
    if (listed.has_identity) messages::read_identity(reader, listed.identity);
}

Roster read(BitReader &reader, const Replica &r, PeerId self)
{
    Roster roster = {};
    roster.view = static_cast<uint32_t>(bits::read(reader, 32));
    roster.term_number = static_cast<uint16_t>(bits::read(reader, 16));
    roster.last_peer = static_cast<uint16_t>(bits::read(reader, 16));
    roster.count = static_cast<uint32_t>(bits::read(reader, 16));
    if (roster.count == 0 || roster.count > r.members.count) bits::fail(reader);
    roster.members = reader;
    Listed listed = {};
    bool self_there = false;
    for (uint32_t i = 0; i < roster.count && !bits::failed(reader); ++i) {
        read_next(reader, listed);
        if (i == 0) roster.host = listed.id;
        self_there |= listed.id == self;
        const bool known = replica::find_member(r, listed.id) != no_member;
        if (!listed.has_identity && !known) bits::fail(reader);
    }
    if (!self_there || static_cast<uint16_t>(listed.id) > roster.last_peer) bits::fail(reader);
    return roster;
}

}
