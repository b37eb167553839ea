#include "sim/recording/recording.h"
#include "migration/replica.h"
#include "session/recording/record.h"
#include "sim/oracles/oracle_checks.h"
#include "sim/recording/recording_history.h"
#include "sim/world/names.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/handlers.hpp"
#include "tern/host.hpp"
#include "tern/interest.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>

namespace tern::recording {

namespace {

constexpr size_t session_bytes_max = size_t{64} << 30;

// The configuration in the header, and the memory to which it points.
struct Loaded {
    Config config;
    uint8_t seed[32];
    std::string name;
    std::deque<std::string> names;
    std::deque<std::vector<Field>> fields;
    std::vector<Type> types;
    TypeTable table;
};

struct Player {
    std::unique_ptr<Loaded> loaded;
    Session *session = nullptr;
    std::unique_ptr<RecordingHistory> history;
    RecordReader reader;
    std::vector<Datagram> inbox;
    uint64_t first_us = 0, now_us = 0;
    PlayedRecording played = {};
    uint64_t handed_out_bits = 0;
    std::string misuse; // What a call was refused for. The sessions of recordings refused none.
    ~Player() { destroy_session(session); }
};

// --- The header ---

const char *kept(Loaded &loaded, std::string_view name)
{
    return loaded.names.emplace_back(name).c_str();
}

void load_type(Loaded &loaded, ByteReader &r)
{
    const RecordedType recorded = record::read_type(r);
    std::vector<Field> &fields = loaded.fields.emplace_back();
    for (size_t i = 0; i < recorded.field_count && i < fields_max; ++i) {
        const RecordedField field = record::read_field(r);
        fields.push_back(field.field);
        fields.back().name = kept(loaded, field.name);
    }
    Type type = recorded.type;
    type.name = kept(loaded, recorded.name);
    type.fields = fields;
    loaded.types.push_back(type);
}

// Returns an empty string, or what is wrong with the header.
std::string load(std::span<const std::byte> header, std::unique_ptr<Loaded> &out)
{
    auto loaded = std::make_unique<Loaded>();
    ByteReader r = record::byte_reader(header);
    const RecordedConfig recorded = record::read_config(r);
    for (size_t i = 0; i < recorded.type_count && i < types_max; ++i)
        load_type(*loaded, r);
    if (!record::complete(r)) return "its header is damaged";
    loaded->config = recorded.config;
    loaded->name = recorded.name;
    loaded->config.name = loaded->name.c_str();
    loaded->config.types = loaded->types;
    std::memcpy(loaded->seed, recorded.seed, sizeof loaded->seed);
    const std::string problem = config_problem(loaded->config).text;
    if (!problem.empty()) return "its header is damaged: " + problem;
    if (session_bytes(loaded->config) > session_bytes_max)
        return "its header is damaged, or its session takes more than 64 GiB";
    loaded->table = type_table::make(loaded->types);
    out = std::move(loaded);
    return "";
}

// --- One record ---

// The label of the act in a picture. Empty for frequent calls, such as set() and call().
std::string label(const Record &record, ObjectId created)
{
    switch (record.kind) {
    case RecordKind::start: return "start";
    case RecordKind::join: return "join";
    case RecordKind::leave: return "leave";
    case RecordKind::create: return "create " + names::text(created);
    case RecordKind::destroy: return "destroy " + names::text(record.object);
    case RecordKind::claim: return "claim " + names::text(record.object);
    case RecordKind::claim_optimistic: return "claim " + names::text(record.object) + " at once";
    case RecordKind::release: return "release " + names::text(record.object);
    case RecordKind::lock: return "lock " + names::text(record.object);
    case RecordKind::unlock: return "unlock " + names::text(record.object);
    case RecordKind::balance: return "balance";
    case RecordKind::migrate:
        return "migrate " + names::text(record.object) + " to " + names::text(record.peer);
    case RecordKind::refuse_claim: return "refuse " + names::text(record.peer);
    case RecordKind::admit: return "admit " + names::text(record.peer);
    case RecordKind::refuse: return "refuse " + names::text(record.peer);
    case RecordKind::remove: return "remove " + names::text(record.peer);
    case RecordKind::go_on: return "go on";
    default: return "";
    }
}

// Returns what is wrong; empty: nothing.
std::string play_receive(Player &p, const Record &record)
{
    p.inbox.clear();
    Datagram datagram;
    while (record::next_datagram(p.reader, datagram))
        p.inbox.push_back(datagram);
    if (p.inbox.size() != record.datagram_count) return "its datagrams are damaged";
    p.played.received_datagrams += p.inbox.size();
    const std::span<const Event> events = receive(p.session, p.inbox, record.now_us);
    recording_history::events(*p.history, events, record.now_us - p.first_us);
    return "";
}

std::string play_send(Player &p, const Record &record)
{
    const std::span<const Datagram> sent = send(p.session, record.now_us);
    p.played.ticks += 1;
    p.played.sent_datagrams += sent.size();
    for (const Datagram &datagram : sent)
        p.handed_out_bits += datagram.bytes.size() * 8;
    const Violation violation =
        oracle_charges::check(p.handed_out_bits, traffic_rows(p.session), 0);
    if (violation) return violation.text;
    if (record::hash_of(sent) == record.hash) return "";
    return "the " + std::to_string(sent.size()) +
           " datagrams sent here are not those of the recording; was it made by another version?";
}

// Reads the value of a create, a set or a call into *value.
bool read_value(const Player &p, const Record &record, std::byte *value)
{
    const TypeTable &table = p.loaded->table;
    std::memset(value, 0, struct_bytes_max);
    BitReader r = bits::reader(record.bytes);
    type_table::read_fields(r, table, record.type, value,
                            type_table::all_fields(table, record.type));
    return bits::complete(r);
}

bool is_call(RecordKind kind)
{
    return kind == RecordKind::call || kind == RecordKind::call_owner ||
           kind == RecordKind::request || kind == RecordKind::request_owner ||
           kind == RecordKind::reply;
}

void play_call(Player &p, const Record &r, const std::byte *value, size_t size_bytes)
{
    if (r.kind == RecordKind::call)
        call(p.session, r.peer, r.type, value, size_bytes, r.reliability);
    if (r.kind == RecordKind::call_owner)
        call_owner(p.session, r.object, r.type, value, size_bytes);
    if (r.kind == RecordKind::request)
        request(p.session, r.peer, r.type, value, size_bytes, r.timeout_ms);
    if (r.kind == RecordKind::request_owner)
        request_owner(p.session, r.object, r.type, value, size_bytes, r.timeout_ms);
    if (r.kind == RecordKind::reply) reply(p.session, r.peer, r.call, r.type, value, size_bytes);
}

std::string play_value(Player &p, const Record &record, ObjectId &created)
{
    alignas(16) std::byte value[struct_bytes_max];
    if (record.type >= p.loaded->types.size()) return "its type is unknown";
    if (!read_value(p, record, value)) return "its value cannot be read";
    const size_t size_bytes = p.loaded->types[record.type].size_bytes;
    if (record.kind == RecordKind::create)
        created = create(p.session, record.type, value, size_bytes);
    if (record.kind == RecordKind::set) set(p.session, record.object, value, size_bytes);
    if (is_call(record.kind)) play_call(p, record, value, size_bytes);
    return "";
}

void play_plain(Player &p, const Record &record)
{
    Session *s = p.session;
    switch (record.kind) {
    case RecordKind::start: start(s); return;
    case RecordKind::join: join(s, record.invite, {record.bytes}); return;
    case RecordKind::leave: leave(s); return;
    case RecordKind::go_on: go_on(s); return;
    case RecordKind::destroy: destroy(s, record.object); return;
    case RecordKind::claim: claim(s, record.object); return;
    case RecordKind::claim_optimistic: claim(s, record.object, ClaimMode::optimistic); return;
    case RecordKind::release: release_ownership(s, record.object); return;
    case RecordKind::lock: lock(s, record.object, true); return;
    case RecordKind::unlock: lock(s, record.object, false); return;
    case RecordKind::balance: balance(s, record.type); return;
    case RecordKind::priority:
        set_priority(s, record.object, record.peer, static_cast<float>(record.priority) / 256);
        return;
    case RecordKind::migrate: migrate(s, record.object, record.peer); return;
    case RecordKind::refuse_claim: refuse_claim(s, record.object, record.peer); return;
    case RecordKind::admit: admit(s, record.peer); return;
    case RecordKind::remove: remove(s, record.peer); return;
    case RecordKind::refuse: {
        const std::string reason(reinterpret_cast<const char *>(record.bytes.data()),
                                 record.bytes.size());
        refuse(s, record.peer, reason.c_str());
        return;
    }
    default: return;
    }
}

std::string play_record(Player &p, const Record &record)
{
    if (record.kind == RecordKind::none || record.kind == RecordKind::header)
        return "a record of kind " + std::to_string(static_cast<unsigned>(record.kind)) +
               " is none of the game's calls";
    const bool timed = record.kind == RecordKind::receive || record.kind == RecordKind::send;
    if (timed && p.first_us == 0) p.first_us = record.now_us;
    if (timed) p.now_us = record.now_us;
    const uint64_t time_us = p.now_us - p.first_us;
    ObjectId created = ObjectId::none;
    std::string wrong;
    if (record.kind == RecordKind::receive)
        wrong = play_receive(p, record);
    else if (record.kind == RecordKind::send)
        wrong = play_send(p, record);
    else if (record.kind == RecordKind::create || record.kind == RecordKind::set ||
             is_call(record.kind))
        wrong = play_value(p, record, created);
    else
        play_plain(p, record);
    // What the game called was right when it was recorded.
    if (wrong.empty() && !p.misuse.empty()) wrong = "this session has become another: " + p.misuse;
    const std::string text = label(record, created);
    if (!text.empty()) recording_history::act(*p.history, time_us, text);
    recording_history::look(*p.history, p.session, time_us);
    return wrong;
}

// --- The whole recording ---

std::string at(const Player &p, size_t byte, const std::string &what)
{
    char text[64];
    std::snprintf(text, sizeof text, "at byte %zu, %.3f s: ", byte,
                  static_cast<double>(p.now_us - p.first_us) / 1e6);
    return text + what;
}

void note_misuse(void *user, const Misuse &misuse)
{
    static_cast<Player *>(user)->misuse = std::string(misuse.function) + "(): " + misuse.wrong;
}

std::string begin(Player &p)
{
    Record record;
    const ReadRecord read = record::next(p.reader, record);
    if (read == ReadRecord::truncated || read == ReadRecord::end)
        return "it is truncated in its header";
    if (read == ReadRecord::damaged || record.kind != RecordKind::header)
        return "its header is damaged";
    if (const std::string wrong = load(record.bytes, p.loaded); !wrong.empty()) return wrong;
    p.loaded->config.misuse = {note_misuse, &p};
    p.session = inspect::make_seeded_session(p.loaded->config, p.loaded->seed);
    p.history = recording_history::make(p.session, p.loaded->config.name);
    return "";
}

std::string play_all(Player &p)
{
    for (;;) {
        Record record;
        const size_t byte = record::at_bytes(p.reader);
        switch (record::next(p.reader, record)) {
        case ReadRecord::end: return "";
        case ReadRecord::truncated: return at(p, byte, "it is truncated");
        case ReadRecord::damaged: return at(p, byte, "it is damaged");
        case ReadRecord::ok: break;
        }
        if (record.kind == RecordKind::full) {
            p.played.cut_short = true;
            return "";
        }
        const std::string wrong = play_record(p, record);
        if (!wrong.empty()) return at(p, byte, wrong);
    }
}

}

bool is_recording(std::span<const std::byte> bytes)
{
    return record::is_recording(bytes);
}

PlayedRecording play(std::span<const std::byte> recording)
{
    Player p;
    PlayedRecording &played = p.played;
    if (!is_recording(recording)) {
        played.error = "it does not begin as a recording of this version of tern does";
        return played;
    }
    p.reader = record::reader(recording);
    played.error = begin(p);
    if (!p.session) return played;
    played.error = play_all(p);
    played.ok = played.error.empty();
    played.digest = world_digest(p.session);
    played.state = session_state(p.session);
    played.duration_us = p.now_us - p.first_us;
    played.profile.seconds = static_cast<double>(played.duration_us) / 1e6;
    profile::add(played.profile, p.session);
    played.profile.datagrams = played.sent_datagrams; // Without datagrams inside others.
    played.history = recording_history::finish(*p.history, p.session);
    return std::move(played);
}

}
