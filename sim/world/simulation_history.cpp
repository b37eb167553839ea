// Writes the history of a run for people: acts, objects, messages, lost datagrams and cut paths.
#include "sim/world/simulation.h"
#include <algorithm>

namespace tern::simulation {

static Moment moment(const Simulation &sim, uint64_t time_us, MomentKind kind, uint16_t lane,
                     uint16_t other)
{
    Moment moment = {};
    moment.time_us = time_us;
    moment.kind = kind;
    moment.lane = lane;
    moment.other = other;
    moment.owner = sim.nodes[lane].self;
    return moment;
}

static void take_those_due(Simulation &sim)
{
    while (!sim.later.empty() && sim.later.front().time_us <= sim.now_us) {
        sim.history.moments.push_back(sim.later.front());
        sim.later.erase(sim.later.begin());
    }
}

void remember(Simulation &sim, MomentKind kind, uint16_t lane, uint16_t other,
              const std::string &label)
{
    if (!sim.keeps_history) return;
    take_those_due(sim);
    sim.history.moments.push_back(moment(sim, sim.now_us, kind, lane, other));
    sim.history.moments.back().label = label;
}

void remember_later(Simulation &sim, uint64_t time_us, MomentKind kind, uint16_t lane,
                    uint16_t other)
{
    if (!sim.keeps_history) return;
    const auto after =
        std::upper_bound(sim.later.begin(), sim.later.end(), time_us,
                         [](uint64_t time, const Moment &m) { return time < m.time_us; });
    sim.later.insert(after, moment(sim, time_us, kind, lane, other));
}

static void remember_changes(Simulation &sim, uint16_t place)
{
    const Replica &replica = inspect::replica(sim.nodes[place].session);
    for (const Change &change : sim.nodes[place].changes) {
        if (change.before.life == change.after.life && change.before.stamp == change.after.stamp &&
            change.before.owner == change.after.owner)
            continue;
        remember(sim, MomentKind::object, place, place);
        Moment &moment = sim.history.moments.back();
        moment.object = change.object;
        moment.stamp = change.after.stamp;
        moment.owner = change.after.owner;
        moment.alive = change.after.life == Life::alive;
        moment.dead =
            dead::contains(replica.world.dead, change.object); // Stays true when the slot is freed.
    }
}

// Moment::link: equal for a message sent and received, because it depends on the message's number
// on its stream and its object only.
static uint64_t link(PeerId from, PeerId to, const Note &note)
{
    const uint64_t pair = static_cast<uint64_t>(from) << 16 | static_cast<uint64_t>(to);
    return dice::mixed(dice::mixed(pair << 32 ^ note.number) + static_cast<uint64_t>(note.object) +
                       static_cast<uint64_t>(note.message));
}

static void remember_notes(Simulation &sim, uint16_t lane)
{
    const Node &node = sim.nodes[lane];
    const PeerId self = node.self;
    for (size_t i = 0; i < node.note_count; ++i) {
        const Note &note = node.notes[i];
        if (note.kind != NoteKind::queued && note.kind != NoteKind::received) continue;
        const uint16_t other = place(sim, note.peer);
        if (other == no_place) continue;
        const bool said = note.kind == NoteKind::queued;
        remember(sim, said ? MomentKind::said : MomentKind::heard, lane, other);
        Moment &moment = sim.history.moments.back();
        moment.message = note.message;
        moment.object = note.object;
        moment.stamp = note.stamp;
        moment.ignored = !said && note.verdict != static_cast<uint8_t>(Verdict::ok);
        moment.link = said ? link(self, note.peer, note) : link(note.peer, self, note);
    }
}

void remember_violation(Simulation &sim)
{
    const Violation &violation = sim.oracles.violation;
    if (!violation || !sim.keeps_history) return;
    remember(sim, MomentKind::violation, violation.lane, violation.lane,
             violation.invariant + ": " + violation.text);
    sim.history.moments.back().object = violation.object;
}

void remember_tick(Simulation &sim, uint16_t place)
{
    remember_notes(sim, place);
    remember_changes(sim, place);
}

}
