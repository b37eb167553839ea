// Access for tests, the simulator and tools to parts of a session that games do not see.
#pragma once
#include "migration/replica_types.h"
#include "tern/types.hpp"
#include "transport/transport_types.h"
#include <array>

namespace tern {

enum class NoteKind : uint8_t {
    queued,   // A message was queued on the world stream to peer: message, object, stamp, number.
    received, // A message was taken from the world stream of peer: likewise, and verdict.
    sealed,   // A packet was sealed: key, number. No pair of these may ever occur twice.
    accepted, // A packet was accepted: key, number. No pair may occur twice in one session.
    acked     // All messages to peer up to this one were acked: key, number.
};

// One entry of a journal. A message about several objects makes one for each.
struct Note {
    NoteKind kind;
    MessageKind message;
    uint8_t verdict; // A Verdict.
    PeerId peer;
    ObjectId object;
    Stamp stamp;
    // The number of the packet; or that of the message, which begins at 1 for each connection and
    // does not count messages from before the newcomer was a member.
    uint64_t number;
    // A name for the sender's key, from which the key cannot be derived. Key and number are equal
    // in the notes of both ends about one message or packet.
    uint64_t key;
};

struct Journal { // Owned by the caller, who empties it by setting count to 0.
    std::span<Note> notes;
    size_t count;
    size_t missed; // Notes for which there was no room.
};

}

namespace tern::inspect {

// Whether the session is open or cut off.
bool is_in(const Session *session);
// Whether this peer, as a host, would seek the other one as a former member at this address.
bool seeks(const Session *session, const Session *other, const Address &address);
const Replica &replica(const Session *session);
// The replicated value of a known object, whatever the game has set.
const void *replicated(const Session *session, ObjectId object);
// Whether a claim of the object with ClaimMode::optimistic awaits its answer.
bool is_optimistic(const Session *session, ObjectId object);
// Whether acks from a member are overdue, so that challenges to it go through relays as well.
bool in_doubt(const Session *session, PeerId peer);
// From now on the session writes its messages and packets into *journal, which must outlive the
// session. Null: it stops.
void listen(Session *session, Journal *journal);
// Limits the events of calls in one tick to `calls`, at least 1, to test a full list of events.
// Room for the events of objects stays.
void limit_call_events(Session *session, uint32_t calls);
// Sends a member any message of the caller's making on the world stream or on that
// of calls: what a member with a modified client can do. False: there is no connection to the
// member, or no room.
bool lie(Session *session, PeerId to, StreamId stream, std::span<const std::byte> message);
// Seals these bytes as the frames of a packet to a member, in the format or not: what a member with
// a modified client can send. The datagram lies in `buffer`, which needs datagram_bytes_max; the
// caller sends it. It has no bytes if there is no connection to the member, or no budget; and what
// is due otherwise, such as acks, if the frames have no room beside that.
Datagram seal(Session *session, PeerId to, std::span<const std::byte> frames,
              std::span<std::byte> buffer);
// All memory that make_session() has allocated. A test that saves it can put the session back as it
// was; the session's random source, if that is libsodium's, is not part of it.
inline constexpr size_t memory_blocks = 4;
std::array<std::span<std::byte>, memory_blocks> memory(Session *session);
// The types of a session, to change a setting of them while it runs; on all peers alike.
std::span<Type> types(Session *session);
// Makes a session that draws its keys from a seed, to replay its recording.
Session *make_seeded_session(const Config &config, const uint8_t (&seed)[32]);

}
