// Objects that move steadily over lossy paths: snapshots whose baseline was lost, and snapshots
// that build on those.
#include "sim/scenarios/scenarios_run.h"
#include <algorithm>

namespace tern::scenarios {

namespace {

constexpr uint64_t moving_us = 4'000'000, lossless_us = 9'000'000, resting_us = 10'000'000;
constexpr uint64_t crowd_rests_us = 6'000'000;
constexpr uint64_t creeping_us = 13'000'000; // By then estimates of clocks are steady.
constexpr uint32_t movers = 4;

// Each place has an object of a predicted type and changes it 60 times a second. Meanwhile 2 claims
// the object of place 0, and changes it once it is the owner.
std::string moving_trace()
{
    std::string text = "tern-trace 1 simulate\nseed 3\nplaces 4\nseconds 13\nobjects 40\nchoices\n"
                       "start 1 @1000000 =0\nstart 2 @1000000 =0\nstart 3 @1000000 =0\n"
                       "claim 2 @6000000 o1\n";
    // A content that is 1 modulo 4 creates an object of type MORTAL.
    for (uint32_t i = 0; i < movers; ++i) {
        const std::string who = std::to_string(i), thing = " o" + std::to_string(i + 1);
        text += "create " + who + " @3000000" + thing + " =124076829\n";
        uint64_t content = 1'000;
        for (uint64_t at = moving_us; at < resting_us; at += 16'667, content += 64) {
            const std::string set = " @" + std::to_string(at) + thing + " =";
            text += "set " + who + set + std::to_string(content) + "\n";
            // This has no effect until 2 owns the object.
            if (i == 0) text += "set 2" + set + std::to_string(content + 1) + "\n";
        }
    }
    return text;
}

// The age of the oldest value of a mover at any peer, in ticks of the mover's owner.
uint32_t age_most(const Run &run)
{
    uint32_t most = 0;
    for (uint32_t thing = 1; thing <= movers; ++thing) {
        const ObjectId object = simulation::object(*run.sim, thing);
        for (const Node &owning : run.sim->nodes) {
            if (object_owner(owning.session, object) != owning.self) continue;
            const uint32_t now = inspect::replica(owning.session).world.tick;
            for (const Node &node : run.sim->nodes) {
                const World &world = inspect::replica(node.session).world;
                const ObjectSlot slot = world::find_alive(world, object);
                if (&node == &owning || slot == no_slot) continue;
                if (world.slots[slot].owner != owning.self) continue;
                most = std::max(most, now - std::min(now, world.slots[slot].tick));
            }
        }
    }
    return most;
}

PlayedSessions moving_under_loss(const Stage &stage)
{
    Run run = begin(stage, moving_trace());
    advance_to(run, moving_us);
    wire::set_loss(run.sim->wire, 200);
    advance_to(run, moving_us + 2'500'000); // All know the claim's grant by now.
    uint32_t ticks_most = 0;
    while (run.sim->now_us < lossless_us && advance(run))
        ticks_most = std::max(ticks_most, age_most(run));
    wire::set_loss(run.sim->wire, 0);
    advance_to(run, resting_us + 1'000'000);
    expect(run, agree(run), "all agree when the movers rest");
    expect(run, is_owned(run, 3, 1, 2), "the claimed one is its claimer's");
    expect(run, !run.sim->oracles.violation, "no oracle is violated");
    expect(run, ticks_most < 60, "nobody shows a mover as it was a second ago");
    return finish(run, "with a loss of 20 % the oldest state shown was " +
                           std::to_string(ticks_most) + " ticks old");
}

// The host moves so many objects that their entries are in several groups, 30 times a second, and
// rests. Each datagram has a group or several.
constexpr uint32_t crowd = 180;

std::string crowd_trace()
{
    std::string text = "tern-trace 1 simulate\nseed 5\nplaces 3\nseconds 9\nobjects 2000\n"
                       "choices\nstart 1 @1000000 =0\nstart 2 @1000000 =0\n";
    for (uint32_t i = 1; i <= crowd; ++i) {
        const std::string thing = " o" + std::to_string(i);
        text += "create 0 @3000000" + thing + " =124076829\n";
        uint64_t content = 1'000 + i;
        for (uint64_t at = moving_us; at < crowd_rests_us; at += 33'333, content += 64)
            text += "set 0 @" + std::to_string(at) + thing + " =" + std::to_string(content) + "\n";
    }
    return text;
}

PlayedSessions crowd_under_loss(const Stage &stage)
{
    Run run = begin(stage, crowd_trace());
    advance_to(run, moving_us);
    wire::set_loss(run.sim->wire, 200);
    advance_to(run, crowd_rests_us);
    wire::set_loss(run.sim->wire, 0);
    advance_to(run, crowd_rests_us + 1'000'000);
    const Snapshots &snapshots = inspect::replica(run.sim->nodes[0].session).publisher.snapshots;
    expect(run, snapshots.entries_used > 2 * group_entries, "the objects are in three groups");
    expect(run, agree(run), "all agree a second after the last change and the last loss");
    expect(run, !run.sim->oracles.violation, "no oracle is violated");
    return finish(run, "a crowd in several groups is the same everywhere after a loss of 20 %");
}

// An object whose position alone changes, by small steps within its error bound: what is sent is
// decided by the bound.
std::string creeping_trace()
{
    std::string text = "tern-trace 1 simulate\nseed 1\nplaces 3\nseconds 19\nobjects 40\nchoices\n"
                       "start 1 @1000000 =0\nstart 2 @1000000 =0\n";
    // A content that is 2 modulo 4 creates an object of type ASKED.
    text += "create 1 @3000000 o1 =124076830\nset 1 @3500000 o1 =1000\n";
    // Bit 5 asks for a step, and bits 6 to 9 give its length (workload.cpp).
    uint64_t content = 32 + (15 << 6);
    for (uint64_t at = creeping_us; at < creeping_us + 4'000'000; at += 16'667, content += 1'024)
        text += "set 1 @" + std::to_string(at) + " o1 =" + std::to_string(content) + "\n";
    return text;
}

PlayedSessions creeping_within_a_bound(const Stage &stage)
{
    Run run = begin(stage, creeping_trace());
    advance_to(run, creeping_us + 5'000'000);
    expect(run, agree(run), "all agree when the object rests");
    expect(run, !run.sim->oracles.violation, "no oracle is violated");
    return finish(run, "what was sampled stayed within the error bound");
}

constexpr Playable all[] = {
    {{"moving", "predicted objects that move all the time, and a loss of 20 %"},
     moving_under_loss,
     true},
    {{"crowd", "predicted objects in several groups of entries, and a loss of 20 %"},
     crowd_under_loss,
     true},
    {{"creeping", "an object with an error bound that moves by steps smaller than it"},
     creeping_within_a_bound,
     true},
};

}

std::span<const Playable> snapshots()
{
    return all;
}

}
