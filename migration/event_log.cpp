#include "migration/event_log.h"

namespace tern::happenings {

static Event about(const Replica &r, EventKind kind, Slot slot)
{
    const Object &object = r.world.slots[slot];
    Event event = {};
    event.kind = kind;
    event.type = object.type;
    event.peer = object.owner;
    event.object = object.id;
    return event;
}

void peer(Replica &r, EventKind kind, PeerId peer)
{
    Event event = {};
    event.kind = kind;
    event.peer = peer;
    flat::push(r.events, event);
}

void host(Replica &r, PeerId host)
{
    if (r.told_host == host) return;
    Event event = {};
    event.kind = EventKind::host_changed;
    event.peer = host;
    event.previous = r.told_host;
    flat::push(r.events, event);
    r.told_host = host;
}

void created(Replica &r, Slot slot)
{
    flat::push(r.events, about(r, EventKind::object_created, slot));
}

void changed(Replica &r, Slot slot, uint64_t fields)
{
    if (fields == 0) return;
    uint32_t &at = r.changed_events[slot];
    if (at == 0) {
        flat::push(r.events, about(r, EventKind::object_changed, slot));
        at = r.events.count;
    }
    r.events[at - 1].changed_fields |= fields;
}

void seen(Replica &r, Slot slot, Sight sight)
{
    if (sight == Sight::same) return;
    const EventKind kind =
        sight == Sight::hidden ? EventKind::object_hidden : EventKind::object_shown;
    uint32_t &at = r.sight_events[slot];
    if (at == 0) {
        flat::push(r.events, about(r, kind, slot));
        at = r.events.count;
    }
    r.events[at - 1].kind = kind;
}

void show(Replica &r, Slot slot)
{
    Object &object = r.world.slots[slot];
    if (object.hidden) seen(r, slot, Sight::shown);
    object.hidden = false;
    object.sight_tick = 0;
}

void destroyed(Replica &r, Slot slot)
{
    flat::push(r.events, about(r, EventKind::object_destroyed, slot));
    r.changed_events[slot] = r.sight_events[slot] = 0;
}

void owner_changed(Replica &r, Slot slot, PeerId previous, uint64_t fields, uint32_t lost_ticks)
{
    Event event = about(r, EventKind::owner_changed, slot);
    event.previous = previous;
    event.changed_fields = fields;
    event.lost_ticks = lost_ticks;
    flat::push(r.events, event);
    r.changed_events[slot] = 0; // Changes under the new owner come after this event.
}

void orphaned(Replica &r, Slot slot)
{
    flat::push(r.events, about(r, EventKind::object_orphaned, slot));
}

void claim(Replica &r, EventKind kind, ObjectId object, PeerId peer, ClaimRefusal refusal)
{
    Event event = {};
    event.kind = kind;
    event.object = object;
    event.peer = peer;
    event.refusal = refusal;
    const Slot slot = world::find(r.world, object);
    if (slot != no_slot) event.type = r.world.slots[slot].type;
    flat::push(r.events, event);
}

// Every object of an event is found, because the sweep of destroyed objects comes after this.
void clear(Replica &r)
{
    Slot slot = no_slot;
    for (const Event &event : r.events.all()) {
        slot = world::find_near(r.world, slot, event.object);
        if (slot != no_slot) r.changed_events[slot] = r.sight_events[slot] = 0;
    }
    flat::clear(r.events);
}

}
