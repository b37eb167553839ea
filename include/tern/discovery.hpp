// LAN discovery: a member announces its session on the local network, and a finder lists the
// sessions that it finds, with name, number of players and whether joining could succeed. Like
// sessions, announcers and finders take datagrams and the time and return datagrams; a socket of
// make_discovery_socket() carries them. docs/use/discovery.md.
//
// A found session is only a hint: anybody on the network can forge an announcement. Only the
// handshake of join() proves which peer answers (docs/security.md).
#pragma once
#include "tern/io.hpp"

namespace tern {

struct Announcer; // Opaque.
struct Finder;    // Opaque.

inline constexpr uint16_t discovery_port = 28'376; // UDP. Not assigned by IANA.
inline constexpr size_t found_max = 64; // Sessions that a finder lists; no more than that.
inline constexpr uint32_t query_interval_ms = 1000; // Between two queries of a finder.
inline constexpr uint32_t found_age_ms_max = 4000;  // A session silent for this long is dropped.

// A socket for announcers (port discovery_port, which several sockets of one machine can share) or
// finders (port 0, any free one). It uses IPv4 and IPv6, as far as the system has them. It sends a
// datagram to 255.255.255.255 through every interface, by broadcast and by multicast. It drops
// datagrams from beyond the local network without counting them. In the library tern::udp.
MadeSocket make_discovery_socket(uint16_t port);

// --- Announcers. Any member of a session may announce it. ---

struct Announcement {
    const char *game = ""; // Finders look for sessions of one game. Cut to name_bytes_max - 1.
    const char *name = ""; // Name of the session, for people. Cut to name_bytes_max - 1.
    Address address = {};  // local_address() of the game's socket: its port and IP version.
    // True: the announcement contains the invite, so anybody who finds the session can join. False:
    // it contains the session id only, and players need an invite from elsewhere.
    bool open = false;
};

Announcer *make_announcer(const Announcement &announcement); // Copies the texts.
void destroy_announcer(Announcer *announcer);
// Returns the answers to the queries among `datagrams`, valid until the next call; none while the
// session is not open. At most 32 answers per second after a burst of 64, one for each finder in
// each call, and none larger than its query.
std::span<const Datagram> announce(Announcer *announcer, const Session *session,
                                   std::span<const Datagram> datagrams, uint64_t now_us);
// Datagrams received that were no queries.
uint64_t bad_datagrams(const Announcer *announcer);

// --- Finders ---

// Whether join() could succeed, according to the announcement.
enum class Fit : uint8_t {
    fits,
    full,          // The session has peers_max peers.
    other_limits,  // Another peers_max or quorum.
    other_types,   // Another type table.
    other_version, // Another version of the wire format.
};
const char *to_text(Fit fit); // "it is full" and the like.

struct FoundSession {
    char game[name_bytes_max];
    char name[name_bytes_max]; // game and name: untrusted bytes, zero-terminated.
    uint16_t players;          // Members of the session.
    uint16_t peers_max;
    uint64_t types_digest; // Hash of its type table.
    Fit fit;
    bool open;             // The invite is complete: join(session, found.invite).
    Invite invite;         // If not open: the session id, and the rest zero.
    uint64_t last_seen_us; // now_us of the find() that took the latest answer.
};

struct FinderConfig {
    const char *game = ""; // Only sessions of this game; empty: of all games.
    // Config of the session that would join, for FoundSession::fit. Read by make_finder() only.
    // Null: types and limits count as fitting.
    const Config *config = nullptr;
    uint16_t port = discovery_port; // UDP port of the announcers.
};

Finder *make_finder(const FinderConfig &config);
void destroy_finder(Finder *finder);
// Takes the answers among `datagrams`, drops silent sessions, and returns a query once in
// query_interval_ms. The result, and that of found_sessions(), is valid until the next call.
std::span<const Datagram> find(Finder *finder, std::span<const Datagram> datagrams,
                               uint64_t now_us);
// One entry for each session, in the order in which they were found.
std::span<const FoundSession> found_sessions(const Finder *finder);
// Datagrams received that did not answer a query of this finder.
uint64_t bad_datagrams(const Finder *finder);

}
