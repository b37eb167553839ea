#include "sim/explorer/glances.h"
#include "sim/explorer/peer_setup.h"
#include <algorithm>
#include <cstring>

namespace tern::glances {

using peer_steps::place_of;

static Believed believed(const Replica &r, const KnownObject &object, ObjectSlot slot)
{
    Believed believed = {};
    believed.object = object.id;
    believed.stamp = object.stamp;
    believed.owner = object.owner;
    believed.alive = true;
    believed.dead = dead::contains(r.world.dead, object.id);
    believed.hidden = object.hidden;
    for (MemberSlot member = 0; member < r.members.count; ++member) {
        const bool hidden = r.publisher.interests[member * r.publisher.slot_count + slot].hidden;
        if (!hidden || r.members[member].id == PeerId::none) continue;
        believed.hidden_from |= static_cast<uint8_t>(1u << place_of(r.members[member].id));
    }
    std::memcpy(&believed.value, world::value(r.world, *r.types, slot), sizeof believed.value);
    return believed;
}

// Living objects and tombstones, by rising id.
static std::vector<Believed> beliefs_of(const Replica &r)
{
    std::vector<Believed> all;
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life == Life::alive) all.push_back(believed(r, object, slot));
    }
    for (const DeadRange &range : r.world.dead.all())
        for (uint64_t id = range.first; id <= range.last; ++id) {
            const auto object = static_cast<ObjectId>(id);
            if (world::find_alive(r.world, object) == no_slot)
                all.push_back({object, 0, PeerId::none, false, true, false, 0, {}, {}});
        }
    std::sort(all.begin(), all.end(),
              [](const Believed &a, const Believed &b) { return a.object < b.object; });
    return all;
}

static uint32_t number_of_beliefs(PeerSteps &s, std::span<const Believed> all)
{
    static_assert(std::has_unique_object_representations_v<Believed>);
    const Key128 key = hash_table::key(std::as_bytes(all));
    const uint32_t known = hash_table::find(s._belief_numbers, key);
    if (known != 0) return known;
    s._belief_count += 1;
    hash_table::add(s._belief_numbers, key, s._belief_count);
    return s._belief_count;
}

static bool settled_with(const Replica &r, MemberSlot slot)
{
    return replica::queued_count(r, r.members[slot].id) == 0 &&
           !publish::has_due(r.publisher, r.world, slot) &&
           r.publisher.rings[slot].packet_count == 0;
}

// Sets the bits for locked and released objects; bit i stands for all[i].
static void look_at_marks(Glance &glance, const Replica &r, std::span<const Believed> all)
{
    for (size_t i = 0; i < all.size(); ++i) {
        const ObjectSlot slot = world::find_alive(r.world, all[i].object);
        if (slot == no_slot) continue;
        const auto bit = static_cast<uint8_t>(1u << i);
        if ((r.rights.owner_requests[slot] & request_lock) != 0) glance.locked |= bit;
        if ((r.rights.owner_requests[slot] & request_release) != 0) glance.released |= bit;
        if (r.rights.locks[slot] != 0) glance.known_locked |= bit;
    }
}

// There is one type with objects.
static void look_at_lease(Glance &glance, const Replica &r, MemberSlot slot)
{
    const Lease &lease = lease_of(r, slot, 0);
    const PeerPlace place = place_of(r.members[slot].id);
    glance.created[place] = static_cast<uint8_t>(std::min(lease.alive, 255u));
    glance.leased[place] = static_cast<uint8_t>(std::min(lease.places, 255u));
}

Glance look(PeerSteps &s, const Replica &r)
{
    Glance glance = {};
    const std::vector<Believed> all = beliefs_of(r);
    glance.belief_first = static_cast<uint32_t>(s._beliefs.size());
    glance.belief_count = static_cast<uint8_t>(all.size());
    s._beliefs.insert(s._beliefs.end(), all.begin(), all.end());
    glance.beliefs = number_of_beliefs(s, all);
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        if (member.id == PeerId::none) continue;
        const auto bit = static_cast<uint8_t>(1u << place_of(member.id));
        glance.known |= bit;
        if (member.fenced) continue;
        glance.roster |= bit;
        look_at_lease(glance, r, slot);
        if (!settled_with(r, slot)) glance.unsettled |= bit;
    }
    glance.claims = static_cast<uint8_t>(r.claims.count);
    const PeerId leader = replica::successor(r);
    glance.leader = leader == PeerId::none ? no_peer_place : place_of(leader);
    glance.last = place_of(static_cast<PeerId>(r.term.last_peer));
    glance.in_charge = r.phase == Phase::in && replica::host(r) == r.self;
    glance.ended = r.fault == Fault::minority || r.fault == Fault::host_lost;
    glance.phase = r.phase;
    glance.collecting = r.duties.collecting;
    glance.view = r.term.view;
    look_at_marks(glance, r, all);
    return glance;
}

}
