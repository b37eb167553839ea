// All object, ownership and membership state of one peer. It lies in one block of memory without
// pointers into itself: a copy of its block_bytes bytes is a second peer in the same state.
#pragma once
#include "replication/sampling/state_history.h"
#include "replication/update/publish.h"
#include "tern/events.hpp"
#include "tern/limits.hpp"
#include "transport/handshake/allowance.h"

namespace tern {

inline constexpr uint32_t members_max = 512;    // Members of a session.
inline constexpr size_t grant_objects_max = 16; // Objects of one GRANT: their states fit a message.
// One DEAD has at most so many ranges, because a receiver takes it in one go.
inline constexpr size_t dead_ranges_max = 32;
// What the messages of one member may cost in a tick: work.h. What comes after that waits in its
// stream.
inline constexpr uint64_t work_per_tick_max_ns = 2'000'000;

// How to reach and recognize a member. The rules do not interpret it; VIEW and WELCOME carry it.
struct Identity {
    uint8_t key[32];         // X25519 public key, for the handshake.
    uint8_t signing_key[32]; // Ed25519 public key, for the grants that it signs as host.
    Address address;         // The address that the host sees; zero for the host itself.
    char name[name_bytes_max];
};

// A member in the roster of a VIEW or WELCOME.
struct Listed {
    PeerId id;
    bool votes, vote_is_new;
    bool has_identity; // The identity is present.
    Identity identity;
};

// A member slot. id none: the slot is free.
struct Member {
    PeerId id;
    bool fenced;            // The member has gone: nothing more is accepted from it or sent to it.
    bool said_goodbye;      // Set with a goodbye: the member is not counted for a majority.
    bool reported_to_leave; // A report names it as one that has said goodbye.
    bool votes;             // Counted for a majority. The host sets it and sends it in a VIEW.
    bool vote_is_new; // Not all members know of this vote. Meanwhile a majority of the old votes
                      // is needed as well.
    bool announced;   // Our game knows of it: peer_left follows when it goes.
    bool synced;      // While we join: this member's world sync has ended, with SYNCED. On the
                      // host of a star: SYNCED has been queued for this member.
    bool caught_up;   // On the host: CAUGHT_UP has arrived. On other members: the same as votes.
    bool reported;    // While `collecting`: this member has answered the present query.
    bool query_waits; // We answer this member's QUERY once it is our successor().
    uint8_t breaches; // Bit i for Breach i, if this peer has found one.
    uint8_t reported_breaches; // An ACCUSE to the present host has named these.
    uint8_t zero[2];
    uint32_t query_token;   // The token of that QUERY.
    uint32_t since_view;    // On the host: the first view that contains the present identity.
    uint32_t newest_serial; // See replica_objects::may_have_given().
    // It has signed both with one stamp: indices + 1 in `grants`, which count as references. 0: no
    // such grants are known.
    uint32_t conflicting_grants[2];
    Identity identity;
};

// A member that is gone and was host, or would have become host. Its key verifies the grants of
// its term.
struct FormerHost {
    PeerId id;
    uint8_t signing_key[32];
};
inline constexpr uint32_t former_hosts_max = 64; // When full, the oldest is forgotten, and what
                                                 // it granted is granted anew.

enum class MessageKind : uint8_t {
    none,
    welcome,
    view,
    create,
    migrate,
    destroy,
    dead,
    synced,
    caught_up,
    claim,
    release,
    lock,
    unlock,
    claim_refused,
    grant,
    query,
    report_object,
    report,
    dead_wanted,
    relay,
    lease,
    accuse,
    equivocation
};

// A message to a member that is not about one object. Each kind waits at most once for a member.
enum class Control : uint8_t {
    none, // Not a message: the head of the list of what waits.
    welcome,
    deaths, // DEAD and DESTROY for the destroyed objects that this peer announces to the member.
    query,
    dead,   // DEAD for all destroyed objects that this peer knows.
    report, // REPORT_OBJECT for each orphan, DEAD for all destroyed objects, and REPORT.
    view,
    synced,
    caught_up,
    claims,       // CLAIM for each claim that the host has not been asked for.
    refusals,     // CLAIM_REFUSED for each of Outbox::refusals.
    dead_wanted,  // DEAD_WANTED for each member whose MemberQueue::misses_dead is set.
    lease,        // LEASE for each type whose Lease::waits, or on a member Places::waits, is set.
    accusations,  // ACCUSE for each member with breaches that the host does not know.
    equivocations // EQUIVOCATION for each member with Member::conflicting_grants.
};
inline constexpr uint32_t control_count = 15;

// What waits for a member about one object, as bits.
enum Waiting : uint8_t {
    waiting_state = 1, // CREATE, MIGRATE or RELAY, whichever fits when it is sent.
    waiting_grant = 2, // On the host: GRANT.
    waiting_lock = 4,  // On an owner: LOCK or UNLOCK, whichever fits when it is sent.
    waiting_release = 8
};

// An element of the doubly linked list of what waits for a member, in order. There is one for each
// Control and one for each object slot, so the list is bounded by the living objects and never
// overflows. Links are numbers of elements; 0 is the head.
struct QueueEntry {
    uint32_t next : 28;
    uint32_t waiting : 4; // Waiting bits; 1 for a Control. 0: it is not in the list.
    uint32_t previous;
};
inline constexpr uint32_t queue_entries_max = 1u << 28;

// What a message in flight to a member was about: what its ack means, and what is to be sent again
// if the connection is made anew. A message about several objects has one for each.
struct UnackedEntry {
    MessageKind kind;
    uint8_t detail;   // claim_refused: the reason.
    PeerId peer;      // dead_wanted: the member that is to get DEAD. accuse: the accused.
    uint32_t tick;    // create, migrate, relay: the tick of the values.
    uint32_t token;   // query, report; welcome, view: the number of the view; grant: its index + 1,
                      // which counts as a reference; destroy: the index of its proof; lease:
                      // the type.
    uint32_t message; // The number of the message on this stream.
    uint64_t object;  // dead: the first id of a range, or 0 for all destroyed objects.
    uint64_t stamp;   // create, migrate, relay: the tenure. dead: the last id of the range.
};

// How far a member is with the deaths that HostDuties::deaths_awaited is about.
enum class AckedDeaths : uint8_t { all, queued, sent };

inline constexpr uint32_t owed_max = 4096; // Ranges of destroyed ids that wait for one member.

// The queue of one member. What waits is in Outbox::entries, what is in flight in
// Outbox::unacked.
struct MemberQueue {
    uint32_t unacked_first, unacked_count; // A ring.
    uint32_t message_count;                // Messages pulled since the connection was made.
    uint32_t acked_count;                  // How many of those are acked.
    uint32_t view_said;      // The view that was pulled last. The next VIEW contains the identities
                             // that are newer than this view.
    uint32_t view_floor;     // On the host: any view that the member has is this one or a later.
    uint32_t owed_count;     // Ranges in Outbox::owed.
    uint32_t refusal_count;  // Claims in Outbox::refusals.
    uint32_t proofs_waiting; // DESTROYs with a proof that wait.
    uint32_t grants_unacked; // GRANTs in flight.
    uint32_t report_token;
    uint32_t report_next;      // The slot from which the report goes on; then come DEAD and REPORT.
    uint64_t report_dead_next; // Control::report, dead: the first id of the next DEAD.
    uint64_t dead_next;
    bool misses_dead; // The member needs DEAD from the host: a proof had to be given up.
    bool removing;    // give_up() was called: departures::settle() removes this member.
    AckedDeaths deaths;
    uint8_t zero;
    uint32_t deaths_message;     // With AckedDeaths::sent: the last of the messages about them.
    uint32_t equivocations_next; // Control::equivocations: the member slot from which it goes on.
    uint8_t more_zeros[4];
};

// What this peer may create of one type; places.h and leases.h have the rules.
struct Places {
    uint32_t held;    // The lease has so many places.
    uint32_t used;    // The number of places that are not free: an object lives there, or not all
                      // members have acked its death. It includes objects of departed creators.
    uint32_t first;   // The part of Room::numbers begins here. It is a stack of the places
                      // in which no object of this peer's lives. Those used last are on top.
    uint32_t unused;  // The stack has so many numbers.
    uint32_t unacked; // The next round of acks is about the deaths in this many places on top.
    uint32_t awaited; // The present round is about the deaths in this many places below those.
    // The places of departed creators are not in the stack; these two count them likewise.
    uint32_t departed_unacked, departed_awaited;
    uint32_t low;    // The peer asks for more when no more places than these are free.
    uint32_t number; // The last LEASE of the present host had this number. 0: there was none.
    bool wanted;     // The peer has asked for more, or will.
    bool waits;      // A LEASE to the host is to name this type.
    uint8_t zero[2];
};

// What one member may create of one type. Only the host knows more than `alive`, unless the member
// has exceeded its lease.
struct Lease {
    uint32_t alive; // The member has created so many of the objects that live here.
    uint32_t places;
    uint32_t number;  // It rises with each change; an answer to an earlier LEASE is void.
    uint32_t asked;   // The LEASE of this number asks the member to return so many places.
    bool wanted;      // The member has asked for more.
    bool waits;       // A LEASE to the member is to name this type.
    bool is_exceeded; // Not on the host: it had more places alive here than the host has leased it.
    uint8_t zero;
};

// What this peer asks the host because an object has found no room: see leases.h.
struct Shortage {
    TypeId type;
    bool lasts;                 // It asks.
    uint32_t number;            // Answers to questions with other numbers are void.
    PeerId next;                // It asks for the leases of the members from this id on.
    Flat<uint32_t> least_alive; // Per member slot: the least Lease::alive since it began.
};
struct LeaseQuestion {
    TypeId type;
    uint32_t number;
    PeerId first;
};

// The proof that this peer may destroy an object that another one created: the grant. It is kept
// until all members have acked the DESTROY.
struct DeathProof {
    uint64_t object;     // 0: free.
    uint32_t grant;      // Index + 1 in `grants`; counts as a reference.
    uint32_t unacked_by; // How many members have not acked it.
};

// Tells whether one member has acked the death that one proof stands for.
enum class ProofMark : uint8_t { acked, waits, in_flight };

// On the host: a refused claim whose answer waits for the member.
struct WaitingRefusal {
    uint64_t object : 48; // An ObjectId has no more bits.
    uint64_t reason : 16; // ClaimRefusal
};

// One GRANT: up to grant_objects_max objects for one owner under one stamp, signed by the host.
// The host keeps it until it is acked, the owner as long as it needs the proof.
struct Grant {
    Stamp stamp;
    PeerId owner;
    uint16_t object_count;
    uint32_t references; // What needs it: own objects, GRANTs that wait or are in flight, proofs,
                         // Member::conflicting_grants. 0: free.
    ObjectId objects[grant_objects_max];
    uint32_t places[grant_objects_max]; // See places.h.
    uint8_t signature[64];
};

struct Claim {
    ObjectId object;
    bool asked;          // CLAIM was sent to the present host; on the host: its policy was applied.
    ClaimRefusal answer; // On the host: a refusal for end_receive() to deliver. none: no answer.
};

// Requests of an owner to the host about its own object; repeated to each new host.
enum OwnerRequest : uint8_t { request_release = 1, request_lock = 2 };

struct AskedClaim { // On the host: the game got claim_asked and has not answered yet.
    ObjectId object;
    PeerId claimer;
    uint16_t zero[3];
};

enum class Phase : uint8_t { outside, joining, in };

// Why this peer cannot continue. The first fault stays.
enum class Fault : uint8_t {
    none,
    removed,      // The host's WELCOME lists another peer under our id.
    counter_full, // Ticks, or the grants of a host, have reached 2^32 - 1. They never wrap.
    host_lost,    // The host went while we joined: start over, as a new peer.
    minority      // Too few members of the last view are left. go_on() begins a new session.
};

struct ReplicaLimits {
    uint16_t peers_max;   // Members; at most members_max.
    uint32_t unacked_max; // Entries for messages in flight to each member; more than
                          // grant_objects_max. When full, further messages wait.
    uint32_t grants_max;  // Grants kept at once. When full, new grants wait.
    uint32_t dead_max;    // Ranges of destroyed ids; at least one for each object slot and creator.
    uint32_t packets_max; // Packets with UPDATEs in flight, to each peer.
    uint32_t updates_max; // Objects in those packets; neighbours in one message count as one.
    Quorum quorum = Quorum::majority;
    uint16_t reserved_peer_ids =
        0; // PeerIds that a peer skips when it continues alone: another peer that
           // also continues alone may give them to its newcomers.
    Topology topology = Topology::mesh;
    uint32_t send_parts = 1; // 1 to send_parts_max.
};

struct ReplicaSizes { // What follows from the limits and the types.
    size_t block_bytes;
    size_t value_bytes;     // World::values
    uint32_t slots, events; // World::slots, EventLog::events
};

// The grants of an object that this host has given, and whose MIGRATE has not come here.
struct OutstandingGrant {
    PeerId owner; // none: unused.
    uint8_t zero[2];
    uint32_t count; // In the grant's stamp.
};
struct Outstanding {
    OutstandingGrant grants[2];
    uint32_t more; // The largest count of those that had no room; 0: none.
};

// The budget of a claimer for one type with claims_per_second_max.
struct ClaimRate {
    PeerId claimer;
    Allowance allowance;
};

struct ReplicaBlockSizes {
    size_t block_bytes; // Size of the whole block.
    size_t state_bytes; // How much the hash covers, from Replica::session on.
};

// The session was made with these.
struct ReplicaRules {
    Quorum quorum;
    Topology topology;
    uint16_t reserved_peer_ids; // ReplicaLimits::reserved_peer_ids
    uint8_t zero[2];            // Explicit padding here and below: the block is hashed.
};

// This peer has begun these as the host or its successor.
struct HostDuties {
    bool collecting;      // Reports are awaited.
    bool going_on;        // Set by go_on(), until the departure of the others has ended.
    bool votes_known;     // All members have the view Term::vote_view.
    bool deaths_unacked;  // Some deaths wait for the next round of acks.
    bool deaths_awaited;  // A round of acks is under way: see MemberQueue::deaths.
    bool leases_due;      // The free places are to be shared again.
    bool leases_wanted;   // A member waits for places that were not free.
    bool counts_departed; // Places::used includes the objects of departed creators: this peer is
                          // the host, or was it until go_on().
    uint8_t zero[4];
};

struct Term {
    uint16_t number;     // Term of the view.
    uint16_t number_max; // The largest term number in any stamp, view or report.
    uint16_t last_peer;  // The largest PeerId ever given.
    uint8_t zero[2];
    uint32_t view;        // Number of the view.
    uint32_t vote_view;   // The host notes the last view that changed who votes.
    uint32_t grant_count; // The host has granted so often in its term: the count in the last stamp.
    uint32_t query_token; // Token of our last query.
    uint64_t migrations;  // Owner changes seen.
};

// Members say this of others.
struct MemberReports {
    // [asker's slot * peers_max + slot]: what the waiting QUERY of the asker says about this
    // member. 0: nothing.
    Flat<uint8_t> query_names;
    // On the host, [accuser's slot * peers_max + slot]: the breaches of this member that the
    // accuser has reported, as bits.
    Flat<uint8_t> accusations;
    Flat<FormerHost> former; // They stand in the order in which they were dropped.
};

// All of this waits for members, or is on its way to them.
struct Outbox {
    Flat<MemberQueue> queues;   // Indexed by member slot.
    Flat<QueueEntry> entries;   // [member slot * entry count + control, or control_count + slot]
    Flat<UnackedEntry> unacked; // [member slot * unacked_max + ...]
    Flat<DeadRange> owed; // [member slot * owed_max + ...]: destroyed ids that are to be sent.
    Flat<WaitingRefusal> refusals; // [member slot * refusals_max + ...]
    Flat<DeathProof> proofs;
    Flat<ProofMark> proof_marks; // [member slot * proofs + proof]
};

struct Granting {
    Flat<Grant> all;     // A free one has no references.
    Flat<uint32_t> free; // A stack of indices into `all`.
    // Per object slot, on the host: index + 1 of its newest GRANT, while that waits for its owner.
    // Counts as a reference.
    Flat<uint32_t> waiting;
    Flat<PeerId> pending_owners; // Per object slot, on the host: the requested next owner, or none.
    uint32_t pending_owner_count;
    uint8_t zero[4];
    Flat<Outstanding> outstanding; // Per object slot, on the host.
    // Per object slot, on the host, for types with a cooldown: the time of the last grant. 0:
    // never.
    Flat<uint64_t> granted_us;
};

struct OwnerRights {
    // Per object slot, for own objects, and for all on the host of a star: the tick of the former
    // owner's last write that this tenure includes.
    Flat<uint32_t> survived_ticks;
    Flat<uint8_t> owner_requests; // Per object slot, for own objects: OwnerRequest bits.
    Flat<uint8_t> locks;          // Per object slot, on the host: the owner has locked it.
};

// How many objects each creator may have: places.h, leases.h.
struct Room {
    Flat<Places> places;    // Per type.
    Flat<uint32_t> numbers; // Per type a stack: see Places::unused.
    // A hash table of base/probing.h: the slots of all living objects, by creator, type and place.
    Flat<ObjectSlot> occupants;
    Flat<Lease> leases; // [member slot * types + type]. This peer has no places here.
};

// The events since the last begin_receive().
struct EventLog {
    Flat<Event> events;
    Flat<uint32_t> changed;    // Per object slot: index + 1 of the object_changed; 0: none.
    Flat<uint32_t> visibility; // Likewise of the object_hidden or object_shown.
};

// What the message that is being received holds.
struct Arrived {
    Flat<std::byte> values; // Up to grant_objects_max of them.
    Flat<Listed> members;   // A roster.
};

struct Replica {            // Open to migration; session and sim read it.
    const TypeTable *types; // Outside of the block, and not hashed.
    Charges *charges;       // Likewise. Null: traffic is not counted.
    ReplicaBlockSizes sizes;
    uint64_t now_us;           // Time of the last begin_receive(). Not hashed.
    uint32_t objects_expected; // From our WELCOME: objects alive at the host. Not hashed.
    uint64_t work_ns;          // What messages have cost since begin_receive(): work.h. Not hashed.
    Shortage shortage;         // Not hashed.
    ObjectId update_object;    // The object of the UPDATE that is applied now. Not hashed.

    uint64_t session;
    uint8_t signing_secret[64];
    PeerId self;
    PeerId view_host;      // The host that sent our view. It may have gone.
    PeerId announced_host; // The host that our game knows, from the last host_changed.
    Phase phase;
    Fault fault;
    ReplicaRules rules;
    HostDuties duties;
    Term term;
    Flat<Member> members; // Indexed by member slot; a member keeps its slot.
    Flat<uint16_t> order; // The slots of all members, by ascending id.
    Flat<PeerId> ids;     // Parallel to it: their ids, close together for a fast search.
    MemberReports reports;
    Outbox outbox;
    Granting granting;
    OwnerRights rights;
    Flat<Claim> claims;     // Claims of this peer that have no answer yet.
    Flat<AskedClaim> asked; // When full, further claims are refused as overtaken.
    Room room;
    World world;
    Publisher publisher; // Peers are numbered by member slot.

    // None of these is state.
    EventLog log;
    Arrived arrived;
    Flat<SendScratch> scratch; // One per part. Receiving uses the first.
    StateHistory state_history;
    Flat<ClaimRate> claim_rates; // On the host, [member slot * types + type].
};

using MemberSlot = uint32_t;
inline constexpr MemberSlot no_member = 0xffffffff;

inline Lease &lease_of(Replica &r, MemberSlot member, size_t type)
{
    return r.room.leases[size_t{member} * r.room.places.count + type];
}
inline const Lease &lease_of(const Replica &r, MemberSlot member, size_t type)
{
    return r.room.leases[size_t{member} * r.room.places.count + type];
}

// The part of an array that belongs to one member: all members have parts of the same size.
template <class T> std::span<T> of_member(Flat<T> &array, const Replica &r, MemberSlot member)
{
    const size_t each = array.capacity / r.outbox.queues.capacity;
    return {array.begin() + member * each, each};
}
template <class T>
std::span<const T> of_member(const Flat<T> &array, const Replica &r, MemberSlot member)
{
    const size_t each = array.capacity / r.outbox.queues.capacity;
    return {array.begin() + member * each, each};
}

}
