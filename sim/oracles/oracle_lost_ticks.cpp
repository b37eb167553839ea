#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <algorithm>
#include <cmath>

namespace tern::oracle_lost_ticks {

using names::text;

namespace {

// Whether an earlier event of this tick has changed the owner too. Then a tenure lies in between
// that began and ended within the tick, and perhaps was granted and forgotten within it.
bool is_second(const Node &node, size_t at)
{
    const ObjectId object = node.events[at].owner.object;
    return std::any_of(node.events.begin(), node.events.begin() + static_cast<ptrdiff_t>(at),
                       [object](const Event &event) {
                           return event.kind == EventKind::owner_changed &&
                                  event.owner.object == object;
                       });
}

// Whether a later event of this tick changes the owner again, or destroys the object.
bool is_overtaken(const Node &node, size_t at)
{
    const ObjectId object = node.events[at].owner.object;
    return std::any_of(node.events.begin() + static_cast<ptrdiff_t>(at) + 1, node.events.end(),
                       [object](const Event &event) {
                           return object_of(event) == object &&
                                  (event.kind == EventKind::owner_changed ||
                                   event.kind == EventKind::object_destroyed);
                       });
}

// The bounds of lost_ticks.
struct Missing {
    uint32_t at_least, at_most;
};

// What is missing if the next tenure includes the writes up to number `included`, and no later one.
// The owner sends a value again at later ticks, and counts from the last of these.
Missing missing_after(const Tenure &tenure, size_t included)
{
    const std::vector<OwnerWrite> &writes = tenure.writes;
    const uint32_t last = tenure.last_tick;
    if (included + 1 == writes.size()) return {0, last - writes[included].tick};
    return {last - writes[included + 1].tick + 1, last - writes[included].tick};
}

// Whether the tenure that begins with `first` may include this write. A write that has moved an
// object by less than its error bound keeps the sequence, and is included though it is not shown.
bool may_include(const OwnerWrite &write, const Written &first, float bound)
{
    if (write.print == ledger::print(first)) return true;
    if (bound == 0 || write.sequence != first.sequence) return false;
    return std::equal(write.position, std::end(write.position), first.position,
                      [bound](float a, float b) { return std::abs(a - b) <= bound; });
}

bool fits(const Tenure &tenure, const Written &first, float bound, uint32_t lost_ticks)
{
    for (size_t i = tenure.writes.size(); i > 0; --i) {
        if (!may_include(tenure.writes[i - 1], first, bound)) continue;
        const Missing missing = missing_after(tenure, i - 1);
        if (lost_ticks >= missing.at_least && lost_ticks <= missing.at_most) return true;
    }
    return false;
}

// Whether this peer has learned of the tenure from somebody who does not know what it includes: in
// a star from a later host than the one that granted it, else from a report, since its owner has
// gone.
bool is_hearsay(const Node &node, PeerId owner, Stamp stamp)
{
    const Replica &r = inspect::replica(node.session);
    const bool is_of_former_host =
        r.rules.topology == Topology::star && stamps::parts(stamp).host != host_peer(node.session);
    return is_of_former_host || !replica::is_member(r, owner);
}

// Whether the host has granted the object to nobody between the two tenures. Otherwise a third peer
// may have owned it, and its ticks are those of another clock.
bool is_next(const Ledger &ledger, ObjectId object, Stamp stamp, Stamp next)
{
    const auto end = ledger.grants.lower_bound(next);
    for (auto grant = ledger.grants.upper_bound(stamp); grant != end; ++grant) {
        const std::vector<ObjectId> &objects = grant->second.objects;
        if (std::find(objects.begin(), objects.end(), object) != objects.end()) return false;
    }
    return true;
}

Violation check_change(const NodeRecord &record, const Ledger &ledger, const Node &node,
                       uint16_t index, const OwnerChange &change)
{
    const Shown *shown = oracles::find_shown(record, change.object);
    const ObjectRecord *object = ledger::find(ledger, change.object);
    if (!shown || !object || !exists(node.session, change.object)) return {};
    const Tenure *own = ledger::tenure(*object, shown->stamp);
    const Stamp stamp = object_stamp(node.session, change.object);
    const auto first = ledger.firsts.find({change.object, stamp});
    if (!own || own->owner != node.self || first == ledger.firsts.end()) return {};
    if (first->second.tenure != own->stamp || is_hearsay(node, change.owner, stamp)) return {};
    if (!is_next(ledger, change.object, own->stamp, stamp)) return {};
    const TypeId type = object_type(node.session, change.object);
    const auto bound = static_cast<float>(session_config(node.session).types[type].fields[3].bound);
    if (fits(*own, first->second, bound, change.lost_ticks)) return {};
    const OwnerWrite &last = own->writes.back();
    return oracles::violation(
        "I21", change.object, index,
        "%s at peer %s: lost_ticks is %u; its last write was %u in tick %u of tenure %s, and the "
        "tenure %s of %s began with write %u",
        text(change.object).c_str(), text(node.self).c_str(), change.lost_ticks, last.sequence,
        last.tick, text(own->stamp).c_str(), text(stamp).c_str(), text(change.owner).c_str(),
        first->second.sequence);
}

}

void note_firsts(Ledger &ledger, const Node &node)
{
    for (size_t at = 0; at < node.events.size(); ++at) {
        const Event &event = node.events[at];
        if (event.kind != EventKind::owner_changed || event.owner.owner != node.self) continue;
        const ObjectId object = event.owner.object;
        if (!exists(node.session, object) || is_overtaken(node, at) || is_second(node, at))
            continue;
        const auto *value = static_cast<const Written *>(inspect::replicated(node.session, object));
        // What an optimistic claim has set has taken the place of the first value.
        if (is_hoped(value->tenure, node.self)) continue;
        ledger.firsts[{object, object_stamp(node.session, object)}] = *value;
    }
}

Violation check(const NodeRecord &record, const Ledger &ledger, const Node &node, uint16_t index)
{
    for (size_t at = 0; at < node.events.size(); ++at) {
        if (node.events[at].kind != EventKind::owner_changed) continue;
        const OwnerChange &change = node.events[at].owner;
        const bool gives_up = change.previous == node.self && change.owner != node.self;
        if (!gives_up && change.lost_ticks != 0)
            return oracles::violation("I21", change.object, index,
                                      "%s at peer %s, which did not own it: lost_ticks is %u",
                                      text(change.object).c_str(), text(node.self).c_str(),
                                      change.lost_ticks);
        if (!gives_up || is_overtaken(node, at)) continue;
        Violation violation = check_change(record, ledger, node, index, change);
        if (violation) return violation;
    }
    return {};
}

}
