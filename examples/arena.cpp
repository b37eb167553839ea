// A client-server game: the server owns all fighters, moves them and decides every hit. Clients
// send their inputs by unreliable calls, and predict their own fighter so that it obeys at once.
// One client cheats, in vain. The network is simulated: 40 to 60 ms one way and 5 % of loss.
//
//     example_arena
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tern/calls.hpp>
#include <tern/prediction.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <vector>
using namespace tern;

struct Fighter {
    PeerId player;
    float position[2];
    int8_t health;
    uint16_t wins;
    uint32_t last_input; // The number of the player's last input that the server has applied.
};
TERN_FIELDS(Fighter, player, field(position, range(-10, 10), step(0.01)),
            field(health, range(0, 100)), wins, last_input);
constexpr size_t repeats = 8;
struct Inputs { // The newest inputs of a client; each is sent eight times, in case calls are lost.
    uint32_t newest; // The number of inputs[repeats - 1]; those before it count down.
    int8_t right[repeats], up[repeats];
    bool strike[repeats];
};
TERN_FIELDS(Inputs, newest, field(right, range(-1, 1)), field(up, range(-1, 1)), strike);
struct Knockout {
    PeerId winner, loser;
};
TERN_FIELDS(Knockout, winner, loser);
const Type types[] = {
    make_type<Fighter>("fighter",
                       {.objects_max = 32, .claim = ClaimPolicy::never, .predicted = true}),
    make_type<Inputs>("inputs", {.calls_per_second_max = 70}),
    make_type<Knockout>("knockout", {.callers = Callers::host}),
};

constexpr uint64_t tick_us = 16'667;
constexpr float stride = 0.1f, reach = 1.5f; // Metres; a stride takes a tick.
constexpr int client_count = 3, tick_count = 1800;
constexpr const char *names[] = {"nobody", "the server", "Ada", "Ben", "the cheat"};

struct Input {
    int8_t right, up;
    bool strike;
};

// The rule of movement, which the server and the prediction of the clients share.
static void move(float *position, const Input &input)
{
    position[0] = std::clamp(position[0] + stride * static_cast<float>(input.right), -10.f, 10.f);
    position[1] = std::clamp(position[1] + stride * static_cast<float>(input.up), -10.f, 10.f);
}

static float distance(const float *a, const float *b)
{
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}

// --- The server ---

struct Server {
    Session *session;
    Socket *socket;
    std::map<PeerId, int> ticks_of; // Inputs that each client may still use.
    int knockouts, surplus;
};

static Object<Fighter> find_fighter(const Session *session, PeerId player)
{
    for (const Object<Fighter> id : object_ids<Fighter>(session))
        if (get(session, id).player == player) return id;
    return {};
}

static void place(Fighter &fighter, int number)
{
    fighter.position[0] = static_cast<float>(number * 7 % 17) - 8;
    fighter.position[1] = static_cast<float>(number * 5 % 13) - 6;
    fighter.health = 100;
}

static void strike(Server &server, Fighter &fighter)
{
    for (const Object<Fighter> id : object_ids<Fighter>(server.session)) {
        Fighter other = get(server.session, id);
        const bool hits =
            other.player != fighter.player && distance(other.position, fighter.position) < reach;
        if (!hits) continue;
        other.health = static_cast<int8_t>(other.health - 1);
        if (other.health <= 0) {
            fighter.wins += 1;
            place(other, ++server.knockouts);
            call(server.session, PeerId::everyone, Knockout{fighter.player, other.player});
        }
        set(server.session, id, other);
    }
}

// Applies the inputs that are new. A client gets one for each tick of the server, so nobody runs
// faster than the others, whatever a client sends.
static void apply(Server &server, const Inputs &inputs, PeerId by)
{
    const Object<Fighter> id = find_fighter(server.session, by);
    if (!id) return;
    Fighter fighter = get(server.session, id);
    for (uint32_t i = 0; i < repeats; ++i) {
        const uint32_t number = inputs.newest - static_cast<uint32_t>(repeats - 1) + i;
        if (static_cast<int32_t>(number - fighter.last_input) <= 0) continue; // We had this one.
        int &ticks = server.ticks_of[by];
        if (ticks == 0) {
            server.surplus += 1;
            break;
        }
        ticks -= 1;
        fighter.last_input = number;
        const Input input = {inputs.right[i], inputs.up[i], inputs.strike[i]};
        move(fighter.position, input);
        if (input.strike) strike(server, fighter);
    }
    set(server.session, id, fighter);
}

static void tick_server(Server &server, uint64_t now_us)
{
    for (auto &[client, ticks] : server.ticks_of)
        ticks = ticks < 12 ? ticks + 1 : ticks; // Late calls may catch up a fifth of a second.
    for (const Event &event : receive(server.session, server.socket->receive(), now_us)) {
        if (event.kind == EventKind::peer_left) {
            const Object<Fighter> id = find_fighter(server.session, event.peer);
            if (id) destroy(server.session, id);
        }
        if (const Inputs *inputs = find_arguments<Inputs>(server.session, event))
            apply(server, *inputs, event.call.peer);
    }
    for (const PeerId peer : other_peers(server.session)) {
        if (find_fighter(server.session, peer)) continue;
        Fighter fighter = {};
        fighter.player = peer;
        place(fighter, static_cast<int>(peer));
        create(server.session, fighter); // If there is no room, the next tick tries again.
    }
    server.socket->send(send(server.session, now_us));
}

// --- The clients ---

constexpr size_t remembered = 64;
struct Client {
    Session *session;
    Socket *socket;
    uint32_t newest;
    Input inputs[remembered];       // The place is the number.
    float predicted[remembered][2]; // The position of our fighter after each input.
    int knockouts, corrections, strides_ahead;
};

// Starts at the state of the server and repeats the inputs that it has not applied yet. If the
// server disagrees with what we predicted for the same input, that is a correction.
static void predict(Client &client, const Fighter &fighter)
{
    const float *before = client.predicted[fighter.last_input % remembered];
    if (client.newest - fighter.last_input >= remembered) return; // Too late to repeat them.
    if (fighter.last_input > 0 && distance(before, fighter.position) > 0.02f)
        client.corrections += 1;
    float position[] = {fighter.position[0], fighter.position[1]};
    for (uint32_t n = fighter.last_input; n <= client.newest; ++n) {
        if (n > fighter.last_input) move(position, client.inputs[n % remembered]);
        client.predicted[n % remembered][0] = position[0];
        client.predicted[n % remembered][1] = position[1];
    }
    client.strides_ahead = static_cast<int>(client.newest - fighter.last_input);
}

// Runs to the nearest other fighter, as it is shown: a tenth of a second in the past.
static Input choose(const Client &client, const float *from, uint64_t now_us)
{
    float best[2] = {0, 0}, nearest = 100;
    for (const Object<Fighter> id : object_ids<Fighter>(client.session)) {
        Fighter other = {};
        if (!sample(client.session, id, now_us - 100'000, other)) continue;
        if (other.player == local_peer(client.session)) continue;
        if (distance(other.position, from) >= nearest) continue;
        nearest = distance(other.position, from);
        best[0] = other.position[0] - from[0];
        best[1] = other.position[1] - from[1];
    }
    const auto sign = [](float x) { return static_cast<int8_t>((x > 0.5f) - (x < -0.5f)); };
    return {sign(best[0]), sign(best[1]), nearest < reach};
}

static void send_inputs(Client &client)
{
    Inputs inputs = {};
    inputs.newest = client.newest;
    for (size_t i = 0; i < repeats; ++i) {
        const Input &input = client.inputs[(client.newest - (repeats - 1) + i) % remembered];
        inputs.right[i] = input.right;
        inputs.up[i] = input.up;
        inputs.strike[i] = input.strike;
    }
    // If the call is lost or not accepted, the next one repeats these inputs.
    call(client.session, host_peer(client.session), inputs, Reliability::unreliable);
}

static void play(Client &client, uint64_t now_us, bool cheats)
{
    const Object<Fighter> mine = find_fighter(client.session, local_peer(client.session));
    if (!mine || session_state(client.session) != State::open) return;
    predict(client, get(client.session, mine));
    const float *at = client.predicted[client.newest % remembered];
    const Input input = choose(client, at, now_us);
    for (int i = 0; i < (cheats ? 3 : 1); ++i) { // The cheat wants to run three times as fast.
        client.newest += 1;
        client.inputs[client.newest % remembered] = input;
    }
    predict(client, get(client.session, mine)); // With the new input: this position is drawn.
    send_inputs(client);
}

static void tick_client(Client &client, uint64_t now_us, bool cheats, bool is_playing)
{
    for (const Event &event : receive(client.session, client.socket->receive(), now_us))
        if (const Knockout *knockout = find_arguments<Knockout>(client.session, event)) {
            client.knockouts += 1;
            if (local_peer(client.session) == PeerId{2})
                std::printf("%4.1f s: %s knocks out %s\n", static_cast<double>(now_us) / 1e6,
                            peer_name(client.session, knockout->winner),
                            peer_name(client.session, knockout->loser));
        }
    if (is_playing) play(client, now_us, cheats);
    client.socket->send(send(client.session, now_us));
}

// Whether the clients predicted well and saw the same end, and only the server decided.
static bool is_fair(const Server &server, const std::vector<Client> &clients)
{
    bool fair = server.knockouts >= 3 && server.surplus > tick_count / 2;
    for (const Client &client : clients) {
        const int number = static_cast<int>(local_peer(client.session));
        std::printf("%s saw %d knockouts, was %d ticks ahead of the server's answer, and was "
                    "corrected %d times\n",
                    names[number], client.knockouts, client.strides_ahead, client.corrections);
        const bool cheats = number == client_count + 1;
        fair = fair && client.knockouts == server.knockouts && client.strides_ahead > 4 &&
               (cheats || client.corrections <= server.knockouts);
        for (const Object<Fighter> id : object_ids<Fighter>(server.session)) {
            const Fighter &real = get(server.session, id), &seen = get(client.session, id);
            fair = fair && !may_set(client.session, id) && seen.wins == real.wins &&
                   distance(seen.position, real.position) == 0;
        }
    }
    std::printf("the server ignored %d calls with too many inputs\n", server.surplus);
    return fair;
}

int main()
{
    SimNetwork *network = make_sim_network({.seed = 2, .impairment = {40, 60, 0.05f, 0}});
    const Config config = {.types = types, .topology = Topology::star};
    const Address address = loopback(7777);
    Server server = {make_session(config), make_sim_socket(network, address), {}, 0, 0};
    if (!server.session || !server.socket) return 1;
    start(server.session);
    std::vector<Client> clients(client_count);
    uint64_t now_us = 0;
    const auto run = [&](int ticks, bool is_playing) {
        for (int i = 0; i < ticks; ++i) {
            advance(network, now_us += tick_us);
            tick_server(server, now_us);
            for (Client &client : clients)
                if (client.session)
                    tick_client(client, now_us, &client == &clients.back(), is_playing);
        }
    };
    for (size_t i = 0; i < clients.size(); ++i) {
        clients[i].session = make_session(config);
        clients[i].socket = make_sim_socket(network, loopback(static_cast<uint16_t>(7778 + i)));
        if (!clients[i].session || !clients[i].socket) return 1;
        join(clients[i].session, make_invite(server.session, {&address, 1}));
        run(60, false); // One after the other, so that the ids are those of `names`.
    }
    run(tick_count, true);
    run(60, false); // All inputs and updates arrive.

    const bool well = is_fair(server, clients);
    std::printf("%s\n", well ? "The server has decided everything." : "The fight was not fair.");
    for (const Client &client : clients)
        destroy_session(client.session);
    destroy_session(server.session);
    destroy_sim_network(network);
    return well ? 0 : 1;
}
