// A game struct as a sequence of 32-bit words: what the state coder codes, and what motion is
// predicted from.
//
// flag, number: one word for each element. Numbers are steps above the least value; the bits of
// exact floats are mapped so that the words have the order of the values.
// rotation: four words: the index of the omitted component, then the others in steps above the
// least.
// raw: all other kinds, four bytes of memory in a word; integers and ids of more than 32 bits take
// two.
#pragma once
#include "replication/world/type_table.h"
#include "tern/limits.hpp"

namespace tern {

enum class Shape : uint8_t { flag, number, rotation, raw };

struct LayoutField { // Open.
    Shape shape;
    uint16_t first, count; // In words.
    uint32_t max;          // number: the largest word; rotation: of the last three words.
    // Only for rotations, whose components are (2 * word - max) half steps.
    int64_t half_step; // The length of a half step, with 46 fractional bits.
    int64_t per_one;   // Half steps in a component of 1, with 8 fractional bits.
};

struct StateLayout { // Open, constant after make.
    LayoutField fields[fields_max];
    uint16_t field_count;
    uint16_t word_count;
    TypeId type;
    bool repeats; // A state may be sent again unchanged; set for types with a bounded field.
};

inline constexpr size_t state_words_max = struct_bytes_max;

namespace state_layout {

StateLayout make(const TypeTable &types, TypeId type);
// For layouts without a type table, too. Sets `first` of the field that it adds.
void add(StateLayout &layout, LayoutField field);
LayoutField number(uint16_t count, uint32_t max);
// Components from -max * step / 2 to max * step / 2, in steps; `count`: rotations.
LayoutField rotation(uint16_t count, uint32_t max, double step);

// `value` must be normalised.
void to_words(const StateLayout &layout, const TypeTable &types, const void *value,
              std::span<uint32_t> words);
// Writes the fields of `mask` to `value`. False: to_words() never makes such words; `value` is then
// undefined.
bool from_words(const StateLayout &layout, const TypeTable &types, std::span<const uint32_t> words,
                uint64_t mask, void *value);

}
}
