#include "session/recording/recording.h"
#include "session/misuse.h"
#include "tern/limits.hpp"
#include "tern/recording.h"

namespace tern {
namespace session {

Record about(RecordKind kind, ObjectId object, PeerId peer)
{
    Record record = {};
    record.kind = kind;
    record.object = object;
    record.peer = peer;
    return record;
}

void record(Session &s, const Record &record)
{
    if (record::is_on(s.records.recorder)) record::add(s.records.recorder, record);
}

// Encoded and thus without bytes that no field covers: these may hold anything of the game's
// memory.
void record_value(Session &s, const Record &about, TypeId type, const void *value)
{
    if (!record::is_on(s.records.recorder)) return;
    Record record = about;
    alignas(16) std::byte normal[struct_bytes_max];
    type_table::normalise(s.types, type, value, normal);
    std::byte buffer[value_bytes_max];
    BitWriter w = bits::writer(buffer);
    type_table::write_fields(w, s.types, type, normal, type_table::all_fields(s.types, type));
    record.type = type;
    record.bytes = std::span(buffer).first(bits::size_bytes(w));
    record::add(s.records.recorder, record);
}

void record_received(Session &s, std::span<const Datagram> datagrams)
{
    if (!record::is_on(s.records.recorder)) return;
    Record line = about(RecordKind::receive, ObjectId::none);
    line.now_us = s.now_us;
    line.datagrams = datagrams;
    record::add(s.records.recorder, line);
}

void record_sent(Session &s, std::span<const Datagram> datagrams)
{
    if (!record::is_on(s.records.recorder)) return;
    Record line = about(RecordKind::send, ObjectId::none);
    line.now_us = s.now_us;
    line.hash = record::hash_of(datagrams);
    record::add(s.records.recorder, line);
}

}

}

using namespace tern;

size_t tern_take_recording(tern_session *session, const void **bytes)
{
    if (bytes) *bytes = nullptr;
    const misuse::Entry entry = misuse::change(session, "take_recording");
    if (!entry || !misuse::is_given(entry, "bytes", bytes)) return 0;
    if (session->config.recording_bytes_max == 0) {
        misuse::report(entry, "Set recording_bytes_max of the config to record.",
                       "This session is not recorded.");
        return 0;
    }
    const std::span<const std::byte> taken = record::take(session->records.recorder);
    *bytes = taken.data();
    return taken.size();
}
