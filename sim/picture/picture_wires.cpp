// Adds the arrows of picture_story.h: the messages sent, and whether they arrived.
#include "sim/picture/picture_story.h"
#include <algorithm>
#include <map>

namespace tern {

namespace {

using Key = std::pair<uint64_t, ObjectId>; // Link and object: a message may be about several.

// Indices of moments, in order. If two peers connect again, the numbers of messages start again, so
// a link can be sent more than once. A message received belongs to the last one sent before.
struct Ends {
    std::vector<size_t> said, heard;
};

std::map<Key, Ends> pairs_of(const History &history)
{
    std::map<Key, Ends> pairs;
    for (size_t i = 0; i < history.moments.size(); ++i) {
        const Moment &moment = history.moments[i];
        const size_t lanes = history.lanes.size();
        if (moment.lane >= lanes || moment.other >= lanes) continue;
        Ends &ends = pairs[{moment.link, moment.object}];
        if (moment.kind == MomentKind::said)
            ends.said.push_back(i);
        else if (moment.kind == MomentKind::heard)
            ends.heard.push_back(i);
    }
    return pairs;
}

// For each link, the time of its moment of this kind (lost or doubled).
std::map<uint64_t, uint64_t> times_of(const History &history, MomentKind kind)
{
    std::map<uint64_t, uint64_t> out;
    for (const Moment &moment : history.moments)
        if (moment.kind == kind && moment.link != 0) out[moment.link] = moment.time_us;
    return out;
}

// SIZE_MAX: there is none.
size_t said_before(const Ends &ends, size_t heard)
{
    const auto it = std::upper_bound(ends.said.begin(), ends.said.end(), heard);
    return it == ends.said.begin() ? SIZE_MAX : *(it - 1);
}

bool is_heard(const Ends &ends, size_t said)
{
    const auto it = std::upper_bound(ends.heard.begin(), ends.heard.end(), said);
    return it != ends.heard.end() && said_before(ends, *it) == said;
}

// When the sender or the receiver of a message ended after it was sent. UINT64_MAX: neither did.
uint64_t end_of_pair(const History &history, size_t said)
{
    const Moment &message = history.moments[said];
    for (size_t i = said; i < history.moments.size(); ++i) {
        const Moment &moment = history.moments[i];
        const bool concerns = moment.lane == message.lane || moment.lane == message.other;
        const bool ends = moment.kind == MomentKind::crashed || moment.kind == MomentKind::left ||
                          moment.kind == MomentKind::started;
        if (concerns && ends && i > said) return moment.time_us;
    }
    return UINT64_MAX;
}

bool same_way(const Arrow &a, const Arrow &b)
{
    return a.from == b.from && a.to == b.to && a.said_at == b.said_at && a.end_at == b.end_at &&
           a.outcome == b.outcome && a.strong == b.strong && a.doubled == b.doubled;
}

void add_arrow(Plan &plan, const Arrow &arrow)
{
    // Messages sent together are close in the list, but arrows of other lanes may lie between them.
    // 64 bounds the search.
    for (size_t i = plan.arrows.size(); i-- > 0 && plan.arrows.size() - i <= 64;)
        if (same_way(plan.arrows[i], arrow)) {
            plan.arrows[i].spoken.push_back(arrow.spoken[0]);
            return;
        }
    plan.arrows.push_back(arrow);
}

Arrow arrow_of(const Plan &plan, const Moment &moment)
{
    const bool said = moment.kind == MomentKind::said;
    Arrow arrow = {};
    arrow.from = said ? moment.lane : moment.other;
    arrow.to = said ? moment.other : moment.lane;
    arrow.said_us = arrow.end_us = moment.time_us;
    arrow.said_at = arrow.end_at = plan::column(plan, moment.time_us, false);
    arrow.strong = plan::is_violated(plan, moment.object);
    arrow.spoken.push_back({moment.message, moment.stamp, moment.object});
    return arrow;
}

struct Knowledge {
    std::map<Key, Ends> pairs;
    std::map<uint64_t, uint64_t> lost, doubled;
};

void add_unheard(Plan &plan, const History &history, const Knowledge &known, size_t said)
{
    const Moment &moment = history.moments[said];
    Arrow arrow = arrow_of(plan, moment);
    const auto lost = known.lost.find(moment.link);
    const uint64_t gone_us = end_of_pair(history, said);
    arrow.doubled = known.doubled.contains(moment.link);
    arrow.outcome = ArrowOutcome::under_way;
    arrow.end_at = plan.columns.size();
    if (lost != known.lost.end() || gone_us != UINT64_MAX) {
        arrow.outcome = ArrowOutcome::lost;
        arrow.end_us = lost != known.lost.end() ? lost->second : gone_us;
        arrow.end_at = plan::column(plan, arrow.end_us, false);
    }
    add_arrow(plan, arrow);
}

void add_heard(Plan &plan, const History &history, const Knowledge &known, size_t heard)
{
    const Moment &moment = history.moments[heard];
    const Ends &ends = known.pairs.at({moment.link, moment.object});
    const size_t begin = said_before(ends, heard);
    const auto it = std::lower_bound(ends.heard.begin(), ends.heard.end(), heard);
    const bool again = it != ends.heard.begin() && said_before(ends, *(it - 1)) == begin;
    const bool twin = // Received twice in one tick: one arrow, marked as doubled.
        it + 1 != ends.heard.end() && history.moments[*(it + 1)].time_us == moment.time_us;
    if (again && history.moments[*(it - 1)].time_us == moment.time_us) return;
    Arrow arrow = arrow_of(plan, moment);
    arrow.outcome = moment.ignored ? ArrowOutcome::ignored : ArrowOutcome::heard;
    if (begin == SIZE_MAX) {
        arrow.outcome = ArrowOutcome::unsaid;
    } else {
        const Moment &said = history.moments[begin];
        arrow.said_us = said.time_us;
        arrow.said_at = plan::column(plan, said.time_us, false);
    }
    arrow.doubled = known.doubled.contains(moment.link) || again || twin;
    add_arrow(plan, arrow);
}

}

void story::add_arrows(Plan &plan, const History &history, const std::vector<bool> &shown)
{
    const Knowledge known = {pairs_of(history), times_of(history, MomentKind::lost),
                             times_of(history, MomentKind::doubled)};
    for (size_t i = 0; i < history.moments.size(); ++i) {
        const Moment &moment = history.moments[i];
        if (!shown[i] || moment.lane >= history.lanes.size() ||
            moment.other >= history.lanes.size() || moment.lane == moment.other)
            continue;
        if (moment.kind == MomentKind::heard) add_heard(plan, history, known, i);
        if (moment.kind == MomentKind::said &&
            !is_heard(known.pairs.at({moment.link, moment.object}), i))
            add_unheard(plan, history, known, i);
    }
}

void story::add_spots(Plan &plan, const History &history, const std::vector<bool> &shown)
{
    std::map<uint64_t, bool> messages; // Links of messages, whose losses the arrows show.
    for (const Moment &moment : history.moments)
        if (moment.kind == MomentKind::said) messages[moment.link] = true;
    for (size_t i = 0; i < history.moments.size(); ++i) {
        const Moment &moment = history.moments[i];
        const bool is_spot = moment.kind == MomentKind::lost || moment.kind == MomentKind::doubled;
        if (!is_spot || !shown[i] || moment.lane >= history.lanes.size() ||
            moment.other >= history.lanes.size() || messages.contains(moment.link))
            continue;
        const size_t after = plan::column(plan, moment.time_us, false);
        if (after == 0 || after + 1 >= plan.columns.size()) continue; // Outside the picture.
        const uint64_t begin = plan.columns[after].time_us;
        const uint64_t length = std::max<uint64_t>(plan.columns[after + 1].time_us - begin, 1);
        const double part = static_cast<double>((moment.time_us - begin) * 3 / length) / 3;
        const auto same = [&](const Spots &spots) {
            return spots.from == moment.lane && spots.to == moment.other &&
                   spots.kind == moment.kind && spots.after == after && spots.part == part;
        };
        const auto it = std::find_if(plan.spots.rbegin(), plan.spots.rend(), same);
        if (it != plan.spots.rend())
            it->count += 1;
        else
            plan.spots.push_back({moment.lane, moment.other, after, part, moment.kind, 1});
    }
}

}
