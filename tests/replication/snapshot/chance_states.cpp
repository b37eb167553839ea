#include "tests/replication/snapshot/chance_states.h"
#include <cstring>

namespace tern::test {

static void add_range(Random &random, Field &field)
{
    if (field.kind == FieldKind::quaternion && random::chance(random, 0.7))
        field.step = 0.0005 * static_cast<double>(1 + random::below(random, 40));
    const bool number = field::is_integer(field.kind) || field.kind == FieldKind::float32;
    if (!number || random::chance(random, 0.4)) return;
    field.min = static_cast<double>(random::below(random, 20));
    field.max = field.min + 1 + static_cast<double>(random::below(random, 100));
    if (field.kind != FieldKind::float32) return;
    field.min -= 50;
    if (random::chance(random, 0.7))
        field.step =
            (field.max - field.min) / static_cast<double>(1 + random::below(random, 1 << 20));
}

std::unique_ptr<ChanceType> chance_type(Random &random)
{
    static constexpr const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    auto made = std::make_unique<ChanceType>();
    const size_t count = 1 + random::below(random, 8);
    size_t offset = 0;
    for (size_t i = 0; i < count; ++i) {
        Field &field = made->fields[i];
        field = {names[i], static_cast<FieldKind>(random::below(random, 16)),
                 static_cast<uint16_t>(offset)};
        const bool is_raw = field.kind >= FieldKind::text;
        field.count = static_cast<uint16_t>(is_raw ? 2 + random::below(random, 23)
                                                   : 1 + random::below(random, 6));
        add_range(random, field);
        offset += field::size_bytes(field);
    }
    made->type = {"type", static_cast<uint16_t>(offset), std::span(made->fields, count), 10};
    made->table = type_table::make(std::span(&made->type, 1));
    return made;
}

std::vector<std::byte> chance_value(Random &random, const ChanceType &made)
{
    std::vector<std::byte> value(made.type.size_bytes);
    for (std::byte &byte : value)
        byte = static_cast<std::byte>(random::below(random, 256));
    type_table::normalise(made.table, 0, value.data());
    return value;
}

static void move_float(Random &random, std::byte *at)
{
    float number;
    std::memcpy(&number, at, sizeof number);
    number += static_cast<float>(random::unit(random) - 0.4) * 0.1f;
    std::memcpy(at, &number, sizeof number);
}

std::vector<std::byte> moved(Random &random, const ChanceType &made, std::vector<std::byte> value)
{
    for (const Field &field : made.type.fields) {
        if (random::chance(random, 0.3)) continue;
        const bool floats = field.kind == FieldKind::float32 || field.kind == FieldKind::quaternion;
        const size_t bytes = field::size_bytes(field);
        for (size_t at = 0; at < bytes; at += floats ? 4 : 1) {
            std::byte *place = &value[field.offset_bytes + at];
            if (floats)
                move_float(random, place);
            else if (random::chance(random, 0.2))
                *place = static_cast<std::byte>(std::to_integer<uint8_t>(*place) + 1);
        }
    }
    type_table::normalise(made.table, 0, value.data());
    return value;
}

}
