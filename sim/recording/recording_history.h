// The history of a recorded session, from its journal and its replica.
#pragma once
#include "session/inspect.h"
#include "sim/picture/history.h"
#include "tern/tern.h"
#include <deque>
#include <map>
#include <memory>

namespace tern {

struct SaidMoment {
    uint64_t number; // Of its message.
    Moment moment;
};

struct RecordingHistory { // Open.
    History history;
    std::vector<Note> notes;
    Journal journal;
    uint64_t link_count;
    std::map<uint64_t, std::deque<SaidMoment>> unacked; // By the key's name.
    std::vector<Object> slots;                          // As they were at the last look.
};

namespace recording_history {

// Listens to the session, which must end before the history does.
std::unique_ptr<RecordingHistory> make(Session *session, const char *name);
void act(RecordingHistory &h, uint64_t time_us, const std::string &label);
// What the last call changed: the journal's notes, the objects.
void look(RecordingHistory &h, const Session *session, uint64_t time_us);
void events(RecordingHistory &h, std::span<const Event> events, uint64_t time_us);
History finish(RecordingHistory &h, const Session *session);

}
}
