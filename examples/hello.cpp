// Ada makes a lamp. Ben, on another peer, asks for it and switches it off.
#include <cstdio>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
using namespace tern;

struct Lamp {
    bool lit;
};
TERN_FIELDS(Lamp, lit);
const Type types[] = {make_type<Lamp>("lamp", {.objects_max = 100})}; // 100 lamps may exist.

int main()
{
    SimNetwork *network = make_sim_network({}); // Delays datagrams by 20 to 80 ms.
    const Address address = loopback(7777);
    Socket *ada_socket = make_sim_socket(network, address);
    Socket *ben_socket = make_sim_socket(network, loopback(7778));
    Session *ada = make_session({.types = types}), *ben = make_session({.types = types});
    start(ada);
    join(ben, make_invite(ada, {&address, 1}));
    const Object<Lamp> lamp = create(ada, Lamp{true});
    for (uint64_t now_us = 0; get(ada, lamp).lit && now_us < 10'000'000; now_us += 16'667) {
        advance(network, now_us);
        receive(ada, ada_socket->receive(), now_us);
        for (const Event &event : receive(ben, ben_socket->receive(), now_us))
            if (event.kind == EventKind::caught_up) claim(ben, lamp);
        if (may_set(ben, lamp)) set(ben, lamp, {false}); // Ben owns the lamp now.
        ada_socket->send(send(ada, now_us));
        ben_socket->send(send(ben, now_us));
    }
    std::printf("Ada sees that the lamp is %s.\n", get(ada, lamp).lit ? "on" : "off");
    destroy_session(ben);
    destroy_session(ada);
    destroy_sim_network(network);
}
