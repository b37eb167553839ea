#include "game.h"
#include "sim/world/sodium_source.h"
#include <algorithm>
#include <cstring>
#include <tern/diagnostics.hpp>
#include <tern/tern.hpp>

using namespace tern;

namespace sim {

// Limits instructions, not time, so that a call ends at the same point on every machine.
static constexpr scripts::Limits game_limits = {256 << 20, 50'000'000, 0};
static constexpr uint64_t start_us = 1'000'000;
static constexpr uint64_t calm_us = 1'000'000; // How long a condition must hold to count.
static constexpr uint32_t collect_ticks = 64;  // Ticks from one garbage collection to the next.

static Session *session_of(const Player &player)
{
    return player.game ? scripts::game::session(*player.game) : nullptr;
}

static bool is_open(const Player &player)
{
    const Session *session = session_of(player);
    return session && session_state(session) == State::open;
}

static uint16_t place_of(const GameWorld &world, const Player &player)
{
    return static_cast<uint16_t>(&player - world.players.data());
}

static std::string named(const GameWorld &world, const Player &player)
{
    char text[96];
    std::snprintf(text, sizeof text, "peer %u.%u at %.3f s", place_of(world, player),
                  player.generation, static_cast<double>(world.now_us - start_us) / 1e6);
    return text;
}

// Records a failure. The first one ends the run.
static void fail(GameWorld &world, const char *invariant, const std::string &text)
{
    if (!world.invariant.empty()) return;
    world.invariant = invariant;
    world.problem = text;
}

// --- Peers come and go ---

static void end_player(GameWorld &world, Player &player, uint64_t comes_us)
{
    sodium_source::use(&player.crypto);
    scripts::game::destroy(player.game);
    player.game = nullptr;
    player.comes_us = comes_us;
    world.wire.members[place_of(world, player)] = false;
}

static Player *any_open(GameWorld &world, Dice &dice)
{
    std::vector<Player *> open;
    for (Player &player : world.players)
        if (is_open(player)) open.push_back(&player);
    return open.empty() ? nullptr : open[dice::within(dice, 0, open.size() - 1)];
}

// Loads the script and makes its session. False: the script is wrong, and the run has failed.
static bool open_game(GameWorld &world, Player &player)
{
    const uint16_t place = place_of(world, player);
    player.generation += 1;
    player.ticks = 0;
    player.now_us = world.now_us;
    player.crypto = dice::make(world.options.seed, Stream::crypto, place, player.generation);
    player.chance = dice::make(world.options.seed, Stream::workload, place, player.generation);
    player.seeds = dice::make(world.options.seed, Stream::rates, place, player.generation);
    sodium_source::use(&player.crypto);
    player.game = scripts::game::open(scripts::Trust::sandboxed, game_limits);
    std::string error = player.game ? prepare_lua(player) : "not enough memory";
    if (error.empty()) error = scripts::game::read_script(*player.game, world.options.script);
    const std::string name = std::to_string(place) + "." + std::to_string(player.generation);
    if (error.empty()) error = scripts::game::make_session(*player.game, {{"name", name}});
    if (!error.empty()) {
        fail(world, "script", named(world, player) + ": " + error);
        return false;
    }
    player.game->look_us = never_us;   // The script's files are not watched,
    player.game->collector.us_max = 0; // and no clock decides when garbage is collected.
    return true;
}

static uint64_t timeout_us_of(const scripts::Game &game)
{
    lua_State *lua = game.state->lua;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, game.table);
    lua_pushliteral(lua, "timeout_ms");
    lua_rawget(lua, -2);
    const Config config;
    const double given = lua_isnumber(lua, -1) ? lua_tonumber(lua, -1) : config.timeout_ms;
    lua_pop(lua, 2);
    return static_cast<uint64_t>(std::clamp(given, 100.0, 60'000.0) * 1000);
}

// Starts a peer that joins through a member. Only if no other peer plays does it start a session.
static void open_player(GameWorld &world, Player &player)
{
    bool alone = true;
    for (const Player &other : world.players)
        alone = alone && !other.game;
    Dice dice =
        dice::make(world.options.seed, Stream::shape, place_of(world, player), player.generation);
    Player *through = any_open(world, dice);
    if (!alone && !through) return; // The next tick of the place tries again.
    const auto number = player.next_address;
    player.next_address = static_cast<AddressNumber>(number + world.players.size());
    wire::take_address(world.wire, place_of(world, player), number);
    player.address = wire::address(number);
    if (!open_game(world, player)) return;
    world.timeout_us = timeout_us_of(*player.game);
    player.comes_us = never_us;
    Session *session = session_of(player);
    receive(session, {}, world.now_us); // start() needs the time.
    if (!through) {
        start(session);
        return;
    }
    sodium_source::use(&through->crypto);
    const Invite invited = make_invite(session_of(*through), std::span(&through->address, 1));
    sodium_source::use(&player.crypto);
    join(session, invited);
    world.counts.joins += 1;
}

// --- A tick of one place ---

static void show_notes(GameWorld &world, Player &player)
{
    for (const scripts::Note &note : player.game->notes) {
        if (note.kind == scripts::NoteKind::error)
            fail(world, "script", named(world, player) + ": " + note.text);
        else
            std::printf("%s: %s", named(world, player).c_str(), note.text.c_str());
    }
    player.game->notes.clear();
}

static void fold(uint64_t &digest, std::span<const std::byte> bytes)
{
    for (; !bytes.empty(); bytes = bytes.subspan(std::min<size_t>(bytes.size(), 8))) {
        uint64_t word = bytes.size();
        std::memcpy(&word, bytes.data(), std::min<size_t>(bytes.size(), 8));
        digest = dice::mixed(digest ^ word);
    }
}

static void ship(GameWorld &world, const Player &player, std::span<const Datagram> datagrams)
{
    for (const Datagram &datagram : datagrams) {
        world.digest = dice::mixed(world.digest ^ world.now_us);
        fold(world.digest, datagram.bytes);
        world.counts.datagrams += 1;
        wire::send(world.wire, world.now_us, place_of(world, player), datagram);
    }
}

static void play_tick(GameWorld &world, Player &player)
{
    scripts::Game &game = *player.game;
    Session *session = scripts::game::session(game);
    sodium_source::use(&player.crypto);
    player.now_us = world.now_us;
    player.ticks += 1;
    world.counts.ticks += 1;
    world.counts.events += receive(session, player.inbox, world.now_us).size();
    if (!world.is_quiet) scripts::game::tick(game, world.now_us);
    show_notes(world, player);
    if (player.ticks % collect_ticks == 0) lua_gc(game.state->lua, LUA_GCCOLLECT, 0);
    if (!scripts::game::session(game))
        return fail(world, "script", named(world, player) + ": the script has ended its session");
    ship(world, player, send(session, world.now_us));
    world.wire.members[place_of(world, player)] = session_state(session) == State::open;
    if (session_state(session) <= State::leaving) return;
    const bool by_itself = session_state(session) != State::left;
    if (by_itself) {
        world.counts.ended += 1;
        std::printf("%s: %s\n", named(world, player).c_str(), state_text(session));
    }
    Dice dice =
        dice::make(world.options.seed, Stream::core, place_of(world, player), player.generation);
    end_player(world, player,
               by_itself ? world.now_us + dice::within(dice, 500'000, 3'000'000) : never_us);
}

static void tick(GameWorld &world, Player &player)
{
    player.next_tick_us = std::max(world.now_us, player.paused_until_us) + game_tick_us;
    if (world.now_us < player.paused_until_us) return;
    if (!player.game && world.now_us >= player.comes_us) open_player(world, player);
    player.inbox.clear();
    wire::deliver(world.wire, world.now_us, place_of(world, player), player.inbox, player.slots);
    if (player.game && world.invariant.empty()) play_tick(world, player);
    wire::release(world.wire, player.slots);
}

// --- Faults ---

bool is_scripted_fault(FaultKind kind)
{
    return kind <= FaultKind::crash || kind == FaultKind::pause || kind == FaultKind::cut ||
           kind == FaultKind::partition || kind == FaultKind::leave || kind == FaultKind::acks;
}

static void make_plan(GameWorld &world)
{
    for (size_t i = 0; i < fault_kind_count; ++i) {
        const auto kind = static_cast<FaultKind>(i);
        const FaultRange &range = faults::range(world.options.faults, kind);
        if (!range.on || !faults::is_count(kind) || !is_scripted_fault(kind)) continue;
        Dice dice = dice::make(world.options.seed, Stream::faults, i);
        const uint64_t count = dice::within(dice, range.low, range.high);
        const uint64_t last_us =
            std::max<uint64_t>(world.options.seconds * 1'000'000ull, 2'000'001);
        for (uint32_t number = 0; number < count; ++number)
            world.plan.push_back({start_us + dice::within(dice, 2'000'000, last_us), kind, number});
    }
    std::stable_sort(
        world.plan.begin(), world.plan.end(),
        [](const PlannedFault &a, const PlannedFault &b) { return a.when_us < b.when_us; });
}

// A random place: one where an open peer plays, or (not played) an empty one to which no peer is
// coming.
static Player *any_place(GameWorld &world, Dice &dice, bool played)
{
    std::vector<Player *> some;
    for (Player &player : world.players) {
        const bool waits = !player.game && player.comes_us != never_us;
        if (!waits && played == is_open(player) && played == (player.game != nullptr))
            some.push_back(&player);
    }
    return some.empty() ? nullptr : some[dice::within(dice, 0, some.size() - 1)];
}

// Whether one peer may end, and the others are still a majority of the largest view.
static bool can_lose_one(const GameWorld &world)
{
    size_t open = 0, members = 0;
    for (const Player &player : world.players) {
        if (!is_open(player)) continue;
        open += 1;
        members = std::max(members, other_peers(session_of(player)).size() + 1);
    }
    return open >= 2 && (open - 1) * 2 > members;
}

static void cut(GameWorld &world, uint16_t from, uint16_t to, uint64_t lasts_us)
{
    Route &route = wire::route(world.wire, from, to);
    if (world.now_us >= route.cut_until_us) route.cut_since_us = world.now_us;
    route.cut_until_us = std::max(route.cut_until_us, world.now_us + lasts_us);
}

static void cut_paths(GameWorld &world, Dice &dice, bool halves)
{
    // Shorter than the timeout, so that no peer takes another one for gone.
    const uint64_t lasts_us = dice::within(dice, 50'000, world.timeout_us / 2);
    const uint64_t last = world.players.size() - 1;
    const auto one = static_cast<uint16_t>(dice::within(dice, 0, last));
    const auto other = static_cast<uint16_t>((one + dice::within(dice, 1, last)) % (last + 1));
    const uint64_t sides = dice::next(dice);
    world.counts.cuts += !halves;
    world.counts.partitions += halves;
    if (!halves) return cut(world, one, other, lasts_us);
    for (uint16_t a = 0; a <= last; ++a)
        for (uint16_t b = 0; b <= last; ++b)
            if (a != b && (sides >> a & 1) != (sides >> b & 1)) cut(world, a, b, lasts_us);
}

static void happen(GameWorld &world, const PlannedFault &fault)
{
    Dice dice = dice::make(world.options.seed, Stream::faults, static_cast<uint64_t>(fault.kind),
                           fault.number + 1);
    if (fault.kind == FaultKind::cut || fault.kind == FaultKind::partition)
        return cut_paths(world, dice, fault.kind == FaultKind::partition);
    Player *player = any_place(world, dice, fault.kind != FaultKind::start);
    if (!player) return;
    if (fault.kind == FaultKind::start) {
        player->comes_us = world.now_us;
    } else if (fault.kind == FaultKind::pause) {
        player->paused_until_us = world.now_us + dice::within(dice, 100'000, 4'000'000);
        world.counts.pauses += 1;
    } else if (fault.kind == FaultKind::crash && can_lose_one(world)) {
        end_player(world, *player, never_us);
        world.counts.crashes += 1;
    } else if (fault.kind == FaultKind::leave && can_lose_one(world)) {
        sodium_source::use(&player->crypto);
        player->now_us = world.now_us;
        scripts::game::stop(*player->game);
        show_notes(world, *player);
        if (Session *session = session_of(*player)) leave(session);
        world.counts.leaves += 1;
    }
}

// --- The run ---

// Runs all ticks and faults before end_us, or until a failure.
static void run_until(GameWorld &world, uint64_t end_us)
{
    while (world.invariant.empty()) {
        Player &next = *std::min_element(
            world.players.begin(), world.players.end(),
            [](const Player &a, const Player &b) { return a.next_tick_us < b.next_tick_us; });
        const bool is_planned = world.next_planned < world.plan.size() &&
                                world.plan[world.next_planned].when_us <= next.next_tick_us;
        const uint64_t when_us =
            is_planned ? world.plan[world.next_planned].when_us : next.next_tick_us;
        if (when_us >= end_us) return;
        world.now_us = when_us;
        if (!is_planned) {
            tick(world, next);
            continue;
        }
        world.next_planned += 1;
        happen(world, world.plan[world.next_planned - 1]);
    }
}

// Whether all peers are members of one session that has no other members.
static bool is_whole(const GameWorld &world)
{
    size_t alive = 0;
    for (const Player &player : world.players) {
        if (player.game && !is_open(player)) return false;
        if (!player.game && player.comes_us != never_us) return false;
        alive += player.game != nullptr;
    }
    const Player *first = nullptr;
    for (const Player &player : world.players) {
        if (!player.game) continue;
        if (!first) first = &player;
        if (other_peers(session_of(player)).size() + 1 != alive) return false;
        if (host_peer(session_of(player)) != host_peer(session_of(*first))) return false;
    }
    return first != nullptr;
}

static bool is_equal(const GameWorld &world)
{
    const Player *first = nullptr;
    for (const Player &player : world.players) {
        if (!player.game) continue;
        if (!first) first = &player;
        if (world_digest(session_of(player)) != world_digest(session_of(*first))) return false;
    }
    return is_whole(world);
}

// Runs until the condition has held for calm_us, or a failure. False: it did not within us_max.
static bool run_until_it_holds(GameWorld &world, bool (*holds)(const GameWorld &), uint64_t us_max)
{
    const uint64_t end_us = world.now_us + us_max;
    uint64_t since_us = never_us;
    while (world.invariant.empty()) {
        run_until(world, world.now_us + game_tick_us);
        if (!holds(world)) since_us = never_us;
        if (holds(world) && since_us == never_us) since_us = world.now_us;
        if (since_us != never_us && world.now_us - since_us >= calm_us) return true;
        if (world.now_us >= end_us) return false;
    }
    return true;
}

static std::string described(const GameWorld &world)
{
    std::string text;
    for (const Player &player : world.players) {
        if (!player.game) continue;
        char line[200];
        const Session *session = session_of(player);
        std::snprintf(line, sizeof line, "\n  %u.%u: host %u, %zu others, digest %016llx; %s",
                      place_of(world, player), player.generation,
                      static_cast<unsigned>(host_peer(session)), other_peers(session).size(),
                      static_cast<unsigned long long>(world_digest(session)), state_text(session));
        text += line;
    }
    return text;
}

// After a split of two members, both may be hosts. One of them ends, and joins the other.
static void join_again(GameWorld &world)
{
    const Session *first = nullptr;
    for (Player &player : world.players) {
        const Session *session = is_open(player) ? session_of(player) : nullptr;
        if (session && !first) first = session;
        if (session && host_peer(session) != host_peer(first))
            end_player(world, player, world.now_us);
    }
}

// Heals the network, stops all faults, and checks what must hold in the end.
static void end_well(GameWorld &world)
{
    wire::calm(world.wire);
    world.plan.clear();
    world.next_planned = 0;
    for (Player &player : world.players) {
        player.next_tick_us = std::min(player.next_tick_us, world.now_us + game_tick_us);
        player.paused_until_us = 0;
    }
    if (!run_until_it_holds(world, is_whole, heal_us_max / 2)) join_again(world);
    if (!run_until_it_holds(world, is_whole, heal_us_max))
        return fail(world, "membership",
                    "90 s after all was healed the peers are not in one session:" +
                        described(world));
    world.is_quiet = true;
    if (!run_until_it_holds(world, is_equal, settle_us_max))
        return fail(world, "convergence",
                    "30 s after the last update() the peers have different worlds:" +
                        described(world));
    for (Player &player : world.players) {
        if (!player.game || !world.invariant.empty()) continue;
        sodium_source::use(&player.crypto);
        player.now_us = world.now_us;
        scripts::game::check(*player.game);
        show_notes(world, player);
    }
}

static void begin(GameWorld &world)
{
    SimOptions network;
    network.seed = world.options.seed;
    network.places = world.options.peers;
    network.latency_us_low = 10'000;
    network.latency_us_high = 60'000;
    network.faults = world.options.faults;
    world.wire = wire::make(network);
    world.now_us = start_us;
    world.digest = world.options.seed;
    world.players.resize(world.options.peers); // Lua keeps pointers to them.
    for (Player &player : world.players) {
        const uint16_t place = place_of(world, player);
        Dice dice = dice::make(world.options.seed, Stream::shape, place);
        world.wire.addresses[place] = no_place;
        player.next_address = place;
        player.next_tick_us = start_us + dice::within(dice, 0, game_tick_us - 1);
        player.comes_us = place == 0 ? 0 : start_us + dice::within(dice, 0, 1'000'000);
        if (place == 0) player.next_tick_us = start_us;
    }
    make_plan(world);
}

GameOutcome run_game(const GameOptions &options)
{
    GameWorld world = {};
    world.options = options;
    sodium_source::hold();
    begin(world);
    run_until(world, start_us + options.seconds * 1'000'000ull);
    if (world.invariant.empty()) end_well(world);
    GameOutcome outcome = {world.invariant, world.problem, world.now_us - start_us, world.digest, 0,
                           world.counts};
    for (Player &player : world.players) {
        if (!player.game) continue;
        outcome.alive += 1;
        if (const Session *session = session_of(player))
            outcome.digest = dice::mixed(outcome.digest ^ world_digest(session));
        end_player(world, player, never_us);
    }
    sodium_source::let_go();
    return outcome;
}

}
