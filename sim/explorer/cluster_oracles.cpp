#include "sim/explorer/cluster_oracles.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::cluster_oracles {

using names::text;

static std::string name(PeerPlace place)
{
    return "peer " + std::to_string(place + 1);
}

static std::string text(const Believed &object)
{
    if (!object.alive) return object.dead ? "dead" : "unknown";
    return "alive under " + text(object.stamp) + " of peer " + text(object.owner);
}

static Violation violation(const char *invariant, PeerPlace lane, ObjectId object,
                           const std::string &what)
{
    Violation violation;
    violation.invariant = invariant;
    violation.lane = lane;
    violation.object = object;
    violation.text = object == ObjectId::none ? what : "object " + text(object) + ": " + what;
    return violation;
}

// A set of peers that are there: the members on one host's roster, or all. The liar is never one.
struct Present {
    PeerPlace places[cluster_peers_max];
    uint32_t count;
    unsigned bits;
    PeerPlace liar; // It is on the roster. no_peer_place: it is not.
};

static unsigned bit(PeerPlace place)
{
    return place == no_peer_place ? 0 : 1u << place;
}

static Present present(const Cluster &c, const ClusterState &s, unsigned among)
{
    Present present = {};
    const PeerPlace liar = cluster::liar(c);
    present.liar = (among & bit(liar)) != 0 ? liar : no_peer_place;
    for (PeerPlace place = 0; place < cluster::place_count(c); ++place) {
        if (place == liar || !cluster::is_there(c, s, place) || (among >> place & 1) == 0) continue;
        present.places[present.count] = place;
        present.count += 1;
        present.bits |= 1u << place;
    }
    return present;
}

static const Believed nothing = {};

static const Believed &at(const Cluster &c, const ClusterState &s, PeerPlace place, ObjectId object)
{
    const PeerSteps &steps = cluster::steps(c);
    const Believed *known = peer_steps::belief(steps, cluster::block(s, place), object);
    return known ? *known : nothing;
}

static const Glance &glance(const Cluster &c, const ClusterState &s, PeerPlace place)
{
    return peer_steps::glance(cluster::steps(c), cluster::block(s, place));
}

// I1: no two peers hold an object under one stamp with different owners.
static Violation i1(const Cluster &c, const ClusterState &s, PeerPlace a, PeerPlace b)
{
    for (const Believed &mine : peer_steps::beliefs(cluster::steps(c), cluster::block(s, a))) {
        const Believed &other = at(c, s, b, mine.object);
        if (!mine.alive || !other.alive) continue;
        if (mine.stamp != other.stamp || mine.owner == other.owner) continue;
        return violation("I1", a, mine.object,
                         "at " + name(a) + " " + text(mine) + ", at " + name(b) + " " +
                             text(other));
    }
    return {};
}

// I29: at no peer of a mesh that is in live more objects of one creator than its host has leased to
// that one.
static Violation i29(const Cluster &c, const ClusterState &s, PeerPlace host, PeerPlace peer)
{
    const Glance &leasing = glance(c, s, host), &other = glance(c, s, peer);
    const bool follows = other.leader == host && other.phase == Phase::in && !cluster::is_star(c);
    if (!follows || (leasing.roster >> peer & 1) == 0) return {};
    for (PeerPlace creator = 0; creator < cluster::place_count(c); ++creator) {
        const bool both = (leasing.roster & other.roster) >> creator & 1;
        if (!both || creator == host || creator == peer) continue;
        if (other.created[creator] <= leasing.leased[creator]) continue;
        return violation("I29", peer, ObjectId::none,
                         "at " + name(peer) + " live more objects of " + name(creator) +
                             " than its lease has places");
    }
    return {};
}

// A liar creates beyond its lease.
static Violation leases_exceeded(const Cluster &c, const ClusterState &s, const Present &all)
{
    if (cluster::liar(c) != no_peer_place) return {};
    for (uint32_t i = 0; i < all.count; ++i) {
        if (!cluster::is_host(c, s, all.places[i])) continue;
        for (uint32_t k = 0; k < all.count; ++k)
            if (Violation found = i29(c, s, all.places[i], all.places[k])) return found;
    }
    return {};
}

// I3: an object never lives again at the peer that destroyed it.
static Violation i3(const Cluster &c, const ClusterState &s)
{
    for (uint32_t i = 0; i < cluster::destroys_max; ++i) {
        const cluster::Destroyed one = cluster::destroyed(c, s, i);
        if (one.object == ObjectId::none) return {};
        if (!cluster::is_there(c, s, one.place) || one.place == cluster::liar(c)) continue;
        const Believed &object = at(c, s, one.place, one.object);
        if (object.alive)
            return violation("I3", one.place, one.object,
                             "lives again at " + name(one.place) + ", which destroyed it");
    }
    return {};
}

// As long as the liar is a member, the others may differ about what it has created, owns or has
// destroyed. In a star they may later, too, about what it owned: the next host does not learn of an
// object of the liar that only the last one has shown to others (docs/security.md, A member, 6).
static bool is_open(const Cluster &c, const ClusterState &s, const Present &all, ObjectId object)
{
    if (cluster::liar(c) == no_peer_place) return false;
    const auto liar = static_cast<PeerId>(cluster::liar(c) + 1);
    const bool is_member = all.liar != no_peer_place;
    if (is_member && object_id::creator(object) == liar) return true;
    if (!is_member && !cluster::is_star(c)) return false;
    for (uint32_t i = 0; i < all.count; ++i)
        if (at(c, s, all.places[i], object).owner == liar) return true;
    if (!is_member) return false;
    for (uint32_t i = 0; i < cluster::destroys_max; ++i) {
        const cluster::Destroyed one = cluster::destroyed(c, s, i);
        if (one.place == all.liar && one.object == object) return true;
    }
    return cluster::is_there(c, s, all.liar) && at(c, s, all.liar, object).owner == liar;
}

// Q1: quiet peers agree on which objects live, on their stamps and on their owners.
static Violation q1(const Cluster &c, const ClusterState &s, const Present &all, PeerPlace a,
                    PeerPlace b)
{
    for (const Believed &mine : peer_steps::beliefs(cluster::steps(c), cluster::block(s, a))) {
        if (is_open(c, s, all, mine.object)) continue;
        const Believed &other = at(c, s, b, mine.object);
        const bool same =
            mine.alive == other.alive && mine.stamp == other.stamp && mine.owner == other.owner;
        if (same) continue;
        return violation("Q1", a, mine.object,
                         "at " + name(a) + " " + text(mine) + ", at " + name(b) + " " +
                             text(other));
    }
    return {};
}

// Q2: quiet peers agree on the values of objects.
static Violation q2(const Cluster &c, const ClusterState &s, const Present &all, PeerPlace a,
                    PeerPlace b)
{
    for (const Believed &mine : peer_steps::beliefs(cluster::steps(c), cluster::block(s, a))) {
        if (is_open(c, s, all, mine.object)) continue;
        const Believed &other = at(c, s, b, mine.object);
        if (!mine.alive || !other.alive || mine.value == other.value) continue;
        if (mine.hidden || other.hidden) continue; // A hidden object keeps its last value.
        return violation("Q2", a, mine.object,
                         "at " + name(a) + " write " + std::to_string(mark::sequence(mine.value)) +
                             " of " + text(mine.value.tenure) + ", at " + name(b) + " write " +
                             std::to_string(mark::sequence(other.value)) + " of " +
                             text(other.value.tenure));
    }
    return {};
}

// Q3: the owner of every living object is a member.
static Violation q3(const Cluster &c, const ClusterState &s, const Present &all, PeerPlace a)
{
    for (const Believed &object : peer_steps::beliefs(cluster::steps(c), cluster::block(s, a))) {
        if (!object.alive || is_open(c, s, all, object.object)) continue;
        const auto owner = static_cast<PeerPlace>(static_cast<unsigned>(object.owner) - 1);
        if (((all.bits | bit(all.liar)) >> owner & 1) == 0)
            return violation("Q3", a, object.object,
                             "at " + name(a) + " " + text(object) + ", who has gone");
    }
    return {};
}

// Q4: an object that was destroyed by a peer that is still a member is destroyed everywhere.
static Violation q4(const Cluster &c, const ClusterState &s, PeerPlace a, unsigned members)
{
    for (uint32_t i = 0; i < cluster::destroys_max; ++i) {
        const cluster::Destroyed one = cluster::destroyed(c, s, i);
        if (one.object == ObjectId::none) return {};
        if ((members >> one.place & 1) == 0) continue;
        const Believed &object = at(c, s, a, one.object);
        if (object.alive)
            return violation("Q4", a, one.object,
                             name(one.place) + " has destroyed it; at " + name(a) + " " +
                                 text(object));
    }
    return {};
}

// Q5: quiet peers have the same tombstones, also of objects that they never knew alive.
static Violation q5(const Cluster &c, const ClusterState &s, const Present &all, PeerPlace a,
                    PeerPlace b)
{
    for (const Believed &mine : peer_steps::beliefs(cluster::steps(c), cluster::block(s, a))) {
        if (is_open(c, s, all, mine.object)) continue;
        const Believed &other = at(c, s, b, mine.object);
        if (mine.dead == other.dead) continue;
        return violation("Q5", a, mine.object,
                         "at " + name(a) + " " + text(mine) + ", at " + name(b) + " " +
                             text(other));
    }
    return {};
}

// A claimer or former owner may not know of a tenure or a death that the liar keeps to itself.
static bool any_open(const Cluster &c, const ClusterState &s, const Present &all, PeerPlace a)
{
    const auto known = peer_steps::beliefs(cluster::steps(c), cluster::block(s, a));
    return std::any_of(known.begin(), known.end(),
                       [&](const Believed &object) { return is_open(c, s, all, object.object); });
}

// Q6: no peer waits for anything: none is still joining or collecting reports, every claim is
// answered, every message is acked, and all have the same view and roster.
static Violation q6(const Cluster &c, const ClusterState &s, PeerPlace a, const Present &all)
{
    const Glance &mine = glance(c, s, a);
    const char *what = nullptr;
    // A newcomer waits for the liar's world sync until it gives up.
    if (mine.phase != Phase::in && all.liar != no_peer_place) return {};
    if (mine.phase != Phase::in)
        what = "has not come in";
    else if (mine.collecting)
        what = "still awaits reports";
    else if (mine.claims > 0 && !any_open(c, s, all, a))
        what = "has an unanswered claim";
    else if (mine.released != 0 && !any_open(c, s, all, a))
        what = "still owns what it has released";
    else if ((mine.unsettled & ~bit(all.liar)) != 0)
        what = "has something unsaid or unacked";
    else if (mine.roster != (all.bits | bit(all.liar)))
        what = "has another roster than who is there";
    else if (mine.view != glance(c, s, all.places[0]).view)
        what = "has another view";
    if (what == nullptr) return {};
    return violation("Q6", a, ObjectId::none, name(a) + " " + what);
}

// Q8: the objects that the host knows to be locked are those that their owners have locked.
static Violation q8(const Cluster &c, const ClusterState &s, const Present &all)
{
    // Bit i stands for belief i, so it means the same at all peers only with equal tombstones.
    if (!cluster::remembers(c) || all.liar != no_peer_place) return {};
    unsigned locked = 0, known = 0;
    for (uint32_t i = 0; i < all.count; ++i) {
        const Glance &one = glance(c, s, all.places[i]);
        locked |= one.locked;
        if (one.in_charge) known = one.known_locked;
    }
    if (locked == known) return {};
    return violation("Q8", all.places[0], ObjectId::none,
                     known != 0 ? "the host takes for locked what is not"
                                : "the host does not know what is locked");
}

// Q10: a peer that receives updates of an object knows whether their sender hides it from that
// peer.
static Violation q10(const Cluster &c, const ClusterState &s, PeerPlace a, PeerPlace b)
{
    const bool star = cluster::is_star(c);
    for (const Believed &mine : peer_steps::beliefs(cluster::steps(c), cluster::block(s, a))) {
        const Believed &other = at(c, s, b, mine.object);
        const bool own = mine.owner == static_cast<PeerId>(a + 1);
        const bool tells = star ? glance(c, s, a).in_charge : own;
        if (!tells || !mine.alive || !other.alive || a == b) continue;
        if (other.owner == static_cast<PeerId>(b + 1)) continue;
        const bool hides = (mine.hidden_from >> b & 1) != 0;
        if (hides == other.hidden) continue;
        return violation("Q10", b, mine.object,
                         name(a) + (hides ? " hides it, and " : " shows it, and ") + name(b) +
                             " does not know");
    }
    return {};
}

static Violation when_quiet(const Cluster &c, const ClusterState &s, const Present &all)
{
    for (uint32_t i = 0; i < all.count; ++i) {
        const PeerPlace a = all.places[i];
        for (uint32_t k = 0; k < all.count; ++k) {
            const PeerPlace b = all.places[k];
            if (glance(c, s, a).beliefs == glance(c, s, b).beliefs) continue;
            if (Violation found = q1(c, s, all, a, b)) return found;
            if (Violation found = q2(c, s, all, a, b)) return found;
            if (Violation found = q10(c, s, a, b)) return found;
            if (!cluster::remembers(c)) continue;
            if (Violation found = q5(c, s, all, a, b)) return found;
        }
        if (Violation found = q3(c, s, all, a)) return found;
        if (Violation found = q4(c, s, a, all.bits)) return found;
        if (Violation found = q6(c, s, a, all)) return found;
    }
    return q8(c, s, all);
}

// Q7: every peer that has joined is on the roster of a host. There is only one host, unless every
// host is alone: the last two members may lose each other and both continue. If most peers live and
// none was suspected, no more peers are lost than crashed.
static Violation q7(const Cluster &c, const ClusterState &s)
{
    const PeerPlace liar = cluster::liar(c);
    uint32_t groups = 0;
    bool large = false;
    unsigned members = 0;
    for (PeerPlace host = 0; host < cluster::place_count(c); ++host) {
        if (host == liar || !cluster::is_host(c, s, host)) continue;
        const unsigned group = cluster::group(c, s, host);
        uint32_t seats = 0;
        for (PeerPlace place = 0; place < cluster::place_count(c); ++place)
            seats += (group >> place & 1) != 0;
        large |= seats > 1;
        groups += 1;
        members |= group;
    }
    if (groups > 1 && large) return violation("Q7", 0, ObjectId::none, "two hosts are in charge");
    uint32_t lost = 0, seats = 0;
    for (PeerPlace place = 0; place < cluster::place_count(c); ++place) {
        if (cluster::is_seat(c, place)) {
            seats += 1;
            lost += !cluster::is_there(c, s, place) && place != liar;
        }
        const bool in = cluster::is_there(c, s, place) && glance(c, s, place).phase == Phase::in;
        if (in && place != liar && (members >> place & 1) == 0)
            return violation("Q7", place, ObjectId::none,
                             name(place) + " belongs to nobody's roster");
    }
    const uint32_t crashed = cluster::crashed(c, s);
    const uint32_t out = crashed + (liar != no_peer_place);
    if (2 * out < seats && cluster::suspected(c, s) == 0 && lost > crashed)
        return violation("Q7", 0, ObjectId::none, "more have gone than crashed, and most have not");
    return {};
}

// Whether a departure lasts until the liar answers, or is removed for that. A liar that leads the
// others is a hostile host.
static bool waits_for_liar(const Cluster &c, const ClusterState &s)
{
    const PeerPlace liar = cluster::liar(c);
    for (PeerPlace place = 0; place < cluster::place_count(c); ++place) {
        if (place == liar || !cluster::is_there(c, s, place)) continue;
        const Glance &one = glance(c, s, place);
        if (one.leader == liar && liar != no_peer_place) return true;
        if (one.collecting && (one.roster & bit(liar)) != 0) return true;
    }
    return false;
}

// Open: of two hosts that take each other for gone, a liar may answer both, so that both go on
// (docs/security.md, A member, 15).
static bool is_split_by_liar(const Cluster &c, const ClusterState &s)
{
    uint32_t hosts = 0;
    for (PeerPlace place = 0; place < cluster::place_count(c); ++place)
        hosts += place != cluster::liar(c) && cluster::is_host(c, s, place);
    return cluster::liar(c) != no_peer_place && hosts > 1 && cluster::suspected(c, s) > 0;
}

Violation stuck(const Cluster &c, const ClusterState &s)
{
    if (cluster::quiet(c, s)) return {};
    // A liar that answers nothing counts as one more that has crashed: too few may be left.
    const uint32_t out = cluster::crashed(c, s) + 1;
    const bool few = 2 * out >= cluster::seat_count(c);
    if (cluster::liar(c) != no_peer_place && (few || waits_for_liar(c, s))) return {};
    return violation("Q6", 0, ObjectId::none, "all wait for something that never comes");
}

Violation first_violation(const Cluster &c, const ClusterState &s)
{
    const Present all = present(c, s, ~0u);
    for (uint32_t i = 0; i < all.count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            const PeerPlace a = all.places[i], b = all.places[k];
            if (glance(c, s, a).beliefs == glance(c, s, b).beliefs) continue;
            if (Violation found = i1(c, s, a, b)) return found;
        }
    if (Violation found = i3(c, s)) return found;
    if (Violation found = leases_exceeded(c, s, all)) return found;
    if (!cluster::quiet(c, s) || waits_for_liar(c, s) || is_split_by_liar(c, s)) return {};
    if (Violation found = q7(c, s)) return found;
    for (PeerPlace host = 0; host < cluster::place_count(c); ++host) {
        if (host == cluster::liar(c) || !cluster::is_host(c, s, host)) continue;
        const Present members = present(c, s, cluster::group(c, s, host));
        if (Violation found = when_quiet(c, s, members)) return found;
    }
    return {};
}

}
