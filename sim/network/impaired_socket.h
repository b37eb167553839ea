// The impaired socket with its clock as a parameter.
#pragma once
#include "tern/sim.h"

namespace tern::impaired_socket {

Socket *make(Socket *inner, const Impairment &impairment, uint64_t seed, uint64_t (*now_us)());

}
