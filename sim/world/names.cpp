#include "sim/world/names.h"

namespace tern::names {

std::string text(PeerId peer)
{
    return std::to_string(static_cast<unsigned>(peer));
}

std::string text(ObjectId object)
{
    return text(object_id::creator(object)) + "." + std::to_string(object_id::serial(object));
}

std::string text(Stamp stamp)
{
    if (stamp == 0) return "0";
    const StampParts parts = stamps::parts(stamp);
    return std::to_string(parts.term_number) + "." + text(parts.host) + "." +
           std::to_string(parts.count);
}

}
