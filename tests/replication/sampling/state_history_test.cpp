#include "base/random.h"
#include "replication/sampling/extrapolation.h"
#include "replication/sampling/state_history.h"
#include "tests/replication/block.h"
#include <cmath>
#include <gtest/gtest.h>

namespace tern {
namespace {

const Field place_field = {"place", FieldKind::float32, 0, 1, 0, 0, 0, 0.1};
const Field turn_field = {"turn", FieldKind::quaternion, 0, 1, 0, 0, 0, 0.1};

TEST(Extrapolation, GoesOnForSomeTicksAndComesBack)
{
    const float older = 10, newest = 12;
    const auto at = [&](double tick) {
        float to = 0;
        extrapolation::blend(place_field, &older, &newest, extrapolation::progress(100, 104, tick),
                             &to);
        return to;
    };
    EXPECT_EQ(at(104), 12);
    EXPECT_EQ(at(106), 13);
    EXPECT_EQ(at(104 + extrapolation::ticks_max), 12 + 8);
    EXPECT_EQ(at(104 + 1.5 * extrapolation::ticks_max), 12 + 4);
    EXPECT_EQ(at(104 + 2 * extrapolation::ticks_max), 12);
    EXPECT_EQ(at(1e9), 12);
    EXPECT_EQ(at(100), 10);
}

TEST(Extrapolation, ARotationGoesAlongItsGreatCircle)
{
    const auto about_z = [](float angle, float *q) {
        q[0] = q[1] = 0;
        q[2] = std::sin(angle / 2);
        q[3] = std::cos(angle / 2);
    };
    float older[4], newest[4], expected[4], to[4];
    about_z(0.2f, older);
    about_z(0.5f, newest);
    for (float &part : older)
        part = -part; // -q is the same rotation as q.
    about_z(1.1f, expected);
    extrapolation::blend(turn_field, older, newest, 3, to);
    for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(to[i], expected[i], 1e-4);
    about_z(0.35f, expected);
    extrapolation::blend(turn_field, older, newest, 0.5, to);
    for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(to[i], expected[i], 1e-4);
    about_z(0.59f, to);
    EXPECT_FALSE(extrapolation::is_beyond_bound(turn_field, newest, to));
    about_z(0.61f, to);
    EXPECT_TRUE(extrapolation::is_beyond_bound(turn_field, newest, to));
}

// The owner's ticks take slightly more than 16.7 ms. Its updates arrive up to 40 ms late, and one
// in twenty much later.
TEST(OwnerClockEstimate, JitterDoesNotShow)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random = random::from_seed(seed);
        OwnerClockEstimate clock = {};
        const double tick_us = 16'700 + random::unit(random) * 10;
        uint64_t heard_us = 0;
        for (uint32_t tick = 1; tick < 60 * 60; ++tick) {
            const double late_us =
                random::unit(random) * 40'000 + (random::chance(random, 0.05) ? 100'000 : 0);
            const auto us = static_cast<uint64_t>(5e6 + tick * tick_us + late_us);
            heard_us = std::max(heard_us, us);
            state_history::add_sample(clock, tick, heard_us);
            const double off_us = (state_history::tick_at(clock, heard_us) -
                                   (static_cast<double>(heard_us) - 5e6) / tick_us) *
                                  tick_us;
            if (tick < 120) continue;
            EXPECT_LT(std::fabs(off_us), tick < 600 ? 20'000 : 4000) << tick;
        }
    }
}

// Eight seconds after a pause or a jump of the owner's ticks nothing of it may be left, even if the
// estimate of the time before was good for long.
TEST(OwnerClockEstimate, APauseOrAJumpIsForgottenAfterEightSeconds)
{
    for (const uint32_t lost_us : {200'000u, 30'000u, 0u})
        for (uint32_t before_s = 1; before_s < 40; before_s += 3) {
            SCOPED_TRACE(std::to_string(lost_us) + " " + std::to_string(before_s));
            OwnerClockEstimate clock = {};
            uint64_t us = 5'000'000;
            for (uint32_t step = 1; step < (before_s + 30) * 60; ++step) {
                const bool is_after = step >= before_s * 60;
                us += step == before_s * 60 ? lost_us : 16'667;
                const uint32_t tick = step + (is_after && lost_us == 0 ? 12 : 0);
                state_history::add_sample(clock, tick, us);
                if (step < (before_s + 8) * 60 + 20) continue;
                EXPECT_NEAR(state_history::tick_at(clock, us), tick, 0.25) << tick;
                EXPECT_NEAR(state_history::tick_at(clock, us + 166'670), tick + 10, 0.25) << tick;
            }
        }
}

// An estimate from two updates that are far apart is better than none.
TEST(OwnerClockEstimate, UpdatesMayBeRarerThanTheWindow)
{
    OwnerClockEstimate clock = {};
    for (uint32_t i = 0; i < 10; ++i) {
        state_history::add_sample(clock, 1 + i * 1200, 5'000'000 + i * 20'000'000);
        if (i == 0) continue;
        EXPECT_NEAR(state_history::tick_at(clock, 5'000'000 + i * 20'000'000 + 1'000'000),
                    1 + i * 1200 + 60, 0.1);
    }
}

struct Body {
    float place;
    int32_t health;
};
const Field fields[] = {{"place", FieldKind::float32, offsetof(Body, place), 1, 0, 0, 0, 0.1},
                        {"health", FieldKind::int32, offsetof(Body, health)}};
const Type types[] = {{"body", sizeof(Body), fields, 8}};

struct Teller {
    TypeTable table = type_table::make(types);
    Block block = make_block(table);
    std::vector<Block::Chunk> memory = std::vector<Block::Chunk>(4096);
    ObjectSlot slot = 0;

    Teller()
    {
        flat::Builder builder = {reinterpret_cast<std::byte *>(memory.data()), 0};
        StateHistory *placed = new (memory.data()) StateHistory{};
        builder.used_bytes = sizeof(StateHistory);
        state_history::place(builder, *placed, table, block.world().slots.count, 2);
        slot = world::add(block.world(), table, object_id::make(PeerId{2}, 1), 0);
        block.world().slots[slot].owner = PeerId{2};
    }
    StateHistory &states() { return *reinterpret_cast<StateHistory *>(memory.data()); }
    void tell(uint32_t tick, Body body)
    {
        block.world().slots[slot].tick = tick;
        std::memcpy(world::value(block.world(), table, slot), &body, sizeof body);
        state_history::push(states(), block.world(), table, {slot, 1, tick * 10'000});
    }
    Body at(double tick)
    {
        Body body = {};
        EXPECT_TRUE(state_history::state_at(states(), block.world(), table, {slot, tick}, &body));
        return body;
    }
};

TEST(StateHistory, BetweenTwoStatesFloatsGoOverAndOthersStay)
{
    Teller t;
    Body body = {};
    EXPECT_FALSE(state_history::state_at(t.states(), t.block.world(), t.table, {t.slot, 1}, &body));
    t.tell(10, {1, 7});
    EXPECT_EQ(t.at(5).place, 1);
    EXPECT_EQ(t.at(50).place, 1) << "one state alone does not move";
    t.tell(20, {2, 8});
    EXPECT_EQ(t.at(5).place, 1);
    EXPECT_EQ(t.at(15).place, 1.5f);
    EXPECT_EQ(t.at(15).health, 7);
    EXPECT_EQ(t.at(20).health, 8);
    EXPECT_FLOAT_EQ(t.at(23).place, 2.3f);
    EXPECT_EQ(t.at(23).health, 8);
    t.tell(19, {9, 9}); // Arrives late.
    EXPECT_EQ(t.at(20).place, 2);
    t.tell(21, {2, 8}); // From here on the value rests at 2.
    EXPECT_EQ(t.at(30).place, 2);
}

TEST(StateHistory, TheOldestGoAndANewTenureBeginsAnew)
{
    Teller t;
    for (uint32_t i = 1; i <= states_kept + 5; ++i)
        t.tell(i, {static_cast<float>(i), 0});
    EXPECT_EQ(t.at(6.5).place, 6.5f);
    EXPECT_EQ(t.at(1).place, 6);
    EXPECT_NEAR(tern::state_history::tick_at(t.states().clocks[1], 120'000), 12, 1);
    t.block.world().slots[t.slot].stamp = 1;
    Body body = {};
    EXPECT_FALSE(
        state_history::state_at(t.states(), t.block.world(), t.table, {t.slot, 30}, &body));
    t.tell(3, {50, 0});
    EXPECT_EQ(t.at(30).place, 50) << "nothing of the former tenure is gone on with";
}

}
}
