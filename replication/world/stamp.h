// The stamp of a tenure: (term, count), compared as one integer; a larger one supersedes a smaller
// one. A term is (number, host id). An object is created with stamp 0.
#pragma once
#include "tern/types.hpp"

namespace tern {

using Stamp = uint64_t;

struct StampParts {
    uint16_t term_number;
    PeerId host;
    uint32_t count;
};

namespace stamps {

inline Stamp make(StampParts parts)
{
    return uint64_t{parts.term_number} << 48 | uint64_t{static_cast<uint16_t>(parts.host)} << 32 |
           parts.count;
}

inline StampParts parts(Stamp stamp)
{
    return {static_cast<uint16_t>(stamp >> 48), static_cast<PeerId>(stamp >> 32 & 0xffff),
            static_cast<uint32_t>(stamp)};
}

}

namespace object_id {

inline ObjectId make(PeerId creator, uint32_t serial)
{
    return static_cast<ObjectId>(uint64_t{static_cast<uint16_t>(creator)} << 32 | serial);
}

inline PeerId creator(ObjectId id)
{
    return static_cast<PeerId>(static_cast<uint64_t>(id) >> 32 & 0xffff);
}

inline uint32_t serial(ObjectId id)
{
    return static_cast<uint32_t>(id);
}

// Whether a peer can have created such an id; a reader refuses all others.
inline bool is_possible(ObjectId id)
{
    return serial(id) != 0 && creator(id) != PeerId::none && creator(id) != PeerId::everyone &&
           make(creator(id), serial(id)) == id;
}

}
}
