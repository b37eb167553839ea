// The network of a simulation. Every datagram between two places has a number on its path and a
// treatment (lost, delayed, ...), which is drawn from the seed or read from a script.
#pragma once
#include "sim/trace/script.h"
#include "sim/world/dice.h"
#include "tern/limits.hpp"
#include "tern/types.hpp"
#include <memory>
#include <vector>

namespace tern {

// An address is 10.0.x.y, with a 16-bit number. From 0 on there are the addresses of places; from
// first_mapped on those that a symmetric NAT shows to one destination each; from first_shared on
// pairs with one IP address and two ports; from first_stranger on those of strangers.
using AddressNumber = uint16_t;
inline constexpr AddressNumber first_mapped = 0xc000;
inline constexpr AddressNumber first_shared = 0xe000;
inline constexpr AddressNumber first_stranger = 0xf000;
inline constexpr uint16_t no_place = 0xffff;

// Datagrams under way or in inboxes; further ones are lost.
inline constexpr uint32_t transits_max = 100'000;
// Datagrams in one inbox, as in the buffer of a socket; further ones are lost.
inline constexpr uint32_t arrivals_max = 512;
inline constexpr uint32_t kept_datagrams_max = 16; // The newest of each path, for replays.
// Datagrams of at most far_bytes_max are kept for longer, so that some are replayed just where a
// replay window (of 1984 packets) ends: far_back_low to far_back_high datagrams later.
inline constexpr uint32_t far_datagrams_max = 2100, far_bytes_max = 160;
inline constexpr uint32_t far_back_low = 1960, far_back_high = 2010;
inline constexpr size_t small_bytes_max = 40; // Little more than a packet with an ack alone.
// Bytes queued on a path with Act::queue; further datagrams are lost.
inline constexpr uint32_t queue_bytes_max = 16 * 1024;
inline constexpr uint32_t copies_max = 5; // Copies of one datagram, by Act::twice.

struct Transit { // A datagram under way.
    uint64_t due_us;
    uint64_t sequence; // Rises with each transit: orders those that are due at the same time.
    uint32_t slot;     // Where its bytes are.
    uint16_t size_bytes;
    AddressNumber from, to;
    uint16_t place;  // The place that `to` led to when the datagram was sent.
    uint16_t sender; // The place that sent it. no_place: a stranger.
};

// How the network treats one datagram. All zero: it arrives once, unchanged and without extra
// delay.
struct Treatment {
    bool lost, damaged, truncated, replays;
    uint32_t copy_count;
    uint64_t delay_us;            // Beyond the latency of the path.
    uint64_t copy_us[copies_max]; // The delay of each copy.
    uint64_t bit, bytes;          // damaged: bit to flip. truncated: new size. Modulo the size.
    uint16_t c, d;                // replays: a datagram of the path from c to d,
    uint64_t number;              // ... with this number.
};

struct Rates { // Probabilities of faults on one path, per mille unless noted.
    uint32_t loss, twice, damage, truncate, replay;
    uint32_t burst;             // Mean length of a burst of losses, in datagrams. 0: no bursts.
    uint32_t delay_ms, late_ms; // Upper limit of small delays; length of rare, long ones.
    uint32_t acks;              // Losses of datagrams of at most small_bytes_max.
};

struct Kept { // The newest datagrams of a path, in a ring indexed by number.
    uint16_t sizes[kept_datagrams_max];
    std::byte bytes[kept_datagrams_max][datagram_bytes_max];
};

struct FarKept {
    uint16_t size_bytes; // 0: the datagram was too large.
    std::byte bytes[far_bytes_max];
};

struct Route {     // The path from one place to another.
    uint64_t key;  // The key of its random draws.
    uint64_t sent; // Datagrams sent; the number of the last one.
    uint64_t latency_us;
    uint64_t cut_since_us, cut_until_us; // The present or last cut.
    bool severed;                        // Cut for good.
    uint64_t sent_us; // When the last datagram was sent. 0: none since the sender's NAT changed.
    AddressNumber mapped; // The address that a symmetric NAT shows on this path. 0: none yet.
    uint64_t clog_until_us;
    uint64_t mtu_until_us, mtu_bytes;
    uint64_t queue_until_us, queue_bytes_per_second, queue_free_us;
    Rates rates;
    bool in_burst;
    std::vector<SimChoice> choices; // The script's choices for this path, by rising number.
    size_t next_choice;
    std::unique_ptr<Kept> kept;
    std::vector<FarKept> far; // [number % far_datagrams_max]; grows as needed.
};

// restricted: accepts datagrams only from addresses to which its peer has sent something within
// nat_time_us. symmetric: also shows a different address to each destination. (RFC 4787, 4 and 5.)
enum class Nat : uint8_t { none, restricted, symmetric };
inline constexpr uint64_t nat_time_us = 30'000'000;

struct Mapping {
    uint16_t from, to; // Places: the one behind the NAT, and the one that sees the address.
};

struct WireCounts {
    uint64_t sent, bytes; // Datagrams of peers, without strangers'.
    uint64_t delivered;   // Datagrams put into an inbox, including copies and strangers'.
    uint64_t lost_by_cut, lost_by_mtu, lost_by_queue, lost_by_full_inbox;
    uint64_t lost_nowhere;  // No place has the address, or a NAT does not accept the datagram.
    uint64_t lost_for_room; // Lost because of transits_max.
    uint64_t delayed_by_clog, delayed_by_queue;
    uint64_t acts[act_count]; // How often each act of the network was carried out.
};

// What the oracles know of a path.
struct PathHealth {
    uint64_t latency_us;  // At most, apart from datagrams that a fault delays by more.
    uint64_t troubled_us; // World time of the last datagram that a fault has lost, damaged or held
                          // up on the path, or of the end of that fault.
    uint64_t copied_us;   // World time when the last copy arrives. 0: there was none.
};

struct Wire { // Open to sim/.
    uint16_t places;
    // scripted: treatments come from a script, else from chance. calm: all treatments are empty.
    bool scripted, calm;
    bool any_rate;                              // Some path has a rate that is not 0.
    bool keeps;                                 // Datagrams are kept for replays.
    bool keeps_far;                             // Small datagrams are kept for longer.
    bool records;                               // Treatments are written to `recorded`.
    std::vector<Route> routes;                  // [from * places + to]
    std::vector<PathHealth> health;             // [from * places + to]
    std::vector<std::vector<Transit>> transits; // For each place a heap, the next one first.
    std::vector<AddressNumber> addresses;       // For each place its present address.
    std::vector<uint16_t> place_of_address;     // Indexed by address; no_place: nobody's.
    std::vector<Nat> nats;                      // For each place.
    std::vector<bool> members;                  // For each place: its session is open.
    std::vector<Mapping> mapped;                // [address - first_mapped]
    std::vector<std::unique_ptr<std::byte[]>> blocks;
    std::vector<uint32_t> free_slots;
    uint32_t slots_used; // Slots ever taken; never falls.
    uint64_t sequence;
    std::vector<SimChoice> recorded;
    WireCounts counts;
};

struct Launched { // The result of sending a datagram.
    uint16_t to;  // no_place: it reaches no place.
    bool lost;    // The datagram itself; copies may arrive.
    uint32_t copy_count;
};

namespace wire {

Address address(AddressNumber number);
AddressNumber number(const Address &address); // no_place: not on this network.

Wire make(const SimOptions &options);
void follow(Wire &wire, const std::vector<SimChoice> &choices); // A script, in place of chance.
Route &route(Wire &wire, uint16_t from, uint16_t to);
const Route &route(const Wire &wire, uint16_t from, uint16_t to);
PathHealth &health(Wire &wire, uint16_t from, uint16_t to);
void take_address(Wire &wire, uint16_t place, AddressNumber number); // Frees the former one.
Launched send(Wire &wire, uint64_t now_us, uint16_t from, const Datagram &datagram);
// Sends a stranger's datagram, which is neither treated nor counted as sent.
void send_strange(Wire &wire, uint64_t now_us, AddressNumber from, uint16_t to,
                  std::span<const std::byte> bytes);
// Appends all datagrams that are due at a place to `inbox`, in order. Their bytes stay valid until
// the caller passes `slots`, to which their slots are appended, to release().
void deliver(Wire &wire, uint64_t now_us, uint16_t place, std::vector<Datagram> &inbox,
             std::vector<uint32_t> &slots);
void release(Wire &wire, std::vector<uint32_t> &slots);
// Heals all paths and removes all NATs, for good. Severed paths stay severed.
void calm(Wire &wire);
// A datagram of the path that was kept; empty if it is not kept any more, or never was.
std::span<const std::byte> kept(const Route &route, uint64_t number);

// wire_nat.cpp
// The source address that `to` sees of a datagram that `from` sends now. Opens or prolongs the
// mapping in the NAT of `from`.
AddressNumber shown_address(Wire &wire, uint64_t now_us, uint16_t from, uint16_t to);
// The place that receives what `from` sends to an address. no_place: nobody has the address, or a
// NAT does not accept the datagram.
uint16_t place_at(const Wire &wire, uint64_t now_us, uint16_t from, AddressNumber number);
void set_nat(Wire &wire, uint16_t place, Nat nat); // Also closes all mappings of the place.

// wire_chance.cpp
void draw_rates(Route &route, const Faults &faults);
// From now on the datagrams of all paths are lost with this probability, and have no other
// treatment. Cuts, clogs and NATs stay.
void set_loss(Wire &wire, uint32_t per_mille);
Treatment drawn(const Wire &wire, Route &route, uint64_t number, size_t size_bytes);
Treatment chosen(Route &route, uint64_t number); // From the script.
// Appends the treatment to Wire::recorded, as choices.
void record(Wire &wire, uint16_t from, uint16_t to, uint64_t number, const Treatment &treatment);

}
}
