// What a dedicated host tells of itself: collected by the tick loop, read by the HTTP threads, the
// control socket and the fleet's client. Plain values, no pointers into a session.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <tern/tern.h>
#include <vector>

namespace dedicated {

struct PeerStatus {
    uint16_t id;
    std::string name; // Any bytes; not to be shown unchecked.
    bool is_self, is_host;
    uint64_t owned;     // Objects.
    uint64_t joined_us; // When this host first counted it, as HostStatus::now_us.
    tern::Stats stats;  // Zero for the host itself.
};

// With all peers, also those that have gone: it never falls. What went to and came from a peer
// after it was last counted is not in it when it has gone; that is at most one interval of
// status().
struct Traffic {
    uint64_t sent_datagrams, sent_bytes; // UDP payload.
    uint64_t received_datagrams, received_bytes;
    uint64_t lost_datagrams; // Of the sent ones, as far as told.
    uint64_t bad_messages;
};

// Upper bounds of the round trip histogram, in microseconds; one more bucket is above all.
inline constexpr std::array<uint32_t, 13> rtt_bounds_us = {
    1'000,   2'500,   5'000,   10'000,  25'000,  50'000,   75'000,
    100'000, 150'000, 250'000, 500'000, 750'000, 1'000'000};

// The smoothed round trip of every peer that has one, observed with each sample. Never falls.
struct RttStatus {
    uint64_t count, sum_us;
    std::array<uint64_t, rtt_bounds_us.size() + 1> histogram; // Not cumulative.
};

struct TypeStatus {
    std::string name;
    uint64_t objects; // Alive.
    tern::TypeStats stats;
};

enum class ChangeKind : uint8_t { created, moved, destroyed };

// One change of who owns what, as this host saw it.
struct OwnershipChange {
    uint64_t at_us; // As HostStatus::now_us.
    ChangeKind kind;
    uint64_t object; // tern::ObjectId
    tern::TypeId type;
    uint16_t from, to; // 0: nobody (created, destroyed).
};

// Once per second: sums since the room was opened, and the present.
struct Sample {
    uint64_t at_us;
    uint64_t sent_bytes, received_bytes; // UDP payload, of all peers.
    uint64_t sent_datagrams, lost_datagrams;
    uint32_t rtt_us_median, rtt_us_max; // Of the peers that have one; 0: none.
    uint32_t peers, objects;
    uint64_t migrations;
    std::vector<uint64_t> type_sent_bits, type_received_bits; // By TypeId.
};

inline constexpr size_t samples_max = 300; // Five minutes.
inline constexpr size_t changes_max = 1000;

// Of the room's game script.
struct ScriptStatus {
    std::string path; // Empty: there is none.
    bool frozen;      // By its last error, until its files change.
    std::string error;
    uint64_t errors, reloads, refused_reloads;
    uint64_t memory_bytes;
};

struct RoomStatus {
    std::string name, topology, state; // state: "open", "leaving", ... as tern::State is spelled.
    std::string state_text;
    uint16_t port;
    std::string invite; // Who has it can join.
    bool takes_newcomers, draining;
    uint16_t self, host, peers_max;
    uint64_t digest;    // tern::digest(), of the whole world.
    uint64_t opened_us; // When its watch began, as HostStatus::now_us.
    tern::SessionStats stats;
    Traffic traffic;
    RttStatus rtt;
    std::vector<PeerStatus> peers;        // With this host, ascending.
    std::vector<TypeStatus> types;        // By TypeId.
    std::vector<OwnershipChange> changes; // The last ones, oldest first; at most changes_max.
    std::vector<Sample> samples;          // Oldest first; at most samples_max.
    uint64_t joined, left, refused;       // Peers, since it was opened.
    std::string recording;                // Path of its recording; empty: none.
    uint64_t recording_bytes;
    ScriptStatus script;
};

// Upper bounds of the tick histogram, in microseconds; one more bucket is above all.
inline constexpr std::array<uint32_t, 9> tick_bounds_us = {500,    1'000,  2'000,   5'000,  10'000,
                                                           20'000, 50'000, 100'000, 250'000};

struct TickStatus {
    uint64_t count;
    uint64_t overruns; // Ticks that took longer than their time.
    uint64_t sum_us;
    std::array<uint64_t, tick_bounds_us.size() + 1> histogram; // Not cumulative.
    uint32_t hz;
};

struct HostStatus {
    std::string version, name;
    uint64_t now_us;         // Since the process began.
    uint64_t started_unix_s; // When it began.
    uint64_t cpu_us;         // Processor time of the process so far.
    uint64_t resident_bytes;
    bool ready;    // All rooms were opened, and it is not draining.
    bool draining; // And the rest of its time: drain_left_ms.
    uint64_t drain_left_ms;
    TickStatus ticks;
    std::vector<RoomStatus> rooms;
};

// Where the tick loop leaves it and other threads find it.
struct Board {
    std::mutex mutex;
    std::shared_ptr<const HostStatus> status; // Under the mutex. Null before the first.
    std::atomic<uint64_t> ticked_us{0};       // clock_us() at the end of the last tick.
};

}
