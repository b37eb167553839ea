#include "sim/recording/recording_history.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::recording_history {

// Notes of one call of the session. If there are more, the title of the history has "incomplete".
static constexpr size_t notes_max = 1 << 16;

static Moment moment(MomentKind kind, uint64_t time_us, uint16_t lane)
{
    Moment moment = {};
    moment.kind = kind;
    moment.time_us = time_us;
    moment.lane = lane;
    return moment;
}

std::unique_ptr<RecordingHistory> make(Session *session, const char *name)
{
    auto h = std::make_unique<RecordingHistory>();
    h->notes.resize(notes_max);
    h->journal.notes = h->notes;
    h->history.lanes = {""};
    h->history.peers = {PeerId::none};
    Moment started = moment(MomentKind::started, 0, 0);
    started.label = name;
    h->history.moments.push_back(started);
    inspect::listen(session, &h->journal);
    return h;
}

static uint16_t lane_of(RecordingHistory &h, PeerId peer)
{
    std::vector<PeerId> &peers = h.history.peers;
    const auto found = std::find(peers.begin() + 1, peers.end(), peer);
    if (found != peers.end()) return static_cast<uint16_t>(found - peers.begin());
    peers.push_back(peer);
    h.history.lanes.push_back("peer " + names::text(peer));
    return static_cast<uint16_t>(peers.size() - 1);
}

void act(RecordingHistory &h, uint64_t time_us, const std::string &label)
{
    h.history.moments.push_back(moment(MomentKind::act, time_us, 0));
    h.history.moments.back().label = label;
}

// --- Messages ---

static void push(RecordingHistory &h, Moment said, MomentKind kind)
{
    said.kind = kind;
    if (kind == MomentKind::heard) std::swap(said.lane, said.other);
    h.history.moments.push_back(said);
}

static void tell(RecordingHistory &h, const Note &note, uint64_t time_us)
{
    if (note.kind == NoteKind::acked) {
        std::deque<SaidMoment> &unacked = h.unacked[note.key];
        while (!unacked.empty() && unacked.front().number <= note.number) {
            unacked.front().moment.time_us = time_us;
            push(h, unacked.front().moment, MomentKind::heard);
            unacked.pop_front();
        }
    }
    if (note.kind != NoteKind::queued && note.kind != NoteKind::received) return;
    const uint16_t peer = lane_of(h, note.peer);
    const bool by_us = note.kind == NoteKind::queued;
    h.link_count += 1;
    Moment said = moment(MomentKind::said, time_us, by_us ? uint16_t{0} : peer);
    said.other = by_us ? peer : uint16_t{0};
    said.message = note.message;
    said.object = note.object;
    said.stamp = note.stamp;
    said.link = h.link_count;
    said.ignored = !by_us && static_cast<Verdict>(note.verdict) != Verdict::ok;
    push(h, said, MomentKind::said);
    if (by_us)
        h.unacked[note.key].push_back({note.number, said});
    else
        push(h, said, MomentKind::heard);
}

// --- Objects ---

static void show(RecordingHistory &h, const KnownObject &object, bool alive, uint64_t time_us)
{
    Moment shown = moment(MomentKind::object, time_us, 0);
    shown.object = object.id;
    shown.stamp = object.stamp;
    shown.owner = object.owner;
    shown.alive = alive;
    shown.dead = !alive;
    h.history.moments.push_back(shown);
}

static void look_at_slot(RecordingHistory &h, KnownObject &before, const KnownObject &now,
                         uint64_t time_us)
{
    const bool was = before.life == Life::alive, is = now.life == Life::alive;
    const bool same = before.id == now.id;
    if (was && (!same || !is)) show(h, before, false, time_us);
    const bool changed = before.stamp != now.stamp || before.owner != now.owner;
    if (is && (!was || !same || changed)) show(h, now, true, time_us);
    before = now;
}

void look(RecordingHistory &h, const Session *session, uint64_t time_us)
{
    for (size_t i = 0; i < h.journal.count; ++i)
        tell(h, h.notes[i], time_us);
    h.journal.count = 0;
    const Flat<KnownObject> &slots = inspect::replica(session).world.slots;
    h.slots.resize(slots.count);
    for (ObjectSlot slot = 0; slot < slots.count; ++slot)
        look_at_slot(h, h.slots[slot], slots[slot], time_us);
}

void events(RecordingHistory &h, std::span<const Event> events, uint64_t time_us)
{
    for (const Event &event : events) {
        if (event.kind == EventKind::peer_joined) {
            h.history.moments.push_back(
                moment(MomentKind::started, time_us, lane_of(h, event.newcomer.peer)));
            h.history.moments.back().label = event.newcomer.name;
        }
        if (event.kind == EventKind::peer_left)
            h.history.moments.push_back(moment(MomentKind::left, time_us, lane_of(h, event.peer)));
    }
}

History finish(RecordingHistory &h, const Session *session)
{
    History &history = h.history;
    history.peers[0] = local_peer(session);
    history.lanes[0] = "peer " + names::text(local_peer(session)) + " recorded";
    for (size_t i = 0; i < history.peers.size(); ++i)
        if (history.peers[i] != PeerId::none && history.peers[i] == host_peer(session))
            history.lanes[i] += " host";
    history.title = "recording of peer " + names::text(local_peer(session));
    if (h.journal.missed > 0) history.title += ", incomplete";
    return std::move(h.history);
}

}
