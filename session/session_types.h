// The data of a session, which joins connections, the replica and calls.
#pragma once
#include "base/assert_context.h"
#include "migration/replica.h"
#include "rpc/open_calls.h"
#include "session/inspect.h"
#include "session/recording/record.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/tern.hpp"
#include "transport/connection/pace.h"
#include "transport/endpoint.h"
#include "transport/handshake/allowance.h"

namespace tern {

// The role of the peer at the other end of a connection.
enum class PeerRole : uint8_t {
    none,
    unidentified, // The peer connected to us. No JOIN has come, or our game has yet to answer it.
    join_target,  // We join through it.
    former,       // A former member, or the host that it has named: docs/membership.md, "Meetings".
    member,       // Bound to a member of the roster.
    closing       // Closing: only the close is still sent.
};

// Messages in flight on the world stream to each peer. When full, messages wait in the replica.
inline constexpr uint32_t unacked_messages_max = 4096;
// Bytes on the world stream that were never sent. With more, messages wait in the replica, which
// then sends only what is still true: more than a tick can send, and little to catch up with.
inline constexpr uint64_t unsent_bytes_max = 48 * 1024;
// ReplicaLimits::reserved_peer_ids: ids that this peer skips when it goes on alone. If the other
// peer of a session of two goes on alone too, it may give these ids to newcomers.
inline constexpr uint16_t reserved_peer_ids = 64;
inline constexpr uint16_t unidentified_links_max = 4; // Connections beyond those to members.
inline constexpr uint32_t banned_max = 256; // Keys of removed peers; the oldest are replaced.
inline constexpr uint32_t refused_max = 64; // Claims known to explain(); likewise.
// Arguments of reliable calls that arrive in one tick. Each connection may fill an equal share, and
// the memory grows with the connections so that a share is at least call_memory_share_bytes.
// Further calls wait in their streams.
inline constexpr size_t call_memory_bytes = 256 * 1024;
inline constexpr size_t call_memory_share_bytes = 8 * 1024;
// Unreliable calls that are sent in one tick. call() returns false for more, and the host of a star
// drops more of those that it forwards.
inline constexpr size_t unreliable_call_memory_bytes = 64 * 1024;
inline constexpr size_t call_queue_bytes_max = 64 * 1024; // Reliable calls to one peer.
inline constexpr uint32_t unreliable_calls_max = 512;
inline constexpr uint32_t calls_per_tick_max = 256; // From each peer; the rest waits.
// Messages of a member in a second whose signature may be wrong. What comes after that waits in its
// stream.
inline constexpr uint32_t forged_per_second_max = 4;
// Bounds of Connections::packets_per_tick. The upper one is a fourth of what a connection keeps in
// flight.
inline constexpr uint32_t packets_per_tick_min = 32, packets_per_tick_max = 256;
// A connection that asks to join, and is not admitted, is closed after this time.
inline constexpr uint64_t unidentified_time_us = 10'000'000;
// A JOIN that arrives so long after the handshake may be from a peer that has ended meanwhile. It
// waits until the peer has acked a packet.
inline constexpr uint64_t fresh_join_us = 1'000'000;
// leave() waits this long for acks, and then as long again until all connections are closed.
inline constexpr uint64_t leave_time_us = 2'000'000;
// A game has forgotten send() if it has not called it for so long and in so many calls of
// receive(). A pause of the game alone is none of that.
inline constexpr uint64_t forgotten_send_us = 1'000'000;
inline constexpr uint32_t forgotten_send_receives = 60;
inline constexpr const char *explained_silence =
    "Nothing was sent for a second: call send() after each receive(), and send what it gives.";
// A newcomer repeats its JOIN, or follows the next redirect, at this interval while no member
// admits it.
inline constexpr uint64_t ask_interval_us = 200'000;
inline constexpr uint64_t ask_one_us = 1'000'000; // After that a newcomer asks another one.
// Time to reconnect to a member after its path has timed out: enough for three attempts.
inline constexpr uint64_t reach_again_us = 1'000'000;
// A suspect is pinged each ping_interval_us, and counts as gone if nothing arrives from it for
// suspicion_us, or for four round trips if that is longer.
inline constexpr uint64_t ping_interval_us = 50'000;
inline constexpr uint64_t suspicion_us = 300'000;
// The host's packets to a member carry its clock once in clock_interval_us. Without other packets
// the first clocks_hurried, and then one in clock_interval_us_max, are sent on their own.
inline constexpr uint64_t clock_interval_us = 500'000, clock_interval_us_max = 3'000'000;
inline constexpr uint32_t clocks_hurried = 8;
// A path that was made anew counts from then on; a peer that was removed is refused before.
inline constexpr uint64_t proven_path_us = 600'000;
inline constexpr uint64_t refuse_former_us = 300'000;
inline constexpr uint32_t former_max = 64;
// With Quorum::survivors a host seeks one former member in each meet_interval_us. It does not give
// its session up for promise_us after it has told another host that its session is the greater one.
inline constexpr uint64_t meet_interval_us = 1'000'000;
inline constexpr uint64_t promise_us = 2'000'000;
// In a star without a host: the next member is tried when those before it have not answered.
inline constexpr uint64_t seek_interval_us = 500'000;
inline constexpr uint64_t reconnect_interval_us = 1'000'000; // After a failed or closed connection.
// Both members of a pair connect when it has had no path for so long; before, the later one does.
inline constexpr uint64_t both_connect_after_us = 5'000'000;
// How many times timeout_ms a member has for its answer to a query. With 1, a timeout of 2 s and
// 20 % loss, an honest member was too late in one of 60 departures.
inline constexpr uint64_t report_timeouts = 3;

// --- Bridges: docs/membership.md, "Paths" ---

// Bridged datagrams of one tick, and their bytes. More are lost.
inline constexpr uint32_t bridged_max = 512;
inline constexpr size_t bridged_memory_bytes = 256 * 1024;
// A connection attempt without an answer tries a relay after relay_candidate_after_us, and another
// one after each further next_relay_candidate_us.
inline constexpr uint64_t relay_candidate_after_us = 500'000;
inline constexpr uint64_t next_relay_candidate_us = 250'000;
// Between two challenges of a direct address. While the connection is bridged, the interval doubles
// up to the maximum.
inline constexpr uint64_t challenge_us = 100'000;
inline constexpr uint64_t challenge_us_max = 5'000'000;
inline constexpr uint64_t doubt_challenge_us = 200'000; // Between two challenges while in doubt.
inline constexpr uint32_t answers_due_max = 2;          // More challenges stay unanswered.

// The path candidates of a connection.
struct PathCandidates {
    Address direct;       // The direct address that was challenged last.
    Address former;       // The direct address of the connection before the present one.
    Address observed;     // Where the newest packet came from, unless that is the present address.
    Address relayed;      // The peer's direct address as our relay to it sees it.
    bool observed_again;  // A packet came from `observed` after that address was challenged.
    uint64_t observed_us; // When the newest packet came.
    uint64_t next_number; // One more than the newest packet's number.
    // Random; 0: no challenge is unanswered. In a challenge the low 16 bits hold the PeerId of
    // the relay, or 0 for a direct address.
    uint64_t nonce;
    uint64_t direct_us,
        relay_candidate_us; // Time of the last challenge, direct and through a relay.
    uint32_t direct_count, relay_candidate_count;
    struct {
        Address to;
        uint64_t nonce;
    } answers[answers_due_max]; // To be sent in the next send().
    uint32_t answer_count;
};

// A bridged datagram, kept until the end of this tick.
struct BridgedDatagram {
    PeerId carrier; // The member to which it is sent next. none: it is for us.
    PeerId via;     // The relay that forwarded it to us.
    PeerId from, to;
    uint32_t first, size_bytes; // Place in Bridge::memory.
};

// What a relay keeps of two members in one direction. A slot may have been reused, so it names
// them.
struct RelayedPair {
    PeerId from, to;
    Pace pace;
    uint64_t address_us; // When the address of `from` was sent to `to`; 0: never.
};

struct Bridge {
    uint32_t count;
    std::byte *memory; // bridged_memory_bytes.
    uint32_t used_bytes;
    RelayedPair *pairs; // [from * peers_max + to], member slots.
    uint64_t forwarded_datagrams, forwarded_bytes, not_forwarded; // See SessionStats.
    // Bytes of our own datagrams to bridged addresses, and how many of them packets have taken.
    uint64_t own_bytes, carried_own_bytes;
    BridgedDatagram datagrams[bridged_max];
};

// The session's data of one connection, indexed by ConnectionIndex. Members whose comment begins
// with a PeerRole are valid only in that role.
struct PeerLink {
    PeerRole role;
    PeerId peer; // member; unidentified: the id reserved for it while our game decides.
    uint64_t connection_epoch; // Number of the connection, in the order of binding; 0: never bound.
    bool has_asked;         // unidentified: its JOIN has arrived. join_target: our JOIN is queued.
                            // former: our MEET is queued.
    bool may_ask_again;     // unidentified: it was refused because we are not the host.
    uint64_t answered_us;   // unidentified: when we answered its handshake.
    bool is_doubted;        // unidentified: its JOIN came late, and waits for an ack.
    uint64_t doubt_number;  // is_doubted: the number of the first packet whose ack ends the doubt.
    bool redirected;        // join_target: another member named this one as the host.
    uint64_t since_us;      // When the connection began, or was refused with may_ask_again.
    uint64_t ask_us;        // join_target: when to repeat the JOIN; 0: never.
    uint64_t clock_sent_us; // 0: never, or not since our state has changed.
    uint32_t clock_count;   // Clocks sent since then.
    uint64_t asked_us;      // When the host was asked for leases. 0: never.
    bool asks_for_leases;   // At the host: this question of the member waits for an answer.
    LeaseQuestion lease_question;
    uint32_t message_first,
        message_count;          // Messages in flight: a ring in Connections::message_ends.
    uint32_t acked_messages;    // World messages to the member, acked in order.
    uint64_t received_messages; // World messages from the member.
    bool stream_waits; // A message from its world stream must wait, so later packets are not acked.
    uint32_t call_count, call_bytes; // Calls taken from its stream in this tick.
    uint64_t work_ns;                // In this tick.
    uint32_t forged_count;           // Forged messages since forged_us.
    uint64_t forged_us;
    PathCandidates candidates;
    Identity identity; // unidentified whose JOIN has arrived; with its payload.
    uint16_t payload_bytes;
    std::byte payload[payload_bytes_max];
};

// Before until_us the connection rests: receive() and send() skip it, unless something waits for
// the member in this slot. 0: it does not rest. See rest_until_us() and wake().
struct LinkRest {
    uint64_t until_us;
    MemberSlot slot; // no_member: no member is at the other end.
};

// Messages between a newcomer and the host, before the newcomer is a member:
// docs/wire_format.md, "Joining".
enum class JoinMessage : uint8_t { join = 0x40, refused = 0x41, meet = 0x42 };
enum class JoinRefusal : uint8_t { none, full, types, by_game, not_host, limits };

// A notice that has arrived, read and checked, but not taken yet: docs/wire_format.md, "Notices".
enum class Notice : uint8_t { clock, lease_question, leases };
struct ReadNotice {
    Notice kind;
    bool is_cut_off;   // clock: the host is.
    uint64_t clock_us; // clock
    LeaseQuestion question;
    BitReader leases; // leases: replica::receive_leases() checks them.
};

// A peer that a newcomer asks to join.
struct Target {
    uint8_t key[32];
    Address address;
};
inline constexpr uint32_t targets_max = 16; // Addresses of an invite, or members; more are ignored.

// One per member slot.
struct LinkOutage {
    PeerId id;
    uint16_t tries;      // Attempts to connect since the path ended.
    uint16_t relay_turn; // Relay candidates that these attempts have tried.
    Address former;      // The address before the present one. Port 0: none is known.
    uint64_t since_us;   // Since when we have no open path to this member. 0: there is a path.
    uint64_t
        regained_us; // When the present path was made, after one had ended. 0: it is the first.
    bool was_lost;   // A path has ended since the member joined.
    bool disowned;   // The member has told us that it does not count us as a member any more.
};

// A member that was removed.
struct FormerMember {
    Target target;
    PeerId id;         // The last one that it had.
    bool said_goodbye; // It has left, so it is in no other session.
    char name[name_bytes_max];
};

// For Orphan::hold: the member whose departure made the host the object's owner. none: nobody's.
struct HeldObject {
    ObjectId object; // The object of this slot when the owner was noted.
    PeerId owner;
};

// A host or successor that another member's QUERY names as gone, and that we therefore ping.
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

// An unanswered claim of ours with ClaimMode::optimistic. The value that the game has set meanwhile
// is in OwnClaims::values. The replica never sees this value.
struct OptimisticClaim {
    ObjectId object;
    uint64_t set_fields; // Fields that the game has set. 0: no value is kept yet.
};

struct UnreliableCall {
    PeerId to, except; // except: the caller, if this host of a star forwards a call to everyone.
    uint32_t first, size_bytes; // Place in unreliable_memory.
};

// The budget of one caller: calls of a type with calls_per_second_max, where we are a caller, too;
// or the bytes of calls that this host of a star forwards for it.
struct CallRate {
    PeerId caller;
    Allowance allowance;
};

// At the host of a star: how many bytes of calls it has queued for a member since that one's queue
// was empty last, and from how many callers; and how many of one caller, if the round is the same.
struct ForwardQueue {
    uint32_t round, callers;
    uint64_t bytes;
};
struct ForwardShare {
    uint32_t round;
    uint64_t bytes;
};

// One per member slot, at the host or its successor: the deadlines of this member.
struct PeerDeadlines {
    PeerId id;
    uint32_t token;     // The newest query that it has answered.
    uint64_t report_us; // How long packets have come from it while it owed a REPORT.
    // How long packets have come from it without an ack of anything while it owed an ack of a view.
    uint64_t view_us;
    uint64_t acked_bytes; // It had acked so much of the world stream.
    // In a star: how long packets have come from it while it has not acked the calls up to
    // calls_end, an offset in the stream of the connection with this epoch.
    uint64_t calls_us;
    uint64_t calls_end, calls_epoch;
    uint64_t checked_us;    // When report_us, view_us and calls_us were brought up to date.
    uint64_t catch_up_us;   // Since when it catches up, as a newcomer. 0: it does not.
    bool has_what_was_held; // The objects that were held for it have been given back.
};

// One per member slot: see Stats.
struct BreachCounts {
    PeerId id;
    uint64_t counts[breach_kinds];
};

// A range of Connections::awake, `first` to `end` without `end`. The packets of these connections
// are built independently of all others, perhaps in another thread: Config::parallel.
struct SendPart {
    uint32_t number;
    uint32_t first, end;
    AssertContext context;          // The thread that builds them has it.
    DatagramBuffer datagram_buffer; // A part of Connections::datagram_buffer.
    Charges
        *charges; // Accounts::charges in the first part; else `own`, which is added to them later.
    Charges own;
};

// Whether a public function may run. misuse.cpp uses it.
struct CallGuard {
    uint32_t use;          // Whether a function is changing the session.
    uint32_t reporting;    // 1 while Config::misuse runs.
    uint32_t crashed;      // crash.cpp: 1 once an assertion has failed.
    AssertContext context; // Public functions set it for their thread.
};

struct SessionMemory {
    size_t block_bytes; // The block has so many: it begins with this session, and the types follow.
    void *replica;
    void *arrays; // Holds all arrays of the session.
};

struct SessionClock {
    int64_t offset_us; // Session clock minus now_us; exact at the first host.
    uint32_t rtt_us;   // Round trip of the best clock sample; 0: none yet.
};

// The connections, and what is built for them in a send().
struct Connections {
    uint16_t count;
    uint32_t used; // The connections from here on are free.
    PeerLink *links;
    LinkRest *rests;        // Indexed by connection.
    ConnectionIndex *awake; // These do not rest in this send(). There is memory for `count`.
    uint32_t awake_count;
    uint64_t members_rest_until_us; // Before this time no path or member needs attention: likewise.
    uint64_t *message_ends;         // [connection * unacked_messages_max + ...]: stream offsets.
    ConnectionIndex *link_of;       // Indexed by member slot: the connection bound to it last.
    uint64_t *reconnect_us;         // Indexed by member slot: do not connect before this time.
    LinkOutage *outages;            // Indexed by member slot.
    uint64_t epochs;                // The last PeerLink::connection_epoch that was given.
    std::byte *message_buffer;      // stream_message_bytes_max.
    DatagramBuffer datagram_buffer;
    uint32_t packets_per_tick; // To each peer; the rest waits for the next send().
};

// Which members are heard, and keep their deadlines: failure_detector.cpp.
struct MemberWatch {
    PeerDeadlines *deadlines; // Indexed by member slot.
    BreachCounts *breaches;   // Indexed by member slot.
    uint8_t *away;            // Indexed by member slot: 1 for a member that is not heard now.
    uint64_t few_since_us;    // Since when too few members are heard. 0: enough are.
    uint64_t few_us;          // Too few were heard last then. 0: never.
    uint64_t enough_since_us; // Since when this peer could take the host's place. 0: it cannot.
    uint64_t cut_off_us;      // cut_off: since when.
    Suspect suspect;
    bool host_is_cut_off; // The host of a star has told us that it hears too few.
};

// Joining, and joining again: joining.cpp.
struct JoinState {
    uint64_t next_try_us; // The next address is tried then.
    bool joins_again;     // At the end of this receive() this peer joins again: the others
                          // have gone on without it, or its session yields to another.
    bool forgets;         // It joins again. The next receive() clears the replica.
    bool returns;         // It was a member. While a member names the host it keeps asking.
    bool started_over;    // The host was lost while we joined.
    bool has_redirect_target;
    Target redirect_target; // The host that a member has named. It is asked next, once.
    uint64_t redirected_us;
    uint32_t target_count, target_index;
    Target targets[targets_max];        // Peers to ask, in turn.
    uint32_t progress_percent;          // The percentage that our game knows.
    std::span<const std::byte> payload; // It lies in payload_memory.
    std::byte payload_memory[payload_bytes_max];
};

// Members that have left or were removed: former.cpp.
struct FormerMembers {
    FormerMember *members; // A ring of former_max.
    uint32_t count;        // All that were ever added.
    uint32_t next;         // Which of them to seek next.
    Target met;            // The host that a former member has named. It is sought next, once.
    bool has_met;
    bool yields; // JoinState::joins_again: the session of `met` is the greater one; this one ends.
    uint64_t meet_us, promised_us; // When to seek the next one; until when this session stays.
    uint8_t (*banned)[32];         // Keys of removed peers, as a ring.
    uint32_t banned_count;         // All that were ever added.
    HeldObject *held;              // Indexed by ObjectSlot.
};

struct EventList {
    Event *all; // Events of the replica, of calls and of joining, in order.
    uint32_t count, max;
    uint32_t spared;        // Left unused of `max`, for inspect::limit_call_events().
    uint32_t replica_count; // Events of the replica that were copied in this tick.
    uint64_t *marks;        // A bit for each slot; all zero outside of tern_changed_objects().
};

// Claims of this peer: optimistic.cpp, explain.cpp.
struct OwnClaims {
    OptimisticClaim *optimistic; // A type's claims begin at its Packed::first.
    uint32_t count;              // All types together have so many.
    uint32_t *counts;            // Indexed by type.
    // Laid out like World::values, but in the order of the claims: what the game sees of each.
    std::byte *values;
    std::byte *shown;                  // Laid out like World::values: memory for object_values().
    uint32_t refused_count;            // All that were ever added.
    RefusedClaim refused[refused_max]; // A ring.
};

// The packet that is being received has been read into these.
struct Arrivals {
    ReadUpdates updates;
    // The calls and notices, at the places of their messages.
    ReceivedCall *calls;
    ReadNotice *notices;
};

struct CallQueues {
    CallArena arena;
    uint32_t unreliable_count;
    uint32_t unreliable_bytes;    // Used of unreliable_memory.
    std::byte *unreliable_memory; // unreliable_call_memory_bytes.
    CallRate *rates;              // [member slot * types + type].
    CallRate *forward_rates;      // [member slot]
    ForwardQueue *forward_queues; // [member slot]
    ForwardShare *forward_shares; // In a star [member slot * peers_max + caller's slot].
    Received *received;           // Indexed by type.
    uint64_t refused_count;       // See SessionStats.
    OpenCalls open;
    UnreliableCall unreliable[unreliable_calls_max];
};

// The session has spent this: traffic.cpp.
struct Accounts {
    Charges charges;                      // Counts what is sent; the replica's, too.
    TrafficRow *rows;                     // Memory that `charges` uses.
    ChargeRun *runs;                      // Memory that `charges` uses.
    int64_t handed_out_bits;              // send() has returned datagrams of so many bits.
    uint64_t refused_full, refused_types; // See SessionStats.
    uint64_t sent_us;  // now_us of the last send(); before it, of the first receive().
    uint32_t receives; // Calls of receive() since then.
};

struct SessionLimits {
    ReplicaLimits replica;
    ReplicaSizes sizes;
};

struct SessionSecrets {
    KeyPair keys;
    uint8_t signing_public[32], signing_secret[64];
};

struct SessionRecords {
    Journal *journal; // Set by inspect::listen(); null: no journal is written.
    Recorder recorder;
    std::byte *buffer; // recording_bytes_max.
};

struct PeerList {
    PeerId *ids; // Memory for the result of other_peers().
    uint16_t count;
};

// A game sees it as an opaque handle. What is large or rarely used lies behind, so that a tick
// touches few pages.
struct Session {
    CallGuard guard;
    Config config; // It has defaults in place of zeros, and its own types.
    std::span<const Field *const> given_fields; // Indexed by type: Type::fields of the caller.
    Endpoint *endpoint;
    Replica *replica;
    State state, logged_state; // The last state that Config::log got.
    uint64_t now_us;
    uint64_t deadline_us; // joining, leaving
    bool says_goodbye;    // leaving: no acks are awaited any more; connections are closing.
    ObjectSlot set_slot;  // Slot of the last set(): the next object often lies near it.
    SessionMemory memory;
    SessionClock clock;
    Connections connections;
    MemberWatch watch;
    PeerList others;
    EventList events;
    Arrivals arrivals;
    Accounts accounts;
    OwnClaims claims;
    FormerMembers former;
    SessionRecords records;
    SendPart parts[send_parts_max]; // The first config.parallel.parts are in use.
    CallQueues calls;
    Bridge bridge;
    JoinState joining;
    TypeTable types;
    SessionLimits limits;
    SessionSecrets secrets;
    char name[name_bytes_max];
    char text[512]; // The sentence of the state.
    Invite invite;  // The id and secret of the session. The rest: joining.
};

}
