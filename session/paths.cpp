#include "session/paths.h"
#include "session/bridge.h"
#include "session/failure_detector.h"
#include "session/journal.h"
#include "session/session.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstring>

namespace tern::session {

Path &path(Session &s, ConnectionIndex index)
{
    return s.paths[index];
}

// The one connection that is bound to the member.
static ConnectionIndex bound_to(const Session &s, PeerId peer)
{
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    if (slot == no_member) return no_connection;
    const Path &path = s.paths[s.path_of[slot]];
    return path.tie == Tie::member && path.peer == peer ? s.path_of[slot] : no_connection;
}

ConnectionIndex path_to(const Session &s, PeerId peer)
{
    const ConnectionIndex index = bound_to(s, peer);
    if (index == no_connection) return no_connection;
    return endpoint::contact(*s.endpoint, index) == Contact::open ? index : no_connection;
}

bool has_path(const Session &s, PeerId peer)
{
    return bound_to(s, peer) != no_connection;
}

void bind(Session &s, ConnectionIndex index, PeerId peer)
{
    Path &p = s.paths[index];
    p.tie = Tie::member;
    p.peer = peer;
    if (p.link == 0) p.link = ++s.links;
    p.message_first = p.message_count = p.acked_messages = 0;
    p.heard_messages = 0;
    s.path_of[replica::find_member(*s.replica, peer)] = index;
    p.welcomed = !replica::is_unacked(*s.replica, peer, MessageKind::welcome);
}

static PeerId member_with_key(const Session &s, const uint8_t *key)
{
    for (const Member &member : s.replica->members.all())
        if (member.id != PeerId::none && !member.fenced && member.id != s.replica->self &&
            std::memcmp(member.identity.key, key, 32) == 0)
            return member.id;
    return PeerId::none;
}

void end_path(Session &s, ConnectionIndex index, CloseReason reason)
{
    Path &p = s.paths[index];
    if (endpoint::contact(*s.endpoint, index) == Contact::open) {
        connection::close(endpoint::at(*s.endpoint, index), reason, s.now_us);
        p.tie = Tie::ending;
    } else {
        endpoint::release(*s.endpoint, index);
        p = {};
    }
}

Address direct_address(const Session &s, ConnectionIndex index)
{
    const Address address = connection::address(endpoint::at(*s.endpoint, index));
    return address::is_bridged(address) ? Address{} : address;
}

// Others learn a member's address from the host's view: moved() does nothing elsewhere.
static void tell_address(Session &s, ConnectionIndex index)
{
    const Address address = direct_address(s, index);
    if (address.port != 0) replica::moved(*s.replica, s.paths[index].peer, address);
}

// A member may replace its connection. Then all that was not acked over the old one is sent again.
static void bind_if_member(Session &s, ConnectionIndex index)
{
    const PeerId peer = member_with_key(s, endpoint::key(*s.endpoint, index));
    if (peer == PeerId::none) return;
    if (const ConnectionIndex other = bound_to(s, peer); other != no_connection) {
        end_path(s, other, CloseReason::replaced);
        replica::rewind(*s.replica, peer);
    }
    bind(s, index, peer);
    tell_address(s, index);
}

// Binds at once, so that messages in the first datagrams are not lost.
void open_path(Session &s, ConnectionIndex index)
{
    s.paths[index] = {};
    s.paths[index].tie = Tie::stranger;
    s.paths[index].since_us = s.now_us;
    bind_if_member(s, index);
    const uint8_t *key = endpoint::key(*s.endpoint, index);
    for (ConnectionIndex other = 0; other < s.path_count; ++other) {
        if (other == index || s.paths[other].tie != Tie::stranger) continue;
        if (endpoint::contact(*s.endpoint, other) != Contact::open) continue;
        if (std::memcmp(endpoint::key(*s.endpoint, other), key, 32) == 0)
            end_path(s, other, CloseReason::replaced); // The newcomer asks again.
    }
}

void end_all_paths(Session &s, CloseReason reason)
{
    for (ConnectionIndex i = 0; i < s.path_count; ++i)
        if (s.paths[i].tie != Tie::none && s.paths[i].tie != Tie::ending) end_path(s, i, reason);
}

static void release(Session &s, ConnectionIndex index)
{
    endpoint::release(*s.endpoint, index);
    s.paths[index] = {};
}

// --- Time ---

static void count_acked(Session &s, ConnectionIndex index)
{
    Path &p = s.paths[index];
    const uint64_t acked =
        connection::acked_offset(endpoint::at(*s.endpoint, index), StreamId::world);
    const uint64_t *ends = s.message_ends + size_t{index} * unacked_messages_max;
    const uint32_t before = p.acked_messages;
    while (p.message_count > 0 && ends[p.message_first] <= acked) {
        p.message_first = (p.message_first + 1) % unacked_messages_max;
        p.message_count -= 1;
        p.acked_messages += 1;
    }
    if (p.acked_messages == before) return;
    replica::messages_acked(*s.replica, p.peer, p.acked_messages);
    if (s.journal) note_acked(s, index);
}

static void tell_fates(Session &s, ConnectionIndex index)
{
    Connection &c = endpoint::at(*s.endpoint, index);
    const bool is_member = s.paths[index].tie == Tie::member;
    for (Fate fate; connection::take_fate(c, fate);)
        if (is_member) replica::fate(*s.replica, s.paths[index].peer, fate.packet, fate.arrived);
}

// The connection to a member has ended without our doing.
static void lose_member(Session &s, ConnectionIndex index, Link link)
{
    const PeerId peer = s.paths[index].peer;
    const PeerId leader = replica::successor(*s.replica);
    const CloseReason reason = link == Link::closed_by_peer
                                   ? connection::close_reason(endpoint::at(*s.endpoint, index))
                                   : CloseReason::none;
    release(s, index);
    if (s.says_goodbye) return;
    if (peer == leader && reason == CloseReason::removed) return fail(s, State::removed);
    const bool goodbye = reason == CloseReason::left;
    replica::peer_gone(*s.replica, peer, goodbye ? Departure::goodbye : Departure::silence);
    if (!replica::is_member(*s.replica, peer)) return;
    // Only the leader removes a member from the view. Until then we try to reconnect.
    replica::rewind(*s.replica, peer);
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    s.reconnect_us[slot] = s.now_us + (link == Link::silent ? 0 : reconnect_interval_us);
    if (link == Link::silent) note_silence(s, slot);
    const bool disowned = reason == CloseReason::removed || reason == CloseReason::refused ||
                          reason == CloseReason::protocol_error;
    if (disowned) note_gone(s, slot);
}

static void end_link(Session &s, ConnectionIndex index, Link link)
{
    switch (s.paths[index].tie) {
    case Tie::member: return lose_member(s, index, link);
    case Tie::asking:
        release(s, index);
        s.next_try_us = s.now_us;
        return;
    case Tie::stranger:
    case Tie::ending:
    case Tie::none: return release(s, index);
    }
}

static void update_connecting(Session &s, ConnectionIndex index, Contact contact)
{
    Path &p = s.paths[index];
    if (contact == Contact::connecting) {
        if (p.tie == Tie::member) try_detour(s, index);
        return;
    }
    if (p.tie == Tie::member) {
        const MemberSlot slot = replica::find_member(*s.replica, p.peer);
        if (slot != no_member) s.reconnect_us[slot] = s.now_us + reconnect_interval_us;
        return release(s, index);
    }
    if (p.tie == Tie::asking && contact == Contact::version_refused)
        return fail(s, State::refused_version);
    if (p.tie == Tie::asking && contact == Contact::secret_refused)
        return fail(s, State::refused_secret);
    if (p.tie == Tie::asking) s.next_try_us = s.now_us;
    release(s, index);
}

// A stranger that sends no JOIN takes itself for a member: of a view that we do not have yet, or of
// a former one. If it is not one, it should learn that from the close no later than from our
// silence.
static uint64_t stranger_time(const Session &s, const Path &path)
{
    const uint64_t timeout_us = uint64_t{s.config.timeout_ms} * 1000;
    return path.has_asked ? stranger_time_us : std::min(stranger_time_us, timeout_us);
}

void update_paths(Session &s)
{
    for (ConnectionIndex i = 0; i < s.path_count; ++i) {
        if (s.paths[i].tie == Tie::none) continue;
        s.paths[i].call_count = s.paths[i].call_bytes = 0;
        const Contact contact = endpoint::contact(*s.endpoint, i);
        if (contact != Contact::open) {
            update_connecting(s, i, contact);
            continue;
        }
        Connection &c = endpoint::at(*s.endpoint, i);
        connection::update(c, s.now_us);
        tell_fates(s, i);
        if (s.paths[i].tie == Tie::member) count_acked(s, i);
        const Link link = connection::link(c);
        if (link != Link::open && link != Link::closing)
            end_link(s, i, link);
        else if (s.paths[i].tie == Tie::stranger &&
                 s.now_us - s.paths[i].since_us > stranger_time(s, s.paths[i]))
            end_path(s, i, CloseReason::refused);
    }
}

// --- The roster ---

// A peer that lost its host while joining starts over with the same key. The roster may still name
// its former self, until that is removed.
static bool is_former_self(const Session &s, const Member &member)
{
    return std::memcmp(member.identity.key, s.keys.public_key, 32) == 0;
}

static void connect_to_members(Session &s)
{
    for (MemberSlot slot = 0; slot < s.replica->members.count; ++slot) {
        const Member &member = s.replica->members[slot];
        // The later member of a pair connects: the roster with which it joined names both.
        if (member.id == PeerId::none || member.fenced || member.id >= s.replica->self) continue;
        if (!replica::linked(*s.replica, member.id)) continue;
        if (is_former_self(s, member)) continue;
        if (has_path(s, member.id) || s.now_us < s.reconnect_us[slot]) continue;
        const ConnectionIndex index =
            endpoint::connect(*s.endpoint, member.identity.key, member.identity.address, s.now_us);
        if (index == no_connection) return;
        s.paths[index] = {};
        s.paths[index].since_us = s.now_us;
        bind(s, index, member.id);
    }
}

static void bind_or_end(Session &s, ConnectionIndex index)
{
    Path &p = s.paths[index];
    if (p.tie == Tie::member && !replica::is_member(*s.replica, p.peer))
        return end_path(s, index, CloseReason::removed);
    if (p.tie != Tie::stranger || endpoint::contact(*s.endpoint, index) != Contact::open) return;
    if (p.has_asked) return; // A newcomer, even if its key is that of a member.
    if (connection::link(endpoint::at(*s.endpoint, index)) == Link::open) bind_if_member(s, index);
}

// The roster of a new host holds the addresses that its predecessor knew; some have changed since.
static void tell_addresses(Session &s)
{
    if (replica::host(*s.replica) != s.replica->self) return;
    for (ConnectionIndex i = 0; i < s.path_count; ++i)
        if (s.paths[i].tie == Tie::member && endpoint::contact(*s.endpoint, i) == Contact::open)
            tell_address(s, i);
}

void reconcile_paths(Session &s)
{
    for (ConnectionIndex i = 0; i < s.path_count; ++i)
        bind_or_end(s, i);
    tell_addresses(s);
    if (s.state == State::joining || s.state == State::open) connect_to_members(s);
}

}
