// One owner and its receivers: whole replicas, with an in-process pipe in place of connections.
#pragma once
#include "migration/replica.h"
#include "tern/traffic.hpp"
#include "tests/replication/update_room.h"
#include <memory>
#include <vector>

namespace bench {

// A body in a game: 32 bytes, all replicated.
struct Body {
    float position[3];
    float rotation[4];
    int32_t health;
};
static_assert(sizeof(Body) == 32);

inline constexpr uint32_t receivers_count = 4;
// Room for UPDATEs in a packet next to an ack of usual size, and the overhead of a packet: its
// header, its tag, and the header of the unreliable message.
inline constexpr size_t updates_bytes_max = 1152;
inline constexpr size_t packet_overhead_bytes = 9 + 16 + 3;
inline constexpr size_t packets_in_tick_max = 1024;

enum class Precision : uint8_t { exact, quantised };
const tern::Type &body_type(Precision precision, uint32_t objects_max);

struct FreeReplica {
    void operator()(tern::Replica *r) const;
};

struct PipedPacket {
    size_t size_bytes;
    std::byte bytes[updates_bytes_max];
};

struct Pipe { // The packets that one receiver gets in this tick.
    std::vector<PipedPacket> packets;
    size_t count;
    uint64_t first_packet; // Packet number of packets[0].
};

struct Crowd {
    tern::Type type;
    tern::TypeTable types;
    std::vector<std::unique_ptr<tern::Replica, FreeReplica>> replicas; // replicas[0] is the owner.
    std::vector<tern::TrafficRow> traffic; // The owner's charges, laid out as a session keeps them.
    std::vector<tern::ChargeRun> charge_runs;
    tern::Charges charges;
    std::vector<std::vector<uint32_t>> delivered; // Messages, [from][to].
    std::vector<tern::ObjectSlot> slots;          // [object], at the owner.
    std::vector<Body> bodies; // [object]: the values that the next set() writes.
    Pipe pipes[receivers_count];
    std::unique_ptr<tern::UpdateRoom> update_room;
    uint64_t next_packet;
    uint32_t tick;
};

namespace crowd {

// All replicas are members, and all have every object.
std::unique_ptr<Crowd> make(Precision precision, uint32_t object_count);
// Gives new values to every `stride`th body from `first` on; every field of these bodies changes.
void move(Crowd &crowd, size_t first, size_t stride);

// --- The parts of a tick ---
void set(Crowd &crowd, size_t first, size_t stride);
void write(Crowd &crowd);       // Corresponds to the owner's send().
uint64_t receive(Crowd &crowd); // Receives everywhere; returns the number of object_changed events.
// Acks every packet; corresponds to the owner's next receive().
void report_packet_outcomes(Crowd &crowd);
// A tick of the owner with nothing to send; returns the number of messages due.
uint64_t idle(Crowd &crowd);
uint64_t piped_bytes(const Crowd &crowd); // UDP payload of this tick.
bool is_equal(const Crowd &crowd);        // Whether every receiver's world equals the owner's.

}
}
