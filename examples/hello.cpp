// Two peers over a pretend network: Ada makes a lamp; Ben asks for it and puts it out.
#include <cstdio>
#include <tern/sim.h>
#include <tern/tern.h>
using namespace tern;

struct Lamp {
    bool lit;
    float colour[3];
};
const Field fields[] = {{"lit", FieldKind::boolean, offsetof(Lamp, lit)},
                        {"colour", FieldKind::float32, offsetof(Lamp, colour), 3, 0, 1, 0.01}};
const Type types[] = {{"lamp", sizeof(Lamp), fields, 100}}; // TypeId 0: at most 100 of them.

int main()
{
    SimNetwork *network = make_sim_network({}); // 20 to 80 ms one way: it reorders.
    const Address address = loopback(7777);
    Socket *ada_socket = make_sim_socket(network, address);
    Socket *ben_socket = make_sim_socket(network, loopback(7778));
    Session *ada = make_session({.types = types}), *ben = make_session({.types = types});
    start(ada);
    join(ben, invite(ada, {&address, 1}));
    const ObjectId lamp = create(ada, 0, Lamp{true, {1, 0.5f, 0}});

    bool lit = true;
    for (uint64_t now_us = 0; now_us < 10'000'000 && lit; now_us += 16'667) {
        advance(network, now_us);
        for (const Event &event : receive(ada, ada_socket->receive(), now_us))
            if (event.kind == EventKind::owner_changed) std::puts("Ada: the lamp is Ben's now.");
        lit = get<Lamp>(ada, lamp).lit;
        for (const Event &event : receive(ben, ben_socket->receive(), now_us)) {
            if (event.kind == EventKind::caught_up) claim(ben, lamp);
            if (event.kind == EventKind::claim_granted) set(ben, lamp, Lamp{false, {}});
        }
        ada_socket->send(send(ada, now_us)); // What has changed goes out.
        ben_socket->send(send(ben, now_us));
    }
    std::puts(lit ? "That did not work." : "Ada: it is dark.");
    destroy_session(ben);
    destroy_session(ada);
    destroy_sim_network(network);
    return lit;
}
