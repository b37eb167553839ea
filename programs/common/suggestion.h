// Finds the name that was probably meant by a misspelled word.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace suggestion {

// " (did you mean \"x\"?)" with the nearest of `names`, or "" if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

}
