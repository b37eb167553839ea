#include "sim/explorer/cluster_history.h"
#include "tern/limits.hpp"
#include <algorithm>

namespace tern::cluster_history {

// An UPDATE has no MessageKind, because it is not sent on the stream. The picture names only its
// first object.
static Described described_update(const PeerSteps &steps, PeerId sender,
                                  std::span<const std::byte> message)
{
    UpdateReader r = publish::reader(*steps._types, sender, message);
    Update update = {};
    std::byte values[struct_bytes_max];
    publish::next(r, update, values);
    return {MessageKind::none, update.stamp, 1, {update.object}};
}

static Described described(const PeerSteps &steps, bool update, PeerPlace from,
                           std::span<const std::byte> message)
{
    const auto sender = static_cast<PeerId>(from + 1);
    return update ? described_update(steps, sender, message) : replica::describe(sender, message);
}

// --- Moments ---

static Moment moment(const ClusterHistory &h, MomentKind kind, PeerPlace lane)
{
    Moment moment = {};
    moment.time_us = 1000 * h.move;
    moment.kind = kind;
    moment.lane = lane;
    return moment;
}

static std::deque<ClusterHistory::Flight> &flights(ClusterHistory &h, const Cluster &c,
                                                   bool updates, PeerPlace from, PeerPlace to)
{
    auto &all = updates ? h.bags : h.streams;
    return all[from * cluster::place_count(c) + to];
}

static Moment spoken(const ClusterHistory &h, MomentKind kind, const Described &about,
                     PeerPlace lane, PeerPlace other)
{
    Moment spoken = moment(h, kind, lane);
    spoken.message = about.kind;
    spoken.other = other;
    spoken.object = about.object_count > 0 ? about.objects[0] : ObjectId::none;
    spoken.stamp = about.stamp;
    return spoken;
}

static void add_said(ClusterHistory &h, const Cluster &c, const ClusterStep &step)
{
    const PeerSteps &steps = cluster::steps(c);
    for (const Said &said : peer_steps::said(steps, step.step)) {
        const std::span<const std::byte> bytes = peer_steps::message(steps, said.message);
        const Described about = described(steps, said.updates, step.place, bytes);
        Moment one = spoken(h, MomentKind::said, about, step.place, said.to);
        h.link += 1;
        one.link = h.link;
        h.history.moments.push_back(one);
        flights(h, c, said.updates, step.place, said.to).push_back({h.link, said.message});
    }
}

static void add_heard(ClusterHistory &h, const Cluster &c, const ClusterStep &step)
{
    const bool updates = step.input.kind == InputKind::updates;
    const bool heard = updates || step.input.kind == InputKind::receive ||
                       step.input.kind == InputKind::welcome ||
                       step.input.kind == InputKind::forged;
    if (!heard) return;
    const PeerPlace from = step.input.other;
    const std::span<const std::byte> bytes =
        peer_steps::message(cluster::steps(c), step.input.number);
    const Described about = described(cluster::steps(c), updates, from, bytes);
    Moment one = spoken(h, MomentKind::heard, about, step.place, from);
    auto &flying = flights(h, c, updates, from, step.place);
    const auto flight = std::find_if(flying.begin(), flying.end(), [&](const auto &candidate) {
        return candidate.message == step.input.number;
    });
    if (flight == flying.end()) return;
    one.link = flight->link;
    flying.erase(flight);
    one.ignored = step.before == step.step.block;
    h.history.moments.push_back(one);
}

static void add_object(ClusterHistory &h, const ClusterStep &step, const Believed &object)
{
    Moment one = moment(h, MomentKind::object, step.place);
    one.object = object.object;
    one.alive = object.alive;
    one.dead = object.dead && !object.alive;
    one.owner = object.owner;
    one.stamp = object.stamp;
    h.history.moments.push_back(one);
}

static void add_beliefs(ClusterHistory &h, const Cluster &c, const ClusterStep &step)
{
    const PeerSteps &steps = cluster::steps(c);
    for (const Believed &now : peer_steps::beliefs(steps, step.step.block)) {
        const Believed *was = peer_steps::belief(steps, step.before, now.object);
        const bool same = was && was->alive == now.alive && was->dead == now.dead &&
                          was->stamp == now.stamp && was->owner == now.owner;
        if (!same) add_object(h, step, now);
    }
    for (const Believed &was : peer_steps::beliefs(steps, step.before))
        if (!peer_steps::belief(steps, step.step.block, was.object))
            add_object(h, step, {was.object, 0, PeerId::none, false, false, false, 0, {}, {}});
}

// A peer that becomes the host, or whose session ends.
static void add_standing(ClusterHistory &h, const Cluster &c, const ClusterStep &step)
{
    if (step.before == 0) return;
    const Glance &was = peer_steps::glance(cluster::steps(c), step.before);
    const Glance &is = peer_steps::glance(cluster::steps(c), step.step.block);
    if (is.ended && !was.ended) {
        Moment one = moment(h, MomentKind::left, step.place);
        one.label = is.phase == Phase::in ? "ends: too few are left" : "starts over";
        h.history.moments.push_back(one);
    } else if (is.in_charge && !was.in_charge) {
        Moment one = moment(h, MomentKind::act, step.place);
        one.label = "is the host";
        h.history.moments.push_back(one);
    }
}

// --- Moves ---

// The link of an UPDATE in this bag that its sender counts as lost. 0: none is known.
static uint64_t link_of_lost(ClusterHistory &h, const Cluster &c, const ClusterState &after,
                             const Move &move)
{
    uint32_t bag = cluster::bag(c, after, move.a, move.b);
    for (; bag != 0; bag = cluster::list(c, bag).rest) {
        if (!cluster::list(c, bag).reported_lost) continue;
        for (const ClusterHistory::Flight &flight : flights(h, c, true, move.a, move.b))
            if (flight.message == cluster::list(c, bag).message) return flight.link;
    }
    return 0;
}

static void add_move(ClusterHistory &h, const Cluster &c, const ClusterState &after,
                     const Move &move, const std::string &label)
{
    Moment one = moment(h, MomentKind::act, move.a);
    one.label = label;
    switch (move.kind) {
    case MoveKind::deliver:
    case MoveKind::update: return;
    case MoveKind::crash: one.kind = MomentKind::crashed; break;
    case MoveKind::lose:
        one.kind = MomentKind::lost;
        one.other = move.b;
        one.link = link_of_lost(h, c, after, move);
        break;
    case MoveKind::join:
        one.kind = MomentKind::started;
        one.label = "peer " + std::to_string(move.a + 1);
        one.owner = static_cast<PeerId>(move.a + 1);
        break;
    case MoveKind::suspect:
        one.lane = move.b;
        one.label = "takes " + std::to_string(move.a + 1) + " for gone";
        break;
    case MoveKind::notice:
        one.lane = move.b;
        one.label = "sees " + std::to_string(move.a + 1) + " gone";
        break;
    case MoveKind::oust:
        one.lane = move.b;
        one.label = "removes " + std::to_string(move.a + 1);
        break;
    default: break;
    }
    h.history.moments.push_back(one);
}

// Forging a message is not a step of its sender, so add_said() does not see it. It is the last
// message of the stream.
static void add_forged(ClusterHistory &h, const Cluster &c, const ClusterState &after,
                       const Move &move)
{
    uint32_t number = cluster::stream(c, after, move.a, move.b);
    while (cluster::list(c, number).rest != 0)
        number = cluster::list(c, number).rest;
    const uint32_t message = cluster::list(c, number).message;
    const Described about = described(cluster::steps(c), false, move.a,
                                      peer_steps::message(cluster::steps(c), message));
    Moment one = spoken(h, MomentKind::said, about, move.a, move.b);
    h.link += 1;
    one.link = h.link;
    h.history.moments.push_back(one);
    flights(h, c, false, move.a, move.b).push_back({h.link, message});
}

// Forgets messages that a crash or a fence has discarded: they will not arrive.
static void forget_cut(ClusterHistory &h, const Cluster &c, const ClusterState &after)
{
    const auto places = static_cast<PeerPlace>(cluster::place_count(c));
    for (PeerPlace from = 0; from < places; ++from)
        for (PeerPlace to = 0; to < places; ++to) {
            if (from == to) continue;
            if (cluster::stream(c, after, from, to) == 0) flights(h, c, false, from, to).clear();
            if (cluster::bag(c, after, from, to) == 0) flights(h, c, true, from, to).clear();
        }
}

ClusterHistory begin(const Cluster &c, const ClusterState &s, const std::string &title)
{
    ClusterHistory h;
    const uint32_t places = cluster::place_count(c);
    h.history.title = title;
    h.history.steps = true;
    h.streams.resize(size_t{places} * places);
    h.bags.resize(size_t{places} * places);
    for (PeerPlace place = 0; place < places; ++place) {
        const std::string name = "peer " + std::to_string(place + 1);
        h.history.lanes.push_back(place == 0 ? name + " host" : name);
        h.history.peers.push_back(cluster::is_there(c, s, place) ? static_cast<PeerId>(place + 1)
                                                                 : PeerId::none);
    }
    return h;
}

void add(ClusterHistory &h, const Cluster &c, const ClusterState &after, const Move &move,
         const std::string &label)
{
    h.move += 1;
    add_move(h, c, after, move, label);
    const bool forged = move.kind == MoveKind::forge_migrate ||
                        move.kind == MoveKind::forge_destroy || move.kind == MoveKind::replay ||
                        move.kind == MoveKind::lie || move.kind == MoveKind::repeat;
    if (forged) add_forged(h, c, after, move);
    if (move.kind == MoveKind::withhold) flights(h, c, false, move.a, move.b).pop_front();
    for (const ClusterStep &step : cluster::last_steps(c)) {
        add_heard(h, c, step);
        add_beliefs(h, c, step);
        add_standing(h, c, step);
        add_said(h, c, step);
    }
    forget_cut(h, c, after);
}

void add(ClusterHistory &h, const Violation &violation)
{
    Moment one = moment(h, MomentKind::violation, static_cast<PeerPlace>(violation.lane));
    one.object = violation.object;
    one.label = violation.invariant + ": " + violation.text;
    h.history.moments.push_back(one);
}

}
