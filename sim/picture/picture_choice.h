// Which moments of a History a picture shows.
#pragma once
#include "sim/picture/picture_plan.h"

namespace tern::choice {

// Sets plan.objects, violated, more_objects and left_out; by moment: whether it is shown.
std::vector<bool> shown(Plan &plan, const History &history, const PictureOptions &options);

}
