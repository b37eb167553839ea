// Lists the moves that are possible in a state of a cluster.
#include "sim/explorer/cluster_parts.h"
#include "sim/explorer/forgery.h"
#include <algorithm>

namespace tern::cluster {

using namespace cluster_parts;

static void acts(const Cluster &c, const ClusterState &s, PeerPlace place, std::vector<Move> &moves)
{
    const Glance &glance = peer_steps::glance(c._steps, s.parts[place]);
    if (glance.phase != Phase::in) return;
    if (spent(c, s, creates) < c._scope.creates) moves.push_back({MoveKind::create, place, 0, 0});
    if (spent(c, s, waits) < c._scope.waits) moves.push_back({MoveKind::wait, place, 0, 0});
    for (const Believed &object : peer_steps::beliefs(c._steps, s.parts[place])) {
        if (!object.alive) continue;
        const auto code = static_cast<uint16_t>(object_code::of(object.object));
        const bool own = object.owner == static_cast<PeerId>(place + 1);
        // A second claim of the same object does nothing. With one object in all, an open claim is
        // a claim of that object.
        if (!own && spent(c, s, claims) < c._scope.claims &&
            (glance.claims == 0 || c._scope.creates > 1))
            moves.push_back({MoveKind::claim, place, 0, code});
        if (own && spent(c, s, destroys) < c._scope.destroys)
            moves.push_back({MoveKind::destroy, place, 0, code});
        if (own && spent(c, s, updates) < c._scope.updates)
            moves.push_back({MoveKind::set, place, 0, code});
        if (own && spent(c, s, locks) < c._scope.locks)
            moves.push_back({MoveKind::lock, place, 0, code});
        if (own && spent(c, s, releases) < c._scope.releases)
            moves.push_back({MoveKind::release, place, 0, code});
    }
}

// An object is hidden by the peer that sends its updates: the owner, or the host of a star.
static void hiding(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to,
                   std::vector<Move> &moves)
{
    if (spent(c, s, hides) >= c._scope.hides || s.parts[from] == 0) return;
    const Glance &there = glance(c, s, from);
    if (there.phase != Phase::in || (there.roster >> to & 1) == 0) return;
    for (const Believed &object : peer_steps::beliefs(c._steps, s.parts[from])) {
        const bool own = object.owner == static_cast<PeerId>(from + 1);
        const bool tells = c._scope.star ? there.in_charge : own;
        if (!object.alive || !tells || object.owner == static_cast<PeerId>(to + 1)) continue;
        const auto code = static_cast<uint16_t>(object_code::of(object.object));
        moves.push_back({MoveKind::hide, from, to, code});
    }
}

static void membership(const Cluster &c, const ClusterState &s, std::vector<Move> &moves)
{
    const auto newcomer = static_cast<PeerPlace>(c._seated + spent(c, s, joins));
    for (PeerPlace place = 0; place < c._places; ++place) {
        if (is_there(c, s, place) && spent(c, s, crashes) < c._scope.crashes)
            moves.push_back({MoveKind::crash, place, 0, 0});
        if (newcomer < c._places && is_host(c, s, place))
            moves.push_back({MoveKind::join, newcomer, place, 0});
    }
    for (PeerPlace by = 0; by < c._places; ++by)
        for (PeerPlace who = 0; who < c._places; ++who) {
            if (!minds(c, s, by, who)) continue;
            if (can_notice(c, s, who, by))
                moves.push_back({MoveKind::notice, who, by, 0});
            else if (!has_closed(c, s, who, by) && spent(c, s, suspicions) < c._scope.suspicions)
                moves.push_back({MoveKind::suspect, who, by, 0});
        }
}

static bool waits(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to)
{
    if (!is_aside(c, s, from, to)) return false;
    const uint32_t head = c._lists[s.parts[stream_part(c, from, to)]].message;
    const auto kind = static_cast<MessageKind>(peer_steps::message(c._steps, head)[0]);
    return kind == MessageKind::create || kind == MessageKind::migrate ||
           kind == MessageKind::destroy || kind == MessageKind::dead;
}

static void network(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to,
                    std::vector<Move> &moves)
{
    if (is_deaf(c, s, to, from)) return;
    if (s.parts[stream_part(c, from, to)] != 0 && !waits(c, s, from, to))
        moves.push_back({MoveKind::deliver, from, to, 0});
    if (!has_bags(c)) return;
    uint16_t i = 0;
    for (uint32_t bag = s.parts[bag_part(c, from, to)]; bag != 0; bag = c._lists[bag].rest) {
        moves.push_back({MoveKind::update, from, to, i});
        if (!c._lists[bag].reported_lost && spent(c, s, losses) < c._scope.losses)
            moves.push_back({MoveKind::lose, from, to, i});
        i += 1;
    }
}

static void holding(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to,
                    std::vector<Move> &moves)
{
    if (!has_holds(c) || s.parts[from] == 0) return;
    if (is_held(c, s, from, to)) return moves.push_back({MoveKind::pull, from, to, 0});
    if (s.parts[to] == 0 || spent(c, s, holds) >= c._scope.holds) return;
    if ((glance(c, s, from).roster >> to & 1) == 0) return;
    moves.push_back({MoveKind::hold, from, to, 0});
}

// Forged messages that `from` could send to `to`.
static void forging(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to,
                    std::vector<Move> &moves)
{
    if (spent(c, s, forges) >= c._scope.forges || s.parts[from] == 0 || s.parts[to] == 0) return;
    const Glance &there = glance(c, s, from);
    if (there.leader == from || there.phase != Phase::in || (there.roster >> to & 1) == 0) return;
    if (is_aside(c, s, from, to)) return; // The message would never be read.
    if (c._scope.star && glance(c, s, to).leader == from)
        return; // `to` takes `from` for its host, which may send these messages.
    for (const Believed &object : peer_steps::beliefs(c._steps, s.parts[from])) {
        if (!object.alive || object.owner == static_cast<PeerId>(from + 1)) continue;
        const auto code = static_cast<uint16_t>(object_code::of(object.object));
        moves.push_back({MoveKind::forge_migrate, from, to, code});
        moves.push_back({MoveKind::forge_destroy, from, to, code});
    }
    for (PeerPlace author = 0; author < c._places; ++author) {
        if (author == from || is_deaf(c, s, from, author)) continue;
        const ClusterList &head = c._lists[s.parts[stream_part(c, author, from)]];
        if (head.message == 0 || head.forged) continue;
        const auto message = peer_steps::message(c._steps, head.message);
        if (forgery::is_forged_by_others(message))
            moves.push_back({MoveKind::replay, from, to, author});
    }
}

void moves(const Cluster &c, const ClusterState &s, std::vector<Move> &moves)
{
    moves.clear();
    for (PeerPlace place = 0; place < c._places; ++place)
        if (is_there(c, s, place)) acts(c, s, place, moves);
    membership(c, s, moves);
    for (PeerPlace to = 0; to < c._places; ++to)
        if (to != liar(c)) lying(c, s, to, moves);
    for (PeerPlace from = 0; from < c._places; ++from)
        for (PeerPlace to = 0; to < c._places; ++to)
            if (from != to) {
                network(c, s, from, to, moves);
                holding(c, s, from, to, moves);
                hiding(c, s, from, to, moves);
                forging(c, s, from, to, moves);
            }
    const bool all_stay = c._scope.crashes == 0 && c._scope.suspicions == 0;
    if (c._scope.symmetry && all_stay && c._scope.lies == 0 && s.key == c._first)
        std::erase_if(moves,
                      [](const Move &move) { return move.a > 1 && move.kind != MoveKind::join; });
}

bool can(const Cluster &c, const ClusterState &s, const Move &move)
{
    std::vector<Move> all;
    moves(c, s, all);
    return std::any_of(all.begin(), all.end(), [&](const Move &one) {
        return one.kind == move.kind && one.a == move.a && one.b == move.b &&
               one.number == move.number && one.lie == move.lie;
    });
}

}
