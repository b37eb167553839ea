// The status of a dedicated host. The tick loop collects it; the HTTP threads, the control socket
// and the Agones client read it. Plain values, no pointers into a session.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <tern/diagnostics.hpp>
#include <tern/tern.hpp>
#include <vector>

namespace dedicated {

// As metrics, JSON and the log name them; indexed by tern::Breach.
inline constexpr std::array<const char *, tern::breach_kinds> breach_names = {
    "none", "malformed", "forged", "over_quota", "equivocated"};

struct PeerStatus {
    uint16_t id;
    std::string name; // From the peer, any bytes: check or escape it before it is displayed.
    bool is_self, is_host;
    uint64_t owned;     // How many objects it owns.
    uint64_t joined_us; // When this host first counted it, as HostStatus::now_us.
    tern::Stats stats;  // Zero for this host itself.
};

// Totals over all peers, including those that have left, so they never fall. The traffic of a peer
// between the last status() and its departure is missing.
struct Traffic {
    uint64_t sent_datagrams, sent_bytes; // UDP payload.
    uint64_t received_datagrams, received_bytes;
    uint64_t lost_datagrams; // Sent datagrams that the connections declared lost.
};

// Upper bounds of the buckets of the round trip histogram, in microseconds. One more bucket counts
// longer times.
inline constexpr std::array<uint32_t, 13> rtt_bounds_us = {
    1'000,   2'500,   5'000,   10'000,  25'000,  50'000,   75'000,
    100'000, 150'000, 250'000, 500'000, 750'000, 1'000'000};

// Histogram of the smoothed round trips, observed for each peer with each sample. Never falls.
struct RttStatus {
    uint64_t count, sum_us;
    std::array<uint64_t, rtt_bounds_us.size() + 1> histogram; // Not cumulative.
};

struct TypeStatus {
    std::string name;
    uint64_t objects; // Alive now.
    tern::TypeStats stats;
};

enum class ChangeKind : uint8_t { created, moved, destroyed };

// One change of who owns what, as this host saw it.
struct OwnershipChange {
    uint64_t at_us; // On the clock of HostStatus::now_us.
    ChangeKind kind;
    uint64_t object; // tern::ObjectId
    tern::TypeId type;
    uint16_t from, to; // 0: nobody (created, destroyed).
};

// Taken once a second: totals since the room was opened, and the present counts.
struct Sample {
    uint64_t at_us;                      // On the clock of HostStatus::now_us.
    uint64_t sent_bytes, received_bytes; // UDP payload, all peers.
    uint64_t sent_datagrams, lost_datagrams;
    uint32_t rtt_us_median, rtt_us_max; // Over peers with a measured round trip; 0 if none has.
    uint32_t peers, objects;
    uint64_t migrations;
    std::vector<uint64_t> type_sent_bits, type_received_bits; // Indexed by TypeId.
};

inline constexpr size_t samples_max = 300; // Five minutes.
inline constexpr size_t changes_max = 1000;

// The state of a room's game script.
struct ScriptStatus {
    std::string path; // Empty: the room has no script.
    bool frozen;      // Stopped by `error` until its files change.
    std::string error;
    uint64_t errors, reloads, refused_reloads;
    uint64_t memory_bytes;
};

struct RoomStatus {
    std::string name, topology, state; // state is a name of tern::State, such as "open".
    std::string state_text;            // tern::state_text()
    uint16_t port;
    std::string invite; // Anybody with the invite can join.
    bool takes_newcomers, draining;
    uint16_t self, host, peers_max;
    uint64_t digest;    // tern::digest()
    uint64_t opened_us; // When its watch began, as HostStatus::now_us.
    tern::SessionStats stats;
    Traffic traffic;
    RttStatus rtt;
    std::vector<PeerStatus> peers;        // Including this host, ascending by id.
    std::vector<TypeStatus> types;        // Indexed by TypeId.
    std::vector<OwnershipChange> changes; // The last ones, oldest first; at most changes_max.
    std::vector<Sample> samples;          // Oldest first; at most samples_max.
    // How often a member broke the rules in a way that was new of it; indexed by tern::Breach.
    std::array<uint64_t, tern::breach_kinds> misbehaved;
    uint64_t joined, left, refused; // Counts of peers since the room was opened.
    std::string recording;          // Path of the recording; empty if there is none.
    uint64_t recording_bytes;
    ScriptStatus script;
};

// Upper bounds of the buckets of the tick histogram, in microseconds. One more bucket counts longer
// ticks.
inline constexpr std::array<uint32_t, 9> tick_bounds_us = {500,    1'000,  2'000,   5'000,  10'000,
                                                           20'000, 50'000, 100'000, 250'000};

struct TickStatus {
    uint64_t count;
    uint64_t overruns; // Ticks that took longer than 1 / hz, and stalls between ticks.
    uint64_t sum_us;
    std::array<uint64_t, tick_bounds_us.size() + 1> histogram; // Not cumulative.
    uint32_t hz;
};

struct HostStatus {
    std::string version, name;
    uint64_t now_us;         // Microseconds since the process began.
    uint64_t started_unix_s; // When the process began, in seconds since the Unix epoch.
    uint64_t cpu_us;         // Processor time used by the process, user and system.
    uint64_t resident_bytes;
    bool ready; // All rooms have been opened, some room admits newcomers, and no drain runs.
    bool draining;
    uint64_t drain_left_ms; // Until the drain times out; 0 if not draining.
    TickStatus ticks;
    std::vector<RoomStatus> rooms;
};

// The tick loop publishes the status here, and other threads read it: see board.h.
struct Board {
    std::mutex mutex;
    std::shared_ptr<const HostStatus> status; // Guarded by the mutex. Null until published.
    std::atomic<uint64_t> ticked_us{0};       // clock_us() at the end of the last tick.
    std::string page;                         // /page serves it. It is set before the port opens.
};

}
