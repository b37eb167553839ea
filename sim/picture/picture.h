// Draws a History as swim lanes, one for each peer, in SVG.
#pragma once
#include "sim/picture/history.h"

namespace tern {

struct PictureOptions {
    bool all = false; // Draws everything. By default only what may have led to a violation.
    // Objects that get a band in each lane: those of the violation, then the most active ones.
    uint32_t objects_max = 3;
    uint32_t width_max_px = 3000; // A wider picture first loses quiet times, then its beginning.
};

namespace picture {

// Returns well-formed XML, which depends on the arguments only. Names and labels may have any
// bytes.
std::string svg(const History &raw, const PictureOptions &options);

}
}
