// Profiles as text.
#pragma once
#include "sim/profile/profile.h"

namespace prof::tables {

std::string of(const tern::Profile &profile);
// What is another rate in the one and the other, the largest difference first.
std::string comparison(const tern::Profile &before, const tern::Profile &after);

}
