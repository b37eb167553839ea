// Draws the lanes: peers, the bands of their objects, their acts. picture_draw_wires.cpp draws the
// arrows.
#include "sim/picture/picture_draw.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern {

namespace {

// Colours of the style sheet. Further peers repeat them, with a dashed edge.
constexpr size_t colours_count = 8;

double middle(const LanePlace &place)
{
    return (place.acts + place.cuts) / 2;
}

void name(Ink &ink, const Page &page, uint16_t lane)
{
    const LanePlace &place = page.layout.lanes[lane];
    const PeerId peer = plan::first_peer(page.plan, lane);
    ink::rectangle(ink, {12, place.top}, {page.layout.left - 18, place.bottom - place.top},
                   "class=\"name\"");
    ink::rectangle(ink, {12, place.top}, {7, place.bottom - place.top},
                   draw::fill(page.plan, peer));
    ink::text(ink, {26, middle(place) + 5}, plan::lane_text(page.plan, page.history, lane),
              "class=\"who\"");
    for (size_t row = 0; row < page.plan.objects.size(); ++row) {
        const ObjectId object = page.plan.objects[row];
        const bool violated = plan::is_violated(page.plan, object);
        ink::text(ink, {26, layout::band_top(place, row) + 12}, "object " + names::text(object),
                  violated ? "class=\"small wrong\"" : "class=\"small\"");
    }
}

void stay(Ink &ink, const Page &page, const Stay &stay)
{
    const LanePlace &place = page.layout.lanes[stay.lane];
    const double from = page.layout.x[stay.from], to = page.layout.x[stay.to];
    ink::rectangle(ink, {from, place.top}, {to - from, place.bottom - place.top}, "class=\"stay\"");
    // An edge in the colour of the peer, which bands use for the objects that it owns.
    ink::rectangle(ink, {from, place.top}, {to - from, 3}, draw::fill(page.plan, stay.peer));
}

void hatch(Ink &ink, const Page &page, const Hatch &hatch)
{
    const LanePlace &place = page.layout.lanes[hatch.lane];
    const double from = page.layout.x[hatch.from], to = page.layout.x[hatch.to];
    const bool pause = hatch.text.empty();
    ink::open(ink, "class=\"hatch\"", pause ? "paused" : hatch.text);
    if (pause) {
        ink::rectangle(ink, {from, place.top}, {to - from, place.bottom - place.top},
                       "class=\"pause\"");
    } else {
        const double top = place.cuts + cut_px * static_cast<double>(hatch.row);
        ink::rectangle(ink, {from, top}, {to - from, cut_px - 1}, "class=\"cut\"");
    }
    ink::close(ink);
}

void hatch_text(Ink &ink, const Page &page, const Hatch &hatch)
{
    const LanePlace &place = page.layout.lanes[hatch.lane];
    const double from = page.layout.x[hatch.from], room = page.layout.x[hatch.to] - from;
    const bool pause = hatch.text.empty();
    const std::string text = pause ? "paused" : hatch.text;
    const double half = ink::width(text, small_px) / 2 + 3;
    if (2 * half > room) return; // The tooltip has the text.
    const double y = pause ? place.bottom - 8
                           : place.cuts + cut_px * (static_cast<double>(hatch.row) + 0.5) - 0.5;
    ink::plate(ink, {{from + half + 3, y}, {1, 0}, half, 5.5}, text, "class=\"small middle\"");
}

std::string stretch_tooltip(const Page &page, const Stretch &stretch)
{
    std::string out = "object " + names::text(page.plan.objects[stretch.row]) + " at " +
                      page.history.lanes[stretch.lane] + ": ";
    if (!stretch.alive) return out + "dead, and remembered as such";
    return out + "owner " + names::text(stretch.owner) + ", stamp " + names::text(stretch.stamp);
}

void band(Ink &ink, const Page &page, const Stretch &stretch)
{
    const LanePlace &place = page.layout.lanes[stretch.lane];
    const double from = page.layout.x[stretch.from], to = page.layout.x[stretch.to];
    const double top = layout::band_top(place, stretch.row), foot = top + band_height_px;
    ink::open(ink, "class=\"band\"", stretch_tooltip(page, stretch));
    if (stretch.alive)
        ink::rectangle(ink, {from, top}, {to - from, band_height_px},
                       draw::fill(page.plan, stretch.owner));
    else
        ink::line(ink, {from, (top + foot) / 2}, {to, (top + foot) / 2}, "class=\"grave\"");
    ink::close(ink);
}

void tomb_of(Ink &ink, const Page &page, const Stretch &stretch)
{
    const size_t at = stretch.alive ? stretch.to : stretch.from;
    if (!stretch.has_tomb || at == 0) return;
    const double x = page.layout.x[at];
    draw::tomb(
        ink, {x, layout::band_top(page.layout.lanes[stretch.lane], stretch.row) + band_height_px});
}

void band_label(Ink &ink, const Page &page, size_t i)
{
    const Stretch &stretch = page.plan.stretches[i];
    const Box &box = page.layout.band_boxes[i];
    if (page.layout.band_texts[i].empty()) return;
    const Point corner = {box.center.x - box.half_length, box.center.y - box.half_height};
    // A piece of the band behind the text hides arrows that pass.
    ink::rectangle(ink, corner, {2 * box.half_length, 2 * box.half_height},
                   draw::fill(page.plan, stretch.owner) + " style=\"stroke:none\"");
    ink::text(ink, {corner.x + 2, corner.y + 10}, page.layout.band_texts[i], "class=\"small\"");
}

void act_text(Ink &ink, const Page &page, size_t i)
{
    const PictureAct &act = page.plan.acts[i];
    const std::string &text = page.layout.act_texts[i];
    ink::open(ink, "class=\"act\"", text == act.text ? "" : act.text);
    const Box &box = page.layout.act_boxes[i];
    const Point corner = {box.center.x - box.half_length, box.center.y - box.half_height};
    ink::rectangle(ink, corner, {2 * box.half_length, 2 * box.half_height}, "class=\"plate\"");
    ink::text(ink, {corner.x + 2, box.center.y + 4}, text, "class=\"small bold\"");
    ink::close(ink);
}

// Outlines the stretch of the violated object's band in the lane and at the time of the violation.
void outline(Ink &ink, const Page &page, const Flag &flag)
{
    const LanePlace &place = page.layout.lanes[flag.lane];
    const size_t row = plan::row(page.plan, flag.object);
    if (row == plan::no_row) return;
    double from = page.layout.x[flag.at] - 12, to = from + 24;
    for (const Stretch &stretch : page.plan.stretches) {
        if (stretch.lane != flag.lane || stretch.row != row || stretch.from > flag.at ||
            stretch.to < flag.at)
            continue;
        from = page.layout.x[stretch.from] - 2;
        to = page.layout.x[stretch.to] + 2;
    }
    ink::rectangle(ink, {from, layout::band_top(place, row) - 2}, {to - from, band_height_px + 4},
                   "class=\"alarm\"");
}

}

std::string draw::fill(const Plan &plan, PeerId peer)
{
    const auto it = std::find(plan.colours.begin(), plan.colours.end(), peer);
    if (it == plan.colours.end()) return "class=\"nobody\"";
    const size_t index = static_cast<size_t>(it - plan.colours.begin());
    const std::string more = index >= colours_count ? " more" : "";
    return "class=\"c" + std::to_string(index % colours_count) + more + "\"";
}

void draw::lanes(Ink &ink, const Page &page)
{
    for (uint16_t lane = 0; lane < page.history.lanes.size(); ++lane) {
        const LanePlace &place = page.layout.lanes[lane];
        if (!page.plan.lanes_used[lane]) continue;
        const double y = (place.top + place.bottom) / 2;
        ink::line(ink, {page.layout.left, y}, {page.layout.right, y}, "class=\"absent\"");
        name(ink, page, lane);
    }
    for (const Stay &each : page.plan.stays)
        stay(ink, page, each);
    for (const Hatch &each : page.plan.hatches)
        hatch(ink, page, each);
    const auto tie = [&](uint16_t lane, size_t at) {
        const LanePlace &place = page.layout.lanes[lane];
        const double x = page.layout.x[at];
        ink::line(ink, {x, place.top}, {x, place.bottom}, "class=\"tie\"");
    };
    for (const PictureAct &act : page.plan.acts)
        tie(act.lane, act.at);
    for (const Stretch &stretch : page.plan.stretches)
        if (stretch.from != 0) tie(stretch.lane, stretch.from);
}

void draw::bands(Ink &ink, const Page &page)
{
    for (const Stretch &stretch : page.plan.stretches)
        band(ink, page, stretch);
    for (const Stretch &stretch : page.plan.stretches)
        tomb_of(ink, page, stretch);
}

void draw::texts(Ink &ink, const Page &page)
{
    for (const Hatch &hatch : page.plan.hatches)
        hatch_text(ink, page, hatch);
    for (size_t i = 0; i < page.plan.stretches.size(); ++i)
        band_label(ink, page, i);
    for (size_t i = 0; i < page.plan.acts.size(); ++i)
        act_text(ink, page, i);
    for (size_t i = 0; i < page.plan.acts.size(); ++i) {
        const PictureAct &act = page.plan.acts[i];
        if (act.kind != MomentKind::act)
            sign(ink, {page.layout.x[act.at], page.layout.act_boxes[i].center.y}, act.kind);
    }
    for (size_t i = 0; i < page.plan.arrows.size(); ++i) {
        const ArrowOutcome outcome = page.plan.arrows[i].outcome;
        if (page.layout.wire_texts[i].empty()) continue;
        ink::plate(ink, page.layout.wire_boxes[i], page.layout.wire_texts[i],
                   outcome == ArrowOutcome::lost      ? "class=\"small wrong middle\""
                   : outcome == ArrowOutcome::ignored ? "class=\"small faint middle\""
                                                      : "class=\"small middle\"");
    }
}

void draw::flags(Ink &ink, const Page &page)
{
    for (const Flag &flag : page.plan.flags) {
        const LanePlace &place = page.layout.lanes[flag.lane];
        const double x = page.layout.x[flag.at];
        const Box badge = layout::badge(page.layout, flag);
        ink::open(ink, "class=\"flag\"", flag.id + ": " + flag.text);
        ink::line(ink, {x, page.layout.axis + 24}, {x, page.layout.bottom}, "class=\"alarm thin\"");
        outline(ink, page, flag);
        ink::line(ink, {x, place.top - 4}, {x, place.bottom + 4}, "class=\"alarm\"");
        ink::rectangle(ink, {x - badge.half_length, badge.center.y - badge.half_height},
                       {2 * badge.half_length, 2 * badge.half_height}, "class=\"badge\"");
        ink::text(ink, {x, badge.center.y + 4}, flag.id, "class=\"badge_text\"");
        ink::close(ink);
    }
}

void draw::tomb(Ink &ink, Point foot)
{
    const double top = foot.y - band_height_px;
    ink::line(ink, {foot.x, top - 5}, {foot.x, foot.y + 1}, "class=\"tomb\"");
    ink::line(ink, {foot.x - 4, top - 1}, {foot.x + 4, top - 1}, "class=\"tomb\"");
}

void draw::sign(Ink &ink, Point at, MomentKind kind)
{
    if (kind == MomentKind::started) {
        ink::arrow_head(ink, {at.x + 1, at.y}, {1, 0}, 11, "class=\"start\"");
    } else if (kind == MomentKind::crashed) {
        ink::circle(ink, at, 8, "class=\"crash\"");
        ink::cross(ink, at, 4, "class=\"crash_cross\"");
    } else {
        ink::rectangle(ink, {at.x - 6, at.y - 6}, {12, 12}, "class=\"leave\"");
    }
}

std::string draw::style()
{
    std::string out = R"(<style>
text { font-family: Helvetica, Arial, "DejaVu Sans", sans-serif; font-size: 12px; fill: #1b1b1b; }
.title { font-size: 17px; font-weight: bold; } .who { font-size: 13px; font-weight: bold; }
.small { font-size: 10.5px; } .bold { font-weight: bold; } .middle { text-anchor: middle; }
.faint { fill: #8a8a8a; } .wrong { fill: #c00000; } .tick { fill: #666; font-size: 10.5px; }
.page { fill: #fff; stroke: #ddd; } .name { fill: #f3f4f6; } .stay { fill: #f3f4f6; }
.plate { fill: #fff; fill-opacity: 0.88; } .act .plate, .band .plate { fill: #f3f4f6; }
.absent { stroke: #d0d0d0; stroke-dasharray: 2 4; } .tie { stroke: #b4b8c0; }
.grid { stroke: #ececec; } .break { stroke: #888; fill: none; }
.grave { stroke: #444; stroke-width: 1.2; stroke-dasharray: 1.5 3.5; }
.tomb { stroke: #000; stroke-width: 2.4; fill: none; }
.wire { stroke: #3a3a3a; stroke-width: 1.3; fill: none; } .head { fill: #3a3a3a; }
.strong .wire { stroke: #000; stroke-width: 2; } .strong .head { fill: #000; }
.ignored .wire { stroke: #a8a8a8; stroke-width: 1; } .ignored .head { fill: #a8a8a8; }
.lost .wire { stroke: #c00000; stroke-dasharray: 6 4; }
.lost_end { stroke: #c00000; stroke-width: 2.2; }
.under_way .wire { stroke: #777; stroke-dasharray: 2 3; }
.under_way .head { fill: #fff; stroke: #777; }
.unsaid .wire { stroke: #777; stroke-dasharray: 2 3; } .origin { fill: #3a3a3a; }
.twin { stroke: #3a3a3a; stroke-width: 1; } .twin_text { font-size: 10.5px; fill: #3a3a3a; }
.spot_lost { stroke: #c00000; stroke-width: 1; stroke-dasharray: 3 2; }
.pause { fill: url(#hatch_pause); stroke: #8a8a8a; stroke-dasharray: 4 3; }
.cut { fill: url(#hatch_cut); stroke: #b06a00; stroke-width: 0.6; }
.start { fill: #1a7f37; } .crash { fill: #000; } .crash_cross { stroke: #fff; stroke-width: 2.2; }
.leave { fill: #fff; stroke: #000; stroke-width: 2; }
.alarm { stroke: #d00000; stroke-width: 2.4; fill: none; }
.thin { stroke-width: 1; stroke-dasharray: 3 3; }
.badge { fill: #d00000; } .badge_text { fill: #fff; font-weight: bold; text-anchor: middle; }
.verdict { fill: #fff0f0; stroke: #d00000; stroke-width: 1.4; }
.nobody { fill: #e4e4e4; stroke: #999; } .more { stroke-dasharray: 3 2; }
)";
    // Fill and edge: the palette of Okabe and Ito, which people with colour blindness can
    // distinguish, but lighter, for black text, and without its red, which marks losses and
    // violations.
    static constexpr const char *colours[colours_count][2] = {
        {"#9fd0f2", "#2f8fcc"}, {"#f6cf7c", "#c98a00"}, {"#86d3bd", "#008a64"},
        {"#e6b9d3", "#b3588c"}, {"#f6f08e", "#b3a700"}, {"#a9b4e6", "#3c55b5"},
        {"#cfae9b", "#7d4a2d"}, {"#cdcdcd", "#6e6e6e"}};
    for (size_t i = 0; i < colours_count; ++i)
        out += ".c" + std::to_string(i) + " { fill: " + colours[i][0] +
               "; stroke: " + colours[i][1] + "; }\n";
    return out + R"(</style>
<defs>
<pattern id="hatch_pause" width="7" height="7" patternUnits="userSpaceOnUse">
<path d="M0 7 L7 0" stroke="#8a8a8a" stroke-width="1"/></pattern>
<pattern id="hatch_cut" width="5" height="5" patternUnits="userSpaceOnUse">
<rect width="5" height="5" fill="#fff3dd"/><path d="M0 0 L5 5" stroke="#d98a00" stroke-width="1.2"/>
</pattern>
</defs>
)";
}

}
