#include "replication/update/charges.h"
#include "base/assert.h"
#include "tern/limits.hpp"
#include <bit>

namespace tern::charges {

size_t row_count(const TypeTable &types)
{
    size_t fields = 0;
    for (const Type &type : types.types)
        fields += type.fields.size();
    return value_kinds * (types.types.size() + fields) + traffic_kinds;
}

size_t run_count(const TypeTable &types)
{
    return types.types.size() * charge_runs_max;
}

Charges make(const TypeTable &types, std::span<TrafficRow> rows, std::span<ChargeRun> runs)
{
    TERN_ASSERT(rows.size() == row_count(types) && runs.size() == run_count(types),
                "%zu rows, %zu runs", rows.size(), runs.size());
    const Charges c = {&types, rows, runs, (rows.size() - traffic_kinds) / value_kinds};
    size_t next = 0;
    for (size_t kind = 0; kind < value_kinds; ++kind)
        for (size_t i = 0; i < types.types.size(); ++i) {
            const auto type = static_cast<TypeId>(i);
            const auto k = static_cast<TrafficKind>(kind);
            rows[next++] = {k, type, no_field, 0, 0};
            for (uint16_t field = 0; field < types.types[i].fields.size(); ++field)
                rows[next++] = {k, type, field, 0, 0};
        }
    for (size_t kind = 0; kind < traffic_kinds; ++kind)
        rows[next++] = {static_cast<TrafficKind>(kind), no_type, no_field, 0, 0};
    for (size_t i = 0; i < runs.size(); ++i)
        runs[i].variable = types.variable_fields[i / charge_runs_max];
    return c;
}

static TrafficRow &untyped(Charges &c, TrafficKind kind)
{
    return c._rows[value_kinds * c._kind_rows + static_cast<size_t>(kind)];
}

void add(Charges &c, TrafficKind kind, int64_t bits, uint64_t count)
{
    if (c._rows.empty()) return;
    untyped(c, kind).bits += bits;
    untyped(c, kind).count += count;
}

void set(Charges &c, TrafficKind kind, int64_t bits, uint64_t count)
{
    untyped(c, kind).bits = bits;
    untyped(c, kind).count = count;
}

// rows[0] is the type's row, which the bits were counted in so far.
static void move_to_field(TrafficRow *rows, size_t field, uint64_t bits, uint64_t count)
{
    rows[0].bits -= static_cast<int64_t>(bits * count);
    rows[1 + field].bits += static_cast<int64_t>(bits * count);
    rows[1 + field].count += count;
}

// `rows` begins with the row of the type that the value has.
static void move_to_fields(const TypeTable &types, TrafficRow *rows, uint64_t mask,
                           const void *value, uint64_t count)
{
    const std::span<const FieldCode> fields = type_table::codes(types, rows[0].type);
    const auto *from = static_cast<const std::byte *>(value);
    for (; mask != 0; mask &= mask - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(mask));
        const std::byte *at = from ? from + fields[i].offset_bytes : nullptr;
        move_to_field(rows, i, field::bit_count(fields[i], at), count);
    }
}

void add_value(Charges &c, TrafficKind kind, TypeId type, const void *value, size_t bits)
{
    if (c._rows.empty()) return;
    TrafficRow *rows = &c._rows[row_of(c, kind, type)];
    rows[0].bits += static_cast<int64_t>(bits);
    rows[0].count += 1;
    move_to_fields(*c._types, rows, type_table::all_fields(*c._types, type), value, 1);
}

void add_coded(Charges &c, TrafficKind kind, TypeId type, const BitReader *fields, size_t bits)
{
    if (c._rows.empty()) return;
    TrafficRow *rows = &c._rows[row_of(c, kind, type)];
    rows[0].bits += static_cast<int64_t>(bits);
    rows[0].count += 1;
    if (!fields) return;
    BitReader r = *fields;
    const std::span<const FieldCode> codes = type_table::codes(*c._types, type);
    for (size_t i = 0; i < codes.size(); ++i) {
        const size_t begin = bits::bit_count(r);
        field::skip(r, codes[i]);
        move_to_field(rows, i, bits::bit_count(r) - begin, 1);
    }
}

static void end_run(Charges &c, TrafficRow *rows, ChargeRun &run)
{
    if (run.count > 0) move_to_fields(*c._types, rows, run.mask, nullptr, run.count);
    run.mask = run.count = 0;
}

void add_fields(Charges &c, TypeId type, uint64_t mask, const void *value)
{
    ChargeRun &run = run_of(c, type, mask);
    TrafficRow *rows = &c._rows[row_of(c, TrafficKind::update, type)];
    end_run(c, rows, run);
    if ((mask & run.variable) != 0) return move_to_fields(*c._types, rows, mask, value, 1);
    run.mask = mask;
    run.count = 1;
}

std::span<const TrafficRow> rows(Charges &c)
{
    for (size_t i = 0; i < c._runs.size(); ++i) {
        const auto type = static_cast<TypeId>(i / charge_runs_max);
        end_run(c, &c._rows[row_of(c, TrafficKind::update, type)], c._runs[i]);
    }
    return c._rows;
}

void move(Charges &to, Charges &from)
{
    rows(from);
    for (size_t i = 0; i < from._rows.size(); ++i) {
        to._rows[i].bits += from._rows[i].bits;
        to._rows[i].count += from._rows[i].count;
        from._rows[i].bits = 0;
        from._rows[i].count = 0;
    }
}

TypeSum sum(const Charges &c, TypeId type)
{
    TypeSum sum = {};
    for (size_t kind = 0; kind < value_kinds; ++kind) {
        const TrafficRow *rows = &c._rows[row_of(c, static_cast<TrafficKind>(kind), type)];
        sum.count += rows[0].count;
        for (size_t i = 0; i <= c._types->types[type].fields.size(); ++i)
            sum.bits += static_cast<uint64_t>(rows[i].bits);
    }
    return sum;
}

}
