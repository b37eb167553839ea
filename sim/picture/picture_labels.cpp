// Places the labels of bands and arrows. The label of an arrow lies along it, where it covers no
// other label and few lines.
#include "sim/picture/picture_layout.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern {

namespace {

constexpr double half_height_px = 7;

struct Obstacles {
    std::vector<Box> labels; // Labels and signs that have a place already.
    std::vector<Box> lanes;
    std::vector<Box> wires; // Indexed by arrow.
};

size_t overlaps(const Box &box, const std::vector<Box> &others, size_t except = SIZE_MAX)
{
    size_t count = 0;
    for (size_t i = 0; i < others.size(); ++i)
        count += i != except && box::overlap(box, others[i]);
    return count;
}

void place_band(Layout &layout, const Stretch &stretch)
{
    const double from = layout.x[stretch.from], room = layout.x[stretch.to] - from;
    const std::string owner = names::text(stretch.owner);
    const std::string stamp = names::text(stretch.stamp);
    const double top = layout::band_top(layout.lanes[stretch.lane], stretch.row);
    layout.band_texts.emplace_back();
    layout.band_boxes.push_back(Box{});
    if (!stretch.alive) return;
    for (const std::string &text :
         {"owner " + owner + ", stamp " + stamp, labels::short_text(stretch), owner}) {
        const double width = ink::width(text, small_px) + 4;
        if (width + 4 > room) continue;
        layout.band_texts.back() = text;
        layout.band_boxes.back() =
            box::upright(from + 2, top + 2, from + 2 + width, top + band_height_px - 2);
        return;
    }
}

Obstacles obstacles(const Layout &layout, const Plan &plan)
{
    Obstacles out;
    out.labels = layout.act_boxes;
    for (const Box &band : layout.band_boxes)
        if (band.half_length != 0) out.labels.push_back(band);
    for (const Flag &flag : plan.flags)
        out.labels.push_back(layout::badge(layout, flag));
    for (size_t i = 0; i < plan.acts.size(); ++i) {
        const Point sign = {layout.x[plan.acts[i].at], layout.act_boxes[i].center.y};
        if (plan.acts[i].kind != MomentKind::act) out.labels.push_back({sign, {1, 0}, 9, 9});
    }
    for (const LanePlace &lane : layout.lanes)
        out.lanes.push_back(box::upright(0, lane.top, layout.width, lane.bottom));
    for (const auto &[from, to] : layout.wires)
        out.wires.push_back(box::between(from, to));
    return out;
}

struct Found {
    double cost;
    Box box; // Length 0: every place covers another label.
};

// The best place along one arrow.
Found best(const Obstacles &obstacles, const Layout &layout, size_t arrow, double half_length)
{
    constexpr double visible_px = 30; // How much of an arrow a label on it must leave visible.
    constexpr int steps = 60;
    const auto &[from, to] = layout.wires[arrow];
    const Box &wire = obstacles.wires[arrow];
    const Point side = {-wire.along.y, wire.along.x};
    Found found = {1e9, {}};
    for (const double aside : {0.0, -half_height_px - 3, half_height_px + 3}) {
        if (aside == 0 && wire.half_length < half_length + visible_px / 2) continue;
        for (int step = 3; step <= steps - 3; ++step) {
            const double part = static_cast<double>(step) / steps;
            const double from_end = std::min(part, 1 - part) * 2 * wire.half_length;
            const bool sticks_out = from_end < std::min(half_length, wire.half_length) - 6;
            if (sticks_out) continue;
            const Box box = {{from.x + (to.x - from.x) * part + side.x * aside,
                              from.y + (to.y - from.y) * part + side.y * aside},
                             wire.along,
                             half_length,
                             half_height_px};
            if (overlaps(box, obstacles.labels) != 0) continue;
            const double off = part > 0.45 ? part - 0.45 : 0.45 - part;
            const double cost = 12.0 * static_cast<double>(overlaps(box, obstacles.lanes)) +
                                2.5 * static_cast<double>(overlaps(box, obstacles.wires, arrow)) +
                                6.0 * off + (aside != 0 ? 5 : 0);
            if (cost < found.cost) found = {cost, box};
        }
    }
    return found;
}

void place_wire(Layout &layout, const Plan &plan, Obstacles &known, size_t arrow)
{
    constexpr double shorter_cost = 4; // The cost of each step to a shorter text.
    double least = 1e9, cost_of_text = 0;
    for (const plan::Detail detail :
         {plan::Detail::objects, plan::Detail::stamps, plan::Detail::kinds}) {
        const std::string text = plan::arrow_text(plan, plan.arrows[arrow], detail);
        if (text == layout.wire_texts[arrow]) continue;
        const Found found = best(known, layout, arrow, ink::width(text, small_px) / 2 + 3);
        if (found.box.half_length != 0 && found.cost + cost_of_text < least) {
            least = found.cost + cost_of_text;
            layout.wire_texts[arrow] = text;
            layout.wire_boxes[arrow] = found.box;
        }
        cost_of_text += shorter_cost;
    }
    if (!layout.wire_texts[arrow].empty()) known.labels.push_back(layout.wire_boxes[arrow]);
}

}

void labels::place(Layout &layout, const Plan &plan)
{
    for (const Stretch &stretch : plan.stretches)
        place_band(layout, stretch);
    Obstacles known = obstacles(layout, plan);
    layout.wire_boxes.assign(plan.arrows.size(), Box{});
    layout.wire_texts.assign(plan.arrows.size(), "");
    // Arrows about an object of the violation take the best places.
    for (const bool strong : {true, false})
        for (size_t i = 0; i < plan.arrows.size(); ++i)
            if (plan.arrows[i].strong == strong) place_wire(layout, plan, known, i);
}

std::string labels::short_text(const Stretch &stretch)
{
    return names::text(stretch.owner) + " \u00b7 " + names::text(stretch.stamp);
}

}
