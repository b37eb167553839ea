#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_values {

using names::text;

static bool wrote(const Tenure &tenure, const Written &value)
{
    if (value.tenure != tenure.stamp || value.sequence >= tenure.written.size()) return false;
    const uint64_t print = ledger::print(value);
    return tenure.written[value.sequence] == print || tenure.nudged.contains(print);
}

static Violation wrong(const Judged &judged, const char *what)
{
    const KnownObject &after = judged.step.after;
    const Written &value = judged.step.value;
    return oracles::violation("I4", after.id, judged.node,
                              "peer %s shows %s, of stamp %s and owner %s, with write %u of tenure "
                              "%s by %s: %s",
                              text(judged.self).c_str(), text(after.id).c_str(),
                              text(after.stamp).c_str(), text(after.owner).c_str(), value.sequence,
                              text(value.tenure).c_str(), text(value.writer).c_str(), what);
}

// The position of a value in the history of its object: the last tenure before `end` that showed
// it, and its sequence there (0: the tenure began with it).
struct Place {
    Stamp stamp;
    uint32_t sequence;
    bool found;
};

static Place place(const ObjectRecord &record, const Written &value, Stamp end)
{
    Place last = {};
    for (const Tenure &tenure : record.tenures) {
        if (tenure.stamp >= end || (last.found && tenure.stamp <= last.stamp)) continue;
        if (wrote(tenure, value)) last = {tenure.stamp, value.sequence, true};
        if (tenure.base == ledger::print(value)) last = {tenure.stamp, 0, true};
    }
    return last;
}

static Violation check_own(const Judged &judged, bool began)
{
    const Written &value = judged.step.value;
    const Stamp stamp = judged.step.after.stamp;
    if (value.tenure == stamp)
        return value.writer == judged.self ? Violation{} : wrong(judged, "its owner did not");
    if (!began) return wrong(judged, "its owner wrote nothing");
    const Place from = place(*judged.record, value, stamp);
    if (!from.found && is_hoped(value.tenure, judged.self)) return {}; // Set before the grant.
    if (!from.found) return wrong(judged, "nobody has shown that before this tenure began");
    const Shown &had = judged.before;
    const bool older =
        from.stamp < had.stamp || (from.stamp == had.stamp && from.sequence < had.sequence);
    if (had.life == Life::alive && older)
        return wrong(judged, "the tenure began with less than its owner had");
    return {};
}

Violation check(const Judged &judged)
{
    const KnownObject &after = judged.step.after, &before = judged.step.before;
    if (after.life != Life::alive || !judged.record) return {};
    const bool began = before.stamp != after.stamp || before.owner != after.owner;
    if (!began && !judged.step.value_changed) return {};
    if (after.owner == judged.self) return check_own(judged, began);
    const Tenure *tenure = ledger::tenure(*judged.record, after.stamp);
    if (!tenure) return wrong(judged, "no owner has begun this tenure");
    const Written &value = judged.step.value;
    if (wrote(*tenure, value) || tenure->base == ledger::print(value)) return {};
    return wrong(judged, value.tenure == after.stamp
                             ? "the owner has never shown that: not at once, or not at all"
                             : "the tenure did not begin with that");
}

}
