// Steps of single peers, run by the production code (Replica) once and cached: a step is a pure
// function of the peer's block, which is its memory, and of one input.
//
// Different blocks and messages are stored once and named by numbers. Before a block is compared,
// everything that cannot influence a later step is normalised (settled() in peer_steps.cpp), so
// that blocks with the same future behaviour get the same number.
#pragma once
#include "sim/explorer/forgery.h"
#include "sim/explorer/peer_steps_types.h"

namespace tern {

struct PeerSteps { // Closed.
    struct Block {
        Key128 key;
        // The words that differ from the base of its place: a range of _positions and _words.
        size_t first;
        uint32_t count;
        PeerPlace place;
        Glance glance;
    };
    struct Message {
        Key128 key;
        size_t first; // Offset in _bytes.
        uint32_t size_bytes;
    };
    const TypeTable *_types = nullptr;
    uint32_t _peers = 0;
    PeerPlace _liar = no_peer_place;
    std::vector<Update> _updates; // Memory for one message.
    std::vector<std::byte> _update_values;
    std::vector<uint64_t> _memory; // One replica, in which all steps run.
    std::vector<std::vector<uint64_t>>
        _bases;                 // For each place, the block that others are compared with.
    std::vector<Block> _blocks; // Indexed by number. Number 0: no peer.
    std::vector<uint16_t> _positions;
    std::vector<uint64_t> _words;
    std::vector<Message> _messages; // Indexed by number. Number 0: no message.
    std::vector<std::byte> _bytes;
    std::vector<Believed> _beliefs;
    std::vector<PeerStep> _steps;
    std::vector<Said> _said;
    std::vector<Violation> _violations;
    HashTable _block_numbers, _message_numbers, _step_numbers, _belief_numbers;
    uint32_t _belief_count = 0;
};

namespace peer_steps {

// peers: including newcomers, 1 to cluster_peers_max. mortal: orphans are destroyed; else the host
// adopts them. liar: the others charge it with its breaches, as sessions do, and nothing that it
// sends or believes is checked.
PeerSteps make(uint32_t peers, bool mortal, Quorum quorum = Quorum::majority,
               Topology topology = Topology::mesh, uint32_t objects_max = cluster_places_max,
               PeerPlace liar = no_peer_place);
uint32_t first_host(PeerSteps &s);                // A host at place 0, alone.
uint32_t outsider(PeerSteps &s, PeerPlace place); // Has no WELCOME yet.
// Forgets everything but these blocks, and replaces their numbers in `blocks` by new ones from 1
// on.
void begin_with(PeerSteps &s, std::span<uint32_t> blocks);

// Runs the input, ends the tick, and checks the invariants of peer_oracles.h.
PeerStep step(PeerSteps &s, uint32_t block, const Input &input);

// The number of a message about another's living object that this peer has no right to send; see
// forgery.h.
uint32_t forged_migrate(PeerSteps &s, uint32_t block, ObjectId object);
uint32_t forged_destroy(PeerSteps &s, uint32_t block, ObjectId object);
// The number of a message that this peer could send, and that is not true.
uint32_t lie(PeerSteps &s, uint32_t block, const Lie &lie);

const Glance &glance(const PeerSteps &s, uint32_t block);
std::span<const Believed> beliefs(const PeerSteps &s, uint32_t block); // In order of their ids.
const Believed *belief(const PeerSteps &s, uint32_t block, ObjectId object); // Null: none.
Key128 block_key(const PeerSteps &s, uint32_t block);
Key128 message_key(const PeerSteps &s, uint32_t message);
std::span<const std::byte> message(const PeerSteps &s, uint32_t number);
std::span<const Said> said(const PeerSteps &s, const PeerStep &step);
const Violation &violation(const PeerSteps &s, uint32_t number);
size_t block_count(const PeerSteps &s);
size_t step_count(const PeerSteps &s);

}
}
