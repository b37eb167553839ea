// These structs lie in memory alike on both sides of the C interface: arrays need no copies.
#pragma once
#include "tern/tern.h"
#include "tern/types.hpp"

namespace tern::c_interface {

static_assert(sizeof(tern_address) == sizeof(Address));
static_assert(offsetof(tern_address, port) == offsetof(Address, port));
static_assert(sizeof(tern_datagram) == sizeof(Datagram));
static_assert(offsetof(tern_datagram, bytes) == offsetof(Datagram, bytes));
static_assert(sizeof(std::span<const std::byte>) ==
              sizeof(tern_datagram) - offsetof(tern_datagram, bytes));
static_assert(sizeof(tern_viewpoint) == sizeof(Viewpoint));
static_assert(offsetof(tern_viewpoint, position) == offsetof(Viewpoint, position));
static_assert(sizeof(tern_object) == sizeof(ObjectId) && sizeof(tern_peer) == sizeof(PeerId));

// The last enumerators of both sides; the order is that of tern.hpp.
static_assert(TERN_VALUES == static_cast<int>(FieldKind::values));
static_assert(TERN_ORPHAN_HOLD == static_cast<int>(Orphan::hold));
static_assert(TERN_CLAIM_NEVER == static_cast<int>(ClaimPolicy::never));
static_assert(TERN_CALLERS_OWNER == static_cast<int>(Callers::owner));
static_assert(TERN_STAR == static_cast<int>(Topology::star));
static_assert(TERN_QUORUM_SURVIVORS == static_cast<int>(Quorum::survivors));
static_assert(TERN_STATE_OVERFLOW == static_cast<int>(State::overflow));
static_assert(TERN_BREACH_EQUIVOCATED == static_cast<int>(Breach::equivocated));
static_assert(TERN_BREACHES == breach_kinds);
static_assert(TERN_EVENT_CALL_FAILED == static_cast<int>(EventKind::call_failed));
static_assert(TERN_REFUSAL_QUOTA == static_cast<int>(ClaimRefusal::quota));
static_assert(TERN_FAILURE_NO_REPLY == static_cast<int>(CallFailure::no_reply));
static_assert(TERN_CLAIM_OPTIMISTIC == static_cast<int>(ClaimMode::optimistic));
static_assert(TERN_INVITE_TEXT_MAX == invite_text_max);

inline std::span<const Datagram> from_c(const tern_datagram *datagrams, size_t count)
{
    return {reinterpret_cast<const Datagram *>(datagrams), count};
}

inline std::span<const ObjectId> from_c(const tern_object *objects, size_t count)
{
    return {reinterpret_cast<const ObjectId *>(objects), count};
}

inline std::span<const Address> from_c(const tern_address *addresses, size_t count)
{
    return {reinterpret_cast<const Address *>(addresses), count};
}

inline const tern_datagram *to_c(const Datagram *datagrams)
{
    return reinterpret_cast<const tern_datagram *>(datagrams);
}

inline const tern_object *to_c(const ObjectId *objects)
{
    return reinterpret_cast<const tern_object *>(objects);
}

inline const tern_peer *to_c(const PeerId *peers)
{
    return reinterpret_cast<const tern_peer *>(peers);
}

}
