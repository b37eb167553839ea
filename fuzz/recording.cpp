// Replays recordings that the input has damaged: whole records are left out, repeated, changed and
// invented, with their check sums put right or not. A damaged recording is refused with a text, or
// replayed as far as it goes.
#include "sim/recording/recording.h"
#include "base/hash.h"
#include "fuzz/support/chance.h"
#include "fuzz/support/endpoints.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "session/recording/record.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/interest.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include "tern/recording.hpp"
#include "tern/untyped.hpp"
#include <vector>

namespace tern::fuzz {

namespace {

using Bytes = std::vector<std::byte>;

constexpr size_t head_bytes = 5, check_bytes = 4; // Around the body of a record: record.cpp.
constexpr size_t mark_bytes = sizeof recording_mark - 1;
constexpr size_t records_max = 200;
constexpr uint32_t objects_bound = 1024; // A damaged header may ask for hundreds of gigabytes.

struct Thing {
    int32_t x;
    ObjectId other;
};
const Field thing_fields[] = {{"x", FieldKind::int32, offsetof(Thing, x)},
                              {"other", FieldKind::object, offsetof(Thing, other)}};
const Type recorded_types[] = {
    {"thing", sizeof(Thing), thing_fields, 8},
    {"asked", sizeof(Thing), thing_fields, 8, Orphan::hold, ClaimPolicy::ask_game},
    {"shout", sizeof(Thing), thing_fields}};
enum : TypeId { THING, ASKED, SHOUT };

// --- Two sessions that are recorded ---

void play(Session *s, int tick, ObjectId (&made)[2], size_t who)
{
    for (const Event &event : session_events(s))
        if (event.kind == EventKind::claim_asked)
            migrate(s, event.claim.object, event.claim.claimer);
    if (session_state(s) != State::open) return;
    const Thing thing = {tick, made[0]};
    if (made[who] == ObjectId::none)
        made[who] = create(s, who == 0 ? ASKED : THING, thing);
    else if (may_set(s, made[who]))
        set(s, Object<Thing>{made[who]}, thing);
    if (tick == 24 && who == 1) claim(s, made[0], ClaimMode::optimistic);
    if (tick == 25 && who == 1) set_priority(s, made[1], local_peer(s), 0.5f);
    if (tick == 26) call(s, PeerId::everyone, SHOUT, thing, Reliability::unreliable);
    if (tick == 27) request(s, PeerId::host, SHOUT, thing);
    if (tick == 28 && who == 0) balance(s, THING);
    if (tick == 30 && may_set(s, made[who])) lock(s, made[who], true);
    if (tick == 29 && who == 1) call_owner(s, made[0], SHOUT, thing);
    if (tick == 34 && who == 1) leave(s);
}

struct Recorded {
    Bytes bytes[2]; // The host's recording comes first.
};

Recorded record_both()
{
    Recorded out;
    Session *sessions[2] = {};
    Bytes wire[2]; // The datagrams to each of them.
    std::vector<size_t> sizes[2];
    ObjectId made[2] = {};
    Config config = {};
    config.types = recorded_types;
    config.peers_max = 2;
    config.recording_bytes_max = 1 << 20;
    seed_chance(1);
    for (Session *&s : sessions)
        receive(s = make_session(config), {}, 1'000'000);
    start(sessions[0]);
    const Address host = numbered_address(0);
    join(sessions[1], make_invite(sessions[0], std::span(&host, 1)));
    for (int tick = 0; tick < 40; ++tick) {
        const uint64_t now_us = 1'000'000 + static_cast<uint64_t>(tick + 1) * 33'333;
        for (size_t who = 0; who < 2; ++who) {
            std::vector<Datagram> in;
            size_t at = 0;
            for (const size_t size : sizes[who]) {
                in.push_back({numbered_address(1 - who), std::span(wire[who]).subspan(at, size)});
                at += size;
            }
            receive(sessions[who], in, now_us);
            wire[who].clear();
            sizes[who].clear();
            play(sessions[who], tick, made, who);
            for (const Datagram &datagram : send(sessions[who], now_us)) {
                wire[1 - who].insert(wire[1 - who].end(), datagram.bytes.begin(),
                                     datagram.bytes.end());
                sizes[1 - who].push_back(datagram.bytes.size());
            }
            const std::span<const std::byte> bytes = take_recording(sessions[who]);
            out.bytes[who].insert(out.bytes[who].end(), bytes.begin(), bytes.end());
        }
    }
    for (Session *s : sessions)
        destroy_session(s);
    return out;
}

// --- Records, apart from each other ---

struct Part {
    uint8_t kind;
    Bytes body;
};

std::vector<Part> apart(const Bytes &recording)
{
    std::vector<Part> parts;
    for (size_t at = mark_bytes; at < recording.size();) {
        size_t size = 0;
        for (size_t i = 0; i < 4; ++i)
            size |= std::to_integer<size_t>(recording[at + 1 + i]) << 8 * i;
        const auto body = recording.begin() + static_cast<ptrdiff_t>(at + head_bytes);
        parts.push_back({std::to_integer<uint8_t>(recording[at]),
                         Bytes(body, body + static_cast<ptrdiff_t>(size))});
        at += head_bytes + size + check_bytes;
    }
    return parts;
}

void append_number(Bytes &out, uint64_t value)
{
    for (int i = 0; i < 4; ++i)
        out.push_back(static_cast<std::byte>(value >> 8 * i));
}

Bytes together(const std::vector<Part> &parts)
{
    const auto mark = std::as_bytes(std::span(recording_mark)).first(mark_bytes);
    Bytes out(mark.begin(), mark.end());
    uint64_t chain = hash::start;
    for (const Part &part : parts) {
        const size_t begin = out.size();
        out.push_back(static_cast<std::byte>(part.kind));
        append_number(out, part.body.size());
        out.insert(out.end(), part.body.begin(), part.body.end());
        chain = hash::add(chain, std::span(out).subspan(begin));
        append_number(out, chain);
    }
    return out;
}

// Returns whether the session of this recording is small enough for a search.
bool is_small(const std::vector<Part> &parts)
{
    if (parts.empty()) return true;
    ByteReader r = record::byte_reader(parts[0].body);
    const RecordedConfig config = record::read_config(r);
    uint64_t objects = 0;
    for (size_t i = 0; i < config.type_count && i < types_max; ++i) {
        const RecordedType type = record::read_type(r);
        objects += type.type.objects_max;
        for (size_t k = 0; k < type.field_count && k < fields_max; ++k)
            record::read_field(r);
    }
    return objects <= objects_bound && config.config.peers_max <= 64;
}

// --- Damage ---

// Returns the index of any record, or of a call of the game, of which there are few.
size_t choice(const std::vector<Part> &parts, Input &in, bool is_act)
{
    std::vector<size_t> acts;
    for (size_t i = 0; is_act && i < parts.size(); ++i)
        if (parts[i].kind != static_cast<uint8_t>(RecordKind::receive) &&
            parts[i].kind != static_cast<uint8_t>(RecordKind::send))
            acts.push_back(i);
    const size_t number = input::u8(in);
    return acts.empty() ? number % parts.size() : acts[number % acts.size()];
}

void damage(std::vector<Part> &parts, Input &in)
{
    if (parts.empty()) return;
    const uint8_t what = input::u8(in);
    const size_t i = choice(parts, in, what >= 64);
    const auto at = parts.begin() + static_cast<ptrdiff_t>(i);
    Bytes &body = parts[i].body;
    switch (what % 8) {
    case 0: parts.erase(at); return;
    case 1:
        parts.insert(parts.begin() + input::u8(in) % static_cast<ptrdiff_t>(parts.size()),
                     Part(parts[i]));
        return;
    case 2: parts[i].kind = input::u8(in) % 32; return;
    case 3: body.resize(body.size() * input::u8(in) / 256); return;
    case 4: std::swap(parts[i], parts[input::u8(in) % parts.size()]); return;
    case 5: {
        const auto bytes = std::as_bytes(input::bytes(in, input::u8(in) % 80u));
        parts.insert(at, {static_cast<uint8_t>(what / 8), Bytes(bytes.begin(), bytes.end())});
        return;
    }
    default: break;
    }
    if (body.empty()) return;
    const size_t from = input::u16(in) % body.size();
    const auto bytes = std::as_bytes(input::bytes(in, what / 8 % 8u + 1));
    for (size_t k = 0; k < bytes.size() && from + k < body.size(); ++k)
        body[from + k] = bytes[k];
}

void check(const PlayedRecording &played)
{
    TERN_ASSERT(played.ok == played.error.empty(), "ok %d: %s", played.ok, played.error.c_str());
}

// Changes bytes of the file, as a bad disk does.
void damage_file(Bytes recording, Input &in)
{
    const Bytes before = recording;
    while (input::u8(in) % 4 != 0)
        recording[input::u16(in) % recording.size()] ^= static_cast<std::byte>(input::u8(in));
    recording.resize(recording.size() * (input::u8(in) + 1u) / 256);
    const PlayedRecording played = recording::play(recording);
    check(played);
    const bool is_part = std::equal(recording.begin(), recording.end(), before.begin());
    TERN_ASSERT(is_part || !played.ok, "it is damaged, and ok");
}

}

void fuzz_recording(std::span<const uint8_t> data)
{
    static const Recorded recorded = record_both();
    static const std::vector<Part> all[2] = {apart(recorded.bytes[0]), apart(recorded.bytes[1])};
    Input in = {data};
    const uint8_t how = input::u8(in);
    if (how % 8 == 0) return damage_file(recorded.bytes[how / 8 % 2], in);
    std::vector<Part> parts = all[how % 2];
    if (how % 8 > 2) parts.resize(std::min(parts.size(), input::u8(in) % records_max + 1));
    for (int i = 0; i < 16 && !input::empty(in); ++i)
        damage(parts, in);
    if (is_small(parts)) check(recording::play(together(parts)));
}

}
