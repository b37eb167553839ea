// What tests, the simulator and tools may read of a session beside the public functions.
#pragma once
#include "migration/replica_types.h"

namespace tern::inspect {

const Replica &replica(const Session *session);

}
