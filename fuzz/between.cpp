// Puts an attacker on the path between two sessions, who loses, repeats, delays, cuts, changes and
// invents datagrams as the input says, also from other addresses. Nobody is charged with a breach.
// When the attacker is gone the host is open, and the member shows the same world, or is in a final
// state that follows from a timeout.
#include "fuzz/support/chance.h"
#include "fuzz/support/endpoints.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "session/session_types.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "transport/handshake/handshake.h"
#include <sodium.h>
#include <vector>

namespace tern::fuzz {

namespace {

constexpr size_t peer_count = 2; // [0] is the host.
constexpr size_t wire_max = 64, past_max = 64;
constexpr uint64_t tick_us = 40'000;
constexpr uint32_t timeout_ms = 1000, join_timeout_ms = 4000;
constexpr int steps_max = 64;
constexpr int calm_ticks_max = 375;

struct Ball {
    int32_t x;
    int32_t owner;
};
const Field ball_fields[] = {{"x", FieldKind::int32, offsetof(Ball, x)},
                             {"owner", FieldKind::int32, offsetof(Ball, owner)}};
const Type between_types[] = {{"ball", sizeof(Ball), ball_fields, 16},
                              {"shout", sizeof(Ball), ball_fields}};
enum : TypeId { BALL, SHOUT };

struct Flight { // A datagram on its way.
    Address from;
    size_t to;
    std::vector<std::byte> bytes;
};

struct World {
    Session *peers[peer_count] = {};
    std::vector<Flight> wire, past; // `past` has those that have arrived.
    uint64_t now_us = 1'000'000;
    int32_t played = 0;
    bool is_moved = false; // The attacker has passed something on from another address.

    World() = default;
    World(const World &) = delete;
    ~World()
    {
        for (Session *s : peers)
            destroy_session(s);
    }
};

void make(World &w)
{
    seed_chance(1);
    Config config = {};
    config.types = between_types;
    config.peers_max = peer_count;
    config.timeout_ms = timeout_ms;
    config.join_timeout_ms = join_timeout_ms;
    for (Session *&s : w.peers)
        receive(s = make_session(config), {}, w.now_us);
    start(w.peers[0]);
    const Address host = numbered_address(0);
    join(w.peers[1], make_invite(w.peers[0], std::span(&host, 1)));
}

// --- The network ---

// Datagrams to addresses of nobody are lost.
void post(World &w, size_t from, const Datagram &datagram)
{
    const size_t to = 1 - from;
    if (!(datagram.address == numbered_address(to)) || w.wire.size() == wire_max) return;
    w.wire.push_back({numbered_address(from), to, {datagram.bytes.begin(), datagram.bytes.end()}});
}

void arrive(World &w, const Flight &flight)
{
    const Datagram datagram = {flight.from, flight.bytes};
    receive(w.peers[flight.to], std::span(&datagram, 1), w.now_us);
}

Flight take_off(World &w, size_t i)
{
    Flight flight = std::move(w.wire[i]);
    w.wire.erase(w.wire.begin() + static_cast<ptrdiff_t>(i));
    if (w.past.size() == past_max) w.past.erase(w.past.begin());
    w.past.push_back(flight);
    return flight;
}

void arrive_all(World &w)
{
    while (!w.wire.empty())
        arrive(w, take_off(w, 0));
}

// --- The games ---

void play(World &w, size_t who)
{
    Session *s = w.peers[who];
    if (session_state(s) != State::open) return;
    const auto owner = static_cast<int32_t>(who);
    bool has_one = false;
    for (const ObjectId object : object_ids(s, BALL)) {
        if (!may_set(s, object)) continue;
        has_one = true;
        set(s, Object<Ball>{object}, Ball{w.played, owner});
    }
    if (!has_one) create(s, BALL, Ball{w.played, owner});
}

// Lets a game do one thing beside that.
void act(World &w, uint8_t what)
{
    const size_t who = what % peer_count;
    Session *s = w.peers[who];
    const std::span<const ObjectId> objects = object_ids(s, BALL);
    if (session_state(s) != State::open || objects.empty()) return;
    const ObjectId object = objects[what / 16 % objects.size()];
    if (!exists(s, object)) return;
    const bool is_ours = object_owner(s, object) == local_peer(s);
    switch (what / 2 % 8) {
    case 0: claim(s, object, ClaimMode::optimistic); return;
    case 1: claim(s, object); return;
    case 2:
        if (is_ours) destroy(s, object);
        return;
    case 3:
        if (is_ours) release_ownership(s, object);
        return;
    case 4: request_owner(s, object, SHOUT, Ball{1, 2}); return;
    case 5: call(s, PeerId::everyone, SHOUT, Ball{1, 2}, Reliability::unreliable); return;
    case 6: create(s, BALL, Ball{w.played, 0}); return;
    default: call(s, PeerId::host, SHOUT, Ball{3, 4}); return;
    }
}

void tick(World &w, uint64_t duration_us)
{
    w.now_us += duration_us;
    w.played += 1;
    for (size_t who = 0; who < peer_count; ++who) {
        receive(w.peers[who], {}, w.now_us);
        play(w, who);
    }
    for (size_t who = 0; who < peer_count; ++who)
        for (const Datagram &datagram : send(w.peers[who], w.now_us))
            post(w, who, datagram);
}

void calm_tick(World &w)
{
    tick(w, tick_us);
    arrive_all(w);
}

// --- The attacker ---

void write_mac1(Flight &flight, size_t at, const Session *key_of)
{
    const MacKeys keys = handshake::mac_keys(key_of->secrets.keys.public_key);
    auto *bytes = reinterpret_cast<uint8_t *>(flight.bytes.data());
    crypto_generichash(bytes + at, 16, bytes, at, keys.mac1, sizeof keys.mac1);
}

// The attacker may know the public keys, and then the mac1 of handshakes is no obstacle.
void repair_mac1(const World &w, Flight &flight)
{
    if (flight.bytes.size() == sizeof(Initiation) && flight.bytes[0] == std::byte{1})
        write_mac1(flight, offsetof(Initiation, mac1), w.peers[flight.to]);
    if (flight.bytes.size() == sizeof(Response) && flight.bytes[0] == std::byte{2})
        write_mac1(flight, offsetof(Response, mac1), w.peers[flight.to]);
}

// Answers the newest initiation as if the other peer spoke another version.
void refuse_version(World &w, uint8_t version)
{
    for (const std::vector<Flight> *flights : {&w.past, &w.wire})
        for (size_t i = flights->size(); i-- > 0;) {
            const Flight &asked = (*flights)[i];
            if (asked.bytes.size() != sizeof(Initiation) || asked.bytes[0] != std::byte{1})
                continue;
            Flight refusal = {numbered_address(asked.to), 1 - asked.to, {}};
            refusal.bytes = {std::byte{5}, std::byte{version}, {}, {}};
            refusal.bytes.insert(refusal.bytes.end(), &asked.bytes[4], &asked.bytes[8]);
            refusal.bytes.resize(sizeof(VersionRefusal));
            write_mac1(refusal, offsetof(VersionRefusal, mac1), w.peers[asked.to]);
            return arrive(w, refusal);
        }
}

void change(const World &w, Flight &flight, Input &in)
{
    const uint8_t how = input::u8(in);
    if (flight.bytes.empty()) return;
    if (how % 4 == 0) {
        flight.bytes.resize(flight.bytes.size() * input::u8(in) / 256);
    } else if (how % 4 == 1) { // The datagram gets longer.
        const auto more = std::as_bytes(input::bytes(in, how / 4));
        flight.bytes.insert(flight.bytes.end(), more.begin(), more.end());
    } else {
        // The first bytes are types, versions and ids, so they are met more often.
        const size_t bound = how % 4 == 2 ? 16 : flight.bytes.size();
        const size_t at = (how % 4 == 2 ? input::u8(in) : input::u16(in)) % bound;
        const auto bits = static_cast<std::byte>(input::u8(in));
        if (at < flight.bytes.size()) flight.bytes[at] ^= bits;
        if (how & 4) repair_mac1(w, flight);
    }
}

void invent(World &w, Input &in)
{
    const uint8_t how = input::u8(in);
    if (how >= 248) return refuse_version(w, input::u8(in));
    const auto bytes = std::as_bytes(input::bytes(in, how / 4));
    const size_t to = how % peer_count;
    arrive(w, {numbered_address(how & 2 ? 1 - to : 7), to, {bytes.begin(), bytes.end()}});
}

void meddle(World &w, Input &in)
{
    const uint8_t what = input::u8(in);
    switch (what & 15) {
    case 0:
    case 1: return tick(w, (input::u8(in) + 1) * 2'000u);
    case 2: return tick(w, (input::u8(in) + 1) * 20'000u);
    case 3: return arrive_all(w);
    case 4: return act(w, input::u8(in));
    case 5: return invent(w, in);
    case 6: w.wire.clear(); return;
    case 7: // An old datagram arrives again, perhaps from elsewhere.
        if (w.past.empty()) return;
        Flight old = w.past[input::u8(in) % w.past.size()];
        if (what & 16) old.from = numbered_address(what / 32 + 2u);
        w.is_moved = w.is_moved || (what & 16) != 0;
        return arrive(w, old);
    }
    if (w.wire.empty()) return;
    const size_t i = what / 16 % w.wire.size();
    if ((what & 15) < 10) return arrive(w, take_off(w, i));
    if ((what & 15) == 10) return arrive(w, Flight(w.wire[i])); // The datagram stays on its way.
    if ((what & 15) == 11) {
        take_off(w, i);
        return;
    }
    Flight changed = (what & 15) == 12 ? take_off(w, i) : w.wire[i];
    if ((what & 15) == 15) {
        changed.from = numbered_address(2 + input::u8(in) % 4u);
        w.is_moved = true;
    } else {
        change(w, changed, in);
    }
    arrive(w, changed);
}

// --- Afterwards ---

void check_breaches(const World &w)
{
    for (size_t who = 0; who < peer_count; ++who)
        for (const PeerId peer : other_peers(w.peers[who])) {
            const uint64_t breaches = breach_count(peer_stats(w.peers[who], peer));
            TERN_ASSERT(breaches == 0, "%zu charges peer %u with %llu breaches", who,
                        static_cast<unsigned>(peer), static_cast<unsigned long long>(breaches));
        }
}

bool is_final(State state)
{
    return state == State::unreachable || state == State::removed ||
           state == State::refused_secret || state == State::refused_version;
}

bool agree(const World &w)
{
    for (const Session *s : w.peers)
        if (session_state(s) != State::open || other_peers(s).size() != 1) return false;
    return world_digest(w.peers[0]) == world_digest(w.peers[1]);
}

// Returns whether all is as it should be at the end: the host is alone if the member has ended.
bool is_settled(const World &w)
{
    if (is_final(session_state(w.peers[1])))
        return session_state(w.peers[0]) == State::open && other_peers(w.peers[0]).empty();
    return agree(w);
}

void settle(World &w)
{
    int settled = 0;
    for (int ticks = 0; ticks < calm_ticks_max && settled < 3; ++ticks) {
        // Values that change in each tick are never the same on both.
        w.now_us += tick_us;
        for (Session *s : w.peers)
            receive(s, {}, w.now_us);
        for (size_t who = 0; who < peer_count; ++who)
            for (const Datagram &datagram : send(w.peers[who], w.now_us))
                post(w, who, datagram);
        arrive_all(w);
        check_breaches(w);
        settled = is_settled(w) ? settled + 1 : 0;
    }
    TERN_ASSERT(settled == 3, "the host: %s\nwith %zu others; the member: %s\nwith %zu others",
                state_text(w.peers[0]), other_peers(w.peers[0]).size(), state_text(w.peers[1]),
                other_peers(w.peers[1]).size());
}

}

void fuzz_between(std::span<const uint8_t> data)
{
    Input in = {data};
    World w;
    make(w);
    const uint8_t how = input::u8(in);
    // The attacker is there from the first datagram on, or comes to an open session.
    const int quiet = how % 4 == 0 ? 0 : how % 4 == 1 ? how / 16 : 16;
    for (int i = 0; i < quiet; ++i)
        calm_tick(w);
    const bool was_open = session_state(w.peers[1]) == State::open;
    const PeerId before = local_peer(w.peers[1]);
    const uint64_t begun_us = w.now_us;
    for (int steps = 0; steps < steps_max && !input::empty(in); ++steps)
        meddle(w, in);
    check_breaches(w);
    const uint64_t meddled_us = w.now_us - begun_us;
    if (how & 8) w.wire.clear();
    settle(w);
    // A handshake may take half of join_timeout_ms, a connection may be silent for timeout_ms. An
    // attacker who was there for less, with time left for repetitions, has ended nothing: a refusal
    // that he has made only names the error with which a handshake's timeout would end.
    if (meddled_us >= timeout_ms * 1000ull / 2) return;
    TERN_ASSERT(session_state(w.peers[1]) == State::open, "after %llu us: %s",
                static_cast<unsigned long long>(meddled_us), state_text(w.peers[1]));
    if (was_open && !w.is_moved)
        TERN_ASSERT(local_peer(w.peers[1]) == before, "the member has joined again");
}

}
