#include "migration/loads.h"

namespace tern::loads {

Loads count(const Replica &r, int type)
{
    Loads loads = {};
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life != Life::alive || (type >= 0 && object.type != type)) continue;
        const PeerId next = r.granting.pending_owners[slot] != PeerId::none
                                ? r.granting.pending_owners[slot]
                                : object.owner;
        const MemberSlot member = replica::find_member(r, next);
        if (member != no_member) loads.counts[member] += 1;
    }
    return loads;
}

MemberSlot least(const Replica &r, const Loads &loads)
{
    MemberSlot least = no_member;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        if (member.id == PeerId::none || member.fenced || !member.caught_up) continue;
        const bool less =
            least == no_member || loads.counts[slot] < loads.counts[least] ||
            (loads.counts[slot] == loads.counts[least] && member.id < r.members[least].id);
        if (less) least = slot;
    }
    return least;
}

}
