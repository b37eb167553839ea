// Places all parts of a Plan: columns from left to right, lanes from top to bottom, and labels
// where they do not cover one another.
#pragma once
#include "sim/picture/picture_plan.h"

namespace tern {

struct LanePlace {
    double top, acts, cuts, bands, bottom; // The top of each part, and the end of the last one.
};

struct Layout {
    double left, right;       // The edges of the time shown.
    std::vector<double> x;    // For each column, and behind the last one the right edge.
    std::vector<bool> broken; // For each column: time before it was left out.
    std::vector<LanePlace> lanes;
    std::vector<std::string> act_texts; // For each act its label; long ones are cut.
    std::vector<Box> act_boxes;
    std::vector<std::string> band_texts; // For each stretch its label. Empty: there is no room.
    std::vector<Box> band_boxes;
    std::vector<std::pair<Point, Point>> wires; // For each arrow its two ends.
    std::vector<std::string> wire_texts; // For each arrow its label. Empty: there is no room.
    std::vector<Box> wire_boxes;
    double axis, bottom; // The y of the time axis, and of the bottom of the lowest lane.
    double width;
};

inline constexpr double band_px = 22, band_height_px = 16, row_px = 15, cut_px = 14;

namespace layout {

// The width of make() with spread 1.
double width(const Plan &plan, const History &history, bool tight);
// Makes a layout whose y starts at 0. spread, at least 1, widens the gaps between columns. tight
// makes them as small as the labels permit.
Layout make(const Plan &plan, const History &history, double spread, bool tight);
void lower(Layout &layout, double by_px);                  // Moves everything down.
size_t unlabelled(const Plan &plan, const Layout &layout); // Arrows without room for a label.
Box badge(const Layout &layout, const Flag &flag);         // The box for the flag's id.
double band_top(const LanePlace &place, size_t row);
double x(const Layout &layout, const Spots &spots);

}

namespace labels {

// Places the labels of bands and arrows. Call it when acts and arrows have their places.
void place(Layout &layout, const Plan &plan);
std::string short_text(const Stretch &stretch); // "2 \u00b7 1.1.7".

}
}
