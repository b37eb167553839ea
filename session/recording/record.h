// A recording of one session: the calls of public functions that change it, in order, and a hash of
// what each send() returned. It holds the session's secret and the seed of its keys.
// Format: docs/use/recordings.md.
#pragma once
#include "base/bits.h"
#include "tern/calls.hpp"
#include "tern/tern.hpp"
#include <string_view>

namespace tern {

inline constexpr char recording_mark[] = "tern-recording 4\n"; // A recording begins with it.
inline constexpr size_t recording_bytes_min = 64 * 1024;       // Least Config::recording_bytes_max.
inline constexpr uint32_t recorded_addresses_max = 64;         // Others are written out each time.

enum class RecordKind : uint8_t {
    none,
    header, // The first record.
    start,
    join,
    leave,
    receive,
    send,
    create,
    set,
    destroy,
    claim,
    migrate,
    refuse_claim,
    call,
    admit,
    refuse,
    remove,
    go_on,
    full, // The last record, if the memory was full because take_recording() was not called in
          // time.
    release,
    lock,
    unlock,
    balance,
    claim_optimistic,
    call_owner,
    request,
    request_owner,
    reply,
    priority
};

// One record. Each member is valid for the kinds that its comment names.
struct Record {
    RecordKind kind;
    Reliability reliability;             // call
    TypeId type;                         // create, set, calls, balance
    PeerId peer;                         // migrate, refuse_claim, call, request, reply, admit,
                                         // refuse, remove, priority
    ObjectId object;                     // set, destroy, claims, migrate, refuse_claim, release,
                                         // lock, unlock, call_owner, request_owner, priority
    uint16_t priority;                   // priority: of priority_one
    CallId call;                         // reply
    uint32_t timeout_ms;                 // request, request_owner
    uint64_t now_us;                     // receive, send
    uint64_t hash;                       // send: of the datagrams
    Invite invite;                       // join
    std::span<const std::byte> bytes;    // join: payload. refuse: reason. create, set, calls: the
                                         // encoded value. header: read_config() and so on.
    std::span<const Datagram> datagrams; // receive, when writing.
    uint32_t datagram_count;             // receive, when reading: next_datagram() gives them.
};

// Addresses that were written out already. Writer and reader keep one each, and at the same place
// in the recording both are equal.
struct AddressBook {
    Address addresses[recorded_addresses_max];
    uint32_t count;
};

struct Recorder {                 // Closed.
    std::span<std::byte> _memory; // Empty: the session is not recorded.
    size_t _used_bytes;
    bool _full;
    uint64_t _chain; // Hash of all records so far.
    uint64_t _last_us;
    AddressBook _book;
};

enum class ReadRecord : uint8_t { ok, end, truncated, damaged };

struct RecordReader { // Closed.
    std::span<const std::byte> _recording;
    size_t _at_bytes;
    uint64_t _chain;
    uint64_t _last_us;
    AddressBook _book;
    std::span<const std::byte> _datagrams; // Left for next_datagram().
};

// The contents of the header. Names and fields point into the recording.
struct RecordedConfig {
    Config config; // types is empty.
    uint8_t seed[32];
    uint8_t wire_version;
    uint16_t type_count;
    std::string_view name;
};
struct RecordedType {
    std::string_view name;
    Type type; // Without name and fields.
    uint16_t field_count;
};
struct RecordedField {
    std::string_view name;
    Field field; // Without name.
};
struct ByteReader { // Closed.
    std::span<const std::byte> _left;
    bool _failed;
};

namespace record {

// Starts a recording in this memory, at least recording_bytes_min, and writes the header.
void begin(Recorder &recorder, std::span<std::byte> memory, const Config &config,
           const uint8_t (&seed)[32]);
bool is_on(const Recorder &recorder); // False also once the memory was full.
void add(Recorder &recorder, const Record &record);
std::span<const std::byte> take(Recorder &recorder); // New bytes; valid until the next add().

bool is_recording(std::span<const std::byte> bytes); // Checks recording_mark.
RecordReader reader(std::span<const std::byte> recording);
// Reads the next record; its spans point into the recording. A result other than ok is returned
// again by each further call.
ReadRecord next(RecordReader &reader, Record &record);
bool next_datagram(RecordReader &reader, Datagram &datagram); // False: none is left.
size_t at_bytes(const RecordReader &reader);                  // Where the next record begins.

// Read Record::bytes of a header: the config, then type_count types, each followed by its
// field_count fields. Errors are sticky: check complete() once at the end.
ByteReader byte_reader(std::span<const std::byte> bytes);
RecordedConfig read_config(ByteReader &r);
RecordedType read_type(ByteReader &r);
RecordedField read_field(ByteReader &r);
bool complete(const ByteReader &r);

uint64_t hash_of(std::span<const Datagram> datagrams); // Addresses and bytes.

}
}
