// Scripts: moves in a cluster as text, one line each, with expectations in between. The traces of
// the explorer and the scenarios are scripts. `#` begins a comment. Peers count from 1.
//
//     tern-trace 1 explore
//     title A late CREATE
//     scope peers 3 claims 1 destroys 1   Names and numbers of ExploreScope, at least `peers`.
//     create 2                            Peer 2 creates an object; its first one is 2.1.
//     claim 1 2.1    destroy 1 2.1    set 1 2.1
//     lock 1 2.1     release 1 2.1    hide 1>3 2.1
//     deliver 2>1                         The oldest message from 2 to 1 arrives.
//     update 2>1 1                        The first UPDATE in the bag from 2 to 1 arrives.
//     lose 2>1 1                          2 counts that UPDATE as lost.
//     crash 2        notice 2>1           2 crashes; 1 notices it.
//     join 4>1       wait 2               The host 1 admits 4; 16 ticks pass at 2.
//     suspect 2>1                         1 takes 2, which lives, for gone.
//     hold 2>1       pull 2>1             Messages of 2 to 1 and their acks wait; no longer.
//     forge_migrate 3>2 2.1               3 sends 2 a MIGRATE of another's object to itself.
//     forge_destroy 3>2 2.1               3 sends 2 a DESTROY of another's object.
//     replay 3>2 1                        3 sends 2 the next message that 1 has for 3.
//     repeat 3>2 1                        The liar 3 sends 2 the next message that it has for 1.
//     withhold 3>2                        The liar does not send 2 its next message for 2.
//     mute 3>2                            The next message of 2 arrives at the liar, which never
//     acks it. oust 3>2                            2, which leads the others, removes the liar.
//     lie_fences 3>1 2                    The liar 3 sends 1 a lie about 2: see LieKind. Likewise
//                                         farewell, accuses, queries.
//     lie_buries 3>1 2.1                  A lie about an object: takes, buries, destroys.
//     lie_creates 3>1 1    lie_empty 3>1  An object in place 0 of the liar's. An empty REPORT.
//     flow 2>1       flow                 All messages of that stream arrive; all of all streams
//                                         and bags arrive.
//     expect 3 dead 2.1                   Instead of 3: `all` members, or several, as 1,3.
//     expect all alive 2.1 owner 1 stamp 1 write 0
//     expect 3 unknown 2.1
//     expect 3 claims 0                   The number of unanswered claims.
//     expect quiet                        cluster::quiet(). Invariants are checked in any case.
//     digest 0123456789abcdef             Covers all states of the run.
#pragma once
#include "sim/explorer/cluster.h"
#include <string_view>

namespace tern {

enum class LineKind : uint8_t { move, flow, expect };
enum class ExpectKind : uint8_t { dead, alive, unknown, claims, quiet };

struct Expectation {
    ExpectKind kind;
    uint8_t who; // A bit for each place. 255: all members.
    ObjectId object;
    bool has_owner, has_stamp, has_write;
    PeerId owner;
    uint32_t stamp; // The count of the stamp.
    uint32_t write; // mark::sequence() of the value.
    uint32_t count; // claims: how many are unanswered.
};

struct ScriptLine {
    uint32_t number; // In the text, from 1.
    LineKind kind;
    Move move; // flow: only a and b count; if they are equal, all streams and bags flow.
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
// Makes a script of the moves, and plays it to compute its digest.
Script of(const ExploreScope &scope, std::span<const Move> moves);

}
}
