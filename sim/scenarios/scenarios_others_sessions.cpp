// Scenarios of whole sessions that reproduce bugs of other systems: docs/others_bugs.md.
#include "base/assert.h"
#include "sim/scenarios/scenarios_run.h"
#include "tern/diagnostics.hpp"
#include <algorithm>

namespace tern::scenarios {

namespace {

// --- B7 ---

// Each content in this trace sets every field, and equal contents set equal values.
constexpr std::string_view set_back_trace = R"(tern-trace 1 simulate
seed 3
places 3
seconds 12
objects 40
choices
start 1 @1000000 =0
start 2 @1500000 =0
create 1 @3000000 o1 =124076828
set 1 @3500000 o1 =20015
claim 2 @4500000 o1
set 2 @5500000 o1 =20031
claim 1 @6500000 o1
set 1 @7500000 o1 =20015
)";

bool is_content(const Run &run, const Written &content)
{
    const ObjectId object = simulation::object(*run.sim, 1);
    return std::all_of(run.sim->nodes.begin(), run.sim->nodes.end(), [&](const Node &node) {
        const Written &value = get(node.session, Object<Written>{object});
        return value.health == content.health &&
               std::equal(value.position, value.position + 3, content.position);
    });
}

PlayedSessions set_back(const Stage &stage)
{
    Run run = begin(stage, set_back_trace);
    advance_to(run, 4'400'000);
    const Written first = get(run.sim->nodes[1].session, Object<Written>{run.sim->things[0]});
    expect(run, is_content(run, first), "all have the first owner's value");
    advance_to(run, 6'400'000);
    const Written second = get(run.sim->nodes[2].session, Object<Written>{run.sim->things[0]});
    expect(run, is_content(run, second), "all have the second owner's value");
    expect(run, second.health != first.health && second.position[0] != first.position[0],
           "it is another one");
    advance_to(run, 9'000'000);
    expect(run, is_owned(run, 2, 1, 1), "the first owner has it again");
    expect(run, is_content(run, first), "all have the value that it has set back");
    return finish(run, "health " + std::to_string(first.health) + ", " +
                           std::to_string(second.health) + ", " + std::to_string(first.health));
}

// --- B14 ---

// The path from 1 to 2 is clogged, so 2 is granted an object whose CREATE it has not received.
constexpr std::string_view unheard_trace = R"(tern-trace 1 simulate
seed 3
places 4
seconds 12
objects 40
choices
start 1 @1000000 =0
start 2 @1500000 =0
start 3 @2000000 =0
clog 1>2 @2990000 +1500000
create 1 @3000000 o1 =124076828
migrate 0>2 @3200000 o1
set 2 @3800000 o1 =12407
)";

PlayedSessions given_before_it_is_known(const Stage &stage)
{
    Run run = begin(stage, unheard_trace);
    advance_to(run, 3'190'000);
    const ObjectId object = simulation::object(*run.sim, 1);
    expect(run, !exists(run.sim->nodes[2].session, object), "2 has not heard of it");
    advance_to(run, 4'400'000);
    for (uint16_t place = 0; place < 4; ++place)
        expect(run, is_owned(run, place, 1, 2), "2 owns it, before its creator's word has come");
    advance_to(run, 6'000'000);
    expect(run, agree(run) && is_owned(run, 2, 1, 2), "that changes nothing");
    return finish(run, "owned by one that its creator had not told yet");
}

// --- B21 ---

constexpr uint32_t many = 2000;

std::string large_world_trace()
{
    std::string text = "tern-trace 1 simulate\nseed 3\nplaces 6\nseconds 20\nobjects 6000\n"
                       "choices\nstart 1 @1000000 =0\n";
    for (uint32_t i = 1; i <= many; ++i)
        text += "create " + std::to_string(i % 2) + " @3000000 o" + std::to_string(i) + " =" +
                std::to_string(124'076'828 + 64 * i) + "\n";
    for (uint16_t place = 2; place < 6; ++place) // All start in one tick.
        text += "start " + std::to_string(place) + " @9000000 =0\n";
    return text;
}

PlayedSessions many_come_to_many(const Stage &stage)
{
    Run run = begin(stage, large_world_trace());
    advance_to(run, 8'990'000);
    const uint16_t first[] = {0, 1};
    expect(run, agree(run, first) && session_stats(run.sim->nodes[1].session).objects == many,
           "both have 2000 objects");
    run.sender = 0;
    uint64_t in_us = 0;
    while (in_us == 0 && run.sim->now_us < 19'000'000 && advance(run))
        if (agree(run)) in_us = run.sim->now_us;
    expect(run, in_us > 0, "all four newcomers are in, and have all");
    const uint64_t rate = run.sim->options.send_bytes_per_second_max;
    const uint64_t second_most =
        *std::max_element(run.bytes_by_second.begin(), run.bytes_by_second.end());
    expect(run, second_most <= 5 * (rate + rate / 10), "no second takes more than its budget");
    return finish(run, "four newcomers had 2000 objects after " + seconds(in_us - 9'000'000) +
                           "; the host sent at most " + std::to_string(second_most) +
                           " bytes in a second");
}

// --- B30 ---

// The owner of four objects dies while 3 is joining, whose world sync from 1 is clogged.
constexpr std::string_view not_yet_in_trace = R"(tern-trace 1 simulate
seed 3
places 4
seconds 16
objects 40
choices
start 1 @1000000 =0
start 2 @1500000 =0
create 2 @3000000 o1 =124076831
create 2 @3000000 o2 =124076831
create 2 @3000000 o3 =124076831
create 2 @3000000 o4 =124076831
clog 1>3 @3900000 +4000000
start 3 @4000000 =0
crash 2 @4300000
)";

PlayedSessions heir_is_not_yet_in(const Stage &stage)
{
    Run run = begin(stage, not_yet_in_trace);
    advance_to(run, 7'500'000);
    expect(run,
           run.sim->nodes[3].session && session_state(run.sim->nodes[3].session) == State::joining,
           "the newcomer is not in yet");
    uint32_t owned[2] = {};
    for (uint32_t thing = 1; thing <= 4; ++thing)
        for (uint16_t owner = 0; owner < 2; ++owner)
            owned[owner] += is_owned(run, 0, thing, owner) && is_owned(run, 1, thing, owner);
    expect(run, owned[0] == 2 && owned[1] == 2, "the orphans are spread over those who are in");
    advance_to(run, 12'000'000);
    const uint16_t left[] = {0, 1, 3};
    expect(run, agree(run, left), "all agree, the newcomer too");
    return finish(run, "4 orphans: 2 for each of the two that were in, none for the newcomer");
}

constexpr Playable all[] = {
    {{"B7", "B7: a field is set back to what its owner had sent before another's tenure"},
     set_back,
     true},
    {{"B14", "B14: an object is given to a peer that has not heard of it"},
     given_before_it_is_known},
    {{"B21", "B21: four come at once to a world of 2000 objects"}, many_come_to_many, true},
    {{"B30", "B30: an owner dies while somebody joins"}, heir_is_not_yet_in, true},
};

}

std::span<const Playable> others()
{
    return all;
}

}
