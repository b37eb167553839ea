// Every public type of tern, and no functions. The all-zero value of each struct is its empty
// state. Terms such as tenure, orphan and view are explained in docs/glossary.md.
#pragma once
#include "tern/twins.hpp"
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern {

struct Session;    // This process's peer of one game session. Opaque; see tern.hpp.
struct SimNetwork; // A simulated network. Opaque; see sim.hpp.

// Names a peer of one session. The host assigns the ids in ascending order and never reuses one: a
// peer that leaves and joins again gets a new id.
enum class PeerId : uint16_t {
    none = 0,
    host = 0xfffe,    // Only as the recipient of a call: the present host.
    everyone = 0xffff // Only as the recipient of a call: all other members.
};

// Names an object: the PeerId of its creator and a serial number. An id is never reused in a
// session. It has 48 bits, so a Lua number (a double) holds it exactly.
enum class ObjectId : uint64_t { none = 0 };

// An object whose type has the struct T: an ObjectId that the compiler tells from those of other
// structs. find_object() makes one of the id that an event has. Also the type of a member of a game
// struct that names such an object.
template <class T> struct Object {
    ObjectId id = ObjectId::none;
    constexpr operator ObjectId() const { return id; }
    constexpr explicit operator bool() const { return id != ObjectId::none; }
    friend constexpr bool operator==(const Object &, const Object &) = default;
};

// Names a call that awaits an answer; only its caller knows it. Never reused by one peer.
enum class CallId : uint32_t { none = 0 };

using TypeId = uint16_t; // Index into Config::types.
inline constexpr TypeId no_type = 0xffff;
inline constexpr uint16_t no_field = 0xffff;

struct Address {
    uint8_t ip[16]; // IPv6, or IPv4 as ::ffff:a.b.c.d (RFC 4291). All zero with port 0: none.
    uint16_t port;  // Host byte order.
    friend bool operator==(const Address &, const Address &) = default;
};

struct Datagram {
    Address address; // The sender of a received datagram, the destination of one to send.
    std::span<const std::byte> bytes; // UDP payload. Whoever hands it out keeps the memory.
};

// UDP payload that every network path and every Socket must carry (as in QUIC, RFC 9000, 14).
inline constexpr size_t datagram_bytes_base = 1200;
// The largest UDP payload that path MTU discovery tries and that tern sends.
inline constexpr size_t datagram_bytes_max = 1452;
inline constexpr size_t name_bytes_max = 32;     // Includes the final zero.
inline constexpr size_t payload_bytes_max = 256; // Limit of JoinPayload.
inline constexpr size_t reason_bytes_max = 128;  // Text of refuse(); includes the final zero.
inline constexpr size_t invite_addresses_max = 4;
inline constexpr size_t invite_text_max = 256; // A printed invite; includes the final zero.

// All that a newcomer needs to join. Anybody who has an invite can join, so share it with players
// only.
struct Invite {
    uint64_t session;      // Random id of the session.
    uint8_t key[32];       // X25519 public key of the member that answers the newcomer.
    uint8_t secret[32];    // Secret of the session: the psk of every Noise handshake.
    uint8_t address_count; // 1 to invite_addresses_max.
    Address addresses[invite_addresses_max];
};

enum class FieldKind : uint32_t {
    boolean, // bool
    // int8_t to uint64_t. With a range (min < max) a value takes as few bits as the range needs,
    // and values outside it are clamped; without one it takes all bits of the type.
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    // float; count 2 or 3 for a vector. With a range values are clamped; with a range and a step
    // they are also rounded to min + n * step, and n is sent.
    float32,
    // float[4] of length 1. With a step ("smallest three" encoding): the three smaller components
    // are rounded to multiples of the step. A step of sqrt(0.5) / 255 takes 2 + 3 * 9 bits.
    quaternion,
    peer,   // PeerId
    object, // ObjectId. May name an object that this peer does not know (yet, or any more).
    text,   // char[count], zero-terminated.
    bytes,  // uint8_t[count]
    values // uint8_t[count] that holds one dynamic value (values.hpp). A malformed one becomes nil.
};

// Size in the struct of one element of a field of this kind; 1 for text, bytes and values.
constexpr size_t element_bytes(FieldKind kind)
{
    switch (kind) {
    case FieldKind::int16:
    case FieldKind::uint16:
    case FieldKind::peer: return 2;
    case FieldKind::int32:
    case FieldKind::uint32:
    case FieldKind::float32: return 4;
    case FieldKind::int64:
    case FieldKind::uint64:
    case FieldKind::object: return 8;
    case FieldKind::quaternion: return 16;
    default: return 1;
    }
}

// One member of a game struct. TERN_FIELDS (fields.hpp) makes a table of these from the struct.
struct Field {
    const char *name; // Unique in its type, not empty, without spaces.
    FieldKind kind;
    uint16_t offset_bytes;   // In the struct; offsetof().
    uint16_t count = 1;      // Array length. For text, bytes and values: capacity in bytes.
    double min = 0, max = 0; // Range of integers and float32. Both 0: the full range of the kind.
    // Precision of a float32 with a range (at most 2^32 - 1 steps), or of the components of a
    // quaternion (2e-6 to 0.125). 0: sent exactly.
    double step = 0;
    // Error bound of a float32 or quaternion field of an object, in the field's unit or in radians.
    // The owner sends no update of the field as long as the value that receivers extrapolate is
    // within the bound; see sample(). 0: every change is sent. docs/decisions.md, "Error bounds".
    double bound = 0;
};

inline constexpr size_t struct_bytes_max = 4096; // sizeof a game struct.
inline constexpr size_t fields_max = 64;         // Fields of a type.
inline constexpr size_t types_max = 256;         // Types of a session.
inline constexpr size_t value_bytes_max = 900;   // An encoded value; it must fit one datagram.
// How long call_owner() waits until this peer knows the object; then it fails as unknown.
inline constexpr uint32_t call_unknown_ms = 2000;

// The policy for an object whose owner has left (an orphan).
enum class Orphan : uint32_t {
    to_host,  // The host becomes the owner.
    destroy,  // The host destroys it.
    spread,   // The member with the fewest objects becomes the owner, so the load stays even.
    ask_game, // The host becomes the owner, and its game gets object_orphaned.
    // The host becomes the owner. It gives the object back if the last owner joins again with the
    // same session, if no other member has owned the object meanwhile and it is not locked.
    hold
};

// Which members continue the session when members are lost without a goodbye.
enum class Quorum : uint32_t {
    // Only a part with more than half of the last view continues, or the host with half of it
    // (docs/membership.md, "Votes"); of two voters, the host. Members of a smaller part wait in
    // State::cut_off until they hear the others again.
    majority,
    // Whoever is left continues. A network partition then leaves more than one session. When they
    // meet again, one of them ends, and its peers join the other one by themselves.
    survivors
};

// Which peers have connections to each other. docs/use/topologies.md.
enum class Topology : uint32_t {
    mesh, // Every peer to every other peer.
    star  // Client-server: every peer to the host, which replicates objects and forwards calls.
};

// How the host answers a claim of an object: it grants the claim, leaves the answer to its game
// (claim_asked), or refuses the claim.
enum class ClaimPolicy : uint32_t { always, ask_game, never };

// How a claimer acts until the answer arrives: it waits, or it changes the object at once, visible
// on its own peer only (optimistic, a form of client-side prediction; see claim()).
enum class ClaimMode : uint32_t { wait, optimistic };

// The peers that may make the calls of a type. The recipient (in a star the host) refuses all
// others.
enum class Callers : uint32_t {
    anybody,
    host,
    owner // The owner of the object that the first field of kind object names.
};

// A game struct that is replicated as an object, or sent as the arguments of a call. The struct
// must be trivially copyable; bytes that no field covers are not sent.
struct Type {
    const char *name = nullptr;         // Unique in the session, not empty, without spaces.
    uint32_t size_bytes = 0;            // sizeof the struct; 1 to struct_bytes_max.
    std::span<const Field> fields = {}; // fields_max at most. Copied.
    // Objects of this type that can be alive at once, of all peers together; at most 2^24 for all
    // types together. The host may create all of them at first, and gives parts to the others:
    // creations_left(). 0: the type is for calls only.
    uint32_t objects_max = 0;
    Orphan orphan = Orphan::to_host;
    ClaimPolicy claim = ClaimPolicy::always;
    uint32_t claim_cooldown_ms = 0; // The host refuses claims for this long after a grant.
    // How many objects of this type a peer may own before the host refuses it further ones with
    // ClaimRefusal::quota. Objects that a peer creates, or that it is given without a claim, count
    // too, but it always gets them. 0: no limit.
    uint32_t owned_max = 0;
    // How many claims of this type the host takes from one peer in a second; they may come all at
    // once. It refuses the others with ClaimRefusal::quota. 0: no limit.
    uint16_t claims_per_second_max = 0;
    Callers callers = Callers::anybody;
    // How many calls of this type one peer may make in a second; it may make them all at once. 0:
    // no limit. call() returns false above the limit. Calls can pile up on the way, so a recipient
    // refuses only what exceeds ten seconds' worth at once.
    uint16_t calls_per_second_max = 0;
    // For objects that move steadily: updates are sent as SNAPSHOT messages, as differences from a
    // prediction out of the receiver's history of the object. Costs a third of the bytes of an
    // UPDATE, a few times its CPU time, and two kilobytes of memory for each object and owner.
    // Applies to the first 1024 such objects of an owner; further ones are sent as UPDATE.
    bool predicted = false;
};

// How the host treats a newcomer that holds an invite: it admits the newcomer, or leaves the answer
// to its game (join_asked), which calls admit() or refuse().
enum class Admission : uint32_t { always, ask_game };

// Most peers of a session. In a mesh every peer sends to every other: 64 peers make 2016
// connections, and each peer sends 63 times what it would send to one. In a star only the host
// sends to all.
inline constexpr uint16_t mesh_peers_max = 64;
inline constexpr uint16_t star_peers_max = 512;

// How a member has broken the rules. No honest peer does, whatever the network does to it.
enum class Breach : uint32_t {
    none,
    malformed,  // It sent something that is not in the format, sealed with its own key.
    forged,     // It sent something for which it has no authority.
    over_quota, // It has created more objects than the host lets it: creations_left().
    equivocated // It signed two grants with one stamp, which no honest host does.
};
inline constexpr size_t breach_kinds = 5; // With none.

// How the host treats a member that has broken the rules: it removes the member, or leaves that to
// its game (misbehaved). The host believes what it has found itself, and what more than a third of
// the other members have, at least two of them. In a mesh the members treat a host that has
// equivocated likewise: they follow the next one, or stay until the next one has left it.
enum class Misbehaviour : uint32_t { remove, ask_game };

inline constexpr uint32_t send_parts_max = 16;

// Threads of the caller that send() may use; tern starts none. make_workers() in tern/io.hpp
// provides some.
struct Parallel {
    // Must call run(context, i) once for each i below count, in any order and concurrently if it
    // can, and return when all of these calls have returned. Called only inside send(), and never
    // twice at once for one session.
    void (*for_each)(void *user, uint32_t count, void (*run)(void *context, uint32_t i),
                     void *context) = nullptr;
    void *user = nullptr; // Passed to for_each.
    // Into how many parts send() divides the building of packets; 1 to send_parts_max. The bytes
    // that are sent do not depend on it. Each part beyond the first has its own encode cache.
    uint32_t parts = 1;
};

// A call that the game must not make: wrong arguments, in the wrong state, of what another peer
// owns, from two threads at once. The function that was called has done nothing.
// docs/use/misuse.md.
struct Misuse {
    const char *function; // The name of the function.
    const char *wrong;    // A sentence for programmers: what was wrong, and what was expected.
    const char *remedy;   // A sentence: what to do instead.
    ObjectId object;      // The object that the call named; none: no object.
    PeerId owner;         // Its owner; none: unknown.
};

struct MisuseHandler {
    // Called by the function that was called wrongly, before it returns. All pointers are valid
    // until handle() returns. It may read the session, but not change it. Null: the misuse is
    // printed to stderr, and a library that was built without NDEBUG calls abort().
    void (*handle)(void *user, const Misuse &misuse) = nullptr;
    void *user = nullptr; // Passed to handle().
};

// An assertion of tern failed: a bug of tern. docs/use/recordings.md.
struct Crash {
    uint32_t struct_size = sizeof(Crash);
    uint32_t line;
    const char *file; // The assertion is in this line of tern's source.
    const char *text; // The condition that is false, with the values.
    // The addresses of the stack, as backtrace() gives them, each within its call; the innermost is
    // the first. Empty where there is no backtrace().
    std::span<void *const> frames;
    const char *function; // The public function that ran, as in Misuse.
    const char *message;  // The kind of the received message at work, such as "UPDATE", or null.
    uint64_t session;     // Invite::session of the session's invites.
    ObjectId object;      // The object of the message or of the function; none: unknown.
    PeerId local_peer;    // This peer.
    PeerId peer;          // The other end of the connection at work; none: no connection.
    uint32_t tick;        // The tick of this peer.
    // The part of the recording that take_recording() has not returned yet: with it the recording
    // ends in the failure. It holds keys, like all of a recording.
    std::span<const std::byte> recording;
};

struct CrashHandler {
    // Called once, before abort(), on the thread that failed; this may be one of
    // Config::parallel. All pointers are valid until handle() returns. The session is broken:
    // handle() must not call any function with it. Whatever handle() does, text, session and stack
    // are on stderr already.
    void (*handle)(void *user, const Crash &crash) = nullptr;
    void *user = nullptr; // Passed to handle().
};

// A session gets its memory from here.
struct Allocator {
    // Gives memory that is all zero and aligned for every type, as calloc() does, or null. Only
    // make_session(), session_bytes() and config_problem() call it. Null: calloc().
    void *(*allocate)(void *user, size_t size_bytes) = nullptr;
    // Takes back what allocate() gave. Null: free().
    void (*release)(void *user, void *memory) = nullptr;
    void *user = nullptr; // Passed to both.
};

struct Log {
    // Gets lines about the session for a log file: its state, and who comes and goes. Called by
    // functions that change the session. Null: there is no log.
    void (*line)(void *user, const char *text) = nullptr;
    void *user = nullptr; // Passed to line().
};

// Zero in any member is its default.
struct Config {
    uint32_t struct_size = sizeof(Config), type_bytes = sizeof(Type), field_bytes = sizeof(Field);
    // Equal on all peers. Types, fields and names are copied.
    std::span<const Type> types;
    // Peers of the session, this one included. Equal on all peers. 2 to mesh_peers_max, in a star
    // to star_peers_max. Memory of unused places is reserved but never touched.
    uint16_t peers_max = 16;
    Admission admission = Admission::always;
    Misbehaviour misbehaviour = Misbehaviour::remove;
    Quorum quorum = Quorum::majority;   // Equal on all peers.
    Topology topology = Topology::mesh; // Equal on all peers.
    const char *name = ""; // Name of this peer, shown to others. Cut to name_bytes_max - 1; copied.
    // UDP payload sent to each peer, at least 4096. Congestion control sends less when the round
    // trip time of the path grows.
    uint32_t send_bytes_per_second_max = 256 * 1024;
    // A pair of members without a direct path is bridged: another member, preferably the host,
    // relays its datagrams. Limits the bytes per second that this member relays for each pair of
    // members and direction, and those that it sends to a peer over a relay. It should be equal on
    // all peers. At least 4096.
    uint32_t bridge_bytes_per_second_max = 64 * 1024;
    // In a star: how many bytes of calls the host forwards for each other member in a second; they
    // may come all at once. Further reliable calls wait in the caller's stream, until call()
    // returns false there, and unreliable ones are lost. At least 4096.
    uint32_t forward_bytes_per_second_max = 128 * 1024;
    // A peer that is silent for this long counts as gone. A member that is connected but holds up a
    // departure for three times as long is removed. 100 to 600'000.
    uint32_t timeout_ms = 10'000;
    // How long joining may take, from join() until the session is open. After that the state
    // becomes unreachable, and the host removes the newcomer. A member that is connected but
    // acks nothing meanwhile is removed after half of that time. 100 to 600'000.
    uint32_t join_timeout_ms = 10'000;
    // How long this peer waits in State::cut_off before it does what go_on() does, up to one day.
    // 0: it waits until the game calls go_on().
    uint32_t go_on_after_ms = 0;
    // Not 0 (then 65'536 or more): every input of this session is recorded into a buffer of this
    // size, from which take_recording() takes it; docs/use/recordings.md. A RECORDING CONTAINS THE
    // KEYS AND THE SECRET OF ITS SESSION.
    uint32_t recording_bytes_max = 0;
    Parallel parallel = {};
    MisuseHandler misuse = {};
    Allocator allocator = {};
    Log log = {};
    CrashHandler crash = {};
};

// The first problem of a Config, as an English sentence that names the setting. "": none.
struct ConfigProblem {
    char text[256];
};

// Bytes that a newcomer sends to the host's game, beside its Config::name. See join_asked.
struct JoinPayload {
    std::span<const std::byte> bytes; // payload_bytes_max at most; copied.
};

enum class State : uint32_t {
    idle,    // Made, neither started nor joining.
    joining, // From join() until all members have sent us their objects.
    open,
    // Too few members are heard to go on. The game may read and call; objects cannot be created,
    // changed, destroyed or claimed. The state is open again when enough are heard. If the others
    // have gone on without this peer, it joins them again by itself: the state is joining, after
    // the event host_lost. go_on() does not wait for either.
    cut_off,
    leaving, // From leave() until the goodbye has been sent. Keep calling receive() and send().
    left,
    // The session has ended against our will; state_text() explains. All are final.
    unreachable,     // No answer, or a member did not send its objects within join_timeout_ms.
    refused_full,    // The session has peers_max peers.
    refused_types,   // The host has another type table, peers_max, quorum or topology.
    refused_version, // The member uses another version of the wire format.
    refused_secret,  // The member answered, but the invite's secret is not that of the session.
    refused_by_game, // The host's game called refuse(), or remove() earlier.
    removed,         // The host has removed this peer from the session.
    overflow         // A counter of this peer has ended: docs/use/how_many.md.
};

// Why a call has failed.
enum class CallFailure : uint32_t {
    none,
    // These three: the call has not been delivered and never will be.
    dead,        // The object was destroyed.
    unknown,     // This peer did not get to know the object within call_unknown_ms.
    not_allowed, // Type::callers or Type::calls_per_second_max forbids the call.
    // These two: the call may have been delivered.
    lost,    // The recipient left, or the connection to it was lost, before it answered.
    no_reply // No reply within the timeout_ms of the request.
};

enum class ClaimRefusal : uint32_t {
    none,
    dead,      // The object was destroyed.
    unknown,   // The host does not know the object yet; claim it again later.
    policy,    // ClaimPolicy::never.
    by_game,   // The host's game called refuse_claim().
    overtaken, // Another claim or a migrate() came first; claim again.
    locked,    // The owner has locked the object. No event follows when it unlocks it.
    cooldown,  // The object was granted less than Type::claim_cooldown_ms ago; claim again later.
    quota      // The claimer exceeds Type::owned_max or Type::claims_per_second_max.
};

// Why a peer does not have an object, or the last change of it, as far as this peer knows. The
// answers "ask there" mean: call explain() on that peer.
enum class Why : uint32_t {
    has_it,           // The peer has acked the last change of the object, or owns the object.
    unknown,          // This peer does not know the object.
    no_such_peer,     // The peer is not a member (any more), as far as this peer knows.
    no_connection,    // There is no connection to the peer at present; tern keeps trying.
    dead,             // The object is destroyed. The peer acked that, or learns it from another.
    death_unacked,    // The object is destroyed, and the peer has not acked our DESTROY.
    not_owned_here,   // Another peer owns the object and sends it to the peer: ask there.
    sent_by_host,     // In a star the host sends the object to the peer: ask there.
    peer_joining,     // On the host: the world sync of the peer has not reached this object.
    object_waits,     // CREATE or MIGRATE is not sent yet: it waits behind other messages.
    object_unacked,   // CREATE or MIGRATE is sent and not acked.
    change_waits,     // The change is sent with the next send(), or when acks make room for it.
    no_budget,        // The change waits for bandwidth: send_bytes_per_second_max.
    hidden,           // Our game has hidden the object from the peer: set_priority().
    change_unacked,   // The change is sent and not acked.
    claim_unanswered, // About this peer itself: the host has not answered our claim.
    claim_refused     // About this peer itself: the host refused our last claim; see refusal.
};

struct Explanation {
    uint32_t struct_size = sizeof(Explanation);
    Why why;
    ClaimRefusal refusal;  // claim_refused.
    PeerId owner;          // none if the object is unknown or destroyed.
    uint32_t behind_ticks; // change_waits, no_budget, change_unacked: ticks of the owner since the
                           // state that the peer has acked.
    uint64_t refused_us;   // claim_refused: now_us of the receive() that brought the refusal.
};

// The position from which a peer sees the world, for set_interest().
struct Viewpoint {
    PeerId peer;
    float position[3]; // In the unit of the position field; only as many numbers as it has.
};

// State and counters of the connection to one peer. A new connection starts at 0, except for
// breaches.
struct Stats {
    uint32_t struct_size = sizeof(Stats);
    uint32_t rtt_us; // Smoothed round trip time (RFC 9002, 5.3); 0 before the first sample.
    uint32_t rtt_variance_us; // Mean deviation of the round trip time.
    uint64_t sent_datagrams;
    uint64_t sent_bytes; // UDP payload.
    uint64_t received_datagrams;
    uint64_t received_bytes;
    uint64_t lost_datagrams; // Sent datagrams that loss detection has declared lost.
    // Indexed by Breach: what it sent against the rules. Each message or datagram was ignored.
    // equivocated: 1 if there is a proof.
    uint64_t breaches[breach_kinds];
    uint32_t datagram_bytes; // Largest UDP payload sent to it; probed once packets are full.
    bool bridged;            // Datagrams to it are relayed by another member.
};

// Messages of one type that were encoded and decoded here: whole states of its objects, their
// changes with the bits that identify them, and its calls. Packet headers, tags, framing and acks
// belong to no type, and retransmitted stream bytes count once. The sent counts are the sums of the
// type's rows of traffic_rows().
struct TypeStats {
    uint32_t struct_size = sizeof(TypeStats);
    uint64_t sent_bits, received_bits;
    uint64_t sent_messages, received_messages; // States, changes of an object, and calls.
};

// Counters of the whole session.
struct SessionStats {
    uint32_t struct_size = sizeof(SessionStats);
    uint64_t bad_datagrams; // Malformed, forged or duplicate. Each was dropped whole.
    uint64_t objects;       // Alive.
    uint64_t owned;         // Alive, and owned by this peer.
    uint64_t migrations;    // Owner changes that this peer has applied.
    uint64_t dead_ranges;   // Ranges of ids that this peer keeps to remember destroyed objects.
    // For pairs without a direct path: datagrams that this peer has relayed, and those that it
    // dropped because they exceeded bridge_bytes_per_second_max or their recipient was unreachable.
    uint64_t forwarded_datagrams, forwarded_bytes, not_forwarded;
    // Newcomers that this host refused without asking its game: peers_max were in; another type
    // table, peers_max, quorum or topology.
    uint64_t refused_full, refused_types;
    // Calls that this peer refused as recipient, or did not send, because of Type::callers or
    // Type::calls_per_second_max.
    uint64_t refused_calls;
};

TERN_TWINS(Address, tern_address);
TERN_TWINS(Datagram, tern_datagram);
TERN_TWINS(Invite, tern_invite);
TERN_TWINS(Field, tern_field);
TERN_TWINS(Type, tern_type);
TERN_TWINS(Misuse, tern_misuse);
TERN_TWINS(Crash, tern_crash);
TERN_TWINS(Config, tern_config);
TERN_TWINS(Explanation, tern_explanation);
TERN_TWINS(Viewpoint, tern_viewpoint);
TERN_TWINS(Stats, tern_peer_stats);
TERN_TWINS(TypeStats, tern_type_stats);
TERN_TWINS(SessionStats, tern_session_stats);
TERN_TWINS(ObjectId, tern_object);
TERN_TWINS(PeerId, tern_peer);

constexpr tern_object to_c(ObjectId object)
{
    return static_cast<tern_object>(object);
}

constexpr tern_peer to_c(PeerId peer)
{
    return static_cast<tern_peer>(peer);
}

constexpr tern_call_id to_c(CallId call)
{
    return static_cast<tern_call_id>(call);
}

}
