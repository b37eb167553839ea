// traffic_rows(): which items this session's bits were spent on. Values and messages were charged
// where they were written. traffic_rows() adds what the transport counts, and subtracts what was
// not sent yet.
#include "session/traffic.h"

namespace tern {

namespace session {

static void add(Tally &sum, const Tally &part)
{
    sum.bytes += part.bytes;
    sum.count += part.count;
}

static Tallies sum_of_all(const Session &s)
{
    Tallies sum = {};
    sum.handshakes = endpoint::handshakes(*s.endpoint);
    for (ConnectionIndex i = 0; i < s.link_count; ++i) {
        const Connection *c = endpoint::ever_at(*s.endpoint, i);
        if (!c) continue;
        const Tallies &part = connection::tallies(*c);
        add(sum.packets, part.packets);
        add(sum.acks, part.acks);
        add(sum.pings, part.pings);
        add(sum.frames, part.frames);
        add(sum.repeated, part.repeated);
        sum.queued_bytes += part.queued_bytes;
        sum.fresh_bytes += part.fresh_bytes;
    }
    return sum;
}

static void set(Session &s, TrafficKind kind, uint64_t bytes, uint64_t count)
{
    charges::set(s.charges, kind, static_cast<int64_t>(bytes * 8), count);
}

void charge_bytes(Session &s, TrafficKind kind, size_t bytes)
{
    charges::add(s.charges, kind, static_cast<int64_t>(bytes * 8), 1);
}

int64_t charged_bits(const Session &s)
{
    int64_t sum = 0;
    for (const TrafficRow &row : traffic_rows(&s))
        sum += row.bits;
    return sum;
}

}

std::span<const TrafficRow> traffic_rows(const Session *session)
{
    // Rows that repeat other counters are filled in on request; nothing else of the session
    // changes.
    Session &s = *const_cast<Session *>(session);
    const Tallies sums = session::sum_of_all(s);
    session::set(s, TrafficKind::handshake, sums.handshakes.bytes, sums.handshakes.count);
    session::set(s, TrafficKind::header, sums.packets.count * data_header_bytes,
                 sums.packets.count);
    session::set(s, TrafficKind::tag, sums.packets.count * tag_bytes, sums.packets.count);
    session::set(s, TrafficKind::ack, sums.acks.bytes, sums.acks.count);
    session::set(s, TrafficKind::ping, sums.pings.bytes, sums.pings.count);
    session::set(s, TrafficKind::frame, sums.frames.bytes, sums.frames.count);
    session::set(s, TrafficKind::repeated, sums.repeated.bytes, sums.repeated.count);
    const uint64_t waiting_bytes = sums.queued_bytes - sums.fresh_bytes;
    const uint64_t not_bridged_bytes = s.bridge.own_bytes - s.bridge.carried_own_bytes;
    const uint64_t unsent_bytes = waiting_bytes + not_bridged_bytes;
    charges::set(s.charges, TrafficKind::unsent, -static_cast<int64_t>(unsent_bytes * 8), 0);
    return charges::rows(s.charges, s.types);
}

const char *to_text(TrafficKind kind)
{
    switch (kind) {
    case TrafficKind::create: return "CREATE";
    case TrafficKind::migrate: return "MIGRATE";
    case TrafficKind::relay: return "RELAY";
    case TrafficKind::grant: return "GRANT";
    case TrafficKind::report: return "REPORT";
    case TrafficKind::update: return "UPDATE";
    case TrafficKind::snapshot: return "SNAPSHOT";
    case TrafficKind::call: return "call";
    case TrafficKind::destroy: return "DESTROY";
    case TrafficKind::dead: return "the dead";
    case TrafficKind::claim: return "claims";
    case TrafficKind::membership: return "membership";
    case TrafficKind::join: return "joining";
    case TrafficKind::notice: return "notices";
    case TrafficKind::handshake: return "handshakes";
    case TrafficKind::header: return "headers";
    case TrafficKind::tag: return "seals";
    case TrafficKind::ack: return "acks";
    case TrafficKind::frame: return "framing";
    case TrafficKind::padding: return "padding";
    case TrafficKind::ping: return "pings";
    case TrafficKind::path: return "paths";
    case TrafficKind::forwarded: return "forwarded";
    case TrafficKind::repeated: return "repeated";
    case TrafficKind::unsent: return "unsent";
    }
    return "";
}

}
