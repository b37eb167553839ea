// Draws the arrows and spots of picture_draw.h.
#include "sim/picture/picture_draw.h"
#include "sim/world/names.h"

namespace tern {

namespace {

const char *look(ArrowOutcome outcome)
{
    switch (outcome) {
    case ArrowOutcome::heard: return "heard";
    case ArrowOutcome::ignored: return "ignored";
    case ArrowOutcome::lost: return "lost";
    case ArrowOutcome::under_way: return "under_way";
    case ArrowOutcome::unsaid: return "unsaid";
    }
    return "";
}

const char *outcome_text(ArrowOutcome outcome)
{
    switch (outcome) {
    case ArrowOutcome::heard: return "";
    case ArrowOutcome::ignored: return "; it changed nothing";
    case ArrowOutcome::lost: return "; it never arrived";
    case ArrowOutcome::under_way: return "; still under way at the end";
    case ArrowOutcome::unsaid: return "; sent at an unknown time";
    }
    return "";
}

std::string tooltip(const Page &page, const Arrow &arrow)
{
    constexpr size_t lines_max = 12;
    const History &history = page.history;
    const std::string unit = history.steps ? "move " : "", after = history.steps ? "" : " ms";
    std::string out = history.lanes[arrow.from] + " to " + history.lanes[arrow.to];
    if (arrow.outcome != ArrowOutcome::unsaid)
        out += ", said: " + unit + plan::time_text(history, arrow.said_us) + after;
    if (arrow.outcome != ArrowOutcome::under_way)
        out += arrow.outcome == ArrowOutcome::lost ? ", lost: " : ", heard: ";
    if (arrow.outcome != ArrowOutcome::under_way)
        out += unit + plan::time_text(history, arrow.end_us) + after;
    out += std::string(outcome_text(arrow.outcome)) + (arrow.doubled ? "; doubled" : "");
    for (size_t i = 0; i < arrow.spoken.size(); ++i) {
        const Spoken &spoken = arrow.spoken[i];
        if (i == lines_max) return out + "\n...";
        out += std::string("\n") + plan::message_text(spoken.message);
        if (spoken.object != ObjectId::none)
            out += " object " + names::text(spoken.object) + ", stamp " + names::text(spoken.stamp);
    }
    return out;
}

}

void draw::wire(Ink &ink, Point from, Point to, ArrowOutcome outcome, bool strong, bool doubled)
{
    const Point along = ink::direction(from, to);
    const bool has_head = outcome != ArrowOutcome::lost;
    const double back = has_head ? 6 : 0; // The line ends inside the head.
    ink::line(ink, from, {to.x - along.x * back, to.y - along.y * back}, "class=\"wire\"");
    if (has_head) ink::arrow_head(ink, to, along, strong ? 11 : 9, "class=\"head\"");
    if (outcome == ArrowOutcome::lost) ink::cross(ink, to, 5, "class=\"lost_end\"");
    if (outcome != ArrowOutcome::unsaid)
        ink::circle(ink, from, strong ? 3 : 2.4, "class=\"origin\"");
    if (!doubled) return;
    const Point side = {-along.y * 3.5, along.x * 3.5};
    const Point end = {to.x - along.x * 10, to.y - along.y * 10};
    const Point begin = {end.x - along.x * 24, end.y - along.y * 24};
    ink::line(ink, {begin.x + side.x, begin.y + side.y}, {end.x + side.x, end.y + side.y},
              "class=\"twin\"");
    ink::line(ink, {begin.x - side.x, begin.y - side.y}, {end.x - side.x, end.y - side.y},
              "class=\"twin\"");
    ink::text(ink, {begin.x - side.x * 2.4, begin.y - side.y * 2.4 + 4}, "\u00d72",
              "class=\"twin_text\"");
}

void draw::spot(Ink &ink, Point at, Point along, MomentKind kind, uint32_t count)
{
    const Point end = {at.x + along.x * 20, at.y + along.y * 20};
    const bool lost = kind == MomentKind::lost;
    if (lost) {
        ink::line(ink, at, end, "class=\"spot_lost\"");
        ink::cross(ink, end, 3, "class=\"lost_end\"");
    } else {
        const Point side = {-along.y * 2, along.x * 2};
        for (const double sign : {-1.0, 1.0})
            ink::line(ink, {at.x + side.x * sign, at.y + side.y * sign},
                      {end.x + side.x * sign, end.y + side.y * sign}, "class=\"twin\"");
    }
    if (count > 1)
        ink::text(ink, {end.x + 4, end.y + 4}, std::to_string(count),
                  lost ? "class=\"small wrong\"" : "class=\"twin_text\"");
}

void draw::arrows(Ink &ink, const Page &page)
{
    for (size_t i = 0; i < page.plan.arrows.size(); ++i) {
        const Arrow &arrow = page.plan.arrows[i];
        const auto &[from, to] = page.layout.wires[i];
        ink::open(ink,
                  std::string("class=\"arrow ") + look(arrow.outcome) +
                      (arrow.strong ? " strong\"" : "\""),
                  tooltip(page, arrow));
        wire(ink, from, to, arrow.outcome, arrow.strong, arrow.doubled);
        ink::close(ink);
    }
}

void draw::spots(Ink &ink, const Page &page)
{
    for (const Spots &spots : page.plan.spots) {
        const bool down = spots.to > spots.from;
        const LanePlace &from = page.layout.lanes[spots.from];
        ink::open(ink, "class=\"spots\"",
                  std::to_string(spots.count) +
                      (spots.kind == MomentKind::lost ? " lost" : " doubled") + " from " +
                      page.history.lanes[spots.from] + " to " + page.history.lanes[spots.to]);
        spot(ink, {layout::x(page.layout, spots), down ? from.bottom : from.top},
             {0.5, down ? 0.866 : -0.866}, spots.kind, spots.count);
        ink::close(ink);
    }
}

}
