// Announcers answer queries. Finders send queries and list the sessions in the answers. Formats:
// docs/wire_format.md, "Discovery".
#include "tern/discovery.hpp"
#include "discovery/discovery_wire.h"
#include "session/config/config.h"
#include "session/config/sized.h"
#include "session/misuse.h"
#include "session/session_types.h"
#include "tern/limits.hpp"
#include "transport/handshake/allowance.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sodium.h>

namespace tern {

using discovery::message_bytes;

// The structs and enumerations of discovery.hpp are those of discovery.h.
#define TERN_ALIKE(Cpp, C, member)                                                                 \
    static_assert(offsetof(Cpp, member) == offsetof(C, member) &&                                  \
                  sizeof(Cpp::member) == sizeof(C::member))
TERN_ALIKE(Announcement, tern_announcement, struct_size);
TERN_ALIKE(Announcement, tern_announcement, game);
TERN_ALIKE(Announcement, tern_announcement, name);
TERN_ALIKE(Announcement, tern_announcement, address);
TERN_ALIKE(Announcement, tern_announcement, open);
TERN_ALIKE(FoundSession, tern_found_session, game);
TERN_ALIKE(FoundSession, tern_found_session, name);
TERN_ALIKE(FoundSession, tern_found_session, players);
TERN_ALIKE(FoundSession, tern_found_session, peers_max);
TERN_ALIKE(FoundSession, tern_found_session, types_digest);
TERN_ALIKE(FoundSession, tern_found_session, fit);
TERN_ALIKE(FoundSession, tern_found_session, open);
TERN_ALIKE(FoundSession, tern_found_session, invite);
TERN_ALIKE(FoundSession, tern_found_session, last_seen_us);
TERN_ALIKE(FinderConfig, tern_finder_config, struct_size);
TERN_ALIKE(FinderConfig, tern_finder_config, game);
TERN_ALIKE(FinderConfig, tern_finder_config, config);
TERN_ALIKE(FinderConfig, tern_finder_config, port);
#undef TERN_ALIKE
static_assert(TERN_FIT_OTHER_VERSION == static_cast<unsigned>(Fit::other_version));

static constexpr uint32_t answers_per_second_max = 32; // Further queries are not answered.
static constexpr uint32_t answers_burst_max = 64;      // Also the most answers of one call.

struct Announcer {
    char game[name_bytes_max], name[name_bytes_max];
    Address address;
    bool open;
    Allowance allowance;
    uint64_t bad_datagrams;
    uint32_t answer_count; // Answers of this call of tern_announce().
    Datagram datagrams[answers_burst_max];
    std::byte answers[answers_burst_max][message_bytes];
};

struct Finder {
    char game[name_bytes_max];
    uint16_t port;
    bool judges; // Sessions fit only if these three members match theirs.
    uint64_t types_digest;
    uint16_t peers_max;
    Quorum quorum;
    uint64_t nonce; // Random, so that only a machine that received a query can answer it.
    uint64_t next_query_us;
    uint64_t bad_datagrams;
    uint32_t count;
    FoundSession sessions[found_max];
    Datagram query;
    std::byte query_bytes[message_bytes];
};

static void init_sodium()
{
    const int sodium = sodium_init();
    TERN_ASSERT(sodium >= 0, "libsodium gave %d", sodium);
}

template <class T> static T *zeroed() // Null: there is no memory.
{
    return static_cast<T *>(std::calloc(1, sizeof(T)));
}

static void copy_text(char (&to)[name_bytes_max], const char *from)
{
    std::snprintf(to, sizeof to, "%s", from ? from : "");
}

// Whether the caller of a function has given the pointer; if not, it is reported.
static bool is_given(const void *pointer, const char *function)
{
    if (pointer) return true;
    return misuse::report(MisuseHandler{}, function, "Check what was made before it is used.",
                          "A pointer is null.");
}

// Reports a struct that does not show its size.
template <class T> static bool is_sized(const T *given, const char *function)
{
    if (given && sized::is_sized<T>(given->struct_size)) return true;
    return misuse::report(MisuseHandler{}, function, "Set struct_size to the sizeof of the struct.",
                          "The struct is null, or its struct_size is not set.");
}

// --- Announcer ---

static bool is_answered(const Announcer &a, const Address &asker)
{
    for (uint32_t i = 0; i < a.answer_count; ++i)
        if (a.datagrams[i].address == asker) return true;
    return false;
}

// To join, the asker sends to the game's socket, which must support its IP version.
static bool can_reach(const Announcer &a, const Address &asker)
{
    return address::is_v4(asker) || !address::is_v4(a.address);
}

static discovery::Answer answer_to(const discovery::Query &query, const Announcer &a,
                                   const Session &s)
{
    discovery::Answer answer = {};
    answer.version = wire_version;
    answer.open = a.open;
    answer.quorum = static_cast<uint8_t>(s.config.quorum);
    answer.nonce = query.nonce;
    std::memcpy(answer.game, a.game, sizeof answer.game);
    std::memcpy(answer.name, a.name, sizeof answer.name);
    answer.session = s.invite.session;
    answer.types_digest = type_table::digest(s.types);
    answer.players = static_cast<uint16_t>(other_peers(&s).size() + 1);
    answer.peers_max = s.config.peers_max;
    if (!a.open) return answer;
    answer.port = a.address.port;
    std::memcpy(answer.key, s.secrets.keys.public_key, sizeof answer.key);
    std::memcpy(answer.secret, s.invite.secret, sizeof answer.secret);
    return answer;
}

static void take_query(Announcer &a, const Session &s, const Datagram &datagram, uint64_t now_us)
{
    discovery::Query query;
    if (!discovery::read_query(datagram.bytes, query)) {
        a.bad_datagrams += 1;
        return;
    }
    if (query.game[0] != '\0' && std::strcmp(query.game, a.game) != 0) return;
    if (s.state != State::open || !can_reach(a, datagram.address)) return;
    // A query may arrive several times (broadcast, multicast, several interfaces).
    if (a.answer_count == answers_burst_max || is_answered(a, datagram.address)) return;
    if (!allowance::take(a.allowance, now_us)) return;
    std::byte(&bytes)[message_bytes] = a.answers[a.answer_count];
    discovery::write_answer(answer_to(query, a, s), bytes);
    a.datagrams[a.answer_count] = {datagram.address, bytes};
    a.answer_count += 1;
}

// --- Finder ---

static Fit judge(const Finder &f, const discovery::Answer &answer)
{
    if (answer.version != wire_version) return Fit::other_version;
    if (f.judges && answer.types_digest != f.types_digest) return Fit::other_types;
    if (f.judges && answer.peers_max != f.peers_max) return Fit::other_limits;
    if (f.judges && answer.quorum != static_cast<uint8_t>(f.quorum)) return Fit::other_limits;
    return answer.players == answer.peers_max ? Fit::full : Fit::fits;
}

static FoundSession *find_session(Finder &f, uint64_t session)
{
    for (uint32_t i = 0; i < f.count; ++i)
        if (f.sessions[i].invite.session == session) return &f.sessions[i];
    return nullptr;
}

static bool names_the_same_member(const FoundSession &found, const discovery::Answer &answer)
{
    return found.open == answer.open &&
           std::memcmp(found.invite.key, answer.key, sizeof answer.key) == 0 &&
           std::memcmp(found.invite.secret, answer.secret, sizeof answer.secret) == 0;
}

// Several members may announce one session; its entry keeps the data of one of them. An answer with
// an invite replaces an entry without one; otherwise the first member stays until the entry
// expires. Null: the answer is not needed.
static FoundSession *entry_for(Finder &f, const discovery::Answer &answer)
{
    FoundSession *found = find_session(f, answer.session);
    if (found && names_the_same_member(*found, answer)) return found;
    if (found && (found->open || !answer.open)) return nullptr;
    if (!found) {
        if (f.count == found_max) return nullptr;
        found = &f.sessions[f.count];
        f.count += 1;
    }
    *found = {};
    found->open = answer.open;
    found->invite.session = answer.session;
    std::memcpy(found->invite.key, answer.key, sizeof answer.key);
    std::memcpy(found->invite.secret, answer.secret, sizeof answer.secret);
    return found;
}

static void add_address(Invite &invite, Address address, uint16_t port)
{
    address.port = port;
    for (size_t i = 0; i < invite.address_count; ++i)
        if (invite.addresses[i] == address) return;
    if (invite.address_count == invite_addresses_max) return;
    invite.addresses[invite.address_count] = address;
    invite.address_count += 1;
}

static void take_answer(Finder &f, const Datagram &datagram, uint64_t now_us)
{
    discovery::Answer answer;
    if (!discovery::read_answer(datagram.bytes, answer) || answer.nonce != f.nonce ||
        (f.game[0] != '\0' && std::strcmp(f.game, answer.game) != 0)) {
        f.bad_datagrams += 1;
        return;
    }
    FoundSession *found = entry_for(f, answer);
    if (!found) return;
    std::memcpy(found->game, answer.game, sizeof answer.game);
    std::memcpy(found->name, answer.name, sizeof answer.name);
    found->players = answer.players;
    found->peers_max = answer.peers_max;
    found->types_digest = answer.types_digest;
    found->fit = judge(f, answer);
    found->last_seen_us = now_us;
    if (answer.open) add_address(found->invite, datagram.address, answer.port);
}

static void forget_silent(Finder &f, uint64_t now_us)
{
    const auto silent = [now_us](const FoundSession &found) {
        return now_us - found.last_seen_us > uint64_t{found_age_ms_max} * 1000;
    };
    FoundSession *end = std::remove_if(f.sessions, f.sessions + f.count, silent);
    f.count = static_cast<uint32_t>(end - f.sessions);
}

static void make_query(Finder &f)
{
    discovery::Query query = {};
    query.nonce = f.nonce;
    std::memcpy(query.game, f.game, sizeof query.game);
    discovery::write_query(query, f.query_bytes);
    const uint8_t everybody[4] = {255, 255, 255, 255};
    f.query = {address::from_v4(everybody, f.port), f.query_bytes};
}

// A type table is too large for the stack. False: there is no memory.
static bool judge_by(Finder &f, const Config &config)
{
    auto *table = zeroed<TypeTable>();
    if (!table) return false;
    *table = type_table::make(config.types);
    f.judges = true;
    f.types_digest = type_table::digest(*table);
    f.peers_max = config.peers_max;
    f.quorum = config.quorum;
    std::free(table);
    return true;
}

// Makes the finder judge the sessions that it finds by the config of its caller.
static tern_result judge_by(Finder &f, const Config *given)
{
    if (!given) return TERN_OK;
    const session::CopiedConfig copy = session::copy_config(given);
    if (copy.problem.text[0] != 0) {
        misuse::report(session::misuse_handler(given), "make_finder",
                       "Show what config_problem() returns for settings from a file.",
                       "The config is wrong: %s.", copy.problem.text);
        return TERN_BAD_CONFIG;
    }
    if (!copy.block) return TERN_NO_MEMORY;
    const bool judges = judge_by(f, copy.config);
    session::free_copy(copy);
    return judges ? TERN_OK : TERN_NO_MEMORY;
}

}

using namespace tern;

// --- The functions of discovery.h on announcers ---

tern_result tern_make_announcer(const tern_announcement *announcement, tern_announcer **announcer)
{
    const Announcement *given = to_cpp(announcement);
    if (!is_sized(given, "make_announcer") || !is_given(announcer, "make_announcer"))
        return TERN_MISUSE;
    const Announcement known = sized::known_part(given, given->struct_size);
    if (known.address.port == 0) {
        misuse::report(MisuseHandler{}, "make_announcer",
                       "Give the local address of the game's socket.",
                       "The address of the announcement has no port.");
        return TERN_MISUSE;
    }
    auto *a = zeroed<Announcer>();
    if (!a) return TERN_NO_MEMORY;
    copy_text(a->game, known.game);
    copy_text(a->name, known.name);
    a->address = known.address;
    a->open = known.open;
    a->allowance = allowance::make(answers_per_second_max, answers_burst_max);
    *announcer = a;
    return TERN_OK;
}

void tern_destroy_announcer(tern_announcer *announcer)
{
    if (!announcer) return;
    sodium_memzero(announcer->answers, sizeof announcer->answers); // They contain invite secrets.
    std::free(announcer);
}

size_t tern_announce(tern_announcer *announcer, const tern_session *session,
                     const tern_datagram *datagrams, size_t count, uint64_t now_us,
                     const tern_datagram **answers)
{
    if (answers) *answers = nullptr;
    const misuse::Entry entry(session, "announce");
    if (!entry || !is_given(announcer, "announce")) return 0;
    if (count > 0 && !is_given(datagrams, "announce")) return 0;
    announcer->answer_count = 0;
    for (const Datagram &datagram : std::span(to_cpp(datagrams), count))
        take_query(*announcer, *session, datagram, now_us);
    if (answers) *answers = to_c(announcer->datagrams);
    return announcer->answer_count;
}

uint64_t tern_announcer_bad_datagrams(const tern_announcer *announcer)
{
    return is_given(announcer, "bad_datagrams") ? announcer->bad_datagrams : 0;
}

// --- The functions of discovery.h on finders ---

const char *tern_fit_text(tern_fit fit)
{
    switch (fit) {
    case TERN_FITS: return "it fits";
    case TERN_FIT_FULL: return "it is full";
    case TERN_FIT_OTHER_LIMITS: return "it has another peers_max or quorum";
    case TERN_FIT_OTHER_TYPES: return "it has another type table";
    case TERN_FIT_OTHER_VERSION: return "it speaks another version of the wire";
    }
    return "";
}

tern_result tern_make_finder(const tern_finder_config *config, tern_finder **finder)
{
    const FinderConfig *given = to_cpp(config);
    if (!is_sized(given, "make_finder") || !is_given(finder, "make_finder")) return TERN_MISUSE;
    const FinderConfig known = sized::known_part(given, given->struct_size);
    init_sodium();
    auto *f = zeroed<Finder>();
    if (!f) return TERN_NO_MEMORY;
    copy_text(f->game, known.game);
    f->port = known.port != 0 ? known.port : discovery_port;
    randombytes_buf(&f->nonce, sizeof f->nonce);
    const tern_result result = judge_by(*f, known.config);
    if (result == TERN_OK)
        *finder = f;
    else
        std::free(f);
    return result;
}

void tern_destroy_finder(tern_finder *finder)
{
    if (!finder) return;
    sodium_memzero(finder->sessions, sizeof finder->sessions); // They contain invite secrets.
    std::free(finder);
}

size_t tern_find(tern_finder *finder, const tern_datagram *datagrams, size_t count, uint64_t now_us,
                 const tern_datagram **queries)
{
    if (queries) *queries = nullptr;
    if (!is_given(finder, "find")) return 0;
    if (count > 0 && !is_given(datagrams, "find")) return 0;
    Finder &f = *finder;
    for (const Datagram &datagram : std::span(to_cpp(datagrams), count))
        take_answer(f, datagram, now_us);
    forget_silent(f, now_us);
    if (now_us < f.next_query_us) return 0;
    f.next_query_us = now_us + uint64_t{query_interval_ms} * 1000;
    make_query(f);
    if (queries) *queries = to_c(&f.query);
    return 1;
}

size_t tern_found_sessions(const tern_finder *finder, const tern_found_session **sessions)
{
    if (sessions) *sessions = nullptr;
    if (!is_given(finder, "found_sessions")) return 0;
    if (sessions) *sessions = to_c(finder->sessions);
    return finder->count;
}

uint64_t tern_finder_bad_datagrams(const tern_finder *finder)
{
    return is_given(finder, "bad_datagrams") ? finder->bad_datagrams : 0;
}
