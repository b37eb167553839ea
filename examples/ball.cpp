// Three players kick a ball, which belongs to whoever touched it last. The owner computes its
// flight, so a kick takes effect at once for the player who kicks. The network is simulated: 20 to
// 80 ms of delay and 5 % of loss.
//
//     example_ball
#include <cmath>
#include <cstdio>
#include <tern/diagnostics.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
using namespace tern;

struct Ball {
    float position[2]; // Metres.
    float speed[2];    // Metres per second.
    uint16_t kicks;
};
TERN_FIELDS(Ball, field(position, range(-20, 20), step(0.01)),
            field(speed, range(-20, 20), step(0.01)), kicks);
struct Player {
    float position[2];
};
TERN_FIELDS(Player, field(position, range(-20, 20), step(0.01)));
const Type types[] = {
    make_type<Ball>("ball", {.objects_max = 1}), // ClaimPolicy::always: the first claim wins.
    make_type<Player>("player",
                      {.objects_max = 8, .orphan = Orphan::destroy, .claim = ClaimPolicy::never}),
};

constexpr uint64_t tick_us = 16'667;
constexpr float tick_seconds = 1.0f / 60, reach = 1, field_size = 10;
constexpr int peer_count = 3, tick_count = 1800;                 // 30 seconds.
constexpr const char *names[] = {"nobody", "Ada", "Ben", "Cai"}; // PeerId is the index.

struct Peer {
    Session *session;
    Socket *socket;
    Object<Player> player;
    int granted, refused; // Claims.
};

static const char *name_of(PeerId peer)
{
    return names[static_cast<int>(peer)];
}

static float distance(const float *a, const float *b)
{
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}

// The players start around the ball, equally far from it.
static Player start_of(PeerId peer)
{
    const float angle = 2.1f * static_cast<float>(peer);
    return {{6 * std::cos(angle), 6 * std::sin(angle)}};
}

// Runs towards the ball at five metres a second.
static Player run(Player player, const float *ball)
{
    const float left = distance(player.position, ball);
    for (int i = 0; i < 2 && left > reach / 2; ++i)
        player.position[i] += 5 * tick_seconds * (ball[i] - player.position[i]) / left;
    return player;
}

// Kicks the ball towards a corner, each player at another one.
static Ball kicked(Ball ball, PeerId by)
{
    const float angle = 2.1f * static_cast<float>(by) + 2.4f * static_cast<float>(ball.kicks);
    ball.speed[0] = 9 * std::cos(angle);
    ball.speed[1] = 9 * std::sin(angle);
    ball.kicks += 1;
    return ball;
}

// Moves the ball by a tick: the grass slows it, and the walls reflect it.
static Ball rolled(Ball ball)
{
    for (int i = 0; i < 2; ++i) {
        ball.position[i] += ball.speed[i] * tick_seconds;
        ball.speed[i] *= 0.985f;
        if (ball.position[i] > field_size) ball.speed[i] = -std::abs(ball.speed[i]);
        if (ball.position[i] < -field_size) ball.speed[i] = std::abs(ball.speed[i]);
    }
    return ball;
}

static void play(Peer &peer)
{
    Session *session = peer.session;
    if (session_state(session) != State::open || object_ids<Ball>(session).empty()) return;
    if (!peer.player) peer.player = create(session, start_of(local_peer(session)));
    if (!peer.player) return; // This peer has no room for objects yet; it tries again.
    const Object<Ball> ball = object_ids<Ball>(session)[0];
    const Player player = run(get(session, peer.player), get(session, ball).position);
    set(session, peer.player, player);

    const Ball &now = get(session, ball);
    const bool touches = distance(player.position, now.position) < reach;
    const bool is_slow = std::hypot(now.speed[0], now.speed[1]) < 3;
    // An optimistic claim lets us kick without waiting for the host. If the host refuses it,
    // because another player was faster, the kick is undone.
    if (touches && is_slow && !may_set(session, ball)) claim(session, ball, ClaimMode::optimistic);
    if (!may_set(session, ball)) return;
    set(session, ball, rolled(touches && is_slow ? kicked(now, local_peer(session)) : now));
}

static void report(Peer &peer, const Event &event, uint64_t now_us)
{
    const double seconds = static_cast<double>(now_us) / 1e6;
    if (event.kind == EventKind::claim_granted) {
        peer.granted += 1;
        std::printf("%4.1f s: the ball is %s's\n", seconds, name_of(local_peer(peer.session)));
    }
    if (event.kind == EventKind::claim_refused) {
        peer.refused += 1;
        std::printf("%4.1f s: %s is too late: %s\n", seconds, name_of(local_peer(peer.session)),
                    to_text(event.claim.refusal));
    }
}

static void tick(SimNetwork *network, Peer *peers, uint64_t now_us, bool is_playing)
{
    advance(network, now_us);
    for (int i = 0; i < peer_count; ++i) {
        Peer &peer = peers[i];
        for (const Event &event : receive(peer.session, peer.socket->receive(), now_us))
            report(peer, event, now_us);
        if (is_playing) play(peer);
        peer.socket->send(send(peer.session, now_us));
    }
}

// Whether all see the same world, and each player has had the ball.
static bool is_well_played(const Peer *peers)
{
    bool well = true;
    for (int i = 0; i < peer_count; ++i) {
        const Session *session = peers[i].session;
        if (object_ids<Ball>(session).empty()) return false;
        const Object<Ball> ball = object_ids<Ball>(session)[0];
        std::printf("%s sees %s's ball after %d kicks; granted %d claims, refused %d\n",
                    names[i + 1], name_of(object_owner(session, ball)), get(session, ball).kicks,
                    peers[i].granted, peers[i].refused);
        well = well && peers[i].granted > 0 && get(session, ball).kicks > 10 &&
               world_digest(session) == world_digest(peers[0].session);
    }
    return well;
}

int main()
{
    SimNetwork *network = make_sim_network({.seed = 3, .impairment = {.loss = 0.05f}});
    Peer peers[peer_count] = {};
    for (int i = 0; i < peer_count; ++i) {
        const auto port = static_cast<uint16_t>(7777 + i);
        peers[i].session = make_session({.types = types, .name = names[i + 1]});
        peers[i].socket = make_sim_socket(network, loopback(port));
        if (!peers[i].session || !peers[i].socket) return 1;
    }
    start(peers[0].session);
    const Address address = loopback(7777);
    for (int i = 1; i < peer_count; ++i)
        join(peers[i].session, make_invite(peers[0].session, {&address, 1}));
    if (!create(peers[0].session, Ball{})) return 1;

    uint64_t now_us = 0;
    for (int i = 0; i < tick_count; ++i)
        tick(network, peers, now_us += tick_us, true);
    for (int i = 0; i < 120; ++i) // Nobody moves, and all worlds become equal.
        tick(network, peers, now_us += tick_us, false);

    const bool well = is_well_played(peers);
    std::printf("%s\n", well ? "All see the same ball." : "The players do not agree.");
    for (const Peer &peer : peers)
        destroy_session(peer.session);
    destroy_sim_network(network);
    return well ? 0 : 1;
}
