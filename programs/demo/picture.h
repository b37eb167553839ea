// The live picture: the room with its cubes coloured by owner, a line of statistics per peer.
#pragma once
#include "peer.h"

namespace demo {

// A cube or a player, as the viewer has it.
struct Dot {
    float position[2];
    PeerId owner;
    TypeId type;
};

// One line below the room.
struct PictureRow {
    Progress now;
    Progress before; // Of `seconds` ago, for rates.
    double seconds;
    std::string note; // In place of the state if not empty: "killed" and the like.
};

struct Picture {
    std::string title;
    std::vector<Dot> dots;
    std::vector<PictureRow> rows;
    std::string footer; // Below the rows; it may be several lines long.
};

namespace picture {

inline constexpr int columns = 80, lines = 24; // It needs no more.

bool possible(); // Standard output is a terminal.
void begin();    // To the other screen, cursor off. end() goes back; twice does no harm.
void end();      // May be called in a signal handler.
std::vector<Dot> dots(const Peer &peer);
std::string drawn(const Picture &picture); // Text and colours of one frame, top left to bottom.
void show(const Picture &picture);

std::string row_text(const PictureRow &row); // Without colours.

}
}
