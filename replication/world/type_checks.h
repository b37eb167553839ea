// The rules for a type table. A problem is described with the names of the type and the field.
#pragma once
#include "tern/diagnostics.hpp"
#include "tern/types.hpp"

namespace tern::type_checks {

inline constexpr double float_steps_max = 4294967295.0;

ConfigProblem problem(std::span<const Type> types);

}
