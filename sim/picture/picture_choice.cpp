#include "sim/picture/picture_choice.h"
#include <algorithm>
#include <map>
#include <set>

namespace tern {

namespace {

// The part of the history that concerns the objects of the violation.
struct Scope {
    uint64_t first_us, last_us;
    std::vector<bool> past; // For each moment, whether it may have influenced them.
};

bool is_message(const Moment &moment)
{
    return moment.kind == MomentKind::said || moment.kind == MomentKind::heard;
}

bool is_datagram(const Moment &moment)
{
    return moment.kind == MomentKind::lost || moment.kind == MomentKind::doubled;
}

void choose_objects(Plan &plan, const History &history, const PictureOptions &options)
{
    std::map<ObjectId, size_t> activity;
    for (const Moment &moment : history.moments) {
        if (moment.object == ObjectId::none) continue;
        activity[moment.object] += 1;
        if (moment.kind == MomentKind::violation && !plan::is_violated(plan, moment.object))
            plan.violated.push_back(moment.object);
    }
    plan.objects = plan.violated;
    std::vector<std::pair<size_t, ObjectId>> others;
    for (const auto &[object, count] : activity)
        if (!plan::is_violated(plan, object)) others.push_back({count, object});
    std::stable_sort(others.begin(), others.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    plan.narrow = !plan.violated.empty() && !options.all;
    for (const auto &[count, object] : others)
        if (!plan.narrow && plan.objects.size() < options.objects_max)
            plan.objects.push_back(object);
    std::sort(plan.objects.begin(), plan.objects.end());
    plan.more_objects = activity.size() - plan.objects.size();
}

// Finds what may have influenced the objects of the violation (what happened before, in Lamport's
// sense): goes back in time, along lanes and from each message received to where it was sent.
std::vector<bool> past_of(const Plan &plan, const History &history)
{
    std::vector<bool> past(history.moments.size()), lane_counts(history.lanes.size());
    std::set<uint64_t> links;
    for (size_t i = history.moments.size(); i-- > 0;) {
        const Moment &moment = history.moments[i];
        if (moment.lane >= history.lanes.size()) continue;
        if (plan::is_violated(plan, moment.object)) lane_counts[moment.lane] = true;
        if (moment.kind == MomentKind::said && links.contains(moment.link))
            lane_counts[moment.lane] = true;
        past[i] = lane_counts[moment.lane];
        if (past[i] && moment.kind == MomentKind::heard) links.insert(moment.link);
    }
    return past;
}

Scope scope_of(const Plan &plan, const History &history)
{
    Scope scope = {UINT64_MAX, 0, {}};
    if (!plan.narrow) return scope;
    for (const Moment &moment : history.moments) {
        if (!plan::is_violated(plan, moment.object)) continue;
        scope.first_us = std::min(scope.first_us, moment.time_us);
        scope.last_us = std::max(scope.last_us, moment.time_us);
    }
    scope.past = past_of(plan, history);
    return scope;
}

bool is_shown(const Plan &plan, const History &history, const Scope &scope,
              const PictureOptions &options, size_t index)
{
    const Moment &moment = history.moments[index];
    const bool inside = moment.time_us >= scope.first_us && moment.time_us <= scope.last_us;
    if (moment.object != ObjectId::none && plan::row(plan, moment.object) == plan::no_row)
        return is_message(moment) && options.all;
    if (!plan.narrow || moment.object != ObjectId::none) return true;
    if (is_message(moment)) return inside && scope.past[index] && !moment.ignored;
    // Acts about other objects are left out, except in the explorer's histories, where a move is an
    // act and moves are few.
    return inside && (moment.kind != MomentKind::act || history.steps);
}

// A message about no object is shown at both ends or at neither.
void pair_messages(std::vector<bool> &shown, const History &history)
{
    std::map<uint64_t, bool> heard; // For each link, whether its arrival is shown.
    for (size_t i = 0; i < shown.size(); ++i)
        if (history.moments[i].kind == MomentKind::heard) heard[history.moments[i].link] = shown[i];
    for (size_t i = 0; i < shown.size(); ++i) {
        const Moment &moment = history.moments[i];
        const auto end = heard.find(moment.link);
        if (moment.kind == MomentKind::said && moment.object == ObjectId::none &&
            end != heard.end())
            shown[i] = end->second;
    }
}

// In a narrow picture, shows only the losses that delay a message that is shown.
void drop_other_datagrams(std::vector<bool> &shown, const History &history)
{
    std::map<uint64_t, uint64_t> ends; // For each link, when the message arrived.
    for (size_t i = 0; i < history.moments.size(); ++i)
        if (shown[i] && history.moments[i].kind == MomentKind::heard)
            ends[history.moments[i].link] = history.moments[i].time_us;
    // For each pair of lanes, until when a message that is shown is in flight.
    std::map<std::pair<uint16_t, uint16_t>, uint64_t> open_until;
    std::set<uint64_t> said;
    for (size_t i = 0; i < history.moments.size(); ++i) {
        const Moment &moment = history.moments[i];
        uint64_t &until = open_until[{moment.lane, moment.other}];
        if (shown[i] && moment.kind == MomentKind::said) {
            said.insert(moment.link);
            const auto end = ends.find(moment.link);
            until = end == ends.end() ? UINT64_MAX : std::max(until, end->second);
        }
        if (is_datagram(moment))
            shown[i] = shown[i] && (said.contains(moment.link) || moment.time_us <= until);
    }
}

}

std::vector<bool> choice::shown(Plan &plan, const History &history, const PictureOptions &options)
{
    choose_objects(plan, history, options);
    const Scope scope = scope_of(plan, history);
    std::vector<bool> shown(history.moments.size());
    for (size_t i = 0; i < shown.size(); ++i)
        shown[i] = is_shown(plan, history, scope, options, i);
    pair_messages(shown, history);
    if (plan.narrow) drop_other_datagrams(shown, history);
    for (size_t i = 0; i < shown.size(); ++i)
        plan.left_out += !shown[i] && !is_datagram(history.moments[i]);
    return shown;
}

}
