// Calls between games: queued for whom they are for, or for the host of a star, which passes them
// on; and handed out in order.
#include "base/mutant.h"
#include "session/session.h"
#include <cstring>

namespace tern {
namespace session {

// In a star every call names a peer before the rest: to the host whom it is for, from the host who
// calls. docs/wire_format.md, "Calls".
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

static TypeStats &stats_of(Session &s, std::span<const std::byte> message)
{
    return s.call_stats[calls::type(is_star(s) ? message.subspan(route_bytes) : message)];
}

// --- Out ---

void count_sent_call(Session &s, std::span<const std::byte> message)
{
    TypeStats &stats = stats_of(s, message);
    stats.sent_bits += message.size() * 8;
    stats.sent_messages += 1;
}

static bool queue_reliable(Session &s, PeerId to, std::span<const std::byte> message)
{
    const ConnectionIndex index = path_to(s, to);
    if (index == no_connection) return false;
    Connection &c = endpoint::at(*s.endpoint, index);
    if (!connection::queue_message(c, StreamId::calls, message)) return false;
    count_sent_call(s, message);
    return true;
}

static bool queue_reliable_to_all(Session &s, std::span<const std::byte> message)
{
    bool any = false;
    for (PeerId peer : peers(&s))
        any = queue_reliable(s, peer, message) || any;
    return any;
}

static bool queue_unreliable(Session &s, PeerId to, PeerId except,
                             std::span<const std::byte> message)
{
    if (s.unreliable_call_count == unreliable_calls_max ||
        s.unreliable_bytes + message.size() > unreliable_call_memory_bytes)
        return false;
    std::memcpy(s.unreliable_memory + s.unreliable_bytes, message.data(), message.size());
    s.unreliable_calls[s.unreliable_call_count] = {to, except, s.unreliable_bytes,
                                                   static_cast<uint32_t>(message.size())};
    s.unreliable_call_count += 1;
    s.unreliable_bytes += static_cast<uint32_t>(message.size());
    return true;
}

// --- The host of a star passes on ---

// Whose queue is full takes its calls too slowly for all the others.
static void pass_on_to(Session &s, PeerId to, std::span<const std::byte> message)
{
    if (path_to(s, to) != no_connection && !queue_reliable(s, to, message))
        replica::give_up(*s.replica, to);
}

static void pass_on(Session &s, PeerId caller, PeerId to, std::span<const std::byte> call,
                    Reliability reliability)
{
    std::byte buffer[routed_call_bytes_max];
    const std::span<const std::byte> message = routed(buffer, caller, call);
    if (reliability == Reliability::unreliable) {
        queue_unreliable(s, to, caller, message); // Beyond the limit it is lost.
        return;
    }
    if (to != PeerId::everyone && TERN_MUTANT(call_passed_on_twice)) pass_on_to(s, to, message);
    if (to != PeerId::everyone) return pass_on_to(s, to, message);
    for (PeerId peer : peers(&s))
        if (peer != caller) pass_on_to(s, peer, message);
}

// --- In ---

bool is_call(const Session &s, std::span<const std::byte> message)
{
    if (!is_star(s)) return calls::check(s.types, message);
    return message.size() > route_bytes && route(message) != PeerId::none &&
           calls::check(s.types, message.subspan(route_bytes));
}

static void push_call(Session &s, PeerId from, const ReceivedCall &call)
{
    Event event = {};
    event.kind = EventKind::call;
    event.type = call.type;
    event.peer = from;
    event.arguments = call.arguments;
    event.argument_bytes = s.config.types[call.type].size_bytes;
    push_event(s, event);
}

static ReceivedCall hear(Session &s, PeerId caller, std::span<const std::byte> bytes)
{
    const ReceivedCall call = calls::read(s.types, bytes, s.calls);
    if (call.result == ReceivedCall::Result::ok) push_call(s, caller, call);
    return call;
}

static ReceivedCall deliver(Session &s, PeerId from, std::span<const std::byte> message,
                            Reliability reliability)
{
    const ReceivedCall nothing = {ReceivedCall::Result::ok, 0, nullptr};
    if (!is_star(s)) return hear(s, from, message);
    if (!is_call(s, message)) return {ReceivedCall::Result::malformed, 0, nullptr};
    const Replica &r = *s.replica;
    const PeerId peer = route(message);
    const std::span<const std::byte> call = message.subspan(route_bytes);
    if (replica::relays(r)) {
        if (peer == from) return {ReceivedCall::Result::malformed, 0, nullptr};
        ReceivedCall heard = nothing;
        if (peer == r.self || peer == PeerId::everyone) heard = hear(s, from, call);
        if (heard.result == ReceivedCall::Result::ok && peer != r.self)
            pass_on(s, from, peer, call, reliability);
        return heard;
    }
    const PeerId leader = replica::successor(r);
    // It takes us for the next host, which we are not yet.
    if (leader == r.self) return {ReceivedCall::Result::no_room, 0, nullptr};
    if (from != leader) return nothing;
    // Its view is on its way, on another stream.
    if (static_cast<uint16_t>(peer) > r.last_peer)
        return {ReceivedCall::Result::no_room, 0, nullptr};
    return replica::is_member(r, peer) ? hear(s, peer, call) : nothing; // It may have gone.
}

ReceivedCall take_call(Session &s, PeerId from, std::span<const std::byte> message,
                       Reliability reliability)
{
    const ReceivedCall call = deliver(s, from, message, reliability);
    if (call.result == ReceivedCall::Result::ok) {
        TypeStats &stats = stats_of(s, message);
        stats.received_bits += message.size() * 8;
        stats.received_messages += 1;
    }
    return call;
}

static bool queue_call(Session &s, PeerId to, std::span<const std::byte> call,
                       Reliability reliability)
{
    std::byte buffer[routed_call_bytes_max];
    std::span<const std::byte> message = call;
    PeerId next = to;
    if (is_star(s)) {
        const PeerId leader = replica::successor(*s.replica);
        const bool leads = leader == s.replica->self;
        message = routed(buffer, leads ? s.replica->self : to, call);
        if (!leads) next = leader;
    }
    if (reliability == Reliability::unreliable)
        return queue_unreliable(s, next, PeerId::none, message);
    if (next == PeerId::everyone) return queue_reliable_to_all(s, message);
    return queue_reliable(s, next, message);
}

}

bool call(Session *session, PeerId to, TypeId type, const void *arguments, size_t size_bytes,
          Reliability reliability)
{
    Session &s = *session;
    session::check_open(s);
    session::check_type(s, type, size_bytes);
    TERN_ASSERT(to != self(session), "a call to oneself");
    Record line = session::about(RecordKind::call, ObjectId::none, to);
    line.reliability = reliability;
    session::record_value(s, line, type, arguments);
    if (to != PeerId::everyone && !replica::is_member(*s.replica, to)) return false;
    alignas(16) std::byte value[struct_bytes_max];
    std::memcpy(value, arguments, size_bytes);
    std::byte buffer[call_bytes_max];
    const std::span<const std::byte> message(buffer, calls::write(s.types, type, value, buffer));
    return session::queue_call(s, to, message, reliability);
}

}
