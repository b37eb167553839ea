// Moves in a cluster as text, one line each, with what is expected in between: the explorer's
// traces and the scenarios are such scripts. `#` begins a comment.
//
//     tern-trace 1 explore
//     title A late CREATE
//     scope peers 3 claims 1 destroys 1      Names and numbers of ExploreScope; peers at least.
//     create 2                               Peer 2 creates; its first object is 2.1.
//     claim 1 2.1    destroy 1 2.1    set 1 2.1
//     deliver 2>1                            The oldest message of 2 to 1 arrives.
//     update 2>1 1                           The UPDATE in the first place of that bag arrives,
//     lose 2>1 1                             ... or 2 is told that it is lost.
//     crash 2        notice 2>1       1 notices it.
//     join 4>1       wait 2           The host, 1, admits 4. Ticks pass at 2.
//     suspect 2>1                     1 takes 2, which lives, for gone.
//     hold 2>1       pull 2>1         What 2 has to say to 1 waits, and acks; ... no more.
//     forge_migrate 3>2 2.1           3 says that it owns what is another's,
//     forge_destroy 3>2 2.1           ... that it is dead,
//     replay 3>2 1                    ... what 1 is about to tell 3.
//     flow 2>1       flow             All that is on that stream arrives; all that is anywhere.
//     expect 3 dead 2.1               Or `all` members, or several: 1,3.
//     expect all alive 2.1 owner 1 stamp 1 write 0
//     expect 3 unknown 2.1
//     expect 3 claims 0               So many unanswered.
//     expect quiet                    Nothing is on its way, and the invariants of that hold.
//     digest 0123456789abcdef         Of all states passed through.
#pragma once
#include "sim/explorer/cluster.h"
#include <string_view>

namespace tern {

enum class LineKind : uint8_t { move, flow, expect };
enum class ExpectKind : uint8_t { dead, alive, unknown, claims, quiet };

struct Expectation {
    ExpectKind kind;
    uint8_t who; // A bit for each place. 255: all that are there.
    ObjectId object;
    bool has_owner, has_stamp, has_write;
    PeerId owner;
    uint32_t stamp; // Its count.
    uint32_t write; // The value's sequence.
    uint32_t count; // claims.
};

struct ScriptLine {
    uint32_t number; // In the text, from 1.
    LineKind kind;
    Move move; // Of flow: a and b; equal: all streams, and all bags.
    Expectation expectation;
    std::string text;
};

struct Script {
    std::string title;
    ExploreScope scope;
    std::vector<ScriptLine> lines;
    bool has_digest = false;
    uint64_t digest = 0;
};

struct ParsedScript {
    Script script;
    std::string error; // "line 4: ..., expected ...". Empty: none.
};

namespace cluster_script {

ParsedScript parse(std::string_view text);
std::string text(const Script &script);
std::string text(const Move &move);
Script of(const ExploreScope &scope, std::span<const Move> moves); // Its digest by playing it.

}
}
