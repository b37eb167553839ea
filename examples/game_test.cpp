// Tests of one's own game, in the simulated network: with loss, with the death of the host, with
// players that come late. A test takes milliseconds, and its seed always gives the same run.
//
//     example_game_test
//
// The file has three parts. The game belongs into files of its own, which the real program uses
// too; the test bench serves any game; the tests check what the game promises.
#include <gtest/gtest.h>
#include <memory>
#include <tern/diagnostics.hpp>
#include <tern/handlers.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <vector>
using namespace tern;

// --- The game: players pick up coins. ---

namespace game {

struct Coin {
    bool taken; // The owner has picked the coin up.
    uint8_t worth;
};
TERN_FIELDS(Coin, taken, worth);
const Type types[] = {make_type<Coin>("coin", {.objects_max = 100})};

struct Game {
    bool is_greedy; // Reaches for every coin that it sees.
};

// A player has what it owns. A count beside that, in a purse, could count a coin twice: two players
// may pick up one coin within a moment, and the later grant wins.
uint32_t worth_of(const Session *session, PeerId player)
{
    uint32_t worth = 0;
    for (const Object<Coin> id : object_ids<Coin>(session)) {
        const Coin &coin = get(session, id);
        if (coin.taken && object_owner(session, id) == player) worth += coin.worth;
    }
    return worth;
}

// A tick of the game, between receive() and send().
void play(const Game &game, Session *session)
{
    if (session_state(session) != State::open || !game.is_greedy) return;
    for (const Object<Coin> id : object_ids<Coin>(session)) {
        Coin coin = get(session, id);
        if (coin.taken) continue;
        coin.taken = true;
        if (may_set(session, id))
            set(session, id, coin);
        else if (!is_claiming(session, id))
            claim(session, id);
    }
}

}

// --- The test bench: any number of peers over a bad network ---

namespace {

constexpr uint64_t tick_us = 16'667;

struct Peer {
    Session *session = nullptr;
    Socket *socket = nullptr;
    game::Game game = {};
};

// A wrong call of the game fails the test that runs.
void fail(void *, const Misuse &misuse)
{
    ADD_FAILURE() << misuse.function << "(): " << misuse.wrong << ' ' << misuse.remedy;
}

struct World {
    SimNetwork *network;
    std::vector<std::unique_ptr<Peer>> peers = {};
    uint64_t now_us = 0;
    uint16_t next_port = 7777;

    explicit World(uint64_t seed, float loss = 0.05f)
        : network(make_sim_network({.seed = seed, .impairment = {.loss = loss}}))
    {
    }
    World(const World &) = delete;
    ~World()
    {
        for (const auto &peer : peers)
            destroy_session(peer->session);
        destroy_sim_network(network);
    }
};

void tick(World &world)
{
    advance(world.network, world.now_us += tick_us);
    for (const auto &peer : world.peers) {
        receive(peer->session, peer->socket->receive(), world.now_us);
        game::play(peer->game, peer->session);
        peer->socket->send(send(peer->session, world.now_us));
    }
}

// Whether the condition came true within the time.
template <class Condition> bool run_until(World &world, double seconds, Condition holds)
{
    const uint64_t end_us = world.now_us + static_cast<uint64_t>(seconds * 1e6);
    while (!holds() && world.now_us < end_us)
        tick(world);
    return holds();
}

void run(World &world, double seconds)
{
    run_until(world, seconds, [] { return false; });
}

bool is_open(const Peer &peer)
{
    return session_state(peer.session) == State::open;
}

// The first peer starts the session, the others join it by the invite of the first one that is
// left.
Peer &enter(World &world)
{
    auto peer = std::make_unique<Peer>();
    const Address address = loopback(world.next_port++);
    peer->session =
        make_session({.types = game::types, .timeout_ms = 1000, .misuse = {fail, nullptr}});
    peer->socket = make_sim_socket(world.network, address);
    if (world.peers.empty()) {
        start(peer->session);
    } else {
        const Peer &member = *world.peers.front();
        const Address at = loopback(member.socket->local_address().port);
        join(peer->session, make_invite(member.session, {&at, 1}));
    }
    world.peers.push_back(std::move(peer));
    Peer &entered = *world.peers.back();
    EXPECT_TRUE(run_until(world, 10, [&] { return is_open(entered); }))
        << state_text(entered.session);
    return entered;
}

// The process of this peer ends, without a goodbye.
void crash(World &world, const Peer &peer)
{
    destroy_session(peer.session);
    destroy_socket(peer.socket);
    std::erase_if(world.peers, [&](const auto &one) { return one.get() == &peer; });
}

bool all_agree(const World &world)
{
    for (const auto &peer : world.peers)
        if (world_digest(peer->session) != world_digest(world.peers.front()->session)) return false;
    return true;
}

// All that the players have, as one of them sees it.
uint32_t worth_of_all(const World &world, const Peer &peer)
{
    uint32_t worth = 0;
    for (const auto &player : world.peers)
        worth += game::worth_of(peer.session, local_peer(player->session));
    return worth;
}

// Members share the room for objects, so a peer may have to wait for more of it.
void scatter_coins(World &world, Peer &peer, int count)
{
    int created = 0;
    EXPECT_TRUE(run_until(world, 10, [&] {
        while (created < count && create(peer.session, game::Coin{false, 10}))
            created += 1;
        return created == count;
    }));
}

}

// --- The tests ---

using Seeds = testing::TestWithParam<uint64_t>;
INSTANTIATE_TEST_SUITE_P(Coins, Seeds, testing::Range<uint64_t>(1, 11));

// However the network behaves, nobody's coin is lost and none is counted twice.
TEST_P(Seeds, EachCoinHasOneOwnerAndAllSeeThat)
{
    World world(GetParam(), 0.1f);
    for (int i = 0; i < 4; ++i)
        enter(world);
    scatter_coins(world, *world.peers[0], 40);
    for (const auto &peer : world.peers)
        peer->game.is_greedy = true;
    Peer &last = *world.peers[3];
    EXPECT_TRUE(run_until(world, 20, [&] { return worth_of_all(world, last) == 400; }));
    EXPECT_TRUE(run_until(world, 5, [&] { return all_agree(world); }));
    for (const auto &peer : world.peers)
        EXPECT_EQ(worth_of_all(world, *peer), 400u);
}

TEST(Coins, OnePlayerGetsACoinForWhichTwoReach)
{
    World world(1);
    Peer &ada = enter(world), &ben = enter(world), &cai = enter(world);
    scatter_coins(world, ada, 1);
    run(world, 1);
    ben.game.is_greedy = cai.game.is_greedy = true;
    run(world, 2);
    const uint32_t of_ben = game::worth_of(ada.session, local_peer(ben.session));
    const uint32_t of_cai = game::worth_of(ada.session, local_peer(cai.session));
    EXPECT_EQ(of_ben + of_cai, 10u);
    EXPECT_TRUE(of_ben == 0 || of_cai == 0);
    EXPECT_TRUE(all_agree(world));
}

TEST(Coins, ALatePlayerSeesTheSameWorld)
{
    World world(2, 0.1f);
    Peer &ada = enter(world);
    ada.game.is_greedy = true;
    scatter_coins(world, ada, 50);
    Peer &late = enter(world);
    EXPECT_TRUE(run_until(world, 5, [&] { return all_agree(world); }));
    EXPECT_EQ(game::worth_of(late.session, local_peer(ada.session)), 500u);
}

// Without any code of the game, the coins of the dead host go to the next one.
TEST(Coins, TheGameGoesOnWhenTheHostDies)
{
    World world(3);
    Peer &ada = enter(world), &ben = enter(world), &cai = enter(world);
    scatter_coins(world, ada, 10);
    run(world, 1);
    crash(world, ada);
    cai.game.is_greedy = true;
    EXPECT_TRUE(run_until(world, 5, [&] { return host_peer(cai.session) == PeerId{2}; }));
    EXPECT_TRUE(run_until(
        world, 5, [&] { return game::worth_of(ben.session, local_peer(cai.session)) == 100; }));
    EXPECT_TRUE(run_until(world, 5, [&] { return all_agree(world); }));
}

// A cut of the network looks like a crash at first, and heals.
TEST(Coins, AShortCutOnlyDelays)
{
    World world(4);
    Peer &ada = enter(world), &ben = enter(world);
    const Address ada_at = loopback(7777), ben_at = loopback(7778);
    for (const bool is_cut : {true, false}) {
        set_cut(world.network, ada_at, ben_at, is_cut);
        set_cut(world.network, ben_at, ada_at, is_cut);
        if (is_cut) scatter_coins(world, ada, 5);
        run(world, 0.5);
        EXPECT_EQ(object_ids<game::Coin>(ben.session).size(), is_cut ? 0u : 5u);
    }
    EXPECT_TRUE(run_until(world, 5, [&] { return all_agree(world); }));
}
