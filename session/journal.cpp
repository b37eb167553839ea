#include "session/journal.h"

namespace tern::session {

static void note(Journal &journal, const Note &note)
{
    if (journal.count == journal.notes.size()) {
        journal.missed += 1;
        return;
    }
    journal.notes[journal.count] = note;
    journal.count += 1;
}

static void note_message(Session &s, Note line, PeerId from, std::span<const std::byte> message)
{
    const Described described = replica::describe(from, message);
    line.message = described.kind;
    line.stamp = described.stamp;
    if (described.object_count == 0) note(*s.records.journal, line);
    for (uint16_t i = 0; i < described.object_count; ++i) {
        line.object = described.objects[i];
        note(*s.records.journal, line);
    }
}

void note_queued(Session &s, ConnectionIndex index, std::span<const std::byte> message)
{
    const PeerLink &p = s.connections.links[index];
    Note line = {};
    line.kind = NoteKind::queued;
    line.peer = p.peer;
    line.number = uint64_t{p.acked_messages} + p.message_count;
    line.key = connection::send_key_name(endpoint::at(*s.endpoint, index));
    note_message(s, line, s.replica->self, message);
}

void note_received(Session &s, ConnectionIndex index, PeerId from, Verdict verdict,
                   std::span<const std::byte> message)
{
    Note line = {};
    line.kind = NoteKind::received;
    line.verdict = static_cast<uint8_t>(verdict);
    line.peer = from;
    line.number = s.connections.links[index].received_messages;
    line.key = connection::receive_key_name(endpoint::at(*s.endpoint, index));
    note_message(s, line, from, message);
}

void note_acked(Session &s, ConnectionIndex index)
{
    Note line = {};
    line.kind = NoteKind::acked;
    line.peer = s.connections.links[index].peer;
    line.number = s.connections.links[index].acked_messages;
    line.key = connection::send_key_name(endpoint::at(*s.endpoint, index));
    note(*s.records.journal, line);
}

void note_packet(Session &s, ConnectionIndex index, NoteKind kind, uint64_t number)
{
    const Connection &c = endpoint::at(*s.endpoint, index);
    Note line = {};
    line.kind = kind;
    line.peer = s.connections.links[index].peer;
    const bool sealed = kind == NoteKind::sealed;
    line.number = number;
    line.key = sealed ? connection::send_key_name(c) : connection::receive_key_name(c);
    note(*s.records.journal, line);
}

}
