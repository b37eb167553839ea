// The games' calls that are answered, or that not every peer may make.
#include "sim/world/simulation.h"
#include "tern/calls.hpp"
#include "tern/untyped.hpp"
#include <algorithm>

namespace tern::simulation {

static constexpr uint32_t reply_ms = 1500;

static bool is_request(Ask ask)
{
    return ask == Ask::owner_request || ask == Ask::request || ask == Ask::host_request;
}

static PeerId addressee(const Simulation &sim, uint16_t place, const SimChoice &choice, Ask ask)
{
    switch (ask) {
    case Ask::owner_call:
    case Ask::owner_request: return PeerId::none;
    case Ask::host_call:
    case Ask::host_request: return PeerId::host;
    case Ask::by_owner:
    case Ask::by_host: return PeerId::everyone;
    case Ask::request:
    case Ask::limited: break;
    }
    const bool is_there = choice.b != place && sim.nodes[choice.b].session;
    const PeerId peer = is_there ? sim.nodes[choice.b].self : PeerId::none;
    return peer == sim.nodes[place].self ? PeerId::none : peer; // See make_call().
}

// Makes the call. False: it was not sent. `id` stays none for a call that has no id.
static bool say(const Node &node, Ask ask, const Numbered &n, CallId &id)
{
    Session *s = node.session;
    switch (ask) {
    case Ask::owner_call: id = call_owner(s, n.about, ANSWERED, n); break;
    case Ask::owner_request: id = request_owner(s, n.about, ANSWERED, n, reply_ms); break;
    case Ask::request: id = request(s, n.to, ANSWERED, n, reply_ms); break;
    case Ask::host_call: return call(s, PeerId::host, ANSWERED, n);
    case Ask::host_request:
        if (host_peer(s) == node.self) return false; // The host would answer itself at once.
        id = request(s, PeerId::host, ANSWERED, n, reply_ms);
        break;
    case Ask::by_owner: return call(s, n.to, BY_OWNER, n);
    case Ask::by_host: return call(s, n.to, BY_HOST, n);
    case Ask::limited: return call(s, n.to, LIMITED, n);
    }
    return id != CallId::none;
}

static bool may_say(const Node &node, Ask ask, const Numbered &n)
{
    if (ask == Ask::by_owner)
        return exists(node.session, n.about) && object_owner(node.session, n.about) == node.self;
    if (ask == Ask::owner_call || ask == Ask::owner_request) return n.about != ObjectId::none;
    if (ask == Ask::by_host) return host_peer(node.session) == node.self;
    return n.to != PeerId::none;
}

bool ask(Simulation &sim, uint16_t place, const SimChoice &choice)
{
    Node &node = sim.nodes[place];
    const auto what = static_cast<Ask>(static_cast<uint64_t>(choice.value) % ask_count);
    Numbered numbered = {};
    numbered.about = object(sim, choice.thing);
    numbered.from = node.self;
    numbered.to = addressee(sim, place, choice, what);
    numbered.reliable = true;
    numbered.ask = static_cast<uint8_t>(what);
    if (!may_say(node, what, numbered)) return false;
    const int times = what == Ask::limited ? 20 * limited_calls_per_second : 1;
    bool any = what == Ask::limited; // A try counts against the limit even if it is not sent.
    for (int i = 0; i < times; ++i) {
        numbered.sequence = sim.places[place].asks + 1;
        CallId id = CallId::none;
        if (!say(node, what, numbered, id)) break;
        sim.places[place].asks += 1;
        node.asks.push_back({PlayedAsk::What::said, what, ANSWERED, numbered, id, CallFailure::none,
                             PeerId::none, PeerId::none, false, PeerId::none});
        any = true;
    }
    return any;
}

// Whether a later event of the tick changes the host or the object's owner, or destroys the object.
static bool has_changed_after(const std::vector<Event> &events, size_t at, ObjectId object)
{
    return std::any_of(
        events.begin() + static_cast<ptrdiff_t>(at), events.end(), [object](const Event &event) {
            if (event.kind == EventKind::host_changed || event.kind == EventKind::host_lost)
                return true;
            return object_of(event) == object && (event.kind == EventKind::owner_changed ||
                                                  event.kind == EventKind::object_destroyed);
        });
}

void hear_asks(Node &node)
{
    node.asks.clear();
    for (size_t i = 0; i < node.events.size(); ++i) {
        const Event &event = node.events[i];
        if (event.kind < EventKind::call) continue;
        PlayedAsk played = {};
        played.type = event.call.type;
        played.id = event.call.id;
        played.failure = event.call.failure;
        played.peer = event.call.peer;
        if (event.kind == EventKind::call_failed) {
            played.what = PlayedAsk::What::failed;
            if (event.call.arguments) played.numbered = call_arguments<Numbered>(event);
            played.ask = static_cast<Ask>(played.numbered.ask % ask_count);
            node.asks.push_back(played);
        }
        if (event.kind == EventKind::call_failed || event.call.type == NUMBERED) continue;
        played.what =
            event.kind == EventKind::call ? PlayedAsk::What::heard : PlayedAsk::What::replied;
        played.numbered = call_arguments<Numbered>(event);
        played.ask = static_cast<Ask>(played.numbered.ask % ask_count);
        if (exists(node.session, played.numbered.about))
            played.owner = object_owner(node.session, played.numbered.about);
        played.host = host_peer(node.session);
        played.has_changed = has_changed_after(node.events, i, played.numbered.about);
        node.asks.push_back(played);
    }
}

// Replies at once, but never to one request in eight, so that some run out of time.
void answer_asks(Node &node)
{
    for (const PlayedAsk &asked : node.asks) {
        if (asked.what != PlayedAsk::What::heard || !is_request(asked.ask)) continue;
        if (asked.id == CallId::none || asked.numbered.sequence % 8 == 0) continue;
        reply(node.session, asked.numbered.from, asked.id, ANSWERED, &asked.numbered,
              sizeof asked.numbered);
    }
}

}
