// The members of a session: what joins connections, the replica and calls together.
#pragma once
#include "migration/replica.h"
#include "rpc/open_calls.h"
#include "session/inspect.h"
#include "session/record.h"
#include "tern/tern.h"
#include "transport/connection/pace.h"
#include "transport/endpoint.h"
#include "transport/handshake/allowance.h"

namespace tern {

// What a connection is to us.
enum class Tie : uint8_t {
    none,
    stranger, // It connected to us and has not said what it wants, or waits for the host's game.
    asking,   // We join through it.
    member,   // Bound to a peer of the roster.
    ending    // Nothing more is said but goodbye.
};

inline constexpr uint32_t unacked_messages_max = 4096; // On the world stream, to each peer.
                                                       // Full: messages wait in the replica.
inline constexpr uint16_t lone_ids = 64;       // Newcomers of the other half of a session of two.
inline constexpr uint16_t stranger_places = 4; // Connections beyond the members'.
inline constexpr uint32_t banned_max = 256;    // Kicked keys; beyond, the oldest go.
inline constexpr uint32_t refused_max = 64;    // Claims; beyond, the oldest are forgotten.
inline constexpr size_t call_memory_bytes = 256 * 1024;     // Per tick, or so much of each path:
inline constexpr size_t call_memory_share_bytes = 8 * 1024; // ... if that is more. Beyond, calls
                                                            // wait in their streams.
inline constexpr size_t unreliable_call_memory_bytes = 64 * 1024; // Per tick; beyond, lost.
inline constexpr uint32_t unreliable_calls_max = 512;             // Per tick; beyond, lost.
inline constexpr uint32_t calls_per_tick_max = 256;               // From each peer; the rest waits.
inline constexpr uint32_t packets_per_tick_max = 32;              // To each peer.
inline constexpr uint64_t stranger_time_us = 10'000'000;
inline constexpr uint64_t leave_time_us = 2'000'000;  // Then goodbye, acked or not, for as long.
inline constexpr uint64_t ask_interval_us = 200'000;  // A newcomer, while nobody is the host.
inline constexpr uint64_t reach_again_us = 1'000'000; // After a silence: three tries to connect.
// Whom another takes for gone is asked for a sign of life each ping_interval_us, and has gone if
// none comes for suspicion_us, or four round trips if that is longer.
inline constexpr uint64_t ping_interval_us = 50'000;
inline constexpr uint64_t suspicion_us = 300'000;
inline constexpr uint64_t clock_interval_us = 500'000;
inline constexpr uint64_t reconnect_interval_us = 1'000'000;
// Of timeout_ms, without progress with an answer to a query. In one of 2 s and at 20 % loss an
// honest member was late once in 60 departures: there are few probes in it.
inline constexpr uint64_t report_timeouts = 3;

// --- Bridges: docs/membership.md, "Paths" ---
inline constexpr uint32_t bridged_max = 512; // Datagrams in one tick; beyond, lost.
inline constexpr size_t bridged_memory_bytes = 256 * 1024;
inline constexpr uint64_t detour_after_us = 500'000;    // Of connecting without an answer,
inline constexpr uint64_t next_detour_us = 1'000'000;   // and after this by way of another.
inline constexpr uint64_t challenge_us = 100'000;       // Between two of one way, doubled up to
inline constexpr uint64_t challenge_us_max = 5'000'000; // this while we are bridged.
inline constexpr uint64_t doubt_challenge_us = 200'000; // The same, in doubt.
inline constexpr uint32_t answers_due_max = 2;

// What is known of the ways to a member.
struct Ways {
    Address direct;       // That was challenged last.
    Address heard;        // Not the present address, but the newest packet has come from there.
    bool heard_again;     // Since it was challenged.
    uint64_t heard_us;    // When last.
    uint64_t next_number; // One past the newest packet's.
    uint64_t nonce;       // Of challenges; 0: none. Its low 16 bits are the PeerId of who bridges.
    uint64_t direct_us, detour_us; // When they were challenged last.
    uint32_t direct_count, detour_count;
    struct {
        Address to;
        uint64_t nonce;
    } answers[answers_due_max]; // That are due. Beyond, none is sent.
    uint32_t answer_count;
};

// A datagram of a pair without a direct path, from one tick.
struct BridgedDatagram {
    PeerId carrier; // Whose connection takes it. none: it is for us.
    PeerId via;     // Who has forwarded it to us.
    PeerId from, to;
    uint32_t first, size_bytes; // In Bridge::memory.
};

struct Bridge {
    BridgedDatagram datagrams[bridged_max];
    uint32_t count;
    std::byte *memory;
    uint32_t used_bytes;
    Pace *paces; // [from * peers_max + to], by member slots.
    PeerId (*paced)[2];
    uint64_t forwarded_datagrams, forwarded_bytes, not_forwarded;
    uint64_t own_bytes, carried_own_bytes; // Datagrams of ours; those that went on their way.
};

// One connection, by ConnectionIndex.
struct Path {
    Tie tie;
    PeerId peer;        // member; stranger: the id kept for it while the host's game decides.
    uint64_t link;      // Counts the connections; 0: none was bound yet.
    bool has_asked;     // stranger: its JOIN is here. asking: ours is on its way.
    bool may_ask_again; // stranger: it was told that we are not the host.
    bool turned;        // asking: another member has named this one.
    bool welcomed;      // member: it had our welcome, or another's, before this path was made.
    uint64_t since_us;
    uint64_t ask_us; // asking: when JOIN is said again; 0: never.
    uint64_t clock_sent_us;
    uint64_t bad_messages;
    uint32_t message_first, message_count; // In message_ends, as a ring.
    uint32_t acked_messages;               // Of the replica's, in order.
    uint64_t heard_messages;               // From the member.
    bool behind;                           // A message of its world stream waits.
    uint32_t call_count, call_bytes;       // Taken in this tick.
    Ways ways;
    Identity identity; // stranger that has asked.
    uint16_t payload_bytes;
    std::byte payload[payload_bytes_max];
};

// Messages between a newcomer and the host, before there is a member. docs/wire_format.md.
enum class JoinMessage : uint8_t { join = 0x40, refused = 0x41 };
enum class JoinRefusal : uint8_t { none, full, types, by_game, not_host, limits };

// Whom a newcomer asks.
struct Target {
    uint8_t key[32];
    Address address;
};
inline constexpr uint32_t targets_max = 16; // An invite's addresses, or all members.

// By member slot: since when there is no open path to it. 0: there is one.
struct Absence {
    PeerId id;
    uint64_t since_us;
};

// A host or successor that a query names, whose sign of life we wait for.
struct Suspect {
    PeerId id;
    uint64_t since_us, pinged_us;
};

// The host's last answer to a claim of ours, for explain().
struct RefusedClaim {
    ObjectId object;
    ClaimRefusal refusal;
    uint64_t at_us;
};

// What the game has set of an object that it has claimed with ClaimMode::optimistic. The replica
// never sees that: while it works, the values of the two have changed places.
struct OptimisticClaim {
    ObjectId object;
    uint64_t set_fields; // 0: there is no value yet.
};

struct UnreliableCall {
    PeerId to, except;          // except: who called everyone through us.
    uint32_t first, size_bytes; // In unreliable_memory.
};

// How many calls of a type with calls_per_second_max are still heard of a peer, or made here.
struct CallRate {
    PeerId caller;
    Allowance allowance;
};

// At who leads, by member slot: what it waits for, and since when there was no progress. 0:
// nothing.
struct Patience {
    PeerId id;
    uint32_t token;          // Of the query.
    uint32_t acked_messages; // Until the query has arrived, acks are progress.
    uint64_t report_us;      // The answer to a query.
    uint64_t catch_up_us;    // That a newcomer has caught up.
};

// Connections from `first` on, below `end`, whose packets are built by themselves.
struct SendPart {
    uint32_t number;
    ConnectionIndex first, end;
    Outbox outbox;    // A part of the session's.
    Charges *charges; // Of the first part the session's; else `own`, which is moved there.
    Charges own;
};

struct Session {
    Config config;
    char name[name_bytes_max];
    TypeTable types;
    ReplicaLimits limits;
    Endpoint *endpoint;
    Replica *replica;
    void *replica_memory;
    KeyPair keys;
    uint8_t signing_public[32], signing_secret[64];

    State state;
    char text[512]; // Of the state.
    uint64_t now_us;
    uint64_t deadline_us;        // joining, leaving.
    bool says_goodbye;           // leaving: nothing more is waited for.
    uint64_t next_try_us;        // joining: when the next address is tried.
    Invite invite;               // Of the session: id and secret. The rest is for who joins.
    Target targets[targets_max]; // joining: whom to ask, in turn.
    uint32_t target_count, target_index;
    Target turned; // joining: whom a member has named as the host; asked next, and once.
    bool has_turned;
    uint64_t turned_us;
    bool started_over;         // The host went while we joined.
    uint32_t progress_percent; // joining: of which our game has heard.
    JoinPayload payload;       // Copied into payload_memory.
    std::byte payload_memory[payload_bytes_max];
    int64_t clock_offset_us; // Session clock less now_us; at the first host exact.
    uint32_t clock_rtt_us;   // Of the best sample; 0: none.

    uint16_t path_count;
    Path *paths;
    uint64_t *message_ends;   // [path * unacked_messages_max + ...]: stream offsets.
    ConnectionIndex *path_of; // By member slot: bound to it last.
    uint64_t *reconnect_us;   // By member slot: not before.
    Patience *patience;       // By member slot.
    Absence *absences;        // By member slot.
    Suspect suspect;
    PeerId *peers;
    uint16_t peer_count;
    uint8_t (*banned)[32];
    uint32_t banned_count;

    Event *events; // The replica's and those of calls and joins, in order.
    uint32_t event_count, events_max;
    uint32_t events_spared;            // Of events_max, not used: inspect::hear_few().
    uint32_t replica_event_count;      // Of the replica's, copied so far.
    RefusedClaim refused[refused_max]; // As a ring.
    uint32_t refused_count;            // Ever.
    OptimisticClaim *optimistic;       // Of each type from Packed::first on, so many:
    uint32_t *optimistic_counts;       // By type.
    Slot set_slot; // Of the object that was set last: the next one often lies near it.
    std::byte *optimistic_values; // Laid out as World::values. Shown: what the replica has; else
                                  // what the game has.
    bool optimistic_shown;        // By get() and values().
    CallArena calls;
    UnreliableCall unreliable_calls[unreliable_calls_max];
    uint32_t unreliable_call_count;
    std::byte *unreliable_memory;
    OpenCalls open_calls;
    uint64_t links;                       // Ever bound.
    CallRate *call_rates;                 // [member slot * types + type].
    Received *received_calls;             // By type.
    Charges charges;                      // Of what is sent. The replica's, too.
    TrafficRow *traffic;                  // Its rows,
    ChargeRun *charge_runs;               // ... and runs.
    int64_t handed_out_bits;              // By send().
    uint64_t refused_full, refused_types; // As in SessionStats.
    uint64_t refused_calls;
    uint32_t unreliable_bytes;
    Bridge bridge;
    std::byte *message_buffer; // stream_message_bytes_max.
    Outbox outbox;
    SendPart parts[send_parts_max]; // config.parallel.parts of them.
    Recorder recorder;
    std::byte *recording; // recording_bytes_max.
    Journal *journal;     // The inspector's; null: nobody listens.
    void *memory;         // All of the arrays above.
};

}
