// The types that every game uses. All zero is the empty state of each struct, and zero in a setting
// is its default. types.h and tern.h say more about each; docs/glossary.md explains the terms.
#pragma once
#include "tern/field_table.hpp"
#include "tern/twins.hpp"
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern {

struct Session; // This process's peer of one game session. Opaque; see tern.hpp.

// Names a peer of one session. The host assigns the ids in ascending order and never reuses one.
enum class PeerId : uint16_t {
    none = 0,
    host = 0xfffe,    // Only as the recipient of a call: the present host.
    everyone = 0xffff // Only as the recipient of a call: all other members.
};

enum class ObjectId : uint64_t { none = 0 }; // Names an object, in 48 bits. Never reused.
enum class CallId : uint32_t { none = 0 };   // Names a call that awaits an answer, at its caller.
using TypeId = uint16_t;                     // Index into Config::types.
inline constexpr TypeId no_type = 0xffff;

// An object whose type has the struct T; find_object() makes one of the id that an event has. Also
// the type of a member of a game struct that names such an object.
template <class T> struct Object {
    ObjectId id = ObjectId::none;
    constexpr Object() = default;
    constexpr explicit Object(ObjectId object) : id(object) {} // Of the type; find_object() checks.
    template <class U> Object(Object<U> of_another_struct) = delete; // An object has one struct.
    constexpr operator ObjectId() const { return id; }
    constexpr explicit operator bool() const { return id != ObjectId::none; }
    friend constexpr bool operator==(const Object &, const Object &) = default;
};

struct Address {
    uint8_t ip[16]; // IPv6, or IPv4 as ::ffff:a.b.c.d (RFC 4291). All zero with port 0: none.
    uint16_t port;  // Host byte order.
    friend bool operator==(const Address &, const Address &) = default;
};

struct Datagram {
    Address address; // The sender of a received datagram, the destination of one to send.
    std::span<const std::byte> bytes; // UDP payload. Whoever hands it out keeps the memory.
};

inline constexpr size_t invite_addresses_max = 4;
// All that a newcomer needs to join. Whoever has an invite can join: share it with players only.
struct Invite {
    uint64_t session;      // Random id of the session.
    uint8_t key[32];       // X25519 public key of the member that answers the newcomer.
    uint8_t secret[32];    // Secret of the session: the psk of every Noise handshake.
    uint8_t address_count; // 1 to invite_addresses_max.
    Address addresses[invite_addresses_max];
};

enum class Orphan : uint32_t { // An object whose owner has left is an orphan.
    to_host,                   // The host becomes the owner.
    destroy,                   // The host destroys it.
    spread,                    // The member with the fewest objects becomes the owner.
    ask_game,                  // The host becomes the owner, and its game gets object_orphaned.
    hold                       // The host keeps it for the last owner, until that joins again.
};

enum class ClaimPolicy : uint32_t { always, ask_game, never }; // The host's answer to claims.

enum class Callers : uint32_t { // The peers that may make the calls of a type.
    anybody,
    host,
    owner // The owner of the object that the first field of kind object names.
};

// A game struct that is replicated as an object, or sent as the arguments of a call. make_type()
// makes one of a struct with TERN_FIELDS. 0 in a limit: there is none.
struct Type {
    const char *name = nullptr;         // Unique in the session, not empty, without spaces.
    uint32_t size_bytes = 0;            // sizeof the struct; 1 to 4096.
    std::span<const Field> fields = {}; // At most 64. Copied. Other bytes are 0 on all peers.
    uint32_t objects_max = 0; // All peers share this: see creations_left(). 0: it is for calls.
    Orphan orphan = Orphan::to_host;
    ClaimPolicy claim = ClaimPolicy::always;
    uint32_t claim_cooldown_ms = 0;     // The host refuses claims for this long after a grant.
    uint32_t owned_max = 0;             // The host refuses claims of a peer that owns so many.
    uint16_t claims_per_second_max = 0; // The host refuses further ones of one peer.
    Callers callers = Callers::anybody;
    uint16_t calls_per_second_max = 0; // One peer may make so many; call() gives false above.
    bool predicted = false;            // Steady motion takes a third of the bytes, and more time.
};

enum class Quorum : uint32_t { // These continue when members are lost without a goodbye.
    majority,                  // More than half, or of two the host. The others wait in cut_off.
    survivors                  // Whoever is left; a partition then leaves two sessions.
};
enum class Topology : uint32_t {
    mesh, // Every peer has a connection to every other one. At most 64 peers.
    star  // Client-server: every peer has one to the host. At most 512 peers.
};
enum class Admission : uint32_t { always, ask_game };    // ask_game: join_asked.
enum class Misbehaviour : uint32_t { remove, ask_game }; // ask_game: misbehaved.

using Parallel = tern_parallel;   // Threads that send() may use, as make_workers() (io.hpp) gives.
using Allocator = tern_allocator; // Gives a session its memory. Null: calloc() and free().
using Log = tern_log;             // Gets lines about the session for a log file. Null: no log.

struct Misuse; // handlers.hpp: a call that the game must not make, of a function that did nothing.
struct MisuseHandler { // Null: it is printed, and a library without NDEBUG calls abort().
    void (*handle)(void *user, const Misuse &misuse) = nullptr;
    void *user = nullptr; // Passed to handle().
};
struct Crash; // handlers.hpp: an assertion of tern failed.
struct CrashHandler {
    void (*handle)(void *user, const Crash &crash) = nullptr;
    void *user = nullptr; // Passed to handle().
};

struct Config { // Types, quorum, topology and peers_max must be equal on all peers.
    uint32_t struct_size = sizeof(Config), type_bytes = sizeof(Type), field_bytes = sizeof(Field);
    std::span<const Type> types; // At most 256. Types, fields and names are copied.
    uint16_t peers_max = 16;     // Peers of the session, with this one. At least 2.
    Admission admission = Admission::always;
    Misbehaviour misbehaviour = Misbehaviour::remove;
    Quorum quorum = Quorum::majority;
    Topology topology = Topology::mesh;
    const char *name = ""; // Name of this peer; others see 31 bytes of it. Copied.
    uint32_t send_bytes_per_second_max = 256 * 1024;    // To each peer. At least 4096.
    uint32_t bridge_bytes_per_second_max = 64 * 1024;   // Relayed for each pair without a path.
    uint32_t forward_bytes_per_second_max = 128 * 1024; // Calls of each member, at a star's host.
    uint32_t timeout_ms = 10'000;      // A silent peer is gone after it. 100 to 600'000.
    uint32_t join_timeout_ms = 10'000; // How long joining may take. 100 to 600'000.
    uint32_t go_on_after_ms = 0;       // Cut off for so long, it does go_on(). 0: it waits.
    uint32_t recording_bytes_max = 0;  // recording.hpp. 0: nothing is recorded.
    Parallel parallel = {};
    MisuseHandler misuse = {};
    Allocator allocator = {};
    Log log = {};
    CrashHandler crash = {};
};

enum class State : uint32_t {
    idle,    // Made, neither started nor joining.
    joining, // From join() until all members have sent us their objects.
    open,
    cut_off, // Too few members are heard: nothing can change until they return, or go_on().
    leaving, // The goodbye is on its way. Keep calling receive() and send().
    left,
    unreachable,     // This one and those below are final; state_text() explains them.
    refused_full,    // The session has peers_max peers.
    refused_types,   // The host has another type table, peers_max, quorum or topology.
    refused_version, // The member uses another version of the wire format.
    refused_secret,  // The invite's secret is not that of the session.
    refused_by_game, // The host's game called refuse(), or remove() earlier.
    removed,         // The host has removed this peer from the session.
    overflow         // A counter of this peer has ended: docs/use/how_many.md.
};

enum class ClaimMode : uint32_t { wait, optimistic }; // optimistic: set() works at once, here only.

enum class ClaimRefusal : uint32_t {
    none,
    dead,      // The object was destroyed.
    unknown,   // The host does not know the object yet; claim it again later.
    policy,    // ClaimPolicy::never.
    by_game,   // The host's game called refuse_claim().
    overtaken, // Another claim or a migrate() came first; claim again.
    locked,    // The owner has locked the object. No event follows when it unlocks it.
    cooldown,  // Type::claim_cooldown_ms; claim again later.
    quota      // Type::owned_max or Type::claims_per_second_max.
};

enum class CallFailure : uint32_t {
    none,
    dead,        // The object was destroyed: nobody got the call.
    unknown,     // This peer did not get to know the object within 2 s: nobody got the call.
    not_allowed, // Type::callers or calls_per_second_max forbids it: nobody got the call.
    lost,        // The connection was lost. The recipient may have got the call.
    no_reply     // None came within timeout_ms. The recipient may have got the call.
};

TERN_TWINS(Address, tern_address);
TERN_TWINS(Datagram, tern_datagram);
TERN_TWINS(Invite, tern_invite);
TERN_TWINS(Type, tern_type);
TERN_TWINS(Config, tern_config);
TERN_TWINS(ObjectId, tern_object);
TERN_TWINS(PeerId, tern_peer);
constexpr tern_object to_c(ObjectId object) { return static_cast<tern_object>(object); }
constexpr tern_peer to_c(PeerId peer) { return static_cast<tern_peer>(peer); }
constexpr tern_call_id to_c(CallId call) { return static_cast<tern_call_id>(call); }

}
