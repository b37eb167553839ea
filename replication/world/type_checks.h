// What makes a type table right; every mistake is told with the names of type and field.
#pragma once
#include "tern/types.h"

namespace tern::type_checks {

inline constexpr double float_steps_max = 4294967295.0;

ConfigProblem problem(std::span<const Type> types);

}
