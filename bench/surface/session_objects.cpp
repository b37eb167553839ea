#include "bench/surface/session_objects.h"
#include "tern/interest.hpp"
#include "tern/invites.hpp"
#include "tern/untyped.hpp"
#include <cstring>

using namespace tern;

namespace bench::surface {

void fill(SessionObjects &setup, bool is_predicted, uint32_t bytes_per_second_max,
          bool is_offloaded)
{
    setup.type = thing_type(*setup.objects.scene, is_predicted);
    setup.session = {{&setup.type, 1},
                     static_cast<uint16_t>(setup.objects.client_count),
                     bytes_per_second_max,
                     is_offloaded};
}

// Ids of peers ascend as they join: the host has the first.
static size_t client_index(PeerId client)
{
    return static_cast<size_t>(client) - 2;
}

// --- The host ---

ObjectHost make_object_host(const SessionObjects &setup, Socket *socket)
{
    const Scene &scene = *setup.objects.scene;
    ObjectHost made = {&setup, peer::make_host(setup.session, socket), {}, {}, 0};
    for (size_t i = 0; i < scene.object_count; ++i)
        made.ids.push_back(scene::is_alive(scene, 0, i)
                               ? create(made.peer.session, 0, scene::at(scene, 0, i))
                               : ObjectId::none);
    return made;
}

static void move_object(ObjectHost &host, size_t frame, size_t object)
{
    const Scene &scene = *host.setup->objects.scene;
    Session *session = host.peer.session;
    ObjectId &id = host.ids[object];
    if (!scene::is_alive(scene, frame, object)) {
        if (id != ObjectId::none) destroy(session, id);
        id = ObjectId::none;
    } else if (id == ObjectId::none) {
        // Without room (creations_left()) there is no object yet; its next change tries again.
        id = create(session, 0, scene::at(scene, frame, object));
    } else {
        set(session, Object<Thing>{id}, scene::at(scene, frame, object));
    }
}

static void choose_interest(ObjectHost &host, size_t frame)
{
    const ObjectSetup &setup = host.setup->objects;
    if (setup.far_m == 0) return;
    host.viewpoints.clear();
    for (const PeerId client : other_peers(host.peer.session)) {
        const size_t avatar = watch::avatar(setup, client_index(client));
        const Thing &eye = scene::at(*setup.scene, frame, avatar);
        host.viewpoints.push_back({client, {eye.position[0], eye.position[1], eye.position[2]}});
    }
    set_interest(host.peer.session, 0, 0, host.viewpoints, static_cast<float>(setup.near_m),
                 static_cast<float>(setup.far_m));
}

void exchange(ObjectHost &host, const Moment &moment)
{
    const Scene &scene = *host.setup->objects.scene;
    const size_t frame = scene::frame(scene, moment.changes);
    peer::receive(host.peer, moment.now_us, [](const Event &) {});
    if (moment.is_moving)
        for (const uint32_t object : scene::changed(scene, moment.changes))
            move_object(host, frame, object);
    choose_interest(host, frame);
    peer::send(host.peer, moment.now_us);
}

void check(ObjectHost &, const Moment &) {}

Report report(ObjectHost &host)
{
    Report made = {};
    const double bytes = peer::wire_bytes(host.peer);
    made.wire_bytes = bytes - host.wire_bytes_before;
    host.wire_bytes_before = bytes;
    return made;
}

// --- The clients ---

ObjectClients make_object_clients(const SessionObjects &setup, const Invite &invite,
                                  std::span<Socket *const> sockets)
{
    ObjectClients made = {&setup, {}, {}, {}, {}};
    made.watch.setup = &setup.objects;
    for (size_t i = 0; i < setup.objects.client_count; ++i) {
        made.peers.push_back(
            peer::make_client(setup.session, sockets.empty() ? nullptr : sockets[i]));
        join(made.peers.back().session, invite);
    }
    return made;
}

void exchange(ObjectClients &clients, const Moment &moment)
{
    for (Peer &peer : clients.peers) {
        peer::receive(peer, moment.now_us, [&](const Event &event) {
            const bool is_update = event.kind == EventKind::object_changed ||
                                   event.kind == EventKind::object_created ||
                                   event.kind == EventKind::object_destroyed;
            clients.watch.delivered += is_update && moment.is_moving ? 1 : 0;
        });
        peer::send(peer, moment.now_us);
    }
    clients.last = moment;
}

// Points `shown` at what a client shows: all that it has and that is not hidden from it.
static void find_shown(ObjectClients &clients, const Peer &peer)
{
    const ObjectSetup &setup = clients.setup->objects;
    clients.shown.assign(setup.scene->object_count, nullptr);
    const std::span<const ObjectId> ids = object_ids(peer.session, 0);
    const std::span<const Thing> values = object_values<Thing>(peer.session, 0);
    for (size_t i = 0; i < ids.size(); ++i) {
        if (!exists(peer.session, ids[i])) continue;
        if (setup.far_m != 0 && is_hidden(peer.session, ids[i])) continue;
        if (values[i].number < clients.shown.size())
            clients.shown[values[i].number] = &values[i];
        else
            clients.watch.wrong = true;
    }
}

void check(ObjectClients &clients, const Moment &moment)
{
    watch::count_due(clients.watch, moment);
    if (!watch::is_due(clients.watch, moment)) return;
    for (const Peer &peer : clients.peers) {
        if (session_state(peer.session) != State::open) {
            clients.watch.wrong = true;
            continue;
        }
        find_shown(clients, peer);
        watch::look(clients.watch, moment, client_index(local_peer(peer.session)), clients.shown);
    }
}

bool are_equal(ObjectClients &clients)
{
    for (const Peer &peer : clients.peers) {
        if (session_state(peer.session) != State::open) return false;
        find_shown(clients, peer);
        if (clients.setup->objects.far_m == 0 &&
            !watch::is_equal(clients.setup->objects, clients.last, clients.shown))
            return false;
    }
    return true;
}

Report report(ObjectClients &clients)
{
    Report made = watch::close(clients.watch);
    made.is_ready = !clients.last.is_moving && are_equal(clients);
    return made;
}

// --- The processes ---

static void run_host(const void *setup, Channel &channel)
{
    const auto &with = *static_cast<const SessionObjects *>(setup);
    ObjectHost host = make_object_host(with);
    Contact contact = {};
    std::memcpy(contact.invite, to_text(peer::invite(host.peer)).text, sizeof contact.invite);
    channel::announce(channel, contact);
    serve(channel, host, with.objects.scene->period_us, true);
}

static void run_clients(const void *setup, Channel &channel, const Contact &contact)
{
    const auto &with = *static_cast<const SessionObjects *>(setup);
    ObjectClients clients = make_object_clients(with, parse_invite(contact.invite).invite);
    serve(channel, clients, with.objects.scene->period_us, false);
}

Programs session_objects(const SessionObjects &setup)
{
    return {run_host, run_clients, &setup, setup.objects.scene->period_us};
}

}
