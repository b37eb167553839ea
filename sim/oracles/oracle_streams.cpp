#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_streams {

using names::text;

static Violation wrong(const Note &note, PeerId self, uint16_t index, const char *what)
{
    return oracles::violation(
        "I7", note.object, index, "peer %s and message %llu, kind %u about %s, %s %s: %s",
        text(self).c_str(), static_cast<unsigned long long>(note.number),
        static_cast<unsigned>(note.message), text(note.object).c_str(),
        note.kind == NoteKind::queued ? "to" : "from", text(note.peer).c_str(), what);
}

// Adds a sent message. False: its number does not follow the last one. A message about several
// objects has several notes with the same number.
static bool say(SaidStream &stream, const Note &note)
{
    // A peer that starts over asks to join on the connection of its former self. The unacked
    // messages for its former self on that connection are never received.
    if (stream.to != note.peer) stream = {};
    stream.to = note.peer;
    const bool follows =
        note.number == stream.newest + 1 || (note.number == stream.newest && note.number != 0);
    stream.newest = note.number;
    stream.said.push_back({note.number, note.message, note.object, note.stamp});
    return follows;
}

static bool hear(SaidStream &stream, const Note &note)
{
    if (stream.heard == stream.said.size()) return false;
    const SaidMessage &next = stream.said[stream.heard];
    if (next.number != note.number || next.message != note.message || next.object != note.object ||
        next.stamp != note.stamp)
        return false;
    stream.heard += 1;
    if (stream.heard < 256 || 2 * stream.heard < stream.said.size()) return true;
    stream.said.erase(stream.said.begin(),
                      stream.said.begin() + static_cast<ptrdiff_t>(stream.heard));
    stream.heard = 0;
    return true;
}

Violation check(Oracles &oracles, const Node &node, uint16_t index)
{
    for (size_t i = 0; i < node.note_count; ++i) {
        const Note &note = node.notes[i];
        if (note.kind == NoteKind::queued && !say(oracles.streams[note.key], note))
            return wrong(note, node.self, index, "it does not follow what was said before");
        if (note.kind == NoteKind::received && !hear(oracles.streams[note.key], note))
            return wrong(note, node.self, index, "it is not what was said next");
    }
    return {};
}

}
