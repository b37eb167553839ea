// Draws the lanes of a picture and the arrows between them.
#pragma once
#include "sim/picture/picture_layout.h"

namespace tern {

struct Page {
    const History &history;
    const Plan &plan;
    const Layout &layout;
};

namespace draw {

std::string style();                             // The style sheet and the patterns.
std::string fill(const Plan &plan, PeerId peer); // The class attribute with the peer's colour.
void lanes(Ink &ink, const Page &page);          // Boxes, names, hatches, signs of starts and ends.
void bands(Ink &ink, const Page &page);  // Bands of objects, and tombs where an object dies.
void arrows(Ink &ink, const Page &page); // Arrows without their labels.
void spots(Ink &ink, const Page &page);
void texts(Ink &ink, const Page &page); // Labels of acts, bands and arrows. Draw them last.
void flags(Ink &ink, const Page &page);

// The legend uses these for its samples, too.
void tomb(Ink &ink, Point foot);
void sign(Ink &ink, Point at, MomentKind kind); // For crashed, left and started.
void wire(Ink &ink, Point from, Point to, ArrowOutcome outcome, bool strong, bool doubled);
void spot(Ink &ink, Point at, Point along, MomentKind kind, uint32_t count);

}
}
