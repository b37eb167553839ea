#include "sim/picture/history.h"
#include "migration/replica.h"
#include "sim/picture/picture_ink.h"
#include "sim/world/names.h"
#include <algorithm>
#include <initializer_list>
#include <map>

namespace tern::history {

History sorted(History history)
{
    const size_t lanes = history.lanes.size();
    std::erase_if(history.moments, [&](const Moment &moment) {
        return moment.lane >= lanes || moment.other >= lanes;
    });
    std::stable_sort(history.moments.begin(), history.moments.end(),
                     [](const Moment &a, const Moment &b) { return a.time_us < b.time_us; });
    return history;
}

static bool changes_stay(MomentKind kind)
{
    return kind == MomentKind::crashed || kind == MomentKind::left || kind == MomentKind::started;
}

// --- Messages ---

// The last message of each link and object: one link may carry parts about several objects. A
// connection that was made anew uses its links again.
using LastSent = std::map<std::pair<uint64_t, ObjectId>, size_t>;

static HistoryMessage message_of(const Moment &moment, uint16_t from, uint16_t to)
{
    return {from,           to,
            moment.message, moment.object,
            moment.stamp,   moment.time_us,
            history_end_us, MessageOutcome::in_flight,
            false};
}

static void receive(std::vector<HistoryMessage> &all, const LastSent &last, const Moment &moment)
{
    const auto found = last.find({moment.link, moment.object});
    if (found == last.end()) {
        all.push_back(message_of(moment, moment.other, moment.lane));
        all.back().outcome = MessageOutcome::unsent;
        all.back().end_us = moment.time_us;
        return;
    }
    HistoryMessage &message = all[found->second];
    if (message.outcome == MessageOutcome::received || message.outcome == MessageOutcome::ignored) {
        message.duplicated = true;
        return;
    }
    message.outcome = moment.ignored ? MessageOutcome::ignored : MessageOutcome::received;
    message.end_us = moment.time_us;
}

static void lose(HistoryMessage &message, uint64_t time_us)
{
    if (message.outcome != MessageOutcome::in_flight) return;
    message.outcome = MessageOutcome::lost;
    message.end_us = time_us;
}

std::vector<HistoryMessage> messages(const History &history)
{
    std::vector<HistoryMessage> all;
    LastSent last;
    for (const Moment &moment : history.moments) {
        const auto first = last.lower_bound({moment.link, ObjectId::none});
        if (moment.kind == MomentKind::said) {
            last[{moment.link, moment.object}] = all.size();
            all.push_back(message_of(moment, moment.lane, moment.other));
        } else if (moment.kind == MomentKind::heard) {
            receive(all, last, moment);
        } else if (moment.kind == MomentKind::lost || moment.kind == MomentKind::doubled) {
            for (auto it = first; it != last.end() && it->first.first == moment.link; ++it)
                if (moment.kind == MomentKind::lost)
                    lose(all[it->second], moment.time_us);
                else
                    all[it->second].duplicated = true;
        } else if (changes_stay(moment.kind)) {
            for (HistoryMessage &message : all) // A message may still arrive after its sender died.
                if (message.from == moment.lane || message.to == moment.lane)
                    lose(message, moment.time_us);
        }
    }
    return all;
}

// --- Peers and objects ---

static bool is_there_at_first(const History &history, uint16_t lane)
{
    if (lane < history.peers.size() && history.peers[lane] != PeerId::none) return true;
    for (const Moment &moment : history.moments) {
        if (moment.lane == lane) return moment.kind != MomentKind::started;
        if (moment.other == lane && moment.kind == MomentKind::said) return true;
    }
    return false;
}

std::vector<HistoryStay> stays(const History &history)
{
    std::vector<HistoryStay> all;
    for (uint16_t lane = 0; lane < history.lanes.size(); ++lane) {
        bool is_there = is_there_at_first(history, lane);
        const PeerId first = lane < history.peers.size() ? history.peers[lane] : PeerId::none;
        HistoryStay stay = {lane, first, 0, history_end_us, MomentKind::started};
        for (const Moment &moment : history.moments) {
            if (moment.lane != lane) continue;
            if (!changes_stay(moment.kind)) { // A newcomer gets its PeerId later than its lane.
                if (stay.peer == PeerId::none && moment.kind != MomentKind::object)
                    stay.peer = moment.owner;
                continue;
            }
            stay.to_us = moment.time_us;
            stay.end = moment.kind;
            if (is_there) all.push_back(stay);
            is_there = moment.kind == MomentKind::started;
            stay = {lane, is_there ? moment.owner : PeerId::none, moment.time_us, history_end_us,
                    MomentKind::started};
        }
        if (is_there) all.push_back(stay);
    }
    return all;
}

std::vector<HistoryObject> objects(const History &history)
{
    std::vector<HistoryObject> all;
    std::map<std::pair<uint16_t, ObjectId>, size_t> open;
    for (const Moment &moment : history.moments) {
        if (changes_stay(moment.kind))
            std::erase_if(open, [&](const auto &entry) {
                if (entry.first.first != moment.lane) return false;
                all[entry.second].to_us = moment.time_us;
                return true;
            });
        if (moment.kind != MomentKind::object) continue;
        const auto found = open.find({moment.lane, moment.object});
        const bool was_known = found != open.end(), is_known = moment.alive || moment.dead;
        if (was_known) {
            HistoryObject &was = all[found->second];
            const bool same =
                was.alive == moment.alive && was.owner == moment.owner && was.stamp == moment.stamp;
            if (is_known && (same || (!was.alive && !moment.alive))) continue;
            was.to_us = moment.time_us;
            was.destroyed = was.alive && !moment.alive;
            open.erase(found);
        }
        if (!is_known) continue;
        open[{moment.lane, moment.object}] = all.size();
        all.push_back({moment.lane, moment.object, moment.time_us, history_end_us, moment.alive,
                       !moment.alive && !was_known, moment.owner, moment.stamp});
    }
    return all;
}

// --- Words ---

Violation violation(const Moment &moment)
{
    constexpr size_t invariant_max = 4;
    const size_t colon = moment.label.find(": ");
    if (colon == 0 || colon > invariant_max) return {"", moment.label, moment.object, moment.lane};
    return {moment.label.substr(0, colon), moment.label.substr(colon + 2), moment.object,
            moment.lane};
}

const char *text(MessageKind kind)
{
    return kind == MessageKind::none ? "UPDATE" : replica::name(kind);
}

const char *text(MessageOutcome outcome)
{
    static constexpr const char *names[] = {"received", "ignored", "lost", "in flight", "unsent"};
    return names[static_cast<size_t>(outcome)];
}

const char *text(MomentKind kind)
{
    static constexpr const char *names[] = {
        "said",    "heard", "object", "act",     "duplicated", "lost",   "crashed",
        "started", "left",  "paused", "resumed", "cut",        "healed", "violation"};
    static_assert(std::size(names) == static_cast<size_t>(MomentKind::violation) + 1);
    return names[static_cast<size_t>(kind)];
}

// --- JSON ---

static std::string quoted(std::string_view raw)
{
    std::string out = "\"";
    for (const char c : ink::valid(raw)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? "\\n" : std::string(1, c);
    }
    return out + "\"";
}

static std::string number_or_null(uint64_t value, uint64_t null)
{
    return value == null ? "null" : std::to_string(value);
}

static std::string time(const History &history, uint64_t time_us)
{
    const uint64_t unit = history.steps && time_us != history_end_us ? 1000 : 1;
    return number_or_null(time_us / unit, history_end_us);
}

static std::string peer(PeerId peer)
{
    return number_or_null(static_cast<uint64_t>(peer), static_cast<uint64_t>(PeerId::none));
}

static std::string object(ObjectId object)
{
    return object == ObjectId::none ? "null" : quoted(names::text(object));
}

// Puts the values in place of the dollars.
static std::string filled(std::string_view form, std::initializer_list<std::string> values)
{
    std::string out;
    for (const std::string &value : values) {
        out += std::string(form.substr(0, form.find('$'))) + value;
        form.remove_prefix(form.find('$') + 1);
    }
    return out + std::string(form);
}

static std::string list(const std::vector<std::string> &items)
{
    std::string out;
    for (const std::string &item : items)
        out += (out.empty() ? "[\n" : ",\n") + item;
    return out.empty() ? "[]" : out + "\n]";
}

std::string json(const History &raw)
{
    const History h = sorted(raw);
    const auto number = [](uint16_t value) { return std::to_string(value); };
    const auto boolean = [](bool value) { return value ? "true" : "false"; };
    std::vector<std::string> lanes, peers, sent, tenures, events;
    std::string violated = "null";
    for (const std::string &name : h.lanes)
        lanes.push_back(quoted(name));
    for (const HistoryStay &s : stays(h))
        peers.push_back(
            filled(R"({"lane": $, "peer": $, "from": $, "to": $})",
                   {number(s.lane), peer(s.peer), time(h, s.from_us), time(h, s.to_us)}));
    for (const HistoryMessage &m : messages(h))
        sent.push_back(
            filled(R"({"from": $, "to": $, "message": $, "object": $, "stamp": $, "sent": $, )"
                   R"("ended": $, "outcome": $, "duplicated": $})",
                   {number(m.from), number(m.to), quoted(text(m.kind)), object(m.object),
                    quoted(names::text(m.stamp)),
                    m.outcome == MessageOutcome::unsent ? "null" : time(h, m.sent_us),
                    time(h, m.end_us), quoted(text(m.outcome)), boolean(m.duplicated)}));
    for (const HistoryObject &o : objects(h))
        tenures.push_back(filled(
            R"({"lane": $, "object": $, "from": $, "to": $, "alive": $, "owner": $, "stamp": $})",
            {number(o.lane), object(o.object), time(h, o.from_us), time(h, o.to_us),
             boolean(o.alive), peer(o.owner), quoted(names::text(o.stamp))}));
    for (const Moment &m : h.moments) {
        const std::string at = time(h, m.time_us), lane = number(m.lane);
        const Violation wrong = violation(m);
        if (m.kind == MomentKind::violation)
            violated =
                filled(R"({"time": $, "lane": $, "object": $, "invariant": $, "text": $})",
                       {at, lane, object(m.object), quoted(wrong.invariant), quoted(wrong.text)});
        else if (m.kind >= MomentKind::act)
            events.push_back(
                filled(R"({"time": $, "lane": $, "other": $, "event": $, "label": $})",
                       {at, lane, number(m.other), quoted(text(m.kind)), quoted(m.label)}));
    }
    return filled("{\"title\": $, \"time_unit\": $,\n\"lanes\": $,\n\"peers\": $,\n"
                  "\"messages\": $,\n\"objects\": $,\n\"events\": $,\n\"violation\": $}\n",
                  {quoted(h.title), h.steps ? "\"move\"" : "\"us\"", list(lanes), list(peers),
                   list(sent), list(tenures), list(events), violated});
}

}
