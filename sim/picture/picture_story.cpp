#include "sim/picture/picture_story.h"
#include "sim/world/names.h"
#include <algorithm>
#include <cctype>
#include <map>

namespace tern {

namespace {

size_t column_of(const Plan &plan, const Moment &moment)
{
    return plan::column(plan, moment.time_us, moment.kind == MomentKind::violation);
}

bool in_lanes(const History &history, const Moment &moment)
{
    return moment.lane < history.lanes.size();
}

bool ends_stay(MomentKind kind)
{
    return kind == MomentKind::crashed || kind == MomentKind::left;
}

// Whether a peer is in the lane before the first `started` there.
bool is_there_at_first(const History &history, uint16_t lane)
{
    if (lane < history.peers.size() && history.peers[lane] != PeerId::none) return true;
    for (const Moment &moment : history.moments)
        if (moment.lane == lane) return moment.kind != MomentKind::started;
    return false;
}

// The peer that starts with this moment. If the moment does not name it, a later one of the same
// stay may.
PeerId newcomer(const History &history, size_t started)
{
    const Moment &start = history.moments[started];
    if (start.owner != PeerId::none) return start.owner;
    for (size_t i = started + 1; i < history.moments.size(); ++i) {
        const Moment &moment = history.moments[i];
        if (moment.lane != start.lane || moment.kind == MomentKind::object) continue;
        if (moment.kind == MomentKind::started || moment.owner != PeerId::none)
            return moment.kind == MomentKind::started ? PeerId::none : moment.owner;
    }
    return PeerId::none;
}

// The state of one object in one lane, while the history is read.
struct Belief {
    bool known, alive;
    size_t since;
    PeerId owner;
    Stamp stamp;
};

void end_stretch(Plan &plan, uint16_t lane, size_t row, const Belief &belief, size_t at, bool dies)
{
    if (!belief.known) return;
    plan.stretches.push_back({lane, row, belief.since, at, belief.alive, dies && belief.alive,
                              belief.owner, belief.stamp});
}

// Adds the stretches of one lane.
void read_lane(Plan &plan, const History &history, uint16_t lane)
{
    std::vector<Belief> beliefs(plan.objects.size());
    for (const Moment &moment : history.moments) {
        if (moment.lane != lane) continue;
        const size_t at = column_of(plan, moment);
        if (ends_stay(moment.kind) || moment.kind == MomentKind::started) {
            for (size_t row = 0; row < beliefs.size(); ++row)
                end_stretch(plan, lane, row, beliefs[row], at, false);
            beliefs.assign(beliefs.size(), {});
        }
        const size_t row = plan::row(plan, moment.object);
        if (moment.kind != MomentKind::object || row == plan::no_row) continue;
        Belief &belief = beliefs[row];
        const bool known = moment.alive || moment.dead;
        if (known && belief.known && belief.alive == moment.alive && belief.owner == moment.owner &&
            belief.stamp == moment.stamp)
            continue;
        if (!known || !belief.known || belief.alive || moment.alive) {
            end_stretch(plan, lane, row, belief, at, !moment.alive);
            const bool tomb = moment.dead && !moment.alive && !belief.known;
            belief = {known, moment.alive, at, moment.owner, moment.stamp};
            if (tomb) // The object was never alive here.
                plan.stretches.push_back(
                    {lane, row, at, at, false, true, moment.owner, moment.stamp});
        }
    }
    for (size_t row = 0; row < beliefs.size(); ++row)
        end_stretch(plan, lane, row, beliefs[row], plan.columns.size(), false);
}

// The column at which the peer in the lane at column `at` goes. `at`: nobody is there.
size_t end_of_stay(const Plan &plan, uint16_t lane, size_t at)
{
    for (const Stay &stay : plan.stays)
        if (stay.lane == lane && stay.from <= at && at < stay.to) return stay.to;
    return at;
}

struct Cut {
    uint16_t other;
    bool out, in; // No datagram gets to `other`; none gets here from `other`.
    size_t from, to;
};

std::vector<Cut> cuts_of(const Plan &plan, const History &history, uint16_t lane)
{
    std::vector<Cut> cuts;
    const auto close = [&](const Moment &moment, uint16_t other, bool out) {
        for (Cut &cut : cuts)
            if (cut.other == other && cut.out == out && cut.to > plan.columns.size())
                cut.to = column_of(plan, moment);
    };
    for (const Moment &moment : history.moments) {
        if (moment.kind != MomentKind::cut && moment.kind != MomentKind::healed) continue;
        if (moment.lane != lane && moment.other != lane) continue;
        const bool out = moment.lane == lane;
        const uint16_t other = out ? moment.other : moment.lane;
        close(moment, other, out);
        if (moment.kind == MomentKind::cut)
            cuts.push_back({other, out, !out, column_of(plan, moment), plan.columns.size() + 1});
    }
    for (Cut &cut : cuts)
        cut.to = std::min(cut.to, plan.columns.size());
    return cuts;
}

// Joins cuts of the two directions at the same time into one.
std::vector<Cut> joined(const std::vector<Cut> &cuts)
{
    std::vector<Cut> out;
    for (const Cut &cut : cuts) {
        const auto same = [&](const Cut &other) {
            return other.other == cut.other && other.from == cut.from && other.to == cut.to;
        };
        const auto it = std::find_if(out.begin(), out.end(), same);
        if (it == out.end()) {
            out.push_back(cut);
        } else {
            it->out |= cut.out;
            it->in |= cut.in;
        }
    }
    return out;
}

const char *cut_text(const Cut &cut)
{
    if (cut.out && cut.in) return "cut off from ";
    return cut.out ? "cannot reach " : "cannot hear ";
}

void add_cuts(Plan &plan, const History &history, uint16_t lane)
{
    std::vector<Hatch> hatches;
    std::vector<Cut> firsts; // For each hatch, its first cut.
    for (const Cut &cut : joined(cuts_of(plan, history, lane))) {
        if (cut.from == cut.to || cut.other >= history.lanes.size()) continue;
        const std::string &name = history.lanes[cut.other];
        size_t i = 0;
        while (i < hatches.size() && (hatches[i].from != cut.from || hatches[i].to != cut.to ||
                                      firsts[i].out != cut.out || firsts[i].in != cut.in))
            i += 1;
        if (i == hatches.size()) {
            hatches.push_back({lane, cut.from, cut.to, 0, cut_text(cut) + name});
            firsts.push_back(cut);
        } else {
            hatches[i].text += ", " + name;
        }
    }
    std::vector<size_t> row_ends; // For each row, where its last hatch ends.
    for (Hatch &hatch : hatches) {
        hatch.to = std::min(hatch.to, end_of_stay(plan, lane, hatch.from));
        if (hatch.to <= hatch.from) continue;
        while (hatch.row < row_ends.size() && row_ends[hatch.row] > hatch.from)
            hatch.row += 1;
        row_ends.resize(std::max(row_ends.size(), hatch.row + 1));
        row_ends[hatch.row] = hatch.to;
        plan.hatches.push_back(hatch);
    }
}

// Splits "I3: what is wrong" into id and text.
Flag flag_of(const Plan &plan, const Moment &moment)
{
    const std::string &label = moment.label;
    size_t end = 0;
    while (end < label.size() && std::isalnum(static_cast<unsigned char>(label[end])))
        end += 1;
    const bool has_id = end > 0 && end <= 4 && end < label.size() &&
                        (label[end] == ':' || label[end] == ' ') &&
                        std::isdigit(static_cast<unsigned char>(label[end - 1]));
    Flag flag = {moment.lane, column_of(plan, moment), "!", label, moment.object};
    if (!has_id) return flag;
    flag.id = label.substr(0, end);
    flag.text = label.substr(std::min(label.find_first_not_of(": ", end), label.size()));
    return flag;
}

const char *usual_text(MomentKind kind)
{
    switch (kind) {
    case MomentKind::crashed: return "crashes";
    case MomentKind::left: return "leaves";
    case MomentKind::started: return "starts";
    default: return "";
    }
}

}

void story::add_stays(Plan &plan, const History &history)
{
    for (uint16_t lane = 0; lane < history.lanes.size(); ++lane) {
        bool there = is_there_at_first(history, lane);
        const PeerId first = lane < history.peers.size() ? history.peers[lane] : PeerId::none;
        Stay stay = {lane, 0, 0, first, "", MomentKind::started};
        for (size_t i = 0; i < history.moments.size(); ++i) {
            const Moment &moment = history.moments[i];
            const bool starts = moment.kind == MomentKind::started;
            if (moment.lane != lane || (!starts && !ends_stay(moment.kind))) continue;
            stay.to = column_of(plan, moment);
            stay.end = moment.kind;
            if (there) plan.stays.push_back(stay);
            there = starts;
            const PeerId peer = starts ? newcomer(history, i) : PeerId::none;
            stay = {lane, stay.to, 0, peer, moment.label, MomentKind::started};
        }
        stay.to = plan.columns.size();
        if (there) plan.stays.push_back(stay);
    }
}

void story::add_stretches(Plan &plan, const History &history)
{
    for (uint16_t lane = 0; lane < history.lanes.size(); ++lane)
        read_lane(plan, history, lane);
}

void story::add_hatches(Plan &plan, const History &history)
{
    for (uint16_t lane = 0; lane < history.lanes.size(); ++lane) {
        add_cuts(plan, history, lane);
        size_t paused_at = plan::no_row;
        const auto add = [&](size_t to) {
            if (paused_at < to) plan.hatches.push_back({lane, paused_at, to, 0, ""});
            paused_at = plan::no_row;
        };
        for (const Moment &moment : history.moments) {
            if (moment.lane != lane) continue;
            const size_t at = column_of(plan, moment);
            if (moment.kind == MomentKind::resumed || ends_stay(moment.kind)) add(at);
            if (moment.kind == MomentKind::paused && paused_at == plan::no_row) paused_at = at;
        }
        add(plan.columns.size());
    }
}

void story::add_acts(Plan &plan, const History &history, const std::vector<bool> &shown)
{
    // Bands name owners by PeerId, so each peer's id is shown where the peer begins.
    for (const Stay &stay : plan.stays)
        if (stay.from == 0 && stay.to != 0 && plan::is_place(history, stay.lane, stay.peer))
            plan.acts.push_back({stay.lane, 0, "peer " + names::text(stay.peer), MomentKind::act});
    for (size_t i = 0; i < history.moments.size(); ++i) {
        const Moment &moment = history.moments[i];
        if (!shown[i] || !in_lanes(history, moment)) continue;
        const bool has_act = moment.kind == MomentKind::act || moment.kind == MomentKind::started ||
                             ends_stay(moment.kind);
        if (moment.kind == MomentKind::violation) plan.flags.push_back(flag_of(plan, moment));
        if (!has_act) continue;
        const size_t at = column_of(plan, moment);
        std::string text = moment.label.empty() ? usual_text(moment.kind) : moment.label;
        const PeerId peer =
            moment.kind == MomentKind::started ? newcomer(history, i) : PeerId::none;
        if (peer != PeerId::none)
            text += (moment.label.empty() ? " as peer " : ", is peer ") + names::text(peer);
        // Acts of a game at the same time share one label.
        const bool again = !plan.acts.empty() && plan.acts.back().lane == moment.lane &&
                           plan.acts.back().at == at && moment.kind == MomentKind::act &&
                           plan.acts.back().kind == moment.kind;
        if (!again)
            plan.acts.push_back({moment.lane, at, text, moment.kind});
        else if (plan.acts.back().text != text)
            plan.acts.back().text += "; " + text;
    }
}

}
