#include "occupants.h"

namespace bot::occupants {

using namespace tern;

// A session that is destroyed says no goodbye, so its connection stays open at the host.
static void destroy(Occupant &occupant)
{
    destroy_session(occupant.session);
    destroy_socket(occupant.socket);
    occupant = {};
}

static Occupant make(const Config &config, const Invite &invite)
{
    Config other = config;
    other.peers_max -= 1;
    const Occupant occupant = {make_session(other), make_udp_socket(0).socket};
    join(occupant.session, invite);
    return occupant;
}

uint64_t tick(std::vector<Occupant> &all, size_t count, const Config &config, const Invite &invite,
              uint64_t now_us)
{
    uint64_t begun = 0;
    if (all.size() < count) {
        all.push_back(make(config, invite));
        begun += 1;
    }
    for (Occupant &occupant : all) {
        if (!occupant.socket) continue; // No socket was left: this one stays silent.
        receive(occupant.session, occupant.socket->receive(), now_us);
        if (session_state(occupant.session) >= State::left) {
            destroy(occupant);
            occupant = make(config, invite);
            begun += 1;
            continue;
        }
        occupant.socket->send(send(occupant.session, now_us));
    }
    return begun;
}

void destroy_all(std::vector<Occupant> &all)
{
    for (Occupant &occupant : all)
        destroy(occupant);
    all.clear();
}

}
