#include "sim/picture/picture.h"
#include "sim/picture/picture_ink.h"
#include "sim/world/names.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tern::picture {

static constexpr double margin_px = 16, line_px = 17, width_least_px = 800;
static constexpr double lane_gap_px = 96, row_px = 16, band_px = 22, band_height_px = 16;
static constexpr double name_max_px = 250, text_max_px = 340;
static constexpr size_t objects_max = 3;

struct Act { // A text in a lane.
    Moment moment;
    std::string text;
    double left;
    size_t row;
};

struct Label {
    double left, top, right, bottom;
    std::string text;
};

struct Wire { // The line of an arrow.
    Point from, to;
};

using Arrow = std::vector<HistoryMessage>; // They were sent together and ended together.

struct Lane {
    bool is_used;
    size_t rows; // Rows of texts.
    double top, bands, bottom;
};

struct Page {
    History history;
    std::vector<Moment> violations;
    std::vector<ObjectId> objects; // Each has a band in each lane.
    bool is_narrow;                // Only what led to the violation is drawn,
    uint64_t first_us, last_us;    // which lies between the first and last moment of its objects.
    std::vector<HistoryStay> stays;
    std::vector<HistoryObject> beliefs;
    std::vector<Arrow> arrows;
    std::vector<Act> acts;
    std::vector<uint64_t> times; // Columns: the times of all that is drawn,
    std::vector<double> xs;      // and their places.
    bool is_cut;                 // The beginning does not fit.
    std::vector<Lane> lanes;
    double left, right, bottom;
    std::vector<Wire> wires;   // One for each arrow.
    std::vector<Label> labels; // Also all else that no label of an arrow may hide.
    size_t unlabelled;         // Arrows without room for a label.
    Ink ink;
};

// --- What is drawn ---

static bool has_band(const Page &page, ObjectId object)
{
    return std::count(page.objects.begin(), page.objects.end(), object) != 0;
}

// Messages and texts about no object are drawn if they lie in the time that is drawn.
static bool is_drawn(const Page &page, ObjectId object, uint64_t from_us, uint64_t to_us)
{
    if (object != ObjectId::none) return has_band(page, object);
    return from_us >= page.first_us && (to_us == history_end_us || to_us <= page.last_us);
}

// Takes the objects of the violation. Without one, those to which something happened last.
static void choose_objects(Page &page)
{
    const std::vector<Moment> &moments = page.history.moments;
    for (const Moment &moment : moments) {
        if (moment.kind != MomentKind::violation) continue;
        page.violations.push_back(moment);
        page.is_narrow |= moment.object != ObjectId::none;
    }
    for (auto it = moments.rbegin(); it != moments.rend(); ++it) {
        const bool is_wanted = !page.is_narrow || it->kind == MomentKind::violation;
        if (is_wanted && it->object != ObjectId::none && !has_band(page, it->object) &&
            page.objects.size() < objects_max)
            page.objects.push_back(it->object);
    }
    std::sort(page.objects.begin(), page.objects.end());
    page.last_us = page.is_narrow ? 0 : history_end_us;
    page.first_us = history_end_us - page.last_us;
    for (const Moment &moment : moments) {
        if (!page.is_narrow || !has_band(page, moment.object)) continue;
        page.first_us = std::min(page.first_us, moment.time_us);
        page.last_us = moment.time_us;
    }
}

static void add_arrows(Page &page)
{
    using Key = std::tuple<uint16_t, uint16_t, uint64_t, uint64_t, MessageOutcome, bool>;
    std::map<Key, size_t> known;
    for (const HistoryMessage &m : history::messages(page.history)) {
        if (m.from == m.to || !is_drawn(page, m.object, m.sent_us, m.end_us)) continue;
        const Key key = {m.from, m.to, m.sent_us, m.end_us, m.outcome, m.duplicated};
        const auto [it, is_new] = known.insert({key, page.arrows.size()});
        if (is_new) page.arrows.emplace_back();
        page.arrows[it->second].push_back(m);
    }
}

// Adds a text to a lane. Texts about the same kind of moment at one time become one.
static void add_act(Page &page, const Moment &moment, const std::string &text,
                    const std::string &again)
{
    for (Act &act : page.acts) {
        if (act.moment.lane != moment.lane || act.moment.kind != moment.kind ||
            act.moment.time_us != moment.time_us)
            continue;
        if (act.text != text) act.text += ", " + again;
        return;
    }
    page.acts.push_back({moment, text, 0, 0});
}

static void add_acts(Page &page)
{
    for (const Moment &moment : page.history.moments) {
        const bool is_act = moment.kind == MomentKind::act;
        const bool has_text =
            is_act || (moment.kind >= MomentKind::crashed && moment.kind <= MomentKind::healed);
        if (!has_text || !is_drawn(page, moment.object, moment.time_us, moment.time_us)) continue;
        std::string text = moment.label.empty() ? history::text(moment.kind) : moment.label;
        std::string again = text;
        if (moment.kind == MomentKind::cut || moment.kind == MomentKind::healed) {
            again = page.history.lanes[moment.other];
            text = (moment.kind == MomentKind::cut ? "cannot reach " : "reaches again ") + again;
        }
        add_act(page, moment, text, again);
    }
    for (const HistoryStay &stay : page.stays) { // Bands name their owners by these ids.
        const std::string peer = "peer " + names::text(stay.peer);
        if (stay.peer == PeerId::none ||
            (page.history.lanes[stay.lane] + " ").starts_with(peer + " "))
            continue;
        Moment moment = {};
        moment.kind = stay.from_us == 0 ? MomentKind::act : MomentKind::started;
        moment.time_us = stay.from_us;
        moment.lane = stay.lane;
        add_act(page, moment, peer, peer);
    }
}

static Page page_of(const History &raw)
{
    Page page = {};
    page.history = history::sorted(raw);
    for (Moment &moment : page.history.moments) // A violation has a column of its own.
        moment.time_us += moment.kind == MomentKind::violation ? 1 : 0;
    choose_objects(page);
    page.stays = history::stays(page.history);
    for (const HistoryObject &belief : history::objects(page.history))
        if (has_band(page, belief.object)) page.beliefs.push_back(belief);
    add_arrows(page);
    add_acts(page);
    return page;
}

// --- Where it is drawn ---

static double gap_px(const Page &page, uint64_t passed_us)
{
    if (page.history.steps) return passed_us == 1 ? 34 : 88; // A violation is close.
    return std::clamp(static_cast<double>(passed_us) / 1000, 24.0, 110.0);
}

// Gives each time its place, from the last one backwards as far as there is room.
static void place_times(Page &page, double width_max)
{
    constexpr double begin_px = 36, end_px = 165;
    std::set<uint64_t> times;
    for (const Arrow &arrow : page.arrows)
        times.insert({arrow[0].sent_us, arrow[0].end_us});
    for (const HistoryObject &belief : page.beliefs)
        times.insert({belief.from_us, belief.to_us});
    for (const Act &act : page.acts)
        times.insert(act.moment.time_us);
    for (const Moment &moment : page.violations)
        times.insert(moment.time_us);
    times.erase(0);
    times.erase(history_end_us);
    double x = 0, room = width_max - page.left - begin_px - end_px - margin_px;
    for (auto it = times.rbegin(); it != times.rend(); ++it) {
        if (!page.times.empty()) x += gap_px(page, page.times.back() - *it);
        if (x > room) break;
        page.times.push_back(*it);
        page.xs.push_back(x);
    }
    page.is_cut = page.times.size() < times.size();
    const double last = page.left + begin_px + (page.xs.empty() ? 0 : page.xs.back());
    page.right = std::max(last + end_px, width_least_px - margin_px);
    std::reverse(page.times.begin(), page.times.end());
    std::reverse(page.xs.begin(), page.xs.end());
    for (double &each : page.xs)
        each = last - each;
}

// Times before the picture lie at its left edge.
static double x_of(const Page &page, uint64_t time_us)
{
    const auto it = std::lower_bound(page.times.begin(), page.times.end(), time_us);
    if (it == page.times.end()) return page.right;
    if (*it != time_us && it == page.times.begin()) return page.left;
    return page.xs[static_cast<size_t>(it - page.times.begin())];
}

static bool is_early(const Page &page, uint64_t time_us)
{
    return page.is_cut && time_us < page.times.front();
}

static double text_width(std::string_view text)
{
    return ink::width(text, small_px) * bold_factor + 6;
}

// Puts each text into the first row of its lane that is free there.
static void place_acts(Page &page)
{
    std::erase_if(page.acts, [&](const Act &act) {
        return act.moment.time_us != 0 && is_early(page, act.moment.time_us);
    });
    std::stable_sort(page.acts.begin(), page.acts.end(), [](const Act &a, const Act &b) {
        return a.moment.time_us < b.moment.time_us;
    });
    std::vector<std::vector<double>> ends(page.lanes.size()); // The end of the text in each row.
    for (Act &act : page.acts) {
        act.text = ink::shortened(act.text, small_px, text_max_px);
        const double x = x_of(page, act.moment.time_us) + 3, width = text_width(act.text);
        act.left = std::max(std::min(x, page.right - width), page.left);
        std::vector<double> &rows = ends[act.moment.lane];
        while (act.row < rows.size() && rows[act.row] > act.left)
            act.row += 1;
        rows.resize(std::max(rows.size(), act.row + 1));
        rows[act.row] = act.left + width;
        page.lanes[act.moment.lane].rows = rows.size();
    }
}

static void place(Page &page, double width_max)
{
    page.left = 96;
    for (std::string &name : page.history.lanes) {
        name = ink::shortened(name, 13, name_max_px);
        page.left = std::max(page.left, ink::width(name, 13) * bold_factor + 36);
    }
    place_times(page, width_max);
    page.lanes.assign(page.history.lanes.size(), {});
    for (const HistoryStay &stay : page.stays)
        if (!is_early(page, stay.to_us)) page.lanes[stay.lane].is_used = true;
    std::erase_if(page.arrows, [&](const Arrow &a) { return is_early(page, a[0].end_us); });
    for (const Arrow &arrow : page.arrows)
        page.lanes[arrow[0].from].is_used = page.lanes[arrow[0].to].is_used = true;
    place_acts(page);
    double y = 42;
    for (Lane &lane : page.lanes) {
        lane.top = lane.bands = lane.bottom = y;
        if (!lane.is_used) continue;
        lane.bands += 5 + row_px * static_cast<double>(std::max<size_t>(lane.rows, 1));
        lane.bottom = lane.bands + 5 + band_px * static_cast<double>(page.objects.size());
        page.bottom = lane.bottom;
        y = lane.bottom + lane_gap_px;
    }
}

// --- Drawing ---

static std::string time_text(const Page &page, uint64_t time_us)
{
    return page.history.steps ? std::to_string(time_us / 1000)
                              : ink::number(static_cast<double>(time_us) / 1000);
}

static std::string colour(PeerId peer)
{
    return peer == PeerId::none ? "nobody" : "c" + std::to_string(static_cast<unsigned>(peer) % 8);
}

static double band_top(const Page &page, uint16_t lane, ObjectId object)
{
    const auto it = std::find(page.objects.begin(), page.objects.end(), object);
    return page.lanes[lane].bands + 3 + band_px * static_cast<double>(it - page.objects.begin());
}

static void draw_label(Page &page, const Label &label, const std::string &plate, const char *look)
{
    ink::rectangle(page.ink, {label.left, label.top},
                   {label.right - label.left, label.bottom - label.top},
                   "class=\"label " + plate + "\"");
    ink::text(page.ink, {label.left + 3, (label.top + label.bottom) / 2 + 4}, label.text, look);
    page.labels.push_back(label);
}

static void draw_axis(Page &page)
{
    ink::text(page.ink, {page.left - 12, 12}, page.history.steps ? "move" : "ms",
              "class=\"faint\" text-anchor=\"end\"");
    double free = page.left;
    for (size_t i = 0; i < page.times.size(); ++i) {
        const double x = page.xs[i];
        const uint64_t passed_us = i == 0 ? 0 : page.times[i] - page.times[i - 1];
        const std::string text = time_text(page, page.times[i]);
        const double half = ink::width(text, small_px) / 2;
        ink::line(page.ink, {x, 17}, {x, page.bottom}, "class=\"grid\"");
        if (x - half < free || passed_us == 1) continue;
        ink::text(page.ink, {x, 12}, text, "class=\"faint middle\"");
        free = x + half + 6;
    }
}

static void draw_lanes(Page &page)
{
    for (size_t i = 0; i < page.lanes.size(); ++i) {
        const Lane &lane = page.lanes[i];
        if (!lane.is_used) continue;
        ink::line(page.ink, {page.left, lane.bands}, {page.right, lane.bands}, "class=\"absent\"");
        ink::rectangle(page.ink, {12, lane.top}, {page.left - 18, lane.bottom - lane.top},
                       "class=\"lane\"");
        ink::text(page.ink, {20, lane.top + 17}, page.history.lanes[i], "class=\"who\"");
        page.labels.push_back({page.left, lane.top - 2, page.right, lane.bottom + 2, ""});
        for (const ObjectId object : page.objects)
            ink::text(page.ink, {20, band_top(page, static_cast<uint16_t>(i), object) + 12},
                      "object " + names::text(object), page.is_narrow ? "class=\"wrong\"" : "");
    }
    for (const HistoryStay &stay : page.stays) {
        const Lane &lane = page.lanes[stay.lane];
        const double from = x_of(page, stay.from_us), to = x_of(page, stay.to_us);
        ink::rectangle(page.ink, {from, lane.top}, {to - from, lane.bottom - lane.top},
                       "class=\"lane\"");
        ink::rectangle(page.ink, {from, lane.top}, {to - from, 3},
                       "class=\"" + colour(stay.peer) + "\"");
        if (stay.end == MomentKind::crashed && to > page.left)
            ink::line(page.ink, {to, lane.top}, {to, lane.bottom}, "class=\"crash\"");
    }
}

static void draw_bands(Page &page)
{
    for (const HistoryObject &belief : page.beliefs) {
        const double from = x_of(page, belief.from_us), to = x_of(page, belief.to_us);
        const double top = band_top(page, belief.lane, belief.object);
        if (is_early(page, belief.to_us)) continue;
        const std::string owner = names::text(belief.owner), stamp = names::text(belief.stamp);
        const bool is_wrong =
            !page.violations.empty() && page.violations.back().lane == belief.lane &&
            page.violations.back().object == belief.object && belief.to_us == history_end_us;
        if (belief.alive)
            ink::rectangle(page.ink, {from, top}, {to - from, band_height_px},
                           "class=\"band " + colour(belief.owner) + (is_wrong ? " alarm\"" : "\""));
        else
            ink::line(page.ink, {from, top + 8}, {to, top + 8}, "class=\"grave\"");
        if (belief.destroyed)
            ink::text(page.ink, {belief.alive ? to : from, top + 14}, "\u2020",
                      "class=\"tomb middle\"");
        for (const std::string &text :
             {"owner " + owner + ", stamp " + stamp, owner + " \u00b7 " + stamp, owner}) {
            const Label label = {from + 1, top + 1, from + 1 + text_width(text), top + 15, text};
            if (!belief.alive || label.right > to - 1) continue;
            draw_label(page, label, colour(belief.owner), "");
            break;
        }
    }
}

static void draw_acts(Page &page)
{
    for (const Act &act : page.acts) {
        const Lane &lane = page.lanes[act.moment.lane];
        const double x = x_of(page, act.moment.time_us);
        const double top = lane.top + 4 + row_px * static_cast<double>(act.row);
        if (act.moment.time_us != 0)
            ink::line(page.ink, {x, top}, {x, lane.bottom}, "class=\"tie\"");
        draw_label(page, {act.left, top, act.left + text_width(act.text), top + 15, act.text},
                   "quiet", "class=\"act\"");
    }
}

static void draw_violations(Page &page)
{
    for (const Moment &moment : page.violations) {
        const Lane &lane = page.lanes[moment.lane];
        const double x = x_of(page, moment.time_us), half = 12;
        const std::string id = history::violation(moment).invariant;
        ink::line(page.ink, {x, lane.top - 6}, {x, lane.bands}, "class=\"alarm\"");
        draw_label(page, {x - half, lane.top - 22, x + half, lane.top - 4, id.empty() ? "!" : id},
                   "badge", "class=\"badge_text\"");
    }
}

// "CREATE x2, MIGRATE 1.1.4", with the object if there are several.
static std::string arrow_text(const Page &page, const Arrow &arrow)
{
    std::vector<std::pair<std::string, size_t>> kinds;
    for (const HistoryMessage &part : arrow) {
        std::string text = history::text(part.kind);
        if (part.stamp != 0 && part.kind != MessageKind::none)
            text += " " + names::text(part.stamp);
        if (arrow.size() == 1 && page.objects.size() > 1 && part.object != ObjectId::none)
            text += " (" + names::text(part.object) + ")";
        if (kinds.empty() || kinds.back().first != text) kinds.push_back({text, 0});
        kinds.back().second += 1;
    }
    std::string out = arrow[0].duplicated ? "twice: " : "";
    for (const auto &[text, count] : kinds)
        out += (&text == &kinds[0].first ? "" : ", ") + text +
               (count > 1 ? " \u00d7" + std::to_string(count) : "");
    return ink::shortened(out, small_px, text_max_px);
}

static bool overlap(const Label &a, const Label &b)
{
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// Whether a wire passes a label. No wire is level.
static bool overlap(const Label &label, const Wire &wire)
{
    const auto x_at = [&](double y) {
        const double part = (y - wire.from.y) / (wire.to.y - wire.from.y);
        return wire.from.x + std::clamp(part, 0.0, 1.0) * (wire.to.x - wire.from.x);
    };
    const auto [left, right] = std::minmax({x_at(label.top), x_at(label.bottom)});
    const auto [top, bottom] = std::minmax({wire.from.y, wire.to.y});
    return overlap(label, {left, top, right, bottom, ""});
}

// Puts a label on its wire, or beside it: at the free place between the lanes that is nearest to
// the middle, and on no other wire if there is such a place. Without a place its text is empty.
static Label free_place(const Page &page, const Wire &wire, const std::string &text)
{
    const double half = ink::width(text, small_px) / 2 + 3;
    for (const bool is_alone : {true, false})
        for (const double aside : {0.0, half + 4, -half - 4})
            for (int step = 0; step < 40; ++step) {
                const double part = 0.5 + (step % 2 == 0 ? 0.011 : -0.011) * step;
                const Point at = {wire.from.x + part * (wire.to.x - wire.from.x) + aside,
                                  wire.from.y + part * (wire.to.y - wire.from.y)};
                const Label label = {at.x - half, at.y - 7, at.x + half, at.y + 7, text};
                bool is_free = label.left > page.left && label.right < page.right;
                for (const Label &other : page.labels)
                    is_free = is_free && !overlap(label, other);
                for (const Wire &other : page.wires)
                    is_free = is_free && !(is_alone && &other != &wire && overlap(label, other));
                if (is_free) return label;
            }
    return {};
}

static void draw_wire(Ink &ink, const Wire &wire, const std::string &tooltip,
                      MessageOutcome outcome)
{
    ink::open(ink, "class=\"arrow " + std::string(history::text(outcome)) + "\"", tooltip);
    ink::line(ink, wire.from, wire.to, "class=\"wire\"");
    ink::close(ink);
}

static void draw_arrows(Page &page)
{
    for (const Arrow &arrow : page.arrows) {
        const HistoryMessage &m = arrow[0];
        const Lane &sender = page.lanes[m.from], &receiver = page.lanes[m.to];
        const bool is_down = m.to > m.from;
        Wire wire = {{x_of(page, m.sent_us), is_down ? sender.bottom : sender.top},
                     {x_of(page, m.end_us), is_down ? receiver.top : receiver.bottom}};
        if (m.outcome == MessageOutcome::lost || m.outcome == MessageOutcome::in_flight) {
            wire.to.x = std::clamp(wire.to.x, std::min(wire.from.x + 30, page.right), page.right);
            wire.to.y += is_down ? -lane_gap_px / 4 : lane_gap_px / 4;
        }
        draw_wire(page.ink, wire, arrow_text(page, arrow), m.outcome);
        page.wires.push_back(wire);
        page.labels.push_back({wire.to.x - 8, wire.to.y - 12, wire.to.x + 8, wire.to.y + 12, ""});
    }
}

static void draw_arrow_labels(Page &page)
{
    for (size_t i = 0; i < page.arrows.size(); ++i) {
        const Label label = free_place(page, page.wires[i], arrow_text(page, page.arrows[i]));
        page.unlabelled += label.text.empty();
        if (!label.text.empty()) draw_label(page, label, "white", "");
    }
}

static double draw_header(Ink &ink, const Page &page, double width)
{
    const double room = width - 2 * margin_px;
    std::string about = page.history.steps ? "Moves from left to right, one after the other."
                                           : "Time from left to right, not to scale.";
    if (page.is_narrow) about += " Only what led to the violation is drawn.";
    if (page.is_cut)
        about += " What was before " + time_text(page, page.times[0]) + " is not drawn.";
    if (page.unlabelled != 0)
        about += " " + std::to_string(page.unlabelled) + " arrows have no label: point at them.";
    double y = 14;
    for (const std::string &line : ink::wrapped(page.history.title, title_px, room))
        ink::text(ink, {margin_px, y += 20}, line, "class=\"title\"");
    for (const std::string &line : ink::wrapped(about, small_px, room))
        ink::text(ink, {margin_px, y += line_px}, line, "class=\"faint\"");
    for (const Moment &moment : page.violations) {
        const std::vector<std::string> lines = ink::wrapped(moment.label, text_px, room - 40);
        ink::rectangle(ink, {margin_px, y += 10},
                       {room, 10 + line_px * static_cast<double>(lines.size())},
                       "class=\"verdict\"");
        for (const std::string &line : lines)
            ink::text(ink, {margin_px + 12, y += line_px}, line, "class=\"verdict_text\"");
        y += 10;
    }
    return y + 14;
}

// Explains the arrows and bands. Gives where it ends.
static double draw_legend(Page &page, double y)
{
    static constexpr const char *words[] = {"a message", "received, and it changed nothing",
                                            "it never arrived", "in flight at the end",
                                            "sent at an unknown time"};
    double x = margin_px;
    for (size_t i = 0; i < std::size(words); ++i) {
        const auto outcome = static_cast<MessageOutcome>(i);
        const auto is_it = [&](const Arrow &arrow) { return arrow[0].outcome == outcome; };
        if (std::none_of(page.arrows.begin(), page.arrows.end(), is_it)) continue;
        draw_wire(page.ink, {{x, y}, {x + 32, y}}, "", outcome);
        ink::text(page.ink, {x + 42, y + 4}, words[i], "");
        x += ink::width(words[i], small_px) + 56;
    }
    ink::text(page.ink, {margin_px, y + 22},
              "A bar in a lane: the object exists there, in the colour of its owner. \u2020: it is "
              "destroyed. Dots: it is remembered as destroyed.",
              "");
    return y + 36;
}

static constexpr const char *style = R"(<style>
text { font-family: Helvetica, Arial, "DejaVu Sans", sans-serif; font-size: 10.5px; fill: #1b1b1b; }
.title { font-size: 17px; font-weight: bold; } .who { font-size: 13px; font-weight: bold; }
.act { font-weight: bold; } .middle { text-anchor: middle; } .wrong { fill: #c00000; }
.faint { fill: #666; } .page { fill: #fff; stroke: #ddd; } .lane, .quiet { fill: #f3f4f6; }
.absent { stroke: #d0d0d0; stroke-dasharray: 2 4; } .tie { stroke: #b4b8c0; }
.grid { stroke: #ececec; } .grave { stroke: #444; stroke-dasharray: 1.5 3.5; }
.tomb { font-size: 20px; font-weight: bold; } .crash { stroke: #000; stroke-width: 4; }
.wire { stroke: #3a3a3a; stroke-width: 1.3; marker-end: url(#head); }
.ignored .wire { stroke: #a8a8a8; marker-end: url(#pale); }
.lost .wire { stroke: #c00000; stroke-dasharray: 6 4; marker-end: url(#cross); }
.flight .wire, .unsent .wire { stroke-dasharray: 2 3; } .badge { fill: #d00000; }
.verdict { fill: #fff0f0; stroke: #d00000; } .badge_text, .verdict_text { font-weight: bold; }
.badge_text { fill: #fff; font-size: 12px; } .verdict_text { fill: #c00000; font-size: 12px; }
.c1 { fill: #9fd0f2; stroke: #2f8fcc; } .c2 { fill: #f6cf7c; stroke: #c98a00; }
.c3 { fill: #86d3bd; stroke: #008a64; } .c4 { fill: #e6b9d3; stroke: #b3588c; }
.c5 { fill: #f6f08e; stroke: #b3a700; } .c6 { fill: #a9b4e6; stroke: #3c55b5; }
.c7 { fill: #cfae9b; stroke: #7d4a2d; } .c0 { fill: #cdcdcd; stroke: #6e6e6e; }
.nobody { fill: #e4e4e4; stroke: #999; } .white { fill: #fff; } .label { stroke: none; }
.alarm, .lost_end { stroke: #d00000; stroke-width: 2.4; }
marker { overflow: visible; } #pale { fill: #a8a8a8; } #head { fill: #3a3a3a; }
</style>
<defs>
<marker id="head" orient="auto" markerUnits="userSpaceOnUse">
<path d="M0 0 L-9 4 L-9 -4 Z"/></marker>
<marker id="pale" orient="auto" markerUnits="userSpaceOnUse">
<path d="M0 0 L-9 4 L-9 -4 Z"/></marker>
<marker id="cross" markerUnits="userSpaceOnUse">
<path class="lost_end" d="M-5 -5 L5 5 M5 -5 L-5 5"/></marker>
</defs>
)";

std::string svg(const History &raw, double width_max_px)
{
    Page page = page_of(raw);
    place(page, std::max(width_max_px, width_least_px));
    draw_axis(page);
    draw_lanes(page);
    draw_arrows(page); // Texts hide the arrows behind them.
    draw_acts(page);
    draw_bands(page);
    draw_violations(page);
    draw_arrow_labels(page);
    const double width = page.right + margin_px;
    const double bottom = draw_legend(page, page.bottom + 32);
    Ink header, frame;
    const double top = draw_header(header, page, width);
    ink::rectangle(frame, {0, 0}, {width, top + bottom}, "class=\"page\"");
    const std::string w = ink::number(width), h = ink::number(top + bottom);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + w + " " + h +
           "\" width=\"" + w + "\" height=\"" + h + "\" role=\"img\">\n<title>" +
           ink::escaped(raw.title) + "</title>\n" + style + frame.text + header.text +
           "<g transform=\"translate(0 " + ink::number(top) + ")\">\n" + page.ink.text +
           "</g>\n</svg>\n";
}

}
