// A lobby of four: the host checks the password, players get ready, the match begins, a fourth one
// joins late, and the process of the host dies. The next host takes over without any code for it,
// because all that the lobby knows is in objects. The network is simulated.
//
//     example_lobby
#include <cstdio>
#include <cstring>
#include <tern/calls.hpp>
#include <tern/diagnostics.hpp>
#include <tern/host.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <vector>
using namespace tern;

enum class Phase : uint8_t { gathering, playing };
struct Lobby { // One object, which the host owns: also the next host, after this one.
    Phase phase;
    uint16_t seconds; // Since the match began.
};
TERN_FIELDS(Lobby, phase, seconds);
struct Seat { // One for each player, which owns it.
    bool ready;
    uint16_t score;
};
TERN_FIELDS(Seat, ready, score);
const Type types[] = {
    make_type<Lobby>("lobby", {.objects_max = 1, .claim = ClaimPolicy::never}),
    make_type<Seat>("seat",
                    {.objects_max = 8, .orphan = Orphan::destroy, .claim = ClaimPolicy::never}),
};

constexpr uint64_t tick_us = 16'667;
constexpr char password[] = "swordfish";

struct Player {
    const char *name;
    Session *session;
    Socket *socket;
    Object<Seat> seat;
    uint64_t next_second_us;
};

struct World {
    SimNetwork *network;
    std::vector<Player> players; // A player whose process has ended is not here.
    uint64_t now_us;
    uint16_t next_port;
};

static bool is_open(const Player &player)
{
    return session_state(player.session) == State::open;
}

static bool is_host(const Player &player)
{
    return is_open(player) && host_peer(player.session) == local_peer(player.session);
}

// The lobby as this player sees it; null: it is not here yet.
static const Lobby *find_lobby(const Player &player)
{
    const auto lobbies = object_values<Lobby>(player.session);
    return lobbies.empty() ? nullptr : &lobbies[0];
}

// --- The game of each player ---

// On the host: who knows the password may come in.
static void decide(const Player &player, const Newcomer &newcomer)
{
    const bool knows = newcomer.payload_bytes == sizeof password &&
                       std::memcmp(newcomer.payload, password, sizeof password) == 0;
    if (knows)
        admit(player.session, newcomer.peer);
    else
        refuse(player.session, newcomer.peer, "The password is wrong.");
}

static void hear(const Player &player, const Event &event)
{
    if (event.kind == EventKind::join_asked) decide(player, event.newcomer);
    if (event.kind == EventKind::peer_joined && is_host(player))
        std::printf("%s welcomes %s\n", player.name, event.newcomer.name);
    if (event.kind == EventKind::peer_left)
        std::printf("%s misses %s\n", player.name, peer_name(player.session, event.peer));
    if (event.kind == EventKind::host_changed && is_host(player))
        std::printf("%s is the host now\n", player.name);
}

// On the host: begins the match when three are ready, and counts its seconds.
static void lead(const Player &player, bool second_is_over)
{
    Session *session = player.session;
    if (object_ids<Lobby>(session).empty()) create(session, Lobby{});
    if (object_ids<Lobby>(session).empty()) return;
    const Object<Lobby> id = object_ids<Lobby>(session)[0];
    if (!may_set(session, id)) return; // The departure of the last host is not settled yet.
    Lobby lobby = get(session, id);
    size_t ready = 0;
    for (const Seat &seat : object_values<Seat>(session))
        ready += seat.ready;
    if (lobby.phase == Phase::gathering && ready >= 3) {
        lobby.phase = Phase::playing;
        std::printf("the match begins with %zu players\n", ready);
    }
    if (lobby.phase == Phase::playing && second_is_over) lobby.seconds += 1;
    set(session, id, lobby);
}

// Takes a seat, gets ready, and scores a point in each second of the match.
static void play(Player &player, uint64_t now_us)
{
    if (!is_open(player)) return;
    const bool second_is_over = now_us >= player.next_second_us;
    if (second_is_over) player.next_second_us = now_us + 1'000'000;
    if (!player.seat) player.seat = create(player.session, Seat{true, 0});
    const Lobby *lobby = find_lobby(player);
    if (player.seat && lobby && lobby->phase == Phase::playing && second_is_over) {
        Seat seat = get(player.session, player.seat);
        seat.score += 1;
        set(player.session, player.seat, seat);
    }
    if (is_host(player)) lead(player, second_is_over);
}

// --- The processes ---

static void run(World &world, double seconds)
{
    const uint64_t end_us = world.now_us + static_cast<uint64_t>(seconds * 1e6);
    while (world.now_us < end_us) {
        advance(world.network, world.now_us += tick_us);
        for (Player &player : world.players) {
            for (const Event &event :
                 receive(player.session, player.socket->receive(), world.now_us))
                hear(player, event);
            play(player, world.now_us);
            player.socket->send(send(player.session, world.now_us));
        }
    }
}

// Starts the process of a player that has an invite; without one it opens the lobby.
static bool enter(World &world, const char *name, const Invite *invite, const char *word)
{
    Player player = {};
    player.name = name;
    player.session = make_session({.types = types,
                                   .peers_max = 4,
                                   .admission = Admission::ask_game,
                                   .name = name,
                                   .timeout_ms = 1000});
    player.socket = make_sim_socket(world.network, loopback(world.next_port++));
    if (!player.session || !player.socket) return false;
    const auto payload = std::as_bytes(std::span(word, std::strlen(word) + 1));
    if (invite)
        join(player.session, *invite, payload);
    else
        start(player.session);
    world.players.push_back(player);
    run(world, 2);
    const bool came_in = is_open(world.players.back());
    if (!came_in) std::printf("%s stays out: %s\n", name, state_text(player.session));
    return came_in;
}

static Invite invite_of(const Player &player)
{
    const Address address = loopback(player.socket->local_address().port);
    return make_invite(player.session, {&address, 1});
}

// Ends the process of a player without a goodbye.
static void kill(World &world, size_t index)
{
    destroy_session(world.players[index].session);
    destroy_socket(world.players[index].socket);
    world.players.erase(world.players.begin() + static_cast<ptrdiff_t>(index));
}

static bool has_state(const Player &player, size_t seats, uint16_t seconds_min)
{
    const Lobby *lobby = find_lobby(player);
    return lobby && lobby->phase == Phase::playing && lobby->seconds >= seconds_min &&
           object_ids<Seat>(player.session).size() == seats;
}

// Whether everything went as the comment at the top promises.
static bool play_evening(World &world)
{
    bool well = enter(world, "Ada", nullptr, "");
    const Invite by_ada = invite_of(world.players[0]);
    well = enter(world, "Ben", &by_ada, password) && well;
    well = !enter(world, "Mallory", &by_ada, "open sesame") && well;
    kill(world, 2);
    well = enter(world, "Cai", &by_ada, password) && well;
    run(world, 3);
    // The late one finds the match as it is.
    well = enter(world, "Dan", &by_ada, password) && well;
    well = has_state(world.players[3], 4, 3) && well;
    well = !enter(world, "Eve", &by_ada, password) && well; // Four are in.
    kill(world, 4);

    const uint16_t seconds = find_lobby(world.players[0])->seconds;
    std::printf("the process of Ada dies %d seconds after the match began\n", seconds);
    kill(world, 0);
    run(world, 3);
    well = is_host(world.players[0]) && has_state(world.players[0], 3, seconds) && well;
    const Invite by_ben = invite_of(world.players[0]);
    well = enter(world, "Eve", &by_ben, password) && well; // Ada's place is free.
    run(world, 2);
    return well;
}

int main()
{
    World world = {make_sim_network({.seed = 11, .impairment = {.loss = 0.02f}}), {}, 0, 7777};
    const bool went_well = play_evening(world);
    bool agree = true;
    for (const Player &player : world.players) {
        agree = agree && has_state(player, 4, 8);
        std::printf("%s sees a match of %zu players\n", player.name,
                    object_ids<Seat>(player.session).size());
    }
    while (!world.players.empty())
        kill(world, 0);
    destroy_sim_network(world.network);
    const bool well = went_well && agree;
    std::printf("%s\n", well ? "The match outlived its host." : "The evening went wrong.");
    return well ? 0 : 1;
}
