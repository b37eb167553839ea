// Scripted peers for the tests of the oracles: each call states what one peer shows after a tick.
//     Scene scene(3); scene.creates(0, thing); scene.shows(1, thing, 0, peer(1), wrote);
#pragma once
#include "sim/oracles/oracles.h"
#include <gtest/gtest.h>

namespace tern::test {

inline PeerId peer(unsigned id)
{
    return static_cast<PeerId>(id);
}

inline ObjectId object(unsigned creator, unsigned serial)
{
    return object_id::make(peer(creator), serial);
}

inline Stamp stamp(uint32_t count)
{
    return stamps::make({1, peer(1), count});
}

inline Written written(Stamp tenure, uint32_t sequence, unsigned writer)
{
    Written value = {};
    value.tenure = tenure;
    value.sequence = sequence;
    value.writer = peer(writer);
    value.health = static_cast<int32_t>(100 * writer + sequence);
    return value;
}

// nodes[i] is peer i + 1, and peer 1 is the host. There are no sessions.
struct Scene {
    std::vector<Node> nodes;
    Oracles oracles = {};

    explicit Scene(uint16_t count)
    {
        for (uint16_t i = 0; i < count; ++i) {
            Node node;
            node.self = peer(i + 1u);
            node.address.port = static_cast<uint16_t>(7000 + i);
            nodes.push_back(node);
        }
    }

    const Violation &violation() const { return oracles.violation; }

    void tick(uint16_t node)
    {
        nodes[node].note_count = nodes[node].notes.size();
        oracles::ticked(oracles, nodes, node);
        nodes[node].changes.clear();
        nodes[node].calls.clear();
        nodes[node].notes.clear();
        nodes[node].note_count = 0;
    }

    // Sets the state of the object that the node shows from now on; `before` is the state until
    // now.
    void shows(uint16_t node, ObjectId id, Stamp stamp, PeerId owner, const Written &value,
               Life life = Life::alive)
    {
        KnownObject after = {};
        after.id = id;
        after.stamp = stamp;
        after.owner = owner;
        after.life = life;
        KnownObject &before = last[{node, id}];
        nodes[node].changes.push_back({id, before, after, true, value});
        before = after;
        tick(node);
    }
    void creates(uint16_t node, ObjectId id)
    {
        shows(node, id, 0, nodes[node].self, written(0, 1, node + 1u));
    }
    void gone(uint16_t node, ObjectId id)
    {
        nodes[node].changes.push_back({id, last[{node, id}], {}, false, {}});
        last[{node, id}] = {};
        tick(node);
    }
    void grants(Stamp stamp, unsigned owner, std::vector<ObjectId> objects)
    {
        ledger::granted(oracles.ledger, stamp, peer(owner), objects);
    }
    void notes(uint16_t node, NoteKind kind, uint64_t key, uint64_t number, unsigned other,
               MessageKind message = MessageKind::none, ObjectId id = ObjectId::none)
    {
        Note note = {};
        note.kind = kind;
        note.key = key;
        note.number = number;
        note.peer = peer(other);
        note.message = message;
        note.object = id;
        nodes[node].notes.push_back(note);
    }
    void plays(uint16_t node, bool heard, unsigned from, unsigned to, uint32_t sequence,
               bool reliable = true)
    {
        Numbered call = {};
        call.from = peer(from);
        call.to = peer(to);
        call.sequence = sequence;
        call.reliable = reliable;
        nodes[node].calls.push_back({call, heard, heard ? call.from : PeerId::none});
        tick(node);
    }

    std::map<std::pair<uint16_t, ObjectId>, KnownObject> last;
};

inline testing::AssertionResult fired(const Scene &scene, const char *invariant)
{
    if (scene.violation().invariant == invariant) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "\"" << scene.violation().invariant << "\": " << scene.violation().text;
}

inline testing::AssertionResult silent(const Scene &scene)
{
    return fired(scene, "");
}

}
