// The structs and constants that the functions of tern.h take. In tern.h: how sized structs,
// results and lifetimes work.
#ifndef TERN_TYPES_H
#define TERN_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(TERN_EXPORTS) // While a DLL of tern is built.
#define TERN_API __declspec(dllexport)
#elif defined(_WIN32) && defined(TERN_SHARED) // In a program that uses one.
#define TERN_API __declspec(dllimport)
#elif defined(_WIN32)
#define TERN_API
#else
#define TERN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TERN_VERSION "0.1.0" // The library gives its own by tern_version().

// This process's peer of one game session. Opaque.
#ifdef __cplusplus
} // Its name is tern::Session there, so that calls find the functions of tern.hpp.
namespace tern {
struct Session;
}
extern "C" {
typedef tern::Session tern_session;
#else
typedef struct tern_session tern_session;
#endif
typedef struct tern_socket tern_socket; // A UDP socket.

// A peer of one session. The host assigns the ids in ascending order and never reuses one: a peer
// that leaves and joins again gets a new id.
typedef uint16_t tern_peer;
typedef uint64_t tern_object;  // An object of one session, in 48 bits. Never reused in it.
typedef uint32_t tern_call_id; // A call that awaits an answer.
typedef uint16_t tern_type_id; // An index into tern_config.types.

#define TERN_NO_PEER 0
#define TERN_HOST 0xfffe     // The present host, as the recipient of a call.
#define TERN_EVERYONE 0xffff // All other members, as the recipient of a call.
#define TERN_NO_OBJECT 0
#define TERN_NO_CALL 0
#define TERN_NO_TYPE 0xffff
#define TERN_NO_FIELD 0xffff

#define TERN_INVITE_TEXT_MAX 256 // Bytes of a printed invite, with the final zero.
#define TERN_ADDRESS_TEXT_MAX 56 // Bytes of a printed address, with the final zero.
#define TERN_OBJECT_TEXT_MAX 24  // Bytes of a printed object, with the final zero.
#define TERN_INVITE_ADDRESSES_MAX 4
#define TERN_PROBLEM_TEXT_MAX 256 // Bytes of a config's problem, with the final zero.
#define TERN_BREACHES 5           // Kinds of tern_breach, with TERN_BREACH_NONE.

typedef enum tern_result {
    TERN_OK = 0,
    TERN_MISUSE = -1,      // The call was wrong; tern_config.misuse got a report.
    TERN_CUT_OFF = -2,     // The state is TERN_STATE_CUT_OFF: nothing can change.
    TERN_NO_ROOM = -3,     // A limit or a queue is full: try again later.
    TERN_GONE = -4,        // The peer or the object is not there, or not any more.
    TERN_NOT_ALLOWED = -5, // callers or calls_per_second_max of the type forbids the call.
    TERN_BAD_CONFIG = -6,  // See tern_config_problem().
    TERN_BAD_TEXT = -7,    // The text is no address.
    TERN_NO_MEMORY = -8,
    TERN_PORT_IN_USE = -9,
    TERN_NOT_PERMITTED = -10,  // A port below 1024, or a local firewall.
    TERN_NO_SUCH_FAMILY = -11, // This machine does not have the IP version.
    TERN_SYSTEM = -12          // The system is out of descriptors.
} tern_result;

typedef struct tern_address {
    uint8_t ip[16]; // IPv6, or IPv4 as ::ffff:a.b.c.d (RFC 4291). All zero with port 0: none.
    uint16_t port;  // The byte order is the host's.
} tern_address;

// All that a newcomer needs to join. Anybody who has an invite can join, so share it with players
// only.
typedef struct tern_invite {
    uint64_t session;      // The random id of the session.
    uint8_t key[32];       // X25519 public key of the member that answers the newcomer.
    uint8_t secret[32];    // Secret of the session: the psk of every Noise handshake.
    uint8_t address_count; // 1 to 4.
    tern_address addresses[TERN_INVITE_ADDRESSES_MAX];
} tern_invite;

typedef struct tern_datagram {
    tern_address address; // The sender of a received datagram, the destination of one to send.
    const void *bytes;    // The UDP payload.
    size_t size_bytes;
} tern_datagram;

// --- Types: the structs that are replicated as objects or sent as the arguments of calls ---

typedef enum tern_field_kind {
    TERN_BOOLEAN, // bool
    // int8_t to uint64_t. With a range (min < max) a value takes as few bits as the range needs,
    // and values outside it are clamped; without one it takes all bits of the type.
    TERN_INT8,
    TERN_INT16,
    TERN_INT32,
    TERN_INT64,
    TERN_UINT8,
    TERN_UINT16,
    TERN_UINT32,
    TERN_UINT64,
    // float; count 2 or 3 for a vector. With a range values are clamped; with a range and a step
    // they are also rounded to min + n * step, and n is sent.
    TERN_FLOAT32,
    // float[4] of length 1. With a step ("smallest three" encoding) the three smaller components
    // are rounded to multiples of the step. A step of sqrt(0.5) / 255 takes 2 + 3 * 9 bits.
    TERN_QUATERNION,
    TERN_PEER,   // tern_peer
    TERN_OBJECT, // tern_object. It may name an object that this peer does not know.
    TERN_TEXT,   // char[count] that ends with a zero.
    TERN_BYTES,  // uint8_t[count]
    TERN_VALUES  // uint8_t[count] with one dynamic value: docs/wire_format.md, "Values".
} tern_field_kind;

typedef struct tern_field { // One member of a struct.
    const char *name;       // Unique in its type, not empty, without spaces.
    tern_field_kind kind;
    uint16_t offset_bytes; // offsetof() in the struct.
    uint16_t count;        // Array length; for text, bytes and values in bytes. 0: 1.
    double min, max;       // Range of integers and TERN_FLOAT32. Both 0: that of the kind.
    // Precision of a TERN_FLOAT32 with a range (at most 2^32 - 1 steps), or of the components of a
    // quaternion (2e-6 to 0.125). 0: sent exactly.
    double step;
    // Error bound of a TERN_FLOAT32 or TERN_QUATERNION field of an object, in the field's unit or
    // in radians. The owner sends no update of the field as long as the value that receivers
    // extrapolate is within the bound; see tern_sample(). 0: every change is sent.
    // docs/decisions.md, "Error bounds".
    double bound;
} tern_field;

typedef enum tern_orphan { // An object whose owner has left is an orphan: this happens to it.
    TERN_ORPHAN_TO_HOST,
    TERN_ORPHAN_DESTROY,
    TERN_ORPHAN_SPREAD,   // The member with the fewest objects gets it, so the load stays even.
    TERN_ORPHAN_ASK_GAME, // The host gets it, and its game TERN_EVENT_OBJECT_ORPHANED.
    // The host gets it. It gives the object back if the last owner joins again with the same
    // session, if no other member has owned the object meanwhile and it is not locked.
    TERN_ORPHAN_HOLD
} tern_orphan;

typedef enum tern_claim_policy { // How the host answers claims.
    TERN_CLAIM_POLICY_ALWAYS,
    TERN_CLAIM_POLICY_ASK_GAME, // The game answers: it gets TERN_EVENT_CLAIM_ASKED.
    TERN_CLAIM_POLICY_NEVER
} tern_claim_policy;

// These peers may make the calls of a type. The recipient (in a star the host) refuses all others.
typedef enum tern_callers {
    TERN_CALLERS_ANYBODY,
    TERN_CALLERS_HOST,
    TERN_CALLERS_OWNER // The owner of the object in the first TERN_OBJECT field.
} tern_callers;

// A game struct that is replicated as an object, or sent as the arguments of a call. Bytes that no
// field covers are not sent.
typedef struct tern_type {
    const char *name;    // Unique in the session, not empty, without spaces.
    uint32_t size_bytes; // sizeof the struct, 1 to 4096.
    const tern_field *fields;
    size_t field_count; // At most 64.
    // Objects of this type that can be alive at once, of all peers together; at most 2^24 for all
    // types together. The host may create all of them at first, and gives parts to the others:
    // tern_creations_left(). 0: the type is for calls only.
    uint32_t objects_max;
    tern_orphan orphan;
    tern_claim_policy claim;
    uint32_t claim_cooldown_ms; // The host refuses claims for this long after a grant.
    // How many objects of this type a peer may own before the host refuses it further ones with
    // TERN_REFUSAL_QUOTA. Objects that a peer creates, or that it is given without a claim, count
    // too, but it always gets them. 0: no limit.
    uint32_t owned_max;
    // How many claims of this type the host takes from one peer in a second; they may come all at
    // once. It refuses the others with TERN_REFUSAL_QUOTA. 0: no limit.
    uint16_t claims_per_second_max;
    tern_callers callers;
    // How many calls of this type one peer may make in a second; it may make them all at once. 0:
    // no limit. tern_call() gives TERN_NOT_ALLOWED above the limit. Calls can pile up on the way,
    // so a recipient refuses only what exceeds ten seconds' worth at once.
    uint16_t calls_per_second_max;
    // For objects that move steadily: updates are sent as SNAPSHOT messages, as differences from a
    // prediction out of the receiver's history of the object. Costs a third of the bytes of an
    // UPDATE, a few times its CPU time, and two kilobytes of memory for each object and owner.
    // Applies to the first 1024 such objects of an owner; further ones are sent as UPDATE.
    bool predicted;
} tern_type;

// --- Configuration ---

typedef enum tern_topology { // Which peers have connections. docs/use/topologies.md.
    TERN_MESH,               // Every peer has one to every other one.
    TERN_STAR                // Client-server: every peer has one to the host, which forwards all.
} tern_topology;

typedef enum tern_quorum { // Which members go on when others are lost without a goodbye.
    // Only a part with more than half of the last view continues, or the host with half of it
    // (docs/membership.md, "Votes"); of two voters, the host. Members of a smaller part wait in
    // TERN_STATE_CUT_OFF until they hear the others again.
    TERN_QUORUM_MAJORITY,
    // Whoever is left continues. A network partition then leaves more than one session. When they
    // meet again, one of them ends, and its peers join the other one by themselves.
    TERN_QUORUM_SURVIVORS
} tern_quorum;

typedef enum tern_admission { // How the host treats a newcomer that holds an invite.
    TERN_ADMIT_ALWAYS,
    TERN_ADMIT_ASK_GAME // The newcomer waits for tern_admit() or tern_refuse().
} tern_admission;

// How the host treats a member that has broken the rules. The host believes what it has found
// itself, and what more than a third of the other members have, at least two of them. In a mesh the
// members treat a host that has equivocated likewise: they follow the next one, or stay until the
// next one has left it.
typedef enum tern_misbehaviour {
    TERN_MISBEHAVIOUR_REMOVE,
    TERN_MISBEHAVIOUR_ASK_GAME // The host leaves it to its game: TERN_EVENT_MISBEHAVED.
} tern_misbehaviour;

// Threads of the caller that tern_send() may use; tern starts none.
typedef struct tern_parallel {
    // Must call run(context, i) once for each i below count, in any order and on any thread, and
    // return when all of these calls have returned. Called only inside tern_send(), and never twice
    // at once for one session.
    void (*for_each)(void *user, uint32_t count, void (*run)(void *context, uint32_t i),
                     void *context);
    void *user; // Is passed to for_each().
    // Into how many parts tern_send() divides the building of packets; at most 16. 0: 1. The bytes
    // that are sent do not depend on it. Each part beyond the first has its own encode cache.
    uint32_t parts;
} tern_parallel;

typedef struct tern_misuse { // A call that the game must not make. docs/use/misuse.md.
    const char *function;    // The name of the function, without tern_ and get_.
    const char *wrong;       // A sentence: what was wrong, and what was expected.
    const char *remedy;      // A sentence: what to do instead.
    tern_object object;      // The object of the call, or TERN_NO_OBJECT.
    tern_peer owner;         // It owns the object; TERN_NO_PEER if it is unknown.
} tern_misuse;

typedef struct tern_misuse_handler {
    // Is called by the function that was called wrongly, before it returns. All pointers are valid
    // until it returns. It may read the session, but not change it. NULL: the misuse is printed to
    // stderr, and a library that was built without NDEBUG calls abort().
    void (*handle)(void *user, const tern_misuse *misuse);
    void *user; // Is passed to handle().
} tern_misuse_handler;

typedef struct tern_crash { // An assertion of tern failed: a bug of tern.
    uint32_t struct_size;
    uint32_t line;
    const char *file;      // The assertion is in this line of tern's source.
    const char *text;      // The condition that is false, with the values.
    void *const *frames;   // The addresses of the stack, each within its call; the innermost first.
    size_t frame_count;    // 0 where there is no backtrace().
    const char *function;  // The public function that ran, as in tern_misuse.
    const char *message;   // The kind of the received message at work, or NULL.
    uint64_t session;      // tern_invite.session of the session's invites.
    tern_object object;    // The object of the message or of the function, or TERN_NO_OBJECT.
    tern_peer local_peer;  // This peer.
    tern_peer peer;        // The other end of the connection at work, or TERN_NO_PEER.
    uint32_t tick;         // The tick of this peer.
    const void *recording; // The part that tern_take_recording() has not given yet.
    size_t recording_bytes;
} tern_crash;

typedef struct tern_crash_handler {
    // Is called once, before abort(), on the thread that failed. All pointers are valid until it
    // returns. The session is broken: it must not call any function with it.
    void (*handle)(void *user, const tern_crash *crash);
    void *user; // Is passed to handle().
} tern_crash_handler;

typedef struct tern_allocator {
    // Gives memory that is all zero and aligned for every type, as calloc() does, or NULL. Called
    // by tern_make_session(), tern_session_bytes() and tern_config_problem(). Both NULL: calloc()
    // and free().
    void *(*allocate)(void *user, size_t size_bytes);
    void (*release)(void *user, void *memory);
    void *user; // Is passed to both.
} tern_allocator;

typedef struct tern_log {
    // Gets lines about the session for a log file: its state, and who comes and goes. Called by
    // functions that change the session. NULL: there is no log.
    void (*line)(void *user, const char *text);
    void *user; // Is passed to line().
} tern_log;

typedef struct tern_config {
    uint32_t struct_size;
    uint32_t type_bytes;    // sizeof(tern_type)
    uint32_t field_bytes;   // sizeof(tern_field)
    const tern_type *types; // Equal on all peers. Types, fields and names are copied.
    size_t type_count;      // At most 256.
    // Peers of the session, this one included. Equal on all peers. 2 to 64, in a star to 512; 0:
    // 16. Memory of unused places is reserved but never touched. In a mesh every peer sends to
    // every other: 64 peers make 2016 connections.
    uint16_t peers_max;
    tern_admission admission;
    tern_misbehaviour misbehaviour;
    tern_quorum quorum;     // Equal on all peers.
    tern_topology topology; // Equal on all peers.
    const char *name;       // This peer's name; others see 31 bytes of it. Copied.
    // UDP payload sent to each peer, at least 4096; 0: 262,144. Congestion control sends less when
    // the round trip time of the path grows.
    uint32_t send_bytes_per_second_max;
    // A pair of members without a direct path is bridged: another member, preferably the host,
    // relays its datagrams. Limits the bytes per second that this member relays for each pair of
    // members and direction, and those that it sends to a peer over a relay. It should be equal on
    // all peers. At least 4096; 0: 65,536.
    uint32_t bridge_bytes_per_second_max;
    // In a star: how many bytes of calls the host forwards for each other member in a second; they
    // may come all at once. Further reliable calls wait in the caller's stream, until tern_call()
    // gives TERN_NO_ROOM there, and unreliable ones are lost. At least 4096; 0: 131,072.
    uint32_t forward_bytes_per_second_max;
    // A peer that is silent for this long counts as gone. A member that is connected but holds up a
    // departure for three times as long is removed. 100 to 600,000; 0: 10,000.
    uint32_t timeout_ms;
    // How long joining may take, from tern_join() until the session is open. After that the state
    // becomes unreachable, and the host removes the newcomer. A member that is connected but acks
    // nothing meanwhile is removed after half of that time. 100 to 600,000; 0: 10,000.
    uint32_t join_timeout_ms;
    // How long this peer waits in TERN_STATE_CUT_OFF before it does what tern_go_on() does, up to
    // one day. 0: it waits until the game calls tern_go_on().
    uint32_t go_on_after_ms;
    // Not 0 (then 65,536 or more): every input of this session is recorded into a buffer of this
    // size, from which tern_take_recording() takes it; docs/use/recordings.md. A RECORDING CONTAINS
    // THE KEYS AND THE SECRET OF ITS SESSION.
    uint32_t recording_bytes_max;
    tern_parallel parallel;
    tern_misuse_handler misuse;
    tern_allocator allocator;
    tern_log log;
    tern_crash_handler crash;
} tern_config;

#ifdef __cplusplus
}
#endif
#endif
