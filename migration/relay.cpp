#include "migration/relay.h"
#include "migration/deaths.h"
#include "migration/grants.h"
#include "migration/message_queue.h"
#include "migration/objects.h"
#include "migration/views.h"

namespace tern::relay {

static void forget_ticks(Replica &r, ObjectSlot slot)
{
    for (uint32_t field = 0; field < r.types->types[r.world.slots[slot].type].fields.size();
         ++field)
        world::field_tick(r.world, slot, field) = 0;
}

// --- The host ---

void begin(Replica &r)
{
    if (!replica::relays(r)) return;
    r.publisher.ticks = Ticks::each;
    publish::forget_interests(r.publisher);
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot)
        if (r.world.slots[slot].life == Life::alive && r.world.slots[slot].owner != r.self)
            forget_ticks(r, slot); // They may be those of a former tenure of ours.
    for (MemberSlot to = 0; to < r.members.count; ++to)
        send_all(r, to);
}

void send_all(Replica &r, MemberSlot to)
{
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot)
        if (r.world.slots[slot].life == Life::alive) message_queue::announce_to(r, to, slot);
}

void began(Replica &r, ObjectSlot slot, uint32_t survived_tick)
{
    if (!replica::relays(r)) return;
    const KnownObject &object = r.world.slots[slot];
    if (object.owner != r.self) {
        publish::forget_object(r.publisher, r.world, slot);
        forget_ticks(r, slot);
        r.rights.survived_ticks[slot] = survived_tick;
    }
    message_queue::announce(r, slot);
}

void changed(Replica &r, ObjectSlot slot, uint64_t fields)
{
    if (!replica::relays(r) || fields == 0) return;
    const KnownObject &object = r.world.slots[slot];
    for (uint32_t field = 0; field < r.types->types[object.type].fields.size(); ++field)
        if ((fields >> field & 1) != 0) world::field_tick(r.world, slot, field) = object.tick;
    world::set_changed(r.world, slot, true);
}

void repeated(Replica &r, ObjectSlot slot)
{
    changed(r, slot, bounds::fields_of(r.types->types[r.world.slots[slot].type]));
}

void died(Replica &r, DeadRange range, PeerId sender)
{
    if (!replica::relays(r)) return;
    for (const uint16_t to : r.order.all())
        if (r.members[to].id != sender) deaths::owe(r, to, range);
}

uint32_t write(BitWriter &w, Replica &r, ObjectSlot slot)
{
    const KnownObject &object = r.world.slots[slot];
    const uint32_t tick = grants::value_tick(r, object);
    messages::write_kind(w, MessageKind::relay);
    messages::write_object_id(w, object.id);
    messages::write_stamp(w, object.stamp);
    messages::write_peer(w, object.owner);
    bits::write_varint(w, object.place);
    bits::write(w, r.rights.survived_ticks[slot], 32);
    messages::write_state(w, r, TrafficKind::relay, slot, tick);
    return tick;
}

// --- A client ---

void sync_leader(Replica &r)
{
    const PeerId leader = replica::successor(r);
    if (r.rules.topology != Topology::star || r.phase != Phase::in || leader == r.self) return;
    const MemberSlot to = replica::find_member(r, leader);
    message_queue::push(r, to, Control::dead);
    views::send_own(r, to);
}

Verdict receive(Replica &r, PeerId from, BitReader reader)
{
    TenureInfo tenure = {};
    tenure.id = messages::read_object_id(reader);
    tenure.stamp = messages::read_stamp(reader);
    tenure.owner = messages::read_peer(reader);
    tenure.place = messages::read_place(reader);
    tenure.survived_tick = static_cast<uint32_t>(bits::read(reader, 32));
    ObjectState state;
    messages::read_state(reader, r, state);
    if (!bits::complete(reader)) return Verdict::malformed;
    const bool may = r.rules.topology == Topology::star && from == replica::successor(r);
    if (!may) return Verdict::forged;
    if (tenure.owner == r.self) return Verdict::forged; // Own objects come by GRANT.
    views::NewObjects fresh = {};
    const Verdict fit = views::fits(r, tenure.id, state.type, tenure.place, fresh);
    if (fit == Verdict::ok)
        replica_objects::join(r, tenure, state, replica_objects::Source::message);
    return fit;
}

}
