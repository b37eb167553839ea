#include "rpc/call_routing.h"
#include "rpc/call_retry.h"
#include "rpc/call_rules.h"
#include "session/membership.h"
#include "session/misuse.h"
#include "session/peer_links.h"
#include "session/recording/recording.h"
#include "session/session.h"
#include "tern/calls.hpp"
#include "tern/limits.hpp"
#include <cstring>

namespace tern {
namespace session {

// In a star each call begins with a PeerId: towards the host the peer that it is for, from the host
// the caller. docs/wire_format.md, "Calls".
static constexpr size_t route_bytes = 2;
static constexpr size_t routed_call_bytes_max = route_bytes + call_bytes_max;

static bool is_star(const Session &s)
{
    return s.config.topology == Topology::star;
}

static PeerId route(std::span<const std::byte> message)
{
    BitReader reader = bits::reader(message);
    return static_cast<PeerId>(bits::read(reader, 16));
}

static std::span<const std::byte> routed(std::span<std::byte> buffer, PeerId peer,
                                         std::span<const std::byte> call)
{
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint16_t>(peer), 16);
    bits::write_bytes(w, call);
    return buffer.first(route_bytes + call.size());
}

static std::span<const std::byte> unrouted(const Session &s, std::span<const std::byte> message)
{
    return is_star(s) ? message.subspan(route_bytes) : message;
}

// --- Sending ---

void charge_call(const Session &s, Charges &charges, std::span<const std::byte> message)
{
    calls::charge(s.types, unrouted(s, message), message.size() * 8, charges);
}

static bool queue_reliable(Session &s, PeerId to, std::span<const std::byte> message)
{
    const ConnectionIndex index = link_to(s, to);
    if (index == no_connection) return false;
    Connection &c = endpoint::at(*s.endpoint, index);
    if (!connection::queue_message(c, StreamId::calls, message)) return false;
    wake(s, index);
    charge_call(s, s.accounts.charges, message);
    return true;
}

// Whether a reliable call of this size finds room in the queue to a member. Also true if there is
// no connection to it.
static bool has_room(const Session &s, PeerId to, size_t size_bytes)
{
    const ConnectionIndex index = link_to(s, to);
    return index == no_connection || connection::queue_room_bytes(endpoint::at(*s.endpoint, index),
                                                                  StreamId::calls) >= size_bytes;
}

static bool queue_reliable_to_all(Session &s, std::span<const std::byte> message)
{
    const std::span<const PeerId> others = other_members(s);
    for (PeerId peer : others)
        if (!has_room(s, peer, message.size())) return false; // To all of them, or to none.
    bool any = others.empty(); // A game that is alone does not try again.
    for (PeerId peer : others)
        any = queue_reliable(s, peer, message) || any;
    return any;
}

static bool queue_unreliable(Session &s, PeerId to, PeerId except,
                             std::span<const std::byte> message)
{
    if (s.calls.unreliable_count == unreliable_calls_max ||
        s.calls.unreliable_bytes + message.size() > unreliable_call_memory_bytes)
        return false;
    std::memcpy(s.calls.unreliable_memory + s.calls.unreliable_bytes, message.data(),
                message.size());
    s.calls.unreliable[s.calls.unreliable_count] = {to, except, s.calls.unreliable_bytes,
                                                    static_cast<uint32_t>(message.size())};
    s.calls.unreliable_count += 1;
    s.calls.unreliable_bytes += static_cast<uint32_t>(message.size());
    return true;
}

static PeerId next_hop(const Session &s, PeerId to)
{
    if (!is_star(s)) return to;
    const PeerId leader = replica::successor(*s.replica);
    return leader == s.replica->self ? to : leader;
}

uint64_t connection_epoch_to(const Session &s, PeerId peer)
{
    const ConnectionIndex index = link_to(s, next_hop(s, peer));
    return index == no_connection ? 0 : s.connections.links[index].connection_epoch;
}

bool queue_call(Session &s, PeerId to, std::span<const std::byte> call, Reliability reliability)
{
    std::byte buffer[routed_call_bytes_max];
    const PeerId next = next_hop(s, to);
    const bool leads = replica::successor(*s.replica) == s.replica->self;
    std::span<const std::byte> message = call;
    if (is_star(s)) message = routed(buffer, leads ? s.replica->self : to, call);
    if (reliability == Reliability::unreliable)
        return queue_unreliable(s, next, PeerId::none, message);
    if (next == PeerId::everyone) return queue_reliable_to_all(s, message);
    return queue_reliable(s, next, message);
}

// --- Forwarding at the host of a star ---

static Allowance &forwards_of(Session &s, PeerId caller)
{
    CallRate &rate = s.calls.forward_rates[replica::find_member(*s.replica, caller)];
    const uint32_t per_second = s.config.forward_bytes_per_second_max;
    if (rate.caller != caller) rate = {caller, allowance::make(per_second, per_second)};
    return rate.allowance;
}

static ForwardShare &share_of(const Session &s, MemberSlot to, PeerId caller)
{
    return s.calls
        .forward_shares[size_t{to} * s.config.peers_max + replica::find_member(*s.replica, caller)];
}

static void note_forwarded(Session &s, PeerId to, PeerId caller, size_t size_bytes)
{
    const ConnectionIndex index = link_to(s, to);
    if (index == no_connection) return;
    const Connection &c = endpoint::at(*s.endpoint, index);
    const MemberSlot slot = replica::find_member(*s.replica, to);
    ForwardQueue &queue = s.calls.forward_queues[slot];
    const bool is_empty = connection::acked_offset(c, StreamId::calls) ==
                          connection::queued_offset(c, StreamId::calls);
    if (is_empty || queue.round == 0) queue = {queue.round + 1, 0, 0};
    ForwardShare &share = share_of(s, slot, caller);
    if (share.round != queue.round) {
        share = {queue.round, 0};
        queue.callers += 1;
    }
    share.bytes += size_bytes;
    queue.bytes += size_bytes;
}

// Whether a call finds room in the queue to a member. A caller that has had more than an equal
// share of the queue leaves half of it to the others, and to one more.
static bool has_room_for(const Session &s, PeerId to, PeerId caller, size_t size_bytes)
{
    if (link_to(s, to) == no_connection) return true;
    const MemberSlot slot = replica::find_member(*s.replica, to);
    const ForwardQueue &queue = s.calls.forward_queues[slot];
    const ForwardShare &share = share_of(s, slot, caller);
    const bool has_more =
        share.round == queue.round && share.bytes * (queue.callers + 1) > queue.bytes;
    return has_room(s, to, size_bytes + (has_more ? call_queue_bytes_max / 2 : 0));
}

// Whether the call is within the caller's rate, and the recipients have room for it. If not, it
// waits in its caller's stream, and the caller's own queue fills up, until call() returns false
// there.
static bool can_pass_on(Session &s, PeerId caller, PeerId to, size_t size_bytes)
{
    if (allowance::left(forwards_of(s, caller), s.now_us) < size_bytes) return false;
    if (to != PeerId::everyone) return has_room_for(s, to, caller, size_bytes);
    for (PeerId peer : other_members(s))
        if (peer != caller && !has_room_for(s, peer, caller, size_bytes)) return false;
    return true;
}

// Call it only with room. Without a connection the member gets nothing: it has gone.
static void pass_on_to(Session &s, PeerId to, std::span<const std::byte> message)
{
    const bool queued = queue_reliable(s, to, message);
    TERN_ASSERT(queued || link_to(s, to) == no_connection, "no room for %zu bytes", message.size());
}

static void pass_on(Session &s, PeerId caller, PeerId to, std::span<const std::byte> call,
                    Reliability reliability)
{
    std::byte buffer[routed_call_bytes_max];
    const std::span<const std::byte> message = routed(buffer, caller, call);
    const auto size_bytes = static_cast<uint32_t>(message.size());
    const bool within = allowance::take(forwards_of(s, caller), s.now_us, size_bytes);
    if (reliability == Reliability::unreliable) {
        if (!within) return;
        queue_unreliable(s, to, caller, message); // Lost if there is no room.
        return;
    }
    for (PeerId peer : other_members(s)) {
        if (peer == caller || (to != PeerId::everyone && peer != to)) continue;
        note_forwarded(s, peer, caller, message.size());
        pass_on_to(s, peer, message);
    }
}

// --- Receiving ---

bool read_call(const Session &s, std::span<const std::byte> message, ReceivedCall &call)
{
    call.message = message;
    call.route = PeerId::none;
    if (!is_star(s)) return calls::read(s.types, message, call);
    if (message.size() <= route_bytes) return false;
    call.route = route(message);
    return call.route != PeerId::none && calls::read(s.types, unrouted(s, message), call);
}

void push_call(Session &s, PeerId from, const CallHead &head, const void *arguments)
{
    Event event = {};
    event.kind = head.kind == CallKind::reply ? EventKind::reply : EventKind::call;
    const bool has_id = head.is_asked || head.kind == CallKind::reply;
    event.call = {.object = head.object,
                  .arguments = arguments,
                  .id = has_id ? head.id : CallId::none,
                  .failure = CallFailure::none,
                  .argument_bytes = static_cast<uint16_t>(s.config.types[head.type].size_bytes),
                  .type = head.type,
                  .peer = from};
    push_event(s, event);
}

// Sends the outcome of a call to its caller, in the name of `of`, the peer that was called.
static void answer(Session &s, PeerId caller, PeerId of, const CallHead &call, Outcome outcome)
{
    CallHead head = {};
    head.kind = CallKind::outcome;
    head.type = call.type;
    head.id = call.id;
    head.outcome = outcome;
    std::byte buffer[call_head_bytes_max];
    const std::span<const std::byte> message(buffer, calls::write(s.types, head, nullptr, buffer));
    std::byte whole[route_bytes + call_head_bytes_max];
    const PeerId who = of == PeerId::everyone ? s.replica->self : of;
    if (replica::relays(*s.replica))
        pass_on_to(s, caller, routed(whole, who, message));
    else
        queue_call(s, caller, message, Reliability::reliable);
}

// Whether an outcome for the caller finds room in the queue. Also true if there is no connection:
// then the caller has gone, and no answer is due.
static bool room_for_answer(const Session &s, PeerId caller)
{
    const bool leads = !is_star(s) || replica::relays(*s.replica);
    return has_room(s, leads ? caller : replica::successor(*s.replica),
                    route_bytes + call_head_bytes_max);
}

static bool has_outcome(CallKind kind)
{
    return kind == CallKind::owner_call || kind == CallKind::host_call;
}

static void settle(Session &s, PeerId from, const CallHead &head, const void *arguments)
{
    if (head.kind == CallKind::reply)
        settle_reply(s, from, head, arguments);
    else
        settle_outcome(s, from, head);
}

// Judges a call for us, for everyone, or for another member of a star, and delivers it if it is for
// us.
static Delivery judge_and_deliver(Session &s, PeerId caller, PeerId callee,
                                  const ReceivedCall &call, Reliability reliability)
{
    const uint64_t arena_before = s.calls.arena.used_bytes;
    const bool has_arguments = calls::has_arguments(call.head.kind);
    const void *arguments = has_arguments ? calls::keep(s.calls.arena, s.types, call) : nullptr;
    if (has_arguments && !arguments) return Delivery::waits;
    const bool is_ours = callee == s.replica->self || callee == PeerId::everyone;
    if (call.head.kind >= CallKind::reply) {
        if (is_ours) settle(s, caller, call.head, arguments);
        return Delivery::taken;
    }
    Judged judged = {Judgement::wait, Outcome::taken};
    if (room_for_answer(s, caller)) judged = judge(s, caller, callee, call, reliability);
    if (judged.judgement != Judgement::deliver || !is_ours) s.calls.arena.used_bytes = arena_before;
    if (judged.judgement == Judgement::wait) return Delivery::waits;
    if (judged.judgement == Judgement::refuse) {
        s.calls.refused_count += judged.outcome == Outcome::not_allowed;
        if (reliability == Reliability::reliable)
            answer(s, caller, callee, call.head, judged.outcome);
        return Delivery::refused;
    }
    if (!is_ours) return Delivery::taken;
    push_call(s, caller, call.head, arguments);
    if (has_outcome(call.head.kind)) answer(s, caller, callee, call.head, Outcome::taken);
    return Delivery::taken;
}

static Delivery deliver_and_forward(Session &s, PeerId from, const ReceivedCall &call,
                                    Reliability reliability)
{
    const PeerId peer = call.route;
    if (peer == from) return Delivery::malformed;
    // We have just become the host. The member connects to us soon, or is removed.
    const bool is_named = peer != PeerId::everyone && peer != s.replica->self;
    if (is_named && replica::is_member(*s.replica, peer) && link_to(s, peer) == no_connection)
        return Delivery::waits;
    const bool passes_on = reliability == Reliability::reliable && peer != s.replica->self;
    if (passes_on && !can_pass_on(s, from, peer, call.message.size())) return Delivery::waits;
    const Delivery delivery = judge_and_deliver(s, from, peer, call, reliability);
    if (delivery == Delivery::taken && peer != s.replica->self)
        pass_on(s, from, peer, unrouted(s, call.message), reliability);
    return delivery;
}

static Delivery deliver(Session &s, PeerId from, const ReceivedCall &call, Reliability reliability)
{
    const Replica &r = *s.replica;
    if (!is_star(s)) return judge_and_deliver(s, from, r.self, call, reliability);
    const PeerId leader = replica::successor(r);
    // The host is the member with the lowest id. A sender with a higher id than ours takes us for
    // the host; one with a lower id takes itself for it. The sender may have learned earlier than
    // we that the hosts before have gone; then the call waits until we know it, too.
    if (from > r.self)
        return replica::relays(r) ? deliver_and_forward(s, from, call, reliability)
                                  : Delivery::waits;
    if (from < leader) return Delivery::taken;
    if (from != leader) return Delivery::waits;
    // The caller is a newcomer, and the view that names it is on its way on another stream.
    if (static_cast<uint16_t>(call.route) > r.term.last_peer) return Delivery::waits;
    if (!replica::is_member(r, call.route)) return Delivery::taken; // The caller has left.
    return judge_and_deliver(s, call.route, r.self, call, reliability);
}

Delivery take_call(Session &s, PeerId from, const ReceivedCall &call, Reliability reliability)
{
    const Delivery delivery = deliver(s, from, call, reliability);
    if (delivery == Delivery::taken || delivery == Delivery::refused) {
        Received &received = s.calls.received[call.head.type];
        received.bits += call.message.size() * 8;
        received.count += 1;
    }
    return delivery;
}

}

}

using namespace tern;

// Whether this peer may call that one so.
static bool is_callable(const misuse::Entry &entry, PeerId to, Reliability reliability)
{
    if (to == entry.session->replica->self)
        return misuse::report(entry, "Do in the game what the call would do.",
                              "A peer does not call itself: peer %u is this one.",
                              static_cast<unsigned>(to));
    if (to == PeerId::host && reliability != Reliability::reliable)
        return misuse::report(
            entry, "Call the peer of host_peer() unreliably, or the present host reliably.",
            "Calls to the present host, whoever it is, are reliable.");
    return true;
}

tern_result tern_call(tern_session *session, tern_peer recipient, tern_type_id type,
                      const void *arguments, size_t size_bytes, tern_reliability how)
{
    const misuse::Entry entry = misuse::change(session, "call");
    if (!entry || !misuse::is_call(entry, type, arguments, size_bytes)) return TERN_MISUSE;
    Session &s = *session;
    const PeerId to{recipient};
    const auto reliability = static_cast<Reliability>(how);
    if (!is_callable(entry, to, reliability)) return TERN_MISUSE;
    Record line = session::about(RecordKind::call, ObjectId::none, to);
    line.reliability = reliability;
    session::record_value(s, line, type, arguments);
    const bool named = to == PeerId::everyone || to == PeerId::host;
    if (!named && !replica::is_member(*s.replica, to)) return TERN_GONE;
    alignas(16) std::byte value[struct_bytes_max];
    std::memcpy(value, arguments, size_bytes);
    if (!session::may_call(s, type, value)) return TERN_NOT_ALLOWED;
    if (to == PeerId::host) return session::call_host(s, type, value) ? TERN_OK : TERN_NO_ROOM;
    const CallHead head = session::head_of(s, CallKind::call, type, value);
    std::byte buffer[call_bytes_max];
    const std::span<const std::byte> message(buffer, calls::write(s.types, head, value, buffer));
    return session::queue_call(s, to, message, reliability) ? TERN_OK : TERN_NO_ROOM;
}
