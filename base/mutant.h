// Switches that each remove one rule, so that tests can show that its absence is found. They exist
// only in the build with TERN_MUTANTS; everywhere else the condition is the constant false.
#pragma once
#include <cstdint>

namespace tern {

enum class Mutant : uint8_t {
    none,
    no_memory_of_the_dead,     // A dead object leaves no trace.
    update_ignores_the_tick,   // An UPDATE is applied whether or not it is newer.
    update_without_tenure,     // An UPDATE of any tenure is applied, if only it is newer.
    only_what_is_not_in_flight // An UPDATE leaves out what an unacked one carries.
};

#ifdef TERN_MUTANTS
inline Mutant mutant = Mutant::none; // The one global: this build is for one test at a time.
#define TERN_MUTANT(name) (::tern::mutant == ::tern::Mutant::name)
#else
#define TERN_MUTANT(name) false
#endif

}
