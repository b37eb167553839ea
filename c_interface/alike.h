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

static_assert(sizeof(tern_event) == sizeof(Event) && alignof(tern_event) == alignof(Event));
static_assert(sizeof(tern_event_kind) == sizeof(EventKind));
static_assert(sizeof(tern_breach) == sizeof(Breach));
static_assert(sizeof(tern_claim_refusal) == sizeof(ClaimRefusal));
static_assert(sizeof(tern_call_failure) == sizeof(CallFailure));
static_assert(offsetof(tern_event, kind) == offsetof(Event, kind));
// The member of an event lies at the same place and has the same size on both sides.
#define TERN_ALIKE(member)                                                                         \
    static_assert(offsetof(tern_event, of.member) == offsetof(Event, member) &&                    \
                  sizeof(tern_event::of.member) == sizeof(Event::member))
TERN_ALIKE(peer);
TERN_ALIKE(progress);
TERN_ALIKE(progress.objects_here);
TERN_ALIKE(progress.objects_expected);
TERN_ALIKE(newcomer);
TERN_ALIKE(newcomer.peer);
TERN_ALIKE(newcomer.previous);
TERN_ALIKE(newcomer.payload_bytes);
TERN_ALIKE(newcomer.name);
TERN_ALIKE(newcomer.payload);
TERN_ALIKE(misbehaved);
TERN_ALIKE(misbehaved.peer);
TERN_ALIKE(misbehaved.reporter);
TERN_ALIKE(misbehaved.breach);
TERN_ALIKE(host);
TERN_ALIKE(host.peer);
TERN_ALIKE(host.previous);
TERN_ALIKE(object);
TERN_ALIKE(object.id);
TERN_ALIKE(object.changed_fields);
TERN_ALIKE(object.type);
TERN_ALIKE(object.owner);
TERN_ALIKE(owner);
TERN_ALIKE(owner.object);
TERN_ALIKE(owner.changed_fields);
TERN_ALIKE(owner.lost_ticks);
TERN_ALIKE(owner.type);
TERN_ALIKE(owner.owner);
TERN_ALIKE(owner.previous);
TERN_ALIKE(claim);
TERN_ALIKE(claim.object);
TERN_ALIKE(claim.type);
TERN_ALIKE(claim.claimer);
TERN_ALIKE(claim.refusal);
TERN_ALIKE(call);
TERN_ALIKE(call.object);
TERN_ALIKE(call.arguments);
TERN_ALIKE(call.id);
TERN_ALIKE(call.failure);
TERN_ALIKE(call.argument_bytes);
TERN_ALIKE(call.type);
TERN_ALIKE(call.peer);
#undef TERN_ALIKE

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

inline const tern_event *to_c(const Event *event)
{
    return reinterpret_cast<const tern_event *>(event);
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
