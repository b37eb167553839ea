// Several sessions over the simulated network, in virtual time. Two sessions take two lines:
//     SimWorld world(seed); world.open(2);
#pragma once
#include "base/random.h"
#include "fuzz/support/chance.h"
#include "session/inspect.h"
#include "tern/diagnostics.hpp"
#include "tern/sim.hpp"
#include "tern/tern.hpp"
#include "transport/sockets/addresses.h"
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace tern::test {

struct Body {
    float position[3];
    int32_t health;
};
struct Name {
    char text[16];
};
struct Hit {
    ObjectId target;
    int32_t damage;
};
inline const Field body_fields[] = {
    {"position", FieldKind::float32, offsetof(Body, position), 3, -100, 100, 0.01},
    {"health", FieldKind::int32, offsetof(Body, health), 1, 0, 100}};
inline const Field name_fields[] = {{"text", FieldKind::text, offsetof(Name, text), 16}};
inline const Field hit_fields[] = {{"target", FieldKind::object, offsetof(Hit, target)},
                                   {"damage", FieldKind::int32, offsetof(Hit, damage)}};
enum : TypeId { BODY, NAME, DOOR, VAULT, HIT };
inline const Type world_types[] = {
    {"body", sizeof(Body), body_fields, 256},
    {"name", sizeof(Name), name_fields, 256, Orphan::destroy},
    {"door", sizeof(Name), name_fields, 64, Orphan::to_host, ClaimPolicy::ask_game},
    {"vault", sizeof(Name), name_fields, 16, Orphan::to_host, ClaimPolicy::never},
    {"hit", sizeof(Hit), hit_fields}};

struct Node {
    Session *session = nullptr;
    Socket *socket = nullptr;
    Address address = {};
    bool crashed = false;
    // The events of the last step. Their arguments are valid only until the next receive().
    std::vector<Event> events;
    bool active() const
    {
        return !crashed &&
               (session_state(session) == State::open || session_state(session) == State::joining ||
                session_state(session) == State::leaving);
    }
};

struct SimWorld {
    Random random; // Drives the workload only, not the network.
    SimNetwork *network;
    std::vector<Node> nodes;
    uint64_t now_us = 1'000'000;
    uint64_t tick_us = 33'333;
    Config config;

    explicit SimWorld(uint64_t seed, Impairment impairment = {20, 80, 0, 0})
        : random(random::from_seed(seed))
    {
        fuzz::seed_chance(seed);
        network = make_sim_network({seed, impairment, 65'536});
        advance(network, now_us);
        config.types = world_types;
        config.timeout_ms = 2000;
    }
    SimWorld(const SimWorld &) = delete;
    ~SimWorld()
    {
        for (Node &node : nodes)
            destroy_session(node.session);
        destroy_sim_network(network);
    }

    static Address address_of(size_t i)
    {
        const uint8_t ip[] = {10, 0, 0, static_cast<uint8_t>(i + 1)};
        return address::from_v4(ip, 7777);
    }

    // Adds a node whose session neither starts nor joins yet.
    Node &place(const Config &with)
    {
        Node node;
        node.address = address_of(nodes.size());
        node.session = make_session(with);
        node.socket = make_sim_socket(network, node.address);
        receive(node.session, {}, now_us);
        nodes.push_back(node);
        return nodes.back();
    }

    Invite the_invite() { return the_invite_of(0); }
    Invite the_invite_of(size_t i)
    {
        return make_invite(nodes[i].session, std::span(&nodes[i].address, 1));
    }

    // Adds a node. The first one starts the session, each later one joins it.
    Node &add()
    {
        Node &node = place(config);
        if (nodes.size() == 1)
            start(node.session);
        else
            join(node.session, the_invite());
        return node;
    }
    // Adds a node that joins by an invite in which only the last of `count` addresses is right.
    Node &add_by_last_address(uint8_t count)
    {
        Invite invite = the_invite();
        invite.address_count = count;
        invite.addresses[count - 1] = invite.addresses[0];
        for (size_t i = 0; i + 1 < count; ++i)
            invite.addresses[i] = address_of(200 + i); // Nobody listens at these addresses.
        Node &node = place(config);
        join(node.session, invite);
        return node;
    }
    void add_all(size_t count)
    {
        for (size_t i = 0; i < count; ++i)
            add();
    }

    // Adds nodes and steps until all are open.
    bool open(size_t count)
    {
        add_all(count);
        return step_until_open();
    }

    // Cuts or restores the path between two nodes, in both directions or only from a to b.
    void cut(size_t a, size_t b, bool is_cut)
    {
        cut_one_way(a, b, is_cut);
        cut_one_way(b, a, is_cut);
    }
    void cut_one_way(size_t a, size_t b, bool is_cut)
    {
        set_cut(network, nodes[a].address, nodes[b].address, is_cut);
    }

    void pass_tick_time()
    {
        now_us += tick_us;
        advance(network, now_us);
    }

    void tick(Node &node)
    {
        const std::span<const Event> events = receive(node.session, node.socket->receive(), now_us);
        node.events.assign(events.begin(), events.end());
    }

    // Runs one tick of every node that has not crashed. play(i, events) acts as the game of node i
    // between its receive() and its send().
    template <class Play> void step(Play play)
    {
        pass_tick_time();
        for (size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].crashed) continue;
            tick(nodes[i]);
            play(i, nodes[i].events);
            nodes[i].socket->send(send(nodes[i].session, now_us));
        }
    }
    void step()
    {
        step([](size_t, const std::vector<Event> &) {});
    }
    void steps(int count)
    {
        for (int i = 0; i < count; ++i)
            step();
    }
    // Runs ticks and passes each event to hear(node, event) as soon as the node receives it.
    template <class Hear> void steps(int count, Hear hear)
    {
        for (int i = 0; i < count; ++i)
            step([&](size_t node, const std::vector<Event> &events) {
                for (const Event &event : events)
                    hear(node, event);
            });
    }

    bool step_until_open(int steps_max = 600)
    {
        for (int i = 0; i < steps_max; ++i) {
            step();
            bool all = true;
            for (const Node &node : nodes)
                all = all && (node.crashed || session_state(node.session) == State::open);
            if (all) return true;
        }
        return false;
    }

    bool converged() const
    {
        const Node *first = nullptr;
        size_t members = 0;
        for (const Node &node : nodes)
            members += node.active();
        for (const Node &node : nodes) {
            if (!node.active()) continue;
            if (session_state(node.session) != State::open) return false;
            if (!first) first = &node;
            if (world_digest(node.session) != world_digest(first->session)) return false;
            if (other_peers(node.session).size() != members - 1)
                return false; // A join or a departure is not settled yet.
            // The host still collects what the members know of a departed member's objects.
            if (inspect::replica(node.session).duties.collecting) return false;
        }
        return true;
    }

    bool step_until_converged(int steps_max = 1000)
    {
        int stable = 0;
        for (int i = 0; i < steps_max && stable < 30; ++i) {
            step();
            stable = converged() ? stable + 1 : 0;
        }
        return stable >= 30;
    }

    // The state of each peer as text, for the message of a failing test.
    std::string describe() const
    {
        std::string text;
        char line[160];
        for (size_t i = 0; i < nodes.size(); ++i) {
            const Node &node = nodes[i];
            if (node.crashed) continue;
            std::snprintf(line, sizeof line, "node %zu self %u state %u (%s) digest %016llx\n", i,
                          static_cast<unsigned>(local_peer(node.session)),
                          static_cast<unsigned>(session_state(node.session)),
                          state_text(node.session),
                          static_cast<unsigned long long>(world_digest(node.session)));
            text += line;
            for (const KnownObject &object : inspect::replica(node.session).world.slots.all()) {
                if (object.life != Life::alive) continue;
                std::snprintf(line, sizeof line, "  %llx stamp %llx owner %u tick %u\n",
                              static_cast<unsigned long long>(object.id),
                              static_cast<unsigned long long>(object.stamp),
                              static_cast<unsigned>(object.owner), object.tick);
                text += line;
            }
        }
        return text;
    }
};

}
