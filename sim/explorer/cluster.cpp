#include "sim/explorer/cluster.h"
#include "base/hash.h"
#include "sim/explorer/cluster_parts.h"
#include <algorithm>

namespace tern::cluster {

using namespace cluster_parts;

// --- The parts of a state ---

// An entry of the part that records destroys has the place + 1 above these bits, and in them the
// object: 3 bits for the creator, 2 for the serial.
static constexpr uint32_t object_bits = 5;

static void put(ClusterState &s, uint32_t part, uint32_t number)
{
    const Key128 old = hash_table::part(part, s.parts[part]);
    const Key128 next = hash_table::part(part, number);
    s.key = {s.key.low - old.low + next.low, s.key.high - old.high + next.high};
    s.parts[part] = number;
}

static void spend(const Cluster &c, ClusterState &s, Budget budget)
{
    const uint32_t part = spent_part(c, budget);
    put(s, part, s.parts[part] + (1u << 4 * (budget % budgets_per_part)));
}

Destroyed destroyed(const Cluster &c, const ClusterState &s, uint32_t i)
{
    const uint32_t entry = s.parts[c._part_count - 1] >> 8 * i & 255;
    if (entry == 0) return {255, ObjectId::none};
    const uint32_t code = (entry >> 2 & 7) << 8 | (entry & 3);
    return {static_cast<PeerPlace>((entry >> object_bits) - 1), object_code::id(code)};
}

static void remember_destroyed(const Cluster &c, ClusterState &s, const Move &move)
{
    uint32_t i = 0;
    while (destroyed(c, s, i).object != ObjectId::none)
        ++i;
    const uint32_t entry =
        (move.a + 1u) << object_bits | (move.number >> 8u & 7u) << 2 | (move.number & 3u);
    put(s, c._part_count - 1, s.parts[c._part_count - 1] | entry << 8 * i);
}

// --- Streams and bags: linked lists that share their tails ---

static uint64_t marks(const ClusterList &list)
{
    const uint64_t lied = list.lied ? uint64_t{1} << 63 : 0;
    return lied | uint64_t{list.packet} << 2 | (list.forged ? 2 : 0) | (list.reported_lost ? 1 : 0);
}

static uint32_t list_of(Cluster &c, const ClusterList &list)
{
    const Key128 key = {uint64_t{list.message} << 32 | list.rest, marks(list)};
    const uint32_t known = hash_table::find(c._list_numbers, key);
    if (known != 0) return known;
    c._lists.push_back(list);
    const auto number = static_cast<uint32_t>(c._lists.size() - 1);
    hash_table::add(c._list_numbers, key, number);
    return number;
}

// Appends `end`, a list of one item.
static uint32_t appended(Cluster &c, uint32_t number, const ClusterList &end)
{
    if (number == 0) return list_of(c, end);
    const Key128 key = {uint64_t{number} << 32 | end.message, marks(end)};
    const uint32_t known = hash_table::find(c._appended, key);
    if (known != 0) return known;
    ClusterList list = c._lists[number];
    list.rest = appended(c, list.rest, end);
    const uint32_t result = list_of(c, list);
    hash_table::add(c._appended, key, result);
    return result;
}

static std::vector<ClusterList> items(const Cluster &c, uint32_t number)
{
    std::vector<ClusterList> all;
    for (; number != 0; number = c._lists[number].rest)
        all.push_back(c._lists[number]);
    return all;
}

// A bag has no order, so its items are sorted: equal bags get one number, whatever came first.
static uint32_t bag_of(Cluster &c, std::vector<ClusterList> all)
{
    std::sort(all.begin(), all.end(), [](const ClusterList &a, const ClusterList &b) {
        if (a.reported_lost != b.reported_lost) return b.reported_lost;
        return a.packet != b.packet ? a.packet < b.packet : a.message < b.message;
    });
    uint32_t number = 0;
    for (size_t i = all.size(); i > 0; --i) {
        all[i - 1].rest = number;
        number = list_of(c, all[i - 1]);
    }
    return number;
}

// --- Steps ---

static void cut(const Cluster &c, ClusterState &s, PeerPlace from, PeerPlace to)
{
    put(s, stream_part(c, from, to), 0);
    if (has_bags(c)) put(s, bag_part(c, from, to), 0);
}

static void append(Cluster &c, ClusterState &s, const Move &pair, const ClusterList &end)
{
    const uint32_t part = stream_part(c, pair.a, pair.b);
    put(s, part, appended(c, s.parts[part], end));
}

// Nothing sent to a peer arrives if that peer has crashed, or has dropped the sender.
static bool is_lost(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to)
{
    return s.parts[to] == 0 || (has_closed(c, s, to, from) && !knows(glance(c, s, to), from));
}

static void crash(const Cluster &c, ClusterState &s, PeerPlace place)
{
    put(s, place, 0);
    for (PeerPlace other = 0; other < c._places; ++other) {
        if (other == place) continue;
        cut(c, s, other, place);
        if (has_holds(c)) put(s, hold_part(c, place, other), 0);
    }
}

static void send(Cluster &c, ClusterState &s, PeerPlace from, const Said &said)
{
    if (is_lost(c, s, from, said.to)) return;
    if (!said.updates)
        return append(c, s, {MoveKind::deliver, from, said.to, 0},
                      {said.message, 0, 0, false, false, false});
    const uint32_t part = bag_part(c, from, said.to);
    std::vector<ClusterList> all = items(c, s.parts[part]);
    all.push_back({said.message, 0, said.packet, false, false, false});
    put(s, part, bag_of(c, all));
}

static uint8_t held_by(const Cluster &c, const ClusterState &s, PeerPlace from)
{
    unsigned held = 0;
    for (PeerPlace to = 0; to < c._places; ++to)
        if (to != from && is_held(c, s, from, to)) held |= 1u << to;
    return static_cast<uint8_t>(held);
}

// Runs one input at one peer and sends what the peer writes. When the peer drops a former member,
// everything under way from that member is discarded: the peer would ignore it.
static uint32_t take_step(Cluster &c, ClusterState &s, PeerPlace place, Input input)
{
    const uint32_t before = s.parts[place];
    input.held = held_by(c, s, place);
    const PeerStep step = peer_steps::step(c._steps, before, input);
    if (c._watched) c._last_steps.push_back({place, input, before, step});
    put(s, place, step.block);
    for (const Said &said : peer_steps::said(c._steps, step))
        send(c, s, place, said);
    const Glance &was = peer_steps::glance(c._steps, before), &is = glance(c, s, place);
    const unsigned gone = was.known & ~unsigned{is.known};
    for (PeerPlace other = 0; other < c._places; ++other) {
        if (other == place) continue;
        if ((gone >> other & 1) != 0) cut(c, s, other, place);
        // Messages that were held for a fenced peer will never be sent.
        const bool fenced = (is.roster >> other & 1) == 0;
        if (fenced && (input.held >> other & 1) != 0) put(s, hold_part(c, place, other), 0);
    }
    if (is.ended) crash(c, s, place); // To the others this is a crash.
    return step.violation;
}

// A newcomer may have no room for an object before it knows of all deaths, and a lie may need room
// that there never is. The message stays where it is.
static bool waits_for_room(Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to)
{
    if (glance(c, s, to).phase != Phase::joining && from != liar(c)) return false;
    const uint32_t head = c._lists[s.parts[stream_part(c, from, to)]].message;
    const Input input = {InputKind::receive, from, head, held_by(c, s, to)};
    return peer_steps::step(c._steps, s.parts[to], input).verdict == Verdict::later;
}

static uint32_t deliver(Cluster &c, ClusterState &s, const Move &move)
{
    const uint32_t part = stream_part(c, move.a, move.b);
    const ClusterList head = c._lists[s.parts[part]];
    if (waits_for_room(c, s, move.a, move.b)) return 0;
    put(s, part, head.rest);
    if (head.forged) return take_step(c, s, move.b, {InputKind::forged, move.a, head.message});
    const bool outside = glance(c, s, move.b).phase == Phase::outside;
    const InputKind kind = outside ? InputKind::welcome : InputKind::receive;
    const uint32_t violation = take_step(c, s, move.b, {kind, move.a, head.message});
    if (violation != 0 || s.parts[move.a] == 0 || head.lied) return violation;
    if (is_held(c, s, move.a, move.b)) {
        const uint32_t hold = hold_part(c, move.a, move.b);
        put(s, hold, s.parts[hold] + 1);
        return 0;
    }
    return take_step(c, s, move.a, {InputKind::acked, move.b, 1});
}

static uint32_t pull(Cluster &c, ClusterState &s, const Move &move)
{
    const uint32_t part = hold_part(c, move.a, move.b);
    const uint32_t acks = s.parts[part] - 1;
    put(s, part, 0);
    return take_step(c, s, move.a, {InputKind::acked, move.b, acks});
}

static void forge(Cluster &c, ClusterState &s, const Move &move)
{
    uint32_t message = 0;
    if (move.kind == MoveKind::replay) {
        const auto author = static_cast<PeerPlace>(move.number);
        message = c._lists[s.parts[stream_part(c, author, move.a)]].message;
    } else {
        const ObjectId object = object_code::id(move.number);
        message = move.kind == MoveKind::forge_migrate
                      ? peer_steps::forged_migrate(c._steps, s.parts[move.a], object)
                      : peer_steps::forged_destroy(c._steps, s.parts[move.a], object);
    }
    append(c, s, move, {message, 0, 0, false, true, false});
}

static uint32_t withhold(Cluster &c, ClusterState &s, const Move &move)
{
    const uint32_t part = stream_part(c, move.a, move.b);
    put(s, part, c._lists[s.parts[part]].rest);
    return take_step(c, s, move.a, {InputKind::acked, move.b, 1});
}

static uint32_t mute(Cluster &c, ClusterState &s, const Move &move)
{
    const uint32_t part = stream_part(c, move.b, move.a);
    const ClusterList head = c._lists[s.parts[part]];
    put(s, part, head.rest);
    return take_step(c, s, move.a, {InputKind::receive, move.b, head.message});
}

static uint32_t tell_lie(Cluster &c, ClusterState &s, const Move &move)
{
    if (move.kind == MoveKind::withhold) return withhold(c, s, move);
    if (move.kind == MoveKind::mute) return mute(c, s, move);
    const auto to = static_cast<PeerPlace>(move.number);
    const uint32_t message = move.kind == MoveKind::lie
                                 ? peer_steps::lie(c._steps, s.parts[move.a], lie_of(c, s, move))
                                 : c._lists[s.parts[stream_part(c, move.a, to)]].message;
    append(c, s, move, {message, 0, 0, false, false, true});
    return 0;
}

// The UPDATE at one place of a bag arrives, or its sender counts it as lost. If it arrives after
// that, the sender gets no ack.
static uint32_t meet_outcome(Cluster &c, ClusterState &s, const Move &move)
{
    const uint32_t part = bag_part(c, move.a, move.b);
    std::vector<ClusterList> all = items(c, s.parts[part]);
    const ClusterList one = all[move.number];
    const bool arrives = move.kind == MoveKind::update;
    if (arrives)
        all.erase(all.begin() + move.number);
    else
        all[move.number].reported_lost = true;
    put(s, part, bag_of(c, all));
    if (arrives) {
        const Input input = {InputKind::updates, move.a, one.message};
        if (const uint32_t violation = take_step(c, s, move.b, input)) return violation;
    }
    if (one.reported_lost || s.parts[move.a] == 0) return 0;
    const InputKind kind = arrives ? InputKind::arrived : InputKind::lost;
    return take_step(c, s, move.a, {kind, move.b, one.packet});
}

static uint32_t act(Cluster &c, ClusterState &s, const Move &move, Budget budget, InputKind kind)
{
    spend(c, s, budget);
    return take_step(c, s, move.a, {kind, 0, move.number});
}

uint32_t make_move(Cluster &c, ClusterState &s, const Move &move)
{
    c._last_steps.clear();
    switch (move.kind) {
    case MoveKind::create: return act(c, s, move, creates, InputKind::create);
    case MoveKind::claim: return act(c, s, move, claims, InputKind::claim);
    case MoveKind::destroy:
        remember_destroyed(c, s, move);
        return act(c, s, move, destroys, InputKind::destroy);
    case MoveKind::set: return act(c, s, move, updates, InputKind::set);
    case MoveKind::lock: return act(c, s, move, locks, InputKind::lock);
    case MoveKind::release: return act(c, s, move, releases, InputKind::release);
    case MoveKind::hide:
        spend(c, s, hides);
        return take_step(c, s, move.a, {InputKind::hide, move.b, move.number});
    case MoveKind::wait: return act(c, s, move, waits, InputKind::wait);
    case MoveKind::deliver: return deliver(c, s, move);
    case MoveKind::lose: spend(c, s, losses); return meet_outcome(c, s, move);
    case MoveKind::update: return meet_outcome(c, s, move);
    case MoveKind::crash:
        spend(c, s, crashes);
        crash(c, s, move.a);
        return 0;
    case MoveKind::notice: return take_step(c, s, move.b, {InputKind::gone, move.a, 0});
    case MoveKind::join:
        spend(c, s, joins);
        return take_step(c, s, move.b, {InputKind::admit, move.a, 0});
    case MoveKind::hold:
        spend(c, s, holds);
        put(s, hold_part(c, move.a, move.b), 1);
        return 0;
    case MoveKind::pull: return pull(c, s, move);
    case MoveKind::suspect:
        spend(c, s, suspicions);
        return take_step(c, s, move.b, {InputKind::gone, move.a, 0});
    case MoveKind::forge_migrate:
    case MoveKind::forge_destroy:
    case MoveKind::replay:
        spend(c, s, forges);
        forge(c, s, move);
        return 0;
    case MoveKind::lie:
    case MoveKind::repeat:
    case MoveKind::withhold:
    case MoveKind::mute:
        spend(c, s, lies);
        if (move.lie == LieKind::destroys) remember_destroyed(c, s, move);
        return tell_lie(c, s, move);
    case MoveKind::oust: return take_step(c, s, move.b, {InputKind::oust, move.a, 0});
    }
    return 0;
}

// --- The first state ---

static void flow(Cluster &c, ClusterState &s)
{
    for (bool any = true; any;) {
        any = false;
        for (PeerPlace from = 0; from < c._places; ++from)
            for (PeerPlace to = 0; to < c._places; ++to) {
                if (from == to || s.parts[stream_part(c, from, to)] == 0) continue;
                if (is_deaf(c, s, to, from)) continue;
                const uint32_t violation = deliver(c, s, {MoveKind::deliver, from, to, 0});
                TERN_ASSERT(violation == 0, "%s",
                            peer_steps::violation(c._steps, violation).text.c_str());
                any = true;
            }
    }
}

static ClusterState state_of(const Cluster &c, std::span<const uint32_t> blocks)
{
    ClusterState s = {};
    for (uint32_t part = 0; part < c._part_count; ++part) {
        const Key128 key = hash_table::part(part, 0);
        s.key = {s.key.low + key.low, s.key.high + key.high};
    }
    for (uint32_t place = 0; place < blocks.size(); ++place)
        put(s, place, blocks[place]);
    return s;
}

const char *liar_broken(const ExploreScope &scope)
{
    if (scope.lies == 0) return nullptr;
    if (scope.peers < 2 || scope.liar == 1 || scope.liar > scope.peers)
        return "a liar that is the host or nobody";
    if (scope.creates >= cluster_objects_max - 1) return "a liar and more than 2 creates";
    if (scope.lies + scope.destroys > int{destroys_max}) return "more than 4 lies and destroys";
    return nullptr;
}

static void check_scope(const ExploreScope &scope)
{
    TERN_ASSERT(scope.peers >= 1 && scope.peers + scope.joins <= cluster_peers_max, "%u peers",
                scope.peers + scope.joins);
    TERN_ASSERT(scope.creates <= cluster_objects_max - 1 && scope.destroys <= destroys_max,
                "%u creates, %u destroys", scope.creates, scope.destroys);
    for (const uint16_t budget :
         {scope.claims, scope.crashes, scope.updates, scope.losses, scope.waits, scope.holds,
          scope.suspicions, scope.forges, scope.locks, scope.releases, scope.hides, scope.lies})
        TERN_ASSERT(budget < 16, "%u", budget);
    const char *broken = liar_broken(scope);
    TERN_ASSERT(broken == nullptr, "%s", broken);
}

Cluster make(const ExploreScope &scope)
{
    check_scope(scope);
    Cluster c;
    c._scope = scope;
    c._seated = scope.peers;
    c._places = scope.peers + uint32_t{scope.joins};
    c._part_count = c._places + pair_count(c) + tail_count;
    if (has_bags(c)) c._part_count += pair_count(c);
    if (has_holds(c)) c._part_count += pair_count(c);
    c._steps = peer_steps::make(
        c._places, scope.mortal, scope.survivors ? Quorum::survivors : Quorum::majority,
        scope.star ? Topology::star : Topology::mesh, scope.objects_max, liar(c));
    c._lists.assign(1, {});
    return c;
}

ClusterState first_state(Cluster &c)
{
    std::vector<uint32_t> blocks = {peer_steps::first_host(c._steps)};
    for (PeerPlace place = 1; place < c._places; ++place)
        blocks.push_back(peer_steps::outsider(c._steps, place));
    ClusterState s = state_of(c, blocks);
    for (PeerPlace place = 1; place < c._seated; ++place) {
        take_step(c, s, 0, {InputKind::admit, place, 0});
        flow(c, s);
    }
    blocks.assign(s.parts.begin(), s.parts.begin() + c._places);
    peer_steps::begin_with(c._steps, blocks);
    c._lists.assign(1, {});
    c._list_numbers = c._appended = {};
    s = state_of(c, blocks);
    c._first = s.key;
    return s;
}

// --- What a state contains ---

bool is_there(const Cluster &c, const ClusterState &s, PeerPlace place)
{
    return s.parts[place] != 0 && place < c._seated + spent(c, s, joins);
}

bool is_host(const Cluster &c, const ClusterState &s, PeerPlace place)
{
    return s.parts[place] != 0 && glance(c, s, place).in_charge;
}

uint32_t group(const Cluster &c, const ClusterState &s, PeerPlace host)
{
    return glance(c, s, host).roster;
}

bool is_member(const Cluster &c, const ClusterState &s, PeerPlace place)
{
    if (!is_there(c, s, place)) return false;
    for (PeerPlace host = 0; host < c._places; ++host)
        if (is_host(c, s, host) && lists(glance(c, s, host), place)) return true;
    return false;
}

bool is_seat(const Cluster &c, PeerPlace place)
{
    return place < c._seated;
}

uint32_t seat_count(const Cluster &c)
{
    return c._seated;
}

uint32_t crashed(const Cluster &c, const ClusterState &s)
{
    return spent(c, s, crashes);
}

uint32_t suspected(const Cluster &c, const ClusterState &s)
{
    return spent(c, s, suspicions);
}

PeerPlace liar(const Cluster &c)
{
    if (c._scope.lies == 0) return no_peer_place;
    return static_cast<PeerPlace>((c._scope.liar == 0 ? c._seated : c._scope.liar) - 1);
}

// True if nothing under way from `from` can ever arrive at `to`, so that quiet() ignores it.
static bool is_for_nobody(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to)
{
    if (!is_deaf(c, s, to, from)) return false;
    if (s.parts[from] == 0 || has_closed(c, s, to, from)) return true;
    return glance(c, s, to).phase == Phase::outside && !lists(glance(c, s, from), to);
}

static bool pair_is_quiet(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to)
{
    if (can_notice(c, s, from, to)) return false;
    if (is_held(c, s, from, to)) return false;
    if (is_for_nobody(c, s, from, to)) return true;
    if (s.parts[stream_part(c, from, to)] != 0) return false;
    if (!has_bags(c)) return true;
    for (const ClusterList &one : items(c, s.parts[bag_part(c, from, to)]))
        if (!one.reported_lost) return false;
    return true;
}

bool quiet(const Cluster &c, const ClusterState &s)
{
    for (PeerPlace from = 0; from < c._places; ++from)
        for (PeerPlace to = 0; to < c._places; ++to)
            if (from != to && !pair_is_quiet(c, s, from, to)) return false;
    return true;
}

const Violation &violation(const Cluster &c, uint32_t number)
{
    return peer_steps::violation(c._steps, number);
}

void watch(Cluster &c)
{
    c._watched = true;
}

std::span<const ClusterStep> last_steps(const Cluster &c)
{
    return c._last_steps;
}

uint32_t part_count(const Cluster &c)
{
    return c._part_count;
}

uint32_t place_count(const Cluster &c)
{
    return c._places;
}

uint32_t block(const ClusterState &s, PeerPlace place)
{
    return s.parts[place];
}

uint32_t stream(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to)
{
    return s.parts[stream_part(c, from, to)];
}

uint32_t bag(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to)
{
    return has_bags(c) ? s.parts[bag_part(c, from, to)] : 0;
}

ClusterList list(const Cluster &c, uint32_t number)
{
    return c._lists[number];
}

bool is_star(const Cluster &c)
{
    return c._scope.star;
}

bool remembers(const Cluster &c)
{
    return c._scope.memory;
}

const PeerSteps &steps(const Cluster &c)
{
    return c._steps;
}

uint64_t digest(const Cluster &c, const ClusterState &s)
{
    uint64_t digest = hash::start;
    const uint32_t list_parts = c._places + pair_count(c) * (has_bags(c) ? 2 : 1);
    for (uint32_t part = 0; part < c._part_count; ++part) {
        if (part < c._places) {
            const uint32_t number = s.parts[part];
            const Key128 key = number == 0 ? Key128{} : peer_steps::block_key(c._steps, number);
            digest = hash::add(hash::add(digest, key.low), key.high);
        } else if (part < list_parts) {
            for (const ClusterList &one : items(c, s.parts[part])) {
                digest = hash::add(digest, peer_steps::message_key(c._steps, one.message).low);
                digest = hash::add(digest, marks(one));
            }
            digest = hash::add(digest, uint64_t{part});
        } else {
            digest = hash::add(digest, uint64_t{s.parts[part]});
        }
    }
    return digest;
}

}
