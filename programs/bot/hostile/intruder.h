// The hostile member of an attack, and the parts of the messages that it writes by itself, beside
// those of its session. Formats: docs/wire_format.md.
#pragma once
#include "base/bits.h"
#include "bot/values.h"
#include "migration/messages.h"
#include "migration/replica.h"
#include "occupants.h"
#include "session/inspect.h"
#include <array>
#include <tern/io.hpp>
#include <vector>

namespace bot {

struct Intruder {
    std::span<const tern::Type> types;
    tern::Session *session;
    tern::Socket *socket;
    tern::Invite invite;
    Random random;
    uint64_t now_us; // The time of this tick.
    uint64_t ticks;  // The ticks in which it has attacked, without this one.
    uint64_t sent;   // Messages, calls and datagrams of the attack.
    uint32_t serial; // The last serial that it has used for objects unknown to its own session.
    uint32_t token;  // The token of the last QUERY that it has answered with lies.
    std::vector<std::vector<std::byte>> kept; // Datagrams of its session, for replays.
    std::vector<Occupant> occupants;
    std::array<std::byte, tern::stream_message_bytes_max> buffer; // The message being written.
};

namespace intruder {

const tern::Replica &replica(const Intruder &i);
// Begins a message in the buffer.
tern::BitWriter begin(Intruder &i, tern::MessageKind kind);
void send(Intruder &i, tern::PeerId to, const tern::BitWriter &w,
          tern::StreamId stream = tern::StreamId::world);
void send_to_all(Intruder &i, const tern::BitWriter &w,
                 tern::StreamId stream = tern::StreamId::world);
// Sends a packet with these frames, sealed with the intruder's own key.
void send_frames(Intruder &i, tern::PeerId to, std::span<const std::byte> frames);
void send_datagram(Intruder &i, const tern::Address &to, std::span<const std::byte> bytes);

// All other members, copied, so that it outlives calls on the session.
std::vector<tern::PeerId> others(const Intruder &i);
// A random living object of another owner; null if there is none.
const tern::KnownObject *foreign_object(Intruder &i);
// A member that is being removed; none if there is none.
tern::PeerId departing(const Intruder &i);
// The token of a QUERY that has not been answered with lies yet; 0 if there is none. In this tick
// the session queues its own answer behind the messages of the attack.
uint32_t take_token(Intruder &i);

// --- Parts of messages ---
void write_state(tern::BitWriter &w, Intruder &i, tern::TypeId type); // With random values.
// A grant of one object with a signature of zeros: only the host can sign.
void write_grant(tern::BitWriter &w, const Intruder &i, const tern::KnownObject &object,
                 tern::PeerId owner);
void write_random(tern::BitWriter &w, Intruder &i, uint64_t bytes_max); // 1 to bytes_max bytes.
// The frame of an UPDATE about one object, with random values, in `to`. Returns the frame.
std::span<const std::byte> update_frame(Intruder &i, const tern::KnownObject &object,
                                        std::span<std::byte> to);

}
}
