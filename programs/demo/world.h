// What the demo's peers share: cubes that anybody may own, and one player of each peer.
#pragma once
#include "tern/types.h"

namespace demo {

using namespace tern;

inline constexpr float room_width = 78;
inline constexpr float room_height = 32;
inline constexpr float cube_size = 1;
inline constexpr float speed_max = 30;           // Of a cube, along each axis, per second.
inline constexpr uint32_t ticks_per_second = 60; // If nobody says otherwise.
inline constexpr uint32_t objects_limit = 1000;  // For --objects.

struct Cube {
    float position[2];
    float velocity[2];
    uint16_t bumps; // How often it has met a wall or another cube; wraps.
    PeerId pusher;  // Whose player pushed it last.
};

struct Player {
    float position[2];
    char name[12];
};

// A player to all others, by a reliable call.
struct Cheer {
    uint32_t number; // From 1 on.
};

enum : TypeId { cube_type, player_type, cheer_type };

inline constexpr Field cube_fields[] = {
    {"position", FieldKind::float32, offsetof(Cube, position), 2, 0, 128, 1.0 / 64},
    {"velocity", FieldKind::float32, offsetof(Cube, velocity), 2, -32, 32, 1.0 / 16},
    {"bumps", FieldKind::uint16, offsetof(Cube, bumps)},
    {"pusher", FieldKind::peer, offsetof(Cube, pusher)}};

inline constexpr Field player_fields[] = {
    {"position", FieldKind::float32, offsetof(Player, position), 2, 0, 128, 1.0 / 64},
    {"name", FieldKind::text, offsetof(Player, name), sizeof(Player::name)}};

inline constexpr Field cheer_fields[] = {{"number", FieldKind::uint32, offsetof(Cheer, number)}};

// More than objects_limit, for creations that cross. A player goes with its peer.
inline constexpr Type types[] = {
    {"cube", sizeof(Cube), cube_fields, objects_limit + 200, Orphan::to_host, ClaimPolicy::always},
    {"player", sizeof(Player), player_fields, star_peers_max, Orphan::destroy, ClaimPolicy::never},
    {"cheer", sizeof(Cheer), cheer_fields}};

// Of either type; unused bytes are zero.
struct AnyValue {
    unsigned char bytes[sizeof(Cube) > sizeof(Player) ? sizeof(Cube) : sizeof(Player)];
};

// One object as one peer has it.
struct Known {
    ObjectId object;
    uint64_t stamp;
    PeerId owner;
    TypeId type;
    AnyValue value;
};

}
