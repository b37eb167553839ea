// object_of() and peer_of().
#include "tern/diagnostics.hpp"
#include "tern/tern.hpp"
#include <gtest/gtest.h>

namespace tern {
namespace {

constexpr auto ship = static_cast<ObjectId>(0x500000007), no_object = ObjectId::none;
constexpr auto ada = static_cast<PeerId>(5), ben = static_cast<PeerId>(6);

// Events of all kinds, in their order. What is neither the object nor the peer is something else.
const Newcomer newcomer = {ada, ben, 9, "ada", "payload"};
const ObjectEvent object = {ship, 1, 2, ada};
const OwnerChange owner = {ship, 1, 9, 2, ada, ben};
const ClaimEvent claimed = {ship, 2, ada, ClaimRefusal::locked};
const CallEvent called = {ship, "text", CallId{9}, CallFailure::lost, 9, 2, ada};

struct Case {
    Event event;
    ObjectId object;
    PeerId peer;
};

const Case cases[] = {
    {{.kind = EventKind::join_progress, .progress = {8, 9}}, no_object, PeerId::none},
    {{.kind = EventKind::caught_up, .peer = ada}, no_object, ada},
    {{.kind = EventKind::join_asked, .newcomer = newcomer}, no_object, ada},
    {{.kind = EventKind::peer_joined, .newcomer = newcomer}, no_object, ada},
    {{.kind = EventKind::peer_left, .peer = ada}, no_object, ada},
    {{.kind = EventKind::misbehaved, .misbehaved = {ada, ben, Breach::forged}}, no_object, ada},
    {{.kind = EventKind::host_lost, .peer = ada}, no_object, ada},
    {{.kind = EventKind::host_changed, .host = {ada, ben}}, no_object, ada},
    {{.kind = EventKind::object_created, .object = object}, ship, ada},
    {{.kind = EventKind::object_changed, .object = object}, ship, ada},
    {{.kind = EventKind::object_destroyed, .object = object}, ship, ada},
    {{.kind = EventKind::object_hidden, .object = object}, ship, ada},
    {{.kind = EventKind::object_shown, .object = object}, ship, ada},
    {{.kind = EventKind::owner_changed, .owner = owner}, ship, ada},
    {{.kind = EventKind::object_orphaned, .owner = owner}, ship, ada},
    {{.kind = EventKind::claim_asked, .claim = claimed}, ship, ada},
    {{.kind = EventKind::claim_granted, .claim = claimed}, ship, ada},
    {{.kind = EventKind::claim_refused, .claim = claimed}, ship, ada},
    {{.kind = EventKind::call, .call = called}, ship, ada},
    {{.kind = EventKind::reply, .call = called}, ship, ada},
    {{.kind = EventKind::call_failed, .call = called}, ship, ada},
};

}

TEST(Events, OfEachKindNameTheirObjectAndTheirPeer)
{
    static_assert(std::size(cases) == static_cast<size_t>(EventKind::call_failed) + 1);
    for (size_t i = 0; i < std::size(cases); ++i) {
        ASSERT_EQ(static_cast<size_t>(cases[i].event.kind), i);
        EXPECT_EQ(object_of(cases[i].event), cases[i].object) << i;
        EXPECT_EQ(peer_of(cases[i].event), cases[i].peer) << i;
    }
}

}
