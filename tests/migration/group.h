// A group of replicas and the streams between them, for tests that choose every delivery.
#pragma once
#include "migration/replica.h"
#include "sim/mutants/mutant.h"
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <sodium.h>
#include <vector>

namespace tern::test {

struct Thing {
    int32_t a, b;
};
inline const Field thing_fields[] = {{"a", FieldKind::int32, offsetof(Thing, a)},
                                     {"b", FieldKind::int32, offsetof(Thing, b)}};
// Type 0: orphans go to the host, claims are always granted. 1: orphans are destroyed. 2: claims
// are decided by the host's game. 3: claims are never granted. 4: orphans are spread.
inline const Type group_types[] = {
    {"thing", sizeof(Thing), thing_fields, 64},
    {"mortal", sizeof(Thing), thing_fields, 64, Orphan::destroy},
    {"asked", sizeof(Thing), thing_fields, 64, Orphan::to_host, ClaimPolicy::ask_game},
    {"kept", sizeof(Thing), thing_fields, 64, Orphan::to_host, ClaimPolicy::never},
    {"spread", sizeof(Thing), thing_fields, 64, Orphan::spread}};

using Bytes = std::vector<std::byte>;

// A search copies a replica for each step, and the system takes longer to provide the pages of a
// new block than the copy takes. So some blocks are kept, by their sizes.
inline std::vector<void *> &kept_blocks(size_t size_bytes)
{
    static auto &kept = *new std::map<size_t, std::vector<void *>>; // Outlives all replicas.
    return kept[size_bytes];
}

struct FreeMemory {
    void operator()(Replica *r) const
    {
        std::vector<void *> &kept = kept_blocks(r->sizes.block_bytes);
        if (kept.size() < 32)
            kept.push_back(r);
        else
            std::free(r);
    }
};
using ReplicaPointer = std::unique_ptr<Replica, FreeMemory>;

inline const TypeTable &group_table()
{
    static const TypeTable table = type_table::make(group_types);
    return table;
}

inline constexpr ReplicaLimits group_limits = {6, 256, 64, 1024, 16, 128, Quorum::survivors};

inline ReplicaPointer make_replica(Topology topology = Topology::mesh,
                                   uint32_t grants_max = group_limits.grants_max)
{
    ReplicaLimits limits = group_limits;
    limits.topology = topology;
    limits.grants_max = grants_max;
    void *memory = std::calloc(1, replica::size_bytes(group_table(), limits));
    return ReplicaPointer(replica::place(memory, group_table(), limits));
}

inline ReplicaPointer copy(const Replica &r)
{
    std::vector<void *> &kept = kept_blocks(r.sizes.block_bytes);
    void *memory = kept.empty() ? std::malloc(r.sizes.block_bytes) : kept.back();
    if (!kept.empty()) kept.pop_back();
    std::memcpy(memory, &r, r.sizes.block_bytes);
    return ReplicaPointer(static_cast<Replica *>(memory));
}

inline PeerId peer(unsigned id)
{
    return static_cast<PeerId>(id);
}

// Replica i has PeerId i + 1; the first is the host.
struct Group {
    struct Keys {
        uint8_t public_key[32], secret_key[64];
    };
    std::vector<ReplicaPointer> replicas;
    std::vector<Keys> keys;
    std::vector<std::vector<Event>> events;            // All events of each replica.
    std::vector<std::vector<std::deque<Bytes>>> wires; // [from][to]
    std::vector<std::vector<uint32_t>> delivered;      // [from][to]: messages, for acks.
    uint32_t grants_max = group_limits.grants_max;     // Each replica has this limit.

    Replica &at(unsigned id) { return *replicas[id - 1]; }

    Identity identity(size_t i) const
    {
        Identity identity = {};
        std::memcpy(identity.signing_key, keys[i].public_key, 32);
        identity.key[0] = static_cast<uint8_t>(i + 1);
        return identity;
    }

    void add(Topology topology = Topology::mesh)
    {
        replicas.push_back(make_replica(topology, grants_max));
        keys.emplace_back();
        crypto_sign_keypair(keys.back().public_key, keys.back().secret_key);
        events.emplace_back();
        for (auto &row : wires)
            row.resize(replicas.size());
        wires.emplace_back(replicas.size());
        for (auto &row : delivered)
            row.resize(replicas.size());
        delivered.emplace_back(replicas.size());
    }

    // Ends the receiving phase of replica i, keeps its events, and begins the next one.
    void settle(size_t i)
    {
        replica::end_receive(*replicas[i]);
        for (const Event &event : replicas[i]->log.events.all())
            events[i].push_back(event);
        replica::begin_receive(*replicas[i]);
    }

    void pull(size_t from)
    {
        replica::begin_send(*replicas[from]);
        for (size_t to = 0; to < replicas.size(); ++to) {
            const PeerId id = peer(static_cast<unsigned>(to + 1));
            if (to == from || !replica::is_member(*replicas[from], id)) continue;
            Bytes buffer(16 * 1024);
            while (const size_t size = replica::next_message(*replicas[from], id, buffer))
                wires[from][to].emplace_back(buffer.begin(),
                                             buffer.begin() + static_cast<ptrdiff_t>(size));
        }
        replica::end_send(*replicas[from]);
    }

    void settle_and_pull(size_t i)
    {
        settle(i);
        pull(i);
    }

    // Delivers the oldest message on one wire. Returns false if there is none.
    bool deliver(size_t from, size_t to)
    {
        if (wires[from][to].empty()) return false;
        // Members connect to a newcomer only after it has received its WELCOME with the roster.
        if (replicas[to]->phase == Phase::outside && from != 0) return false;
        const Bytes message = wires[from][to].front();
        wires[from][to].pop_front();
        const PeerId sender = peer(static_cast<unsigned>(from + 1));
        Replica &r = *replicas[to];
        if (r.phase == Phase::outside)
            replica::welcome(r, 7, keys[to].secret_key, identity(to), message);
        else
            last_verdict = replica::receive(r, sender, message);
        settle(to);
        delivered[from][to] += 1;
        replica::messages_acked(*replicas[from], peer(static_cast<unsigned>(to + 1)),
                                delivered[from][to]);
        return true;
    }
    Verdict last_verdict = Verdict::ok;

    void flow() // Sends and delivers until no message is in flight.
    {
        for (bool any = true; any;) {
            any = false;
            for (size_t i = 0; i < replicas.size(); ++i)
                settle_and_pull(i);
            for (size_t from = 0; from < replicas.size(); ++from)
                for (size_t to = 0; to < replicas.size(); ++to)
                    while (deliver(from, to))
                        any = true;
        }
    }

    // The connection between two replicas is made anew: what was not delivered is lost.
    void reconnect(size_t a, size_t b)
    {
        for (const auto &[from, to] : {std::pair(a, b), std::pair(b, a)}) {
            wires[from][to].clear();
            delivered[from][to] = 0;
            replica::rewind(*replicas[from], peer(static_cast<unsigned>(to + 1)));
        }
    }

    // The UPDATE message of `from` to `to` in one packet.
    Bytes updates(unsigned from, unsigned to, uint64_t packet)
    {
        return updates(at(from), to, packet);
    }
    // The UPDATE message that `from` would send, but with `liar` as its sender.
    Bytes forged_updates(unsigned liar, unsigned from, unsigned to, uint64_t packet)
    {
        const ReplicaPointer r = copy(at(from));
        r->publisher.self = liar;
        return updates(*r, to, packet);
    }

  private:
    static Bytes updates(Replica &from, unsigned to, uint64_t packet)
    {
        Bytes buffer(1000);
        replica::begin_send(from);
        buffer.resize(replica::write_updates(from, peer(to), packet, buffer));
        replica::end_send(from);
        return buffer;
    }
};

inline Group make_group(size_t count, Topology topology = Topology::mesh,
                        uint32_t grants_max = group_limits.grants_max)
{
    if (sodium_init() < 0) std::abort();
    Group group;
    group.grants_max = grants_max;
    for (size_t i = 0; i < count; ++i)
        group.add(topology);
    replica::start(group.at(1), 7, group.keys[0].secret_key, group.identity(0));
    for (size_t i = 1; i < count; ++i) {
        const PeerId id = replica::next_peer_id(group.at(1));
        replica::admit(group.at(1), id, group.identity(i));
        group.flow();
    }
    return group;
}

// The state of an object at one peer.
struct Belief {
    bool alive = false, dead = false;
    Stamp stamp = 0;
    PeerId owner = PeerId::none;
    friend bool operator==(const Belief &, const Belief &) = default;
};

inline Belief belief(const Replica &r, ObjectId object)
{
    Belief belief;
    belief.dead = dead::contains(r.world.dead, object);
    const ObjectSlot slot = world::find_alive(r.world, object);
    if (slot == no_slot) return belief;
    belief.alive = true;
    belief.stamp = r.world.slots[slot].stamp;
    belief.owner = r.world.slots[slot].owner;
    return belief;
}

inline Thing value(const Replica &r, ObjectId object)
{
    Thing thing;
    std::memcpy(&thing, world::value(r.world, *r.types, world::find_alive(r.world, object)),
                sizeof thing);
    return thing;
}

}
