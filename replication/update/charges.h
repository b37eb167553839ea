// Counts each bit that is sent: by kind, and values also by type and field. Bits are counted where
// they are written; rows() is what traffic_rows() returns. docs/use/profiling.md
#pragma once
#include "replication/world/type_table.h"
#include "tern/traffic.hpp"

namespace tern {

// UPDATEs of one type with the same fields. Their fields are charged together, when a different
// mask takes the place.
struct ChargeRun {
    uint64_t mask, count;
    // A mask of the fields whose size varies. Masks with such a field are charged at once.
    uint64_t variable;
};

inline constexpr size_t charge_runs_max = 4; // For each type.

struct Charges { // Closed. A zero struct counts nothing.
    const TypeTable *_types;
    std::span<TrafficRow> _rows;
    std::span<ChargeRun> _runs; // charge_runs_max for each type; a hash of the mask selects one.
    size_t _kind_rows;          // Rows of each kind with values.
};

namespace charges {

inline constexpr size_t value_kinds =
    static_cast<size_t>(TrafficKind::call) + 1; // These kinds come first.

size_t row_count(const TypeTable &types);
size_t run_count(const TypeTable &types);
// The spans must have row_count() and run_count() elements, all zero, and outlive the result, and
// so must the table.
Charges make(const TypeTable &types, std::span<TrafficRow> rows, std::span<ChargeRun> runs);

// Bits without a type: those of `count` messages, or the overhead around values.
void add(Charges &c, TrafficKind kind, int64_t bits, uint64_t count);
// One value. `bits` is the total; what the fields do not take is charged to the type.
void add_value(Charges &c, TrafficKind kind, TypeId type, const void *value, size_t bits);
// Like add_value(), for a value that is already encoded. `fields` reads from its first field on;
// null: its fields are not charged.
void add_coded(Charges &c, TrafficKind kind, TypeId type, const BitReader *fields, size_t bits);
// Charges `count` objects of an UPDATE message, which carry the fields of `mask` and take `bits` in
// all. False: the previous mask was another, and add_fields() must be called for each object.
inline bool add_like_before(Charges &c, TypeId type, uint64_t mask, size_t bits, size_t count);
void add_fields(Charges &c, TypeId type, uint64_t mask, const void *value);

// All rows, with all fields charged. Valid as long as the memory given to make().
std::span<const TrafficRow> rows(Charges &c);
// Sets a row that is counted elsewhere.
void set(Charges &c, TrafficKind kind, int64_t bits, uint64_t count);
// Both must have the same type table.
void move(Charges &to, Charges &from);
// The bits of one type over all kinds, fields included, and the number of values.
struct TypeSum {
    uint64_t bits, count;
};
TypeSum sum(const Charges &c, TypeId type);

// --- Inline ---

// The row of a type; those of its fields follow it.
inline size_t row_of(const Charges &c, TrafficKind kind, TypeId type)
{
    return static_cast<size_t>(kind) * c._kind_rows + c._types->codes_first[type] + type;
}

inline ChargeRun &run_of(Charges &c, TypeId type, uint64_t mask)
{
    return c._runs[type * charge_runs_max + (mask * 0x9e3779b97f4a7c15 >> 62)];
}

inline bool add_like_before(Charges &c, TypeId type, uint64_t mask, size_t bits, size_t count)
{
    TrafficRow &row = c._rows[row_of(c, TrafficKind::update, type)];
    row.bits += static_cast<int64_t>(bits);
    row.count += count;
    ChargeRun &run = run_of(c, type, mask);
    if (run.mask != mask) return false;
    run.count += count;
    return true;
}

}
}
