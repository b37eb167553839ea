#include "replication/world/values.h"
#include "base/assert.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tern::value {

// The last enumerators of both sides; their order is the same.
static_assert(TERN_VALUE_END == static_cast<unsigned>(ValueKind::end));
static_assert(TERN_VALUE_SHAPE == static_cast<unsigned>(ValueError::shape));

// The head of a value is a varint with the code in its lowest bits and an argument above.
enum class Code : uint8_t {
    nil,     // The argument is 0.
    boolean, // The argument is 0 or 1.
    integer, // Integers 0, -1, 1, -2 ... have the arguments 0, 1, 2, 3 ...
    number,  // The argument is 0; the 64 bits follow.
    string,  // The argument is the length; the bytes follow.
    // The argument is the length of the array, which follows; then come pairs of key and value, and
    // a nil.
    table
};

static constexpr unsigned code_bits = 3;
static constexpr uint64_t canonical_nan = 0x7ff8'0000'0000'0000;

struct Head {
    Code code;
    uint64_t argument;
    double number; // Also set for integers.
};

// --- Numbers ---

static constexpr double integer_max = static_cast<double>(values_integer_max);

static uint64_t zigzag(int64_t integer)
{
    return integer >= 0 ? static_cast<uint64_t>(integer) * 2
                        : static_cast<uint64_t>(-(integer + 1)) * 2 + 1;
}

static int64_t integer(uint64_t zigzag)
{
    const auto half = static_cast<int64_t>(zigzag / 2);
    return zigzag % 2 == 0 ? half : -half - 1;
}

static bool is_integer(double number)
{
    if (!(std::fabs(number) <= integer_max) || std::floor(number) != number) return false;
    return number != 0 || !std::signbit(number);
}

static Head integer_head(int64_t integer)
{
    return {Code::integer, zigzag(integer), static_cast<double>(integer)};
}

static Head number_head(double number)
{
    if (is_integer(number)) return integer_head(static_cast<int64_t>(number));
    return {Code::number, 0, number};
}

static uint64_t number_bits(double number)
{
    return std::isnan(number) ? canonical_nan : std::bit_cast<uint64_t>(number);
}

// --- Checking bytes of any origin ---

static bool is_written(const Head &head)
{
    switch (head.code) {
    case Code::nil: return head.argument == 0;
    case Code::boolean: return head.argument <= 1;
    case Code::integer:
        // Negative integers have smaller arguments.
        return head.argument <= zigzag(values_integer_max);
    case Code::number: return head.argument == 0;
    case Code::string: return head.argument <= value_bytes_max;
    case Code::table: return head.argument <= values_count_max;
    }
    return false;
}

static Head read_head(BitReader &r)
{
    const uint64_t coded = bits::read_varint(r);
    Head head = {static_cast<Code>(coded & 7), coded >> code_bits, 0};
    if (bits::failed(r) || !is_written(head)) {
        bits::fail(r);
        return {};
    }
    if (head.code == Code::integer) head.number = static_cast<double>(integer(head.argument));
    if (head.code == Code::number) {
        const uint64_t number = bits::read(r, 64);
        head.number = std::bit_cast<double>(number);
        if (number_bits(head.number) != number || is_integer(head.number)) bits::fail(r);
    }
    return head;
}

static bool is_key(const Head &head, uint64_t array_count)
{
    switch (head.code) {
    case Code::boolean:
    case Code::string: return true;
    case Code::integer:
        return !(head.number >= 1 && head.number <= static_cast<double>(array_count) + 1);
    // Lua treats 0 and -0 as one key, and can return a number beyond 2^53 as another one.
    case Code::number: return std::fabs(head.number) < integer_max && head.number != 0;
    default: return false;
    }
}

struct Checked { // Depth and number of the values read so far.
    size_t depth;
    size_t count;
};

static Head check_value(BitReader &r, Checked &checked);

// Compares two keys; `end` is the end of `b`. No encoded key is a prefix of another.
static bool is_ascending(BitReader a, BitReader b, const BitReader &end)
{
    while (bits::bit_count(b) < bits::bit_count(end)) {
        const uint64_t left = bits::read(a, 8), right = bits::read(b, 8);
        if (left != right) return left < right;
    }
    return false;
}

static void check_pairs(BitReader &r, Checked &checked, uint64_t array_count)
{
    BitReader previous = r;
    for (bool is_first = true; !bits::failed(r); is_first = false) {
        const BitReader begin = r;
        const Head key = check_value(r, checked);
        if (bits::failed(r) || key.code == Code::nil) return;
        if (!is_key(key, array_count)) return bits::fail(r);
        if (!is_first && !is_ascending(previous, begin, r)) return bits::fail(r);
        previous = begin;
        if (check_value(r, checked).code == Code::nil) return bits::fail(r);
    }
}

static void check_table(BitReader &r, Checked &checked, uint64_t array_count)
{
    if (checked.depth == values_depth_max) return bits::fail(r);
    checked.depth += 1;
    for (uint64_t i = 0; i < array_count && !bits::failed(r); ++i)
        if (check_value(r, checked).code == Code::nil) return bits::fail(r);
    check_pairs(r, checked, array_count);
    checked.depth -= 1;
}

// Checks a value with everything in it.
static Head check_value(BitReader &r, Checked &checked)
{
    const Head head = read_head(r);
    if (head.code == Code::nil) return head;
    checked.count += 1;
    if (checked.count > values_count_max) bits::fail(r);
    if (head.code == Code::string) bits::skip(r, head.argument * 8);
    if (head.code == Code::table) check_table(r, checked, head.argument);
    return head;
}

void check(BitReader &r, size_t bytes_max)
{
    Checked checked = {};
    const size_t begin = bits::bit_count(r);
    check_value(r, checked);
    if (bits::bit_count(r) - begin > bytes_max * 8) bits::fail(r);
}

std::span<const std::byte> used(std::span<const std::byte> field)
{
    static constexpr std::byte nil[1] = {};
    BitReader r = bits::reader(field);
    check(r, value_bytes_max);
    if (bits::failed(r)) return nil;
    return field.first(bits::bit_count(r) / 8);
}

// --- Writing ---

using Writer = tern_value_writer;
using Reader = tern_value_reader;

static void append(Writer &w, std::span<const std::byte> bytes)
{
    const size_t room = std::min(w._field_bytes, value_bytes_max) - w._size_bytes;
    if (bytes.size() > room) {
        w._error = TERN_VALUE_TOO_LONG;
        return;
    }
    if (!bytes.empty()) std::memcpy(&w._field[w._size_bytes], bytes.data(), bytes.size());
    w._size_bytes += bytes.size();
}

// The reason why such a value may not come next.
static tern_value_error obstacle(const Writer &w, const Head &head)
{
    if (w._depth == 0 && w._size_bytes > 0) return TERN_VALUE_SHAPE;
    if (w._depth > 0) {
        const tern_written_table &table = w._tables[w._depth - 1];
        const bool is_key_next = table._array_left == 0 && !table._value_next;
        if (is_key_next && !is_key(head, table._array_count)) return TERN_VALUE_KEY;
        if (head.code == Code::nil) return TERN_VALUE_NIL_IN_TABLE;
    }
    if (head.code == Code::table && w._depth == values_depth_max) return TERN_VALUE_TOO_DEEP;
    if (w._count == values_count_max) return TERN_VALUE_TOO_MANY;
    if (is_written(head)) return TERN_VALUE_OK;
    return head.code == Code::string ? TERN_VALUE_TOO_LONG : TERN_VALUE_TOO_MANY;
}

// Records that a value was added.
static void advance(Writer &w)
{
    w._count += 1;
    if (w._depth == 0) return;
    tern_written_table &table = w._tables[w._depth - 1];
    if (table._array_left > 0) {
        table._array_left -= 1;
        return;
    }
    if (table._pairs_begin == 0) table._pairs_begin = static_cast<uint16_t>(w._size_bytes);
    table._value_next = !table._value_next;
}

static void put(Writer &w, const Head &head, std::span<const std::byte> tail = {})
{
    if (w._error != TERN_VALUE_OK) return;
    w._error = obstacle(w, head);
    if (w._error != TERN_VALUE_OK) return;
    advance(w);
    std::byte buffer[10];
    BitWriter coded = bits::writer(buffer);
    bits::write_varint(coded, head.argument << code_bits | static_cast<uint64_t>(head.code));
    append(w, std::span(buffer).first(bits::size_bytes(coded)));
    if (w._error == TERN_VALUE_OK) append(w, tail);
}

struct Pair { // The bytes of a pair in a table that is being written.
    uint16_t begin;
    uint16_t key_bytes;
    uint16_t size_bytes;
};

// Finds all pairs in `bytes`, which must be whole pairs, and returns how many.
static size_t find_pairs(std::span<const std::byte> bytes, std::span<Pair> pairs)
{
    BitReader r = bits::reader(bytes);
    size_t count = 0;
    for (Checked checked = {}; bits::bit_count(r) < bytes.size() * 8; ++count) {
        const size_t begin = bits::bit_count(r) / 8;
        check_value(r, checked);
        const size_t key_end = bits::bit_count(r) / 8;
        check_value(r, checked);
        const size_t end = bits::bit_count(r) / 8;
        TERN_ASSERT(!bits::failed(r) && count < pairs.size(), "pair %zu of a table", count);
        pairs[count] = {static_cast<uint16_t>(begin), static_cast<uint16_t>(key_end - begin),
                        static_cast<uint16_t>(end - begin)};
    }
    return count;
}

static tern_value_error sort_pairs(std::span<std::byte> bytes)
{
    Pair buffer[values_count_max / 2];
    const std::span<Pair> pairs = std::span(buffer).first(find_pairs(bytes, buffer));
    const auto key = [bytes](const Pair &pair) {
        return std::string_view(reinterpret_cast<const char *>(&bytes[pair.begin]), pair.key_bytes);
    };
    std::sort(pairs.begin(), pairs.end(),
              [key](const Pair &a, const Pair &b) { return key(a) < key(b); });
    std::byte sorted[value_bytes_max];
    size_t size_bytes = 0;
    for (size_t i = 0; i < pairs.size(); ++i) {
        if (i > 0 && key(pairs[i - 1]) == key(pairs[i])) return TERN_VALUE_TWICE;
        std::memcpy(&sorted[size_bytes], &bytes[pairs[i].begin], pairs[i].size_bytes);
        size_bytes += pairs[i].size_bytes;
    }
    std::memcpy(bytes.data(), sorted, size_bytes);
    return TERN_VALUE_OK;
}

// Ends the innermost table, whose pairs are all written.
static void close_table(Writer &w)
{
    if (w._depth == 0) {
        w._error = TERN_VALUE_SHAPE;
        return;
    }
    const tern_written_table &table = w._tables[w._depth - 1];
    if (table._array_left > 0 || table._value_next) {
        w._error = TERN_VALUE_SHAPE;
        return;
    }
    if (table._pairs_begin > 0) {
        const std::span<uint8_t> written(w._field, w._size_bytes);
        w._error = sort_pairs(std::as_writable_bytes(written.subspan(table._pairs_begin)));
    }
    if (w._error != TERN_VALUE_OK) return;
    append(w, std::span<const std::byte>({std::byte{0}}));
    w._depth -= 1;
}

// --- Reading the value of a field ---

static tern_value_kind kind(Code code)
{
    switch (code) {
    case Code::nil: return TERN_VALUE_NIL;
    case Code::boolean: return TERN_VALUE_BOOLEAN;
    case Code::integer:
    case Code::number: return TERN_VALUE_NUMBER;
    case Code::string: return TERN_VALUE_STRING;
    case Code::table: return TERN_VALUE_TABLE;
    }
    return TERN_VALUE_NIL;
}

static void skip(Reader &r, size_t bytes)
{
    r._rest += bytes;
    r._rest_bytes -= bytes;
}

static tern_value next_value(Reader &r)
{
    tern_value read = {};
    if (r._begun && r._depth == 0) {
        read.kind = TERN_VALUE_END;
        return read;
    }
    BitReader from = bits::reader(std::as_bytes(std::span(r._rest, r._rest_bytes)));
    const Head head = read_head(from);
    skip(r, bits::bit_count(from) / 8);
    read.kind = kind(head.code);
    read.boolean = head.code == Code::boolean && head.argument == 1;
    read.is_integer = head.code == Code::integer;
    read.number = head.number;
    if (head.code == Code::table) {
        read.array_count = static_cast<uint16_t>(head.argument);
        r._depth += 1;
    }
    if (head.code == Code::string) {
        read.string = reinterpret_cast<const char *>(r._rest);
        read.string_bytes = head.argument;
        skip(r, head.argument);
    }
    if (head.code == Code::nil && r._begun) { // Elsewhere a nil ends a table.
        read.kind = TERN_VALUE_END;
        r._depth -= 1;
    }
    r._begun = true;
    return read;
}

}

using namespace tern;

void tern_write_value(tern_value_writer *writer, uint8_t *field, size_t field_bytes)
{
    *writer = {};
    writer->_field = field;
    writer->_field_bytes = field_bytes;
}

void tern_put_nil(tern_value_writer *writer)
{
    value::put(*writer, {value::Code::nil, 0, 0});
}

void tern_put_boolean(tern_value_writer *writer, bool boolean)
{
    value::put(*writer, {value::Code::boolean, boolean, 0});
}

void tern_put_number(tern_value_writer *writer, double number)
{
    const value::Head head = value::number_head(number);
    if (head.code == value::Code::integer) return value::put(*writer, head);
    std::byte bytes[sizeof number];
    bits::store_word(bytes, value::number_bits(number));
    value::put(*writer, head, bytes);
}

void tern_put_integer(tern_value_writer *writer, int64_t integer)
{
    if (integer >= -values_integer_max && integer <= values_integer_max)
        value::put(*writer, value::integer_head(integer));
    else if (writer->_error == TERN_VALUE_OK)
        writer->_error = TERN_VALUE_INTEGER;
}

void tern_put_string(tern_value_writer *writer, const char *string, size_t size_bytes)
{
    value::put(*writer, {value::Code::string, size_bytes, 0},
               std::as_bytes(std::span(string, size_bytes)));
}

void tern_begin_table(tern_value_writer *writer, size_t array_count)
{
    tern_value_writer &w = *writer;
    value::put(w, {value::Code::table, array_count, 0});
    if (w._error != TERN_VALUE_OK) return;
    const auto count = static_cast<uint16_t>(array_count);
    w._tables[w._depth] = {0, count, count, false};
    w._depth += 1;
}

void tern_end_table(tern_value_writer *writer)
{
    if (writer->_error == TERN_VALUE_OK) value::close_table(*writer);
}

tern_value_error tern_writer_error(const tern_value_writer *writer)
{
    return writer->_error;
}

tern_value_error tern_finish_value(tern_value_writer *writer)
{
    tern_value_writer &w = *writer;
    if (w._error == TERN_VALUE_OK && w._depth > 0) w._error = TERN_VALUE_SHAPE;
    const size_t kept = w._error == TERN_VALUE_OK ? w._size_bytes : 0;
    std::fill(w._field + kept, w._field + w._field_bytes, uint8_t{0});
    return w._error;
}

const char *tern_value_error_text(tern_value_error error)
{
    switch (error) {
    case TERN_VALUE_OK: return "It is written.";
    case TERN_VALUE_TOO_LONG: return "It takes more bytes than the field has.";
    case TERN_VALUE_TOO_MANY: return "It holds more than 512 values.";
    case TERN_VALUE_TOO_DEEP: return "Its tables are nested more than 16 deep.";
    case TERN_VALUE_INTEGER: return "An integer is beyond 2^53.";
    case TERN_VALUE_NIL_IN_TABLE: return "A table holds a nil.";
    case TERN_VALUE_KEY:
        return "A key is not a string, a boolean, or a number within 2^53 that is not in the "
               "array.";
    case TERN_VALUE_TWICE: return "A table has a key twice.";
    case TERN_VALUE_SHAPE: return "It is not one whole value.";
    }
    return "";
}

void tern_read_value(tern_value_reader *reader, const uint8_t *field, size_t field_bytes)
{
    const auto used = value::used(std::as_bytes(std::span(field, field_bytes)));
    *reader = {};
    reader->_rest = reinterpret_cast<const uint8_t *>(used.data());
    reader->_rest_bytes = used.size();
}

tern_value_kind tern_next_value(tern_value_reader *reader, tern_value *value)
{
    *value = value::next_value(*reader);
    return value->kind;
}
