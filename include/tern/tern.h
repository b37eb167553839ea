// The functions of tern, for C99 and for every language that can call C; tern.hpp is a layer over
// them. docs/use/c.md.
//
// Threads: one thread at a time may use a session; tern starts none.
// Lifetimes: all that a session returns is valid until its next tern_receive(), and datagrams of
// tern_send() until the next tern_send().
// Structs: those that begin with struct_size may grow in later versions. Set it to the sizeof that
// your compiler knows, and the rest to zero: zero in any member means its default. A library reads
// and writes that many bytes, so a program runs with a newer library without a new build. The
// sizes of types and fields stand in the config. All other structs keep their size.
// Results: TERN_OK is 0, and all others are negative. A function that does not give TERN_OK has
// done nothing. Functions that give something else than a result give 0 or NULL instead.
// Text is UTF-8 and ends with a zero. Nothing is thrown, and there are no globals.
#ifndef TERN_TERN_H
#define TERN_TERN_H

#include "tern/types.h"

#ifdef __cplusplus
extern "C" {
#endif

TERN_API const char *tern_result_text(tern_result result); // A sentence for people.
TERN_API const char *tern_version(void);                   // The library has this TERN_VERSION.

// Writes the first problem of the config as an English sentence that names the setting, or "".
TERN_API tern_result tern_config_problem(const tern_config *config,
                                         char problem[TERN_PROBLEM_TEXT_MAX]);
// The bytes that tern_make_session() allocates for this config. 0 if it has a problem.
TERN_API size_t tern_session_bytes(const tern_config *config);

// --- A session ---

typedef enum tern_state {
    TERN_STATE_IDLE,    // Made, neither started nor joining.
    TERN_STATE_JOINING, // It lasts from tern_join() until the objects of all are here.
    TERN_STATE_OPEN,
    // Too few members are heard to go on. The game may read and call; objects cannot be created,
    // changed, destroyed or claimed. The state is open again when enough are heard. If the others
    // have gone on without this peer, it joins them again by itself: the state is joining, after
    // TERN_EVENT_HOST_LOST. tern_go_on() does not wait for either.
    TERN_STATE_CUT_OFF,
    TERN_STATE_LEAVING, // The goodbye is on its way. Keep calling tern_receive() and tern_send().
    TERN_STATE_LEFT,
    // The session has ended against our will. All of these are final.
    TERN_STATE_UNREACHABLE,     // No answer within join_timeout_ms, or not all objects.
    TERN_STATE_REFUSED_FULL,    // The session has peers_max peers.
    TERN_STATE_REFUSED_TYPES,   // The host has another type table, peers_max, quorum or topology.
    TERN_STATE_REFUSED_VERSION, // The member uses another version of the wire format.
    TERN_STATE_REFUSED_SECRET,  // The invite's secret is not that of the session.
    TERN_STATE_REFUSED_BY_GAME, // The host's game called tern_refuse(), or tern_remove() earlier.
    TERN_STATE_REMOVED,         // The host has removed this peer from the session.
    TERN_STATE_OVERFLOW         // A counter of this peer has ended: docs/use/how_many.md.
} tern_state;

// Allocates all memory that the session will ever use, from config->allocator:
// tern_session_bytes() of it, all zero, so that the system provides a page when it is first used.
TERN_API tern_result tern_make_session(const tern_config *config, tern_session **session);
// The config of the session, with its own copies of types, fields and names. Zeros in it have been
// replaced by the defaults.
TERN_API const tern_config *tern_session_config(const tern_session *session);
TERN_API void tern_destroy_session(tern_session *session); // Sends no goodbye: tern_leave().
TERN_API tern_result tern_start(tern_session *session);    // It is the first peer, and the host.
// In TERN_STATE_IDLE: joins through the member that made the invite. The payload, at most 256
// bytes, goes to the host's game; it is copied. TERN_EVENT_CAUGHT_UP follows, or a state that
// tern_state_text() explains.
TERN_API tern_result tern_join(tern_session *session, const tern_invite *invite,
                               const void *payload, size_t payload_bytes);
// When open, cut off or joining: this peer leaves, and its objects become orphans. Keep calling
// tern_receive() and tern_send(), and send the datagrams, until the state is TERN_STATE_LEFT. That
// takes until everything that this peer sent is acked and its goodbye is sent, at most four
// seconds.
TERN_API tern_result tern_leave(tern_session *session);
// In TERN_STATE_CUT_OFF: this peer becomes the host of a new session, with new invites, that keeps
// all objects and owns them. It is open at once; the next tern_receive() returns the events of the
// change. See tern_config.go_on_after_ms.
TERN_API tern_result tern_go_on(tern_session *session);
TERN_API tern_state tern_session_state(const tern_session *session);
// A sentence for people about the state: what happened, and what to do.
TERN_API const char *tern_state_text(const tern_session *session);
TERN_API const char *tern_state_name(tern_state state); // "cut_off" and the like.

// --- A tick: tern_receive(), all events, the game's own work, tern_send() ---

typedef struct tern_event tern_event;
// Takes the datagrams that have arrived since the last call; their bytes need not outlive it.
// now_us: a monotonic time in microseconds that never goes back; its zero is the caller's choice.
TERN_API tern_result tern_receive(tern_session *session, const tern_datagram *datagrams,
                                  size_t count, uint64_t now_us);
// Gives the number of events of the last tern_receive(), and points `events` to them.
TERN_API size_t tern_events(const tern_session *session, const tern_event **events);
// Gives the number of datagrams to send, and points `datagrams` to them.
TERN_API size_t tern_send(tern_session *session, uint64_t now_us, const tern_datagram **datagrams);
// --- Invites ---

// When open; any member may make one. `addresses`, 1 to 4, are where newcomers reach this process,
// so not 0.0.0.0 or port 0;
// tern_join() tries them in turn. A member that is not the host refers a newcomer to the host. An
// invite is valid while the member that made it is in the session.
TERN_API tern_result tern_make_invite(const tern_session *session, const tern_address *addresses,
                                      size_t count, tern_invite *invite);
TERN_API void tern_invite_text(const tern_invite *invite, char text[TERN_INVITE_TEXT_MAX]);
// Reads the text of an invite. White space around it, and after its prefix, does not count. NULL:
// it is one; otherwise a sentence about what is wrong with it.
TERN_API const char *tern_parse_invite(const char *text, tern_invite *invite);

// --- Peers ---

typedef enum tern_breach { // How a member has broken the rules. No honest peer does.
    TERN_BREACH_NONE,
    TERN_BREACH_MALFORMED,
    TERN_BREACH_FORGED,
    TERN_BREACH_OVER_QUOTA,
    TERN_BREACH_EQUIVOCATED
} tern_breach;
TERN_API const char *tern_breach_text(tern_breach breach);

typedef struct tern_peer_stats { // The connection to one peer.
    uint32_t struct_size;
    uint32_t rtt_us; // Smoothed round trip time; 0 before the first sample.
    uint32_t rtt_variance_us;
    uint64_t sent_datagrams, sent_bytes, received_datagrams, received_bytes;
    uint64_t lost_datagrams;
    uint64_t breaches[TERN_BREACHES];
    uint32_t datagram_bytes; // The largest UDP payload that is sent to it.
    bool bridged;            // Another member relays the datagrams to it.
} tern_peer_stats;

typedef struct tern_session_stats {
    uint32_t struct_size;
    uint64_t bad_datagrams;  // Malformed, forged or duplicate; each was dropped whole.
    uint64_t objects, owned; // Alive; and those of them that this peer owns.
    uint64_t migrations;
    uint64_t dead_ranges; // Ranges of ids that this peer keeps to remember destroyed objects.
    uint64_t forwarded_datagrams, forwarded_bytes, not_forwarded; // This peer relays for pairs.
    uint64_t refused_full, refused_types, refused_calls;
} tern_session_stats;

// Messages of one type that were encoded and decoded here: states of its objects, their changes,
// and its calls.
typedef struct tern_type_stats {
    uint32_t struct_size;
    uint64_t sent_bits, received_bits;
    uint64_t sent_messages, received_messages;
} tern_type_stats;

TERN_API tern_peer tern_local_peer(const tern_session *session);
TERN_API tern_peer tern_host_peer(const tern_session *session);
// Gives the number of the other members, and points `peers` to their ids in rising order.
TERN_API size_t tern_other_peers(const tern_session *session, const tern_peer **peers);
TERN_API const char *tern_peer_name(const tern_session *session, tern_peer peer);
TERN_API tern_result tern_get_peer_stats(const tern_session *session, tern_peer peer,
                                         tern_peer_stats *stats);
TERN_API tern_result tern_get_type_stats(const tern_session *session, tern_type_id type,
                                         tern_type_stats *stats);
TERN_API tern_result tern_get_session_stats(const tern_session *session, tern_session_stats *stats);
// The host's session clock at now_us, in microseconds since its tern_start().
TERN_API uint64_t tern_session_clock_us(const tern_session *session, uint64_t now_us);

// --- For the host's game, on the host only ---

TERN_API tern_result tern_admit(tern_session *session, tern_peer newcomer);
TERN_API tern_result tern_refuse(tern_session *session, tern_peer newcomer, const char *reason);
TERN_API tern_result tern_remove(tern_session *session, tern_peer peer); // A kick, and a ban.
TERN_API tern_result tern_migrate(tern_session *session, tern_object object, tern_peer to);
TERN_API tern_result tern_refuse_claim(tern_session *session, tern_object object,
                                       tern_peer claimer);
TERN_API tern_result tern_balance(tern_session *session, tern_type_id type);

// --- Objects ---

// How a claimer acts until the answer arrives: it waits, or it changes the object at once, visible
// on its own peer only.
typedef enum tern_claim_mode { TERN_CLAIM_WAIT, TERN_CLAIM_OPTIMISTIC } tern_claim_mode;

// Copies the struct and gives the new object. TERN_NO_ROOM: tern_creations_left() is 0.
TERN_API tern_result tern_create(tern_session *session, tern_type_id type, const void *value,
                                 size_t size_bytes, tern_object *object);
TERN_API uint32_t tern_creations_left(const tern_session *session, tern_type_id type);
TERN_API tern_result tern_destroy(tern_session *session, tern_object object); // Its owner may.
// The first type of the config whose `fields` was this pointer; else TERN_NO_TYPE.
TERN_API tern_type_id tern_find_type(const tern_session *session, const tern_field *fields);
TERN_API bool tern_exists(const tern_session *session, tern_object object); // Known, and alive.
// The struct and the type of an object of any type; `type` may be NULL. NULL: no such object can be
// read. An object that was destroyed can be read until the next tern_receive().
TERN_API const void *tern_find_value(const tern_session *session, tern_object object,
                                     tern_type_id *type);
TERN_API tern_type_id tern_object_type(const tern_session *session, tern_object object);
TERN_API tern_peer tern_object_owner(const tern_session *session, tern_object object);
// Identifies the time under one owner; rises with each change of owner.
TERN_API uint64_t tern_object_stamp(const tern_session *session, tern_object object);
// The struct of the object, or NULL. A later tern_set() may change what it points to.
TERN_API const void *tern_get(const tern_session *session, tern_object object, size_t size_bytes);
// Requires tern_may_set(), and that no float of `value` is NaN. Stores the value as other peers
// will see it, clamped to ranges and rounded to steps, and tern_get() gives that back: a game that
// adds less than half a step in each tick keeps the exact value itself. Other peers get the fields
// that have changed.
TERN_API tern_result tern_set(tern_session *session, tern_object object, const void *value,
                              size_t size_bytes);
// Whether tern_set() may be called: open, and the object is ours or is claimed optimistically.
TERN_API bool tern_may_set(const tern_session *session, tern_object object);
// Gives the struct as of at_us for rendering, on the clock of tern_receive(). Objects of others
// are extrapolated at now_us, and interpolated before it, if their type is predicted or has a field
// with a bound. TERN_GONE: no such object is alive here.
TERN_API tern_result tern_sample(const tern_session *session, tern_object object, uint64_t at_us,
                                 void *value, size_t size_bytes);
// Gives the number of objects of the type. Points `objects` to their ids, in no particular order.
TERN_API size_t tern_object_ids(const tern_session *session, tern_type_id type,
                                const tern_object **objects);
// The structs of these objects in the same order, without gaps.
TERN_API const void *tern_object_values(const tern_session *session, tern_type_id type,
                                        size_t size_bytes);
// Requires TERN_STATE_OPEN. Asks the host for an object. Answered by exactly one
// TERN_EVENT_CLAIM_GRANTED or TERN_EVENT_CLAIM_REFUSED; a second claim of the object before that
// has no effect. A claim waits while there is no host; if the session ends first, there is no
// answer. For an object that this peer owns already nothing happens, and no event follows.
// TERN_CLAIM_OPTIMISTIC, for an object that is known here: until the answer this peer may set the
// object, and tern_get() and tern_object_values() on this peer show what it has set. If the claim
// is granted, the fields that were set become the new owner's first change; if it is refused, or
// the session ends, they show the replicated value again. TERN_NO_ROOM: 64 more claims are
// unanswered than the session can hold objects (only claims of unknown objects can reach that).
TERN_API tern_result tern_claim(tern_session *session, tern_object object, tern_claim_mode mode);
// Whether a claim of the object by this peer waits for its answer.
TERN_API bool tern_is_claiming(const tern_session *session, tern_object object);
// The owner gives the object up to the host. What it sets until TERN_EVENT_OWNER_CHANGED may be
// lost.
TERN_API tern_result tern_release_ownership(tern_session *session, tern_object object);
// The owner locks an object: the host then refuses claims of it.
TERN_API tern_result tern_lock(tern_session *session, tern_object object, bool locked);
// A hash of all living objects, equal on peers that have the same world.
TERN_API uint64_t tern_world_digest(const tern_session *session);

typedef enum tern_claim_refusal {
    TERN_REFUSAL_NONE,
    TERN_REFUSAL_DEAD,      // The object was destroyed.
    TERN_REFUSAL_UNKNOWN,   // The host does not know the object yet; claim it again later.
    TERN_REFUSAL_POLICY,    // TERN_CLAIM_POLICY_NEVER.
    TERN_REFUSAL_BY_GAME,   // tern_refuse_claim().
    TERN_REFUSAL_OVERTAKEN, // Another claim came first; claim again.
    TERN_REFUSAL_LOCKED,    // The owner has locked the object.
    TERN_REFUSAL_COOLDOWN,  // claim_cooldown_ms of its type; claim again later.
    TERN_REFUSAL_QUOTA      // owned_max or claims_per_second_max of its type.
} tern_claim_refusal;
TERN_API const char *tern_claim_refusal_text(tern_claim_refusal refusal); // A sentence for people.

typedef enum tern_why { // Why a peer does not have an object, or the last change of it.
    TERN_WHY_HAS_IT,
    TERN_WHY_UNKNOWN,          // This peer does not know the object.
    TERN_WHY_NO_SUCH_PEER,     // The peer is not a member (any more).
    TERN_WHY_NO_CONNECTION,    // There is none to the peer at present; tern keeps trying.
    TERN_WHY_DEAD,             // The object is destroyed.
    TERN_WHY_DEATH_UNACKED,    // The object is destroyed, and the peer has not acked that.
    TERN_WHY_NOT_OWNED_HERE,   // Another peer owns the object and sends it: ask there.
    TERN_WHY_SENT_BY_HOST,     // In a star the host sends the object to the peer: ask there.
    TERN_WHY_PEER_JOINING,     // The object waits for the world sync of the peer.
    TERN_WHY_OBJECT_WAITS,     // The object waits behind other messages.
    TERN_WHY_OBJECT_UNACKED,   // The object is sent and not acked.
    TERN_WHY_CHANGE_WAITS,     // The change is sent next, or when acks make room for it.
    TERN_WHY_NO_BUDGET,        // The change waits for bandwidth.
    TERN_WHY_HIDDEN,           // Our game has hidden the object: tern_set_priority().
    TERN_WHY_CHANGE_UNACKED,   // The change is sent and not acked.
    TERN_WHY_CLAIM_UNANSWERED, // About this peer: the host has not answered our claim.
    TERN_WHY_CLAIM_REFUSED,    // About this peer: the host refused our last claim; see refusal.
    TERN_WHY_NOTHING_SENT      // Our game has not called tern_send() for a second.
} tern_why;
TERN_API const char *tern_why_text(tern_why why); // A sentence for people.
// Writes the object as logs of tern name it: the peer that has created it, a point and its number
// among the objects of that peer, as in "1.12".
TERN_API void tern_object_text(tern_object object, char text[TERN_OBJECT_TEXT_MAX]);

typedef struct tern_explanation {
    uint32_t struct_size;
    tern_why why;
    tern_claim_refusal refusal; // TERN_WHY_CLAIM_REFUSED.
    tern_peer owner;            // TERN_NO_PEER: the object is unknown or destroyed.
    uint32_t behind_ticks;      // The peer has not acked the last so many ticks of the owner.
    uint64_t refused_us;        // TERN_WHY_CLAIM_REFUSED: now_us of the tern_receive() with it.
} tern_explanation;
// Why `peer` does not have the object or its last change, or, for this peer, why it does not own
// it.
TERN_API tern_result tern_explain(const tern_session *session, tern_object object, tern_peer peer,
                                  tern_explanation *explanation);

// --- Calls (RPC) ---

typedef enum tern_reliability { TERN_RELIABLE, TERN_UNRELIABLE } tern_reliability;

// `to`: another member, TERN_EVERYONE (all other members, also if there are none), or TERN_HOST
// (reliable only). Reliable calls from one peer to another arrive in order.
TERN_API tern_result tern_call(tern_session *session, tern_peer to, tern_type_id type,
                               const void *arguments, size_t size_bytes,
                               tern_reliability reliability);
// Calls the peer that owns the object when the call arrives, this one too. It is delivered once, or
// TERN_EVENT_CALL_FAILED follows with the id of the call. `call` may be NULL.
TERN_API tern_result tern_call_owner(tern_session *session, tern_object object, tern_type_id type,
                                     const void *arguments, size_t size_bytes, tern_call_id *call);
// Like the two above, for calls that await a reply: TERN_EVENT_REPLY or TERN_EVENT_CALL_FAILED
// follows. timeout_ms: 1 to 600,000.
TERN_API tern_result tern_request(tern_session *session, tern_peer to, tern_type_id type,
                                  const void *arguments, size_t size_bytes, uint32_t timeout_ms,
                                  tern_call_id *call);
TERN_API tern_result tern_request_owner(tern_session *session, tern_object object,
                                        tern_type_id type, const void *arguments, size_t size_bytes,
                                        uint32_t timeout_ms, tern_call_id *call);
// Answers an event TERN_EVENT_CALL whose id is not TERN_NO_CALL, once, in the same tick or later.
TERN_API tern_result tern_reply(tern_session *session, tern_peer caller, tern_call_id call,
                                tern_type_id type, const void *arguments, size_t size_bytes);

// --- Events ---

typedef enum tern_event_kind {
    TERN_EVENT_JOIN_PROGRESS, // progress. While joining, once for each percent at most.
    TERN_EVENT_CAUGHT_UP,     // peer: this one. After tern_join(): the state is open.
    TERN_EVENT_JOIN_ASKED,    // newcomer. Answer with tern_admit() or tern_refuse().
    TERN_EVENT_PEER_JOINED,   // newcomer.
    TERN_EVENT_PEER_LEFT,     // peer. Events of its orphans follow once that is settled.
    // misbehaved. Reports of other members come to the host only. Once for each peer, breach and
    // reporter; tern_peer_stats counts them all.
    TERN_EVENT_MISBEHAVED,
    // peer: the lost host. Claims wait for the next host; all else continues, and
    // TERN_EVENT_HOST_CHANGED follows. If the state is joining: discard all earlier events, because
    // this peer joins with another member, as a new peer. The others have its objects, or will. If
    // the state was open or cut off before, the former world can be read until the next
    // tern_receive().
    TERN_EVENT_HOST_LOST,
    TERN_EVENT_HOST_CHANGED,     // host.
    TERN_EVENT_OBJECT_CREATED,   // object. What this peer does itself causes no event.
    TERN_EVENT_OBJECT_CHANGED,   // object, with changed_fields.
    TERN_EVENT_OBJECT_DESTROYED, // object.
    TERN_EVENT_OBJECT_HIDDEN,    // object. Its last values stay readable.
    TERN_EVENT_OBJECT_SHOWN,     // object.
    TERN_EVENT_OWNER_CHANGED,    // owner.
    TERN_EVENT_OBJECT_ORPHANED,  // owner. On the host, with TERN_ORPHAN_ASK_GAME.
    TERN_EVENT_CLAIM_ASKED,      // claim. Answer with tern_migrate() or tern_refuse_claim().
    TERN_EVENT_CLAIM_GRANTED,    // claim.
    TERN_EVENT_CLAIM_REFUSED,    // claim, with the refusal.
    TERN_EVENT_CALL,             // call. If its id is not TERN_NO_CALL: tern_reply().
    TERN_EVENT_REPLY,            // call: answers tern_request().
    TERN_EVENT_CALL_FAILED       // call, with the failure.
} tern_event_kind;
TERN_API const char *tern_event_kind_text(tern_event_kind kind); // "object_created" and the like.

typedef enum tern_call_failure {
    TERN_FAILURE_NONE,
    TERN_FAILURE_DEAD,        // The object was destroyed.
    TERN_FAILURE_UNKNOWN,     // This peer did not get to know the object within 2 s.
    TERN_FAILURE_NOT_ALLOWED, // callers or calls_per_second_max of the type.
    TERN_FAILURE_LOST,        // The recipient was lost. It may have got the call.
    TERN_FAILURE_NO_REPLY     // Within timeout_ms. The recipient may have got the call.
} tern_call_failure;
TERN_API const char *tern_call_failure_text(tern_call_failure failure);

// The kind says which member of the union is set. A later version may add kinds, so skip those that
// you do not know. It may also append members, so do not count on the size of an event.
struct tern_event {
    tern_event_kind kind;
    union {
        uint64_t room[7]; // Events are given as an array: their size stays when members are added.
        tern_peer peer;
        struct {
            uint32_t objects_here, objects_expected;
        } progress;
        struct {
            tern_peer peer;
            tern_peer previous; // This was its id before it was removed, if we knew it.
            uint16_t payload_bytes;
            const char *name;
            const void *payload; // TERN_EVENT_JOIN_ASKED.
        } newcomer;
        struct {
            tern_peer peer;
            tern_peer reporter; // TERN_NO_PEER: this peer has found it.
            tern_breach breach;
        } misbehaved;
        struct {
            tern_peer peer, previous;
        } host;
        struct {
            tern_object id;
            uint64_t changed_fields; // Bit i: field i of the type.
            tern_type_id type;
            tern_peer owner;
        } object;
        struct {
            tern_object object;
            uint64_t changed_fields;
            uint32_t lost_ticks; // The previous owner learns how many of its writes are missing.
            tern_type_id type;
            tern_peer owner, previous;
        } owner;
        struct {
            tern_object object;
            tern_type_id type; // TERN_NO_TYPE: this peer does not know the object.
            tern_peer claimer;
            tern_claim_refusal refusal;
        } claim;
        struct {
            tern_object object;    // The call was to its owner; else TERN_NO_OBJECT.
            const void *arguments; // The struct. NULL: a tern_call() that was refused.
            tern_call_id id;
            tern_call_failure failure;
            uint16_t argument_bytes;
            tern_type_id type;
            tern_peer peer; // The caller; of a failed call the recipient.
        } call;
    } of;
};

// --- A UDP socket, addresses and the clock, in the library tern::udp. A game may use its own. ---

// Binds a non-blocking socket to all interfaces. Port 0: any free one. ipv6: IPv4 peers too.
TERN_API tern_result tern_make_udp_socket(uint16_t port, bool ipv6, tern_socket **socket);
TERN_API void tern_destroy_socket(tern_socket *socket);
// Gives the number of datagrams that have arrived, at most 256, and points `datagrams` to them.
// They are valid until the next call.
TERN_API size_t tern_socket_receive(tern_socket *socket, const tern_datagram **datagrams);
TERN_API void tern_socket_send(tern_socket *socket, const tern_datagram *datagrams, size_t count);
TERN_API uint16_t tern_socket_port(const tern_socket *socket);
// Reads "1.2.3.4:7777" or "[::1]:7777".
TERN_API tern_result tern_parse_address(const char *text, tern_address *address);
TERN_API void tern_address_text(const tern_address *address, char text[TERN_ADDRESS_TEXT_MAX]);
// 127.0.0.1, or ::1 with ipv6: how processes of one machine reach each other.
TERN_API tern_address tern_loopback(uint16_t port, bool ipv6);
// Writes the addresses of this machine's network interfaces, with the port, for tern_make_invite().
// Gives their number, at most `count`. Link-local IPv6 addresses and those of interfaces that can
// neither broadcast nor multicast are left out; that of loopback is given only if there are no
// others. Those of IPv6 are for sockets that were made with ipv6.
TERN_API size_t tern_local_addresses(uint16_t port, tern_address *addresses, size_t count);
TERN_API uint64_t tern_clock_us(void); // A monotonic clock.
TERN_API void tern_sleep_us(uint64_t duration_us);

#ifdef __cplusplus
}
#endif
#endif
