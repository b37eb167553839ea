// A type table with a field of every kind, for targets that need one.
#pragma once
#include "replication/world/type_table.h"

namespace tern::fuzz {

struct Numbers {
    bool flag;
    int8_t small;
    int16_t half;
    int32_t ranged;
    int64_t whole;
    uint8_t tiny;
    uint16_t port;
    uint32_t count;
    uint64_t mask;
};
struct Body {
    float position[3];
    float turn[4];
    float exact_turn[4];
    float speed;
};
struct Labels {
    PeerId peer;
    ObjectId object;
    char text[12];
    uint8_t bytes[5];
    uint8_t values[24];
};
struct Lonely {
    uint16_t value;
};
struct Nothing {
    uint8_t unused;
};

inline const Field numbers_fields[] = {
    {"flag", FieldKind::boolean, offsetof(Numbers, flag)},
    {"small", FieldKind::int8, offsetof(Numbers, small)},
    {"half", FieldKind::int16, offsetof(Numbers, half), 1, -100, 1000},
    {"ranged", FieldKind::int32, offsetof(Numbers, ranged), 1, -5, 5},
    {"whole", FieldKind::int64, offsetof(Numbers, whole)},
    {"tiny", FieldKind::uint8, offsetof(Numbers, tiny), 1, 3, 4},
    {"port", FieldKind::uint16, offsetof(Numbers, port)},
    {"count", FieldKind::uint32, offsetof(Numbers, count), 1, 0, 4294967295.0},
    {"mask", FieldKind::uint64, offsetof(Numbers, mask)}};
inline const Field body_fields[] = {
    {"position", FieldKind::float32, offsetof(Body, position), 3, -100, 100, 0.01},
    {"turn", FieldKind::quaternion, offsetof(Body, turn), 1, 0, 0, 0.001},
    {"exact_turn", FieldKind::quaternion, offsetof(Body, exact_turn)},
    {"speed", FieldKind::float32, offsetof(Body, speed)}};
inline const Field labels_fields[] = {{"peer", FieldKind::peer, offsetof(Labels, peer)},
                                      {"object", FieldKind::object, offsetof(Labels, object)},
                                      {"text", FieldKind::text, offsetof(Labels, text), 12},
                                      {"bytes", FieldKind::bytes, offsetof(Labels, bytes), 5},
                                      {"values", FieldKind::values, offsetof(Labels, values), 24}};
inline const Field lonely_fields[] = {{"value", FieldKind::uint16, offsetof(Lonely, value)}};
inline const Type every_kind_types[] = {{"numbers", sizeof(Numbers), numbers_fields, 4},
                                        {"body", sizeof(Body), body_fields, 4, Orphan::destroy},
                                        {"labels", sizeof(Labels), labels_fields, 4,
                                         Orphan::to_host, ClaimPolicy::ask_game, 0, 0, 0,
                                         Callers::owner},
                                        {"lonely", sizeof(Lonely), lonely_fields, 4},
                                        {"nothing", sizeof(Nothing), {}}};

inline const TypeTable &every_kind()
{
    static const TypeTable table = type_table::make(every_kind_types);
    return table;
}

}
