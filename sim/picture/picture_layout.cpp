#include "sim/picture/picture_layout.h"
#include "sim/world/names.h"
#include <algorithm>
#include <map>

namespace tern {

namespace {

constexpr double lane_gap_px = 84; // Between lanes: room for arrows and their labels.
constexpr double arrow_px = 44;    // The least width of an arrow, so that it is not too steep.
constexpr double unsaid_px = 120;  // The width of an arrow that was sent at an unknown time.
constexpr double padding_px = 5;
constexpr size_t act_rows_max = 3;
constexpr size_t act_letters_max = 44;

struct Distance { // The least distance of column b behind column a.
    size_t a, b;
    double px;
};

double act_width(const std::string &text)
{
    return ink::width(text, small_px) * bold_factor;
}

std::string cut_short(const std::string &text)
{
    size_t letters = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool begins = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
        letters += begins;
        if (begins && letters > act_letters_max) return text.substr(0, i) + "...";
    }
    return text;
}

void add_distance(std::vector<Distance> &out, size_t a, size_t b, double px, size_t columns)
{
    if (a < b && b < columns) out.push_back({a, b, px});
}

std::vector<Distance> distances(const Plan &plan, const Layout &layout)
{
    std::vector<Distance> out;
    const size_t columns = plan.columns.size();
    for (const Stretch &stretch : plan.stretches)
        if (stretch.alive)
            add_distance(out, stretch.from, stretch.to,
                         ink::width(labels::short_text(stretch), small_px) + 10, columns);
    for (const Hatch &hatch : plan.hatches)
        add_distance(out, hatch.from, hatch.to,
                     ink::width(hatch.text.empty() ? "paused" : hatch.text, small_px) + 20,
                     columns);
    for (const Arrow &arrow : plan.arrows)
        add_distance(out, arrow.said_at, arrow.end_at, arrow_px, columns);
    std::map<uint16_t, std::vector<size_t>> acts; // For each lane, its acts so far.
    for (size_t i = 0; i < plan.acts.size(); ++i) {
        std::vector<size_t> &before = acts[plan.acts[i].lane];
        if (before.size() >= act_rows_max) {
            const size_t other = before[before.size() - act_rows_max];
            add_distance(out, plan.acts[other].at, plan.acts[i].at,
                         act_width(layout.act_texts[other]) + 20, columns);
        }
        before.push_back(i);
    }
    std::sort(out.begin(), out.end(), [](const Distance &a, const Distance &b) {
        return a.b != b.b ? a.b < b.b : a.a != b.a ? a.a < b.a : a.px < b.px;
    });
    return out;
}

struct Gap {
    double px;
    bool broken;
};

// The gap between a column and the one before it.
Gap gap(const History &history, const Column &before, const Column &column, bool tight)
{
    if (column.flag) return {34, false};
    const double ms = static_cast<double>(column.time_us - before.time_us) / 1000;
    if (history.steps) return {tight ? 56.0 : 88.0, ms > 1};
    if (tight) return {std::clamp(ms, 14.0, 30.0), ms > 60};
    return {std::clamp(ms, 18.0, 110.0), ms > 160};
}

void place_columns(Layout &layout, const Plan &plan, const History &history, double spread,
                   bool tight)
{
    const std::vector<Distance> least = distances(plan, layout);
    size_t next = 0;
    layout.x.assign(plan.columns.size() + 1, layout.left);
    layout.broken.assign(plan.columns.size() + 1, false);
    for (size_t i = 1; i < plan.columns.size(); ++i) {
        const bool first = i == 1;
        const Gap before = gap(history, plan.columns[i - 1], plan.columns[i], tight);
        layout.x[i] = layout.x[i - 1] + (first ? 36 : before.px * spread);
        layout.broken[i] = !first && before.broken;
        for (; next < least.size() && least[next].b == i; ++next)
            layout.x[i] = std::max(layout.x[i], layout.x[least[next].a] + least[next].px);
    }
    double right = layout.x[plan.columns.size() - 1] + 70;
    for (size_t i = 0; i < plan.acts.size(); ++i)
        right = std::max(right, layout.x[plan.acts[i].at] + act_width(layout.act_texts[i]) + 24);
    for (const Stretch &stretch : plan.stretches)
        right = std::max(right, layout.x[stretch.from] +
                                    ink::width(labels::short_text(stretch), small_px) + 14);
    layout.right = layout.x.back() = right;
}

// Puts each act's label into the topmost row in which it covers no earlier one. Returns the number
// of rows of each lane.
std::vector<size_t> place_acts(Layout &layout, const Plan &plan, size_t lanes)
{
    std::vector<std::vector<double>> ends(lanes); // [lane][row]: where the last label ends.
    for (size_t i = 0; i < plan.acts.size(); ++i) {
        std::vector<double> &rows = ends[plan.acts[i].lane];
        const double begin = layout.x[plan.acts[i].at];
        const bool has_sign = plan.acts[i].kind != MomentKind::act;
        size_t row = 0;
        while (row < rows.size() && rows[row] > begin - (has_sign ? 10 : 0))
            row += 1;
        rows.resize(std::max(rows.size(), row + 1));
        const double width = act_width(layout.act_texts[i]) + 4;
        const bool sign =
            plan.acts[i].kind == MomentKind::crashed || plan.acts[i].kind == MomentKind::left;
        const double left = begin + (sign ? 10 : 2);
        rows[row] = left + width + 4;
        // Relative to the part for acts: place_lanes() adds the lane's position.
        const double top = row_px * static_cast<double>(row);
        layout.act_boxes.push_back(box::upright(left, top + 1, left + width, top + row_px - 1));
    }
    std::vector<size_t> counts;
    for (const std::vector<double> &rows : ends)
        counts.push_back(rows.size());
    return counts;
}

void place_lanes(Layout &layout, const Plan &plan, size_t lanes)
{
    const std::vector<size_t> act_rows = place_acts(layout, plan, lanes);
    std::vector<size_t> cut_rows(lanes);
    for (const Hatch &hatch : plan.hatches)
        if (!hatch.text.empty())
            cut_rows[hatch.lane] = std::max(cut_rows[hatch.lane], hatch.row + 1);
    layout.axis = 0;
    double y = 34;
    for (size_t lane = 0; lane < lanes; ++lane) {
        LanePlace place = {y, y, y, y, y};
        if (!plan.lanes_used[lane]) { // An empty lane takes no room.
            layout.lanes.push_back(place);
            continue;
        }
        place.acts = y + padding_px;
        place.cuts = place.acts + row_px * static_cast<double>(std::max<size_t>(act_rows[lane], 1));
        place.bands = place.cuts + cut_px * static_cast<double>(cut_rows[lane]);
        place.bottom =
            place.bands + band_px * static_cast<double>(plan.objects.size()) + padding_px;
        layout.lanes.push_back(place);
        layout.bottom = place.bottom;
        y = place.bottom + lane_gap_px;
    }
    for (size_t i = 0; i < plan.acts.size(); ++i)
        layout.act_boxes[i].center.y += layout.lanes[plan.acts[i].lane].acts;
}

std::pair<Point, Point> wire(const Layout &layout, const Arrow &arrow)
{
    const bool down = arrow.to > arrow.from;
    const LanePlace &from = layout.lanes[arrow.from], &to = layout.lanes[arrow.to];
    Point begin = {layout.x[arrow.said_at], down ? from.bottom : from.top};
    Point end = {layout.x[arrow.end_at], down ? to.top : to.bottom};
    if (arrow.outcome == ArrowOutcome::unsaid) begin.x = std::max(end.x - unsaid_px, layout.left);
    const bool stops =
        arrow.outcome == ArrowOutcome::lost || arrow.outcome == ArrowOutcome::under_way;
    if (!stops) return {begin, end};
    // A message that is lost at once, or at an unknown time, still needs a visible arrow.
    if (end.x < begin.x + 30) end.x = begin.x + 30;
    const double short_of = lane_gap_px * (arrow.outcome == ArrowOutcome::lost ? 0.22 : 0.4);
    end.y += down ? -short_of : short_of;
    return {begin, end};
}

Layout columns_only(const Plan &plan, const History &history, double spread, bool tight)
{
    Layout layout = {};
    layout.left = 96;
    for (uint16_t lane = 0; lane < history.lanes.size(); ++lane) {
        const std::string name = plan::lane_text(plan, history, lane);
        layout.left = std::max(layout.left, ink::width(name, text_px + 1) * bold_factor + 36);
    }
    for (const ObjectId object : plan.objects)
        layout.left =
            std::max(layout.left, ink::width("object " + names::text(object), small_px) + 40);
    for (const PictureAct &act : plan.acts)
        layout.act_texts.push_back(cut_short(act.text));
    place_columns(layout, plan, history, spread, tight);
    layout.width = layout.right + 24;
    return layout;
}

}

double layout::width(const Plan &plan, const History &history, bool tight)
{
    return columns_only(plan, history, 1, tight).width;
}

Layout layout::make(const Plan &plan, const History &history, double spread, bool tight)
{
    Layout layout = columns_only(plan, history, spread, tight);
    place_lanes(layout, plan, history.lanes.size());
    for (const Arrow &arrow : plan.arrows)
        layout.wires.push_back(wire(layout, arrow));
    labels::place(layout, plan);
    return layout;
}

Box layout::badge(const Layout &layout, const Flag &flag)
{
    const double x = layout.x[flag.at], foot = layout.lanes[flag.lane].top - 2;
    const double half = ink::width(flag.id, text_px) / 2 + 5;
    return box::upright(x - half, foot - 18, x + half, foot);
}

void layout::lower(Layout &layout, double by_px)
{
    layout.axis += by_px;
    layout.bottom += by_px;
    for (LanePlace &lane : layout.lanes)
        for (double *y : {&lane.top, &lane.acts, &lane.cuts, &lane.bands, &lane.bottom})
            *y += by_px;
    for (auto &[from, to] : layout.wires)
        for (Point *end : {&from, &to})
            end->y += by_px;
    for (std::vector<Box> *boxes : {&layout.act_boxes, &layout.band_boxes, &layout.wire_boxes})
        for (Box &each : *boxes)
            each.center.y += by_px;
}

size_t layout::unlabelled(const Plan &plan, const Layout &layout)
{
    size_t count = 0;
    for (size_t i = 0; i < plan.arrows.size(); ++i)
        count += layout.wire_texts[i].empty();
    return count;
}

double layout::band_top(const LanePlace &place, size_t row)
{
    return place.bands + band_px * static_cast<double>(row) + (band_px - band_height_px) / 2;
}

double layout::x(const Layout &layout, const Spots &spots)
{
    const double begin = layout.x[spots.after], end = layout.x[spots.after + 1];
    return begin + (end - begin) * spots.part;
}

}
