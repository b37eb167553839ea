#include "sim/picture/picture_plan.h"
#include "sim/picture/picture_choice.h"
#include "sim/picture/picture_story.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern {

namespace {

bool has_column(const Moment &moment)
{
    return moment.kind != MomentKind::lost && moment.kind != MomentKind::doubled;
}

void make_columns(Plan &plan, const History &history, const std::vector<bool> &shown)
{
    plan.columns.push_back({0, false});
    for (size_t i = 0; i < history.moments.size(); ++i) {
        const Moment &moment = history.moments[i];
        if (!shown[i] || !has_column(moment)) continue;
        const bool flag = moment.kind == MomentKind::violation;
        const Column &last = plan.columns.back();
        if (plan.columns.size() == 1 || last.time_us != moment.time_us || (flag && !last.flag))
            plan.columns.push_back({moment.time_us, flag});
    }
}

// Gives colours in order of appearance. Only beyond the number of colours in picture_draw.cpp do
// peers share one.
void choose_colours(Plan &plan, const History &history)
{
    const auto add = [&](PeerId peer) {
        const auto end = plan.colours.end();
        if (peer != PeerId::none && std::find(plan.colours.begin(), end, peer) == end)
            plan.colours.push_back(peer);
    };
    for (const PeerId peer : history.peers)
        add(peer);
    for (const Moment &moment : history.moments)
        add(moment.owner);
}

// Keeps the last columns_max columns.
void drop_first(Plan &plan, const History &history, std::vector<bool> &shown, size_t columns_max)
{
    size_t columns = 0;
    uint64_t time_us = UINT64_MAX;
    for (size_t i = shown.size(); i-- > 0;) {
        const Moment &moment = history.moments[i];
        if (!shown[i]) continue;
        if (has_column(moment) && moment.time_us != time_us) {
            columns += 1;
            if (columns <= columns_max) time_us = moment.time_us;
        }
        if (columns <= columns_max) continue;
        shown[i] = false;
        plan.begins_us = time_us;
    }
}

void find_used_lanes(Plan &plan, const History &history)
{
    plan.lanes_used.assign(history.lanes.size(), false);
    for (const Stay &stay : plan.stays)
        if (stay.from != 0 || stay.to != 0) plan.lanes_used[stay.lane] = true;
    for (const Arrow &arrow : plan.arrows)
        plan.lanes_used[arrow.from] = plan.lanes_used[arrow.to] = true;
    for (const Spots &spots : plan.spots)
        plan.lanes_used[spots.from] = plan.lanes_used[spots.to] = true;
    for (const PictureAct &act : plan.acts)
        plan.lanes_used[act.lane] = true;
    for (const Flag &flag : plan.flags)
        plan.lanes_used[flag.lane] = true;
}

// The text of `count` equal messages. again: it follows the text of others of the same kind.
std::string text_of(const Plan &plan, const Spoken &spoken, bool again, size_t count,
                    plan::Detail detail)
{
    std::string out = plan::message_text(spoken.message);
    const bool stamped = spoken.message == MessageKind::migrate ||
                         spoken.message == MessageKind::destroy ||
                         spoken.message == MessageKind::grant;
    if (again && stamped) out.clear(); // "MIGRATE 1.2, 1.3".
    const bool ambiguous = plan.objects.size() + (plan.narrow ? 0 : plan.more_objects) > 1;
    if (stamped && detail != plan::Detail::kinds) out += " " + names::text(spoken.stamp);
    if (count > 1) return out + " \u00d7" + std::to_string(count);
    if (spoken.object != ObjectId::none && ambiguous && detail == plan::Detail::objects)
        out += " (" + names::text(spoken.object) + ")";
    return out;
}

bool alike(const Spoken &a, const Spoken &b, plan::Detail detail)
{
    return a.message == b.message && (a.stamp == b.stamp || detail == plan::Detail::kinds);
}

}

Plan plan::make(const History &history, const PictureOptions &options, size_t columns_max)
{
    Plan plan = {};
    std::vector<bool> shown = choice::shown(plan, history, options);
    drop_first(plan, history, shown, columns_max);
    make_columns(plan, history, shown);
    choose_colours(plan, history);
    story::add_stays(plan, history);
    story::add_stretches(plan, history);
    story::add_hatches(plan, history);
    story::add_acts(plan, history, shown);
    story::add_arrows(plan, history, shown);
    story::add_spots(plan, history, shown);
    find_used_lanes(plan, history);
    return plan;
}

size_t plan::row(const Plan &plan, ObjectId object)
{
    const auto it = std::find(plan.objects.begin(), plan.objects.end(), object);
    return it == plan.objects.end() ? no_row : static_cast<size_t>(it - plan.objects.begin());
}

bool plan::is_violated(const Plan &plan, ObjectId object)
{
    return std::find(plan.violated.begin(), plan.violated.end(), object) != plan.violated.end();
}

size_t plan::column(const Plan &plan, uint64_t time_us, bool flag)
{
    const auto after = [](const Column &a, const Column &b) {
        return a.time_us != b.time_us ? a.time_us < b.time_us : a.flag < b.flag;
    };
    const auto it = std::upper_bound(plan.columns.begin() + 1, plan.columns.end(),
                                     Column{time_us, flag}, after);
    return static_cast<size_t>(it - plan.columns.begin()) - 1;
}

const char *plan::message_text(MessageKind kind)
{
    switch (kind) {
    case MessageKind::none: return "UPDATE";
    case MessageKind::welcome: return "WELCOME";
    case MessageKind::view: return "VIEW";
    case MessageKind::create: return "CREATE";
    case MessageKind::migrate: return "MIGRATE";
    case MessageKind::destroy: return "DESTROY";
    case MessageKind::dead: return "DEAD";
    case MessageKind::synced: return "SYNCED";
    case MessageKind::caught_up: return "CAUGHT UP";
    case MessageKind::claim: return "CLAIM";
    case MessageKind::release: return "RELEASE";
    case MessageKind::lock: return "LOCK";
    case MessageKind::unlock: return "UNLOCK";
    case MessageKind::claim_refused: return "REFUSED";
    case MessageKind::grant: return "GRANT";
    case MessageKind::query: return "QUERY";
    case MessageKind::report_object:
    case MessageKind::report: return "REPORT";
    case MessageKind::complaint: return "COMPLAINT";
    case MessageKind::relay: return "RELAY";
    }
    return "?";
}

PeerId plan::first_peer(const Plan &plan, uint16_t lane)
{
    for (const Stay &stay : plan.stays)
        if (stay.lane == lane && (stay.from != 0 || stay.to != 0) && stay.peer != PeerId::none)
            return stay.peer;
    return PeerId::none;
}

bool plan::is_place(const History &history, uint16_t lane, PeerId peer)
{
    const std::string &name = history.lanes[lane];
    const std::string number = name.substr(0, name.find_first_not_of("0123456789"));
    return !number.empty() && peer != PeerId::none && number != names::text(peer);
}

std::string plan::lane_text(const Plan &plan, const History &history, uint16_t lane)
{
    const std::string &name = history.lanes[lane];
    const bool numbered = !name.empty() && name[0] >= '0' && name[0] <= '9';
    if (!numbered) return name;
    bool places = false; // If one lane is named after a place, all are.
    for (uint16_t each = 0; each < history.lanes.size(); ++each)
        places |= is_place(history, each, first_peer(plan, each));
    return (places ? "place " : "peer ") + name;
}

std::string plan::time_text(const History &history, uint64_t time_us)
{
    if (history.steps) return std::to_string(time_us / 1000);
    const uint64_t tenths = (time_us + 50) / 100;
    std::string out = std::to_string(tenths / 10);
    if (tenths % 10 != 0) out += "." + std::to_string(tenths % 10);
    return out;
}

std::string plan::arrow_text(const Plan &plan, const Arrow &arrow, Detail detail)
{
    constexpr size_t kinds_max = 3;
    std::string out;
    size_t kinds = 0;
    for (size_t i = 0; i < arrow.spoken.size();) {
        size_t end = i + 1;
        while (end < arrow.spoken.size() && alike(arrow.spoken[end], arrow.spoken[i], detail))
            end += 1;
        kinds += 1;
        if (kinds > kinds_max) return out + ", ...";
        const bool again = i > 0 && arrow.spoken[i - 1].message == arrow.spoken[i].message;
        out += (i == 0 ? "" : ", ") + text_of(plan, arrow.spoken[i], again, end - i, detail);
        i = end;
    }
    return out;
}

}
