#include "session/recording/record.h"
#include "base/assert.h"
#include "base/hash.h"
#include "tern/calls.hpp"
#include "transport/transport_types.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::record {

static constexpr size_t mark_bytes = sizeof recording_mark - 1;
static constexpr size_t head_bytes = 5;  // Kind 1, length of the body 4.
static constexpr size_t check_bytes = 4; // The low bytes of the hash of all records up to here.

// --- The header: write and read side by side ---

static void write_text(BitWriter &w, const char *text)
{
    const size_t length = text ? std::strlen(text) : 0;
    bits::write_varint(w, length);
    bits::write_bytes(w, std::as_bytes(std::span(text, length)));
}

static void fail(ByteReader &r)
{
    r._left = {};
    r._failed = true;
}

static std::span<const std::byte> view(ByteReader &r, uint64_t size)
{
    if (size > r._left.size()) fail(r);
    const std::span<const std::byte> out = r._left.first(r._failed ? 0 : size);
    r._left = r._left.subspan(out.size());
    return out;
}

static uint64_t number(ByteReader &r, unsigned byte_count)
{
    BitReader reader = bits::reader(view(r, byte_count));
    return bits::read(reader, byte_count * 8);
}

static uint64_t varint(ByteReader &r)
{
    BitReader reader = bits::reader(r._left);
    const uint64_t value = bits::read_varint(reader);
    if (bits::failed(reader))
        fail(r);
    else
        view(r, bits::bit_count(reader) / 8);
    return value;
}

static std::string_view text(ByteReader &r)
{
    const std::span<const std::byte> bytes = view(r, varint(r));
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

static void write_field(BitWriter &w, const Field &field)
{
    write_text(w, field.name);
    bits::write(w, static_cast<uint64_t>(field.kind), 8);
    bits::write(w, field.offset_bytes, 16);
    bits::write(w, field.count, 16);
    for (const double value : {field.min, field.max, field.step, field.bound})
        bits::write(w, std::bit_cast<uint64_t>(value), 64);
}

RecordedField read_field(ByteReader &r)
{
    RecordedField read = {};
    read.name = text(r);
    const uint64_t kind = number(r, 1);
    if (kind > static_cast<uint64_t>(FieldKind::values)) fail(r);
    read.field.kind = static_cast<FieldKind>(kind);
    read.field.offset_bytes = static_cast<uint16_t>(number(r, 2));
    read.field.count = static_cast<uint16_t>(number(r, 2));
    for (double *value : {&read.field.min, &read.field.max, &read.field.step, &read.field.bound})
        *value = std::bit_cast<double>(number(r, 8));
    return read;
}

static void write_type(BitWriter &w, const Type &type)
{
    write_text(w, type.name);
    bits::write(w, type.size_bytes, 16);
    bits::write(w, type.objects_max, 32);
    bits::write(w, type.predicted ? 1 : 0, 8);
    bits::write(w, static_cast<uint64_t>(type.orphan), 8);
    bits::write(w, static_cast<uint64_t>(type.claim), 8);
    bits::write(w, type.claim_cooldown_ms, 32);
    bits::write(w, type.owned_max, 32);
    bits::write(w, type.claims_per_second_max, 16);
    bits::write(w, static_cast<uint64_t>(type.callers), 8);
    bits::write(w, type.calls_per_second_max, 16);
    bits::write(w, type.fields.size(), 16);
}

RecordedType read_type(ByteReader &r)
{
    RecordedType read = {};
    read.name = text(r);
    read.type.size_bytes = static_cast<uint16_t>(number(r, 2));
    read.type.objects_max = static_cast<uint32_t>(number(r, 4));
    const uint64_t predicted = number(r, 1);
    if (predicted > 1) fail(r);
    read.type.predicted = predicted != 0;
    const uint64_t orphan = number(r, 1);
    if (orphan > static_cast<uint64_t>(Orphan::hold)) fail(r);
    read.type.orphan = static_cast<Orphan>(orphan);
    const uint64_t claim = number(r, 1);
    if (claim > static_cast<uint64_t>(ClaimPolicy::never)) fail(r);
    read.type.claim = static_cast<ClaimPolicy>(claim);
    read.type.claim_cooldown_ms = static_cast<uint32_t>(number(r, 4));
    read.type.owned_max = static_cast<uint32_t>(number(r, 4));
    read.type.claims_per_second_max = static_cast<uint16_t>(number(r, 2));
    const uint64_t callers = number(r, 1);
    if (callers > static_cast<uint64_t>(Callers::owner)) fail(r);
    read.type.callers = static_cast<Callers>(callers);
    read.type.calls_per_second_max = static_cast<uint16_t>(number(r, 2));
    read.field_count = static_cast<uint16_t>(number(r, 2));
    return read;
}

static void write_config(BitWriter &w, const Config &config, const uint8_t (&seed)[32])
{
    bits::write_bytes(w, std::as_bytes(std::span(seed)));
    bits::write(w, wire_version, 8);
    bits::write(w, config.peers_max, 16);
    bits::write(w, static_cast<uint64_t>(config.admission), 8);
    bits::write(w, static_cast<uint64_t>(config.misbehaviour), 8);
    bits::write(w, static_cast<uint64_t>(config.quorum), 8);
    bits::write(w, static_cast<uint64_t>(config.topology), 8);
    bits::write(w, config.send_bytes_per_second_max, 32);
    bits::write(w, config.bridge_bytes_per_second_max, 32);
    bits::write(w, config.forward_bytes_per_second_max, 32);
    bits::write(w, config.timeout_ms, 32);
    bits::write(w, config.join_timeout_ms, 32);
    bits::write(w, config.go_on_after_ms, 32);
    write_text(w, config.name);
    bits::write(w, config.types.size(), 16);
}

RecordedConfig read_config(ByteReader &r)
{
    RecordedConfig read = {};
    const std::span<const std::byte> seed = view(r, sizeof read.seed);
    std::copy(seed.begin(), seed.end(), std::as_writable_bytes(std::span(read.seed)).begin());
    read.wire_version = static_cast<uint8_t>(number(r, 1));
    read.config.peers_max = static_cast<uint16_t>(number(r, 2));
    const uint64_t admission = number(r, 1);
    if (admission > static_cast<uint64_t>(Admission::ask_game)) fail(r);
    read.config.admission = static_cast<Admission>(admission);
    const uint64_t misbehaviour = number(r, 1);
    if (misbehaviour > static_cast<uint64_t>(Misbehaviour::ask_game)) fail(r);
    read.config.misbehaviour = static_cast<Misbehaviour>(misbehaviour);
    const uint64_t quorum = number(r, 1);
    if (quorum > static_cast<uint64_t>(Quorum::survivors)) fail(r);
    read.config.quorum = static_cast<Quorum>(quorum);
    const uint64_t topology = number(r, 1);
    if (topology > static_cast<uint64_t>(Topology::star)) fail(r);
    read.config.topology = static_cast<Topology>(topology);
    read.config.send_bytes_per_second_max = static_cast<uint32_t>(number(r, 4));
    read.config.bridge_bytes_per_second_max = static_cast<uint32_t>(number(r, 4));
    read.config.forward_bytes_per_second_max = static_cast<uint32_t>(number(r, 4));
    read.config.timeout_ms = static_cast<uint32_t>(number(r, 4));
    read.config.join_timeout_ms = static_cast<uint32_t>(number(r, 4));
    read.config.go_on_after_ms = static_cast<uint32_t>(number(r, 4));
    read.name = text(r);
    read.type_count = static_cast<uint16_t>(number(r, 2));
    return read;
}

ByteReader byte_reader(std::span<const std::byte> bytes)
{
    return {bytes, false};
}

bool complete(const ByteReader &r)
{
    return !r._failed && r._left.empty();
}

// --- Parts of records ---

// An address in the book is written as its index. Another one is written as the book's size and the
// address, and is added to the book while there is room.
static uint32_t find(const AddressBook &book, const Address &address)
{
    const Address *end = book.addresses + book.count;
    return static_cast<uint32_t>(std::find(book.addresses, end, address) - book.addresses);
}

static void append(AddressBook &book, const Address &address)
{
    if (book.count == recorded_addresses_max) return;
    book.addresses[book.count] = address;
    book.count += 1;
}

static void write_address(BitWriter &w, AddressBook &book, const Address &address)
{
    const uint32_t index = find(book, address);
    bits::write(w, index, 8);
    if (index < book.count) return;
    bits::write_bytes(w, std::as_bytes(std::span(address.ip)));
    bits::write(w, address.port, 16);
    append(book, address);
}

static Address read_address(ByteReader &r, AddressBook &book)
{
    const uint64_t index = number(r, 1);
    if (index < book.count) return book.addresses[index];
    if (index > book.count) fail(r);
    Address address = {};
    const std::span<const std::byte> ip = view(r, sizeof address.ip);
    std::copy(ip.begin(), ip.end(), std::as_writable_bytes(std::span(address.ip)).begin());
    address.port = static_cast<uint16_t>(number(r, 2));
    append(book, address);
    return address;
}

static void write_bytes(BitWriter &w, std::span<const std::byte> bytes)
{
    bits::write_varint(w, bytes.size());
    bits::write_bytes(w, bytes);
}

static std::span<const std::byte> read_bytes(ByteReader &r)
{
    return view(r, varint(r));
}

static void write_datagrams(BitWriter &w, AddressBook &book, std::span<const Datagram> datagrams)
{
    bits::write_varint(w, datagrams.size());
    for (const Datagram &datagram : datagrams) {
        write_address(w, book, datagram.address);
        write_bytes(w, datagram.bytes);
    }
}

bool next_datagram(RecordReader &reader, Datagram &datagram)
{
    if (reader._datagrams.empty()) return false;
    ByteReader r = byte_reader(reader._datagrams);
    datagram.address = read_address(r, reader._book);
    datagram.bytes = read_bytes(r);
    reader._datagrams = r._left;
    return !r._failed;
}

static void write_invite(BitWriter &w, const Invite &invite)
{
    bits::write(w, invite.session, 64);
    bits::write_bytes(w, std::as_bytes(std::span(invite.key)));
    bits::write_bytes(w, std::as_bytes(std::span(invite.secret)));
    bits::write(w, invite.address_count, 8);
    for (uint8_t i = 0; i < invite.address_count; ++i) {
        bits::write_bytes(w, std::as_bytes(std::span(invite.addresses[i].ip)));
        bits::write(w, invite.addresses[i].port, 16);
    }
}

static Invite read_invite(ByteReader &r)
{
    Invite invite = {};
    const auto read = [&r](auto &to) {
        const std::span<const std::byte> bytes = view(r, sizeof to);
        std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(to)).begin());
    };
    invite.session = number(r, 8);
    read(invite.key);
    read(invite.secret);
    invite.address_count = static_cast<uint8_t>(number(r, 1));
    if (invite.address_count > invite_addresses_max) fail(r);
    for (uint8_t i = 0; i < invite.address_count && !r._failed; ++i) {
        read(invite.addresses[i].ip);
        invite.addresses[i].port = static_cast<uint16_t>(number(r, 2));
    }
    return invite;
}

static bool is_owner_call(RecordKind kind)
{
    return kind == RecordKind::call_owner || kind == RecordKind::request_owner;
}

static bool is_call(RecordKind kind)
{
    return kind == RecordKind::call || is_owner_call(kind) || kind == RecordKind::request ||
           kind == RecordKind::reply;
}

static bool has_timeout(RecordKind kind)
{
    return kind == RecordKind::request || kind == RecordKind::request_owner;
}

static bool has_peer(RecordKind kind)
{
    return kind == RecordKind::migrate || kind == RecordKind::refuse_claim ||
           kind == RecordKind::call || kind == RecordKind::request || kind == RecordKind::reply ||
           kind == RecordKind::admit || kind == RecordKind::refuse || kind == RecordKind::remove ||
           kind == RecordKind::priority;
}

static bool has_object(RecordKind kind)
{
    return kind == RecordKind::set || kind == RecordKind::destroy || kind == RecordKind::claim ||
           kind == RecordKind::claim_optimistic || kind == RecordKind::migrate ||
           kind == RecordKind::refuse_claim || kind == RecordKind::release ||
           kind == RecordKind::lock || kind == RecordKind::unlock || is_owner_call(kind) ||
           kind == RecordKind::priority;
}

static bool has_type(RecordKind kind)
{
    return kind == RecordKind::create || kind == RecordKind::set || is_call(kind) ||
           kind == RecordKind::balance;
}

static bool has_value(RecordKind kind)
{
    return kind == RecordKind::create || kind == RecordKind::set || is_call(kind);
}

static bool has_time(RecordKind kind)
{
    return kind == RecordKind::receive || kind == RecordKind::send;
}

// --- A record ---

static void write_body(BitWriter &w, Recorder &recorder, const Record &record)
{
    if (has_time(record.kind)) bits::write_varint(w, record.now_us - recorder._last_us);
    if (record.kind == RecordKind::receive) write_datagrams(w, recorder._book, record.datagrams);
    if (record.kind == RecordKind::send) bits::write(w, record.hash, 64);
    if (record.kind == RecordKind::join) write_invite(w, record.invite);
    if (has_peer(record.kind)) bits::write(w, static_cast<uint64_t>(record.peer), 16);
    if (has_object(record.kind)) bits::write(w, static_cast<uint64_t>(record.object), 64);
    if (has_type(record.kind)) bits::write(w, record.type, 8);
    if (record.kind == RecordKind::priority) bits::write(w, record.priority, 16);
    if (record.kind == RecordKind::call)
        bits::write(w, static_cast<uint64_t>(record.reliability), 8);
    if (record.kind == RecordKind::reply) bits::write(w, static_cast<uint32_t>(record.call), 32);
    if (has_timeout(record.kind)) bits::write(w, record.timeout_ms, 32);
    if (has_value(record.kind) || record.kind == RecordKind::join ||
        record.kind == RecordKind::refuse)
        write_bytes(w, record.bytes);
}

static bool read_body(RecordReader &reader, std::span<const std::byte> body, Record &record)
{
    ByteReader r = byte_reader(body);
    if (record.kind == RecordKind::header) {
        record.bytes = body;
        return true;
    }
    if (has_time(record.kind)) reader._last_us = record.now_us = reader._last_us + varint(r);
    if (record.kind == RecordKind::receive) {
        record.datagram_count = static_cast<uint32_t>(varint(r));
        reader._datagrams = r._left;
        return !r._failed;
    }
    if (record.kind == RecordKind::send) record.hash = number(r, 8);
    if (record.kind == RecordKind::join) record.invite = read_invite(r);
    if (has_peer(record.kind)) record.peer = static_cast<PeerId>(number(r, 2));
    if (has_object(record.kind)) record.object = static_cast<ObjectId>(number(r, 8));
    if (has_type(record.kind)) record.type = static_cast<TypeId>(number(r, 1));
    if (record.kind == RecordKind::priority) record.priority = static_cast<uint16_t>(number(r, 2));
    if (record.kind == RecordKind::call)
        record.reliability = number(r, 1) == 0 ? Reliability::reliable : Reliability::unreliable;
    if (record.kind == RecordKind::reply) record.call = static_cast<CallId>(number(r, 4));
    if (has_timeout(record.kind)) record.timeout_ms = static_cast<uint32_t>(number(r, 4));
    if (has_value(record.kind) || record.kind == RecordKind::join ||
        record.kind == RecordKind::refuse)
        record.bytes = read_bytes(r);
    return complete(r);
}

// Completes a record around a body of `size_bytes` that was written to room(): kind and length
// before it, the check behind it.
static void close_record(Recorder &recorder, RecordKind kind, size_t size_bytes)
{
    const std::span<std::byte> whole =
        recorder._memory.subspan(recorder._used_bytes, head_bytes + size_bytes + check_bytes);
    BitWriter head = bits::writer(whole.first(head_bytes));
    bits::write(head, static_cast<uint64_t>(kind), 8);
    bits::write(head, size_bytes, 32);
    recorder._chain = hash::add(recorder._chain, whole.first(head_bytes + size_bytes));
    BitWriter check = bits::writer(whole.last(check_bytes));
    bits::write(check, recorder._chain & UINT32_MAX, 32);
    recorder._used_bytes += whole.size();
}

// Where the next body may be written. Behind it stays room for the final record, RecordKind::full.
static std::span<std::byte> room(const Recorder &recorder)
{
    const size_t used = recorder._used_bytes + 2 * (head_bytes + check_bytes);
    if (used >= recorder._memory.size()) return {};
    return recorder._memory.subspan(recorder._used_bytes + head_bytes,
                                    recorder._memory.size() - used);
}

static void write_or_end(Recorder &recorder, RecordKind kind, const BitWriter &w)
{
    recorder._full = bits::overflow(w);
    if (recorder._full)
        close_record(recorder, RecordKind::full, 0);
    else
        close_record(recorder, kind, bits::size_bytes(w));
}

void begin(Recorder &recorder, std::span<std::byte> memory, const Config &config,
           const uint8_t (&seed)[32])
{
    TERN_ASSERT(memory.size() >= recording_bytes_min, "recording_bytes_max %zu", memory.size());
    recorder = {};
    recorder._memory = memory;
    recorder._chain = hash::start;
    std::memcpy(memory.data(), recording_mark, mark_bytes);
    recorder._used_bytes = mark_bytes;
    BitWriter w = bits::writer(room(recorder));
    write_config(w, config, seed);
    for (const Type &type : config.types) {
        write_type(w, type);
        for (const Field &field : type.fields)
            write_field(w, field);
    }
    write_or_end(recorder, RecordKind::header, w);
}

bool is_on(const Recorder &recorder)
{
    return !recorder._memory.empty() && !recorder._full;
}

void add(Recorder &recorder, const Record &record)
{
    if (!is_on(recorder)) return;
    BitWriter w = bits::writer(room(recorder));
    write_body(w, recorder, record);
    write_or_end(recorder, record.kind, w);
    if (has_time(record.kind)) recorder._last_us = record.now_us;
}

std::span<const std::byte> take(Recorder &recorder)
{
    const std::span<const std::byte> taken = recorder._memory.first(recorder._used_bytes);
    recorder._used_bytes = 0;
    return taken;
}

bool is_recording(std::span<const std::byte> bytes)
{
    return bytes.size() >= mark_bytes && std::memcmp(bytes.data(), recording_mark, mark_bytes) == 0;
}

RecordReader reader(std::span<const std::byte> recording)
{
    RecordReader reader = {};
    reader._recording = recording;
    reader._at_bytes = is_recording(recording) ? mark_bytes : recording.size();
    reader._chain = hash::start;
    return reader;
}

size_t at_bytes(const RecordReader &reader)
{
    return reader._at_bytes;
}

ReadRecord next(RecordReader &reader, Record &record)
{
    record = {};
    Datagram unread;
    while (next_datagram(reader, unread)) { // To add their addresses to the book, too.
    }
    const std::span<const std::byte> left = reader._recording.subspan(reader._at_bytes);
    if (left.empty()) return ReadRecord::end;
    if (left.size() < head_bytes + check_bytes) return ReadRecord::truncated;
    BitReader head = bits::reader(left.first(head_bytes));
    const uint64_t kind = bits::read(head, 8);
    const size_t size_bytes = bits::read(head, 32);
    if (kind == 0 || kind > static_cast<uint64_t>(RecordKind::reply)) return ReadRecord::damaged;
    if (size_bytes > left.size() - head_bytes - check_bytes) return ReadRecord::truncated;
    const uint64_t chain = hash::add(reader._chain, left.first(head_bytes + size_bytes));
    BitReader check = bits::reader(left.subspan(head_bytes + size_bytes, check_bytes));
    if (bits::read(check, 32) != (chain & UINT32_MAX)) return ReadRecord::damaged;
    record.kind = static_cast<RecordKind>(kind);
    if (!read_body(reader, left.subspan(head_bytes, size_bytes), record))
        return ReadRecord::damaged;
    reader._chain = chain;
    reader._at_bytes += head_bytes + size_bytes + check_bytes;
    return ReadRecord::ok;
}

uint64_t hash_of(std::span<const Datagram> datagrams)
{
    uint64_t hash = hash::start;
    for (const Datagram &datagram : datagrams) {
        hash = hash::add(hash, std::as_bytes(std::span(datagram.address.ip)));
        hash = hash::add(hash, uint64_t{datagram.address.port});
        hash = hash::add(hash, datagram.bytes);
    }
    return hash;
}

}
