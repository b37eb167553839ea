// Calls that are answered: for the owner of an object, for the host, and those that ask for a
// reply.
#include "session/session.h"

namespace tern {

CallId call_owner(Session *, ObjectId, TypeId, const void *, size_t)
{
    return CallId::none;
}

CallId request(Session *, PeerId, TypeId, const void *, size_t, uint32_t)
{
    return CallId::none;
}

CallId request_owner(Session *, ObjectId, TypeId, const void *, size_t, uint32_t)
{
    return CallId::none;
}

bool reply(Session *, PeerId, CallId, TypeId, const void *, size_t)
{
    return false;
}

const char *text(CallFailure)
{
    return "";
}

}
