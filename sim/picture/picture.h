// Draws a History as swim lanes: an SVG with a lane for each peer and time from left to right.
#pragma once
#include "sim/picture/history.h"

namespace tern::picture {

// Well-formed XML, equal for equal histories. Names and labels may hold any bytes. If there is a
// violation, only what led to it is drawn. If all does not fit into the width, which is at least
// 800, the beginning is left out.
std::string svg(const History &raw, double width_max_px = 3000);

}
