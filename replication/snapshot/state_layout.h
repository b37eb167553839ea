// A game struct as words of 32 bits, one after the other: what the state coder codes, and what
// motion is predicted from. Numbers are words in the order of their values, whatever they count.
//
// flag, number: one word for each element. Numbers are steps above the least; exact floats are
// their bits, so turned that their order is that of the values.
// rotation: four words: which component is omitted, then the others in steps above the least.
// raw: all else, by four bytes of its memory; integers and ids of more than 32 bits by two words.
#pragma once
#include "replication/world/type_table.h"

namespace tern {

enum class Shape : uint8_t { flag, number, rotation, raw };

struct LayoutField { // Open.
    Shape shape;
    uint16_t first, count; // Words.
    uint32_t max;          // number: of the word; rotation: of the last three.
    // rotation: a component is (2 * word - max) half steps.
    int64_t half_step; // In 2^-46, as an integer.
    int64_t per_one;   // Half steps in a component of 1, in 2^-8.
};

struct StateLayout { // Open, constant after make.
    LayoutField fields[fields_max];
    uint16_t field_count;
    uint16_t word_count;
    bool repeats; // A state may be told again as it was: of types with a bounded field.
};

inline constexpr size_t state_words_max = struct_bytes_max;

namespace state_layout {

StateLayout make(const TypeTable &types, TypeId type);
// For who has words of its own. `field.first` is given.
void add(StateLayout &layout, LayoutField field);
LayoutField number(uint16_t count, uint32_t max);
// Components of -max * step / 2 to max * step / 2, in steps.
LayoutField rotation(uint16_t count, uint32_t max, double step);

// Of a normalised value.
void to_words(const StateLayout &layout, const TypeTable &types, TypeId type, const void *value,
              std::span<uint32_t> words);
// The fields of `mask`. False for words that to_words() never makes; then the value means nothing.
bool from_words(const StateLayout &layout, const TypeTable &types, TypeId type,
                std::span<const uint32_t> words, uint64_t mask, void *value);

}
}
