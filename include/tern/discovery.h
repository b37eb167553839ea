// LAN discovery: a member announces its session on the local network, and a finder lists the
// sessions that it finds, with name, number of players and whether joining could succeed. Like
// sessions, announcers and finders take datagrams and the time and give datagrams; a socket of
// tern_make_discovery_socket() carries them. docs/use/discovery.md. For C99.
//
// A found session is only a hint: anybody on the network can forge an announcement. Only the
// handshake of tern_join() proves which peer answers (docs/security.md).
#ifndef TERN_DISCOVERY_H
#define TERN_DISCOVERY_H

#include "tern/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
} // Their names are tern::Announcer and tern::Finder there, as that of a session is tern::Session.
namespace tern {
struct Announcer;
struct Finder;
}
extern "C" {
typedef tern::Announcer tern_announcer;
typedef tern::Finder tern_finder;
#else
typedef struct tern_announcer tern_announcer;
typedef struct tern_finder tern_finder;
#endif

#define TERN_DISCOVERY_PORT 28376   // UDP. Not assigned by IANA.
#define TERN_DISCOVERY_TEXT_MAX 32  // Bytes of the name of a game or a session, with its zero.
#define TERN_FOUND_MAX 64           // A finder lists so many sessions.
#define TERN_QUERY_INTERVAL_MS 1000 // Between two queries of a finder.
#define TERN_FOUND_AGE_MS_MAX 4000  // A session that is silent for this long is dropped.

// Makes a socket for announcers (port TERN_DISCOVERY_PORT, which several sockets of one machine can
// share) or finders (port 0, any free one). It uses IPv4 and IPv6, as far as the system has them.
// It sends a datagram to 255.255.255.255 through every interface, by broadcast and by multicast. It
// drops datagrams from beyond the local network without counting them. In the library tern::udp.
TERN_API tern_result tern_make_discovery_socket(uint16_t port, tern_socket **socket);

// --- Announcers. Any member of a session may announce it. ---

typedef struct tern_announcement {
    uint32_t struct_size;
    const char *game;     // Finders look for sessions of one game. They see 31 bytes of it. Copied.
    const char *name;     // Name of the session, for people; 31 bytes of it. Copied.
    tern_address address; // The address of the game's socket: its port, and an IP of its version.
    // True: the announcement contains the invite, so anybody who finds the session can join. False:
    // it contains the session id only, and players need an invite from elsewhere.
    bool open;
} tern_announcement;

TERN_API tern_result tern_make_announcer(const tern_announcement *announcement,
                                         tern_announcer **announcer);
TERN_API void tern_destroy_announcer(tern_announcer *announcer);
// Gives the number of answers to the queries among `datagrams`, and points `answers` to them; they
// are valid until the next call. None while the session is not open. At most 32 answers per second
// after a burst of 64, one for each finder in each call, and none larger than its query.
TERN_API size_t tern_announce(tern_announcer *announcer, const tern_session *session,
                              const tern_datagram *datagrams, size_t count, uint64_t now_us,
                              const tern_datagram **answers);
// Datagrams received that were no queries.
TERN_API uint64_t tern_announcer_bad_datagrams(const tern_announcer *announcer);

// --- Finders ---

// Whether tern_join() could succeed, according to the announcement.
typedef enum tern_fit {
    TERN_FITS,
    TERN_FIT_FULL,         // The session has peers_max peers.
    TERN_FIT_OTHER_LIMITS, // Another peers_max or quorum.
    TERN_FIT_OTHER_TYPES,  // Another type table.
    TERN_FIT_OTHER_VERSION // Another version of the wire format.
} tern_fit;
TERN_API const char *tern_fit_text(tern_fit fit); // "it is full" and the like.

typedef struct tern_found_session {
    char game[TERN_DISCOVERY_TEXT_MAX];
    char name[TERN_DISCOVERY_TEXT_MAX]; // game and name: untrusted bytes that end with a zero.
    uint16_t players;                   // Members of the session.
    uint16_t peers_max;
    uint64_t types_digest; // Hash of its type table.
    tern_fit fit;
    bool open;             // The invite is complete: tern_join() takes it.
    tern_invite invite;    // If not open: the session id, and the rest zero.
    uint64_t last_seen_us; // now_us of the tern_find() that took the latest answer.
} tern_found_session;

typedef struct tern_finder_config {
    uint32_t struct_size;
    const char *game; // Only sessions of this game; NULL or empty: of all games. Copied.
    // Config of the session that would join, for tern_found_session.fit. Read by tern_make_finder()
    // only. NULL: types and limits count as fitting.
    const tern_config *config;
    uint16_t port; // UDP port of the announcers. 0: TERN_DISCOVERY_PORT.
} tern_finder_config;

TERN_API tern_result tern_make_finder(const tern_finder_config *config, tern_finder **finder);
TERN_API void tern_destroy_finder(tern_finder *finder);
// Takes the answers among `datagrams`, drops silent sessions, and makes a query once in
// TERN_QUERY_INTERVAL_MS. Gives the number of datagrams to send, 0 or 1, and points `queries` to
// them. They, and the result of tern_found_sessions(), are valid until the next call.
TERN_API size_t tern_find(tern_finder *finder, const tern_datagram *datagrams, size_t count,
                          uint64_t now_us, const tern_datagram **queries);
// Gives the number of sessions, and points `sessions` to them, in the order in which they were
// found.
TERN_API size_t tern_found_sessions(const tern_finder *finder, const tern_found_session **sessions);
// Datagrams received that did not answer a query of this finder.
TERN_API uint64_t tern_finder_bad_datagrams(const tern_finder *finder);

#ifdef __cplusplus
}
#endif
#endif
