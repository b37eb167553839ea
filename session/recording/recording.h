// Writes what the public functions do into the recording. Each function does nothing unless the
// session is recorded.
#pragma once
#include "session/session_types.h"

namespace tern::session {

void record(Session &s, const Record &record);
// Adds the value to the record, encoded as it is sent.
void record_value(Session &s, const Record &about, TypeId type, const void *value);
void record_received(Session &s, std::span<const Datagram> datagrams);
void record_sent(Session &s, std::span<const Datagram> datagrams);
// Returns a record with these members set and all others zero.
Record about(RecordKind kind, ObjectId object, PeerId peer = PeerId::none);

}
