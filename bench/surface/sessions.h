// tern's side of the contenders: sessions in a star, through public headers only, as a game would
// embed them. Every Config is the default one but for what changes_text() names.
#pragma once
#include "tern/io.hpp"
#include "tern/tern.hpp"
#include <string>
#include <vector>

namespace bench::surface {

struct SessionSetup {
    std::span<const tern::Type> types;
    uint16_t client_count;
    uint32_t bytes_per_second_max; // 0: the default.
    // Whether datagrams are handed to the socket in one span, which lets it use system calls for
    // many datagrams and segmentation offload (UDP GSO), or one by one, which allows neither.
    bool is_offloaded;
};

struct Peer {
    tern::Session *session;
    tern::Socket *socket;
    bool is_offloaded;
};

namespace peer {

// The setting of a Config that is not the default, for the notes of a table.
std::string changes_text(const SessionSetup &setup);

// On a UDP socket of their own each; end the process if there is none. `socket`: another one.
Peer make_host(const SessionSetup &setup, tern::Socket *socket = nullptr);
Peer make_client(const SessionSetup &setup, tern::Socket *socket = nullptr);
void destroy(Peer &peer); // The socket too, unless it belongs to a simulated network.
tern::Invite invite(const Peer &host);

// Receives all that has arrived, and calls take(event) for each event.
template <class Take> void receive(Peer &peer, uint64_t now_us, Take take);
void send(Peer &peer, uint64_t now_us);
double wire_bytes(const Peer &peer); // Both directions, with the headers of UDP and IPv4.

// A host should call receive() again if more may wait, a limited number of times (tern/io.hpp).
inline constexpr size_t receive_calls_max = 16;

template <class Take> void receive(Peer &peer, uint64_t now_us, Take take)
{
    for (size_t i = 0; i < receive_calls_max; ++i) {
        const std::span<const tern::Datagram> came = peer.socket->receive();
        for (const tern::Event &event : tern::receive(peer.session, came, now_us))
            take(event);
        if (came.size() < tern::receive_datagrams_max) return;
    }
}

}
}
