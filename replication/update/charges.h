// Whom each sent bit is charged to: counters by kind, and of what has values by type and field.
// Charged where the bits are written; rows() is what traffic() shows. docs/use/profiling.md
#pragma once
#include "replication/world/type_table.h"

namespace tern {

// UPDATEs of a type that carried the same fields: these are charged when others take the place.
struct ChargeRun {
    uint64_t mask, count;
    uint64_t variable; // Fields that do not always take as many bits. They are charged at once.
};

inline constexpr size_t charge_runs_max = 4; // Of a type.

struct Charges { // Closed. Zero: nothing is charged.
    std::span<TrafficRow> _rows;
    std::span<ChargeRun> _runs; // charge_runs_max of each type, by fields.
    size_t _kind_rows;          // Of each kind with values.
};

namespace charges {

inline constexpr size_t value_kinds =
    static_cast<size_t>(TrafficKind::call) + 1; // They come first.

size_t row_count(const TypeTable &types);
size_t run_count(const TypeTable &types);
// So many of each, all zero.
Charges make(const TypeTable &types, std::span<TrafficRow> rows, std::span<ChargeRun> runs);

// Of no type: `count` messages, or what lies around values.
void add(Charges &c, TrafficKind kind, int64_t bits, uint64_t count);
// A value of `bits` in all: those of its fields, and what else there is.
void add_value(Charges &c, const TypeTable &types, TrafficKind kind, TypeId type, const void *value,
               size_t bits);
// The same of a value that has been coded; `fields` reads from its first field on, null: none.
void add_coded(Charges &c, const TypeTable &types, TrafficKind kind, TypeId type,
               const BitReader *fields, size_t bits);
// `count` objects' part of an UPDATE, with the fields of `mask`. False: add_fields() has to follow
// for each, as they were not those of the one before.
inline bool add_like_before(Charges &c, const TypeTable &types, TypeId type, uint64_t mask,
                            size_t bits, size_t count);
void add_fields(Charges &c, const TypeTable &types, TypeId type, uint64_t mask, const void *value);

// All rows, with nothing left out. Valid as long as the memory.
std::span<const TrafficRow> rows(Charges &c, const TypeTable &types);
void set(Charges &c, TrafficKind kind, int64_t bits, uint64_t count); // Counted elsewhere.
void move(Charges &to, Charges &from, const TypeTable &types);        // Of the same types.
// Of a type: of all kinds, fields and all; how many values.
struct TypeSum {
    uint64_t bits, count;
};
TypeSum sum(const Charges &c, const TypeTable &types, TypeId type);

// --- Inline ---

// Behind it come those of the fields.
inline size_t row_of(const Charges &c, const TypeTable &types, TrafficKind kind, TypeId type)
{
    return static_cast<size_t>(kind) * c._kind_rows + types.codes_first[type] + type;
}

inline ChargeRun &run_of(Charges &c, TypeId type, uint64_t mask)
{
    return c._runs[type * charge_runs_max + (mask * 0x9e3779b97f4a7c15 >> 62)];
}

inline bool add_like_before(Charges &c, const TypeTable &types, TypeId type, uint64_t mask,
                            size_t bits, size_t count)
{
    TrafficRow &row = c._rows[row_of(c, types, TrafficKind::update, type)];
    row.bits += static_cast<int64_t>(bits);
    row.count += count;
    ChargeRun &run = run_of(c, type, mask);
    if (run.mask != mask) return false;
    run.count += count;
    return true;
}

}
}
