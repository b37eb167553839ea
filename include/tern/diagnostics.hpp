// Counters of a session, and explanations for people and tools.
#pragma once
#include "tern/events.hpp"
#include "tern/limits.hpp"

namespace tern {

// How a member has broken the rules. No honest peer does, whatever the network does to it.
enum class Breach : uint32_t {
    none,
    malformed,  // It sent something that is not in the format, sealed with its own key.
    forged,     // It sent something for which it has no authority.
    over_quota, // It has created more objects than the host lets it: creations_left().
    equivocated // It signed two grants with one stamp, which no honest host does.
};
inline constexpr size_t breach_kinds = 5; // With none.

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

TERN_TWINS(Stats, tern_peer_stats);
TERN_TWINS(TypeStats, tern_type_stats);
TERN_TWINS(SessionStats, tern_session_stats);

// All zero but the breaches for a peer to which there is no connection, such as another client of a
// star.
inline Stats peer_stats(const Session *session, PeerId peer)
{
    Stats stats = {};
    tern_get_peer_stats(session, to_c(peer), to_c(&stats));
    return stats;
}

// Breaches of all kinds.
inline uint64_t breach_count(const Stats &stats)
{
    uint64_t count = 0;
    for (const uint64_t of_a_kind : stats.breaches)
        count += of_a_kind;
    return count;
}

inline SessionStats session_stats(const Session *session)
{
    SessionStats stats = {};
    tern_get_session_stats(session, to_c(&stats));
    return stats;
}

inline TypeStats type_stats(const Session *session, TypeId type)
{
    TypeStats stats = {};
    tern_get_type_stats(session, type, to_c(&stats));
    return stats;
}

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
    claim_refused,    // About this peer itself: the host refused our last claim; see refusal.
    nothing_sent      // Our game has not called send() for a second, and the answer needs that.
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

TERN_TWINS(Explanation, tern_explanation);

// Why `peer` does not have this object or its last change. For another peer the answer comes from
// its acks. For this peer it is why it does not own the object; the last 64 refused claims are
// remembered.
inline Explanation explain(const Session *session, ObjectId object, PeerId peer)
{
    Explanation explanation = {};
    tern_explain(session, to_c(object), to_c(peer), to_c(&explanation));
    return explanation;
}

// Hash of the ids, stamps, owners and values of all living objects. Equal on peers that have the
// same world; values set under an unanswered optimistic claim are left out.
inline uint64_t world_digest(const Session *session) { return tern_world_digest(session); }

// The last result of receive().
inline std::span<const Event> session_events(const Session *session)
{
    return span_of<Event>(tern_events, session);
}

// --- A config ---
// The first problem of a Config, as an English sentence that names the setting. "": none.
struct ConfigProblem {
    char text[256];
};
// Call it for a config from a file or a script, to show its author what is wrong.
inline ConfigProblem config_problem(const Config &config)
{
    ConfigProblem problem = {};
    tern_config_problem(to_c(&config), problem.text);
    return problem;
}

// The bytes that make_session() allocates for this config. Most of them are for as many objects and
// peers as there can be: what both limits multiply takes 34 bytes for each object and peer. 0 if
// config_problem() finds something.
inline size_t session_bytes(const Config &config) { return tern_session_bytes(to_c(&config)); }

// The config of the session, with its own copies of types, fields and names, and with defaults in
// place of zeros.
inline const Config &session_config(const Session *session)
{
    return *to_cpp(tern_session_config(session));
}

// Gives the name of the state, such as "cut_off", for a log.
inline const char *to_text(State state) { return tern_state_name(static_cast<tern_state>(state)); }

// Gives the name of the kind, such as "object_created", for a log.
inline const char *to_text(EventKind kind)
{
    return tern_event_kind_text(static_cast<tern_event_kind>(kind));
}

struct ObjectText {
    char text[object_text_max];
};
// Gives the object as logs of tern name it: the peer that has created it, a point and its number
// among the objects of that peer, as in "1.12".
inline ObjectText to_text(ObjectId object)
{
    ObjectText text = {};
    tern_object_text(to_c(object), text.text);
    return text;
}

// Sentences for people.
inline const char *to_text(Why why) { return tern_why_text(static_cast<tern_why>(why)); }

inline const char *to_text(Breach breach)
{
    return tern_breach_text(static_cast<tern_breach>(breach));
}

inline const char *to_text(ClaimRefusal refusal)
{
    return tern_claim_refusal_text(static_cast<tern_claim_refusal>(refusal));
}

}
