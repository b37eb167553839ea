// Messages as unsequenced packets of ENet.
#ifdef TERN_HAVE_ENET
#include "bench/surface/ages.h"
#include "bench/surface/enet_link.h"
#include "bench/surface/messages.h"

namespace bench::surface {

namespace {

struct EnetMessageHost {
    EnetServer server;
    MessageLog log;
};

struct EnetMessageClients {
    std::vector<EnetClient> clients;
    MessageLog log;
};

void send_message(MessageLog &log, ENetPeer *to)
{
    const Message message = message_log::next(log);
    enet_link::send(to, &message, sizeof message, ENET_PACKET_FLAG_UNSEQUENCED);
}

void exchange(EnetMessageHost &host, const Moment &moment)
{
    enet_link::receive(host.server, [&](ENetPeer *, const void *bytes, size_t size_bytes) {
        message_log::take(host.log, bytes, size_bytes);
    });
    if (moment.is_moving)
        for (ENetPeer *peer : host.server.peers)
            send_message(host.log, peer);
    enet_host_flush(host.server.host);
}

void check(EnetMessageHost &, const Moment &) {}

Report report(EnetMessageHost &host)
{
    Report made = message_log::close(host.log);
    made.wire_bytes = enet_link::wire_bytes(host.server.host);
    return made;
}

void exchange(EnetMessageClients &clients, const Moment &moment)
{
    for (EnetClient &client : clients.clients) {
        enet_link::receive(client, [&](const void *bytes, size_t size_bytes) {
            message_log::take(clients.log, bytes, size_bytes);
        });
        if (moment.is_moving) send_message(clients.log, client.to);
        enet_host_flush(client.host);
    }
}

void check(EnetMessageClients &, const Moment &) {}

Report report(EnetMessageClients &clients)
{
    Report made = message_log::close(clients.log);
    made.is_ready = true;
    for (const EnetClient &client : clients.clients)
        made.is_ready = made.is_ready && client.is_connected;
    return made;
}

void run_enet_host(const void *setup, Channel &channel)
{
    const auto &with = *static_cast<const MessageSetup *>(setup);
    EnetMessageHost host = {enet_link::make_server(with.client_count), {}};
    Contact contact = {};
    contact.port = host.server.host->address.port;
    channel::announce(channel, contact);
    serve(channel, host, with.period_us, true);
}

void run_enet_clients(const void *setup, Channel &channel, const Contact &contact)
{
    const auto &with = *static_cast<const MessageSetup *>(setup);
    EnetMessageClients clients = {};
    for (uint32_t i = 0; i < with.client_count; ++i)
        clients.clients.push_back(enet_link::make_client(contact.port));
    serve(channel, clients, with.period_us, false);
}

}

Programs enet_messages(const MessageSetup &setup)
{
    return {run_enet_host, run_enet_clients, &setup, setup.period_us};
}

}
#endif
