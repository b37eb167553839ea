// Random dynamic values.
#include "base/random.h"
#include "fuzz/support/copied_value.h"
#include "tests/replication/update/written_values.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <rapidcheck/gtest.h>

namespace tern {

using namespace test;

namespace {

struct Model { // A value whose pairs are in any order.
    ValueKind kind = ValueKind::nil;
    bool boolean = false;
    double number = 0;
    std::string string;
    std::vector<Model> elements; // The array, then keys and values alternately.
    size_t array_count = 0;
};

double any_number(Random &random)
{
    switch (random::below(random, 5)) {
    case 0: return static_cast<double>(random::below(random, 20)) - 10;
    case 1: return static_cast<double>(static_cast<int64_t>(random::next(random)) >> 10);
    case 2: return random::unit(random);
    case 3: return std::bit_cast<double>(random::next(random));
    default: return 0x1p53 - static_cast<double>(random::below(random, 3));
    }
}

Model any_scalar(Random &random)
{
    Model model;
    switch (random::below(random, 3)) {
    case 0: model.kind = ValueKind::boolean; break;
    case 1: model.kind = ValueKind::number; break;
    default: model.kind = ValueKind::string; break;
    }
    model.boolean = random::chance(random, 0.5);
    model.number = any_number(random);
    for (uint64_t i = random::below(random, 4) * random::below(random, 8); i > 0; --i)
        model.string += static_cast<char>(random::below(random, 256));
    return model;
}

void put(ValueWriter &w, const Model &model);

// Whether the writer accepts `model` as a key after an array of this length.
bool is_key(const Model &model, size_t array_count)
{
    return error_of([&](ValueWriter &w) {
               value::begin_table(w, array_count);
               for (size_t i = 0; i < array_count; ++i)
                   value::put_boolean(w, true);
               put(w, model);
               value::put_boolean(w, true);
               value::end_table(w);
           }) == ValueError::none;
}

Model any_model(Random &random, size_t depth)
{
    if (depth == 0 || random::chance(random, 0.4)) return any_scalar(random);
    Model model;
    model.kind = ValueKind::table;
    model.array_count = random::below(random, 4);
    for (size_t i = 0; i < model.array_count; ++i)
        model.elements.push_back(any_model(random, depth - 1));
    std::vector<Bytes> keys;
    for (uint64_t i = random::below(random, 5); i > 0; --i) {
        const Model key = any_scalar(random);
        if (!is_key(key, model.array_count)) continue;
        const Bytes bytes = bytes_of([&](ValueWriter &w) { put(w, key); });
        if (std::find(keys.begin(), keys.end(), bytes) != keys.end()) continue;
        keys.push_back(bytes);
        model.elements.push_back(key);
        model.elements.push_back(any_model(random, depth - 1));
    }
    return model;
}

void put(ValueWriter &w, const Model &model)
{
    switch (model.kind) {
    case ValueKind::boolean: return value::put_boolean(w, model.boolean);
    case ValueKind::number: return value::put_number(w, model.number);
    case ValueKind::string: return value::put_string(w, model.string);
    case ValueKind::table: break;
    default: return value::put_nil(w);
    }
    value::begin_table(w, model.array_count);
    for (const Model &element : model.elements)
        put(w, element);
    value::end_table(w);
}

void shuffle(Model &model, Random &random)
{
    for (Model &element : model.elements)
        shuffle(element, random);
    const size_t pairs = (model.elements.size() - model.array_count) / 2;
    for (size_t i = 1; i < pairs; ++i) {
        const size_t other = random::below(random, i + 1);
        for (size_t half : {0u, 1u})
            std::swap(model.elements[model.array_count + 2 * i + half],
                      model.elements[model.array_count + 2 * other + half]);
    }
}

// The text that a reader must produce; pairs are sorted by the bytes of their keys.
std::string text_of(const Model &model)
{
    if (model.kind == ValueKind::boolean) return model.boolean ? "true" : "false";
    if (model.kind == ValueKind::string) return "'" + model.string + "'";
    if (model.kind == ValueKind::number) {
        const double n = model.number;
        const bool whole = std::fabs(n) <= 0x1p53 && std::trunc(n) == n;
        if (std::isnan(n)) return number_text(std::numeric_limits<double>::quiet_NaN());
        if (whole && !(n == 0 && std::signbit(n))) return std::to_string(static_cast<int64_t>(n));
        return number_text(n);
    }
    std::string text = "{";
    for (size_t i = 0; i < model.array_count; ++i)
        text += text_of(model.elements[i]) + ",";
    std::vector<std::pair<Bytes, std::string>> pairs;
    for (size_t i = model.array_count; i < model.elements.size(); i += 2)
        pairs.push_back({bytes_of([&](ValueWriter &w) { put(w, model.elements[i]); }),
                         "[" + text_of(model.elements[i]) + "]=" + text_of(model.elements[i + 1])});
    std::sort(pairs.begin(), pairs.end());
    for (const auto &[key, pair] : pairs)
        text += pair + ",";
    return text + "}";
}

Bytes copied(const Bytes &bytes)
{
    return bytes_of([&bytes](ValueWriter &w) {
        ValueReader r = value::reader(bytes);
        const Value first = value::next(r);
        fuzz::copy(r, first, w);
    });
}

// Discards the test case if the model is too long, which few are.
Bytes bytes_of_model(const Model &model)
{
    const auto put_model = [&model](ValueWriter &to) { put(to, model); };
    RC_PRE(written(put_model).error == ValueError::none);
    return bytes_of(put_model);
}

}

RC_GTEST_PROP(ValuesOfChance, WhatIsWrittenIsReadAndHasOneForm, (uint64_t seed))
{
    Random random = random::from_seed(seed);
    Model model = any_model(random, 4);
    const Bytes bytes = bytes_of_model(model);
    RC_ASSERT(!check(bytes).failed);
    RC_ASSERT(check(bytes).size_bytes == bytes.size());
    RC_ASSERT(text_of(bytes) == text_of(model));
    RC_ASSERT(copied(bytes) == bytes);
    shuffle(model, random);
    RC_ASSERT(bytes_of([&model](ValueWriter &to) { put(to, model); }) == bytes);
}

RC_GTEST_PROP(ValuesOfChance, WhatIsCutIsRefused, (uint64_t seed))
{
    Random random = random::from_seed(seed);
    const Model model = any_model(random, 3);
    const Bytes bytes = bytes_of_model(model);
    for (size_t size = 0; size < bytes.size(); ++size)
        RC_ASSERT(check(std::span(bytes).first(size)).failed);
    for (size_t size = 0; size < bytes.size(); ++size)
        RC_ASSERT(check(bytes, size).failed);
}

// Flips each bit in turn. The result must be refused, or be another value in its only valid
// encoding.
RC_GTEST_PROP(ValuesOfChance, WhatIsChangedIsRefusedOrHasOneForm, (uint64_t seed))
{
    Random random = random::from_seed(seed);
    const Model model = any_model(random, 3);
    const Bytes bytes = bytes_of_model(model);
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        Bytes changed = bytes;
        changed[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
        const CheckedValue checked = check(changed);
        if (checked.failed) continue;
        changed.resize(checked.size_bytes);
        RC_ASSERT(copied(changed) == changed);
    }
}

}
