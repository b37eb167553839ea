// send(): turns changes into datagrams. For each connection, the replica's messages are put into
// the world stream, then packets are built from acks, stream bytes, calls, SNAPSHOTs and UPDATEs.
#include "rpc/call_routing.h"
#include "session/bridge.h"
#include "session/journal.h"
#include "session/misuse.h"
#include "session/notices.h"
#include "session/peer_links.h"
#include "session/recording/recording.h"
#include "session/session.h"
#include "session/traffic.h"
#include "tern/limits.hpp"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tern {
namespace session {

static uint64_t unsent_bytes(const Connection &c)
{
    return connection::queued_offset(c, StreamId::world) -
           connection::sent_offset(c, StreamId::world);
}

static void fill_stream(Session &s, ConnectionIndex index)
{
    PeerLink &p = peer_link(s, index);
    Connection &c = endpoint::at(*s.endpoint, index);
    uint64_t *ends = s.connections.message_ends + size_t{index} * unacked_messages_max;
    const std::span<std::byte> buffer(s.connections.message_buffer, stream_message_bytes_max);
    while (p.message_count < unacked_messages_max && unsent_bytes(c) < unsent_bytes_max &&
           connection::queue_room_bytes(c, StreamId::world) >= stream_message_bytes_max) {
        const size_t size = replica::next_message(*s.replica, p.peer, buffer);
        if (size == 0) return;
        const bool queued = connection::queue_message(c, StreamId::world, buffer.first(size));
        TERN_ASSERT(queued, "%zu bytes", size);
        ends[(p.message_first + p.message_count) % unacked_messages_max] =
            connection::queued_offset(c, StreamId::world);
        p.message_count += 1;
        if (s.records.journal) note_queued(s, index, buffer.first(size));
    }
}

static bool is_for(const UnreliableCall &call, PeerId peer)
{
    return call.to == peer || (call.to == PeerId::everyone && call.except != peer);
}

// Adds calls for this peer, from number `next` on, as long as they fit. Returns the number of the
// first that did not fit.
static uint32_t add_calls(const Session &s, Charges &charges, const PeerLink &p, Packet &packet,
                          uint32_t next)
{
    for (; next < s.calls.unreliable_count; ++next) {
        const UnreliableCall &call = s.calls.unreliable[next];
        if (!is_for(call, p.peer)) continue;
        const std::span<std::byte> room = connection::unreliable_room(packet);
        if (room.size() < call.size_bytes) return next;
        std::memcpy(room.data(), s.calls.unreliable_memory + call.first, call.size_bytes);
        charge_call(s, charges, room.first(call.size_bytes));
        connection::add_unreliable(packet, UnreliableKind::call, call.size_bytes);
    }
    return next;
}

static bool has_call(const Session &s, const PeerLink &p, uint32_t next)
{
    for (; next < s.calls.unreliable_count; ++next)
        if (is_for(s.calls.unreliable[next], p.peer)) return true;
    return false;
}

// False: nothing is left to send, or nothing fits.
static bool add_updates(Session &s, uint32_t part, PeerId to, Packet &packet)
{
    Replica &r = *s.replica;
    std::span<std::byte> room = connection::unreliable_room(packet);
    const size_t snapshot = replica::write_snapshot(r, to, packet.number, room, part);
    if (snapshot > 0) {
        connection::add_unreliable(packet, UnreliableKind::snapshot, snapshot);
        room = connection::unreliable_room(packet);
    }
    if (room.empty()) return true;
    const size_t updates = replica::write_updates(r, to, packet.number, room, part);
    if (updates > 0) connection::add_unreliable(packet, UnreliableKind::updates, updates);
    return snapshot > 0 || updates > 0;
}

// May run in parallel with other parts: it writes to this connection and to its part only.
static void send_packets(Session &s, SendPart &part, ConnectionIndex index, bool is_host)
{
    PeerLink &p = peer_link(s, index);
    part.context.doing.peer = p.peer;
    Connection &c = endpoint::at(*s.endpoint, index);
    const bool play = p.role == PeerRole::member;
    bool updates_left = play;
    bool notice = has_notice(s, p, is_host);
    uint32_t next_call = 0, next_bridged = 0;
    for (uint32_t i = 0; i < s.connections.packets_per_tick && connection::has_budget(c, s.now_us);
         ++i) {
        const bool updates = updates_left && replica::has_updates(*s.replica, p.peer);
        const bool call = play && has_call(s, p, next_call);
        const bool bridged = play && has_bridged(s, p.peer, next_bridged);
        const bool any =
            updates || call || bridged || (notice && notice_needs_packet(s, p, is_host));
        if (!any && !connection::wants_packet(c, s.now_us)) return;
        const std::span<std::byte> datagram = endpoint::place(part.datagram_buffer);
        if (datagram.empty()) return;
        // A backlog on the streams leaves half of each packet to UPDATEs.
        size_t stream_bytes = updates ? datagram_bytes_max / 2 : datagram_bytes_max;
        if (bridged) stream_bytes = 0;
        Packet packet = connection::begin_packet(c, datagram, stream_bytes, s.now_us);
        if (bridged) next_bridged = add_bridged(s, p.peer, packet, next_bridged);
        if (notice) notice = !add_notices(s, *part.charges, p, packet, is_host);
        if (call) next_call = add_calls(s, *part.charges, p, packet, next_call);
        const std::span<std::byte> room = connection::unreliable_room(packet);
        if (updates && !room.empty()) {
            updates_left = add_updates(s, part.number, p.peer, packet);
        }
        const std::span<const std::byte> bytes = connection::finish_packet(c, packet, s.now_us);
        if (bytes.empty()) return;
        if (s.records.journal) note_packet(s, index, NoteKind::sealed, packet.number);
        endpoint::push(part.datagram_buffer, connection::address(c), bytes.size());
    }
}

// Whether the members have acked everything of ours: messages, UPDATEs, reliable calls.
static bool all_acked(const Session &s)
{
    for (const Member &member : s.replica->members.all()) {
        if (member.id == PeerId::none || member.id == s.replica->self || member.fenced) continue;
        if (!replica::all_acked(*s.replica, member.id)) return false;
        const ConnectionIndex index = link_to(s, member.id);
        if (index == no_connection) continue;
        const Connection &c = endpoint::at(*s.endpoint, index);
        if (connection::acked_offset(c, StreamId::calls) !=
            connection::queued_offset(c, StreamId::calls))
            return false;
    }
    return true;
}

static void update_leaving(Session &s)
{
    if (!s.says_goodbye && (all_acked(s) || s.now_us >= s.deadline_us)) {
        s.says_goodbye = true;
        s.deadline_us = s.now_us + leave_time_us;
    } else if (s.says_goodbye) {
        bool ended = true;
        for (ConnectionIndex i = 0; i < s.connections.count; ++i)
            ended = ended && s.connections.links[i].role == PeerRole::none;
        if (ended || s.now_us >= s.deadline_us)
            return enter_state(s, State::left, "Left the session.");
    }
    // Repeated in each tick: a peer may have connected since the last one.
    if (s.says_goodbye) end_all_links(s, CloseReason::left);
}

static bool is_open(const Session &s, ConnectionIndex index)
{
    return s.connections.links[index].role != PeerRole::none &&
           endpoint::handshake_state(*s.endpoint, index) == HandshakeState::open;
}

static bool is_bridged(const Session &s, ConnectionIndex index)
{
    return address::is_bridged(connection::address(endpoint::at(*s.endpoint, index)));
}

static void send_part(Session &s, SendPart &part, bool bridged)
{
    const bool is_host = replica::host(*s.replica) == s.replica->self;
    const AssertScope scope(part.context);
    for (uint32_t k = part.first; k < part.end; ++k) {
        const ConnectionIndex i = s.connections.awake[k];
        if (!is_open(s, i) || is_bridged(s, i) != bridged) continue;
        send_packets(s, part, i, is_host);
        rest(s, i);
    }
}

static void send_direct_part(void *session, uint32_t part)
{
    Session &s = *static_cast<Session *>(session);
    send_part(s, s.parts[part], false);
}

// The part of the session's outbox that begins at datagram number `first`.
static DatagramBuffer datagram_buffer_from(const Session &s, size_t first, size_t count_max)
{
    return {s.connections.datagram_buffer.bytes.subspan(first * datagram_bytes_max,
                                                        count_max * datagram_bytes_max),
            s.connections.datagram_buffer.datagrams.subspan(first, count_max), 0};
}

// The number of parts that build packets. One part, if connections are not independent: packets
// carry bridged datagrams of others, a journal has one order, or the outbox may not suffice.
static uint32_t part_count(const Session &s, uint32_t open_count)
{
    const size_t room =
        s.connections.datagram_buffer.datagrams.size() - s.connections.datagram_buffer.count;
    const bool any = s.bridge.count > 0 || s.records.journal ||
                     room < open_count * s.connections.packets_per_tick;
    return any ? 1 : std::clamp(open_count, 1u, s.config.parallel.parts);
}

// Divides the connections into parts with about as many open ones each. Returns their number.
static uint32_t divide(Session &s, bool bridged)
{
    uint32_t open_count = 0;
    for (uint32_t k = 0; k < s.connections.awake_count; ++k)
        open_count += is_open(s, s.connections.awake[k]);
    const uint32_t count = bridged ? 1 : part_count(s, open_count);
    size_t place = s.connections.datagram_buffer.count;
    uint32_t next = 0;
    for (uint32_t k = 0, done = 0; k < count; ++k) {
        SendPart &part = s.parts[k];
        part.first = next;
        const uint32_t done_before = done;
        while (next < s.connections.awake_count &&
               (k + 1 == count || done < open_count * (k + 1) / count))
            done += is_open(s, s.connections.awake[next++]);
        part.end = next;
        const size_t left = s.connections.datagram_buffer.datagrams.size() - place;
        const size_t most = size_t{done - done_before} * s.connections.packets_per_tick;
        part.datagram_buffer = datagram_buffer_from(s, place, count == 1 ? left : most);
        place += most;
    }
    return count;
}

// Joins the results of the parts in their order, so that the datagrams do not depend on their
// number.
static void join(Session &s, uint32_t part_count)
{
    for (SendPart &part : std::span(s.parts).first(part_count)) {
        Datagram *to =
            s.connections.datagram_buffer.datagrams.data() + s.connections.datagram_buffer.count;
        std::copy_n(part.datagram_buffer.datagrams.data(), part.datagram_buffer.count, to);
        s.connections.datagram_buffer.count += part.datagram_buffer.count;
        if (part.number > 0) charges::move(s.accounts.charges, part.own);
    }
}

static void wake_called(Session &s)
{
    for (uint32_t i = 0; i < s.calls.unreliable_count; ++i) {
        const UnreliableCall &call = s.calls.unreliable[i];
        if (call.to == PeerId::everyone) return wake_links(s);
        const ConnectionIndex index = link_to(s, call.to);
        if (index != no_connection) wake(s, index);
    }
}

// Lists the connections on which something may be due. Packets on any of them may carry bridged
// datagrams, so while there are some, no connection rests.
static void list_awake(Session &s)
{
    s.connections.awake_count = 0;
    uint32_t used_links = 0;
    for (ConnectionIndex i = 0; i < s.connections.used; ++i) {
        if (s.connections.rests[i].until_us != UINT64_MAX) used_links = i + 1u;
        const MemberSlot slot = s.connections.rests[i].slot;
        const bool is_quiet = rests(s, i) && s.bridge.count == 0 &&
                              (slot == no_member || !replica::has_news(*s.replica, slot));
        if (is_quiet) continue;
        if (s.connections.links[i].role == PeerRole::none)
            rest(s, i);
        else
            s.connections.awake[s.connections.awake_count++] = i;
    }
    s.connections.used = used_links;
}

static void send_connections(Session &s, bool bridged)
{
    for (uint32_t k = 0; k < s.connections.awake_count; ++k) {
        const ConnectionIndex i = s.connections.awake[k];
        if (!is_open(s, i)) continue;
        if (bridged) send_path_messages(s, i);
        if (s.connections.links[i].role == PeerRole::member && is_bridged(s, i) == bridged)
            fill_stream(s, i);
    }
    const uint32_t count = divide(s, bridged);
    if (count == 1)
        send_part(s, s.parts[0], bridged);
    else
        s.config.parallel.for_each(s.config.parallel.user, count, send_direct_part, &s);
    join(s, count);
}

static void send_all(Session &s)
{
    endpoint::send_handshakes(*s.endpoint, s.connections.datagram_buffer, s.now_us);
    wake_called(s);
    list_awake(s);
    send_connections(s, true); // First: direct connections carry their datagrams.
    queue_bridged(s);
    if (s.bridge.count > 0) list_awake(s);
    send_connections(s, false);
    clear_bridged(s);
    s.calls.unreliable_count = 0;
    s.calls.unreliable_bytes = 0;
}

// A game that sends without receiving joins for ever, as receive() alone knows when to give up.
static void ask_for_receive(Session &s)
{
    if (s.state != State::joining || s.deadline_us != 0 || s.joining.forgets) return;
    std::snprintf(s.text, sizeof s.text,
                  "Joining. receive() was not called since join(): call it in each tick, also if "
                  "nothing has arrived.");
}

static void send_tick(Session &s)
{
    replica::begin_send(*s.replica);
    if (s.state == State::leaving) update_leaving(s);
    ask_for_receive(s);
    send_all(s);
    replica::end_send(*s.replica);
}

}

}

using namespace tern;

size_t tern_send(tern_session *session, uint64_t now_us, const tern_datagram **datagrams)
{
    if (datagrams) *datagrams = nullptr;
    const misuse::Entry entry = misuse::change(session, "send");
    if (!entry || !misuse::is_given(entry, "datagrams", datagrams)) return 0;
    if (!misuse::goes_on_in_time(entry, now_us)) return 0;
    Session &s = *session;
    if (s.state == State::open && session::forgets_send(s, now_us))
        std::snprintf(s.text, sizeof s.text, "%s", session::sentence(State::open));
    s.now_us = s.accounts.sent_us = now_us;
    s.accounts.receives = 0;
    s.connections.datagram_buffer.count = 0;
    if (s.state != State::idle) session::send_tick(s);
    const std::span<const Datagram> sent =
        s.connections.datagram_buffer.datagrams.first(s.connections.datagram_buffer.count);
    for (const Datagram &datagram : sent)
        s.accounts.handed_out_bits += static_cast<int64_t>(datagram.bytes.size() * 8);
    TERN_SLOW_ASSERT(session::charged_bits(s) == s.accounts.handed_out_bits, "%lld bits, not %lld",
                     static_cast<long long>(session::charged_bits(s)),
                     static_cast<long long>(s.accounts.handed_out_bits));
    session::record_sent(s, sent);
    *datagrams = to_c(sent.data());
    return sent.size();
}
