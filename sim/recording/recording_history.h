// The history of a recorded session, from its journal and its replica.
#pragma once
#include "session/inspect.h"
#include "sim/picture/history.h"
#include "tern/tern.hpp"
#include <deque>
#include <map>
#include <memory>

namespace tern {

struct SaidMoment {
    uint64_t number; // The message's number on its stream.
    Moment moment;
};

struct RecordingHistory { // Open.
    History history;
    std::vector<Note> notes;
    Journal journal;
    uint64_t link_count;
    std::map<uint64_t, std::deque<SaidMoment>> unacked; // Indexed by Note::key.
    std::vector<KnownObject> slots;                     // The slots at the last look().
};

namespace recording_history {

// Gives the session a journal, which lives in the history: destroy the session first.
std::unique_ptr<RecordingHistory> make(Session *session, const char *name);
void act(RecordingHistory &h, uint64_t time_us, const std::string &label);
// Call it after each call of the session: adds the notes of the journal and changes of objects.
void look(RecordingHistory &h, const Session *session, uint64_t time_us);
void events(RecordingHistory &h, std::span<const Event> events, uint64_t time_us);
History finish(RecordingHistory &h, const Session *session);

}
}
