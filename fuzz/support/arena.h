// Two honest sessions, and a hostile member that sends whatever the input wants. The handshakes are
// real and we seal the packets of the hostile member. The arena is made once; each input starts
// from the same bytes.
#pragma once
#include "session/session_types.h"
#include "transport/handshake/handshake.h"
#include <vector>

namespace tern::fuzz {

inline constexpr size_t honest_count = 2; // [0] is the host, [1] a member.

struct Ball { // The types of the game.
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
    uint64_t number;                // Number of the next packet.
    uint64_t offsets[stream_count]; // Where the next message of each stream starts.
    uint64_t heard_end;             // One past the newest packet number received.
};

struct Saved { // A range of memory and its saved content.
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
    int32_t played;              // Ticks so far.
    ObjectId kept[honest_count]; // [honest peer]: an object of its own that no one can claim.
    ObjectId lent;               // An object that the hostile member owns, by a grant of the host.
    std::vector<Mail> mails[honest_count]; // [to]: datagrams from the other honest session.
    size_t mail_count[honest_count];
    std::vector<Saved> saved;
};

namespace arena {

Arena &fresh(); // Restores the state right after the hostile member joined.
// Seals `frames` into a packet of the hostile member and delivers it to honest session `to`.
void send_frames(Arena &a, size_t to, std::span<const std::byte> frames);
// Sends a message at the current end of a stream.
void send_message(Arena &a, size_t to, StreamId stream, std::span<const std::byte> message);
void send_ack(Arena &a, size_t to); // Acknowledges every packet received so far.
// Lets the honest sessions play and send. Datagrams between them arrive in the next tick.
void tick(Arena &a, uint64_t duration_us);

}
}
