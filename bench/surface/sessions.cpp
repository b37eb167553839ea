#include "bench/surface/sessions.h"
#include "bench/surface/processes.h"
#include "tern/diagnostics.hpp"

using namespace tern;

namespace bench::surface::peer {

static Config config(const SessionSetup &setup)
{
    Config made;
    made.types = setup.types;
    made.topology = Topology::star;
    made.peers_max = static_cast<uint16_t>(setup.client_count + 1);
    if (setup.bytes_per_second_max != 0)
        made.send_bytes_per_second_max = setup.bytes_per_second_max;
    return made;
}

std::string changes_text(const SessionSetup &setup)
{
    const Config plain, used = config(setup);
    std::string text = "tern: default Config";
    const auto add = [&](const char *name, const std::string &value) {
        text += std::string(text.ends_with("Config") ? ", but " : ", ") + name + " = " + value;
    };
    add("types", "that of the scene");
    if (used.topology != plain.topology) add("topology", "star");
    if (used.peers_max != plain.peers_max) add("peers_max", std::to_string(used.peers_max));
    if (used.send_bytes_per_second_max != plain.send_bytes_per_second_max)
        add("send_bytes_per_second_max", std::to_string(used.send_bytes_per_second_max));
    return text;
}

static Peer make(const SessionSetup &setup, Socket *socket)
{
    const Config used = config(setup);
    if (const ConfigProblem problem = config_problem(used); problem.text[0] != 0)
        channel::give_up(problem.text);
    if (!socket) {
        const MadeSocket made = make_udp_socket(0);
        if (!made.socket) channel::give_up(to_text(made.error));
        socket = made.socket;
    }
    return {make_session(used), socket, setup.is_offloaded};
}

Peer make_host(const SessionSetup &setup, Socket *socket)
{
    const Peer made = make(setup, socket);
    start(made.session);
    return made;
}

Peer make_client(const SessionSetup &setup, Socket *socket)
{
    return make(setup, socket);
}

void destroy(Peer &peer)
{
    destroy_session(peer.session);
    peer = {};
}

Invite invite(const Peer &host)
{
    const Address at = loopback(host.socket->local_address().port);
    return make_invite(host.session, {&at, 1});
}

void send(Peer &peer, uint64_t now_us)
{
    const std::span<const Datagram> datagrams = tern::send(peer.session, now_us);
    if (peer.is_offloaded) {
        peer.socket->send(datagrams);
        return;
    }
    for (const Datagram &datagram : datagrams)
        peer.socket->send({&datagram, 1});
}

double wire_bytes(const Peer &peer)
{
    const SocketStats stats = peer.socket->stats();
    return static_cast<double>(stats.sent_bytes + stats.received_bytes) +
           below_udp_bytes * static_cast<double>(stats.sent_datagrams + stats.received_datagrams);
}

}
