// Scenes, and the ages of what receivers show of them.
#include "bench/surface/watch.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace bench::surface;

namespace {

// What a receiver shows that has everything as it was `behind` steps ago.
std::vector<const Thing *> shown_at(const Scene &scene, uint64_t step)
{
    std::vector<const Thing *> shown;
    for (size_t i = 0; i < scene.object_count; ++i) {
        const size_t frame = scene::frame(scene, step);
        shown.push_back(scene::is_alive(scene, frame, i) ? &scene::at(scene, frame, i) : nullptr);
    }
    return shown;
}

// A client's tick, half a period after that of the host.
Moment moment_at(const Scene &scene, uint64_t tick)
{
    return {tick * scene.period_us + scene.period_us / 2, tick, tick + 1, true};
}

// Looks at what was so `behind` steps ago, at tick 20.
Report look(const Scene &scene, uint64_t behind)
{
    const ObjectSetup setup = {&scene, 1, 0, 0};
    Watch watch = {};
    watch.setup = &setup;
    Moment moment = {};
    for (uint64_t tick = 0; tick <= 20; ++tick) {
        moment = moment_at(scene, tick);
        watch::count_due(watch, moment);
    }
    watch::look(watch, moment, 0, shown_at(scene, moment.changes - behind));
    return watch::close(watch);
}

}

TEST(SurfaceSceneTest, AFrameFollowsItsNeighbourInBothDirections)
{
    const Scene scene = scene::bodies(3, 1, 4, 16'667);
    const size_t expected[] = {0, 1, 2, 3, 2, 1, 0, 1};
    for (uint64_t step = 0; step < 8; ++step)
        EXPECT_EQ(scene::frame(scene, step), expected[step]);
    const Scene still = scene::still(3);
    EXPECT_EQ(scene::frame(still, 7), 0u);
    EXPECT_TRUE(scene::changed(still, 7).empty());
}

TEST(SurfaceSceneTest, ChangedObjectsAreThoseThatDiffer)
{
    for (const Scene &scene : {scene::bodies(50, 10, 30, 16'667), scene::projectiles(60)})
        for (uint64_t step = 1; step < 2 * scene.frame_count; ++step) {
            std::vector<uint32_t> differ;
            const std::vector<const Thing *> before = shown_at(scene, step - 1);
            for (uint32_t i = 0; i < scene.object_count; ++i)
                if (!scene::shows(scene, scene::frame(scene, step), i, before[i]))
                    differ.push_back(i);
            const std::vector<uint32_t> &changed = scene::changed(scene, step);
            for (const uint32_t object : differ)
                EXPECT_TRUE(std::find(changed.begin(), changed.end(), object) != changed.end());
        }
}

TEST(SurfaceWatchTest, AnAgeIsHowLongAgoWhatIsShownWasSo)
{
    const Scene scene = scene::bodies(20, 1, 60, 16'667);
    for (const uint64_t behind : {0u, 1u, 5u}) {
        const Report report = look(scene, behind);
        EXPECT_NEAR(report.age_p50_ms, 8.333 + 16.667 * static_cast<double>(behind), 0.01);
        EXPECT_EQ(report.due, 21u * 20u);
        EXPECT_FALSE(report.wrong);
    }
}

TEST(SurfaceWatchTest, WhatNeverWasIsWrong)
{
    const Scene scene = scene::bodies(20, 1, 60, 16'667);
    const ObjectSetup setup = {&scene, 1, 0, 0};
    const Moment moment = moment_at(scene, 20);
    for (const float off_m : {0.0f, 0.01f}) {
        Watch watch = {};
        watch.setup = &setup;
        watch::count_due(watch, moment);
        std::vector<const Thing *> shown = shown_at(scene, moment.changes);
        Thing moved = *shown[7];
        moved.position[2] += off_m;
        shown[7] = &moved;
        watch::look(watch, moment, 0, shown);
        EXPECT_EQ(watch::close(watch).wrong, off_m > 0);
        EXPECT_EQ(watch::is_equal(setup, moment, shown), off_m == 0);
    }
}

TEST(SurfaceWatchTest, WhatIsFarAwayIsNotDue)
{
    const Scene scene = scene::bodies(400, 1, 10, 16'667);
    ObjectSetup setup = {&scene, 1, 20, 100};
    Watch watch = {};
    watch.setup = &setup;
    watch::count_due(watch, moment_at(scene, 3));
    EXPECT_GT(watch.due, 0u);
    EXPECT_LT(watch.due, 40u); // 100 m around it are a thirtieth of 900 m by 900 m.
}
