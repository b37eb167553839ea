// Every public type of tern, and no functions. Zero-initialized is the empty state.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern {

struct Session;    // One process' part in one game session. Opaque, see tern.h.
struct SimNetwork; // A pretend internet. Opaque, see sim.h.

// Who takes part. Given by the host, never reused in a session: who comes back is a new peer.
enum class PeerId : uint16_t {
    none = 0,
    host = 0xfffe, // Of a call: whoever is the host.
    everyone = 0xffff
};

// (creator, serial), never reused. Uses 48 bits, so that it is an exact number in Lua too.
enum class ObjectId : uint64_t { none = 0 };

// Names a call that is answered, at its caller. Never reused in a session.
enum class CallId : uint32_t { none = 0 };

using TypeId = uint16_t; // Index into Config::types.

struct Address {
    uint8_t ip[16]; // IPv6; IPv4 as ::ffff:a.b.c.d. All zero with port 0: no address.
    uint16_t port;  // Host byte order.
    friend bool operator==(const Address &, const Address &) = default;
};

struct Datagram {
    Address address; // Where from, or where to.
    std::span<const std::byte> bytes;
};

inline constexpr size_t datagram_bytes_base = 1200; // What every way must carry, and a Socket.
inline constexpr size_t datagram_bytes_max = 1452;  // The largest that tern tries, and sends.
inline constexpr size_t name_bytes_max = 32;        // With the final zero.
inline constexpr size_t payload_bytes_max = 256;    // What a newcomer may say to the host's game.
inline constexpr size_t reason_bytes_max = 128;     // Why a game refuses one, with the final zero.
inline constexpr size_t invite_addresses_max = 4;
inline constexpr size_t invite_text_max = 256; // A printed invite, with the final zero.

// What a newcomer needs to join. Keep it among the players: who has it can join.
struct Invite {
    uint64_t session;      // Session id, random.
    uint8_t key[32];       // X25519 public key of the member that answers.
    uint8_t secret[32];    // Of the session; the psk of every handshake.
    uint8_t address_count; // 1 to invite_addresses_max.
    Address addresses[invite_addresses_max];
};

enum class FieldKind : uint8_t {
    boolean, // bool
    int8,    // int8_t to uint64_t: with a range (min < max) in as few bits as that needs,
    int16,   // else with the bits of the type. Values out of range are clamped.
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,    // float; count 2 or 3 for a vector. With range and step rounded to min + n * step.
    quaternion, // float[4], of length 1. With a step: smallest three, each rounded to it. A step of
                // sqrt(0.5) / 255 takes 2 + 3 * 9 bits.
    peer,       // PeerId
    object,     // ObjectId; may name an object that this peer has not got (yet, or any more).
    text,       // char[count], zero-terminated
    bytes,      // uint8_t[count]
    values      // uint8_t[count], one dynamic value: see values.h. One that is malformed is nil.
};

// One member of a game struct.
struct Field {
    const char *name;
    FieldKind kind;
    uint16_t offset_bytes;
    uint16_t count = 1;      // Array length. For text, bytes, values: capacity in bytes.
    double min = 0, max = 0; // Both 0: the full range of the kind.
    double step = 0;         // float32 (which then needs a range) and quaternion. 0: exact.
    // float32 (count: of a vector) and quaternion, of objects: how far off, in the field's unit or
    // in radians, what receivers extrapolate may be before they are told more; see sample(). 0:
    // every change is told.
    double bound = 0;
};

inline constexpr size_t struct_bytes_max = 4096; // Of a game struct.
inline constexpr size_t fields_max = 64;         // Of a type.
inline constexpr size_t types_max = 256;         // Of a session.
inline constexpr size_t value_bytes_max = 900;   // A value as it travels; it must fit one datagram.
inline constexpr uint32_t call_unknown_ms = 2000; // How long a call waits for its object.

// Fate of an object whose owner has left.
enum class Orphan : uint8_t {
    to_host,
    destroy,
    spread,  // To whoever owns least, so that the load stays even.
    ask_game // To the host, whose game is told by object_orphaned.
};

// Who goes on when members are lost without a goodbye: with majority only more than half of the
// last view (of two, whoever is left); the others end with State::minority. With survivors
// whoever is left; a network that falls apart then leaves more than one session behind.
enum class Quorum : uint8_t { majority, survivors };

// Who talks to whom: everybody to everybody, or all to the host only (client-server), which tells
// each what it has heard of the others, and passes calls on.
enum class Topology : uint8_t { mesh, star };

// How the host answers a claim: grants it, leaves it to its game (claim_asked), refuses it.
enum class ClaimPolicy : uint8_t { always, ask_game, never };

// What a claimer does until its answer: waits, or changes the object at once, as its own peer alone
// shows it (optimistic; see claim()).
enum class ClaimMode : uint8_t { wait, optimistic };

// Whose calls of a type are heard; those of others are refused where they arrive.
enum class Callers : uint8_t {
    anybody,
    host,
    owner // Of the object that the first field of kind object names.
};

// A game struct that is replicated as an object, or sent as the arguments of a call.
// The struct must be trivially copyable; bytes that no field covers do not travel.
struct Type {
    const char *name;
    uint16_t size_bytes;
    std::span<const Field> fields; // At most fields_max.
    uint32_t objects_max = 0;      // Alive at once in the session. 0: only for calls.
    Orphan orphan = Orphan::to_host;
    ClaimPolicy claim = ClaimPolicy::always;
    uint32_t claim_cooldown_ms = 0; // After a grant the host refuses claims of the object so long.
    Callers callers = Callers::anybody;
    uint16_t calls_per_second_max = 0; // Of each caller, and as many at once; 0: no limit. Beyond,
                                       // call() sends nothing, and what comes is refused.
    // What moves steadily: updates travel as differences to what the receiver's history of the
    // object lets expect. A third of the bytes, a few times the processor time, and two kilobytes
    // of memory for each object and owner; of one owner's objects the first 1024.
    bool predicted = false;
};

// How the host treats newcomers that hold the invite: admits them, or leaves it to its game
// (join_asked), which then calls admit() or refuse().
enum class Admission : uint8_t { always, ask_game };

// Of a session. In a mesh everybody sends to everybody: 64 peers are 2016 connections, and 64 times
// the bytes of one. In a star that is the host alone.
inline constexpr uint16_t mesh_peers_max = 64;
inline constexpr uint16_t star_peers_max = 512;

inline constexpr uint32_t send_parts_max = 16;

// Threads for send(), which are the caller's: tern has none. make_workers() of tern/io.h has some.
struct Parallel {
    // Calls run(context, i) for each i below count, in any order and at once if it can, and returns
    // when all have. Inside send() alone, one at a time for a session.
    void (*for_each)(void *user, uint32_t count, void (*run)(void *context, uint32_t i),
                     void *context) = nullptr;
    void *user = nullptr;
    // Into so many send() divides the building of packets, 1 to send_parts_max. The bytes are the
    // same with any. Each part beyond the first has memory of its own for what it codes.
    uint32_t parts = 1;
};

struct Config {
    std::span<const Type> types; // Equal on all peers; lives as long as the session.
    uint16_t peers_max = 16; // With oneself; equal on all peers. 2 to mesh_peers_max, or in a star
                             // to star_peers_max. Memory is touched only for who comes.
    Admission admission = Admission::always;
    Quorum quorum = Quorum::majority;   // Equal on all peers.
    Topology topology = Topology::mesh; // The same.
    const char *name = "";              // Of this peer, shown to others. Cut to name_bytes_max - 1.
    // UDP payload, to each peer; less where the way there carries less, as its delay shows.
    uint32_t send_bytes_per_second_max = 256 * 1024;
    // A pair of others without a direct path is bridged: another member, the host as a rule,
    // forwards its datagrams. This member so many bytes of them for each pair and direction, and it
    // sends no more when it is bridged itself; best equal on all peers. 4096 or more.
    uint32_t bridge_bytes_per_second_max = 64 * 1024;
    uint32_t timeout_ms = 10'000;      // Silence after which a peer is gone; one that only lets a
                                       // departure wait is after three times as long.
    uint32_t join_timeout_ms = 10'000; // For join(), until open; the host gives up a newcomer then.
    // Not 0, and 65'536 or more: all that is done to this session is written into so many bytes,
    // from where recorded() takes it. A RECORDING HOLDS THE KEYS AND THE SECRET OF ITS SESSION.
    uint32_t recording_bytes_max = 0;
    Parallel parallel = {};
};

// What is wrong with a Config, as a sentence that names it. "": nothing.
struct ConfigProblem {
    char text[256];
};

// What a newcomer says to the host's game, beside its Config::name.
struct JoinPayload {
    std::span<const std::byte> bytes; // At most payload_bytes_max; copied.
};

enum class State : uint8_t {
    idle,    // Made, neither started nor joining.
    joining, // From join() until all members have greeted us.
    open,
    leaving, // From leave() until goodbye is said; keep calling receive() and send().
    left,
    // How it can end against our will. state_text() says more.
    unreachable,     // No answer, or a member that never greeted us.
    refused_full,    // peers_max are in.
    refused_types,   // The host has another type table, or another peers_max, quorum or
                     // topology.
    refused_version, // The member speaks another version of the wire.
    refused_secret,  // The member is there, but the invite's secret is not the session's.
    refused_by_game, // The host's game said no.
    removed,         // The host has counted us out.
    minority,        // Cut off from most of the others. go_on(), or join() with a new session.
    overflow         // More than this peer's limits hold: objects_max or a queue.
};

enum class EventKind : uint8_t {
    // The session.
    join_progress, // While joining, one for each percent at most: objects_here, objects_expected.
    caught_up,     // After join(): everybody's objects are here; the state is open.
    join_asked,    // At the host, with Admission::ask_game: peer, name, payload. Answer it.
    peer_joined,   // peer, name.
    peer_left,     // peer. Its orphans' events follow when the departure is settled.
    host_lost, // peer: who was it. Claims wait; the rest goes on. (While joining: forget all that
               // you have heard; it starts over.) Then comes:
    host_changed, // peer: who is it now; previous. Owner changes that it made come after it.
    // Objects. What this peer itself creates, sets and destroys makes no event.
    object_created,
    object_changed,   // By its owner: changed_fields.
    object_destroyed, // Can be read until the next receive().
    object_hidden,    // Who tells it tells no more of its value: set_priority(). It stays as it is.
    object_shown,     // It is told again; what has changed meanwhile comes with it or soon.
    owner_changed,    // peer: the new owner; previous: the one before. (Both the same: it was
                      // granted anew.)
    object_orphaned,  // At the host, with Orphan::ask_game, after its owner_changed: migrate(),
                      // destroy() or keep it.
    // Claims.
    claim_asked,   // At the host, with ClaimPolicy::ask_game: peer asks. Answer with migrate()
                   // or refuse_claim().
    claim_granted, // At the claimer: it owns the object. Comes after owner_changed.
    claim_refused, // At the claimer: refusal. If it was optimistic and what was set differs from
                   // what is replicated, object_changed comes next.
    // Calls.
    call,       // peer called, type, arguments; object if it was for the owner of one. With
                // Event::call: it wants a reply().
    reply,      // To request(): call, peer answers, type, arguments.
    call_failed // What call_owner(), request() or a call to the host or of a type with callers has
                // said: call (none of call()), type, object, peer to whom it went (none: to
                // nobody), failure, arguments (null of a plain call() that was refused).
};

// Why a call has failed.
enum class CallFailure : uint8_t {
    none,
    dead,        // The object has died. Nobody has heard the call.
    unknown,     // Nobody has told us of the object. The same.
    not_allowed, // We were not (any more) who may call it, or too often: Type. The same.
    lost,        // Whom it went to has left, or the connection to it has. It may have been heard.
    no_reply     // In time. It may have been heard.
};

enum class ClaimRefusal : uint8_t {
    none,
    dead,      // The object has died.
    unknown,   // The host has not heard of it yet; ask again.
    policy,    // ClaimPolicy::never.
    by_game,   // The host's game said no.
    overtaken, // Another's claim or the host's game came first; ask again.
    locked,    // Its owner has locked it; ask again when it has unlocked it.
    cooldown,  // It has just been granted; ask again after Type::claim_cooldown_ms.
};

// Something that happened. Valid until the next receive(), like all that a session hands out.
struct Event {
    EventKind kind;
    ClaimRefusal refusal;    // claim_refused.
    CallFailure failure;     // call_failed.
    TypeId type;             // object_*, owner_changed, claim_*, calls.
    PeerId peer;             // Who joined, left, asks, owns, calls, changed the object.
    PeerId previous;         // owner_changed.
    uint16_t argument_bytes; // join_asked: of the payload. calls: size of the type.
    CallId call;             // call: none, or for reply(). reply, call_failed: what it answers.
    ObjectId object;         // object_*, owner_changed, claim_*; calls for an object's owner.
    uint64_t changed_fields; // object_changed, owner_changed: bit i for Type::fields[i]. What a new
                             // owner sets at once may arrive as part of owner_changed. Without
                             // those that an optimistic claim of ours hides.
    uint32_t lost_ticks;     // owner_changed, at the previous owner: ticks of its last writes that
                             // the new owner did not have. 0: nothing was lost.
    uint32_t objects_here;   // join_progress: so many have arrived, at most objects_expected,
    uint32_t objects_expected; // the living when the host let us in. Some may die on the way.
    const void *arguments;     // calls: the struct. join_asked: the payload.
    const char *name;          // join_asked, peer_joined.
};

// Why a peer has not got an object, or the last change of it, as far as this peer can know.
enum class Why : uint8_t {
    has_it,           // It has it, with its last change; or it is our own.
    unknown,          // This peer has not heard of such an object.
    no_such_peer,     // It is no member (any more), or we have not heard of it yet.
    no_connection,    // There is none to it at present; it is tried again.
    dead,             // The object is; the peer has acked that, or hears of it from another.
    death_unacked,    // The object is dead, and the peer has not acked our saying so.
    not_owned_here,   // Its owner tells it to the peer: ask there.
    told_by_host,     // In a star the host tells it to the peer: ask there.
    peer_joining,     // At the host: it is still being told the world, this object too.
    object_waits,     // CREATE or MIGRATE has not been said: it waits behind other messages.
    object_unacked,   // CREATE or MIGRATE was said, and no ack has come back.
    change_waits,     // The change goes out with the next send(), or when acks make room for it.
    no_budget,        // The change waits for bytes: send_bytes_per_second_max.
    hidden,           // Our game has hidden the object from the peer: set_priority().
    change_unacked,   // The change was sent, and no ack has come back.
    claim_unanswered, // Of ourselves: the host has not answered our claim.
    claim_refused     // Of ourselves: the host's last answer; refusal says why.
};

struct Explanation {
    Why why;
    ClaimRefusal refusal;  // claim_refused.
    PeerId owner;          // As known here; none if it is unknown or dead.
    uint32_t behind_ticks; // change_waits, no_budget, change_unacked: our ticks since the state
                           // that the peer has acked.
    uint64_t refused_us;   // claim_refused: when, as the now_us of that receive().
};

// From where a peer sees the world, for set_interest().
struct Viewpoint {
    PeerId peer;
    float position[3]; // In the unit of the field; only as many numbers as that has.
};

// About one peer.
struct Stats {
    uint32_t rtt_us; // Smoothed round trip; 0 before the first sample.
    uint32_t rtt_variance_us;
    uint64_t sent_datagrams;
    uint64_t sent_bytes; // UDP payload.
    uint64_t received_datagrams;
    uint64_t received_bytes;
    uint64_t lost_datagrams; // Of the sent ones, as far as told.
    uint64_t bad_messages;   // Authentic, but against the rules; ignored.
    uint32_t datagram_bytes; // The largest that is sent to it; found out where packets are full.
    bool bridged;            // What we send it goes by way of another member.
};

// About one type, as far as its messages are coded and decoded here: whole states of its objects,
// their changes with what names them, its calls. What surrounds them (heads and tags of datagrams,
// framing, acks) is no type's, and what a stream repeats after a loss counts once. Sent: the sums
// of its rows of traffic().
struct TypeStats {
    uint64_t sent_bits, received_bits;
    uint64_t sent_messages, received_messages; // States, changes of an object, and calls.
};

// What sent bits were for. docs/use/profiling.md shows where each lies in a datagram.
enum class TrafficKind : uint8_t {
    // Values, by type and field.
    create,
    migrate, // And the grants that go with it.
    tell,    // The host of a star: another's object.
    grant,   // The host: an object's state, for its new owner.
    report,  // What a member tells a host of an orphan.
    update,
    snapshot, // Updates of predicted types; of them not by field.
    call,     // Replies and outcomes, too.
    // What has no values.
    destroy,
    dead,       // What a newcomer is told of the dead.
    claim,      // And releases, locks, refusals.
    membership, // Welcomes, views, greetings, queries and the ends of reports.
    join,       // What a newcomer and who lets it in say first.
    clock,
    // What carries the above.
    handshake, // Whole datagrams.
    header,
    tag, // The seal: 16 bytes of each datagram but handshakes.
    ack,
    frame,     // What precedes each part of a packet, and each message of a stream.
    padding,   // Of messages, to whole bytes. A call's is its own.
    ping,      // Keep-alives, probes, and goodbyes.
    path,      // Challenges, answers, and what names those whom bridged datagrams are from and for.
    forwarded, // Datagrams of others, whole.
    repeated, // Stream bytes beyond the first time: after a loss, or where copies ride ahead of it.
    unsent    // Negative: charged above, but it waits in a stream, or its connection has ended, or
              // there was no room at who bridges.
};
inline constexpr size_t traffic_kinds = static_cast<size_t>(TrafficKind::unsent) + 1;
inline constexpr TypeId no_type = 0xffff;
inline constexpr uint16_t no_field = 0xffff;

// Bits of one kind; of values those of one field, and apart from those of all fields what names and
// surrounds them (no_field), and of the whole message (no_type, too).
struct TrafficRow {
    TrafficKind kind;
    TypeId type;    // no_type: of none.
    uint16_t field; // Index into Type::fields.
    int64_t bits;
    uint64_t count; // Messages, datagrams; of a field: how often it was sent.
};

// About the whole session.
struct SessionStats {
    // Malformed, forged, or there before (networks duplicate). Dropped whole.
    uint64_t bad_datagrams;
    uint64_t objects;     // Alive.
    uint64_t owned;       // By this peer.
    uint64_t migrations;  // Owner changes that this peer has seen.
    uint64_t dead_ranges; // What is kept to remember the dead.
    // For pairs that have no direct path: what this peer has forwarded, and what it has dropped
    // because it was above bridge_bytes_per_second_max, or led nowhere.
    uint64_t forwarded_datagrams, forwarded_bytes, not_forwarded;
    // Newcomers that this host has turned away without its game: peers_max were in; another type
    // table, peers_max, quorum or topology.
    uint64_t refused_full, refused_types;
    // Calls dropped, and calls not sent: beyond calls_per_second_max, or not of Type::callers.
    uint64_t refused_calls;
};

}
