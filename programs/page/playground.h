// The world of the page: four peers in one process share cubes over a simulated network.
#pragma once
#include "lanes.h"
#include "tern/events.hpp"
#include "tern/fields.hpp"
#include "tern/sim.hpp"
#include <random>
#include <string>
#include <unordered_map>

namespace page {

inline constexpr float room_size[2] = {48, 25};
inline constexpr float cube_size = 1;
inline constexpr float player_radius = 1.1f;
inline constexpr uint32_t tick_us = 16'667;
inline constexpr uint32_t cubes_of_a_peer = 50; // Each of the first four peers creates so many.
inline constexpr uint32_t cubes_max = 400;      // Objects of the type, in the whole session.

struct Cube {
    float position[2];
    float velocity[2];
};
TERN_FIELDS(Cube, field(position, range(0, 64), step(1.0 / 64)),
            field(velocity, range(-32, 32), step(1.0 / 64)));

struct Player {
    float position[2];
};
TERN_FIELDS(Player, field(position, range(0, 64), step(1.0 / 64)));

// The mouse in the view of one peer.
struct Hand {
    bool is_down;
    ObjectId cube; // Follows the mouse. none: the player of this peer walks to it.
    float position[2];
};

struct Peer {
    Session *session = nullptr; // Null: the peer is dead.
    Socket *socket = nullptr;
    Address address = {};
    Journal journal = {};
    std::vector<Note> notes = {}; // Memory of the journal.
    Object<Player> player = {};
    float goal[2] = {}; // The player walks there.
    Hand hand = {};
    ObjectId locked = ObjectId::none;  // The hand holds it.
    std::vector<ObjectId> doomed = {}; // They are destroyed once they are ours.
    std::unordered_map<ObjectId, uint64_t> changed_us = {}; // This peer got its last change then.
    std::unordered_map<ObjectId, uint64_t> refused_us = {}; // The last claim was refused then.
};

struct Playground {
    SimNetwork *network = nullptr;
    Quorum quorum = Quorum::majority;
    Peer peers[lane_count] = {};              // The lane is the index.
    uint32_t made[lane_count] = {};           // First cubes, by the lane of their creator.
    bool is_cut[lane_count][lane_count] = {}; // From, to.
    Lanes lanes = {};
    std::minstd_rand random = {};
    uint64_t now_us = 0;
    uint16_t next_port = 7001;
    bool has_bots = true;
};

namespace playground {

Playground *make(uint32_t seed, Quorum quorum);
void destroy(Playground *ground);
// Advances the world by one tick of the peers, to this time.
void step(Playground &ground, uint64_t now_us);
// The process of this peer ends without a goodbye.
void kill(Playground &ground, uint32_t lane);
// A new process in this lane joins through any peer that it can reach. If all others are dead, it
// starts a new session.
void revive(Playground &ground, uint32_t lane);
// Datagrams between the two lanes are lost, in both directions, or not any more.
void cut(Playground &ground, uint32_t lane, uint32_t other, bool is_cut);
// The lane of the peer that this session knows by this id; lane_count: there is none.
uint32_t lane_of(const Session *session, PeerId peer);
bool is_in(const Peer &peer); // The session is open.
// The players rest in the last three of eight seconds, so that all worlds become equal.
bool is_resting(const Playground &ground);
// This text is for people: what this peer knows about the object, and its owner about the others.
std::string explanation(const Playground &ground, uint32_t lane, ObjectId object);
const char *name(uint32_t lane); // "Ada".

}

namespace play {

// One tick of the game of one peer, whose session is open: its player walks, its cubes move, and it
// claims what they touch.
void tick(Playground &ground, Peer &peer);
// Creates those that are missing of the first cubes of this lane, as far as there is room.
void create_first_cubes(Playground &ground, uint32_t lane);
// The cube of this peer's view at this place; none: there is none.
ObjectId cube_at(const Peer &peer, float x, float y);
// A random peer replaces a cube by a new one, about once a second.
void replace_a_cube(Playground &ground);

}
}
