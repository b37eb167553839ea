// Interest management in a big world: 2,500 animals roam over 500 x 500 m, and a player who walks
// across it gets those around it at the full rate, farther ones less often, and those out of sight
// not at all. The same world is played twice, without interest management and with it, over a
// simulated network.
//
//     example_big_world
#include <cmath>
#include <cstdio>
#include <tern/diagnostics.hpp>
#include <tern/interest.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <vector>
using namespace tern;

struct Animal {
    float position[2]; // Metres.
    uint8_t kind;
};
TERN_FIELDS(Animal, field(position, range(0, 500), step(0.01)), kind);
constexpr uint16_t position_field = 0; // The index of the field in TERN_FIELDS.
struct Walker {
    float position[2];
};
TERN_FIELDS(Walker, field(position, range(0, 500), step(0.01)));
const Type types[] = {
    make_type<Animal>("animal", {.objects_max = 3000, .claim = ClaimPolicy::never}),
    make_type<Walker>("walker",
                      {.objects_max = 16, .orphan = Orphan::destroy, .claim = ClaimPolicy::never}),
};

constexpr uint64_t tick_us = 50'000; // 20 Hz.
constexpr int across = 50, walk_ticks = 400;
constexpr float spacing = 10, near_distance = 40, far_distance = 120;

struct World {
    SimNetwork *network;
    Session *server, *client;
    Socket *server_socket, *client_socket;
    std::vector<Object<Animal>> animals;
    Object<Walker> walker;
    uint64_t now_us;
    int tick, hidden_events, shown_events;
};

// Each animal walks in a circle of its own.
static Animal animal_at(size_t number, int tick)
{
    const float angle = 0.05f * static_cast<float>(tick) + static_cast<float>(number);
    const auto column = static_cast<float>(number % across);
    const auto row = static_cast<float>(number / across);
    return {{spacing * (column + 0.5f) + 3 * std::cos(angle),
             spacing * (row + 0.5f) + 3 * std::sin(angle)},
            static_cast<uint8_t>(number % 7)};
}

// Sends each client what its walker can see. The server does this a few times a second.
static void look(Session *server)
{
    std::vector<Viewpoint> viewpoints;
    for (const Object<Walker> walker : object_ids<Walker>(server)) {
        const Walker &at = get(server, walker);
        viewpoints.push_back({object_owner(server, walker), {at.position[0], at.position[1], 0}});
    }
    set_interest(server, find_type<Animal>(server), position_field, viewpoints, near_distance,
                 far_distance);
}

static void tick(World &world, bool is_managed)
{
    world.now_us += tick_us;
    world.tick += 1;
    advance(world.network, world.now_us);

    receive(world.server, world.server_socket->receive(), world.now_us);
    for (size_t i = 0; i < world.animals.size(); ++i)
        set(world.server, world.animals[i], animal_at(i, world.tick));
    if (is_managed && world.tick % 5 == 0) look(world.server);
    world.server_socket->send(send(world.server, world.now_us));

    for (const Event &event : receive(world.client, world.client_socket->receive(), world.now_us)) {
        world.hidden_events += event.kind == EventKind::object_hidden;
        world.shown_events += event.kind == EventKind::object_shown;
    }
    if (world.walker) { // The walker crosses the world from one corner to the other.
        const float way = static_cast<float>(world.tick % walk_ticks) / walk_ticks;
        set(world.client, world.walker, {{50 + 400 * way, 50 + 400 * way}});
    }
    world.client_socket->send(send(world.client, world.now_us));
}

// Starts server and client, with all animals. False: the client does not get in.
static bool begin(World &world)
{
    world.network = make_sim_network({.seed = 1, .impairment = {20, 40, 0.01f, 0}});
    const Config config = {
        .types = types, .topology = Topology::star, .send_bytes_per_second_max = 4'000'000};
    world.server = make_session(config);
    world.client = make_session(config);
    const Address address = loopback(7777);
    world.server_socket = make_sim_socket(world.network, address);
    world.client_socket = make_sim_socket(world.network, loopback(7778));
    if (!world.server || !world.client || !world.server_socket || !world.client_socket)
        return false;
    start(world.server);
    for (size_t i = 0; i < across * across; ++i) {
        world.animals.push_back(create(world.server, animal_at(i, 0)));
        if (!world.animals.back()) return false;
    }
    join(world.client, make_invite(world.server, {&address, 1}));
    while (session_state(world.client) == State::joining)
        tick(world, false);
    if (session_state(world.client) != State::open) return false;
    world.walker = create(world.client, Walker{{50, 50}});
    return bool{world.walker};
}

static void end(World &world)
{
    destroy_session(world.client);
    destroy_session(world.server);
    destroy_sim_network(world.network);
}

struct View { // The client's world, compared with the server's.
    size_t hidden, near;
    float near_error; // The largest one, in metres.
};

static View compare(const World &world)
{
    View view = {};
    const Walker &walker = get(world.client, world.walker);
    for (const Object<Animal> id : world.animals) {
        const Animal &real = get(world.server, id), &seen = get(world.client, id);
        const float distance = std::hypot(real.position[0] - walker.position[0],
                                          real.position[1] - walker.position[1]);
        const float error =
            std::hypot(real.position[0] - seen.position[0], real.position[1] - seen.position[1]);
        view.hidden += is_hidden(world.client, id);
        if (distance > near_distance - 5) continue;
        view.near += 1;
        view.near_error = std::fmax(view.near_error, error);
    }
    return view;
}

// Plays a walk through the world. Returns the kilobytes a second that the client has received.
static double walk(World &world, bool is_managed)
{
    while (world.tick % walk_ticks != 0)
        tick(world, is_managed);
    const uint64_t before = peer_stats(world.client, PeerId{1}).received_bytes;
    for (int i = 0; i < walk_ticks - 1; ++i)
        tick(world, is_managed);
    const uint64_t bytes = peer_stats(world.client, PeerId{1}).received_bytes - before;
    return static_cast<double>(bytes) / 1e3 / (walk_ticks * static_cast<double>(tick_us) / 1e6);
}

int main()
{
    double rates[2] = {};
    View views[2] = {};
    int hidden_events = 0, shown_events = 0;
    for (const bool is_managed : {false, true}) {
        World world = {};
        if (!begin(world)) return 1;
        rates[is_managed] = walk(world, is_managed);
        views[is_managed] = compare(world);
        hidden_events = world.hidden_events;
        shown_events = world.shown_events;
        std::printf("%s interest management: %.0f KB/s, %zu of %zu animals hidden, "
                    "%zu near ones are off by at most %.2f m\n",
                    is_managed ? "with" : "without", rates[is_managed], views[is_managed].hidden,
                    world.animals.size(), views[is_managed].near,
                    static_cast<double>(views[is_managed].near_error));
        end(world);
    }
    std::printf("on the way %d animals were hidden and %d shown again\n", hidden_events,
                shown_events);
    // Two ticks on the way at 3 m/s are 0.3 m.
    const bool well = rates[true] < rates[false] / 4 && views[true].hidden > 2000 &&
                      views[false].hidden == 0 && views[true].near > 20 &&
                      views[true].near_error < 0.5f && shown_events > 500;
    std::printf("%s\n", well ? "The player sees what is near for a fraction of the bytes."
                             : "The world is not as it should be.");
    return well ? 0 : 1;
}
