#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::oracle_roster {

using names::text;

namespace {

Violation wrong(const Node &node, uint16_t index, PeerId peer, const char *what)
{
    return oracles::violation("I20", ObjectId::none, index, "at peer %s, peer %s: %s",
                              text(node.self).c_str(), text(peer).c_str(), what);
}

bool knows(const Mirror &mirror, PeerId peer)
{
    return std::binary_search(mirror.peers.begin(), mirror.peers.end(), peer);
}

void join(Mirror &mirror, PeerId peer, uint64_t now_us)
{
    mirror.peers.insert(std::lower_bound(mirror.peers.begin(), mirror.peers.end(), peer), peer);
    mirror.since_us[peer] = now_us;
}

void change_host(Mirror &mirror, PeerId host, uint64_t now_us)
{
    mirror.host = host;
    if (host == PeerId::none) return;
    mirror.last_host = host;
    mirror.host_is_early = true; // Until the session names it.
    mirror.host_us = now_us;
}

Violation take(Mirror &mirror, const Node &node, uint16_t index, const Event &event)
{
    switch (event.kind) {
    case EventKind::peer_joined:
        if (knows(mirror, event.newcomer.peer))
            return wrong(node, index, event.newcomer.peer, "it joined again");
        join(mirror, event.newcomer.peer, node.ticked_us);
        return {};
    case EventKind::peer_left:
        if (!knows(mirror, event.peer))
            return wrong(node, index, event.peer, "it left, and never joined or had left");
        mirror.peers.erase(std::lower_bound(mirror.peers.begin(), mirror.peers.end(), event.peer));
        return {};
    case EventKind::host_lost:
        if (event.peer != mirror.host)
            return wrong(node, index, event.peer, "host_lost names another peer than the host");
        change_host(mirror, PeerId::none, node.ticked_us);
        return {};
    case EventKind::host_changed:
        if (event.host.previous != mirror.last_host)
            return wrong(node, index, event.host.previous,
                         "host_changed names another former host");
        if (event.host.peer == mirror.host)
            return wrong(node, index, event.host.peer, "host_changed names the present host");
        change_host(mirror, event.host.peer, node.ticked_us);
        return {};
    default: return {};
    }
}

// The first roster: the session of a newcomer has it without events.
Violation begin(Mirror &mirror, const Node &node, uint16_t index)
{
    const bool caught_up =
        std::any_of(node.events.begin(), node.events.end(),
                    [](const Event &event) { return event.kind == EventKind::caught_up; });
    if (!caught_up && host_peer(node.session) != node.self)
        return wrong(node, index, node.self, "it is in the session without caught_up");
    mirror.has_caught_up = true;
    for (const PeerId peer : other_peers(node.session))
        join(mirror, peer, node.ticked_us);
    const PeerId host = host_peer(node.session);
    change_host(mirror, host, node.ticked_us);
    mirror.last_host = inspect::replica(node.session).announced_host;
    return {};
}

// Whether the host has a member of which its game learns later.
bool has_not_caught_up(const Node &node, PeerId peer)
{
    const Replica &r = inspect::replica(node.session);
    const MemberSlot slot = replica::find_member(r, peer);
    return host_peer(node.session) == node.self && slot != no_member && !r.members[slot].caught_up;
}

Violation compare(Mirror &mirror, const Node &node, uint16_t index)
{
    size_t known = 0;
    for (const PeerId peer : other_peers(node.session)) {
        if (knows(mirror, peer))
            known += 1;
        else if (!has_not_caught_up(node, peer))
            return wrong(node, index, peer, "it is a member without peer_joined");
    }
    if (known != mirror.peers.size())
        for (const PeerId peer : mirror.peers)
            if (!replica::is_member(inspect::replica(node.session), peer))
                return wrong(node, index, peer, "it is no member any more, without peer_left");
    const PeerId host = host_peer(node.session);
    if (host == mirror.host) {
        mirror.host_is_early = false;
        return {};
    }
    if (host == PeerId::none)
        return mirror.host_is_early
                   ? Violation{}
                   : wrong(node, index, mirror.host, "it is host no more, without host_lost");
    return wrong(node, index, host, "it is host, without host_changed");
}

}

Violation check(Mirror &mirror, const Node &node, uint16_t index)
{
    const State state = session_state(node.session);
    if (!inspect::is_in(node.session) && state != State::leaving) return {};
    if (!mirror.has_caught_up) {
        Violation violation = begin(mirror, node, index);
        return violation ? violation : compare(mirror, node, index);
    }
    for (const Event &event : node.events) {
        Violation violation = take(mirror, node, index, event);
        if (violation) return violation;
    }
    return compare(mirror, node, index);
}

}
