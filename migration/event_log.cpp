#include "migration/event_log.h"
#include "tern/diagnostics.hpp"

namespace tern::event_log {

// The kind is one that sets Event::object.
static Event about(const Replica &r, EventKind kind, ObjectSlot slot)
{
    const KnownObject &object = r.world.slots[slot];
    Event event = {};
    event.kind = kind;
    event.object = {
        .id = object.id, .changed_fields = 0, .type = object.type, .owner = object.owner};
    return event;
}

void peer(Replica &r, EventKind kind, PeerId peer)
{
    Event event = {};
    event.kind = kind;
    event.peer = peer;
    flat::push(r.log.events, event);
}

void joined(Replica &r, PeerId newcomer)
{
    Event event = {};
    event.kind = EventKind::peer_joined;
    event.newcomer.peer = newcomer;
    flat::push(r.log.events, event);
}

void misbehaved(Replica &r, PeerId peer, Breach breach, PeerId reporter)
{
    Event event = {};
    event.kind = EventKind::misbehaved;
    event.misbehaved = {.peer = peer, .reporter = reporter, .breach = breach};
    flat::push(r.log.events, event);
}

void host(Replica &r, PeerId host)
{
    if (r.announced_host == host) return;
    Event event = {};
    event.kind = EventKind::host_changed;
    event.host = {.peer = host, .previous = r.announced_host};
    flat::push(r.log.events, event);
    r.announced_host = host;
}

void created(Replica &r, ObjectSlot slot)
{
    flat::push(r.log.events, about(r, EventKind::object_created, slot));
}

void changed(Replica &r, ObjectSlot slot, uint64_t fields)
{
    if (fields == 0) return;
    uint32_t &at = r.log.changed[slot];
    if (at == 0) {
        flat::push(r.log.events, about(r, EventKind::object_changed, slot));
        at = r.log.events.count;
    }
    r.log.events[at - 1].object.changed_fields |= fields;
}

void visibility_changed(Replica &r, ObjectSlot slot, VisibilityChange visibility)
{
    if (visibility == VisibilityChange::same) return;
    const EventKind kind =
        visibility == VisibilityChange::hidden ? EventKind::object_hidden : EventKind::object_shown;
    uint32_t &at = r.log.visibility[slot];
    if (at == 0) {
        flat::push(r.log.events, about(r, kind, slot));
        at = r.log.events.count;
    }
    r.log.events[at - 1].kind = kind;
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
    flat::push(r.log.events, about(r, EventKind::object_destroyed, slot));
    r.log.changed[slot] = r.log.visibility[slot] = 0;
}

void owner_changed(Replica &r, ObjectSlot slot, PeerId previous, uint64_t fields,
                   uint32_t lost_ticks)
{
    const KnownObject &object = r.world.slots[slot];
    Event event = {};
    event.kind = EventKind::owner_changed;
    event.owner = {.object = object.id,
                   .changed_fields = fields,
                   .lost_ticks = lost_ticks,
                   .type = object.type,
                   .owner = object.owner,
                   .previous = previous};
    flat::push(r.log.events, event);
    r.log.changed[slot] = 0; // Changes under the new owner come after this event.
}

void orphaned(Replica &r, ObjectSlot slot)
{
    const KnownObject &object = r.world.slots[slot];
    Event event = {};
    event.kind = EventKind::object_orphaned;
    event.owner = {.object = object.id,
                   .changed_fields = 0,
                   .lost_ticks = 0,
                   .type = object.type,
                   .owner = object.owner,
                   .previous = PeerId::none};
    flat::push(r.log.events, event);
}

void claim(Replica &r, EventKind kind, ObjectId object, PeerId claimer, ClaimRefusal refusal)
{
    const ObjectSlot slot = world::find(r.world, object);
    Event event = {};
    event.kind = kind;
    event.claim = {.object = object,
                   .type = slot == no_slot ? no_type : r.world.slots[slot].type,
                   .claimer = claimer,
                   .refusal = refusal};
    flat::push(r.log.events, event);
}

// Whether a later change of the object may become part of the event, instead of another one.
static bool grows(const Event &event)
{
    return event.kind == EventKind::object_changed || event.kind == EventKind::object_hidden ||
           event.kind == EventKind::object_shown;
}

// Every object of an event is found, because the sweep of destroyed objects comes after this.
void clear(Replica &r)
{
    ObjectSlot slot = no_slot;
    for (const Event &event : r.log.events.all()) {
        if (!grows(event)) continue;
        slot = world::find_near(r.world, slot, event.object.id);
        if (slot != no_slot) r.log.changed[slot] = r.log.visibility[slot] = 0;
    }
    flat::clear(r.log.events);
}

}
