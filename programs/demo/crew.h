// The processes of the peers as their parent sees them: pipes, what they last said, how they ended.
#pragma once
#include "child.h"
#include "cuts.h"
#include "picture.h"
#include <sys/types.h>

namespace demo {

struct Member {
    pid_t process; // 0: none (any more).
    int to_child;  // -1: closed.
    Inbox inbox;
    uint16_t port; // Where pairs are cut; 0: not told yet.
    std::string invite;
    bool opened;
    bool killed; // By us, as planned.
    bool testified;
    std::string failure; // Why it ended on its own; empty: it has not.
    Progress now;
    Progress shown; // As of the last line or picture, for rates.
    std::vector<Dot> dots;
    std::vector<Known> world;
    std::string missing; // What others have not got of its objects; lines.
};

struct Crew {
    Options options;
    bool draws;
    std::vector<Member> members; // [0]: the first host.
    std::vector<CutPair> cut_pairs;
};

namespace crew {

void heed_signals(); // SIGINT, SIGTERM and SIGHUP only set what interrupted() tells.
bool interrupted();
std::string fork_member(Crew &crew, const std::string &invite); // Empty, or what went wrong.
// Tells all but the first with whom they have no path; they wait for it.
void tell_cuts(Crew &crew);
// With how many that live it has no direct path.
uint32_t living_cuts(const Crew &crew, const Member &member);
// Waits for news at most this long, and takes all there are.
void listen(Crew &crew, uint32_t wait_ms);
void tell_all(Crew &crew, MessageKind kind, const void *data, size_t size_bytes);
void kill_member(Crew &crew, Member &member); // With SIGKILL, as planned.
void end_all(Crew &crew);                     // Kills and reaps whoever is left.

bool alive(const Member &member); // Neither killed nor failed.
uint32_t survivors(const Crew &crew);
const Member *failed(const Crew &crew); // The first that has; null: none.
// The host as the first living member knows it, and who would follow. Null: none is known.
Member *find_host(Crew &crew);
Member *find_next(Crew &crew);   // Of those that live, but for the host, the lowest; null: none.
Member *find_last(Crew &crew);   // The highest of these.
Member &first_alive(Crew &crew); // Of several processes one lives.

}
}
