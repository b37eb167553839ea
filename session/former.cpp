#include "session/former.h"
#include <algorithm>
#include <cstring>

namespace tern::session {

static FormerMember *find_former(const Session &s, const uint8_t *key)
{
    const uint32_t count = std::min(s.former_count, former_max);
    for (uint32_t i = 0; i < count; ++i)
        if (std::memcmp(s.former[i].key, key, 32) == 0) return &s.former[i];
    return nullptr;
}

bool is_former(const Session &s, const uint8_t *key)
{
    return find_former(s, key) != nullptr;
}

PeerId former_id(const Session &s, const uint8_t *key)
{
    const FormerMember *former = find_former(s, key);
    return former ? former->id : PeerId::none;
}

void note_former(Session &s, MemberSlot slot)
{
    const Member &member = s.replica->members[slot];
    FormerMember *former = find_former(s, member.identity.key);
    if (!former) former = &s.former[s.former_count++ % former_max];
    std::memcpy(former->key, member.identity.key, sizeof former->key);
    former->id = member.id;
}

void note_owner(Session &s, const Event &event, ObjectSlot slot)
{
    const Replica &r = *s.replica;
    const bool is_change = event.kind == EventKind::owner_changed && event.previous != event.peer;
    if (!is_change || s.types.types[event.type].orphan != Orphan::hold || slot == no_slot) return;
    HeldObject &held = s.held[slot];
    if (held.object != event.object) held = {event.object, PeerId::none};
    const bool is_orphan = !replica::is_member(r, event.previous) && event.peer == replica::host(r);
    if (!is_orphan)
        held.owner = PeerId::none;
    else if (held.owner == PeerId::none)
        held.owner = event.previous;
}

void give_back(Session &s, MemberSlot slot)
{
    const Replica &r = *s.replica;
    const Member &member = r.members[slot];
    const PeerId former = former_id(s, member.identity.key);
    if (former == PeerId::none) return;
    for (ObjectSlot i = 0; i < r.world.slots.count; ++i) {
        const Object &object = r.world.slots[i];
        const HeldObject &held = s.held[i];
        const bool is_ours = object.life == Life::alive && object.owner == r.self;
        const bool is_locked = (r.owner_requests[i] & request_lock) != 0;
        const bool is_held = held.object == object.id && held.owner == former;
        if (is_ours && is_held && !is_locked) replica::migrate(*s.replica, object.id, member.id);
    }
}

}
