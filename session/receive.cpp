// receive(): turns datagrams into events. Each datagram passes the endpoint, its connection, then
// the replica or the calls. After all datagrams come timeouts, and messages that have waited.
#include "rpc/call_retry.h"
#include "rpc/call_routing.h"
#include "session/admission.h"
#include "session/bridge.h"
#include "session/explain.h"
#include "session/failure_detector.h"
#include "session/former.h"
#include "session/join_messages.h"
#include "session/joining.h"
#include "session/journal.h"
#include "session/membership.h"
#include "session/misuse.h"
#include "session/notices.h"
#include "session/optimistic.h"
#include "session/peer_links.h"
#include "session/recording/recording.h"
#include "session/session.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "transport/datagram_order.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstring>

namespace tern {
namespace session {

// --- Events ---

void push_event(Session &s, const Event &event)
{
    TERN_ASSERT(s.events.count < s.events.max, "%u events", s.events.count);
    s.events.all[s.events.count] = event;
    s.events.count += 1;
}

static void introduce(const Session &s, Newcomer &newcomer)
{
    newcomer.name = member_name(s, newcomer.peer);
    const MemberSlot slot = replica::find_member(*s.replica, newcomer.peer);
    if (slot != no_member) newcomer.previous = former_id(s, s.replica->members[slot].identity.key);
}

static bool is_about_peers(EventKind kind)
{
    return kind == EventKind::peer_joined || kind == EventKind::peer_left ||
           kind == EventKind::host_lost || kind == EventKind::host_changed;
}

void copy_replica_events(Session &s)
{
    const Flat<Event> &events = s.replica->log.events;
    ObjectSlot slot = no_slot;
    for (; s.events.replica_count < events.count; ++s.events.replica_count) {
        Event event = events[s.events.replica_count];
        // This event is handed on, so later changes of the object need another one.
        slot = world::find_near(s.replica->world, slot, object_of(event));
        if (slot != no_slot) s.replica->log.changed[slot] = s.replica->log.visibility[slot] = 0;
        const bool answer =
            event.kind == EventKind::claim_granted || event.kind == EventKind::claim_refused;
        if (event.kind == EventKind::object_changed) {
            event.object.changed_fields &=
                ~optimistic_fields(s, event.object.type, event.object.id);
            if (event.object.changed_fields == 0) continue;
        }
        if (event.kind == EventKind::owner_changed) {
            event.owner.changed_fields &=
                ~optimistic_fields(s, event.owner.type, event.owner.object);
            note_owner(s, event.owner, slot);
        }
        if (event.kind == EventKind::peer_joined) introduce(s, event.newcomer);
        if (is_about_peers(event.kind)) wake_all(s);
        push_event(s, event);
        if (!answer) continue;
        remember_answer(s, event.claim);
        settle_optimistic(s, event.claim);
    }
}

bool events_room(const Session &s)
{
    // An answer to an optimistic claim adds a second event: object_changed.
    const uint32_t to_come = 2 * (s.replica->log.events.capacity - s.events.replica_count);
    return replica::events_room(*s.replica) &&
           s.events.max - s.events.count > to_come + s.events.spared;
}

// --- Unreliable messages ---

static bool is_play(const Session &s, const PeerLink &link)
{
    return link.role == PeerRole::member && (is_in(s) || s.state == State::leaving);
}

enum class PacketDisposition : uint8_t {
    accept,
    accept_unacked, // Accept it without an ack and ignore its unreliable messages; they are sent
                    // again.
    drop            // Drop the packet.
};

// Every kind of call that is answered is sent reliably only.
static bool is_call(const Session &s, std::span<const std::byte> message, ReceivedCall &call)
{
    return read_call(s, message, call) && call.head.kind == CallKind::call;
}

// Decides on a packet as a whole, before any part of it takes effect.
static PacketDisposition packet_disposition(Session &s, const PeerLink &link,
                                            const OpenedPacket &packet)
{
    uint32_t snapshots = 0;
    publish::clear(s.arrivals.updates);
    PacketDisposition result = PacketDisposition::accept;
    for (size_t i = 0; i < packet.unreliable_count; ++i) {
        const UnreliableMessage &message = packet.unreliable[i];
        if (message.kind >= UnreliableKind::bridged && !is_path_message(message))
            return PacketDisposition::drop;
        // Snapshots are decoded for members only, and an acked snapshot is a baseline at its
        // sender, so one that was not decoded must not be acked.
        if (link.role != PeerRole::member && message.kind == UnreliableKind::snapshot)
            result = PacketDisposition::accept_unacked;
        if (link.role != PeerRole::member) continue; // Ignored: not in the roster, or not any more.
        if (message.kind == UnreliableKind::updates &&
            !publish::read(s.arrivals.updates, s.replica->world, s.types, link.peer, message.bytes))
            return PacketDisposition::drop;
        if (message.kind == UnreliableKind::call && !is_call(s, message.bytes, s.arrivals.calls[i]))
            return PacketDisposition::drop;
        if (message.kind == UnreliableKind::notice &&
            !read_notice(s, message.bytes, s.arrivals.notices[i]))
            return PacketDisposition::drop;
        if (message.kind != UnreliableKind::snapshot) continue;
        snapshots += 1;
        if (snapshots > 1) return PacketDisposition::drop;
        const SnapshotCheck check = replica::check_snapshot(*s.replica, link.peer, message.bytes);
        if (check == SnapshotCheck::malformed) return PacketDisposition::drop;
        if (check == SnapshotCheck::refused) result = PacketDisposition::accept_unacked;
    }
    return result;
}

// Notices depend on no message of a stream.
static void take_notices(Session &s, ConnectionIndex index, const OpenedPacket &packet, bool again)
{
    for (size_t i = 0; i < packet.unreliable_count; ++i) {
        const bool is_notice = packet.unreliable[i].kind == UnreliableKind::notice;
        if (is_notice && peer_link(s, index).role == PeerRole::member)
            take_notice(s, index, s.arrivals.notices[i], again);
    }
}

static const char *name(UnreliableKind kind)
{
    static constexpr const char *names[] = {"SNAPSHOT", "UPDATE",    "call",  "notice",
                                            "bridged",  "challenge", "answer"};
    return names[static_cast<size_t>(kind)];
}

static void take_unreliable(Session &s, ConnectionIndex index, const OpenedPacket &packet,
                            const Address &source)
{
    PeerLink &from = peer_link(s, index);
    for (size_t i = 0; i < packet.unreliable_count; ++i) {
        const UnreliableMessage &message = packet.unreliable[i];
        s.guard.context.doing.message = name(message.kind);
        // The peer that we ask may count us as a member already, and challenge our address.
        if (from.role == PeerRole::join_target && message.kind == UnreliableKind::challenge)
            take_path_message(s, index, message, source);
        if (from.role != PeerRole::member) return;
        Verdict verdict = Verdict::ok;
        const uint64_t before_ns = s.replica->work_ns;
        if (message.kind == UnreliableKind::updates && s.arrivals.updates.count > 0) {
            verdict = replica::receive_updates(*s.replica, from.peer, s.arrivals.updates);
            publish::clear(s.arrivals.updates); // All messages of the packet at once.
        }
        if (message.kind == UnreliableKind::snapshot)
            verdict = replica::receive_snapshot(*s.replica, from.peer);
        from.work_ns += s.replica->work_ns - before_ns;
        charge(s, index, verdict);
        if (message.kind == UnreliableKind::call && is_play(s, from) && events_room(s))
            take_call(s, from.peer, s.arrivals.calls[i], Reliability::unreliable);
        if (message.kind >= UnreliableKind::bridged) take_path_message(s, index, message, source);
    }
}

// --- Streams ---

static void drain_calls(Session &s, ConnectionIndex index)
{
    Connection &c = endpoint::at(*s.endpoint, index);
    PeerLink &from = peer_link(s, index);
    const size_t share_bytes = s.calls.arena.memory.size() / s.connections.count;
    while (is_play(s, from) && events_room(s)) {
        if (from.call_count == calls_per_tick_max || from.call_bytes >= share_bytes) return;
        const std::span<const std::byte> message = connection::peek_message(c, StreamId::calls);
        if (message.empty()) return;
        s.guard.context.doing = {from.peer, "call", {}};
        ReceivedCall call;
        Delivery delivery = Delivery::malformed;
        if (read_call(s, message, call))
            delivery = take_call(s, from.peer, call, Reliability::reliable);
        if (delivery == Delivery::waits) return;
        if (delivery == Delivery::malformed) charge(s, index, Breach::malformed);
        from.call_count += 1;
        from.call_bytes += s.config.types[call.head.type].size_bytes;
        connection::consume_message(c, StreamId::calls);
    }
}

static void note_forged(Session &s, PeerLink &from)
{
    if (s.now_us - from.forged_us >= 1'000'000) {
        from.forged_us = s.now_us;
        from.forged_count = 0;
    }
    from.forged_count += 1;
}

// Whether the member has cost so much that this tick takes nothing more from it. While we join we
// have no ticks to keep, and want the world soon.
static bool is_over_budget(const Session &s, const PeerLink &from)
{
    return from.role == PeerRole::member && is_in(s) && from.work_ns >= work_per_tick_max_ns;
}

// Whether its next message waits.
static bool must_wait(const Session &s, const PeerLink &from)
{
    const bool lies =
        from.forged_count >= forged_per_second_max && s.now_us - from.forged_us < 1'000'000;
    return is_over_budget(s, from) || (lies && from.role == PeerRole::member && is_in(s));
}

// False: the message stays where it is until the next tick.
static bool take_world_message(Session &s, ConnectionIndex index,
                               std::span<const std::byte> message)
{
    PeerLink &from = peer_link(s, index);
    s.connections.members_rest_until_us = 0;
    switch (from.role) {
    case PeerRole::unidentified:
        if (from.has_asked && !(from.may_ask_again && is_join(message)))
            return false; // The peer may soon be a member.
        return receive_from_unidentified(s, index, message);
    case PeerRole::join_target: receive_from_join_target(s, index, message); return true;
    case PeerRole::former: return receive_from_former(s, index, message);
    case PeerRole::member: {
        const PeerId peer = from.peer;
        if (is_join(message)) return true; // It has crossed our WELCOME.
        if (receive_meet_of_member(s, index, message)) return true;
        const uint64_t before_ns = s.replica->work_ns;
        const Verdict verdict = replica::receive(*s.replica, peer, message);
        from.work_ns += s.replica->work_ns - before_ns;
        if (verdict == Verdict::forged) note_forged(s, from);
        if (verdict != Verdict::later) from.received_messages += 1;
        if (s.records.journal && verdict != Verdict::later)
            note_received(s, index, peer, verdict, message);
        if (verdict == Verdict::ok || verdict == Verdict::ignored)
            note_report(s, peer, replica::answered_query(message));
        charge(s, index, verdict);
        copy_replica_events(s);
        return verdict != Verdict::later;
    }
    case PeerRole::none:
    case PeerRole::closing: break;
    }
    return true;
}

static void drain_streams(Session &s, ConnectionIndex index)
{
    while (events_room(s) &&
           endpoint::handshake_state(*s.endpoint, index) == HandshakeState::open) {
        Connection &c = endpoint::at(*s.endpoint, index);
        const std::span<const std::byte> message = connection::peek_message(c, StreamId::world);
        peer_link(s, index).stream_waits = !message.empty();
        if (message.empty() || must_wait(s, peer_link(s, index))) break;
        s.guard.context.doing = {peer_link(s, index).peer, nullptr, message};
        if (!take_world_message(s, index, message)) break;
        if (endpoint::handshake_state(*s.endpoint, index) != HandshakeState::open) return;
        connection::consume_message(c, StreamId::world);
    }
    if (endpoint::handshake_state(*s.endpoint, index) == HandshakeState::open)
        drain_calls(s, index);
}

// --- Datagrams ---

// Such a peer is a newcomer, a member that our next view names, or a former one: a host that others
// have replaced. That host would take an ack for a sign that we have its views, so there is none
// before a JOIN.
static bool has_not_asked(const PeerLink &link)
{
    return link.role == PeerRole::unidentified && !link.has_asked;
}

static void note_accepted(Session &s, const Arrival &arrival, const Address &source)
{
    if (s.records.journal)
        note_packet(s, arrival.connection, NoteKind::accepted, arrival.packet.number);
    note_source(s, arrival.connection, source, arrival.packet.number);
}

static void receive_datagram(Session &s, const Datagram &datagram)
{
    s.guard.context.doing = {};
    const bool room = events_room(s);
    // Dropped as if it had been lost: it is not acked, and its content comes again.
    if (!room) return;
    const Arrival arrival = endpoint::receive(*s.endpoint, datagram, s.now_us);
    if (arrival.handling == Handling::opened) open_link(s, arrival.connection, arrival.answered_us);
    if (arrival.handling == Handling::breach) charge(s, arrival.connection, Breach::malformed);
    if (arrival.handling != Handling::opened && arrival.handling != Handling::packet) return;
    wake(s, arrival.connection);
    const PeerLink &from = peer_link(s, arrival.connection);
    s.guard.context.doing.peer = from.peer;
    // The sender may be a member that our next view names. Without an ack it sends this again.
    if (from.role == PeerRole::unidentified && arrival.packet.unreliable_count > 0) return;
    // Without a look at its messages the packet counts as lost.
    if (arrival.packet.unreliable_count > 0 && is_over_budget(s, from)) return;
    const PacketDisposition accepted = packet_disposition(s, from, arrival.packet);
    if (accepted == PacketDisposition::drop) {
        endpoint::count_bad_datagram(*s.endpoint);
        return charge(s, arrival.connection, Breach::malformed);
    }
    Connection &c = endpoint::at(*s.endpoint, arrival.connection);
    // The UPDATEs may be about objects or tenures that a message that still waits will create.
    // Without an ack they come again, after that message.
    const bool early = accepted == PacketDisposition::accept_unacked ||
                       (from.stream_waits && arrival.packet.unreliable_count > 0);
    const bool is_stranger = has_not_asked(from);
    const auto acking = early || is_stranger ? connection::Acking::no : connection::Acking::yes;
    if (!connection::accept(c, arrival.packet, s.now_us, acking)) return;
    if (!early && !is_stranger) note_accepted(s, arrival, datagram.address);
    take_notices(s, arrival.connection, arrival.packet, early);
    if (room && !early) take_unreliable(s, arrival.connection, arrival.packet, datagram.address);
    drain_streams(s, arrival.connection);
    if (!is_stranger || has_not_asked(from)) return;
    if (endpoint::handshake_state(*s.endpoint, arrival.connection) != HandshakeState::open) return;
    connection::acknowledge(c, arrival.packet, s.now_us);
    note_accepted(s, arrival, datagram.address);
}

// Datagrams that relays have forwarded to us. take_path_message() adds none from a bridged source,
// so the list does not grow meanwhile.
static void receive_bridged(Session &s)
{
    for (uint32_t i = 0; i < s.bridge.count; ++i) {
        const BridgedDatagram &d = s.bridge.datagrams[i];
        if (d.carrier != PeerId::none) continue;
        receive_datagram(
            s, {address::bridged(d.via, d.from), {s.bridge.memory + d.first, d.size_bytes}});
    }
}

static void receive_as_sent(Session &s, std::span<const Datagram> datagrams)
{
    uint16_t places[datagram_order::datagrams_max];
    while (!datagrams.empty()) {
        const size_t count = std::min(datagrams.size(), datagram_order::datagrams_max);
        const std::span<uint16_t> order(places, count);
        datagram_order::sort(datagrams.first(count), order);
        for (const uint16_t place : order)
            receive_datagram(s, datagrams[place]);
        datagrams = datagrams.subspan(count);
    }
}

static bool members_rest(const Session &s)
{
    const bool rest = s.now_us < s.connections.members_rest_until_us;
    TERN_SLOW_ASSERT(!rest || s.now_us < members_rest_until_us(s), "a member needs attention");
    return rest;
}

static void update_members(Session &s)
{
    update_outages(s);
    remove_guilty(s);
    update_deadlines(s);
    seek_former(s);
}

// The host, which we ask for the leases.
static void wake_asked_host(Session &s)
{
    if (!replica::asks_for_leases(*s.replica)) return;
    const ConnectionIndex index = link_to(s, replica::host(*s.replica));
    if (index != no_connection) wake(s, index);
}

static void receive_all(Session &s, std::span<const Datagram> datagrams)
{
    for (ConnectionIndex i = 0; i < s.connections.used; ++i)
        if (!rests(s, i)) drain_streams(s, i); // Messages that had no room in the last tick.
    receive_as_sent(s, datagrams);
    receive_bridged(s);
    s.guard.context.doing = {};
    update_links(s);
    if (s.state == State::joining) update_joining(s);
    const bool rest = members_rest(s);
    if (!rest) update_members(s);
    replica::end_receive(*s.replica);
    copy_replica_events(s);
    if (s.state == State::joining) report_progress(s);
    if (!rest || !members_rest(s)) {
        reconcile_links(s);
        s.connections.members_rest_until_us = members_rest_until_us(s);
    }
    update_open_calls(s);
    wake_asked_host(s);
}

static void go_on_in_time(Session &s)
{
    const uint64_t after_us = uint64_t{s.config.go_on_after_ms} * 1000;
    if (s.state == State::cut_off && after_us != 0 && s.now_us - s.watch.cut_off_us >= after_us)
        begin_another(s);
}

// Parts that have removed each other cannot come back, so the connections are closed. Those to
// other members of this part are made anew.
static void be_cut_off(Session &s)
{
    s.watch.cut_off_us = s.now_us;
    enter_state(s, State::cut_off, "%s", sentence(State::cut_off));
    if (s.replica->fault == Fault::none) return replica::ask_about_goodbyes(*s.replica);
    end_all_links(s, CloseReason::cut_off);
    for (const uint16_t slot : s.replica->order.all())
        if (const Member &member = s.replica->members[slot];
            member.id != s.replica->self && !member.fenced)
            replica::rewind(*s.replica, member.id);
}

// To others a game that forgets send() looks like a dead peer. The text of an open session says so,
// and a leaving one ends all the same.
static void follow_silence(Session &s)
{
    Accounts &a = s.accounts;
    if (a.sent_us == 0) a.sent_us = s.now_us;
    a.receives += 1;
    if (!forgets_send(s, s.now_us)) return;
    if (s.state == State::open)
        std::snprintf(s.text, sizeof s.text, "The session is open, but others receive nothing. %s",
                      explained_silence);
    const uint64_t end_us = s.deadline_us + (s.says_goodbye ? 0 : leave_time_us);
    if (s.state != State::leaving || s.now_us < end_us) return;
    enter_state(s, State::left, "Left the session%s%s",
                s.says_goodbye ? "." : " without a goodbye. ",
                s.says_goodbye ? "" : explained_silence);
    end_all_links(s, CloseReason::left);
}

static void follow_replica(Session &s)
{
    const Fault fault = s.replica->fault;
    if (s.state == State::leaving && fault != Fault::none) { // Nobody is left to wait for.
        if (!s.says_goodbye) s.deadline_us = std::min(s.deadline_us, s.now_us);
        return;
    }
    const bool was_let_in = s.replica->phase == Phase::in; // Perhaps in this tick.
    if (fault == Fault::host_lost ||
        (s.joining.joins_again && s.state == State::joining && !was_let_in))
        return start_over(s);
    if (s.joining.joins_again && is_in(s)) return join_again(s);
    if (fault == Fault::minority && s.state != State::cut_off) return be_cut_off(s);
    if (fault == Fault::minority) return;
    if (fault == Fault::removed) return fail(s, State::removed);
    if (fault != Fault::none) return fail(s, State::overflow);
    if (s.state == State::joining && s.replica->phase == Phase::in)
        enter_state(s, State::open, "The session is open.");
    const bool cut_off = is_in(s) && is_cut_off(s);
    if (cut_off && s.state == State::open) be_cut_off(s);
    if (!cut_off && s.state == State::cut_off) enter_state(s, State::open, "The session is open.");
}

}

}

using namespace tern;

tern_result tern_receive(tern_session *session, const tern_datagram *arrived, size_t count,
                         uint64_t now_us)
{
    const misuse::Entry entry = misuse::change(session, "receive");
    if (!entry || !misuse::goes_on_in_time(entry, now_us)) return TERN_MISUSE;
    if (!misuse::is_given(entry, "datagrams", arrived, count)) return TERN_MISUSE;
    Session &s = *session;
    const std::span<const Datagram> datagrams(to_cpp(arrived), count);
    s.now_us = now_us;
    session::record_received(s, datagrams);
    s.events.count = s.events.replica_count = 0;
    s.calls.arena.used_bytes = 0;
    session::clear_bridged(s);
    session::forget_former_world(s);
    replica::begin_receive(*s.replica, now_us);
    if (s.state == State::joining || session::is_in(s) || s.state == State::leaving) {
        session::receive_all(s, datagrams);
        session::follow_replica(s);
        session::go_on_in_time(s);
        session::follow_silence(s);
    }
    session::refresh_optimistic(s);
    session::log_events(s);
    return TERN_OK;
}
