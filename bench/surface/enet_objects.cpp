#ifdef TERN_HAVE_ENET
#include "bench/surface/enet_objects.h"
#include "bench/surface/enet_link.h"
#include <algorithm>
#include <cmath>

namespace bench::surface {

namespace {

constexpr size_t record_bytes = 2 + 8 + 4; // Number, position in 60 bits, rotation in 29.
constexpr size_t packet_bytes_max = 1200;
constexpr uint8_t kind_states = 0, kind_removed = 1, kind_hello = 2; // First byte of a packet.

struct EnetObjectHost {
    const EnetObjects *setup;
    EnetServer server;
    std::vector<std::vector<uint8_t>> dirty; // [client][object]: changed since it was last sent.
    std::vector<uint8_t> packet;
};

struct Remote {
    EnetClient client;
    size_t index; // As the host counts clients.
    bool is_welcome;
    std::vector<Thing> things; // [number]
    std::vector<uint8_t> known;
};

struct EnetObjectClients {
    const EnetObjects *setup;
    std::vector<Remote> remotes;
    Watch watch;
    std::vector<const Thing *> shown;
    Moment last;
};

// --- The sixty lines: the host ---

void put(std::vector<uint8_t> &packet, uint64_t value, size_t size_bytes)
{
    const auto *bytes = reinterpret_cast<const uint8_t *>(&value); // Little-endian machines.
    packet.insert(packet.end(), bytes, bytes + size_bytes);
}

void put_state(std::vector<uint8_t> &packet, const Thing &thing)
{
    uint64_t position = 0, rotation = 0;
    for (const float x : thing.position)
        position = position << 20 |
                   static_cast<uint64_t>(std::lround((double{x} + reach_m) / position_step_m));
    size_t largest = 0;
    for (size_t i = 1; i < 4; ++i)
        if (std::fabs(thing.rotation[i]) > std::fabs(thing.rotation[largest])) largest = i;
    for (size_t i = 0; i < 4; ++i)
        if (i != largest)
            rotation = rotation << 9 | static_cast<uint64_t>(
                                           std::lround((thing.rotation[largest] < 0 ? -1 : 1) *
                                                       double{thing.rotation[i]} / rotation_step) +
                                           255);
    put(packet, thing.number, 2);
    put(packet, position, 8);
    put(packet, rotation << 2 | largest, 4);
}

// In each tick, or every second, fourth or eighth.
uint64_t rate(const ObjectSetup &setup, double squared)
{
    const double near = setup.near_m * setup.near_m;
    return squared < near ? 1 : squared < 4 * near ? 2 : squared < 16 * near ? 4 : 8;
}

void flush(std::vector<uint8_t> &packet, ENetPeer *to)
{
    if (packet.size() > 1) enet_link::send(to, packet.data(), packet.size(), 0);
    packet.assign(1, kind_states);
}

void send_states(EnetObjectHost &host, size_t client, size_t frame, uint64_t tick)
{
    const ObjectSetup &setup = host.setup->objects;
    std::vector<uint8_t> &dirty = host.dirty[client];
    const Thing &eye = scene::at(*setup.scene, frame, watch::avatar(setup, client));
    host.packet.assign(1, kind_states);
    for (size_t i = 0; i < dirty.size(); ++i) {
        if (!dirty[i]) continue;
        const Thing &thing = scene::at(*setup.scene, frame, i);
        const double squared = host.setup->is_rated ? scene::distance_squared(eye, thing) : 0;
        if (setup.far_m != 0 && squared > setup.far_m * setup.far_m) continue;
        if (host.setup->is_rated && (tick + i) % rate(setup, squared) != 0) continue;
        put_state(host.packet, thing);
        dirty[i] = 0;
        if (host.packet.size() + record_bytes > packet_bytes_max)
            flush(host.packet, host.server.peers[client]);
    }
    flush(host.packet, host.server.peers[client]);
}

void send_removed(EnetObjectHost &host, size_t frame, const std::vector<uint32_t> &changed)
{
    const Scene &scene = *host.setup->objects.scene;
    host.packet.assign(1, kind_removed);
    for (const uint32_t object : changed) {
        const bool lives = scene::is_alive(scene, frame, object);
        for (std::vector<uint8_t> &dirty : host.dirty)
            dirty[object] = lives ? 1 : 0;
        if (!lives) put(host.packet, object, 2);
    }
    if (host.packet.size() == 1) return;
    for (ENetPeer *peer : host.server.peers)
        enet_link::send(peer, host.packet.data(), host.packet.size(), ENET_PACKET_FLAG_RELIABLE);
}

// A newcomer is sent everything, and which client it is.
void welcome(EnetObjectHost &host, size_t frame)
{
    const Scene &scene = *host.setup->objects.scene;
    while (host.dirty.size() < host.server.peers.size()) {
        const uint8_t hello[] = {kind_hello, static_cast<uint8_t>(host.dirty.size())};
        enet_link::send(host.server.peers[host.dirty.size()], hello, sizeof hello,
                        ENET_PACKET_FLAG_RELIABLE);
        host.dirty.emplace_back(scene.object_count);
        for (size_t i = 0; i < scene.object_count; ++i)
            host.dirty.back()[i] = scene::is_alive(scene, frame, i) ? 1 : 0;
    }
}

void exchange(EnetObjectHost &host, const Moment &moment)
{
    const Scene &scene = *host.setup->objects.scene;
    const size_t frame = scene::frame(scene, moment.changes);
    enet_link::receive(host.server, [](ENetPeer *, const void *, size_t) {});
    welcome(host, frame);
    if (moment.is_moving) send_removed(host, frame, scene::changed(scene, moment.changes));
    for (size_t client = 0; client < host.server.peers.size(); ++client)
        send_states(host, client, frame, moment.tick);
    enet_host_flush(host.server.host);
}

// --- The sixty lines: a client ---

uint64_t take(const uint8_t *&at, size_t size_bytes)
{
    uint64_t value = 0;
    std::memcpy(&value, at, size_bytes);
    at += size_bytes;
    return value;
}

Thing take_state(const uint8_t *&at)
{
    Thing thing = {};
    thing.number = static_cast<uint32_t>(take(at, 2));
    uint64_t position = take(at, 8), rotation = take(at, 4);
    for (size_t i = 3; i-- > 0; position >>= 20)
        thing.position[i] =
            static_cast<float>(static_cast<double>(position & 0xfffff) * position_step_m - reach_m);
    const size_t largest = rotation & 3;
    rotation >>= 2;
    double rest = 1;
    for (size_t i = 4; i-- > 0;) {
        if (i == largest) continue;
        const double part = (static_cast<double>(rotation & 0x1ff) - 255) * rotation_step;
        thing.rotation[i] = static_cast<float>(part);
        rest -= part * part;
        rotation >>= 9;
    }
    thing.rotation[largest] = static_cast<float>(std::sqrt(std::max(rest, 0.0)));
    return thing;
}

// Returns the number of changes.
uint64_t receive_packet(Remote &remote, const uint8_t *at, size_t size_bytes)
{
    const uint8_t *const end = at + size_bytes, kind = *at++;
    uint64_t count = 0;
    if (kind == kind_hello) {
        remote.index = *at;
        remote.is_welcome = true;
        return 0;
    }
    const ptrdiff_t item_bytes = kind == kind_states ? record_bytes : 2;
    for (; end - at >= item_bytes; ++count) {
        if (kind == kind_removed) {
            remote.known[take(at, 2) % remote.known.size()] = 0;
            continue;
        }
        const Thing thing = take_state(at);
        remote.things[thing.number % remote.things.size()] = thing;
        remote.known[thing.number % remote.things.size()] = 1;
    }
    return count;
}

void exchange(EnetObjectClients &clients, const Moment &moment)
{
    for (Remote &remote : clients.remotes) {
        uint64_t count = 0;
        enet_link::receive(remote.client, [&](const void *bytes, size_t size_bytes) {
            count += receive_packet(remote, static_cast<const uint8_t *>(bytes), size_bytes);
        });
        if (moment.is_moving) clients.watch.delivered += count;
        enet_host_flush(remote.client.host);
    }
    clients.last = moment;
}

// --- Around them ---

void check(EnetObjectHost &, const Moment &) {}

Report report(EnetObjectHost &host)
{
    Report made = {};
    made.wire_bytes = enet_link::wire_bytes(host.server.host);
    return made;
}

void find_shown(EnetObjectClients &clients, const Remote &remote)
{
    clients.shown.assign(remote.things.size(), nullptr);
    for (size_t i = 0; i < remote.things.size(); ++i)
        if (remote.known[i]) clients.shown[i] = &remote.things[i];
}

void check(EnetObjectClients &clients, const Moment &moment)
{
    watch::count_due(clients.watch, moment);
    if (!watch::is_due(clients.watch, moment)) return;
    for (const Remote &remote : clients.remotes) {
        find_shown(clients, remote);
        watch::look(clients.watch, moment, remote.index, clients.shown);
    }
}

Report report(EnetObjectClients &clients)
{
    Report made = watch::close(clients.watch);
    made.is_ready = !clients.last.is_moving;
    for (const Remote &remote : clients.remotes) {
        find_shown(clients, remote);
        const bool is_whole = clients.setup->objects.far_m != 0 ||
                              watch::is_equal(clients.setup->objects, clients.last, clients.shown);
        made.is_ready = made.is_ready && remote.is_welcome && is_whole;
    }
    return made;
}

void run_host(const void *setup, Channel &channel)
{
    const auto &with = *static_cast<const EnetObjects *>(setup);
    EnetObjectHost host = {&with, enet_link::make_server(with.objects.client_count), {}, {}};
    Contact contact = {};
    contact.port = host.server.host->address.port;
    channel::announce(channel, contact);
    serve(channel, host, with.objects.scene->period_us, true);
}

void run_clients(const void *setup, Channel &channel, const Contact &contact)
{
    const auto &with = *static_cast<const EnetObjects *>(setup);
    const size_t objects = with.objects.scene->object_count;
    EnetObjectClients clients = {&with, {}, {}, {}, {}};
    clients.watch.setup = &with.objects;
    for (uint32_t i = 0; i < with.objects.client_count; ++i)
        clients.remotes.push_back({enet_link::make_client(contact.port), 0, false,
                                   std::vector<Thing>(objects), std::vector<uint8_t>(objects)});
    serve(channel, clients, with.objects.scene->period_us, false);
}

}

Programs enet_objects(const EnetObjects &setup)
{
    return {run_host, run_clients, &setup, setup.objects.scene->period_us};
}

}
#endif
