// The functions that the page calls in the WebAssembly module. It reads arrays as bytes: common.js
// has their layouts.
#include "playground.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <emscripten.h>

namespace page {

static constexpr uint64_t rate_us = 500'000; // Bytes are counted for so long.

struct ShownPeer {
    uint32_t is_alive;
    uint32_t state; // A State.
    uint32_t host;  // A lane; lane_count: there is no host.
    uint32_t objects, owned;
    uint32_t digest[2];
    uint32_t sent_bits_per_second;
    uint32_t claims; // Claims that await their answers.
    uint32_t unused;
};
static_assert(sizeof(ShownPeer) == 40);

enum ShownFlags : uint32_t { is_claimed = 1, is_held = 2, is_player = 4 };

struct ShownCube { // Or a player.
    double object;
    float position[2];
    uint32_t owner; // A lane; lane_count: another.
    uint32_t flags; // ShownFlags.
    float age_ms;   // Time since its last change came to this peer. Below 0: it came from nobody.
    uint32_t unused;
};
static_assert(sizeof(ShownCube) == 32);

struct Rate {
    uint64_t bytes, from_us;
    uint32_t bits_per_second;
};

struct Shown {
    Playground *ground = nullptr;
    ShownPeer peers[lane_count] = {};
    std::vector<ShownCube> cubes[lane_count] = {};
    Rate rates[lane_count] = {};
    std::string text = {};
};

static Shown shown;

static uint32_t bits_per_second(const Peer &peer, Rate &rate, uint64_t now_us)
{
    const uint64_t bytes = peer.socket->stats().sent_bytes;
    if (bytes < rate.bytes) rate = {};
    if (now_us < rate.from_us + rate_us) return rate.bits_per_second;
    const uint64_t bits = 8 * (bytes - rate.bytes);
    rate.bits_per_second = static_cast<uint32_t>(bits * 1'000'000 / (now_us - rate.from_us));
    rate.bytes = bytes;
    rate.from_us = now_us;
    return rate.bits_per_second;
}

static void show_cubes(const Peer &peer, std::vector<ShownCube> &out)
{
    out.clear();
    if (!peer.session) return;
    const std::span<const Object<Cube>> objects = object_ids<Cube>(peer.session);
    for (const Object<Cube> object : objects) {
        if (!exists(peer.session, object)) continue;
        const Cube cube = get(peer.session, object);
        ShownCube one = {};
        one.object = static_cast<double>(object.id);
        std::copy_n(cube.position, 2, one.position);
        one.owner = playground::lane_of(peer.session, object_owner(peer.session, object));
        if (is_claiming(peer.session, object)) one.flags |= is_claimed;
        if (peer.hand.is_down && peer.hand.cube == object) one.flags |= is_held;
        const auto changed = peer.changed_us.find(object);
        const bool is_known = changed != peer.changed_us.end();
        one.age_ms =
            is_known ? static_cast<float>(shown.ground->now_us - changed->second) / 1000 : -1;
        out.push_back(one);
    }
    for (const Object<Player> object : object_ids<Player>(peer.session)) {
        if (!exists(peer.session, object)) continue;
        ShownCube one = {};
        one.object = static_cast<double>(object.id);
        std::copy_n(get(peer.session, object).position, 2, one.position);
        one.owner = playground::lane_of(peer.session, object_owner(peer.session, object));
        one.flags = is_player;
        out.push_back(one);
    }
}

static void show_peer(uint32_t lane)
{
    const Peer &peer = shown.ground->peers[lane];
    ShownPeer &out = shown.peers[lane];
    out = {};
    out.host = lane_count;
    if (!peer.session) return;
    const uint64_t digest = world_digest(peer.session);
    out.is_alive = 1;
    out.state = static_cast<uint32_t>(session_state(peer.session));
    out.host = playground::lane_of(peer.session, host_peer(peer.session));
    out.digest[0] = static_cast<uint32_t>(digest);
    out.digest[1] = static_cast<uint32_t>(digest >> 32);
    out.sent_bits_per_second = bits_per_second(peer, shown.rates[lane], shown.ground->now_us);
    for (const ShownCube &cube : shown.cubes[lane]) {
        if (cube.flags & is_player) continue;
        out.objects += 1;
        out.owned += cube.owner == lane;
        out.claims += (cube.flags & is_claimed) != 0;
    }
}

static ObjectId object_of(double object)
{
    return static_cast<ObjectId>(static_cast<uint64_t>(object));
}

}

using namespace page;

extern "C" {

EMSCRIPTEN_KEEPALIVE void page_make(uint32_t seed, bool survivors)
{
    if (shown.ground) playground::destroy(shown.ground);
    shown.ground = playground::make(seed, survivors ? Quorum::survivors : Quorum::majority);
    std::fill_n(shown.rates, lane_count, Rate{});
}

EMSCRIPTEN_KEEPALIVE void page_step(double now_us)
{
    playground::step(*shown.ground, static_cast<uint64_t>(now_us));
}

// Copies the state of the world to where the page reads it.
EMSCRIPTEN_KEEPALIVE void page_show()
{
    for (uint32_t lane = 0; lane < lane_count; ++lane) {
        show_cubes(shown.ground->peers[lane], shown.cubes[lane]);
        show_peer(lane);
    }
}

EMSCRIPTEN_KEEPALIVE ShownPeer *page_peers()
{
    return shown.peers;
}
EMSCRIPTEN_KEEPALIVE ShownCube *page_cubes(uint32_t lane)
{
    return shown.cubes[lane].data();
}
EMSCRIPTEN_KEEPALIVE uint32_t page_cube_count(uint32_t lane)
{
    return static_cast<uint32_t>(shown.cubes[lane].size());
}
EMSCRIPTEN_KEEPALIVE Line *page_lines()
{
    return shown.ground->lanes.lines.data();
}
EMSCRIPTEN_KEEPALIVE uint32_t page_line_count()
{
    return static_cast<uint32_t>(shown.ground->lanes.lines.size());
}

EMSCRIPTEN_KEEPALIVE void page_impair(double loss, uint32_t delay_ms, uint32_t jitter_ms)
{
    Impairment impairment = {};
    impairment.latency_ms_min = delay_ms;
    impairment.latency_ms_max = delay_ms + jitter_ms;
    impairment.loss = static_cast<float>(loss);
    set_impairment(shown.ground->network, impairment);
}

EMSCRIPTEN_KEEPALIVE void page_kill(uint32_t lane)
{
    playground::kill(*shown.ground, lane);
}
EMSCRIPTEN_KEEPALIVE void page_revive(uint32_t lane)
{
    playground::revive(*shown.ground, lane);
}
EMSCRIPTEN_KEEPALIVE void page_cut(uint32_t lane, uint32_t other, bool is_cut)
{
    playground::cut(*shown.ground, lane, other, is_cut);
}
EMSCRIPTEN_KEEPALIVE void page_go_on(uint32_t lane)
{
    Session *session = shown.ground->peers[lane].session;
    if (session && session_state(session) == State::cut_off) go_on(session);
}
EMSCRIPTEN_KEEPALIVE void page_let_walk(bool has_bots)
{
    shown.ground->has_bots = has_bots;
}

// The cube at this place; 0: there is none.
EMSCRIPTEN_KEEPALIVE double page_cube_at(uint32_t lane, float x, float y)
{
    const Peer &peer = shown.ground->peers[lane];
    return peer.session ? static_cast<double>(play::cube_at(peer, x, y)) : 0;
}

// The mouse is down in the view of a peer, with a cube or, for 0, with its player.
EMSCRIPTEN_KEEPALIVE void page_drag(uint32_t lane, double object, float x, float y)
{
    Hand &hand = shown.ground->peers[lane].hand;
    hand.is_down = true;
    hand.cube = object_of(object);
    hand.position[0] = std::clamp(x, 0.0f, room_size[0]);
    hand.position[1] = std::clamp(y, 0.0f, room_size[1]);
}

EMSCRIPTEN_KEEPALIVE void page_let_go(uint32_t lane)
{
    shown.ground->peers[lane].hand = {};
}

EMSCRIPTEN_KEEPALIVE void page_create(uint32_t lane, float x, float y)
{
    Peer &peer = shown.ground->peers[lane];
    if (!playground::is_in(peer)) return;
    Cube cube = {};
    cube.position[0] = x;
    cube.position[1] = y;
    create(peer.session, cube);
}

EMSCRIPTEN_KEEPALIVE void page_destroy(uint32_t lane, double object)
{
    Peer &peer = shown.ground->peers[lane];
    if (peer.session) peer.doomed.push_back(object_of(object));
}

// Valid until the next call that gives a text.
EMSCRIPTEN_KEEPALIVE const char *page_explain(uint32_t lane, double object)
{
    shown.text = playground::explanation(*shown.ground, lane, object_of(object));
    return shown.text.c_str();
}

EMSCRIPTEN_KEEPALIVE const char *page_state_text(uint32_t lane)
{
    const Session *session = shown.ground->peers[lane].session;
    shown.text = session ? state_text(session) : "";
    return shown.text.c_str();
}

// The peer that owns this object at this peer; lane_count: it is not there.
EMSCRIPTEN_KEEPALIVE uint32_t page_owner(uint32_t lane, double object)
{
    const Session *session = shown.ground->peers[lane].session;
    if (!session || !exists(session, object_of(object))) return lane_count;
    return playground::lane_of(session, object_owner(session, object_of(object)));
}

EMSCRIPTEN_KEEPALIVE bool page_is_resting()
{
    return playground::is_resting(*shown.ground);
}
}
