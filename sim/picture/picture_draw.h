// Draws the parts of a picture that lie in its lanes and between them.
#pragma once
#include "sim/picture/picture_layout.h"

namespace tern {

struct Page {
    const History &history;
    const Plan &plan;
    const Layout &layout;
};

namespace draw {

std::string style();                             // Style sheet and patterns.
std::string fill(const Plan &plan, PeerId peer); // An attribute: class="of3".
void lanes(Ink &ink, const Page &page);  // Boxes, names, hatches, signs of coming and going.
void bands(Ink &ink, const Page &page);  // With their tombs.
void arrows(Ink &ink, const Page &page); // Without their labels.
void spots(Ink &ink, const Page &page);
void texts(Ink &ink, const Page &page); // Of acts, bands and arrows: over everything else.
void flags(Ink &ink, const Page &page);

// Also samples for the legend:
void tomb(Ink &ink, Point foot);
void sign(Ink &ink, Point at, MomentKind kind); // crashed, left, started.
void wire(Ink &ink, Point from, Point to, ArrowFate fate, bool strong, bool doubled);
void spot(Ink &ink, Point at, Point along, MomentKind kind, uint32_t count);

}
}
