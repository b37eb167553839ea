// Tries every order in which the messages of several owners about one object can arrive at one
// peer. The messages of one sender stay in order; UPDATEs and duplicates arrive anywhere.
#pragma once
#include "tests/migration/group.h"
#include "tests/replication/update_room.h"
#include <map>
#include <set>

namespace tern::test {

struct Story {
    ReplicaPointer peer; // The receiver, before anything has arrived.
    ObjectId object;
    std::vector<std::pair<PeerId, std::vector<Bytes>>> streams; // In order, for each sender.
    std::vector<std::pair<PeerId, Bytes>> updates;              // May arrive at any time.
};

struct Ends {
    std::set<std::pair<bool, Stamp>> worlds; // Whether it is alive, and its stamp (0 if not).
    double orders = 0;                       // Arrival orders that were covered.
    size_t states = 0;
};

// A depth-first search. Orders that lead to the same state with the same remaining messages are
// searched once.
struct Search {
    const Story &story;
    Ends ends;
    std::map<std::pair<std::vector<uint8_t>, uint64_t>, double> seen;

    double visit(const Replica &r, std::vector<uint8_t> &left)
    {
        const auto key = std::make_pair(left, replica::state_hash(r));
        const auto known = seen.find(key);
        if (known != seen.end()) return known->second;
        double orders = 0;
        for (size_t i = 0; i < left.size(); ++i) {
            if (left[i] == 0) continue;
            ReplicaPointer next = copy(r);
            arrive(*next, i, left[i]);
            left[i] -= 1;
            orders += visit(*next, left);
            left[i] += 1;
        }
        if (orders == 0) {
            const Belief end = belief(r, story.object);
            ends.worlds.insert({end.alive, end.stamp});
            orders = 1;
        }
        ends.states += 1;
        return seen[key] = orders;
    }

    void arrive(Replica &r, size_t i, uint8_t count_left)
    {
        if (i < story.streams.size()) {
            const auto &[sender, messages] = story.streams[i];
            replica::receive(r, sender, messages[messages.size() - count_left]);
        } else {
            const auto &[sender, update] = story.updates[i - story.streams.size()];
            receive_updates(r, sender, update);
        }
        replica::end_receive(r);
        replica::begin_receive(r);
    }
};

inline Ends all_orders(const Story &story, uint8_t update_copies = 2)
{
    std::vector<uint8_t> left;
    for (const auto &[sender, messages] : story.streams)
        left.push_back(static_cast<uint8_t>(messages.size()));
    left.resize(left.size() + story.updates.size(), update_copies);
    Search search = {story, {}, {}};
    search.ends.orders = search.visit(*story.peer, left);
    return search.ends;
}

// Peers A (1, the host), B (2), C (3), and the receiver X (4). A creates the object, which B and C
// then own in turn.
struct Stage {
    Group group = make_group(4);
    ReplicaPointer before = copy(group.at(4));
    ObjectId object = ObjectId::none;
    std::vector<Bytes> said[4]; // Messages of A, B, C to X.
    std::vector<std::pair<PeerId, Bytes>> updates;
    uint64_t packet = 0;

    // Delivers all messages in flight. X of the story does not see them: it is the copy `before`.
    void flow() { group.flow(); }

    void listen() // Collects the messages to X, then delivers them.
    {
        for (unsigned from = 1; from <= 3; ++from) {
            group.settle_and_pull(from - 1);
            for (const Bytes &message : group.wires[from - 1][3])
                said[from].push_back(message);
        }
        flow();
    }

    void create()
    {
        const Thing thing = {1, 1};
        object = replica::create(group.at(1), 0, &thing);
        listen();
    }

    void update(unsigned owner, int32_t a)
    {
        Thing thing = value(group.at(owner), object);
        thing.a = a;
        replica::set(group.at(owner), world::find_alive(group.at(owner).world, object), &thing);
        const Bytes bytes = group.updates(owner, 4, packet);
        replica::on_packet_outcome(group.at(owner), peer(4), packet, true);
        packet += 1;
        if (!bytes.empty()) updates.emplace_back(peer(owner), bytes);
    }

    void migrate(unsigned to)
    {
        replica::migrate(group.at(1), object, peer(to));
        group.settle_and_pull(0); // Sends the GRANT.
        for (bool any = true; any;) {
            any = false;
            for (unsigned from = 1; from <= 3; ++from)
                for (unsigned other = 1; other <= 3; ++other)
                    while (group.deliver(from - 1, other - 1))
                        any = true;
        }
        listen();
    }

    void destroy(unsigned owner)
    {
        replica::destroy(group.at(owner), world::find_alive(group.at(owner).world, object));
        listen();
    }

    // repeated: every stream is sent twice, as after a new connection.
    Story story(bool repeated)
    {
        Story story;
        story.peer = copy(*before);
        story.object = object;
        story.updates = updates;
        for (unsigned from = 1; from <= 3; ++from) {
            std::vector<Bytes> stream = said[from];
            if (repeated) stream.insert(stream.end(), said[from].begin(), said[from].end());
            if (!stream.empty()) story.streams.emplace_back(peer(from), stream);
        }
        return story;
    }
};

// A sends C0, B sends M1.
inline Stage created_and_migrated()
{
    Stage stage;
    stage.create();
    stage.update(1, 2);
    stage.migrate(2);
    stage.update(2, 3);
    return stage;
}

// A sends C0; B sends M1 D1.
inline Story created_migrated_destroyed(bool repeated)
{
    Stage stage = created_and_migrated();
    stage.destroy(2);
    return stage.story(repeated);
}

// A sends C0 D0, while B sends M1: the grant and the destroy cross.
inline Story destroyed_while_migrating(bool repeated)
{
    Stage stage;
    stage.create();
    stage.update(1, 2);
    // B's MIGRATE is made without A's DESTROY, and A's DESTROY by a copy of A without the grant.
    ReplicaPointer a = copy(stage.group.at(1));
    stage.migrate(2);
    stage.update(2, 3);
    stage.group.replicas[0] = std::move(a);
    stage.destroy(1);
    return stage.story(repeated);
}

// A sends C0, B sends M1, C sends M2 and, if the object is to be destroyed, D2.
inline Story migrated_twice(bool destroyed, bool repeated)
{
    Stage stage = created_and_migrated();
    stage.migrate(3);
    stage.update(3, 4);
    if (destroyed) stage.destroy(3);
    return stage.story(repeated);
}

}
