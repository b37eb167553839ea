// Messages as unreliable calls of sessions.
#include "bench/surface/ages.h"
#include "bench/surface/messages.h"
#include "tern/calls.hpp"
#include "tern/invites.hpp"
#include "tern/untyped.hpp"
#include <cstddef>

using namespace tern;

namespace bench::surface {

static const Field message_fields[] = {
    {"number", FieldKind::uint64, offsetof(Message, number)},
    {"sent_ns", FieldKind::uint64, offsetof(Message, sent_ns)},
    {"content", FieldKind::bytes, offsetof(Message, content), sizeof(Message::content)}};
static const Type message_type[] = {{"message", sizeof(Message), message_fields}};

std::span<const Type> message_types()
{
    return message_type;
}

namespace {

struct MessageHost {
    Peer peer;
    MessageLog log;
    double wire_bytes_before;
};

struct MessageClients {
    std::vector<Peer> peers;
    MessageLog log;
};

void take(MessageLog &log, const Event &event)
{
    if (event.kind == EventKind::call)
        message_log::take(log, event.call.arguments, sizeof(Message));
}

void send_message(MessageLog &log, const Peer &peer, PeerId to)
{
    call(peer.session, to, 0, message_log::next(log), Reliability::unreliable);
}

void exchange(MessageHost &host, const Moment &moment)
{
    peer::receive(host.peer, moment.now_us, [&](const Event &event) { take(host.log, event); });
    if (moment.is_moving)
        for (const PeerId to : other_peers(host.peer.session))
            send_message(host.log, host.peer, to);
    peer::send(host.peer, moment.now_us);
}

void check(MessageHost &, const Moment &) {}

Report report(MessageHost &host)
{
    Report made = message_log::close(host.log);
    const double bytes = peer::wire_bytes(host.peer);
    made.wire_bytes = bytes - host.wire_bytes_before;
    host.wire_bytes_before = bytes;
    return made;
}

void exchange(MessageClients &clients, const Moment &moment)
{
    for (Peer &peer : clients.peers) {
        peer::receive(peer, moment.now_us, [&](const Event &event) { take(clients.log, event); });
        if (moment.is_moving) send_message(clients.log, peer, host_peer(peer.session));
        peer::send(peer, moment.now_us);
    }
}

void check(MessageClients &, const Moment &) {}

Report report(MessageClients &clients)
{
    Report made = message_log::close(clients.log);
    made.is_ready = true;
    for (const Peer &peer : clients.peers)
        made.is_ready = made.is_ready && session_state(peer.session) == State::open;
    return made;
}

void run_host(const void *setup, Channel &channel)
{
    const auto &with = *static_cast<const MessageSetup *>(setup);
    MessageHost host = {peer::make_host(with.session), {}, 0};
    Contact contact = {};
    std::memcpy(contact.invite, to_text(peer::invite(host.peer)).text, sizeof contact.invite);
    channel::announce(channel, contact);
    serve(channel, host, with.period_us, true);
}

void run_clients(const void *setup, Channel &channel, const Contact &contact)
{
    const auto &with = *static_cast<const MessageSetup *>(setup);
    MessageClients clients = {};
    for (uint32_t i = 0; i < with.client_count; ++i) {
        clients.peers.push_back(peer::make_client(with.session));
        join(clients.peers.back().session, parse_invite(contact.invite).invite);
    }
    serve(channel, clients, with.period_us, false);
}

}

Programs session_messages(const MessageSetup &setup)
{
    return {run_host, run_clients, &setup, setup.period_us};
}

}
