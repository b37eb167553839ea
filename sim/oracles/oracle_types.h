// What the oracles remember of a run, and what one of them is given to judge.
#pragma once
#include "sim/world/ledger.h"

namespace tern {

// What a peer last believed of one object.
struct Shown {
    Stamp stamp;
    uint32_t sequence; // Of its value, if that was written in this tenure; else 0.
    Life life;         // none: it has never known it. dying: dead, and that is final.
};

// One stream of messages, as it was said over one connection and has been heard so far.
struct SaidMessage {
    uint64_t number;
    MessageKind message;
    ObjectId object;
    Stamp stamp;
};
struct SaidStream { // What is left of it: heard ones go.
    std::vector<SaidMessage> said;
    size_t heard;
    uint64_t newest; // Number.
    PeerId to;
};

// How many connections two peers have had over which the calls of one reach the other, as the one
// who hears knows and as the one who says does: one of them may have taken a connection for open
// that the other never had. Of who has gone by now nothing is known.
struct Connections {
    uint64_t heard, said;
};

// Calls from one peer to another.
struct CallLog {
    uint32_t said, heard;   // Of the reliable ones: the newest.
    Connections when_heard; // As of the newest that was heard,
    Connections when_said;  // ... and that was said.
    // Unreliable ones that were heard, to this peer and to everyone: a bit for each.
    std::vector<uint64_t> unreliable, to_everyone;
};

// A call that is answered or restricted, from its saying on.
struct AskRecord {
    Ask ask;
    ObjectId about;
    PeerId to;
    CallId id;
    bool is_over; // Its reply or its failure has come.
    CallFailure failure;
    std::vector<PeerId> heard_by;
};
struct AskLog {                                         // Of one caller.
    std::vector<AskRecord> said;                        // By sequence less 1.
    std::map<ObjectId, uint32_t> newest_heard;          // Of calls for its owner.
    std::map<PeerId, std::vector<uint64_t>> limited_us; // Heard by: when, of the last second.
};

// Packet numbers under one key, at one peer.
struct KeyLog {
    bool has_sealed;
    uint64_t sealed;                // The newest.
    std::vector<uint64_t> accepted; // A bit for each.
};

// How often a peer has had a new connection with another.
struct Links {
    uint64_t key;
    uint64_t count;
};

// Bytes between a peer and one address.
struct Account {
    Address address;
    uint64_t received_bytes, sent_bytes; // Sent: answers only, and only until it is validated.
    bool asked;                          // We have sent it an initiation.
    bool data_arrived;                   // In this tick.
    bool challenged;                     // We have sent it a challenge, or the answer to one.
    bool validated;                      // It holds keys that we have agreed with it.
    bool touched;                        // Since the last tick.
};

// A claim of a peer's game that waits for its answer.
struct OpenClaim {
    uint64_t first_hoped, last_hoped; // Of what its game has set of it. 0: nothing.
};

struct NodeRecord { // Of one peer; who comes after it begins anew.
    PeerId self;
    uint64_t ticks;
    std::vector<std::vector<Shown>> shown; // By creator and serial.
    std::map<uint64_t, KeyLog> keys;
    std::map<PeerId, Links> links,
        own_links;                 // Of packets accepted from it; of those sealed for it.
    std::vector<Account> accounts; // Validated ones first.
    bool response_arrived;         // In this tick.
    std::map<ObjectId, OpenClaim> claims;
    // As host: what was locked at the end of the last tick, and for which tenure; what its game
    // gave away in it. Of anybody: how many of all grants have been looked at.
    std::map<ObjectId, Stamp> locked;
    std::set<ObjectId> given;
    size_t granted;
};

using Pair = std::pair<PeerId, PeerId>; // From, to.

struct Oracles {
    Violation violation; // The first.
    Ledger ledger;
    std::vector<NodeRecord> nodes;
    std::map<Pair, CallLog> calls;
    std::map<PeerId, AskLog> asks;
    std::map<uint64_t, SaidStream> streams;     // By the sender's key.
    std::vector<uint64_t> handed_out_bits;      // By node: of its session.
    std::vector<Address> homes;                 // Where peers are or have been: no stranger's.
    std::set<PeerId> relaying_hosts;            // Of a star, by now.
    bool journals;                              // Some peer has kept one.
    const uint64_t *allocation_count = nullptr; // The program's: rises with each. Null: not
                                                // watched.
    uint64_t allocations_before;
};

// Everything about one step that an object's oracles may ask.
struct Judged {
    const Ledger &ledger;
    const ObjectRecord *record; // Null: nobody has made it.
    PeerId self, host;
    uint16_t node;
    const Step &step;
    const Shown &before; // What this peer believed.
};

namespace oracles {

Violation violation(const char *invariant, ObjectId object, uint16_t node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

Shown &shown(NodeRecord &record, ObjectId object);
// Null: it has never known it.
const Shown *find_shown(const NodeRecord &record, ObjectId object);

// True if it was set already.
bool set_bit(std::vector<uint64_t> &bits, uint64_t i);

}
}
