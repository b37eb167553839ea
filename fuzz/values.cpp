// Reads arbitrary bytes as a dynamic value from a peer; an accepted value is written in the same
// bytes. Calls the writer in arbitrary sequences; it leaves nil or a value that the check accepts.
#include "replication/world/values.h"
#include "fuzz/support/copied_value.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "tern/limits.hpp"
#include <cstring>
#include <string_view>

namespace tern::fuzz {

namespace {

// Reads the value in a field and writes it into another field of the same size.
void read_again(std::span<const uint8_t> field, std::span<uint8_t> again)
{
    ValueReader r = value::reader(field);
    ValueWriter w = value::writer(again);
    const Value first = value::next(r);
    copy(r, first, w);
    TERN_ASSERT(value::next(r).kind == ValueKind::end, "more than one value");
    const ValueError error = value::finish(w);
    TERN_ASSERT(error == ValueError::none, "%s", value::to_text(error));
}

void receive(std::span<const uint8_t> data)
{
    BitReader r = bits::reader(std::as_bytes(data));
    value::check(r, value_bytes_max);
    const size_t size = bits::failed(r) ? 0 : bits::bit_count(r) / 8;
    TERN_ASSERT(size <= data.size() && size <= value_bytes_max, "%zu bytes", size);
    uint8_t again[2048];
    const std::span<uint8_t> field =
        std::span(again).first(std::clamp<size_t>(data.size(), 1, 2048));
    read_again(data.first(std::min(data.size(), field.size())), field);
    TERN_ASSERT(std::memcmp(again, data.data(), size) == 0, "written again in other bytes");
    for (size_t i = size; i < field.size(); ++i)
        TERN_ASSERT(again[i] == 0, "byte %zu behind the value", i);
}

void put_some(ValueWriter &w, Input &in)
{
    const uint8_t what = input::u8(in);
    switch (what % 8) {
    case 0: return value::put_boolean(w, what >= 128);
    case 1: return value::put_integer(w, static_cast<int8_t>(input::u8(in)));
    case 2: return value::put_integer(w, static_cast<int64_t>(input::u64(in)));
    case 3: return value::put_number(w, std::bit_cast<double>(input::u64(in)));
    case 4: {
        const std::span<const uint8_t> bytes = input::bytes(in, what / 8);
        return value::put_string(w, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    }
    case 5: return value::begin_table(w, what / 64);
    case 6: return value::end_table(w);
    default: return value::put_nil(w);
    }
}

void write(Input in)
{
    uint8_t field[300], again[sizeof field];
    const size_t size = 1 + input::u16(in) % sizeof field;
    ValueWriter w = value::writer(std::span(field).first(size));
    while (!input::empty(in) && value::error(w) == ValueError::none)
        put_some(w, in);
    const ValueError error = value::finish(w);
    read_again(std::span(field).first(size), std::span(again).first(size));
    TERN_ASSERT(std::memcmp(field, again, size) == 0, "it is read as another");
    BitReader r = bits::reader(std::as_bytes(std::span(field).first(size)));
    value::check(r, size);
    TERN_ASSERT(!bits::failed(r), "what was written is refused");
    TERN_ASSERT(error == ValueError::none || bits::bit_count(r) == 8, "an error left something");
}

}

void fuzz_values(std::span<const uint8_t> data)
{
    Input in = {data};
    if (input::u8(in) % 2 == 0)
        receive(in.rest);
    else
        write(in);
}

}
