#include "sim/world/failover.h"
#include "migration/replica.h"
#include "sim/world/group.h"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <algorithm>

namespace tern::failover {

struct Lamp {
    uint32_t set_ms; // When its owner last set it.
};
static const Field lamp_fields[] = {{"set_ms", FieldKind::uint32, offsetof(Lamp, set_ms)}};
static const Type lamp_types[] = {{"lamp", sizeof(Lamp), lamp_fields, 256}};
static constexpr TypeId LAMP = 0;
static constexpr uint32_t lamps_each = 10;
static constexpr uint64_t tick_us = 16'667;

struct Trial {
    DeathOptions options = {};
    Group group = {};
    DeathTimes times = {};
    uint64_t ended_us = 0;              // When the old host ended. 0: it has not.
    size_t host_place = 0;              // The place of the old host.
    PeerId successor = PeerId::none;    // The member that becomes the host.
    std::vector<ObjectId> lamps = {};   // The objects of the old host.
    std::vector<uint64_t> lost_us = {}; // For each place, since when it has no host. 0: it has one.
    uint64_t last_set_ms = 0;           // When the old host last set its objects.
};

static uint32_t now_ms(const Trial &trial)
{
    return static_cast<uint32_t>(trial.group.now_us / 1000);
}

static bool survives(const Trial &trial, size_t place)
{
    const Session *session = trial.group.members[place].session;
    return session && (trial.ended_us == 0 || place != trial.host_place);
}

// --- The game: each owner sets its objects in every tick ---

static void play(Trial &trial, size_t place)
{
    Session *session = trial.group.members[place].session;
    if (session_state(session) != State::open || trial.options.idle) return;
    for (const ObjectId lamp : object_ids(session, LAMP))
        if (exists(session, lamp) && object_owner(session, lamp) == local_peer(session))
            set(session, Object<Lamp>{lamp}, {now_ms(trial)});
    if (place == trial.host_place) trial.last_set_ms = now_ms(trial);
}

static void make_lamps(Trial &trial)
{
    for (size_t place = 0; place < trial.group.members.size(); ++place)
        for (uint32_t i = 0; i < lamps_each; ++i) {
            const ObjectId lamp =
                create(trial.group.members[place].session, LAMP, Lamp{now_ms(trial)});
            if (place == trial.host_place) trial.lamps.push_back(lamp);
        }
}

// --- Measurements ---

// The age of the oldest value that this place sees of an object of another peer. Objects of a new
// tenure and those of the old and the new host are left out: they pause until the grant arrives.
static uint64_t oldest_us(const Trial &trial, size_t place)
{
    const Session *session = trial.group.members[place].session;
    uint64_t oldest_us = 0;
    if (trial.options.idle) return 0;
    for (const ObjectId lamp : object_ids(session, LAMP)) {
        const PeerId by = object_owner(session, lamp);
        if (by == local_peer(session) || object_stamp(session, lamp) != 0 || by <= trial.successor)
            continue;
        oldest_us =
            std::max<uint64_t>(oldest_us, now_ms(trial) - get(session, Object<Lamp>{lamp}).set_ms);
    }
    return 1000 * oldest_us;
}

// Counts an object that the new host has inherited, and the writes that it lacks.
static void note_lost(Trial &trial, const Session *session, ObjectId lamp)
{
    const uint64_t set_ms = get(session, Object<Lamp>{lamp}).set_ms;
    const uint64_t lost_us = 1000 * (trial.last_set_ms - std::min(set_ms, trial.last_set_ms));
    trial.times.inherited += 1;
    const auto lost_ticks = static_cast<uint32_t>((lost_us + tick_us / 2) / tick_us);
    trial.times.lost_ticks = std::max(trial.times.lost_ticks, lost_ticks);
}

static void note_events(Trial &trial, size_t place)
{
    for (const Event &event : trial.group.members[place].events) {
        if (event.kind == EventKind::host_lost) {
            trial.lost_us[place] = trial.group.now_us;
            trial.times.agreed_us = trial.group.now_us - trial.ended_us;
        }
        if (event.kind == EventKind::host_changed && trial.lost_us[place] != 0) {
            trial.times.gap_us =
                std::max(trial.times.gap_us, trial.group.now_us - trial.lost_us[place]);
            trial.lost_us[place] = 0;
        }
        const Session *session = trial.group.members[place].session;
        if (event.kind != EventKind::owner_changed) continue;
        const ObjectId lamp = event.owner.object;
        const bool of_the_last =
            std::find(trial.lamps.begin(), trial.lamps.end(), lamp) != trial.lamps.end();
        if (of_the_last && local_peer(session) == trial.successor &&
            event.owner.owner == trial.successor)
            note_lost(trial, session, lamp);
    }
}

static bool all_know(const Trial &trial)
{
    for (size_t place = 0; place < trial.group.members.size(); ++place) {
        if (!survives(trial, place)) continue;
        const Session *session = trial.group.members[place].session;
        if (host_peer(session) != trial.successor) return false;
        for (const ObjectId lamp : trial.lamps)
            if (!exists(session, lamp) || object_owner(session, lamp) != trial.successor)
                return false;
    }
    return true;
}

static void look(Trial &trial)
{
    const uint64_t since_us = trial.group.now_us - trial.ended_us;
    DeathTimes &times = trial.times;
    for (size_t place = 0; place < trial.group.members.size(); ++place) {
        if (!survives(trial, place)) continue;
        const Session *session = trial.group.members[place].session;
        if (session_state(session) != State::open && times.wrong.empty())
            times.wrong = std::string("a survivor: ") + state_text(session);
        note_events(trial, place);
        times.age_us = std::max(times.age_us, oldest_us(trial, place));
        if (local_peer(session) != trial.successor) continue;
        if (times.asked_us == 0 && inspect::replica(session).duties.collecting)
            times.asked_us = since_us;
        if (times.granted_us == 0 && host_peer(session) == trial.successor)
            times.granted_us = since_us;
    }
    if (times.granted_us != 0 && times.known_us == 0 && all_know(trial)) times.known_us = since_us;
}

static void step(Trial &trial, bool plays)
{
    group::receive(trial.group);
    if (trial.ended_us != 0) look(trial);
    for (size_t place = 0; place < trial.group.members.size() && plays; ++place)
        if (trial.group.members[place].session) play(trial, place);
    group::send(trial.group);
}

static bool steps_until(Trial &trial, uint64_t us_max, bool (*condition)(const Trial &))
{
    for (const uint64_t end_us = trial.group.now_us + us_max; trial.group.now_us < end_us;) {
        step(trial, trial.times.known_us == 0);
        if (condition(trial)) return true;
    }
    return false;
}

// --- A trial ---

static Impairment drawn(const DeathOptions &options, Random &random)
{
    const auto rtt_ms = static_cast<uint32_t>(
        options.rtt_ms != 0 ? options.rtt_ms : 20 + random::below(random, 181));
    const double loss_percent =
        options.loss_percent >= 0 ? options.loss_percent : 1 + 4 * random::unit(random);
    const uint32_t one_way_ms = std::max(1u, rtt_ms / 2);
    return {one_way_ms, one_way_ms + one_way_ms / 8, static_cast<float>(loss_percent / 100), 0};
}

static bool gather(Trial &trial)
{
    for (uint16_t i = 0; i < trial.options.peers; ++i) {
        group::enter(trial.group);
        const auto all_open = [](const Trial &now) {
            return group::open_count(now.group) == now.group.members.size();
        };
        if (!steps_until(trial, 20'000'000, all_open)) return false;
    }
    const auto at_rest = [](const Trial &now) { return group::at_rest(now.group); };
    if (!steps_until(trial, 20'000'000, at_rest)) return false;
    make_lamps(trial);
    return true;
}

static void end_host(Trial &trial)
{
    Group &group = trial.group;
    const Session *host_session = group.members[trial.host_place].session;
    const std::span<const PeerId> others = other_peers(host_session); // Ascending.
    trial.successor = others[trial.options.end == HostEnd::two ? 1 : 0];
    const PeerId second = others[0];
    if (trial.options.end == HostEnd::leave) { // The changes of this tick are not sent yet.
        group::receive(group);
        for (size_t place = 0; place < group.members.size(); ++place)
            play(trial, place);
        leave(group.members[trial.host_place].session);
        trial.ended_us = group.now_us;
        return group::send(group);
    }
    group::end(group, trial.host_place);
    trial.ended_us = group.now_us;
    if (trial.options.end != HostEnd::two) return;
    for (uint64_t ticks = random::below(group.random, 6); ticks > 0; --ticks)
        step(trial, true);
    for (size_t place = 0; place < group.members.size(); ++place)
        if (group.members[place].session && local_peer(group.members[place].session) == second)
            group::end(group, place);
}

DeathTimes run(const DeathOptions &options)
{
    Trial trial;
    trial.options = options;
    GroupOptions of_group = {};
    of_group.config.types = lamp_types;
    of_group.config.timeout_ms = options.timeout_ms;
    of_group.seed = options.seed;
    of_group.tick_us = tick_us;
    Random random = random::from_seed(options.seed);
    of_group.impairment = drawn(options, random);
    group::make(trial.group, of_group);
    trial.lost_us.resize(options.peers);
    if (!gather(trial)) {
        trial.times.wrong = "the peers have not come together";
        return trial.times;
    }
    const uint64_t play_us = 2'000'000 + random::below(random, 2'000'000);
    for (const uint64_t until_us = trial.group.now_us + play_us; trial.group.now_us < until_us;) {
        step(trial, true);
        if (trial.group.now_us + 1'000'000 < until_us) continue;
        for (size_t place = 0; place < trial.group.members.size(); ++place)
            trial.times.age_before_us =
                std::max(trial.times.age_before_us, oldest_us(trial, place));
    }
    end_host(trial);
    const auto known = [](const Trial &now) { return now.times.known_us != 0; };
    const uint64_t us_max = 20'000'000 + uint64_t{4'000} * options.timeout_ms;
    if (!steps_until(trial, us_max, known) && trial.times.wrong.empty())
        trial.times.wrong = "no new host that all know";
    return trial.times;
}

}
