// Sends arbitrary datagrams to an announcer and a finder. Each datagram that can be read has one
// encoding, each answer belongs to a query and is no larger, and the list of the finder is
// consistent.
#include "tern/discovery.hpp"
#include "discovery/discovery_wire.h"
#include "fuzz/support/chance.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "tern/invites.hpp"
#include "tern/limits.hpp"
#include "tern/tern.hpp"
#include <cstring>

namespace tern::fuzz {

namespace {

using discovery::message_bytes;
using Bytes = std::byte[message_bytes];

struct Word {
    uint32_t number;
};
const Field word_fields[] = {{"number", FieldKind::uint32, offsetof(Word, number)}};
const Type word_types[] = {{"word", sizeof(Word), word_fields, 4}};

struct World {
    Session *session;
    Announcer *announcer;
    Finder *finder;
    uint64_t now_us;
    discovery::Query asked; // The last query of the finder.
};

Address address_of(uint8_t number)
{
    Address address = {};
    address.ip[10] = address.ip[11] = number < 128 ? 0xff : 0;
    address.ip[15] = number;
    address.port = number % 4;
    return address;
}

void try_forms(std::span<const std::byte> datagram)
{
    Bytes again;
    discovery::Query query;
    if (discovery::read_query(datagram, query)) {
        discovery::write_query(query, again);
        TERN_ASSERT(std::memcmp(again, datagram.data(), message_bytes) == 0, "query of %s",
                    query.game);
    }
    discovery::Answer answer;
    if (discovery::read_answer(datagram, answer)) {
        discovery::write_answer(answer, again);
        TERN_ASSERT(std::memcmp(again, datagram.data(), message_bytes) == 0, "answer of %s",
                    answer.name);
    }
}

void to_announcer(World &w, const Datagram &datagram)
{
    discovery::Query query;
    const bool is_query = discovery::read_query(datagram.bytes, query);
    const uint64_t bad = bad_datagrams(w.announcer);
    const std::span<const Datagram> answers =
        announce(w.announcer, w.session, {&datagram, 1}, w.now_us);
    TERN_ASSERT(bad_datagrams(w.announcer) == bad + !is_query, "is a query: %d", is_query);
    TERN_ASSERT(answers.size() <= (is_query ? 1u : 0u), "%zu answers", answers.size());
    for (const Datagram &one : answers) {
        discovery::Answer answer;
        TERN_ASSERT(one.bytes.size() <= datagram.bytes.size(), "%zu bytes", one.bytes.size());
        TERN_ASSERT(one.address == datagram.address, "to port %u", one.address.port);
        TERN_ASSERT(discovery::read_answer(one.bytes, answer) && answer.nonce == query.nonce,
                    "an answer that none can read, to %s", query.game);
    }
}

void check_list(const World &w)
{
    const std::span<const FoundSession> all = found_sessions(w.finder);
    TERN_ASSERT(all.size() <= found_max, "%zu", all.size());
    for (size_t i = 0; i < all.size(); ++i) {
        const FoundSession &one = all[i];
        const Invite &invite = one.invite;
        TERN_ASSERT(one.game[name_bytes_max - 1] == 0 && one.name[name_bytes_max - 1] == 0,
                    "text %zu", i);
        TERN_ASSERT(one.players >= 1 && one.players <= one.peers_max, "%u of %u", one.players,
                    one.peers_max);
        TERN_ASSERT(one.last_seen_us <= w.now_us && w.now_us - one.last_seen_us <= 4'000'000,
                    "entry %zu", i);
        TERN_ASSERT(one.open ? invite.address_count >= 1 : invite.address_count == 0,
                    "%u addresses", invite.address_count);
        for (size_t a = 0; a < invite.address_count; ++a)
            TERN_ASSERT(invite.addresses[a].port != 0, "address %zu", a);
        for (size_t before = 0; before < i; ++before)
            TERN_ASSERT(all[before].invite.session != invite.session, "%zu twice", i);
        if (one.open) TERN_ASSERT(!parse_invite(to_text(invite).text).error, "entry %zu", i);
    }
}

void to_finder(World &w, std::span<const Datagram> datagrams)
{
    for (const Datagram &query : find(w.finder, datagrams, w.now_us))
        TERN_ASSERT(discovery::read_query(query.bytes, w.asked), "%zu bytes", query.bytes.size());
    check_list(w);
}

World &fresh()
{
    static World w;
    static bool made = false;
    seed_chance(1);
    if (!made) {
        made = true;
        Config config = {};
        config.types = word_types;
        w.session = make_session(config);
        start(w.session);
        receive(w.session, {}, 0);
    }
    destroy_announcer(w.announcer);
    destroy_finder(w.finder);
    w.announcer = make_announcer(
        {.game = "words", .name = "of the world", .address = {{}, 7777}, .open = true});
    Config config = {};
    config.types = word_types;
    w.finder = make_finder({.game = "words", .config = &config});
    w.now_us = 0;
    to_finder(w, {});
    return w;
}

// Makes a valid query or answer and may replace some bytes of it by bytes of the input.
void bend(Input &in, const World &w, Bytes &bytes)
{
    const uint8_t what = input::u8(in);
    discovery::Answer answer = {
        1, what % 2 != 0, 0, w.asked.nonce, "words", "any", 1, 2, 1, 16, 0, {}, {}};
    answer.session = input::u8(in);
    answer.port = answer.open ? 7777 : 0;
    if (what & 4)
        discovery::write_query(w.asked, bytes);
    else
        discovery::write_answer(answer, bytes);
    if (what & 2) return;
    const size_t at = input::u8(in) % message_bytes;
    const std::span<const uint8_t> other =
        input::bytes(in, std::min<size_t>(input::u8(in) % 8u, message_bytes - at));
    std::memcpy(bytes + at, other.data(), other.size());
}

}

void fuzz_discovery(std::span<const uint8_t> data)
{
    World &w = fresh();
    Input in = {data};
    while (!input::empty(in)) {
        const uint8_t what = input::u8(in);
        const Address from = address_of(input::u8(in));
        Bytes bytes;
        std::span<const std::byte> datagram = bytes;
        if (what & 1)
            bend(in, w, bytes);
        else
            datagram = std::as_bytes(input::bytes(in, what & 2 ? message_bytes : what));
        try_forms(datagram);
        w.now_us += (what >> 4) * 250'000u;
        const Datagram one = {from, datagram};
        to_announcer(w, one);
        to_finder(w, {&one, 1});
    }
}

}
