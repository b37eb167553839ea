// Profiles as text.
#pragma once
#include "sim/profile/profile.h"

namespace prof::tables {

std::string of(const tern::Profile &profile);
// The rows whose rates differ between the two, the largest difference first.
std::string comparison(const tern::Profile &before, const tern::Profile &after);

}
