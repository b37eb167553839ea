#include "child.h"
#include "tern/invites.hpp"
#include <cstdio>
#include <deque>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using nlohmann::json;

namespace demo {

namespace {

// The orders of the parent. A thread reads them, because no read that does not wait works for the
// standard input of every system.
struct Orders {
    std::thread reader; // It ends when the parent closes the input, or has ended.
    std::mutex mutex;   // Guards the rest.
    std::deque<std::string> lines;
    bool over = false;
};

void read_orders(Orders &orders)
{
    for (std::string line; std::getline(std::cin, line);) {
        const std::lock_guard lock(orders.mutex);
        orders.lines.push_back(line);
    }
    const std::lock_guard lock(orders.mutex);
    orders.over = true;
}

// The next one; null: there is none yet.
json next_order(Orders &orders)
{
    const std::lock_guard lock(orders.mutex);
    if (orders.lines.empty()) return nullptr;
    json order = json::parse(orders.lines.front());
    orders.lines.pop_front();
    return order;
}

bool is_over(Orders &orders)
{
    const std::lock_guard lock(orders.mutex);
    return orders.over && orders.lines.empty();
}

// A text that is not UTF-8 may be part of it.
void print(const json &line)
{
    const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

// Returns what went wrong, or an empty text.
std::string join_host(Peer &peer, const json &order)
{
    const auto ports = order[order::cut].get<std::vector<uint16_t>>();
    if (!ports.empty()) peer::cut(peer, ports);
    const ParsedInvite parsed = parse_invite(order[order::invite].get<std::string>().c_str());
    if (parsed.error) return std::string("the invite of the parent: ") + parsed.error;
    join(peer.session, parsed.invite);
    return "";
}

json cube_list(const Peer &peer)
{
    json list = json::array();
    for (const Known &cube : peer::cubes(peer))
        list.push_back({cube.object, cube.text});
    return list;
}

// Ticks until the parent wants the report. Returns what ended the session, or an empty text.
std::string run_until_report(Peer &peer, const Options &options, Orders &orders)
{
    uint64_t next_us = clock_us(), printed_us = 0;
    PeerId printed_host = PeerId::none;
    bool is_playing = false;
    for (;;) {
        if (const json order = next_order(orders); !order.is_null()) {
            const auto name = order[order::name].get<std::string>();
            const std::string wrong = name == order::join ? join_host(peer, order) : "";
            if (name == order::report || !wrong.empty()) return wrong;
            is_playing = name == order::play;
        }
        peer::tick(peer, is_playing);
        if (session_state(peer.session) >= State::left) return state_text(peer.session);
        if (is_over(orders)) return "the parent has gone";
        const uint64_t now_us = clock_us();
        if (now_us - printed_us >= 100'000 || host_peer(peer.session) != printed_host) {
            printed_us = now_us;
            printed_host = host_peer(peer.session);
            print({{answer::progress, peer::progress(peer)}});
        }
        peer::wait(next_us, options.hz);
    }
}

}

int run_child(const Options &options)
{
    const auto index = static_cast<uint32_t>(options.process);
    const std::string name = index == 0 ? "host" : "peer " + std::to_string(index + 1);
    Config config = peer::make_config(options);
    config.name = name.c_str();
    Peer peer = {};
    Orders orders;
    orders.reader = std::thread(read_orders, std::ref(orders));
    std::string wrong = peer::open(peer, options, config, index);
    if (wrong.empty()) {
        json bound = {{answer::port, peer.socket->local_address().port}};
        if (index == 0) {
            start(peer.session);
            bound[answer::invite] = to_text(peer::local_invite(peer, options)).text;
        }
        print(bound);
        wrong = run_until_report(peer, options, orders);
    }
    if (wrong.empty()) {
        print({{answer::progress, peer::progress(peer)}});
        print({{answer::cubes, cube_list(peer)}});
    } else {
        print({{answer::failed, wrong}});
    }
    peer::close(peer);
    orders.reader.join();
    return wrong.empty() ? 0 : 1;
}

}
