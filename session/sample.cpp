// sample(): the state of an object at a time, interpolated between the states that its owner has
// sent, or extrapolated beyond them.
#include "session/misuse.h"
#include "session/optimistic.h"
#include <cstring>

using namespace tern;

tern_result tern_sample(const tern_session *session, tern_object object, uint64_t at_us,
                        void *value, size_t size_bytes)
{
    const misuse::Entry entry(session, "sample", ObjectId{object});
    if (!entry) return TERN_MISUSE;
    const Replica &r = *session->replica;
    const ObjectSlot slot = world::find_alive(r.world, ObjectId{object});
    if (slot == no_slot) return TERN_GONE;
    const KnownObject &found = r.world.slots[slot];
    if (!misuse::has_size(entry, found.type, size_bytes)) return TERN_MISUSE;
    if (!misuse::is_given(entry, "value", value)) return TERN_MISUSE;
    const MemberSlot owner = replica::find_member(r, found.owner);
    const bool has_history = found.owner != r.self && owner != no_member &&
                             r.state_history.clocks.count > 0 &&
                             !session::is_optimistic(*session, slot);
    const double tick =
        has_history ? state_history::tick_at(r.state_history.clocks[owner], at_us) : 0;
    if (!has_history ||
        !state_history::state_at(r.state_history, r.world, session->types, {slot, tick}, value))
        std::memcpy(value, session::shown_value(*session, slot), size_bytes);
    return TERN_OK;
}
