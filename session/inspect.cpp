#include "session/inspect.h"
#include "session/session_types.h"

namespace tern::inspect {

const Replica &replica(const Session *session)
{
    return *session->replica;
}

}
