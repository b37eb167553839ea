// LAN discovery: a member announces its session on the local network, and a finder lists the
// sessions that it finds. docs/use/discovery.md. The comments are in discovery.h.
#pragma once
#include "tern/discovery.h"
#include "tern/io.hpp"
#include "tern/limits.hpp"

namespace tern {

inline constexpr uint16_t discovery_port = TERN_DISCOVERY_PORT;
inline constexpr size_t found_max = TERN_FOUND_MAX;
inline constexpr uint32_t query_interval_ms = TERN_QUERY_INTERVAL_MS;
inline constexpr uint32_t found_age_ms_max = TERN_FOUND_AGE_MS_MAX;

// Announcers use discovery_port, finders 0. The library tern::udp has it.
TERN_API MadeSocket make_discovery_socket(uint16_t port);

// --- Announcers ---

struct Announcement {
    uint32_t struct_size = sizeof(Announcement);
    const char *game = "";
    const char *name = "";
    Address address = {}; // local_address() of the game's socket.
    bool open = false;
};
TERN_TWINS(Announcement, tern_announcement);

// Null, and reported, if the address has no port; null also without memory.
inline Announcer *make_announcer(const Announcement &announcement)
{
    tern_announcer *announcer = nullptr;
    tern_make_announcer(to_c(&announcement), &announcer);
    return announcer;
}

inline void destroy_announcer(Announcer *announcer) { tern_destroy_announcer(announcer); }

inline std::span<const Datagram> announce(Announcer *announcer, const Session *session,
                                          std::span<const Datagram> datagrams, uint64_t now_us)
{
    const tern_datagram *answers = nullptr;
    const size_t count = tern_announce(announcer, session, to_c(datagrams.data()), datagrams.size(),
                                       now_us, &answers);
    return {to_cpp(answers), count};
}

inline uint64_t bad_datagrams(const Announcer *announcer)
{
    return tern_announcer_bad_datagrams(announcer);
}

// --- Finders ---

enum class Fit : uint32_t { fits, full, other_limits, other_types, other_version };

inline const char *to_text(Fit fit) { return tern_fit_text(static_cast<tern_fit>(fit)); }

struct FoundSession {
    char game[name_bytes_max];
    char name[name_bytes_max];
    uint16_t players;
    uint16_t peers_max;
    uint64_t types_digest;
    Fit fit;
    bool open;
    Invite invite;
    uint64_t last_seen_us;
};
TERN_TWINS(FoundSession, tern_found_session);

struct FinderConfig {
    uint32_t struct_size = sizeof(FinderConfig);
    const char *game = "";
    const Config *config = nullptr;
    uint16_t port = discovery_port;
};
TERN_TWINS(FinderConfig, tern_finder_config);

// Null, and reported, if the config has a problem; null also without memory.
inline Finder *make_finder(const FinderConfig &config)
{
    tern_finder *finder = nullptr;
    tern_make_finder(to_c(&config), &finder);
    return finder;
}

inline void destroy_finder(Finder *finder) { tern_destroy_finder(finder); }

inline std::span<const Datagram> find(Finder *finder, std::span<const Datagram> datagrams,
                                      uint64_t now_us)
{
    const tern_datagram *queries = nullptr;
    const size_t count =
        tern_find(finder, to_c(datagrams.data()), datagrams.size(), now_us, &queries);
    return {to_cpp(queries), count};
}

inline std::span<const FoundSession> found_sessions(const Finder *finder)
{
    const tern_found_session *sessions = nullptr;
    const size_t count = tern_found_sessions(finder, &sessions);
    return {to_cpp(sessions), count};
}

inline uint64_t bad_datagrams(const Finder *finder) { return tern_finder_bad_datagrams(finder); }

}
