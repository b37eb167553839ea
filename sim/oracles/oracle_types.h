// The records that the oracles keep of a run, and the input of an oracle of objects.
#pragma once
#include "base/printf_format.h"
#include "sim/network/wire.h"
#include "sim/world/ledger.h"
#include "tern/diagnostics.hpp"

namespace tern {

// The last known state of one object at one peer.
struct Shown {
    Stamp stamp;
    uint32_t sequence; // Number of the last write, if that was in this tenure; else 0.
    Life life;         // none: the peer never knew it. dying: it was destroyed here, for good.
    uint64_t since_us; // World time from which on the peer has shown this tenure.
};

// An object as the events of its peer and the acts of the peer's own game have left it.
struct MirroredObject {
    bool is_there, hidden;
    TypeId type;
    PeerId owner;
    Written value;
};
// What a game knows if it follows the events of its session and nothing else.
struct Mirror {
    std::vector<std::vector<MirroredObject>> objects; // Indexed by creator and serial.
    size_t object_count;
    uint64_t owner_changes, creations; // Events so far.
    bool has_caught_up;                // Since then the members below are those of the events.
    bool host_is_early; // The host has shown itself by a grant. The session has not its view yet.
    PeerId host, last_host;              // host: none from host_lost to host_changed.
    std::vector<PeerId> peers;           // Ascending.
    uint64_t host_us;                    // World time of the last change of host_peer().
    std::map<PeerId, uint64_t> since_us; // World time of each peer_joined, or of caught_up.
};

// The data datagrams between a peer and the address of another one, since the peer's last tick.
struct PairTraffic {
    PeerId peer; // The peer at that address in the last tick.
    uint64_t sent_datagrams, sent_bytes, received_datagrams, received_bytes;
    Stats last; // What peer_stats() gave for that peer after the last tick.
};

// What sample() gave last of an object, at the time of the tick.
struct Sampled {
    Stamp stamp;
    uint32_t sequence; // 0: of a value with which the tenure began.
};

// A priority that the game of the sender has set.
struct Preference {
    ObjectId object;
    PeerId peer;
    float priority;
};
struct PreferenceRecord {
    float priority;
    Stamp stamp; // A later tenure begins with priority 1.
    uint64_t us; // World time.
};

// A message on the world stream of one connection. A message about several objects has several
// entries with the same number.
struct SaidMessage {
    uint64_t number;
    MessageKind message;
    ObjectId object;
    Stamp stamp;
};
// One direction of a connection. Received messages are erased from time to time.
struct SaidStream {
    std::vector<SaidMessage> said;
    size_t heard;    // How many messages of `said` were received.
    uint64_t newest; // Number of the last message sent.
    PeerId to;
};

// The number of connections over which calls of one peer could reach another, and in a star also of
// the later hosts that have relayed them: as the receiver counts them, and as the sender does. The
// two differ if one of them took a connection for open that the other never had. A peer that has
// gone counts 0.
struct Connections {
    uint64_t heard, said;
};

// Calls from one peer to another.
struct CallLog {
    uint32_t said, heard; // Sequence of the last reliable call sent, and received.
    // When the last reliable call was received, without connections that began in the same tick: it
    // may have come over the one before.
    Connections when_heard;
    Connections when_said; // When the last reliable call was sent.
    // For each reliable call: Connections::said in the tick in which it was sent.
    std::vector<uint64_t> said_over;
    // A bit for each unreliable call that was received: calls to this peer, and to everyone.
    std::vector<uint64_t> unreliable, to_everyone;
};

// A call that is answered or restricted, from the moment it was made.
struct AskRecord {
    Ask ask;
    ObjectId about;
    PeerId to;
    CallId id;
    bool is_over; // The caller has received a reply or a failure.
    CallFailure failure;
    std::vector<PeerId> heard_by;
};
// The calls of one caller.
struct AskLog {
    std::vector<AskRecord> said; // Indexed by sequence - 1.
    // For each object, the highest sequence of a call for its owner that was received.
    std::map<ObjectId, uint32_t> newest_heard;
    // For each receiver, when it received the rate-limited calls of the last second (its own
    // clock).
    std::map<PeerId, std::vector<uint64_t>> limited_us;
};

// The packet numbers under one key, at one peer.
struct KeyLog {
    bool has_sealed;
    uint64_t sealed;                // The highest number sealed.
    std::vector<uint64_t> accepted; // A bit for each number accepted.
};

// The connections of one peer with another.
struct Links {
    uint64_t key; // The key of the newest connection.
    uint64_t count;
    // On the receiver, this leaves out the connections that began in the peer's last tick.
    uint64_t count_before;
};

// Traffic between a peer and one address.
struct Account {
    Address address;
    // Counted until the address is validated. sent_bytes excludes initiations and challenges.
    uint64_t received_bytes, sent_bytes;
    std::vector<uint32_t> asks; // The connection ids of the initiations that the peer has sent it.
    bool responded;             // A response to one of them has arrived.
    bool data_arrived;          // A data datagram came from it in this tick.
    bool challenged;            // The peer has sent it a challenge, or the answer to one.
    bool validated;             // The other side has proven to be a peer; see oracle_checks.h, I10.
    bool touched;               // Bytes were counted since the last tick.
};

// An unanswered claim of a peer's game.
struct OpenClaim {
    // Written::tenure of the first and the last value set under the claim. 0: none was set.
    uint64_t first_hoped, last_hoped;
};

struct LastGrant {
    uint64_t us; // By the clock of the host.
    PeerId owner;
};

struct NodeRecord { // The record of one peer. A new peer at the same node starts with an empty one.
    PeerId self;
    uint64_t ticks;
    std::vector<std::vector<Shown>> shown; // Indexed by creator and serial.
    std::map<uint64_t, KeyLog> keys;
    // Connections over which packets of another peer were accepted, and sealed for that peer.
    std::map<PeerId, Links> links, own_links;
    // In a star: the host, which relays all calls, and how many times it has changed, by now and
    // before the last tick.
    PeerId relaying_host;
    uint64_t host_changes, host_changes_before;
    std::vector<Account> accounts; // Validated ones first.
    std::map<ObjectId, OpenClaim> claims;
    // Hosts only: the objects that were locked at the end of the last tick, with their tenures, and
    // the objects that the host's game gave away in that tick.
    std::map<ObjectId, Stamp> locked;
    std::set<ObjectId> given;
    size_t granted; // How many of Ledger::order_of_grants were checked.
    // Hosts only, for types with a cooldown: when each object was granted last, by the host's
    // clock, how many of Ledger::order_of_grants were checked for that, and as at the end of the
    // last tick the objects whose transfer waits, and whether the game had spread the load.
    std::map<ObjectId, LastGrant> last_grants;
    size_t grants_cooled;
    std::set<ObjectId> waiting_grants;
    bool balanced;
    bool collected; // The host awaited answers to a query.
    Mirror mirror;
    std::map<std::pair<ObjectId, PeerId>, PreferenceRecord> preferences;
    std::map<ObjectId, Sampled> sampled;
    std::vector<PairTraffic> traffic; // Indexed by node.
    // World time when the peer last had a path in doubt, or a bridged one: it then challenges other
    // addresses, and is answered from them. 0: it never had.
    uint64_t doubted_us;
    uint64_t open_us; // World time from which on the session is open. 0: it is not.
    // The session has so many members at the end of this tick, and had at the end of the last one.
    uint32_t members, members_before;
    // World time when the path to a peer was last bridged, or there was no connection with it.
    std::map<PeerId, uint64_t> indirect_us;
};

// What one node's peer has received from another's while both were open.
struct Apart {
    uint64_t heard_us; // World time of the last datagram, or when both were open first.
    bool ever;         // Once there was nothing for half a timeout.
};

struct Survivor { // The last peer of a node that was open.
    PeerId self;
    // lost: it is cut off. gone: it crashed, left, or ended otherwise.
    enum class State : uint8_t { gone, open, lost } state;
};

struct Survival {
    std::vector<Survivor> peers;                   // Indexed by node.
    std::vector<Apart> apart;                      // Indexed by receiver * nodes + sender.
    std::map<PeerId, uint64_t> opened_us, gone_us; // World times. A crashed peer has gone.
};

using Pair = std::pair<PeerId, PeerId>; // Sender, receiver.

struct Oracles {
    Violation violation; // The first one found.
    Ledger ledger;
    std::vector<NodeRecord> nodes;
    std::map<Pair, CallLog> calls;
    std::map<PeerId, AskLog> asks;
    std::map<uint64_t, SaidStream> streams; // Indexed by the sender's key.
    std::vector<uint64_t> handed_out_bits;  // For each node, bits sent by its present session.
    std::vector<Address> homes;             // Addresses that peers have or had.
    std::set<PeerId> relaying_hosts;        // Peers that are or were hosts of a star.
    Survival survival;
    bool journals; // Some peer has written notes.
    // The nodes from here on have liars. With any, only what honest peers must not suffer is
    // checked. all_stay: nothing but a liar could make an honest peer go.
    uint16_t liars_first = UINT16_MAX;
    bool all_stay = false;
    // Indexed by sender * nodes + receiver. Null: the freshness of what is shown is not checked.
    const std::vector<PathHealth> *paths = nullptr;
    // The program's counter of allocations. Null: allocations are not checked.
    const uint64_t *allocation_count = nullptr;
    uint64_t allocations_before;
};

// The input of an oracle of objects: one step of one object at one peer.
struct Judged {
    const Ledger &ledger;
    const ObjectRecord *record; // Null: nobody has created it.
    PeerId self, host;
    uint16_t node;
    const Step &step;
    const Shown &before; // The object at this peer before the step.
};

namespace oracles {

Violation violation(const char *invariant, ObjectId object, uint16_t node, const char *format, ...)
    TERN_PRINTF(4, 5);

// The entry of the object, which is added if it is missing.
Shown &shown(NodeRecord &record, ObjectId object);
// Null: the peer never knew the object.
const Shown *find_shown(const NodeRecord &record, ObjectId object);

// Sets bit i, and grows `bits` as needed. True: it was set before.
bool set_bit(std::vector<uint64_t> &bits, uint64_t i);

}
}
