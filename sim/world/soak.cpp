#include "sim/world/soak.h"
#include "base/printf_format.h"
#include "migration/replica.h"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace tern::soak {

struct Grain {
    uint32_t number;
    float weight;
};
static const Field grain_fields[] = {
    {"number", FieldKind::uint32, offsetof(Grain, number)},
    {"weight", FieldKind::float32, offsetof(Grain, weight), 1, 0, 100, 0.1}};
static const Type grain_types[] = {
    {"grain", sizeof(Grain), grain_fields, 8192, Orphan::spread, ClaimPolicy::always}};
static constexpr TypeId GRAIN = 0;

static constexpr uint32_t made_per_tick_max = 250; // Per peer; none while a queue is half full.
static constexpr uint32_t rest_ticks_max = 3600;   // A minute of virtual time.

void make(Soak &soak, const SoakOptions &options)
{
    soak.options = options;
    GroupOptions of_group = {};
    of_group.config.types = grain_types;
    of_group.config.peers_max = 16;
    of_group.config.timeout_ms = 5000;
    of_group.config.send_bytes_per_second_max = 16 * 1024 * 1024;
    of_group.impairment = {10, 40, options.loss, options.loss / 2};
    of_group.seed = options.seed;
    of_group.tick_us = 16'667;
    group::make(soak.group, of_group);
}

TERN_PRINTF(2, 3) static void fail(Soak &soak, const char *format, ...)
{
    char text[256];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (soak.wrong.empty()) soak.wrong = text;
}

// --- The game ---

static void hear(Soak &soak, size_t place)
{
    const GroupMember &member = soak.group.members[place];
    for (const Event &event : member.events)
        if (event.kind == EventKind::owner_changed &&
            event.owner.owner == local_peer(member.session))
            soak.soakers[place].own.push_back(event.owner.object);
}

static bool is_own(const Session *session, ObjectId object)
{
    return exists(session, object) && object_owner(session, object) == local_peer(session);
}

// Destroys a random object, so that the serials of living and destroyed objects alternate.
static void destroy_one(Soak &soak, size_t place)
{
    Session *session = soak.group.members[place].session;
    std::vector<ObjectId> &own = soak.soakers[place].own;
    const size_t picked = random::below(soak.group.random, own.size());
    if (is_own(session, own[picked])) destroy(session, own[picked]);
    own[picked] = own.back();
    own.pop_back();
}

static void play(Soak &soak, size_t place)
{
    Session *session = soak.group.members[place].session;
    std::vector<ObjectId> &own = soak.soakers[place].own;
    const size_t share = soak.options.alive / soak.options.peers;
    for (uint32_t i = 0; i < made_per_tick_max; ++i) {
        const auto number = static_cast<uint32_t>(soak.made);
        const ObjectId made = create(session, GRAIN, Grain{number, 1});
        if (made == ObjectId::none) break;
        own.push_back(made);
        soak.made += 1;
        while (own.size() > share)
            destroy_one(soak, place);
    }
    if (host_peer(session) != local_peer(session) || own.empty()) return;
    const std::span<const PeerId> others = other_peers(session);
    for (uint32_t i = 0; i < 4 && !others.empty(); ++i) // Others will destroy these.
        migrate(session, own[random::below(soak.group.random, own.size())],
                others[random::below(soak.group.random, others.size())]);
}

static void step(Soak &soak, bool plays)
{
    group::receive(soak.group);
    soak.soakers.resize(soak.group.members.size());
    for (size_t place = 0; place < soak.group.members.size(); ++place) {
        Session *session = soak.group.members[place].session;
        if (!session) continue;
        hear(soak, place);
        if (session_state(session) == State::open && plays) play(soak, place);
        if (session_state(session) > State::leaving && session_state(session) != State::left)
            fail(soak, "peer %u: %s", static_cast<unsigned>(local_peer(session)),
                 state_text(session));
    }
    group::send(soak.group);
    for (size_t place = 0; place < soak.group.members.size(); ++place) {
        const Session *session = soak.group.members[place].session;
        if (!session || session_state(session) != State::left) continue;
        group::end(soak.group, place);
        soak.soakers[place].own.clear();
    }
}

// --- Peers come and go ---

static void change_a_peer(Soak &soak)
{
    if (group::open_count(soak.group) >= soak.options.peers) {
        std::vector<size_t> open;
        for (size_t place = 0; place < soak.group.members.size(); ++place)
            if (group::is_open(soak.group, place)) open.push_back(place);
        // The host may leave, too. The objects of the leaver are spread over the others.
        leave(soak.group.members[open[random::below(soak.group.random, open.size())]].session);
    }
    for (size_t count = group::open_count(soak.group); count < soak.options.peers; ++count) {
        group::enter(soak.group);
        soak.peers_ever += 1;
    }
}

// --- At rest ---

static uint64_t deaths(const Replica &r)
{
    uint64_t count = 0;
    for (const DeadRange &range : r.world.dead.all())
        count += range.last - range.first + 1;
    return count;
}

// All peers at rest know of every object ever created. So at least one living object lies between
// two ranges of a creator, which bounds the number of ranges.
static void look(Soak &soak)
{
    soak.rests += 1;
    for (const GroupMember &member : soak.group.members) {
        if (!member.session) continue;
        const SessionStats stats = tern::session_stats(member.session);
        soak.ranges_max = std::max(soak.ranges_max, static_cast<uint32_t>(stats.dead_ranges));
        soak.alive_max = std::max(soak.alive_max, static_cast<uint32_t>(stats.objects));
        soak.migrations = std::max(soak.migrations, stats.migrations);
        if (stats.dead_ranges > stats.objects + soak.peers_ever)
            fail(soak, "peer %u keeps %llu ranges of the dead, with %llu living of %llu creators",
                 static_cast<unsigned>(local_peer(member.session)),
                 static_cast<unsigned long long>(stats.dead_ranges),
                 static_cast<unsigned long long>(stats.objects),
                 static_cast<unsigned long long>(soak.peers_ever));
        soak.deaths = deaths(inspect::replica(member.session));
        if (stats.objects + soak.deaths != soak.made)
            fail(soak, "peer %u has %llu living and %llu dead, of %llu made",
                 static_cast<unsigned>(local_peer(member.session)),
                 static_cast<unsigned long long>(stats.objects),
                 static_cast<unsigned long long>(soak.deaths),
                 static_cast<unsigned long long>(soak.made));
    }
}

bool go_on(Soak &soak, uint64_t objects)
{
    const uint64_t until = soak.made + objects;
    while (soak.made < until && soak.peers_ever > 0 && soak.wrong.empty())
        step(soak, true);
    change_a_peer(soak);
    for (uint32_t ticks = 0; soak.wrong.empty(); ++ticks) {
        step(soak, false);
        if (group::open_count(soak.group) == soak.options.peers && group::at_rest(soak.group))
            break;
        if (ticks == rest_ticks_max) fail(soak, "all do not come to rest and agree");
    }
    if (soak.wrong.empty()) look(soak);
    return soak.wrong.empty();
}

}
