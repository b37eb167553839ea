// Sessions on the local network: a member announces its session, and a finder lists what is there,
// with name, players and whether it fits, before anybody joins. As with sessions, datagrams and
// time go in and datagrams come out; make_discovery_socket() is what carries them.
//
// What is found is a hint: anybody on the network can say anything. Only joining proves who
// answers (docs/use/discovery.md, docs/security.md).
#pragma once
#include "tern/io.h"

namespace tern {

struct Announcer; // Opaque.
struct Finder;    // Opaque.

inline constexpr uint16_t discovery_port = 28'376; // UDP. Assigned to nobody by IANA.
inline constexpr size_t found_max = 64;            // Of a Finder; what is beyond is not listed.
inline constexpr uint32_t query_interval_ms = 1000;
inline constexpr uint32_t found_age_ms_max = 4000; // Not heard of for so long: not listed any more.

// Bound to `port`: discovery_port for who announces (several sockets of a machine can have it), 0
// for who finds. Of both IP versions, as far as the system has them. A datagram to
// 255.255.255.255 goes out through every interface, by broadcast and by multicast; what comes from
// beyond the local network is dropped and not counted. In tern::udp.
MadeSocket make_discovery_socket(uint16_t port);

// --- Who announces. Any member may. ---

struct Announcement {
    const char *game = ""; // Which game: a finder looks for one.
    const char *name = ""; // Of the session, for people. Both cut to name_bytes_max - 1.
    Address address = {};  // The game socket's local_address(): its port and IP version.
    bool open = false;     // Tells the whole invite, so that who finds it can join. False: its
                           // session id alone; an invite must come another way.
};

Announcer *make_announcer(const Announcement &announcement); // Copies the texts.
void destroy_announcer(Announcer *announcer);
// Answers the queries among `datagrams`; nothing while the session is not open. At most 32 answers
// per second after a burst of 64, one per asker and call, none larger than its query. Valid until
// the next call.
std::span<const Datagram> announce(Announcer *announcer, const Session *session,
                                   std::span<const Datagram> datagrams, uint64_t now_us);
uint64_t bad_datagrams(const Announcer *announcer); // Received, and no query.

// --- Who looks ---

// Whether join() could succeed, as the announcement has it.
enum class Fit : uint8_t {
    fits,
    full,          // peers_max are in.
    other_limits,  // Another peers_max or quorum.
    other_types,   // Another type table.
    other_version, // Another version of the wire.
};
const char *text(Fit fit); // "it is full" and the like.

struct FoundSession {
    char game[name_bytes_max];
    char name[name_bytes_max]; // Both are any bytes before the final zero.
    uint16_t players;
    uint16_t peers_max;
    uint64_t types_digest; // Of its type table.
    Fit fit;
    bool open;         // invite is whole: join(session, found.invite).
    Invite invite;     // Not open: its session id, and the rest zero.
    uint64_t heard_us; // The last time, as the now_us of that find().
};

struct FinderConfig {
    const char *game = "";          // Empty: all games.
    const Config *config = nullptr; // Of who would join; read by make_finder() alone. Null: types
                                    // and limits are taken to fit.
    uint16_t port = discovery_port; // Where the announcers are.
};

Finder *make_finder(const FinderConfig &config);
void destroy_finder(Finder *finder);
// Takes the answers among `datagrams`, forgets who is silent, and asks once in query_interval_ms.
// Valid until the next call, as is what found() gives.
std::span<const Datagram> find(Finder *finder, std::span<const Datagram> datagrams,
                               uint64_t now_us);
// One entry per session, in the order in which they were first heard.
std::span<const FoundSession> found(const Finder *finder);
uint64_t bad_datagrams(const Finder *finder); // Received, and no answer to a query of this finder.

}
