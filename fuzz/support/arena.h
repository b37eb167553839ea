// Four honest sessions and the session of a hostile member, in a mesh or a star. The arena of each
// topology is made once; each input starts from the same bytes. After each tick of an honest
// session the arena checks what no hostile member can bring about.
#pragma once
#include "fuzz/support/snapshot.h"
#include "session/session_types.h"
#include "tern/limits.hpp"
#include <vector>

namespace tern::fuzz {

inline constexpr size_t honest_count = 4; // [0] is the host.
inline constexpr size_t guest = 3;        // The honest one that may leave.
inline constexpr size_t hostile = honest_count;
inline constexpr size_t arena_peers = honest_count + 1;

struct Ball { // The objects of the game.
    int32_t x;
    int16_t y;
    uint16_t zero;
};
struct Shout { // The calls of the game.
    ObjectId at;
};
// Nobody may claim KEPT; GLIDE is predicted; ORDER may be called by the owner of its object.
enum ArenaType : TypeId { BALL, KEPT, GLIDE, SHOUT, ORDER };
inline constexpr size_t arena_types = ORDER + 1;
inline constexpr uint32_t lying_glides_max = 24; // More than a lease, and too few to fill a table.
// The argument of the SHOUTs that must arrive in the end.
inline constexpr Shout last_call = {static_cast<ObjectId>(0x123456789abc)};

struct Mail {
    size_t from;
    std::byte bytes[datagram_bytes_max];
    size_t size_bytes;
};

// What the hostile member's session leaves out, as bits.
enum HostileMode : uint8_t {
    deaf = 1,     // It gets no datagrams, so it acks nothing.
    mute = 2,     // What its session would send is lost.
    withholds = 4 // It answers no QUERY.
};

// All that an input changes, but for the memory of the sessions.
struct Course {
    PeerId ids[arena_peers];
    bool runs[arena_peers]; // It is ticked.
    bool guest_left;        // The guest has left, by a goodbye or without one.
    uint8_t mode;           // HostileMode bits.
    bool reports_lies;      // The hostile member has sent what may be a lying report.
    uint32_t glides;        // The hostile member has written so many CREATEs of GLIDE.
    uint32_t calls;         // Honest sessions have received so many last_call from each other.
    uint64_t now_us;
    int32_t played;                // Ticks so far.
    ObjectId kept[honest_count];   // An object of each honest peer that nobody can claim.
    ObjectId locked[honest_count]; // And one that everybody could, had its owner not locked it.
};

struct Arena {
    Session *peers[arena_peers];
    Course now, first;                    // `first` is that of each input.
    std::vector<Mail> mails[arena_peers]; // [to]
    size_t mail_count[arena_peers];
    Snapshot snapshot;
};

namespace arena {

// Restores the state in which all four are members, and the hostile one owns some objects.
Arena &fresh(Topology topology);
bool is_in(const Arena &a, size_t who); // It runs, and its session is open or cut off.
// Lets all sessions play and send. Datagrams arrive in the next tick.
enum class Play : uint8_t { none, all };
void tick(Arena &a, uint64_t duration_us, Play play);
// Seals these frames as a packet of the hostile member, which arrives with the next tick.
void send_frames(Arena &a, size_t to, std::span<const std::byte> frames);
void post(Arena &a, size_t from, const Datagram &datagram);

}
}
