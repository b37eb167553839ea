#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_packets {

using names::text;

static Violation wrong(const NodeRecord &record, const Note &note, uint16_t index, const char *what)
{
    return oracles::violation(
        "I9", ObjectId::none, index, "peer %s has %s packet %llu under key %llx twice",
        text(record.self).c_str(), what, static_cast<unsigned long long>(note.number),
        static_cast<unsigned long long>(note.key));
}

Violation check(NodeRecord &record, const Node &node, uint16_t index)
{
    for (size_t i = 0; i < node.note_count; ++i) {
        const Note &note = node.notes[i];
        if (note.kind != NoteKind::sealed && note.kind != NoteKind::accepted) continue;
        KeyLog &log = record.keys[note.key];
        if (note.kind == NoteKind::accepted) {
            if (oracles::set_bit(log.accepted, note.number))
                return wrong(record, note, index, "accepted");
            continue;
        }
        // Numbers are sealed in rising order, so the last one is enough to find a repetition.
        if (log.has_sealed && note.number <= log.sealed)
            return wrong(record, note, index, "sealed");
        log.has_sealed = true;
        log.sealed = note.number;
    }
    return {};
}

}
