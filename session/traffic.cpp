// The statistics of a session. traffic_rows() shows which items its bits were spent on: values and
// messages were charged where they were written; it adds what the transport counts, and subtracts
// what was not sent yet.
#include "session/traffic.h"
#include "session/misuse.h"
#include "session/peer_links.h"
#include "tern/diagnostics.hpp"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <numeric>

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
    for (ConnectionIndex i = 0; i < s.connections.count; ++i) {
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
    charges::set(s.accounts.charges, kind, static_cast<int64_t>(bytes * 8), count);
}

void charge_bytes(Session &s, TrafficKind kind, size_t bytes)
{
    charges::add(s.accounts.charges, kind, static_cast<int64_t>(bytes * 8), 1);
}

// Rows that repeat other counters are filled in on request; nothing else of the session changes.
static std::span<const TrafficRow> rows(const Session &session)
{
    auto &s = const_cast<Session &>(session);
    const Tallies sums = sum_of_all(s);
    set(s, TrafficKind::handshake, sums.handshakes.bytes, sums.handshakes.count);
    set(s, TrafficKind::header, sums.packets.count * data_header_bytes, sums.packets.count);
    set(s, TrafficKind::tag, sums.packets.count * tag_bytes, sums.packets.count);
    set(s, TrafficKind::ack, sums.acks.bytes, sums.acks.count);
    set(s, TrafficKind::ping, sums.pings.bytes, sums.pings.count);
    set(s, TrafficKind::frame, sums.frames.bytes, sums.frames.count);
    set(s, TrafficKind::repeated, sums.repeated.bytes, sums.repeated.count);
    const uint64_t waiting_bytes = sums.queued_bytes - sums.fresh_bytes;
    const uint64_t not_bridged_bytes = s.bridge.own_bytes - s.bridge.carried_own_bytes;
    const uint64_t unsent_bytes = waiting_bytes + not_bridged_bytes;
    charges::set(s.accounts.charges, TrafficKind::unsent, -static_cast<int64_t>(unsent_bytes * 8),
                 0);
    return charges::rows(s.accounts.charges);
}

int64_t charged_bits(const Session &s)
{
    int64_t sum = 0;
    for (const TrafficRow &row : rows(s))
        sum += row.bits;
    return sum;
}

}

}

using namespace tern;

size_t tern_traffic_rows(const tern_session *session, const tern_traffic_row **given)
{
    if (given) *given = nullptr;
    if (!misuse::Entry(session, "traffic_rows")) return 0;
    const std::span<const TrafficRow> rows = session::rows(*session);
    if (given) *given = to_c(rows.data());
    return rows.size();
}

// --- Statistics ---

static Stats stats_of(const Session *session, PeerId peer)
{
    const ConnectionIndex index = session::link_to(*session, peer);
    const MemberSlot slot = replica::find_member(*session->replica, peer);
    Stats stats = {};
    if (index != no_connection) stats = connection::stats(endpoint::at(*session->endpoint, index));
    if (slot != no_member && session->watch.breaches[slot].id == peer) {
        const auto &counts = session->watch.breaches[slot].counts;
        std::copy(std::begin(counts), std::end(counts), stats.breaches);
    }
    if (replica::has_equivocated(*session->replica, peer))
        stats.breaches[static_cast<size_t>(Breach::equivocated)] = 1;
    if (index == no_connection) return stats;
    stats.bridged =
        address::is_bridged(connection::address(endpoint::at(*session->endpoint, index)));
    return stats;
}

tern_result tern_get_peer_stats(const tern_session *session, tern_peer peer, tern_peer_stats *stats)
{
    const misuse::Entry entry(session, "peer_stats");
    if (!entry || !misuse::is_sized(entry, stats)) return TERN_MISUSE;
    return sized::give(stats_of(session, PeerId{peer}), stats);
}

tern_result tern_get_session_stats(const tern_session *session, tern_session_stats *given)
{
    const misuse::Entry entry(session, "session_stats");
    if (!entry || !misuse::is_sized(entry, given)) return TERN_MISUSE;
    const Replica &r = *session->replica;
    SessionStats stats = {};
    stats.bad_datagrams = endpoint::bad_datagrams(*session->endpoint);
    stats.objects = r.world.alive;
    for (const KnownObject &object : r.world.slots.all())
        stats.owned += object.life == Life::alive && object.owner == r.self;
    stats.migrations = r.term.migrations;
    stats.dead_ranges = r.world.dead.count;
    stats.forwarded_datagrams = session->bridge.forwarded_datagrams;
    stats.forwarded_bytes = session->bridge.forwarded_bytes;
    stats.not_forwarded = session->bridge.not_forwarded;
    stats.refused_full = session->accounts.refused_full;
    stats.refused_types = session->accounts.refused_types;
    stats.refused_calls = session->calls.refused_count;
    return sized::give(stats, given);
}

tern_result tern_get_type_stats(const tern_session *session, tern_type_id type,
                                tern_type_stats *stats)
{
    const misuse::Entry entry(session, "type_stats");
    if (!entry || !misuse::has_type(entry, type) || !misuse::is_sized(entry, stats))
        return TERN_MISUSE;
    const charges::TypeSum sent = charges::sum(session->accounts.charges, type);
    const Received &calls = session->calls.received[type];
    const Received &objects = session->replica->world.received[type];
    TypeStats all = {};
    all.sent_bits = sent.bits;
    all.received_bits = calls.bits + objects.bits;
    all.sent_messages = sent.count;
    all.received_messages = calls.count + objects.count;
    return sized::give(all, stats);
}

const char *tern_traffic_kind_text(tern_traffic_kind kind)
{
    switch (TrafficKind{kind}) {
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
