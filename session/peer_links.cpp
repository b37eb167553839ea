#include "session/peer_links.h"
#include "session/admission.h"
#include "session/bridge.h"
#include "session/failure_detector.h"
#include "session/former.h"
#include "session/journal.h"
#include "session/membership.h"
#include "session/session.h"
#include "tern/diagnostics.hpp"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstring>

namespace tern::session {

PeerLink &peer_link(Session &s, ConnectionIndex index)
{
    return s.connections.links[index];
}

// The one connection that is bound to the member.
static ConnectionIndex bound_to(const Session &s, PeerId peer)
{
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    if (slot == no_member) return no_connection;
    const PeerLink &link = s.connections.links[s.connections.link_of[slot]];
    return link.role == PeerRole::member && link.peer == peer ? s.connections.link_of[slot]
                                                              : no_connection;
}

ConnectionIndex link_to(const Session &s, PeerId peer)
{
    const ConnectionIndex index = bound_to(s, peer);
    if (index == no_connection) return no_connection;
    return endpoint::handshake_state(*s.endpoint, index) == HandshakeState::open ? index
                                                                                 : no_connection;
}

bool has_link(const Session &s, PeerId peer)
{
    return bound_to(s, peer) != no_connection;
}

void wake(Session &s, ConnectionIndex index)
{
    s.connections.rests[index].until_us = 0;
    s.connections.used = std::max(s.connections.used, index + 1u);
}

void wake_links(Session &s)
{
    for (LinkRest &rest : std::span(s.connections.rests, s.connections.used))
        rest.until_us = 0;
}

void wake_all(Session &s)
{
    wake_links(s);
    s.connections.members_rest_until_us = 0;
}

uint64_t clock_us(const PeerLink &p)
{
    if (p.clock_sent_us == 0) return 0;
    return p.clock_sent_us +
           (p.clock_count < clocks_hurried ? clock_interval_us : clock_interval_us_max);
}

uint64_t rest_until_us(const Session &s, ConnectionIndex index)
{
    const PeerLink &p = s.connections.links[index];
    if (p.role == PeerRole::none) return UINT64_MAX;
    if (p.role != PeerRole::member || s.state != State::open || p.stream_waits) return 0;
    if (p.asks_for_leases) return 0;
    if (endpoint::handshake_state(*s.endpoint, index) != HandshakeState::open) return 0;
    const PathCandidates &candidates = p.candidates;
    if (candidates.observed.port != 0 || candidates.answer_count > 0) return 0;
    const Connection &c = endpoint::at(*s.endpoint, index);
    if (address::is_bridged(connection::address(c))) return 0;
    const uint64_t quiet_until_us = connection::quiet_until_us(c);
    if (replica::host(*s.replica) != s.replica->self) return quiet_until_us;
    return std::min(quiet_until_us, clock_us(p));
}

void rest(Session &s, ConnectionIndex index)
{
    const PeerLink &p = s.connections.links[index];
    const bool is_bound = p.role == PeerRole::member;
    s.connections.rests[index] = {rest_until_us(s, index),
                                  is_bound ? replica::find_member(*s.replica, p.peer) : no_member};
}

// The endpoint may have closed other connections to the same peer, so all are looked at.
void begin_link(Session &s, ConnectionIndex index, PeerRole role)
{
    wake_all(s);
    wake(s, index);
    s.connections.links[index] = {};
    s.connections.links[index].role = role;
    s.connections.links[index].since_us = s.now_us;
}

void bind(Session &s, ConnectionIndex index, PeerId peer)
{
    wake_all(s);
    PeerLink &p = s.connections.links[index];
    p.role = PeerRole::member;
    p.peer = peer;
    if (p.connection_epoch == 0) p.connection_epoch = ++s.connections.epochs;
    p.message_first = p.message_count = p.acked_messages = 0;
    p.received_messages = 0;
    s.connections.link_of[replica::find_member(*s.replica, peer)] = index;
}

static bool is_other_with_key(const Session &s, const Member &member, const uint8_t *key)
{
    return member.id != PeerId::none && !member.fenced && member.id != s.replica->self &&
           std::memcmp(member.identity.key, key, 32) == 0;
}

PeerId member_with_key(const Session &s, const uint8_t *key)
{
    for (const Member &member : s.replica->members.all())
        if (is_other_with_key(s, member, key)) return member.id;
    return PeerId::none;
}

void end_link(Session &s, ConnectionIndex index, CloseReason reason)
{
    wake_all(s);
    PeerLink &p = s.connections.links[index];
    if (endpoint::handshake_state(*s.endpoint, index) == HandshakeState::open) {
        connection::close(endpoint::at(*s.endpoint, index), reason, s.now_us);
        p.role = PeerRole::closing;
    } else {
        endpoint::free_connection(*s.endpoint, index);
        p = {};
    }
}

Address direct_address(const Session &s, ConnectionIndex index)
{
    const Address address = connection::address(endpoint::at(*s.endpoint, index));
    return address::is_bridged(address) ? Address{} : address;
}

static void report_address(Session &s, ConnectionIndex index)
{
    const Address address = direct_address(s, index);
    if (address.port != 0) replica::moved(*s.replica, s.connections.links[index].peer, address);
}

// The member that the connection speaks for. none: its peer is no member, or it is one in another
// incarnation only, which has another connection.
static PeerId speaker(const Session &s, ConnectionIndex index)
{
    const uint8_t *key = endpoint::key(*s.endpoint, index);
    const uint32_t incarnation = endpoint::incarnation(*s.endpoint, index);
    for (const Member &member : s.replica->members.all())
        if (is_other_with_key(s, member, key) &&
            incarnation_of(member.identity.signing_key) == incarnation)
            return member.id;
    return PeerId::none;
}

// A member may replace its connection. Then all that was not acked over the old one is sent again.
static void bind_if_member(Session &s, ConnectionIndex index)
{
    const PeerId peer = speaker(s, index);
    if (peer == PeerId::none) return;
    if (const ConnectionIndex other = bound_to(s, peer); other != no_connection) {
        end_link(s, other, CloseReason::replaced);
        replica::rewind(*s.replica, peer);
    }
    bind(s, index, peer);
    report_address(s, index);
}

// Binds at once, so that messages in the first datagrams are not lost.
void open_link(Session &s, ConnectionIndex index, uint64_t answered_us)
{
    // The peer that we ask has connected to us at the same moment, and its connection stays.
    if (s.connections.links[index].role == PeerRole::join_target) return;
    begin_link(s, index, PeerRole::unidentified);
    s.connections.links[index].answered_us = answered_us;
    bind_if_member(s, index);
    const uint8_t *key = endpoint::key(*s.endpoint, index);
    for (ConnectionIndex other = 0; other < s.connections.count; ++other) {
        if (other == index || s.connections.links[other].role != PeerRole::unidentified) continue;
        if (endpoint::handshake_state(*s.endpoint, other) != HandshakeState::open) continue;
        if (std::memcmp(endpoint::key(*s.endpoint, other), key, 32) == 0)
            end_link(s, other, CloseReason::replaced); // The newcomer asks again.
    }
}

void end_all_links(Session &s, CloseReason reason)
{
    for (ConnectionIndex i = 0; i < s.connections.count; ++i)
        if (s.connections.links[i].role != PeerRole::none &&
            s.connections.links[i].role != PeerRole::closing)
            end_link(s, i, reason);
}

static void free_link(Session &s, ConnectionIndex index)
{
    wake_all(s);
    endpoint::free_connection(*s.endpoint, index);
    s.connections.links[index] = {};
}

// --- Time ---

static void count_acked(Session &s, ConnectionIndex index)
{
    PeerLink &p = s.connections.links[index];
    const uint64_t acked =
        connection::acked_offset(endpoint::at(*s.endpoint, index), StreamId::world);
    const uint64_t *ends = s.connections.message_ends + size_t{index} * unacked_messages_max;
    const uint32_t before = p.acked_messages;
    while (p.message_count > 0 && ends[p.message_first] <= acked) {
        p.message_first = (p.message_first + 1) % unacked_messages_max;
        p.message_count -= 1;
        p.acked_messages += 1;
    }
    if (p.acked_messages == before) return;
    replica::messages_acked(*s.replica, p.peer, p.acked_messages);
    if (s.records.journal) note_acked(s, index);
}

static void report_packet_outcomes(Session &s, ConnectionIndex index)
{
    Connection &c = endpoint::at(*s.endpoint, index);
    const bool is_member = s.connections.links[index].role == PeerRole::member;
    for (PacketOutcome outcome; connection::take_packet_outcome(c, outcome);)
        if (is_member)
            replica::on_packet_outcome(*s.replica, s.connections.links[index].peer, outcome.packet,
                                       outcome.acked);
}

// The address of a member other than the roster's that this connection used. Port 0: none.
static Address former_address(const Session &s, ConnectionIndex index)
{
    const MemberSlot slot = replica::find_member(*s.replica, s.connections.links[index].peer);
    if (slot == no_member) return {};
    const Address present = direct_address(s, index);
    const Address &known = s.replica->members[slot].identity.address;
    return present == known ? s.connections.links[index].candidates.former : present;
}

// Only the leader removes a member from the view. Until then we try to reconnect.
static void await_member(Session &s, PeerId peer, const Address &former, PathLoss loss)
{
    if (loss == PathLoss::disowned && peer == replica::successor(*s.replica))
        s.joining.joins_again = true;
    replica::rewind(*s.replica, peer);
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    s.connections.reconnect_us[slot] =
        s.now_us + (loss == PathLoss::silence ? 0 : reconnect_interval_us);
    s.connections.outages[slot].former = former;
    note_loss(s, peer, loss);
}

void be_disowned(Session &s, ConnectionIndex index)
{
    const PeerId peer = s.connections.links[index].peer;
    const Address former = former_address(s, index);
    end_link(s, index, CloseReason::refused);
    await_member(s, peer, former, PathLoss::disowned);
}

// The connection to a member has ended without our doing.
static void lose_member(Session &s, ConnectionIndex index, ConnectionState state)
{
    const PeerId peer = s.connections.links[index].peer;
    const CloseReason reason = state == ConnectionState::closed_by_peer
                                   ? connection::close_reason(endpoint::at(*s.endpoint, index))
                                   : CloseReason::none;
    const Address former = former_address(s, index);
    // This side ends a connection by itself for one reason only.
    const CloseReason ours = connection::close_reason(endpoint::at(*s.endpoint, index));
    if (state == ConnectionState::closed_by_us && ours == CloseReason::protocol_error)
        charge(s, index, Breach::malformed);
    free_link(s, index);
    if (s.says_goodbye) return;
    const bool disowned = reason == CloseReason::removed || reason == CloseReason::refused;
    if (peer == replica::successor(*s.replica) && reason == CloseReason::removed)
        return fail(s, State::removed);
    if (reason == CloseReason::left) replica::peer_gone(*s.replica, peer, Departure::goodbye);
    if (!replica::is_member(*s.replica, peer)) return;
    await_member(s, peer, former,
                 state == ConnectionState::silent ? PathLoss::silence
                 : disowned                       ? PathLoss::disowned
                                                  : PathLoss::closed);
}

static void lose_link(Session &s, ConnectionIndex index, ConnectionState state)
{
    switch (s.connections.links[index].role) {
    case PeerRole::member: return lose_member(s, index, state);
    case PeerRole::join_target:
        free_link(s, index);
        s.joining.next_try_us = s.now_us;
        return;
    case PeerRole::former:
    case PeerRole::unidentified:
    case PeerRole::closing:
    case PeerRole::none: return free_link(s, index);
    }
}

static void update_connecting(Session &s, ConnectionIndex index, HandshakeState handshake)
{
    PeerLink &p = s.connections.links[index];
    if (handshake == HandshakeState::connecting) {
        if (p.role == PeerRole::member) try_relay_candidate(s, index);
        return;
    }
    if (p.role == PeerRole::member) {
        const MemberSlot slot = replica::find_member(*s.replica, p.peer);
        if (slot != no_member) s.connections.reconnect_us[slot] = s.now_us + reconnect_interval_us;
        return free_link(s, index);
    }
    if (p.role == PeerRole::join_target && handshake == HandshakeState::version_refused)
        return fail(s, State::refused_version);
    if (p.role == PeerRole::join_target && handshake == HandshakeState::secret_refused)
        return fail(s, State::refused_secret);
    if (p.role == PeerRole::join_target) s.joining.next_try_us = s.now_us;
    free_link(s, index);
}

// An unidentified peer that sends no JOIN takes itself for a member: of a view that we do not have
// yet, or of a former one. If it is not one, it should learn that from the close no later than from
// our silence.
static uint64_t unidentified_time(const Session &s, ConnectionIndex index)
{
    const uint64_t timeout_us = uint64_t{s.config.timeout_ms} * 1000;
    if (s.connections.links[index].has_asked) return unidentified_time_us;
    if (is_former(s, endpoint::key(*s.endpoint, index))) return refuse_former_us;
    return std::min(unidentified_time_us, timeout_us);
}

void update_links(Session &s)
{
    for (ConnectionIndex i = 0; i < s.connections.used; ++i) {
        if (rests(s, i) || s.connections.links[i].role == PeerRole::none) continue;
        s.connections.links[i].call_count = s.connections.links[i].call_bytes = 0;
        s.connections.links[i].work_ns = 0;
        const HandshakeState handshake = endpoint::handshake_state(*s.endpoint, i);
        if (handshake != HandshakeState::open) {
            update_connecting(s, i, handshake);
            continue;
        }
        Connection &c = endpoint::at(*s.endpoint, i);
        connection::update(c, s.now_us);
        report_packet_outcomes(s, i);
        if (s.connections.links[i].role == PeerRole::member) count_acked(s, i);
        const ConnectionState state = connection::state(c);
        if (state != ConnectionState::open && state != ConnectionState::closing)
            lose_link(s, i, state);
        else if (s.connections.links[i].role == PeerRole::unidentified &&
                 s.now_us - s.connections.links[i].since_us > unidentified_time(s, i))
            end_link(s, i, CloseReason::refused);
    }
}

// --- The roster ---

// A peer that lost its host while joining starts over with the same key. The roster may still name
// its former self, until that is removed.
static bool is_former_self(const Session &s, const Member &member)
{
    return std::memcmp(member.identity.key, s.secrets.keys.public_key, 32) == 0;
}

// In a star without a host the clients look for the lowest of them that they reach, which may take
// the host's place once a majority has found it. Each is tried a little later than the one before.
static bool is_sought(const Session &s, PeerId sought)
{
    const Replica &r = *s.replica;
    const PeerId leader = replica::successor(r);
    if (r.rules.topology == Topology::mesh || leader == r.self || sought > r.self) return false;
    const uint64_t since_us = s.connections.outages[replica::find_member(r, leader)].since_us;
    if (since_us == 0) return false;
    uint64_t from_us = since_us;
    for (const uint16_t slot : r.order.all()) {
        const Member &member = r.members[slot];
        if (member.fenced || member.id == leader) continue;
        if (member.id == sought) return s.now_us >= from_us;
        if (link_to(s, member.id) != no_connection) return false;
        from_us += seek_interval_us;
    }
    return false;
}

bool wants_link(const Session &s, MemberSlot slot)
{
    const PeerId peer = s.replica->members[slot].id;
    return replica::exchanges_objects_with(*s.replica, peer) || is_sought(s, peer);
}

// A client that is cut off asks the others one after the other, because another host may have
// removed it meanwhile: then they refuse it, and it joins again.
static bool is_asked(const Session &s, PeerId asked)
{
    const Replica &r = *s.replica;
    if (r.rules.topology == Topology::mesh || s.state != State::cut_off) return false;
    if (link_to(s, replica::successor(r)) != no_connection) return false;
    const auto is_other = [&](MemberSlot slot) {
        return !r.members[slot].fenced && r.members[slot].id != r.self;
    };
    const std::span<const uint16_t> order = r.order.all();
    const auto others = static_cast<uint64_t>(std::count_if(order.begin(), order.end(), is_other));
    uint64_t turn = s.now_us / seek_interval_us % std::max<uint64_t>(others, 1);
    for (const uint16_t slot : order)
        if (is_other(slot) && turn-- == 0) return r.members[slot].id == asked;
    return false;
}

// The later member of a pair connects: the roster with which it joined names both. If that has led
// to nothing for long, the later one may know an old address of the earlier one, which then
// connects as well. Of two parts that hear each other again both connect at once.
static bool should_connect(const Session &s, MemberSlot slot)
{
    const uint64_t since_us = s.connections.outages[slot].since_us;
    return s.replica->members[slot].id < s.replica->self || s.state == State::cut_off ||
           (since_us != 0 && s.now_us - since_us >= both_connect_after_us);
}

static void connect_to_members(Session &s)
{
    for (MemberSlot slot = 0; slot < s.replica->members.count; ++slot) {
        const Member &member = s.replica->members[slot];
        if (member.id == PeerId::none || member.fenced || member.id == s.replica->self) continue;
        if (!wants_link(s, slot) && !is_asked(s, member.id)) continue;
        if (is_former_self(s, member)) continue;
        if (has_link(s, member.id) || s.now_us < s.connections.reconnect_us[slot]) continue;
        if (!should_connect(s, slot)) continue;
        // Two peers that moved at the same time know only a former address of each other.
        LinkOutage &outage = s.connections.outages[slot];
        const bool tries_former = outage.tries % 2 == 1 && outage.former.port != 0;
        const Address &address = tries_former ? outage.former : member.identity.address;
        const ConnectionIndex index =
            endpoint::connect(*s.endpoint, member.identity.key, address, s.now_us,
                              incarnation_of(member.identity.signing_key));
        if (index == no_connection) return;
        outage.tries += 1;
        begin_link(s, index, PeerRole::member);
        bind(s, index, member.id);
    }
}

// Whether this link to another client of a star served to look for a host, which is here now. As
// long as the host is reached through a relay only, the other client may be that relay.
static bool is_needless(const Session &s, const PeerLink &p)
{
    if (p.role != PeerRole::member || p.peer > s.replica->self) return false;
    const PeerId leader = replica::successor(*s.replica);
    const MemberSlot slot = replica::find_member(*s.replica, leader);
    if (slot == no_member || leader == s.replica->self || s.connections.outages[slot].since_us != 0)
        return false;
    const ConnectionIndex to_leader = link_to(s, leader);
    return !replica::exchanges_objects_with(*s.replica, p.peer) && to_leader != no_connection &&
           direct_address(s, to_leader).port != 0;
}

// Whether the member at the other end has gone. A host that was left because it lied must not
// notice that before all have left it: it would remove those whose connections end first. So its
// connection ends with its departure.
static bool has_gone(const Session &s, const PeerLink &p)
{
    return p.role == PeerRole::member && !replica::is_member(*s.replica, p.peer) &&
           !replica::has_equivocated(*s.replica, p.peer);
}

static void bind_or_end(Session &s, ConnectionIndex index)
{
    PeerLink &p = s.connections.links[index];
    if (has_gone(s, p)) {
        const bool by_game = is_banned(s, endpoint::key(*s.endpoint, index));
        return end_link(s, index, by_game ? CloseReason::removed : CloseReason::refused);
    }
    if (is_needless(s, p)) return end_link(s, index, CloseReason::replaced);
    if (p.role != PeerRole::unidentified ||
        endpoint::handshake_state(*s.endpoint, index) != HandshakeState::open)
        return;
    if (p.has_asked) return; // A newcomer, even if its key is that of a member.
    if (connection::state(endpoint::at(*s.endpoint, index)) == ConnectionState::open)
        bind_if_member(s, index);
}

// The roster of a new host holds the addresses that its predecessor knew; some have changed since.
// The others note the address of the host.
static void report_addresses(Session &s)
{
    const PeerId host = replica::host(*s.replica);
    for (ConnectionIndex i = 0; i < s.connections.count; ++i)
        if (s.connections.links[i].role == PeerRole::member &&
            (host == s.replica->self || host == s.connections.links[i].peer) &&
            endpoint::handshake_state(*s.endpoint, i) == HandshakeState::open)
            report_address(s, i);
}

void reconcile_links(Session &s)
{
    for (ConnectionIndex i = 0; i < s.connections.count; ++i)
        bind_or_end(s, i);
    report_addresses(s);
    if (s.state == State::joining || is_in(s)) connect_to_members(s);
}

}
