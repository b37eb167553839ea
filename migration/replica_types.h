// All object and ownership state of one peer. It lies in one block of memory without pointers into
// itself: copy replica::size_bytes(r) bytes and you have a second peer in the same state.
#pragma once
#include "replication/sampling/told.h"
#include "replication/update/publish.h"

namespace tern {

inline constexpr uint32_t members_max = 512;    // Of a session: ReplicaLimits::peers_max.
inline constexpr size_t grant_objects_max = 16; // Objects in one GRANT; their states fit a message.

// How to reach and recognize a member. Opaque to the rules; told in views.
struct Identity {
    uint8_t key[32];         // X25519, of the handshake.
    uint8_t signing_key[32]; // Ed25519, of grants.
    Address address;         // As the host sees it; of the host itself: none.
    char name[name_bytes_max];
};

struct Member { // id none: a free place.
    PeerId id;
    bool fenced;       // It has gone: nothing more is taken from it or sent to it.
    bool said_goodbye; // ... as it said: it is not missed where a majority is counted.
    bool votes;        // It counts where a majority is: from the view on that says so.
    bool vote_is_new;  // Until all know of it, the others alone must be a majority, too.
    bool told;         // Our game has heard that it joined.
    bool greeted;      // While we join: it has sent all it has. At the host of a star: it has heard
                       // that we have.
    bool caught_up;    // At the host: it has said so. At others: what votes has.
    bool reported;     // At who asked: it has answered the present query.
    bool query_waits;  // It has asked; answered once it is our successor (one query per sender).
    uint8_t zero;
    uint32_t query_token;
    uint32_t since_view; // At the host: the first view that tells its identity as it is now.
    Identity identity;
};

// Of one that was host, or nearly: by this key the grants of its term are told from forgeries.
struct FormerHost {
    PeerId id;
    uint8_t signing_key[32];
};
inline constexpr uint32_t former_hosts_max = 64; // The oldest goes, and what it granted is granted
                                                 // anew.

enum class MessageKind : uint8_t {
    none,
    welcome,
    view,
    create,
    migrate,
    destroy,
    dead,
    greeted,
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
    complaint,
    tell
};

// What is still to be said to one member, or said and not yet acked. The message is encoded when
// it is pulled, with the state of that moment; an item that has become pointless says nothing.
struct Item {
    MessageKind kind;
    uint8_t detail;   // claim_refused: why.
    PeerId peer;      // complaint: about whom.
    uint32_t tick;    // create, migrate, tell: of the values, set when pulled.
    uint32_t grant;   // migrate, grant, destroy: index + 1 in grants, which counts it.
    uint32_t token;   // query, report_object, report; welcome, view: of the view. 0: says nothing.
    uint32_t message; // Set when pulled: the number of its last message on this stream.
    uint64_t object;  // create, destroy, claim, ...; dead: where to go on.
    uint64_t stamp;   // create, destroy, tell: of the tenure; of tell set when pulled.
};

struct ItemRing { // Of one member: pulled and unacked ones first, then those to be pulled.
    uint32_t first, count, pulled;
    uint32_t message_count; // Messages pulled so far.
    uint32_t acked_count;   // Of those.
    uint32_t view_said;  // The view that was pulled last. A later one tells of whom that did not.
    uint32_t view_floor; // At the host: the member has no older view than this.
    bool overflow;       // It was full: this member is to be given up.
    bool given_up;       // That has been told.
};

// One GRANT: up to grant_objects_max objects for one owner under one stamp, signed by the host.
// Kept by the host until it is sent, and by the owner as long as it needs the proof.
struct Grant {
    Stamp stamp;
    PeerId owner;
    uint16_t object_count;
    uint32_t references; // Own objects and items that need it. 0: free.
    ObjectId objects[grant_objects_max];
    uint8_t signature[64];
};

struct Claim {
    ObjectId object;
    bool asked;          // The present host has been; the host's own: by its policy.
    ClaimRefusal answer; // The host's own: what its game said.
};

// What the owner wants of the host about an object of its own; said again to each new host.
enum OwnMark : uint8_t { own_released = 1, own_locked = 2 };

struct AskedClaim { // At the host: its game has been asked, and has not answered.
    ObjectId object;
    PeerId claimer;
    uint16_t zero[3];
};

enum class Phase : uint8_t { outside, joining, in };

// Why this peer cannot go on. It stays what it became first.
enum class Fault : uint8_t {
    none,
    objects_full,
    dead_full,
    host_queue_full,
    removed,
    counter_full, // Its ticks, or as the host its grants. They never begin again.
    host_lost,    // While joining: it is to start over, as a new peer.
    minority      // Too few of the last view are left. go_on() makes another session of it.
};

struct ReplicaLimits {
    uint16_t peers_max;   // At most members_max.
    uint32_t items_max;   // Of each member's ring. Full: the member is given up.
    uint32_t grants_max;  // Kept at once. Full: grants wait.
    uint32_t dead_max;    // Ranges. Full: this peer cannot go on.
    uint32_t packets_max; // With UPDATEs in flight, to each peer.
    uint32_t updates_max; // Objects in those; such as lie one behind the other count as one.
    Quorum quorum = Quorum::majority;
    uint16_t lone_ids = 0; // PeerIds that who goes on alone leaves out: the other, if it lives and
                           // goes on too, gives those.
    Topology topology = Topology::mesh;
    uint32_t send_parts = 1; // At most send_parts_max.
};

// What one part of a send() writes with, see Parallel; it only saves work, so the bytes are those
// of any other part.
struct SendScratch {
    Charges *charges; // Outside of the block; of the first Replica::charges is what counts.
    WrittenCache written;
    Turns turns;
    SnapshotScratch snapshots;
};

struct Replica {               // Open to migration, and read by session and sim.
    const TypeTable *types;    // Outside of the block, and of the hash.
    Charges *charges;          // The same. Null: nothing is charged.
    size_t block_bytes;        // The whole block.
    size_t state_bytes;        // From `session` on: what the hash covers.
    uint64_t now_us;           // Of the last begin_receive(); only for cooldowns. Not hashed.
    uint32_t objects_expected; // Of our welcome: so many lived at the host. Not hashed.

    uint64_t session;
    uint8_t signing_secret[64];
    PeerId self;
    PeerId view_host; // Who has opened our view. It may have gone.
    PeerId told_host; // Of whom our game has heard.
    Phase phase;
    Fault fault;
    Quorum quorum;
    Topology topology;
    bool collecting;            // At the host, or who takes its place: reports are awaited.
    bool going_on;              // As another session, from the next end_receive() on.
    uint16_t term_number;       // Of the view; at the host its own.
    uint16_t term_number_seen;  // The largest in any stamp or view.
    uint16_t last_peer;         // The largest PeerId ever given.
    uint16_t lone_ids;          // ReplicaLimits::lone_ids
    uint32_t view;              // Number of the view.
    uint32_t vote_view;         // At the host: the last view that changed who votes.
    uint32_t grant_count;       // g: of the host's grants so far.
    uint32_t query_token;       // At who asks.
    uint64_t migrations;        // Owner changes seen.
    Flat<Member> members;       // By member slot, which never moves while it is a member.
    Flat<uint16_t> order;       // The slots of all members, by ascending id.
    Flat<uint8_t> query_names;  // [asker's slot * peers_max + slot]: it is named by what waits.
    Flat<FormerHost> former;    // In the order of their dropping.
    Flat<ItemRing> rings;       // By member slot.
    Flat<Item> items;           // [member slot * items_max + ...]
    Flat<Grant> grants;         // By index; a free one has no references.
    Flat<uint32_t> free_grants; // A stack of indices.
    Flat<PeerId> wishes;        // At the host, by object slot: to whom it shall be granted.
    uint32_t wish_count;
    Flat<uint32_t> survived_ticks; // By slot, of own objects, and at the host of a star of all:
                                   // the tick of the former owner's last write that this tenure
                                   // began with.
    Flat<uint8_t> own_marks;       // By slot, of own objects: OwnMark.
    Flat<uint8_t> locks;           // By slot, at the host: its owner has locked it.
    Flat<uint64_t> granted_us;     // By slot, at the host, of types with a cooldown. 0: never.
    Flat<Claim> claims;            // Of this peer, unanswered.
    Flat<AskedClaim> asked;        // Full: refused as overtaken.
    World world;
    Publisher publisher; // By member slot.

    // What has happened since the last clear_events(). Not state.
    Flat<Event> events;
    Flat<uint32_t> changed_events; // By slot: index + 1 of its object_changed.
    Flat<uint32_t> sight_events;   // The same of object_hidden or object_shown.
    Flat<SendScratch> scratch;     // By part; the first is that of who receives, too.
    Told told;                     // Not state.
};

using MemberSlot = uint32_t;
inline constexpr MemberSlot no_member = 0xffffffff;

}
