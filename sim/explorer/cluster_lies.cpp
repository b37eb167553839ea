// Lists what the liar of a cluster can do that no honest member would do.
#include "sim/explorer/cluster_parts.h"
#include "sim/explorer/forgery.h"

namespace tern::cluster_parts {

namespace {

using forgery::Query;

struct Liar {
    const Cluster &c;
    const ClusterState &s;
    PeerPlace self, to;
    std::vector<Move> &moves;
};

void add(const Liar &l, LieKind lie, uint16_t number = 0)
{
    l.moves.push_back({MoveKind::lie, l.self, l.to, number, lie});
}

uint32_t head(const Liar &l, PeerPlace from, PeerPlace to)
{
    return l.c._lists[l.s.parts[stream_part(l.c, from, to)]].message;
}

// The QUERY that the liar reads next. False: it is another message.
bool next_query(const Cluster &c, const ClusterState &s, const Move &move, forgery::Query &query)
{
    const uint32_t message = c._lists[s.parts[stream_part(c, move.b, move.a)]].message;
    return message != 0 && forgery::read_query(peer_steps::message(c._steps, message), query);
}

// An answer to a QUERY counts only before the true one. The numbers are those of the list of what
// is open in docs/security.md, "A member".
void answers(const Liar &l)
{
    forgery::Query query = {};
    if (!next_query(l.c, l.s, {MoveKind::lie, l.self, l.to}, query)) return;
    add(l, LieKind::empty);
    const bool host_stays = glance(l.c, l.s, l.to).in_charge;
    for (PeerPlace about = 0; about < l.c._places; ++about) {
        if (about == l.self || about == l.to || !lists(glance(l.c, l.s, l.to), about)) continue;
        // Open: the next host removes whom a REPORT names (1).
        if (host_stays) add(l, LieKind::fences, about);
        add(l, LieKind::farewell, about);
    }
    // Open: the next host believes this (2).
    if (query.gone == PeerId::none || !host_stays) return;
    for (const Believed &object : peer_steps::beliefs(l.c._steps, l.s.parts[l.self]))
        if (object.alive && object.owner != query.gone)
            add(l, LieKind::takes, static_cast<uint16_t>(object_code::of(object.object)));
}

void about_objects(const Liar &l)
{
    for (const Believed &object : peer_steps::beliefs(l.c._steps, l.s.parts[l.self])) {
        if (!object.alive) continue;
        const bool own = object.owner == static_cast<PeerId>(l.self + 1);
        add(l, own ? LieKind::destroys : LieKind::buries,
            static_cast<uint16_t>(object_code::of(object.object)));
    }
    add(l, LieKind::creates, 0); // Where its first object lives, if it has made one.
    add(l, LieKind::creates, 1);
}

void about_peers(const Liar &l)
{
    for (PeerPlace about = 0; about < l.c._places; ++about) {
        if (about == l.self || about == l.to || !lists(glance(l.c, l.s, l.self), about)) continue;
        add(l, LieKind::queries, about);
        if (glance(l.c, l.s, l.to).leader == l.to) add(l, LieKind::accuses, about);
    }
}

void about_its_messages(const Liar &l)
{
    for (PeerPlace other = 0; other < l.c._places; ++other)
        if (other != l.self && head(l, l.self, other) != 0)
            l.moves.push_back({MoveKind::repeat, l.self, l.to, other});
    if (head(l, l.self, l.to) != 0 && !is_deaf(l.c, l.s, l.to, l.self))
        l.moves.push_back({MoveKind::withhold, l.self, l.to, 0});
    if (head(l, l.to, l.self) != 0 && !is_deaf(l.c, l.s, l.self, l.to))
        l.moves.push_back({MoveKind::mute, l.self, l.to, 0});
}

}

// A liar that leads is a hostile host, which may do more.
void lying(const Cluster &c, const ClusterState &s, PeerPlace to, std::vector<Move> &moves)
{
    const PeerPlace self = cluster::liar(c);
    if (self == no_peer_place || s.parts[self] == 0 || s.parts[to] == 0) return;
    const Glance &here = glance(c, s, self), &there = glance(c, s, to);
    if (!lists(there, self) || there.leader == self || here.leader == self) return;
    if (there.leader == to && there.phase == Phase::in && spent(c, s, lies) > 0)
        moves.push_back({MoveKind::oust, self, to, 0});
    if (spent(c, s, lies) >= c._scope.lies || here.phase != Phase::in || !lists(here, to)) return;
    const Liar liar = {c, s, self, to, moves};
    about_peers(liar);
    if (is_aside(c, s, self, to)) return; // The rest would never be read.
    answers(liar);
    about_objects(liar);
    about_its_messages(liar);
}

Lie lie_of(const Cluster &c, const ClusterState &s, const Move &move)
{
    forgery::Query query = {};
    next_query(c, s, move, query);
    Lie lie = {move.lie, 0, ObjectId::none, move.number, query.token, query.gone};
    const bool about_object =
        lie.kind == LieKind::takes || lie.kind == LieKind::buries || lie.kind == LieKind::destroys;
    if (about_object)
        lie.object = object_code::id(move.number);
    else
        lie.about = static_cast<PeerPlace>(move.number);
    return lie;
}

}
