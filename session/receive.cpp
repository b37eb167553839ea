// receive(): turns datagrams into events. Each datagram passes the endpoint, its connection, then
// the replica or the calls. After all datagrams come timeouts, and messages that have waited.
#include "base/mutant.h"
#include "rpc/call_retry.h"
#include "rpc/call_routing.h"
#include "session/admission.h"
#include "session/bridge.h"
#include "session/failure_detector.h"
#include "session/join_messages.h"
#include "session/joining.h"
#include "session/journal.h"
#include "session/optimistic.h"
#include "session/paths.h"
#include "session/recording.h"
#include "session/session.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstring>

namespace tern {
namespace session {

// --- Unreliable messages ---

static bool is_play(const Session &s, const Path &path)
{
    return path.tie == Tie::member && (s.state == State::open || s.state == State::leaving);
}

enum class Acceptance : uint8_t {
    whole,
    unacked, // Accept it without an ack and ignore its unreliable messages; they are sent again.
    nothing  // Drop the packet.
};

// Decides on a packet as a whole, before any part of it takes effect.
static Acceptance acceptance(Session &s, const Path &path, const OpenedPacket &packet)
{
    uint32_t snapshots = 0;
    Acceptance result = Acceptance::whole;
    for (size_t i = 0; i < packet.unreliable_count; ++i) {
        const UnreliableMessage &message = packet.unreliable[i];
        if (message.kind >= UnreliableKind::bridged && !is_way_message(message))
            return Acceptance::nothing;
        // Snapshots are decoded for members only, and an acked snapshot is a baseline at its
        // sender, so one that was not decoded must not be acked.
        if (path.tie != Tie::member && message.kind == UnreliableKind::snapshot)
            result = Acceptance::unacked;
        if (path.tie != Tie::member) continue; // Ignored: not in the roster, or not any more.
        if (message.kind == UnreliableKind::updates &&
            !replica::check_updates(*s.replica, path.peer, message.bytes))
            return Acceptance::nothing;
        if (message.kind == UnreliableKind::call && !is_call(s, message.bytes))
            return Acceptance::nothing;
        if (message.kind == UnreliableKind::clock && message.bytes.size() != 8)
            return Acceptance::nothing;
        if (message.kind != UnreliableKind::snapshot) continue;
        snapshots += 1;
        if (snapshots > 1) return Acceptance::nothing;
        const SnapshotCheck check = replica::check_snapshot(*s.replica, path.peer, message.bytes);
        if (check == SnapshotCheck::malformed) return Acceptance::nothing;
        if (check == SnapshotCheck::refused) result = Acceptance::unacked;
    }
    return result;
}

static void take_clock(Session &s, const Path &path, ConnectionIndex index,
                       std::span<const std::byte> bytes)
{
    if (path.peer != replica::host(*s.replica)) return;
    BitReader reader = bits::reader(bytes);
    const uint64_t host_us = bits::read(reader, 64);
    const uint32_t rtt_us = connection::stats(endpoint::at(*s.endpoint, index)).rtt_us;
    if (rtt_us == 0) return;
    const auto sample = static_cast<int64_t>(host_us + rtt_us / 2 - s.now_us);
    if (s.clock_rtt_us == 0 || rtt_us <= s.clock_rtt_us) {
        s.clock_rtt_us = rtt_us;
        s.clock_offset_us = sample;
    } else { // A slower sample is less exact, but it follows the drift of the clocks.
        s.clock_offset_us += (sample - s.clock_offset_us) / 16;
    }
}

static void take_unreliable(Session &s, ConnectionIndex index, const OpenedPacket &packet,
                            const Address &source)
{
    Path &from = path(s, index);
    for (size_t i = 0; i < packet.unreliable_count; ++i) {
        const UnreliableMessage &message = packet.unreliable[i];
        // The peer that we ask may count us as a member already, and challenge our address.
        if (from.tie == Tie::asking && message.kind == UnreliableKind::challenge)
            take_way_message(s, index, message, source);
        if (from.tie != Tie::member) return;
        if (message.kind == UnreliableKind::clock) take_clock(s, from, index, message.bytes);
        Verdict verdict = Verdict::ok;
        if (message.kind == UnreliableKind::updates)
            verdict = replica::receive_updates(*s.replica, from.peer, message.bytes);
        if (message.kind == UnreliableKind::snapshot)
            verdict = replica::receive_snapshot(*s.replica, from.peer, message.bytes);
        from.bad_messages += verdict == Verdict::forged || verdict == Verdict::malformed;
        if (message.kind == UnreliableKind::call && is_play(s, from) && events_room(s))
            take_call(s, from.peer, message.bytes, Reliability::unreliable);
        if (message.kind >= UnreliableKind::bridged) take_way_message(s, index, message, source);
    }
}

// --- Streams ---

static void drain_calls(Session &s, ConnectionIndex index)
{
    Connection &c = endpoint::at(*s.endpoint, index);
    Path &from = path(s, index);
    const size_t share_bytes = s.calls.memory.size() / s.path_count;
    while (is_play(s, from) && events_room(s)) {
        if (from.call_count == calls_per_tick_max || from.call_bytes >= share_bytes) return;
        const std::span<const std::byte> message = connection::peek_message(c, StreamId::calls);
        if (message.empty()) return;
        const ReceivedCall call = take_call(s, from.peer, message, Reliability::reliable);
        if (call.result == ReceivedCall::Result::no_room) return;
        if (call.result == ReceivedCall::Result::malformed) from.bad_messages += 1;
        from.call_count += 1;
        from.call_bytes += s.config.types[call.head.type].size_bytes;
        connection::consume_message(c, StreamId::calls);
    }
}

// False: the message stays where it is until the next tick.
static bool take_world_message(Session &s, ConnectionIndex index,
                               std::span<const std::byte> message)
{
    Path &from = path(s, index);
    switch (from.tie) {
    case Tie::stranger:
        if (from.has_asked && !(from.may_ask_again && is_join(message)))
            return false; // The stranger may soon be a member.
        return receive_from_stranger(s, index, message);
    case Tie::asking: receive_from_asked(s, index, message); return true;
    case Tie::member: {
        const PeerId peer = from.peer;
        if (receive_join_of_member(s, index, message)) return true;
        const Verdict verdict = replica::receive(*s.replica, peer, message);
        if (verdict != Verdict::later) from.heard_messages += 1;
        if (message[0] == static_cast<std::byte>(MessageKind::report_object))
            note_progress(s, peer);
        if (s.journal && verdict != Verdict::later) note_heard(s, index, peer, verdict, message);
        from.bad_messages += verdict == Verdict::malformed || verdict == Verdict::forged;
        copy_replica_events(s);
        return verdict != Verdict::later;
    }
    case Tie::none:
    case Tie::ending: break;
    }
    return true;
}

static void drain_streams(Session &s, ConnectionIndex index)
{
    while (events_room(s) && endpoint::contact(*s.endpoint, index) == Contact::open) {
        Connection &c = endpoint::at(*s.endpoint, index);
        const std::span<const std::byte> message = connection::peek_message(c, StreamId::world);
        path(s, index).behind = !message.empty();
        if (message.empty() || !take_world_message(s, index, message)) break;
        if (endpoint::contact(*s.endpoint, index) != Contact::open) return;
        connection::consume_message(c, StreamId::world);
    }
    if (endpoint::contact(*s.endpoint, index) == Contact::open) drain_calls(s, index);
}

// --- Datagrams ---

static void receive_datagram(Session &s, const Datagram &datagram)
{
    const bool room = events_room(s);
    // Dropped as if it had been lost: it is not acked, and its content comes again.
    if (!room && !TERN_MUTANT(acked_though_not_applied)) return;
    const Arrival arrival = endpoint::receive(*s.endpoint, datagram, s.now_us);
    if (arrival.handling == Handling::opened) open_path(s, arrival.connection);
    if (arrival.handling != Handling::opened && arrival.handling != Handling::packet) return;
    const Path &from = path(s, arrival.connection);
    // The sender may be a member that our next view names. Without an ack it sends this again.
    if (from.tie == Tie::stranger && arrival.packet.unreliable_count > 0) return;
    const Acceptance accepted = acceptance(s, from, arrival.packet);
    if (accepted == Acceptance::nothing) {
        endpoint::count_bad_datagram(*s.endpoint);
        return;
    }
    Connection &c = endpoint::at(*s.endpoint, arrival.connection);
    // The UPDATEs may be about objects or tenures that a message that still waits will create.
    // Without an ack they come again, after that message.
    const bool early =
        accepted == Acceptance::unacked ||
        (from.behind && arrival.packet.unreliable_count > 0 && !TERN_MUTANT(acked_too_early));
    const auto acking = early ? connection::Acking::no : connection::Acking::yes;
    if (!connection::accept(c, arrival.packet, s.now_us, acking)) return;
    if (s.journal && !early)
        note_packet(s, arrival.connection, NoteKind::accepted, arrival.packet.number);
    if (!early) note_source(s, arrival.connection, datagram.address, arrival.packet.number);
    if (room && !early) take_unreliable(s, arrival.connection, arrival.packet, datagram.address);
    drain_streams(s, arrival.connection);
}

// Datagrams that relays have forwarded to us. take_way_message() adds none from a bridged source,
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

static void receive_all(Session &s, std::span<const Datagram> datagrams)
{
    for (ConnectionIndex i = 0; i < s.path_count; ++i)
        drain_streams(s, i); // Messages that had no room in the last tick.
    for (const Datagram &datagram : datagrams)
        receive_datagram(s, datagram);
    receive_bridged(s);
    update_paths(s);
    if (s.state == State::joining) update_joining(s);
    update_absences(s);
    update_patience(s);
    replica::end_receive(*s.replica);
    copy_replica_events(s);
    if (s.state == State::joining) tell_progress(s);
    reconcile_paths(s);
    update_open_calls(s);
}

static void follow_replica(Session &s)
{
    const Fault fault = s.replica->fault;
    if (s.state == State::leaving && fault != Fault::none) { // Nobody is left to wait for.
        if (!s.says_goodbye) s.deadline_us = std::min(s.deadline_us, s.now_us);
        return;
    }
    if (fault == Fault::host_lost) return start_over(s);
    if (fault == Fault::minority) return fail(s, State::minority);
    if (fault == Fault::removed) return fail(s, State::removed);
    if (fault != Fault::none) return fail(s, State::overflow);
    if (s.state == State::joining && s.replica->phase == Phase::in)
        enter_state(s, State::open, "The session is open.");
}

}

std::span<const Event> receive(Session *session, std::span<const Datagram> datagrams,
                               uint64_t now_us)
{
    Session &s = *session;
    TERN_ASSERT(now_us >= s.now_us, "time went back by %llu us",
                static_cast<unsigned long long>(s.now_us - now_us));
    s.now_us = now_us;
    session::record_received(s, datagrams);
    session::hide_optimistic(s);
    s.event_count = s.replica_event_count = 0;
    s.calls.used_bytes = 0;
    session::clear_bridged(s);
    replica::begin_receive(*s.replica, now_us);
    if (s.state == State::joining || s.state == State::open || s.state == State::leaving) {
        session::receive_all(s, datagrams);
        session::follow_replica(s);
    }
    session::show_optimistic(s);
    return {s.events, s.event_count};
}

}
