#include "siege.h"
#include "attacks.h"
#include "bot/player.h"
#include <algorithm>
#include <atomic>
#include <thread>

using namespace tern;

namespace bot {

namespace {

constexpr uint64_t pause_us = 300'000;       // Before a hostile bot or a guest joins again.
constexpr uint64_t stay_us = 300'000;        // How long a guest stays, or what vanishes.
constexpr uint64_t calm_us = 200'000;        // Its attack begins so late that all know it.
constexpr uint64_t first_guest_us = 600'000; // Then the attack has begun.
constexpr size_t kept_max = 256;             // Datagrams kept for replays.
constexpr uint32_t slow_bytes_per_second = 4096, fast_bytes_per_second = 64 * 1024 * 1024;
constexpr uint32_t patient_timeout_ms = 600'000; // A hostile bot does not leave by itself.

}

struct Siege {
    const Options *options;
    SiegeReport report = {};
    Intruder intruder = {};
    uint64_t joins_us = 0; // When the intruder joins, if it has no session.
    uint64_t open_us = 0;  // Since when it is in; 0: it is not.
    Player guest = {};
    uint64_t guest_joins_us = 0, guest_leaves_us = 0;
    uint32_t guest_count = 0;
    std::atomic<bool> over = false;
    std::thread thread;
    ~Siege() { siege::end(*this); }
};

namespace siege {

// --- The guest ---

static void note_wait(Siege &s, uint64_t now_us)
{
    const bool waits = s.guest.session && session_state(s.guest.session) == State::joining;
    if (waits) s.report.wait_us_max = std::max(s.report.wait_us_max, now_us - s.guest_joins_us);
}

static void tend_guest(Siege &s, uint64_t now_us)
{
    Player &guest = s.guest;
    if (!guest.session) {
        if (now_us < s.guest_joins_us) return;
        s.guest_joins_us = now_us;
        s.guest_leaves_us = 0;
        s.guest_count += 1;
        guest = player::make_player(*s.options, s.options->count + s.guest_count);
        player::join(guest);
        return;
    }
    note_wait(s, now_us);
    const bool leaves = s.guest_leaves_us != 0 && now_us >= s.guest_leaves_us;
    player::tick(guest, leaves ? Wish::leave : Wish::play, now_us);
    if (s.guest_leaves_us == 0 && session_state(guest.session) == State::open) {
        s.guest_leaves_us = now_us + stay_us;
        s.report.guests.push_back(local_peer(guest.session));
    }
    if (!player::has_ended(guest)) return;
    s.report.turned_away += s.guest_leaves_us == 0;
    player::destroy_player(guest);
    s.guest_joins_us = now_us + pause_us;
}

// --- The intruder ---

static void end_life(Siege &s, uint64_t now_us)
{
    Intruder &i = s.intruder;
    destroy_session(i.session);
    destroy_socket(i.socket);
    i.session = nullptr;
    i.socket = nullptr;
    i.kept.clear();
    occupants::destroy_all(i.occupants);
    s.joins_us = now_us + pause_us;
    s.open_us = 0;
}

static void quit(Siege &s, uint64_t now_us)
{
    if (s.open_us != 0) s.report.lives.back().quits_us = now_us;
    end_life(s, now_us);
}

static void begin_life(Siege &s, uint64_t now_us)
{
    Intruder &i = s.intruder;
    if (now_us < s.joins_us) return;
    s.joins_us = now_us + pause_us;
    i.socket = player::make_socket(*s.options).socket;
    if (!i.socket) return;
    Config config = player::config(*s.options);
    config.name = "hostile";
    config.timeout_ms = patient_timeout_ms;
    config.send_bytes_per_second_max =
        has(*s.options->attack, slow) ? slow_bytes_per_second : fast_bytes_per_second;
    i.session = make_session(config);
    i.ticks = 0;
    i.serial = i.token = 0;
    tern::join(i.session, s.options->invite);
}

static void attack(Siege &s, uint64_t now_us)
{
    Intruder &i = s.intruder;
    if (s.open_us == 0) {
        s.open_us = now_us;
        s.report.lives.push_back({local_peer(i.session), 0, UINT64_MAX});
    }
    if (now_us < s.open_us + calm_us) return;
    if (i.ticks == 0) s.report.lives.back().attacks_us = now_us;
    i.now_us = now_us;
    s.options->attack->act(i);
    i.ticks += 1;
    s.report.sent = i.sent;
}

// Keeps some of the datagrams, for replays.
static void keep(Intruder &i, std::span<const Datagram> datagrams)
{
    for (const Datagram &datagram : datagrams) {
        const bool full = i.kept.size() == kept_max;
        if (!full) i.kept.emplace_back();
        std::vector<std::byte> &to = full ? i.kept[below(i.random, kept_max)] : i.kept.back();
        to.assign(datagram.bytes.begin(), datagram.bytes.end());
    }
}

static void tick_intruder(Siege &s, uint64_t now_us)
{
    Intruder &i = s.intruder;
    if (!i.session) return begin_life(s, now_us);
    const Attack &kind = *s.options->attack;
    std::span<const Datagram> datagrams = i.socket->receive();
    if (has(kind, deaf) && i.ticks > 0) datagrams = {};
    receive(i.session, datagrams, now_us);
    if (session_state(i.session) >= State::left) {
        s.report.end = state_text(i.session);
        return end_life(s, now_us);
    }
    const bool stays = s.open_us == 0 || now_us < s.open_us + calm_us + stay_us;
    if (has(kind, fleeting) && !stays) return quit(s, now_us);
    if (session_state(i.session) == State::open) attack(s, now_us);
    const std::span<const Datagram> sent = send(i.session, now_us);
    keep(i, sent);
    i.socket->send(sent);
}

static void work(Siege &s)
{
    const uint64_t interval_us = 1'000'000 / s.options->hz;
    while (!s.over) {
        const uint64_t begun_us = clock_us();
        tick_intruder(s, begun_us);
        tend_guest(s, begun_us);
        const uint64_t end_us = clock_us();
        if (end_us < begun_us + interval_us) sleep_us(begun_us + interval_us - end_us);
    }
}

std::shared_ptr<Siege> begin(const Options &options)
{
    auto siege = std::make_shared<Siege>();
    Intruder &i = siege->intruder;
    siege->options = &options;
    i.types = options.types->types;
    i.invite = options.invite;
    i.random.seed(options.seed);
    siege->guest_joins_us = clock_us() + first_guest_us;
    siege->thread = std::thread([s = siege.get()] { work(*s); });
    return siege;
}

SiegeReport end(Siege &siege)
{
    siege.over = true;
    if (siege.thread.joinable()) siege.thread.join();
    if (siege.intruder.session) quit(siege, clock_us());
    player::destroy_player(siege.guest);
    return siege.report;
}

}
}
