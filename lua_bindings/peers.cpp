// The functions for peers: members, statistics, invites, and what only the host may do.
#include "lua_bindings/binding.h"
#include "tern/diagnostics.hpp"
#include "tern/host.hpp"
#include "tern/invites.hpp"
#include "tern/limits.hpp"
#include "tern/traffic.hpp"
#include <algorithm>
#include <cstdio>

namespace tern::lua {

static void push_peer(lua_State *L, PeerId peer)
{
    push_whole(L, static_cast<int64_t>(peer));
}

static int self(lua_State *L)
{
    push_peer(L, tern::local_peer(session({L, "self"})));
    return 1;
}

static int host(lua_State *L)
{
    push_peer(L, tern::host_peer(session({L, "host"})));
    return 1;
}

int peers_next(lua_State *L)
{
    const Arguments a = {L, "peers"};
    const std::span<const PeerId> all = tern::other_peers(session(a));
    const uint64_t seen = whole(a, 2, "control", 0, exact_max);
    if (seen >= all.size()) return 0;
    push_whole(L, static_cast<int64_t>(seen + 1));
    push_peer(L, all[seen]);
    return 2;
}

static int peers(lua_State *L)
{
    session({L, "peers"});
    push_anchor(L, anchor_peers_next);
    lua_pushvalue(L, 1);
    push_whole(L, 0);
    return 3;
}

static int peer_name(lua_State *L)
{
    const Arguments a = {L, "peer_name"};
    const Session *s = session(a);
    push_text(L, tern::peer_name(s, peer(a, 2, "peer")));
    return 1;
}

// --- Statistics: they fill the table of the last argument, or a new one ---

static int stats(lua_State *L)
{
    const Arguments a = {L, "stats"};
    const Session *s = session(a);
    const Stats stats = tern::peer_stats(s, peer(a, 2, "peer"));
    push_filled(a, 3,
                {{"rtt_us", stats.rtt_us},
                 {"rtt_variance_us", stats.rtt_variance_us},
                 {"sent_datagrams", stats.sent_datagrams},
                 {"sent_bytes", stats.sent_bytes},
                 {"received_datagrams", stats.received_datagrams},
                 {"received_bytes", stats.received_bytes},
                 {"lost_datagrams", stats.lost_datagrams},
                 {"malformed", stats.breaches[static_cast<size_t>(Breach::malformed)]},
                 {"forged", stats.breaches[static_cast<size_t>(Breach::forged)]},
                 {"over_quota", stats.breaches[static_cast<size_t>(Breach::over_quota)]},
                 {"equivocated", stats.breaches[static_cast<size_t>(Breach::equivocated)]},
                 {"datagram_bytes", stats.datagram_bytes}});
    lua_pushboolean(L, stats.bridged);
    lua_setfield(L, -2, "bridged");
    return 1;
}

static int session_stats(lua_State *L)
{
    const Arguments a = {L, "session_stats"};
    const SessionStats stats = tern::session_stats(session(a));
    return push_filled(a, 2,
                       {{"bad_datagrams", stats.bad_datagrams},
                        {"objects", stats.objects},
                        {"owned", stats.owned},
                        {"migrations", stats.migrations},
                        {"dead_ranges", stats.dead_ranges},
                        {"forwarded_datagrams", stats.forwarded_datagrams},
                        {"forwarded_bytes", stats.forwarded_bytes},
                        {"not_forwarded", stats.not_forwarded},
                        {"refused_full", stats.refused_full},
                        {"refused_types", stats.refused_types},
                        {"refused_calls", stats.refused_calls}});
}

static int type_stats(lua_State *L)
{
    const Arguments a = {L, "type_stats"};
    const Session *s = session(a);
    const TypeStats stats = tern::type_stats(s, type_id(a, 2, s));
    return push_filled(a, 3,
                       {{"sent_bits", stats.sent_bits},
                        {"received_bits", stats.received_bits},
                        {"sent_messages", stats.sent_messages},
                        {"received_messages", stats.received_messages}});
}

// A copy of a row, which must not read the session while it is pushed: see binding.h.
struct TrafficText {
    const char *kind;
    char type[128], field[128]; // "": none. Longer ones are cut.
    int64_t bits, count;
};

static TrafficText traffic_text(const Session *s, const TrafficRow &row)
{
    TrafficText copy = {tern::to_text(row.kind), "", "", row.bits, static_cast<int64_t>(row.count)};
    if (row.type == no_type) return copy;
    const Type &type = session_config(s).types[row.type];
    std::snprintf(copy.type, sizeof copy.type, "%s", type.name);
    if (row.field != no_field)
        std::snprintf(copy.field, sizeof copy.field, "%s", type.fields[row.field].name);
    return copy;
}

static void push_traffic(lua_State *L, const TrafficText &row)
{
    lua_createtable(L, 0, 5);
    lua_pushstring(L, row.kind);
    lua_setfield(L, -2, "kind");
    if (row.type[0] != 0) {
        lua_pushstring(L, row.type);
        lua_setfield(L, -2, "type");
    }
    if (row.field[0] != 0) {
        lua_pushstring(L, row.field);
        lua_setfield(L, -2, "field");
    }
    push_whole(L, row.bits);
    lua_setfield(L, -2, "bits");
    push_whole(L, row.count);
    lua_setfield(L, -2, "count");
}

// Returns a list of the rows that are not empty.
static int traffic(lua_State *L)
{
    const Arguments a = {L, "traffic"};
    const size_t count = tern::traffic_rows(session(a)).size();
    lua_newtable(L);
    int next = 1;
    for (size_t i = 0; i < count; ++i) {
        const Session *s = session(a); // A finalizer may have destroyed it.
        const TrafficRow row = tern::traffic_rows(s)[i];
        if (row.bits == 0 && row.count == 0) continue;
        push_traffic(L, traffic_text(s, row));
        lua_rawseti(L, -2, next++);
    }
    return 1;
}

void push_text(lua_State *L, const char *text)
{
    char copy[512];
    std::snprintf(copy, sizeof copy, "%s", text);
    lua_pushstring(L, copy);
}

void push_hex(lua_State *L, uint64_t number)
{
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    lua_pushstring(L, text);
}

static int digest(lua_State *L)
{
    push_hex(L, tern::world_digest(session({L, "digest"})));
    return 1;
}

static const char *const why_names[] = {
    "has_it",           "unknown",        "no_such_peer", "no_connection", "dead",
    "death_unacked",    "not_owned_here", "sent_by_host", "peer_joining",  "object_waits",
    "object_unacked",   "change_waits",   "no_budget",    "hidden",        "change_unacked",
    "claim_unanswered", "claim_refused",  "nothing_sent"};

static int explain(lua_State *L)
{
    const Arguments a = {L, "explain"};
    const Session *s = session(a);
    const ObjectId id = any_object(a, 2);
    const Explanation explanation = tern::explain(s, id, peer(a, 3, "peer"));
    push_filled(a, 4,
                {{"owner", static_cast<uint64_t>(explanation.owner)},
                 {"behind_ticks", explanation.behind_ticks},
                 {"refused_us", explanation.refused_us}});
    lua_pushstring(L, why_names[static_cast<int>(explanation.why)]);
    lua_setfield(L, -2, "why");
    lua_pushstring(L, tern::to_text(explanation.why));
    lua_setfield(L, -2, "text");
    push_word(L, anchor_claim_refusals, explanation.refusal);
    lua_setfield(L, -2, "refusal");
    return 1;
}

// --- For the host ---

static int admit(lua_State *L)
{
    const Arguments a = {L, "admit"};
    Session *s = open_session(a);
    tern::admit(s, peer(a, 2, "newcomer"));
    return 0;
}

static int refuse_newcomer(lua_State *L)
{
    const Arguments a = {L, "refuse"};
    Session *s = open_session(a);
    const PeerId newcomer = peer(a, 2, "newcomer");
    tern::refuse(s, newcomer, text(a, 3, "reason"));
    return 0;
}

static int remove(lua_State *L)
{
    const Arguments a = {L, "remove"};
    Session *s = host_session(a);
    tern::remove(s, peer(a, 2, "peer"));
    return 0;
}

// --- Invites ---

// An address in an invite: others send to it, so 0.0.0.0 and :: are none.
static Address reached_address(const Arguments &a, int index)
{
    const Address given = address(a, index, "address");
    for (const char *any : {"0.0.0.0:1", "[::]:1"})
        if (std::ranges::equal(given.ip, parse_address(any).address.ip))
            refuse(a, index, "address", "an IP at which others reach this process");
    return given;
}

static int invite(lua_State *L)
{
    const Arguments a = {L, "invite"};
    const Session *s = open_session(a);
    Address addresses[invite_addresses_max];
    const int count = lua_gettop(L) - 1;
    if (count > static_cast<int>(invite_addresses_max))
        fail(a, "expected at most %zu addresses, got %d", invite_addresses_max, count);
    addresses[0] = reached_address(a, 2);
    for (int i = 1; i < count; ++i)
        addresses[i] = reached_address(a, i + 2);
    const std::span<const Address> all(addresses, static_cast<size_t>(count));
    lua_pushstring(L, to_text(tern::make_invite(s, all)).text);
    return 1;
}

static int parse_invite(lua_State *L)
{
    const ParsedInvite parsed = tern::parse_invite(text({L, "parse_invite"}, 1, "text"));
    if (parsed.error) {
        lua_pushnil(L);
        lua_pushstring(L, parsed.error);
        return 2;
    }
    lua_createtable(L, 0, 2);
    push_hex(L, parsed.invite.session);
    lua_setfield(L, -2, "session");
    lua_createtable(L, parsed.invite.address_count, 0);
    for (int i = 0; i < parsed.invite.address_count; ++i) {
        lua_pushstring(L, to_text(parsed.invite.addresses[i]).text);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "addresses");
    return 1;
}

const luaL_Reg peer_functions[] = {{"self", self},
                                   {"host", host},
                                   {"peers", peers},
                                   {"peer_name", peer_name},
                                   {"stats", stats},
                                   {"session_stats", session_stats},
                                   {"type_stats", type_stats},
                                   {"traffic", traffic},
                                   {"digest", digest},
                                   {"explain", explain},
                                   {"admit", admit},
                                   {"refuse", refuse_newcomer},
                                   {"remove", remove},
                                   {"invite", invite},
                                   {"parse_invite", parse_invite},
                                   {nullptr, nullptr}};

}
