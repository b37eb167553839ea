// A host moves a crowd of objects over paths with jitter, in virtual time: how many of the changes
// a receiver sees, how old they are, and what that costs, for plain and for predicted types.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <tern/diagnostics.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>
#include <vector>

using namespace tern;

namespace {

struct Walker {
    float position[3];
    uint32_t tick; // The host's loop sets it.
};

constexpr Field fields[] = {
    {"position", FieldKind::float32, offsetof(Walker, position), 3, -512, 512, 1.0 / 512},
    {"tick", FieldKind::uint32, offsetof(Walker, tick)}};
constexpr uint32_t hz = 60;

struct Path {
    uint32_t ms_min, ms_max; // One way.
    float loss;
};

// In each half second this peer stands still for 50 ms, as a process on a loaded machine does.
enum class Stalls : uint8_t { nobody, host, receiver };

struct Seen {
    double share;     // The receiver saw this share of the changes.
    double lost;      // Share of the datagrams that the sender took for lost.
    uint32_t p99_age; // In ticks.
    uint64_t bytes;
};

struct Crowd {
    Type types[1] = {{"walker", sizeof(Walker), fields, 4'000}};
    SimNetwork *network = make_sim_network({});
    Session *sessions[2] = {};
    Socket *sockets[2] = {};
    uint64_t now_us = 1;
    uint32_t tick = 0;
    std::vector<ObjectId> walkers;
    uint64_t changes_seen = 0;
    Stalls stalls = Stalls::nobody;
    uint32_t every = 1; // Each walker moves in one tick of so many.

    Crowd(const Path &path, bool predicted)
    {
        types[0].predicted = predicted;
        Config config;
        config.types = types;
        config.send_bytes_per_second_max = 1 << 24;
        set_impairment(network, {path.ms_min, path.ms_max, path.loss, 0});
        const Address first = loopback(7001);
        for (uint16_t i = 0; i < 2; ++i) {
            sessions[i] = make_session(config);
            sockets[i] = make_sim_socket(network, loopback(static_cast<uint16_t>(7001 + i)));
        }
        start(sessions[0]);
        join(sessions[1], make_invite(sessions[0], {&first, 1}));
    }
    ~Crowd()
    {
        for (Session *session : sessions)
            destroy_session(session);
        destroy_sim_network(network);
    }

    bool stands_still(size_t i) const
    {
        return tick % 30 < 3 && stalls == (i == 0 ? Stalls::host : Stalls::receiver);
    }

    void step()
    {
        now_us += 1'000'000 / hz;
        tick += 1;
        advance(network, now_us);
        for (size_t i = 0; i < 2; ++i)
            if (!stands_still(i))
                for (const Event &event : receive(sessions[i], sockets[i]->receive(), now_us))
                    changes_seen += i == 1 && event.kind == EventKind::object_changed;
        for (size_t i = 0; i < walkers.size(); ++i) {
            if ((i + tick) % every != 0) continue;
            const auto time = static_cast<float>(tick) * 0.02f + static_cast<float>(i);
            const float row = static_cast<float>(i % 40);
            set(sessions[0], Object<Walker>{walkers[i]},
                Walker{{100 * std::sin(time), 50 * std::cos(time * 1.3f), row}, tick});
        }
        for (size_t i = 0; i < 2; ++i)
            if (!stands_still(i)) sockets[i]->send(send(sessions[i], now_us));
    }
    void steps(uint32_t count)
    {
        for (uint32_t i = 0; i < count; ++i)
            step();
    }
};

Seen play(const Path &path, size_t count, bool predicted, Stalls stalls = Stalls::nobody,
          uint32_t every = 1)
{
    Crowd crowd(path, predicted);
    crowd.stalls = stalls;
    crowd.every = every;
    crowd.steps(3 * hz);
    for (size_t i = 0; i < count; ++i)
        crowd.walkers.push_back(create(crowd.sessions[0], 0, Walker{}));
    crowd.steps(4 * hz);
    const PeerId receiver = local_peer(crowd.sessions[1]);
    const Stats before = peer_stats(crowd.sessions[0], receiver);
    crowd.changes_seen = 0;
    constexpr uint32_t ticks = 6 * hz;
    std::vector<uint32_t> ages;
    for (uint32_t i = 0; i < ticks; ++i) {
        crowd.step();
        for (const ObjectId walker : crowd.walkers)
            ages.push_back(crowd.tick - get(crowd.sessions[1], Object<Walker>{walker}).tick);
    }
    const Stats after = peer_stats(crowd.sessions[0], receiver);
    const auto p99 = ages.begin() + static_cast<ptrdiff_t>(ages.size() * 99 / 100);
    std::nth_element(ages.begin(), p99, ages.end());
    const auto sent = static_cast<double>(after.sent_datagrams - before.sent_datagrams);
    return {every * static_cast<double>(crowd.changes_seen) / (ticks * static_cast<double>(count)),
            static_cast<double>(after.lost_datagrams - before.lost_datagrams) / sent, *p99,
            after.sent_bytes - before.sent_bytes};
}

void expect_predicted_is_no_worse(const Path &path, size_t count, uint32_t every = 1)
{
    SCOPED_TRACE(testing::Message() << path.ms_min << " to " << path.ms_max << " ms, loss "
                                    << path.loss << ", " << count << " objects, every " << every);
    const Seen plain = play(path, count, false, Stalls::nobody, every);
    const Seen predicted = play(path, count, true, Stalls::nobody, every);
    EXPECT_GE(predicted.share, 0.9 * plain.share);
    EXPECT_LE(predicted.p99_age, plain.p99_age + 2);
    EXPECT_LE(predicted.bytes, plain.bytes);
}

}

TEST(MovingCrowd, PacketsOfOneTickThatSwapCostNothing)
{
    const Seen plain = play({5, 6, 0}, 1'000, false), predicted = play({5, 6, 0}, 1'000, true);
    EXPECT_GT(plain.share, 0.99);
    EXPECT_GT(predicted.share, 0.99);
    EXPECT_LE(predicted.p99_age, 1u);
    EXPECT_LE(predicted.bytes * 2, plain.bytes);
}

TEST(MovingCrowd, PredictedTypesAreNoWorseThanPlainOnes)
{
    for (const Path path : {Path{20, 30, 0}, Path{20, 80, 0}, Path{45, 55, 0}, Path{25, 30, 0.01f},
                            Path{25, 30, 0.05f}, Path{20, 80, 0.01f}}) {
        expect_predicted_is_no_worse(path, 10);
        expect_predicted_is_no_worse(path, 400);
    }
    expect_predicted_is_no_worse({20, 80, 0}, 1'000);
    expect_predicted_is_no_worse({45, 55, 0}, 1'000);
    expect_predicted_is_no_worse({25, 30, 0.05f}, 1'000);
}

TEST(MovingCrowd, PredictedTypesAreNoWorseForWhatMovesNowAndThen)
{
    for (const float loss : {0.0f, 0.01f, 0.05f}) {
        expect_predicted_is_no_worse({25, 30, loss}, 100, 10);
        expect_predicted_is_no_worse({25, 30, loss}, 1'000, 10);
    }
}

// Changes that were sent in different ticks may arrive together, so not all are seen.
TEST(MovingCrowd, JitterIsNoLoss)
{
    const Seen seen = play({20, 80, 0}, 1'000, false);
    EXPECT_GT(seen.share, 0.5);
    EXPECT_LT(seen.lost, 0.01);
    EXPECT_LE(seen.p99_age, 8u);
}

// One tick in ten is lost to the stalls. The rest arrives, however the acks bunch up.
TEST(MovingCrowd, APeerThatStandsStillNowAndThenKeepsItsRate)
{
    for (const Stalls stalls : {Stalls::host, Stalls::receiver}) {
        EXPECT_GE(play({1, 1, 0}, 1'000, false, stalls).share, 0.89);
        EXPECT_GE(play({20, 30, 0}, 1'000, false, stalls).share, 0.89);
    }
}

// Twenty ticks a second need hundreds of packets in a tick for that.
TEST(MovingCrowd, SixMegabytesASecondToOnePeerAtTwentyTicks)
{
    struct Chunk {
        uint8_t bytes[250];
    };
    static constexpr Field chunk_fields[] = {
        {"bytes", FieldKind::uint8, offsetof(Chunk, bytes), 250}};
    const Type chunk_types[] = {{"chunk", sizeof(Chunk), chunk_fields, 8'000}};
    constexpr uint64_t tick_us = 50'000, second_us = 1'000'000;
    SimNetwork *network = make_sim_network({.impairment = {20, 20, 0, 0}});
    Config config;
    config.types = chunk_types;
    config.send_bytes_per_second_max = 8'000'000;
    const Address first = loopback(7001);
    Socket *sockets[] = {make_sim_socket(network, first), make_sim_socket(network, loopback(7002))};
    Session *sessions[] = {make_session(config), make_session(config)};
    start(sessions[0]);
    join(sessions[1], make_invite(sessions[0], {&first, 1}));
    std::vector<ObjectId> chunks;
    uint64_t before = 0;
    Chunk chunk = {};
    for (uint64_t now_us = tick_us; now_us <= 12 * second_us; now_us += tick_us) {
        advance(network, now_us);
        for (size_t i = 0; i < 2; ++i)
            receive(sessions[i], sockets[i]->receive(), now_us);
        if (now_us == 2 * second_us)
            for (size_t i = 0; i < 1'700; ++i)
                chunks.push_back(create(sessions[0], 0, chunk));
        for (uint8_t &byte : chunk.bytes)
            byte = static_cast<uint8_t>(now_us / tick_us * 31);
        for (const ObjectId id : chunks)
            set(sessions[0], Object<Chunk>{id}, chunk);
        for (size_t i = 0; i < 2; ++i)
            sockets[i]->send(send(sessions[i], now_us));
        if (now_us == 6 * second_us)
            before = peer_stats(sessions[0], local_peer(sessions[1])).sent_bytes;
    }
    const Stats after = peer_stats(sessions[0], local_peer(sessions[1]));
    EXPECT_GE((after.sent_bytes - before) / 6, 6'000'000u);
    EXPECT_EQ(after.lost_datagrams, 0u);
    for (Session *session : sessions)
        destroy_session(session);
    destroy_sim_network(network);
}
