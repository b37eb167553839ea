#include "migration/event_log.h"

namespace tern::event_log {

static Event about(const Replica &r, EventKind kind, ObjectSlot slot)
{
    const KnownObject &object = r.world.slots[slot];
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

void misbehaved(Replica &r, PeerId peer, Breach breach, PeerId reporter)
{
    Event event = {};
    event.kind = EventKind::misbehaved;
    event.peer = peer;
    event.breach = breach;
    event.previous = reporter;
    flat::push(r.events, event);
}

void host(Replica &r, PeerId host)
{
    if (r.announced_host == host) return;
    Event event = {};
    event.kind = EventKind::host_changed;
    event.peer = host;
    event.previous = r.announced_host;
    flat::push(r.events, event);
    r.announced_host = host;
}

void created(Replica &r, ObjectSlot slot)
{
    flat::push(r.events, about(r, EventKind::object_created, slot));
}

void changed(Replica &r, ObjectSlot slot, uint64_t fields)
{
    if (fields == 0) return;
    uint32_t &at = r.changed_events[slot];
    if (at == 0) {
        flat::push(r.events, about(r, EventKind::object_changed, slot));
        at = r.events.count;
    }
    r.events[at - 1].changed_fields |= fields;
}

void visibility_changed(Replica &r, ObjectSlot slot, VisibilityChange visibility)
{
    if (visibility == VisibilityChange::same) return;
    const EventKind kind =
        visibility == VisibilityChange::hidden ? EventKind::object_hidden : EventKind::object_shown;
    uint32_t &at = r.visibility_events[slot];
    if (at == 0) {
        flat::push(r.events, about(r, kind, slot));
        at = r.events.count;
    }
    r.events[at - 1].kind = kind;
}

void show(Replica &r, ObjectSlot slot)
{
    KnownObject &object = r.world.slots[slot];
    if (object.hidden) visibility_changed(r, slot, VisibilityChange::shown);
    object.hidden = false;
    object.visibility_tick = 0;
}

void destroyed(Replica &r, ObjectSlot slot)
{
    flat::push(r.events, about(r, EventKind::object_destroyed, slot));
    r.changed_events[slot] = r.visibility_events[slot] = 0;
}

void owner_changed(Replica &r, ObjectSlot slot, PeerId previous, uint64_t fields,
                   uint32_t lost_ticks)
{
    Event event = about(r, EventKind::owner_changed, slot);
    event.previous = previous;
    event.changed_fields = fields;
    event.lost_ticks = lost_ticks;
    flat::push(r.events, event);
    r.changed_events[slot] = 0; // Changes under the new owner come after this event.
}

void orphaned(Replica &r, ObjectSlot slot)
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
    const ObjectSlot slot = world::find(r.world, object);
    if (slot != no_slot) event.type = r.world.slots[slot].type;
    flat::push(r.events, event);
}

// Every object of an event is found, because the sweep of destroyed objects comes after this.
void clear(Replica &r)
{
    ObjectSlot slot = no_slot;
    for (const Event &event : r.events.all()) {
        slot = world::find_near(r.world, slot, event.object);
        if (slot != no_slot) r.changed_events[slot] = r.visibility_events[slot] = 0;
    }
    flat::clear(r.events);
}

}
