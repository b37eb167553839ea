#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <set>
#include <tuple>

namespace tern::oracle_capacity {

using names::text;

namespace {

Violation exceeds(const char *invariant, const Replica &r, uint16_t index, size_t type,
                  const char *what, uint64_t count, uint64_t most)
{
    return oracles::violation(
        invariant, ObjectId::none, index, "peer %s: %llu %s of type %zu, %s %llu",
        text(r.self).c_str(), static_cast<unsigned long long>(count), what, type,
        invariant[0] == 'Q' ? "expected" : "at most", static_cast<unsigned long long>(most));
}

// The places that the peer's living creations use.
uint32_t count_creations(const Replica &r, size_t type)
{
    uint32_t count = 0;
    for (const KnownObject &object : r.world.slots.all())
        count += object.life == Life::alive && object.type == type &&
                 object_id::creator(object.id) == r.self;
    return count;
}

}

Violation check(const Node &node, uint16_t index)
{
    if (!node.session) return {};
    const Replica &r = inspect::replica(node.session);
    for (size_t type = 0; type < r.room.places.count; ++type) {
        const uint32_t most = r.types->types[type].objects_max;
        const Places &places = r.room.places[type];
        if (r.world.packed[type].alive > most)
            return exceeds("I26", r, index, type, "living objects", r.world.packed[type].alive,
                           most);
        if (r.phase == Phase::in && places.used > places.held)
            return exceeds("I26", r, index, type, "used places", places.used, places.held);
    }
    return {};
}

Violation check_places(const Replica &r, uint16_t index)
{
    std::set<std::tuple<PeerId, TypeId, uint32_t>> taken;
    for (const KnownObject &object : r.world.slots.all()) {
        if (object.life != Life::alive) continue;
        const PeerId creator = object_id::creator(object.id);
        if (taken.insert({creator, object.type, object.place}).second) continue;
        return oracles::violation("I26", object.id, index,
                                  "at peer %s %s lives in place %u, and so does another",
                                  text(r.self).c_str(), text(object.id).c_str(), object.place);
    }
    return {};
}

namespace {

// The node of this peer's host, which counts it as a member. Null: it has none.
const Replica *host_of(const Replica &r, std::span<const Node> nodes)
{
    for (const Node &node : nodes) {
        if (!node.session) continue;
        const Replica &other = inspect::replica(node.session);
        const bool is_it = other.self == replica::host(r) && other.session == r.session;
        if (is_it && replica::is_host(other) && replica::is_member(other, r.self)) return &other;
    }
    return nullptr;
}

}

Violation check_leases(std::span<const Node> nodes, uint16_t index)
{
    if (!nodes[index].session) return {};
    const Replica &r = inspect::replica(nodes[index].session);
    if (r.rules.topology == Topology::star || r.phase != Phase::in) return {};
    const Replica *host = host_of(r, nodes);
    if (!host) return {};
    for (const uint16_t slot : r.order.all()) {
        const PeerId creator = r.members[slot].id;
        if (creator == r.self || creator == host->self) continue;
        if (!replica::is_member(r, creator) || !replica::is_member(*host, creator)) continue;
        const MemberSlot at_host = replica::find_member(*host, creator);
        for (size_t type = 0; type < r.room.places.count; ++type) {
            const uint32_t alive = lease_of(r, slot, type).alive;
            const uint32_t places = lease_of(*host, at_host, type).places;
            if (alive > places)
                return exceeds("I29", r, index, type, "living objects of one creator", alive,
                               places);
        }
    }
    return {};
}

Violation check_at_rest(const AtRest &at_rest)
{
    if (at_rest.members.empty()) return {};
    const Replica &first = inspect::replica(at_rest.nodes[at_rest.members[0]].session);
    for (size_t type = 0; type < first.room.places.count; ++type) {
        uint64_t held = 0, used = 0;
        for (const uint16_t index : at_rest.members) {
            const Replica &r = inspect::replica(at_rest.nodes[index].session);
            const Places &places = r.room.places[type];
            held += places.held;
            used += places.used;
            const uint32_t alive = count_creations(r, type);
            if (tern::host_peer(at_rest.nodes[index].session) != r.self && places.used != alive)
                return exceeds("Q11", r, index, type, "used places", places.used, alive);
        }
        const uint16_t index = at_rest.members[0];
        if (held != first.types->types[type].objects_max)
            return exceeds("Q11", first, index, type, "places that all members hold", held,
                           first.types->types[type].objects_max);
        if (used != first.world.packed[type].alive)
            return exceeds("Q11", first, index, type, "places that all members use", used,
                           first.world.packed[type].alive);
    }
    return {};
}

}
