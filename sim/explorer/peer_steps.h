// Every step of a Replica that was ever asked for, done once by the production code and remembered:
// a peer is a pure function of its block and of what it is told.
//
// Blocks and messages are kept once each and named by numbers. What is only history is taken out
// of a block before it is compared (settled(), below), so that blocks that cannot be told apart by
// anything that they will ever do are one.
#pragma once
#include "sim/explorer/peer_steps_types.h"

namespace tern {

struct PeerSteps { // Closed.
    struct Block {
        Key128 key;
        size_t first; // In positions and words: where it differs from its place's base.
        uint32_t count;
        PeerPlace place;
        Glance glance;
    };
    struct Message {
        Key128 key;
        size_t first; // In bytes.
        uint32_t size_bytes;
    };
    const TypeTable *_types = nullptr;
    uint32_t _peers = 0;
    std::vector<uint64_t> _memory; // One replica, in which all steps are done.
    std::vector<std::vector<uint64_t>> _bases;
    std::vector<Block> _blocks; // By number. Number 0: nobody.
    std::vector<uint16_t> _positions;
    std::vector<uint64_t> _words;
    std::vector<Message> _messages; // By number. 0: none.
    std::vector<std::byte> _bytes;
    std::vector<Believed> _beliefs;
    std::vector<PeerStep> _steps;
    std::vector<Said> _said;
    std::vector<Violation> _violations;
    HashTable _block_numbers, _message_numbers, _step_numbers, _belief_numbers;
    uint32_t _belief_count = 0;
};

namespace peer_steps {

// peers: with newcomers. mortal: orphans are destroyed, else the host adopts them.
PeerSteps make(uint32_t peers, bool mortal, Quorum quorum = Quorum::majority,
               Topology topology = Topology::mesh);
uint32_t first_host(PeerSteps &s);                // Place 0, alone.
uint32_t outsider(PeerSteps &s, PeerPlace place); // Not welcomed yet.
// Forgets everything but these blocks, whose numbers are given anew, from 1 on.
void begin_with(PeerSteps &s, std::span<uint32_t> blocks);

PeerStep step(PeerSteps &s, uint32_t block, const Input &input);

// What its peer could say of an object of another that it knows, without any right to. A message.
uint32_t forged_migrate(PeerSteps &s, uint32_t block, ObjectId object);
uint32_t forged_destroy(PeerSteps &s, uint32_t block, ObjectId object);

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
