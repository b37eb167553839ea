// Draws a History as swim lanes: an SVG that a browser shows and a person understands.
#pragma once
#include "sim/picture/history.h"

namespace tern {

struct PictureOptions {
    bool all = false;         // Everything, though there is a violation and only little led to it.
    uint32_t objects_max = 3; // Bands in each lane: those of the violation, then the most active.
    uint32_t width_max_px = 3000; // Beyond it quiet time is cut away, and then the beginning.
};

namespace picture {

// Well-formed XML, the same for the same history. Peers' names and labels may hold any bytes.
std::string svg(const History &raw, const PictureOptions &options);

}
}
