// Two peers in one process, over a pretend network: Ada makes a lamp; Ben sees it, asks for it,
// becomes its owner and puts it out; Ada sees that.
#include <cstdio>
#include <tern/sim.h>
#include <tern/tern.h>
using namespace tern;

struct Lamp {
    bool lit;
    float colour[3];
};
enum : TypeId { lamp_type };
const Field lamp_fields[] = {
    {"lit", FieldKind::boolean, offsetof(Lamp, lit)},
    {"colour", FieldKind::float32, offsetof(Lamp, colour), 3, 0, 1, 1.0 / 255}};
const Type types[] = {{"lamp", sizeof(Lamp), lamp_fields, 100}};

int main()
{
    SimNetwork *network = make_sim_network({}); // 20 to 80 ms one way: it reorders.
    const Address address = loopback(7777);
    Socket *ada_socket = make_sim_socket(network, address);
    Socket *ben_socket = make_sim_socket(network, loopback(7778));
    Config config = {};
    config.types = types;
    Session *ada = make_session(config), *ben = make_session(config);
    start(ada);
    join(ben, invite(ada, {&address, 1}));
    const ObjectId lamp = create(ada, lamp_type, Lamp{true, {1, 0.5f, 0}});

    bool done = false;
    for (uint64_t now_us = 0; now_us < 10'000'000 && !done; now_us += 16'667) {
        advance(network, now_us);
        for (const Event &event : receive(ada, ada_socket->receive(), now_us))
            if (event.kind == EventKind::owner_changed) std::puts("Ada: the lamp is Ben's now.");
        done = !get<Lamp>(ada, lamp).lit;
        for (const Event &event : receive(ben, ben_socket->receive(), now_us)) {
            if (event.kind == EventKind::caught_up) {
                std::printf("Ben: I see a %s lamp.\n", get<Lamp>(ben, lamp).lit ? "lit" : "dark");
                claim(ben, lamp);
            }
            if (event.kind == EventKind::claim_granted) set(ben, lamp, Lamp{false, {0, 0, 0}});
        }
        ada_socket->send(send(ada, now_us));
        ben_socket->send(send(ben, now_us));
    }
    std::puts(done ? "Ada: it is dark." : "That did not work.");
    destroy_session(ben);
    destroy_session(ada);
    destroy_sim_network(network);
    return done ? 0 : 1;
}
