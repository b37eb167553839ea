// make_impaired_socket() of tern/sim.hpp with the clock as a parameter, for tests.
#pragma once
#include "tern/sim.hpp"

namespace tern::impaired_socket {

Socket *make(Socket *inner, const Impairment &impairment, uint64_t seed, uint64_t (*now_us)());

}
