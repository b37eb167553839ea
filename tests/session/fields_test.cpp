// TERN_FIELDS: the table that the compiler makes of a struct. What it refuses is in tests/mistakes.
#include <cstddef>
#include <gtest/gtest.h>
#include <tern/diagnostics.hpp>
#include <tern/tern.hpp>

namespace game {

enum class Mood : uint16_t { calm, angry };

struct Everything {
    bool lit;
    int8_t a;
    int16_t b;
    int32_t c;
    int64_t d;
    uint8_t e;
    uint16_t f;
    uint32_t g;
    uint64_t h;
    float speed, position[3], rotation[4];
    std::array<float, 2> pair;
    tern::PeerId peer;
    tern::ObjectId object;
    char text[12];
    uint8_t bytes[5], numbers[6], any[64];
    Mood mood;
    int32_t not_sent;
};
TERN_FIELDS(Everything, lit, a, b, c, d, e, f, g, field(h, range(0, 1e15)), speed,
            field(position, range(-500, 500), step(0.01), bound(0.1)),
            field(rotation, as_quaternion(), step(0.002)), pair, peer, object, text, bytes,
            field(numbers, range(0, 9)), field(any, as_values()), field(mood, range(0, 1)));

struct One {
    int32_t number;
};
TERN_FIELDS(One, field(number));

}

namespace {

using game::Everything;
using tern::FieldKind;

const tern::Field expected[] = {
    {"lit", FieldKind::boolean, offsetof(Everything, lit)},
    {"a", FieldKind::int8, offsetof(Everything, a)},
    {"b", FieldKind::int16, offsetof(Everything, b)},
    {"c", FieldKind::int32, offsetof(Everything, c)},
    {"d", FieldKind::int64, offsetof(Everything, d)},
    {"e", FieldKind::uint8, offsetof(Everything, e)},
    {"f", FieldKind::uint16, offsetof(Everything, f)},
    {"g", FieldKind::uint32, offsetof(Everything, g)},
    {"h", FieldKind::uint64, offsetof(Everything, h), 1, 0, 1e15},
    {"speed", FieldKind::float32, offsetof(Everything, speed)},
    {"position", FieldKind::float32, offsetof(Everything, position), 3, -500, 500, 0.01, 0.1},
    {"rotation", FieldKind::quaternion, offsetof(Everything, rotation), 1, 0, 0, 0.002},
    {"pair", FieldKind::float32, offsetof(Everything, pair), 2},
    {"peer", FieldKind::peer, offsetof(Everything, peer)},
    {"object", FieldKind::object, offsetof(Everything, object)},
    {"text", FieldKind::text, offsetof(Everything, text), 12},
    {"bytes", FieldKind::bytes, offsetof(Everything, bytes), 5},
    {"numbers", FieldKind::uint8, offsetof(Everything, numbers), 6, 0, 9},
    {"any", FieldKind::values, offsetof(Everything, any), 64},
    {"mood", FieldKind::uint16, offsetof(Everything, mood), 1, 0, 1}};

TEST(Fields, FollowFromTheMembersAndTheirOptions)
{
    const auto &fields = tern::fields_of<Everything>;
    ASSERT_EQ(fields.size(), std::size(expected));
    for (size_t i = 0; i < fields.size(); ++i) {
        SCOPED_TRACE(expected[i].name);
        EXPECT_STREQ(fields[i].name, expected[i].name);
        EXPECT_EQ(fields[i].kind, expected[i].kind);
        EXPECT_EQ(fields[i].offset_bytes, expected[i].offset_bytes);
        EXPECT_EQ(fields[i].count, expected[i].count);
        EXPECT_EQ(fields[i].min, expected[i].min);
        EXPECT_EQ(fields[i].max, expected[i].max);
        EXPECT_EQ(fields[i].step, expected[i].step);
        EXPECT_EQ(fields[i].bound, expected[i].bound);
    }
}

TEST(Fields, MakeATypeThatASessionTakes)
{
    static constexpr tern::Type types[] = {
        tern::make_type<Everything>("everything", {.objects_max = 4, .claim_cooldown_ms = 7}),
        tern::make_type<game::One>("one")};
    EXPECT_STREQ(types[0].name, "everything");
    EXPECT_EQ(types[0].size_bytes, sizeof(Everything));
    EXPECT_EQ(types[0].objects_max, 4u);
    EXPECT_EQ(types[0].claim_cooldown_ms, 7u);
    EXPECT_EQ(types[1].fields.size(), 1u);
    EXPECT_STREQ(tern::config_problem({.types = types}).text, "");
}

}
