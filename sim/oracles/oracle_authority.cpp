#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::oracle_authority {

using names::text;

static Violation wrong(const Judged &judged, const char *what)
{
    const KnownObject &after = judged.step.after;
    return oracles::violation("I6", judged.step.object, judged.node,
                              "at peer %s %s, of stamp %s and owner %s: %s",
                              text(judged.self).c_str(), text(judged.step.object).c_str(),
                              text(after.stamp).c_str(), text(after.owner).c_str(), what);
}

static Violation check_owner(const Judged &judged)
{
    const KnownObject &after = judged.step.after;
    if (after.stamp == 0)
        return after.owner == object_id::creator(after.id)
                   ? Violation{}
                   : wrong(judged, "it was granted to nobody, and its creator is another");
    const auto found = judged.ledger.grants.find(after.stamp);
    if (found == judged.ledger.grants.end())
        return wrong(judged, "the host has made no such grant");
    const GrantRecord &grant = found->second;
    if (grant.owner != after.owner) return wrong(judged, "the host has granted that to another");
    if (std::find(grant.objects.begin(), grant.objects.end(), after.id) == grant.objects.end())
        return wrong(judged, "the host's grant of that stamp is about other objects");
    return {};
}

Violation check(const Judged &judged)
{
    const KnownObject &after = judged.step.after, &before = judged.step.before;
    if (!judged.record) return wrong(judged, "nobody has made it");
    if (after.id == ObjectId::none) return {};
    if (after.life == Life::alive && after.type != judged.record->type)
        return wrong(judged, "it was made as another type");
    const bool dies = after.life != Life::alive && judged.before.life != Life::dying;
    if (dies && judged.record->destroyed_by == PeerId::none)
        return wrong(judged, "it died, and nobody has destroyed it");
    const bool began =
        before.stamp != after.stamp || before.owner != after.owner || before.id == ObjectId::none;
    return after.life == Life::alive && began ? check_owner(judged) : Violation{};
}

// No peer of a simulation breaks the rules, so none may be charged, whatever the network does.
static Violation check_charged(const Node &node, uint16_t index)
{
    for (const Event &event : node.events) {
        if (event.kind != EventKind::misbehaved) continue;
        return oracles::violation("I6", ObjectId::none, index, "peer %s charges peer %s: %s",
                                  text(node.self).c_str(), text(event.misbehaved.peer).c_str(),
                                  to_text(event.misbehaved.breach));
    }
    return {};
}

Violation check_heard(const Node &node, uint16_t index)
{
    if (const Violation charged = check_charged(node, index); charged) return charged;
    for (size_t i = 0; i < node.note_count; ++i) {
        const Note &note = node.notes[i];
        const bool forged = note.verdict == static_cast<uint8_t>(Verdict::forged);
        const bool malformed = note.verdict == static_cast<uint8_t>(Verdict::malformed);
        if (note.kind != NoteKind::received || (!forged && !malformed)) continue;
        return oracles::violation(
            "I6", note.object, index, "peer %s has found a message of peer %s, kind %u, %s",
            text(node.self).c_str(), text(note.peer).c_str(), static_cast<unsigned>(note.message),
            forged ? "forged" : "malformed");
    }
    return {};
}

}
