// The network of a simulation: every datagram between two places has a number on its path, and a
// treatment that chance draws or a script names.
#pragma once
#include "sim/trace/script.h"
#include "sim/world/dice.h"
#include "tern/types.h"
#include <memory>
#include <vector>

namespace tern {

// Addresses are numbers: 10.0.x.y. Those of places come from below, those of strangers from above.
// Between them are those that NATs show to one destination each; then two have one IP address each,
// and differ by their port.
using AddressNumber = uint16_t;
inline constexpr AddressNumber first_mapped = 0xc000;
inline constexpr AddressNumber first_shared = 0xe000;
inline constexpr AddressNumber first_stranger = 0xf000;
inline constexpr uint16_t no_place = 0xffff;

inline constexpr uint32_t transits_max = 100'000; // Under way or in inboxes; beyond, lost.
inline constexpr uint32_t arrivals_max = 512; // In one inbox; beyond, lost. (A socket's buffer.)
inline constexpr uint32_t kept_datagrams_max = 16; // Of each path, for replays.
// Small ones are kept for long, so that some come again just where a replay window (of 1984
// packets) ends.
inline constexpr uint32_t far_datagrams_max = 2100, far_bytes_max = 160;
inline constexpr uint32_t far_back_low = 1960, far_back_high = 2010; // Of those that come again.
inline constexpr size_t small_bytes_max = 40;          // Hardly more than an ack alone.
inline constexpr uint32_t queue_bytes_max = 16 * 1024; // Of a path with Act::queue; beyond, lost.
inline constexpr uint32_t copies_max = 5;              // Of one datagram, by Act::twice.

struct Transit { // A datagram under way.
    uint64_t due_us;
    uint64_t sequence; // Of all that were sent: orders those that are due together.
    uint32_t slot;     // Where its bytes are.
    uint16_t size_bytes;
    AddressNumber from, to;
    uint16_t place;  // It had address `to` when it was sent. no_place: from is a stranger's.
    uint16_t sender; // Place; no_place: a stranger.
};

// What becomes of one datagram. All zero: nothing unusual.
struct Treatment {
    bool lost, damaged, truncated, replays;
    uint32_t copy_count;
    uint64_t delay_us;
    uint64_t copy_us[copies_max];
    uint64_t bit, bytes; // damaged, truncated.
    uint16_t c, d;       // replays: of this path,
    uint64_t number;     // this one.
};

struct Rates { // Of one path, by chance; of a thousand, but where it says otherwise.
    uint32_t loss, twice, damage, truncate, replay;
    uint32_t burst; // Datagrams.
    uint32_t delay_ms, late_ms;
    uint32_t acks; // Of those up to small_bytes_max.
};

struct Kept { // The newest datagrams of a path, as a ring by number.
    uint16_t sizes[kept_datagrams_max];
    std::byte bytes[kept_datagrams_max][datagram_bytes_max];
};

struct FarKept {
    uint16_t size_bytes; // 0: it was too large.
    std::byte bytes[far_bytes_max];
};

struct Route {     // The path from one place to another.
    uint64_t key;  // Of its draws.
    uint64_t sent; // Datagrams.
    uint64_t latency_us;
    uint64_t cut_since_us, cut_until_us; // Since: of the present cut.
    bool severed;                        // For good.
    uint64_t sent_us;                    // When the last one was sent; 0: none through its NAT.
    AddressNumber mapped;                // That a NAT shows there. 0: none.
    uint64_t clog_until_us;
    uint64_t mtu_until_us, mtu_bytes;
    uint64_t queue_until_us, queue_bytes_per_second, queue_free_us;
    Rates rates;
    bool in_burst;
    std::vector<SimChoice> choices; // Of a script, by number.
    size_t next_choice;
    std::unique_ptr<Kept> kept;
    std::vector<FarKept> far; // [number % far_datagrams_max]; grows up to that.
};

// restricted: lets in what comes from where something has been sent to lately. symmetric: the same,
// and shows another address to each destination.
enum class Nat : uint8_t { none, restricted, symmetric };
inline constexpr uint64_t nat_time_us = 30'000'000; // Then it forgets where something went.

struct Mapping {
    uint16_t from, to; // Places: whose it is, and to whom it is shown.
};

struct WireCounts {
    uint64_t sent, bytes; // By peers.
    uint64_t delivered;   // Into an inbox, copies and strangers' too.
    uint64_t lost_by_cut, lost_by_mtu, lost_by_queue, lost_by_full_inbox;
    uint64_t lost_nowhere;  // Nobody has that address, or not any more.
    uint64_t lost_for_room; // transits_max.
    uint64_t delayed_by_clog, delayed_by_queue;
    uint64_t acts[act_count]; // Of the network: how often each was done.
};

struct Wire { // Open to sim.
    uint16_t places;
    bool scripted, calm;                        // calm: nothing unusual happens any more.
    bool any_rate;                              // Of any path, by chance.
    bool keeps;                                 // Datagrams for replays.
    bool keeps_far;                             // Small ones for long.
    bool records;                               // What was chosen, into `recorded`.
    std::vector<Route> routes;                  // [from * places + to]
    std::vector<std::vector<Transit>> transits; // By place: a heap, the next one first.
    std::vector<AddressNumber> addresses;       // By place: the present one.
    std::vector<uint16_t> place_of_address;     // By number.
    std::vector<Nat> nats;                      // By place.
    std::vector<bool> members;                  // By place: its session is open.
    std::vector<Mapping> mapped;                // By number less first_mapped.
    std::vector<std::unique_ptr<std::byte[]>> blocks;
    std::vector<uint32_t> free_slots;
    uint32_t slots_used; // Ever.
    uint64_t sequence;
    std::vector<SimChoice> recorded;
    WireCounts counts;
};

struct Launched { // What became of a datagram that was sent.
    uint16_t to;  // no_place: nobody has that address.
    bool lost;    // The datagram itself; copies may arrive.
    uint32_t copy_count;
};

namespace wire {

Address address(AddressNumber number);
AddressNumber number(const Address &address); // no_place: none of ours.

Wire make(const SimOptions &options);
void follow(Wire &wire, const std::vector<SimChoice> &choices); // From now on, instead of chance.
Route &route(Wire &wire, uint16_t from, uint16_t to);
const Route &route(const Wire &wire, uint16_t from, uint16_t to);
void take_address(Wire &wire, uint16_t place, AddressNumber number); // And frees the former one.
Launched send(Wire &wire, uint64_t now_us, uint16_t from, const Datagram &datagram);
// From a stranger: it suffers nothing.
void send_strange(Wire &wire, uint64_t now_us, AddressNumber from, uint16_t to,
                  std::span<const std::byte> bytes);
// All that is due at a place, in order, appended to inbox; their slots to `slots`, to be released.
void deliver(Wire &wire, uint64_t now_us, uint16_t place, std::vector<Datagram> &inbox,
             std::vector<uint32_t> &slots);
void release(Wire &wire, std::vector<uint32_t> &slots);
uint64_t last_due_us(const Wire &wire); // Of what is under way; 0: nothing is.
void calm(Wire &wire); // Heals all paths, for good; but for those that are severed.
// A kept datagram; empty if it is not kept, or not any more.
std::span<const std::byte> kept(const Route &route, uint64_t number);

// wire_nat.cpp
AddressNumber shown_address(Wire &wire, uint64_t now_us, uint16_t from, uint16_t to);
// Who gets what is sent from a place to an address. no_place: nobody, or it is not let in.
uint16_t place_at(const Wire &wire, uint64_t now_us, uint16_t from, AddressNumber number);
void set_nat(Wire &wire, uint16_t place, Nat nat); // A new one: nothing has gone through it yet.

// wire_chance.cpp
void draw_rates(Route &route, const Faults &faults);
// On all routes, in place of all other rates, from now on by chance. 0: nothing happens there.
void set_loss(Wire &wire, uint32_t per_mille);
Treatment drawn(const Wire &wire, Route &route, uint64_t number, size_t size_bytes);
Treatment chosen(Route &route, uint64_t number); // By its script.
void record(Wire &wire, uint16_t from, uint16_t to, uint64_t number, const Treatment &treatment);

}
}
