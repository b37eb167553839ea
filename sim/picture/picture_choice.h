// Chooses the moments of a History that a picture shows.
#pragma once
#include "sim/picture/picture_plan.h"

namespace tern::choice {

// Sets objects, violated, narrow, more_objects and left_out of the plan. Returns for each moment
// whether it is shown.
std::vector<bool> shown(Plan &plan, const History &history, const PictureOptions &options);

}
