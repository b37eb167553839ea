#include "migration/relay.h"
#include "migration/grants.h"
#include "migration/message_queue.h"
#include "migration/objects.h"
#include "migration/views.h"

namespace tern::relay {

static Item about(const Object &object)
{
    Item item = {};
    item.kind = MessageKind::relay;
    item.object = static_cast<uint64_t>(object.id);
    return item;
}

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
    for (const Object &object : r.world.slots.all())
        if (object.life == Life::alive) message_queue::push(r, to, about(object));
}

void began(Replica &r, ObjectSlot slot, uint32_t survived_tick)
{
    if (!replica::relays(r)) return;
    const Object &object = r.world.slots[slot];
    if (object.owner != r.self) {
        publish::forget_object(r.publisher, slot);
        forget_ticks(r, slot);
        r.survived_ticks[slot] = survived_tick;
    }
    message_queue::push_to_all(r, about(object));
}

void changed(Replica &r, ObjectSlot slot, uint64_t fields)
{
    if (!replica::relays(r) || fields == 0) return;
    const Object &object = r.world.slots[slot];
    for (uint32_t field = 0; field < r.types->types[object.type].fields.size(); ++field)
        if ((fields >> field & 1) != 0) world::field_tick(r.world, slot, field) = object.tick;
    publish::changed(r.publisher, slot);
}

void repeated(Replica &r, ObjectSlot slot)
{
    changed(r, slot, bounds::fields_of(r.types->types[r.world.slots[slot].type]));
}

void died(Replica &r, ObjectId object, PeerId sayer)
{
    if (!replica::relays(r)) return;
    Item item = {};
    item.kind = MessageKind::destroy;
    item.object = static_cast<uint64_t>(object);
    for (MemberSlot to = 0; to < r.members.count; ++to)
        if (r.members[to].id != sayer) message_queue::push(r, to, item);
}

void write(BitWriter &w, Replica &r, MemberSlot to, Item &item)
{
    const ObjectSlot slot = world::find_alive(r.world, static_cast<ObjectId>(item.object));
    if (slot == no_slot || r.world.slots[slot].owner == r.members[to].id) return;
    const Object &object = r.world.slots[slot];
    item.tick = grants::value_tick(r, object);
    item.stamp = object.stamp;
    messages::write_kind(w, MessageKind::relay);
    messages::write_object_id(w, object.id);
    messages::write_stamp(w, object.stamp);
    messages::write_peer(w, object.owner);
    bits::write(w, r.survived_ticks[slot], 32);
    messages::write_state(w, r, TrafficKind::relay, slot, item.tick);
}

void arrived(Replica &r, MemberSlot to, const Item &item)
{
    const ObjectSlot slot = world::find_alive(r.world, static_cast<ObjectId>(item.object));
    if (slot == no_slot || r.world.slots[slot].stamp != item.stamp) return;
    publish::announced(r.publisher, r.world, *r.types, to, slot, item.tick);
}

// --- A client ---

void sync_leader(Replica &r)
{
    const PeerId leader = replica::successor(r);
    if (r.topology != Topology::star || r.phase != Phase::in || leader == r.self) return;
    views::send_own(r, replica::find_member(r, leader));
}

Verdict receive(Replica &r, PeerId from, BitReader reader)
{
    TenureInfo tenure = {};
    tenure.id = messages::read_object_id(reader);
    tenure.stamp = messages::read_stamp(reader);
    tenure.owner = messages::read_peer(reader);
    tenure.survived_tick = static_cast<uint32_t>(bits::read(reader, 32));
    ObjectState state;
    messages::read_state(reader, r, state);
    if (!bits::complete(reader)) return Verdict::malformed;
    const bool may = r.topology == Topology::star && from == replica::successor(r);
    if (!may) return Verdict::forged;
    if (tenure.owner == r.self) return Verdict::forged; // Own objects come by GRANT.
    uint32_t unknown = 0;
    const Verdict fit = views::fits(r, tenure.id, state.type, unknown);
    if (fit == Verdict::ok) replica_objects::join(r, tenure, state);
    return fit;
}

}
