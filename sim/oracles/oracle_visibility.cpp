#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_visibility {

// True if the object was hidden during the whole tick: it was hidden before and after, and no
// message about its visibility arrived in between.
static bool stays_hidden(const Change &change)
{
    const KnownObject &before = change.before, &after = change.after;
    return before.life == Life::alive && after.life == Life::alive && before.hidden &&
           after.hidden && before.stamp == after.stamp &&
           before.visibility_tick == after.visibility_tick;
}

// The next host of a star sends the state of all objects anew, also of those that it hides.
static bool heard_tell(const Node &node, ObjectId object)
{
    for (size_t i = 0; i < node.note_count; ++i)
        if (node.notes[i].kind == NoteKind::received && node.notes[i].object == object &&
            node.notes[i].message == MessageKind::relay)
            return true;
    return false;
}

Violation check(const Node &node, uint16_t index)
{
    for (const Change &change : node.changes)
        if (stays_hidden(change) && change.before.tick != change.after.tick &&
            !heard_tell(node, change.object))
            return oracles::violation(
                "I18", change.object, index, "%s is hidden from %s, and told all the same",
                names::text(change.object).c_str(), names::text(node.self).c_str());
    return {};
}

Violation check_at_rest(const AtRest &rest)
{
    for (const uint16_t member : rest.members) {
        const Node &node = rest.nodes[member];
        for (const KnownObject &object : inspect::replica(node.session).world.slots.all())
            if (object.life == Life::alive && object.hidden)
                return oracles::violation("Q10", object.id, member, "%s is still hidden from %s",
                                          names::text(object.id).c_str(),
                                          names::text(node.self).c_str());
    }
    return {};
}

}
