// Where everything of a Plan lies: columns from left to right, lanes from top to bottom, labels
// where they do not cover one another.
#pragma once
#include "sim/picture/picture_plan.h"

namespace tern {

struct LanePlace {
    double top, acts, cuts, bands, bottom; // Where each part begins; the last: the end.
};

struct Layout {
    double left, right;       // Of the time shown.
    std::vector<double> x;    // By column; one more: the right end.
    std::vector<bool> broken; // By column: time before it is cut away.
    std::vector<LanePlace> lanes;
    std::vector<std::string> act_texts; // By act, as it is drawn: long ones are cut.
    std::vector<Box> act_boxes;
    std::vector<std::string> band_texts; // By stretch. Empty: there is no room for one.
    std::vector<Box> band_boxes;
    std::vector<std::pair<Point, Point>> wires; // By arrow: its ends.
    std::vector<std::string> wire_texts;        // By arrow. Empty: there is no room for one.
    std::vector<Box> wire_boxes;
    double axis, bottom; // Of the axis; of the lowest lane.
    double width;
};

inline constexpr double band_px = 22, band_height_px = 16, row_px = 15, cut_px = 14;

namespace layout {

// From 0 down. spread: 1 or more, for more room; tight: no more than is needed.
double width(const Plan &plan, const History &history, bool tight); // Without a spread.
Layout make(const Plan &plan, const History &history, double spread, bool tight);
void lower(Layout &layout, double by_px);
size_t unlabelled(const Plan &plan, const Layout &layout); // Arrows without room for a label.
Box badge(const Layout &layout, const Flag &flag);         // With its id.
double band_top(const LanePlace &place, size_t row);
double x(const Layout &layout, const Spots &spots);

}

namespace labels {

// Of arrows, bands and acts.
void place(Layout &layout, const Plan &plan);
std::string short_text(const Stretch &stretch); // "2 \u00b7 1.1.7".

}
}
