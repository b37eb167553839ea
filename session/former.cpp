#include "session/former.h"
#include "session/admission.h"
#include "session/peer_links.h"
#include "session/session.h"
#include <algorithm>
#include <cstring>

namespace tern::session {

const FormerMember *find_former(const Session &s, const uint8_t *key)
{
    const uint32_t count = std::min(s.former.count, former_max);
    for (uint32_t i = 0; i < count; ++i)
        if (std::memcmp(s.former.members[i].target.key, key, 32) == 0) return &s.former.members[i];
    return nullptr;
}

bool is_former(const Session &s, const uint8_t *key)
{
    return find_former(s, key) != nullptr;
}

const char *former_name(const Session &s, PeerId peer)
{
    for (uint32_t i = 0; i < std::min(s.former.count, former_max); ++i)
        if (s.former.members[i].id == peer && peer != PeerId::none) return s.former.members[i].name;
    return "";
}

PeerId former_id(const Session &s, const uint8_t *key)
{
    const FormerMember *former = find_former(s, key);
    return former ? former->id : PeerId::none;
}

void note_former(Session &s, MemberSlot slot)
{
    const Member &member = s.replica->members[slot];
    const FormerMember *known = find_former(s, member.identity.key);
    FormerMember &former =
        s.former.members[known ? known - s.former.members : s.former.count++ % former_max];
    std::memcpy(former.target.key, member.identity.key, sizeof former.target.key);
    former.target.address = member.identity.address;
    former.id = member.id;
    former.said_goodbye = member.said_goodbye;
    std::memcpy(former.name, member.identity.name, sizeof former.name);
}

void forget_former_ids(Session &s)
{
    for (uint32_t i = 0; i < std::min(s.former.count, former_max); ++i)
        s.former.members[i].id = PeerId::none;
    std::fill_n(s.former.held, s.replica->world.slots.capacity, HeldObject{});
}

void note_owner(Session &s, const OwnerChange &change, ObjectSlot slot)
{
    const Replica &r = *s.replica;
    if (change.previous == change.owner || slot == no_slot) return;
    if (s.types.types[change.type].orphan != Orphan::hold) return;
    HeldObject &held = s.former.held[slot];
    if (held.object != change.object) held = {change.object, PeerId::none};
    const bool is_orphan =
        !replica::is_member(r, change.previous) && change.owner == replica::host(r);
    if (!is_orphan)
        held.owner = PeerId::none;
    else if (held.owner == PeerId::none)
        held.owner = change.previous;
}

void give_back(Session &s, MemberSlot slot)
{
    const Replica &r = *s.replica;
    const Member &member = r.members[slot];
    const PeerId former = former_id(s, member.identity.key);
    if (former == PeerId::none) return;
    for (ObjectSlot i = 0; i < r.world.slots.count; ++i) {
        const KnownObject &object = r.world.slots[i];
        const HeldObject &held = s.former.held[i];
        const bool is_ours = object.life == Life::alive && object.owner == r.self;
        const bool is_locked = (r.rights.owner_requests[i] & request_lock) != 0;
        const bool is_held = held.object == object.id && held.owner == former;
        if (is_ours && is_held && !is_locked) replica::migrate(*s.replica, object.id, member.id);
    }
}

// --- Meetings ---

static Rank rank_of(const Session &s)
{
    uint16_t members = 0;
    for (const Member &member : s.replica->members.all())
        members += member.id != PeerId::none && !member.fenced;
    return {s.replica->term.number, members};
}

static bool is_lower(const Session &s, const Rank &other, const uint8_t *key)
{
    const Rank own = rank_of(s);
    if (own.term_number != other.term_number) return own.term_number < other.term_number;
    if (own.members != other.members) return own.members < other.members;
    return std::memcmp(s.secrets.keys.public_key, key, sizeof s.secrets.keys.public_key) < 0;
}

static bool is_host(const Session &s)
{
    return s.state == State::open && replica::host(*s.replica) == s.replica->self;
}

// A new connection would replace one that there is, over which the peer may just ask to join.
static bool is_linked(const Session &s, const uint8_t *key)
{
    for (ConnectionIndex i = 0; i < s.connections.count; ++i)
        if (s.connections.links[i].role != PeerRole::none &&
            s.connections.links[i].role != PeerRole::closing &&
            std::memcmp(endpoint::key(*s.endpoint, i), key, 32) == 0)
            return true;
    return false;
}

static bool may_seek(const Session &s, const Target &target)
{
    const bool is_member = member_with_key(s, target.key) != PeerId::none;
    return target.address.port != 0 && !is_member && !is_banned(s, target.key);
}

static bool next_former(Session &s, Target &target)
{
    const uint32_t count = std::min(s.former.count, former_max);
    target = s.former.met;
    if (s.former.has_met && is_linked(s, target.key)) return false; // The connection ends soon.
    bool found = s.former.has_met && may_seek(s, target);
    s.former.has_met = false;
    for (uint32_t i = 0; i < count && !found; ++i) {
        const FormerMember &former = s.former.members[s.former.next++ % count];
        target = former.target;
        found = !former.said_goodbye && may_seek(s, target) && !is_linked(s, target.key);
    }
    return found;
}

// Half to one and a half times the interval, at random: two hosts that seek each other would
// otherwise connect at the same moment again and again.
static uint64_t seek_again_us(Session &s)
{
    uint8_t random[2];
    endpoint::draw(*s.endpoint, random);
    return s.now_us + meet_interval_us / 2 +
           (random[0] + 256u * random[1]) * meet_interval_us / 65'536;
}

static void send_meet(Session &s, ConnectionIndex index)
{
    PeerLink &link = s.connections.links[index];
    if (s.now_us - link.since_us >= meet_interval_us) return end_link(s, index, CloseReason::left);
    if (link.has_asked || endpoint::handshake_state(*s.endpoint, index) != HandshakeState::open)
        return;
    const std::span<std::byte> buffer(s.connections.message_buffer, stream_message_bytes_max);
    link.has_asked = queue_join_message(s, index, write_meet(rank_of(s), buffer));
}

void seek_former(Session &s)
{
    if (s.config.quorum != Quorum::survivors || (s.former.count == 0 && !s.former.has_met)) return;
    for (ConnectionIndex i = 0; i < s.connections.count; ++i)
        if (s.connections.links[i].role == PeerRole::former) send_meet(s, i);
    Target target;
    if (!is_host(s) || s.now_us < std::max(s.former.meet_us, s.former.promised_us)) return;
    if (!next_former(s, target)) return;
    s.former.meet_us = seek_again_us(s);
    const ConnectionIndex index =
        endpoint::connect(*s.endpoint, target.key, target.address, s.now_us);
    if (index == no_connection) return;
    begin_link(s, index, PeerRole::former);
}

static Target target_of(const Session &s, ConnectionIndex index)
{
    Target target = {{}, direct_address(s, index)};
    std::memcpy(target.key, endpoint::key(*s.endpoint, index), sizeof target.key);
    return target;
}

static void seek_next(Session &s, const Target &target)
{
    if (s.former.yields || !may_seek(s, target)) return;
    s.former.met = target;
    s.former.has_met = true;
    s.former.meet_us = s.now_us;
}

bool receive_from_former(Session &s, ConnectionIndex index, std::span<const std::byte> message)
{
    if (is_join(message)) { // It has yielded meanwhile, and both have connected at the same time.
        s.connections.links[index].role = PeerRole::unidentified;
        s.connections.links[index].has_asked = false;
        return receive_from_unidentified(s, index, message);
    }
    const Refused refused = read_refused(message);
    const Target from = target_of(s, index);
    Target named;
    Rank rank;
    if (refused.ok && refused.refusal == JoinRefusal::by_game) {
        fail(s, State::removed);
        return true;
    }
    if (refused.ok && refused.refusal == JoinRefusal::not_host && read_target(refused.text, named))
        seek_next(s, named);
    if (read_meet(message, rank) && is_host(s) && s.now_us >= s.former.promised_us &&
        is_lower(s, rank, from.key)) {
        s.former.met = from;
        s.former.yields = s.joining.joins_again = true;
    }
    end_link(s, index, CloseReason::left);
    return true;
}

bool receive_meet_of_member(Session &s, ConnectionIndex index, std::span<const std::byte> message)
{
    Rank rank;
    if (s.config.quorum != Quorum::survivors || !read_meet(message, rank)) return false;
    be_disowned(s, index);
    return true;
}

void receive_meet(Session &s, ConnectionIndex index, const Rank &rank)
{
    const uint8_t *key = endpoint::key(*s.endpoint, index);
    s.connections.links[index].has_asked = true;
    if (!is_host(s)) return;
    if (is_lower(s, rank, key)) {
        const Target target = target_of(s, index);
        end_link(s, index, CloseReason::left);
        return seek_next(s, target);
    }
    const std::span<std::byte> buffer(s.connections.message_buffer, stream_message_bytes_max);
    if (queue_join_message(s, index, write_meet(rank_of(s), buffer)))
        s.former.promised_us = s.now_us + promise_us;
}

}
