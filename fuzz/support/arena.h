// Two honest sessions and a member that says whatever the input wants, over real handshakes and
// sealed by us. Made once; each input starts from the same bytes.
#pragma once
#include "session/session_types.h"
#include "transport/handshake/handshake.h"
#include <vector>

namespace tern::fuzz {

inline constexpr size_t honest_count = 2; // The host, then a member.

struct Ball { // The game.
    int32_t x;
    int16_t y;
    uint16_t zero;
};
struct Shout {
    ObjectId at;
};
enum : TypeId { BALL, KEPT, SHOUT };

// The hostile member's side of one connection. It knows the keys, so it can seal anything.
struct Lane {
    DataKeys keys;
    uint32_t remote_id;
    uint64_t number;                // Of its next packet.
    uint64_t offsets[stream_count]; // Where its streams go on.
    uint64_t heard_end;             // One past the newest packet that came.
};

struct Saved { // A piece of memory, and what was in it.
    std::byte *at;
    std::vector<std::byte> bytes;
};

struct Mail {
    std::byte bytes[datagram_bytes_max];
    size_t size_bytes;
};

struct Arena {
    Session *honest[honest_count];
    Lane lanes[honest_count];
    KeyPair keys;
    uint8_t signing_public[32], signing_secret[64];
    PeerId hostile;
    uint64_t now_us;
    int32_t played;                        // Ticks.
    ObjectId kept[honest_count];           // Each honest peer's own, which nobody can claim.
    ObjectId lent;                         // The hostile member's, by a grant.
    std::vector<Mail> mails[honest_count]; // From the other.
    size_t mail_count[honest_count];
    std::vector<Saved> saved;
};

namespace arena {

Arena &fresh(); // As after the hostile member has joined.
// Seals `frames` and hands them over.
void send_frames(Arena &a, size_t to, std::span<const std::byte> frames);
// A message on a stream, where that stream goes on.
void send_message(Arena &a, size_t to, StreamId stream, std::span<const std::byte> message);
void send_ack(Arena &a, size_t to); // Of all that came.
// The honest play and send; what they say to each other arrives in the next.
void tick(Arena &a, uint64_t duration_us);

}
}
