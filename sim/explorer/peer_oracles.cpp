#include "sim/explorer/peer_oracles.h"
#include "sim/world/names.h"

namespace tern::peer_oracles {

using names::text;

static Violation violation(const char *invariant, const StepSeen &seen, const Believed &object,
                           const std::string &what)
{
    Violation violation;
    violation.invariant = invariant;
    violation.text =
        "peer " + std::to_string(seen.place + 1) + ", object " + text(object.object) + ": " + what;
    violation.object = object.object;
    violation.lane = seen.place;
    return violation;
}

// I2: at a peer the stamp of an object never decreases.
static Violation i2(const StepSeen &seen, const Believed &before, const Believed &after)
{
    if (!before.alive || !after.alive || after.stamp >= before.stamp) return {};
    return violation("I2", seen, after,
                     "its stamp fell from " + text(before.stamp) + " to " + text(after.stamp));
}

// I3: an object that is destroyed at a peer never lives there again.
static Violation i3(const StepSeen &seen, const Believed &before, const Believed &after)
{
    if (!before.dead || (after.dead && !after.alive)) return {};
    return violation("I3", seen, after, after.alive ? "lives again" : "its death is forgotten");
}

// I4: a value was written in the tenure that the stamp names or in an earlier one, and is not a mix
// of two writes.
static Violation i4(const StepSeen &seen, const Believed &before, const Believed &after)
{
    if (!after.alive) return {};
    const Mark &value = after.value;
    if (!mark::whole(value)) return violation("I4", seen, after, "its value is made of two writes");
    if (value.tenure > after.stamp)
        return violation("I4", seen, after, "its value is of a tenure to come");
    const bool written = before.alive && before.stamp == after.stamp && before.value != value;
    if (written && value.tenure != after.stamp)
        return violation("I4", seen, after,
                         "a write of tenure " + text(value.tenure) + " was applied in tenure " +
                             text(after.stamp));
    return {};
}

// I18: UPDATEs do not change an object that is hidden from this peer. (Other messages may: the
// world sync by the next host of a star can be under way when the object is hidden.)
static Violation i18(const StepSeen &seen, const Believed &before, const Believed &after)
{
    if (seen.input.kind != InputKind::updates) return {};
    const bool stays = before.alive && after.alive && before.hidden && after.hidden;
    if (!stays || before.stamp != after.stamp || before.value == after.value) return {};
    return violation("I18", seen, after, "is hidden, and told all the same");
}

// I5: within a tenure a later write is never replaced by an earlier one.
static Violation i5(const StepSeen &seen, const Believed &before, const Believed &after)
{
    if (!before.alive || !after.alive || before.stamp != after.stamp) return {};
    if (before.value.tenure != after.value.tenure) return {};
    const uint32_t was = mark::sequence(before.value), is = mark::sequence(after.value);
    if (is >= was) return {};
    return violation("I5", seen, after,
                     "write " + std::to_string(was) + " was replaced by write " +
                         std::to_string(is));
}

// I6: a peer becomes the owner only by creating the object or by a grant. Others learn that from a
// message of the owner; or from reports after a departure; or, in a star, from the host.
static Violation i6(const StepSeen &seen, const Believed &before, const Believed &after)
{
    if (!after.alive) return {};
    if (before.alive && before.stamp == after.stamp && before.owner == after.owner) return {};
    const auto self = static_cast<PeerId>(seen.place + 1);
    const auto sender = static_cast<PeerId>(seen.input.other + 1);
    const bool created = seen.input.kind == InputKind::create && after.stamp == 0;
    const bool granted = seen.message == MessageKind::grant;
    const bool by_itself = stamps::parts(after.stamp).host == self;
    if (after.owner == self && (created || granted || by_itself)) return {};
    const bool announced = seen.message == MessageKind::create || //
                           seen.message == MessageKind::migrate;
    if (after.owner != self && announced && after.owner == sender) return {};
    if (after.owner != self && seen.message == MessageKind::report_object) return {};
    // The host of a star sends this.
    if (after.owner != self && seen.message == MessageKind::relay) return {};
    return violation("I6", seen, after,
                     "is owned by peer " + text(after.owner) + " under " + text(after.stamp) +
                         ", of which nobody entitled has told");
}

static Violation about_message(const char *invariant, const StepSeen &seen, const std::string &what)
{
    Violation violation;
    violation.invariant = invariant;
    violation.lane = seen.place;
    violation.text = "peer " + std::to_string(seen.place + 1) + " " + what + ", of peer " +
                     std::to_string(seen.input.other + 1) + ", kind " +
                     std::to_string(static_cast<unsigned>(seen.message));
    return violation;
}

// I6: a forged message is rejected and changes nothing.
static Violation i6_forged(const StepSeen &seen)
{
    if (seen.input.kind != InputKind::forged) return {};
    if (seen.verdict == Verdict::ok || seen.verdict == Verdict::later)
        return about_message("I6", seen, "believed a forged message");
    return seen.changed ? about_message("I6", seen, "was changed by a forged message")
                        : Violation{};
}

// I15: the host grants no claim of an object that it knows to be locked.
static Violation i15(const StepSeen &seen)
{
    if (seen.message != MessageKind::claim) return {};
    for (size_t i = 0; i < seen.before.size(); ++i) {
        if ((seen.locked >> i & 1) == 0) continue;
        for (uint16_t k = 0; k < seen.granted.object_count; ++k)
            if (seen.granted.objects[k] == seen.before[i].object)
                return violation("I15", seen, seen.before[i], "is locked, and was granted");
    }
    return {};
}

static bool is_full(Fault fault)
{
    return fault != Fault::none && fault != Fault::minority && fault != Fault::host_lost;
}

// I6, I8, I12: no message of an honest peer is taken for malformed or forged, and nothing exceeds
// the limits of the cluster.
static Violation honest(const StepSeen &seen)
{
    const char *invariant = nullptr;
    const char *what = nullptr;
    const bool was_forged = seen.input.kind == InputKind::forged;
    if (seen.by_liar && !seen.overflow && !is_full(seen.fault)) return {};
    if (seen.verdict == Verdict::malformed && !was_forged) {
        invariant = "I12";
        what = "found a message malformed";
    } else if (seen.verdict == Verdict::over_quota) {
        invariant = "I6";
        what = "found a creation beyond the lease";
    } else if (seen.verdict == Verdict::forged && !was_forged) {
        invariant = "I6";
        what = "found a message forged";
    } else if ((seen.verdict == Verdict::later && seen.phase == Phase::in) || seen.overflow ||
               is_full(seen.fault)) {
        invariant = "I8";
        what = "has no room";
    } else {
        return {};
    }
    return about_message(invariant, seen, what);
}

// I28: the host removes no honest member, whatever a liar sends.
static Violation i28(const StepSeen &seen)
{
    return seen.removed == 0 ? Violation{} : about_message("I28", seen, "removes an honest member");
}

// I26: at most objects_max objects live at a peer.
static Violation i26(const StepSeen &seen)
{
    if (seen.alive <= seen.objects_max) return {};
    return about_message("I26", seen, "has more objects than objects_max");
}

static const Believed *find(std::span<const Believed> all, ObjectId object)
{
    for (const Believed &believed : all)
        if (believed.object == object) return &believed;
    return nullptr;
}

Violation first_violation(const StepSeen &seen)
{
    if (Violation found = i6_forged(seen)) return found;
    if (Violation found = honest(seen)) return found;
    if (Violation found = i28(seen)) return found;
    if (Violation found = i15(seen)) return found;
    if (Violation found = i26(seen)) return found;
    for (const Believed &before : seen.before) {
        if (find(seen.after, before.object) || !before.dead) continue;
        if (Violation found =
                i3(seen, before, {before.object, 0, {}, false, false, false, 0, {}, {}}))
            return found;
    }
    for (const Believed &after : seen.after) {
        const Believed *known = find(seen.before, after.object);
        const Believed before = known ? *known : Believed{};
        if (Violation found = i2(seen, before, after)) return found;
        if (Violation found = i3(seen, before, after)) return found;
        // A liar may write what it likes (docs/security.md, A member, 6).
        if (Violation found = seen.by_liar ? Violation{} : i4(seen, before, after)) return found;
        if (Violation found = seen.by_liar ? Violation{} : i5(seen, before, after)) return found;
        if (Violation found = i18(seen, before, after)) return found;
        if (Violation found = i6(seen, before, after)) return found;
    }
    return {};
}

}
