// One owner and its receivers: whole replicas, and an in-process pipe in place of connections.
#pragma once
#include "migration/replica.h"
#include <memory>
#include <vector>

namespace bench {

// A body in a game: 32 bytes, of which all travel.
struct Body {
    float position[3];
    float rotation[4];
    int32_t health;
};
static_assert(sizeof(Body) == 32);

inline constexpr uint32_t receivers_count = 4;
// What a packet leaves for UPDATEs beside an ack of usual size, and what it costs besides them:
// its header, its tag, and the header of the unreliable message.
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

struct Pipe { // Of one receiver: the packets of this tick.
    std::vector<PipedPacket> packets;
    size_t count;
    uint64_t first_packet; // Number of the first.
};

struct Crowd {
    tern::Type type;
    tern::TypeTable types;
    std::vector<std::unique_ptr<tern::Replica, FreeReplica>> replicas; // The first is the owner.
    std::vector<tern::TrafficRow> traffic; // The owner's charges, as a session keeps them.
    std::vector<tern::ChargeRun> charge_runs;
    tern::Charges charges;
    std::vector<std::vector<uint32_t>> delivered; // Messages, [from][to].
    std::vector<tern::ObjectSlot> slots;          // Of the objects, there.
    std::vector<Body> bodies;                     // What they are to be.
    Pipe pipes[receivers_count];
    uint64_t next_packet;
    uint32_t tick;
};

namespace crowd {

// All of them members, all objects known to all.
std::unique_ptr<Crowd> make(Precision precision, uint32_t object_count);
// New values for `count` bodies from `first` on, every `stride`th; every field is another.
void move(Crowd &crowd, size_t first, size_t stride);

// The parts of a tick.
void set(Crowd &crowd, size_t first, size_t stride);
void write(Crowd &crowd);       // The owner's send().
uint64_t receive(Crowd &crowd); // At all receivers; the object_changed events of them all.
void report_packet_outcomes(Crowd &crowd); // All packets have arrived; the owner's next receive().
uint64_t idle(Crowd &crowd); // A tick of the owner's with nothing to do; datagrams due.
uint64_t piped_bytes(const Crowd &crowd); // UDP payload of this tick.
bool is_equal(const Crowd &crowd);        // Whether all receivers hold what the owner holds.

}
}
