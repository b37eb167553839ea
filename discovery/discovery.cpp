// Announcers answer queries. Finders send queries and list the sessions in the answers. Formats:
// docs/wire_format.md, "Discovery".
#include "tern/discovery.hpp"
#include "discovery/discovery_wire.h"
#include "session/session_types.h"
#include "transport/handshake/allowance.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sodium.h>

namespace tern {

using discovery::message_bytes;

static constexpr uint32_t answers_per_second_max = 32; // Further queries are not answered.
static constexpr uint32_t answers_burst_max = 64;      // Also the most answers of one call.

struct Announcer {
    char game[name_bytes_max], name[name_bytes_max];
    Address address;
    bool open;
    Allowance allowance;
    uint64_t bad_datagrams;
    uint32_t answer_count; // Answers of this call of announce().
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

template <class T> static T *zeroed()
{
    auto *made = static_cast<T *>(std::calloc(1, sizeof(T)));
    TERN_ASSERT(made, "no memory for %zu bytes", sizeof(T));
    return made;
}

static void copy_text(char (&to)[name_bytes_max], const char *from)
{
    std::snprintf(to, sizeof to, "%s", from ? from : "");
}

// --- Announcer ---

Announcer *make_announcer(const Announcement &announcement)
{
    TERN_ASSERT(announcement.address.port != 0, "port %u", announcement.address.port);
    auto *a = zeroed<Announcer>();
    copy_text(a->game, announcement.game);
    copy_text(a->name, announcement.name);
    a->address = announcement.address;
    a->open = announcement.open;
    a->allowance = allowance::make(answers_per_second_max, answers_burst_max);
    return a;
}

void destroy_announcer(Announcer *announcer)
{
    if (!announcer) return;
    sodium_memzero(announcer->answers, sizeof announcer->answers); // They contain invite secrets.
    std::free(announcer);
}

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
    std::memcpy(answer.key, s.keys.public_key, sizeof answer.key);
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

std::span<const Datagram> announce(Announcer *announcer, const Session *session,
                                   std::span<const Datagram> datagrams, uint64_t now_us)
{
    announcer->answer_count = 0;
    for (const Datagram &datagram : datagrams)
        take_query(*announcer, *session, datagram, now_us);
    return {announcer->datagrams, announcer->answer_count};
}

uint64_t bad_datagrams(const Announcer *announcer)
{
    return announcer->bad_datagrams;
}

// --- Finder ---

const char *to_text(Fit fit)
{
    switch (fit) {
    case Fit::fits: return "it fits";
    case Fit::full: return "it is full";
    case Fit::other_limits: return "it has another peers_max or quorum";
    case Fit::other_types: return "it has another type table";
    case Fit::other_version: return "it speaks another version of the wire";
    }
    return "";
}

// A type table is too large for the stack.
static uint64_t digest_of(std::span<const Type> types)
{
    auto *table = zeroed<TypeTable>();
    *table = type_table::make(types);
    const uint64_t digest = type_table::digest(*table);
    std::free(table);
    return digest;
}

Finder *make_finder(const FinderConfig &config)
{
    TERN_ASSERT(config.port != 0, "port %u", config.port);
    init_sodium();
    auto *f = zeroed<Finder>();
    copy_text(f->game, config.game);
    f->port = config.port;
    if (config.config) {
        f->judges = true;
        f->types_digest = digest_of(config.config->types);
        f->peers_max = config.config->peers_max;
        f->quorum = config.config->quorum;
    }
    randombytes_buf(&f->nonce, sizeof f->nonce);
    return f;
}

void destroy_finder(Finder *finder)
{
    if (!finder) return;
    sodium_memzero(finder->sessions, sizeof finder->sessions); // They contain invite secrets.
    std::free(finder);
}

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

std::span<const Datagram> find(Finder *finder, std::span<const Datagram> datagrams, uint64_t now_us)
{
    Finder &f = *finder;
    for (const Datagram &datagram : datagrams)
        take_answer(f, datagram, now_us);
    forget_silent(f, now_us);
    if (now_us < f.next_query_us) return {};
    f.next_query_us = now_us + uint64_t{query_interval_ms} * 1000;
    discovery::Query query = {};
    query.nonce = f.nonce;
    std::memcpy(query.game, f.game, sizeof query.game);
    discovery::write_query(query, f.query_bytes);
    const uint8_t everybody[4] = {255, 255, 255, 255};
    f.query = {address::from_v4(everybody, f.port), f.query_bytes};
    return {&f.query, 1};
}

std::span<const FoundSession> found_sessions(const Finder *finder)
{
    return {finder->sessions, finder->count};
}

uint64_t bad_datagrams(const Finder *finder)
{
    return finder->bad_datagrams;
}

}
