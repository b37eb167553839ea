// Turns the moments of a History into the parts of a picture: stays, bands, arrows, ...
#pragma once
#include "sim/picture/picture_plan.h"

namespace tern::story {

void add_stays(Plan &plan, const History &history);
void add_stretches(Plan &plan, const History &history); // Call it after add_stays().
void add_hatches(Plan &plan, const History &history);   // Call it after add_stays().
// Adds the flags, too.
void add_acts(Plan &plan, const History &history, const std::vector<bool> &shown);
void add_arrows(Plan &plan, const History &history, const std::vector<bool> &shown);
void add_spots(Plan &plan, const History &history, const std::vector<bool> &shown);

}
