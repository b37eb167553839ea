#include "child.h"
#include <algorithm>
#include <unistd.h>

namespace demo::child {

std::vector<CutPair> cut_pairs(const Options &options)
{
    std::vector<uint32_t> order;
    for (uint32_t i = 1; i < options.peers; ++i)
        order.push_back(i);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(options.seed));
    std::vector<CutPair> pairs;
    for (const bool disjoint : {true, false}) // Neighbours first: no two such pairs share a peer.
        for (size_t i = 0; i < order.size(); ++i)
            for (size_t j = i + 1; j < order.size(); ++j)
                if ((i % 2 == 0 && j == i + 1) == disjoint) pairs.emplace_back(order[i], order[j]);
    pairs.resize(std::min<size_t>(pairs.size(), options.cut_pairs));
    return pairs;
}

static void join_host(Peer &peer, const Options &options, const Board &board, uint32_t index)
{
    std::vector<uint16_t> ports;
    for (const auto &[first, second] : cut_pairs(options))
        if (first == index || second == index)
            ports.push_back(board.children[first == index ? second : first].port);
    if (!ports.empty()) peer::cut(peer, ports);
    join(peer.session, board.invite);
}

static void publish(ChildBoard &own, const Peer &peer)
{
    const uint32_t count = own.progress_count + 1;
    own.progress[count % 2] = peer::progress(peer);
    own.progress_count = count;
}

static void report(ChildBoard &own, const Peer &peer)
{
    publish(own, peer);
    const std::vector<Known> cubes = peer::cubes(peer);
    own.known_count = static_cast<uint32_t>(std::min(cubes.size(), known_max));
    std::copy_n(cubes.begin(), own.known_count, own.cubes);
    own.stage = Stage::reported;
}

// Ticks until the parent wants the report. Returns what ended the session, or an empty text.
static std::string run_until_finish(Peer &peer, const Options &options, Board &board,
                                    uint32_t index)
{
    ChildBoard &own = board.children[index];
    uint64_t next_us = clock_us(), published_us = 0;
    while (board.order < Order::finish) {
        const uint64_t now_us = clock_us();
        const bool is_idle = session_state(peer.session) == State::idle;
        if (is_idle && board.order >= Order::join) join_host(peer, options, board, index);
        const bool is_playing = board.order == Order::play && now_us >= board.from_us;
        peer::tick(peer, is_playing && now_us < board.until_us);
        if (session_state(peer.session) >= State::left) return state_text(peer.session);
        if (getppid() != board.parent) return "the parent has gone";
        if (now_us - published_us >= 100'000) {
            published_us = now_us;
            publish(own, peer);
        }
        peer::wait(next_us, options.hz);
    }
    return "";
}

int run(const Options &options, Board &board, uint32_t index)
{
    ChildBoard &own = board.children[index];
    const std::string name = index == 0 ? "host" : "peer " + std::to_string(index + 1);
    Config config = peer::make_config(options);
    config.name = name.c_str();
    Peer peer = {};
    std::string wrong = peer::open(peer, options, config, index);
    if (wrong.empty()) {
        if (index == 0) start(peer.session);
        if (index == 0) board.invite = peer::local_invite(peer, options);
        own.port = peer.socket->local_address().port;
        own.stage = Stage::bound;
        wrong = run_until_finish(peer, options, board, index);
    }
    if (wrong.empty())
        report(own, peer);
    else
        std::printf("demo: process %u: %s\n", index + 1, wrong.c_str());
    peer::close(peer);
    return wrong.empty() ? 0 : 1;
}

}
