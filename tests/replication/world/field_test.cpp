#include "base/random.h"
#include "replication/world/field.h"
#include "replication/world/type_checks.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace tern {

using Value = std::vector<std::byte>;

template <class T> static Value value_of(const T &native)
{
    Value value(sizeof(native));
    std::memcpy(value.data(), &native, sizeof(native));
    return value;
}

template <class T> static T native(const Value &value)
{
    T result;
    std::memcpy(&result, value.data(), sizeof(result));
    return result;
}

static Value normalised(const Field &field, Value value)
{
    field::normalise(field::code(field), value.data(), value.data());
    return value;
}

struct Bits {
    std::vector<std::byte> bytes;
    size_t count;
    bool operator==(const Bits &) const = default;
};

static Bits written(const Field &field, const Value &value)
{
    Bits result{std::vector<std::byte>(2000), 0};
    BitWriter w = bits::writer(result.bytes);
    field::write(w, field::code(field), value.data());
    EXPECT_FALSE(bits::overflow(w));
    result.count = bits::bit_count(w);
    result.bytes.resize(bits::size_bytes(w));
    return result;
}

struct Read {
    bool failed;
    size_t bit_count;
    Value value;
};

static Read read(const Field &field, std::span<const std::byte> bytes)
{
    const size_t size_bytes = field::size_bytes(field);
    const Value behind(256, std::byte{0x5a}); // What no field may write to
    Read result{false, 0, Value(size_bytes)};
    result.value.insert(result.value.end(), behind.begin(), behind.end());
    BitReader r = bits::reader(bytes);
    field::read(r, field::code(field), result.value.data());
    EXPECT_TRUE(std::equal(behind.begin(), behind.end(), result.value.end() - 256));
    result.value.resize(size_bytes);
    result.failed = bits::failed(r);
    result.bit_count = bits::bit_count(r);
    return result;
}

// The bits of a float, as an UPDATE has them.
static Value on_the_wire(uint32_t float_bits)
{
    Value bytes(4);
    for (size_t i = 0; i < 4; ++i)
        bytes[i] = static_cast<std::byte>(float_bits >> (8 * i));
    return bytes;
}

static Field make_field(FieldKind kind, double min = 0, double max = 0, double step = 0,
                        uint16_t count = 1)
{
    return {"field", kind, 0, count, min, max, step};
}

// --- Examples, to the bit ---

TEST(Field, AnyByteOfABooleanThatIsNotZeroIsTrue)
{
    const Field field = make_field(FieldKind::boolean);
    EXPECT_EQ(normalised(field, {std::byte{200}}), Value{std::byte{1}});
    EXPECT_EQ(written(field, {std::byte{200}}).count, 1u);
    EXPECT_EQ(written(field, {std::byte{200}}).bytes, Value{std::byte{1}});
}

TEST(Field, AnIntegerWithARangeTakesTheBitsOfItsSpan)
{
    const Field field = make_field(FieldKind::int16, -100, 100);
    EXPECT_EQ(field::bits_max(field), 8u);
    EXPECT_EQ(written(field, value_of<int16_t>(-100)).bytes, Value{std::byte{0}});
    EXPECT_EQ(written(field, value_of<int16_t>(100)).bytes, Value{std::byte{200}});
    EXPECT_EQ(native<int16_t>(normalised(field, value_of<int16_t>(-30'000))), -100);
    EXPECT_EQ(native<int16_t>(normalised(field, value_of<int16_t>(30'000))), 100);
    const std::byte beyond[] = {std::byte{201}};
    EXPECT_TRUE(read(field, beyond).failed);
}

TEST(Field, AnIntegerWithoutARangeTakesAllItsBits)
{
    const Field field = make_field(FieldKind::int32);
    EXPECT_EQ(field::bits_max(field), 32u);
    const Value expected = {std::byte{0xfe}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
    EXPECT_EQ(written(field, value_of<int32_t>(-2)).bytes, expected);
}

TEST(Field, TheWidestRangesOf64BitsHold)
{
    const Field wide = make_field(FieldKind::int64, -0x1p63, 0x1p62);
    for (int64_t value : {INT64_MIN, int64_t{-1}, int64_t{0}, int64_t{1} << 62})
        EXPECT_EQ(native<int64_t>(normalised(wide, value_of(value))), value);
    EXPECT_EQ(native<int64_t>(normalised(wide, value_of(INT64_MAX))), int64_t{1} << 62);
    const Field high = make_field(FieldKind::uint64, 0x1p63, 0x1p63 + 0x1p12);
    EXPECT_EQ(field::bits_max(high), 13u);
    EXPECT_EQ(native<uint64_t>(normalised(high, value_of<uint64_t>(5))), uint64_t{1} << 63);
}

TEST(Field, AnExactFloatHasOneNanAndOneZero)
{
    const Field field = make_field(FieldKind::float32);
    EXPECT_EQ(native<uint32_t>(normalised(field, value_of<uint32_t>(0xffc12345))), 0x7fc00000u);
    EXPECT_EQ(native<uint32_t>(normalised(field, value_of(-0.0f))), 0u);
    EXPECT_EQ(native<float>(normalised(field, value_of(-INFINITY))), -INFINITY);
    EXPECT_TRUE(read(field, on_the_wire(0x80000000)).failed); // -0
    EXPECT_TRUE(read(field, on_the_wire(0xffc12345)).failed);
    EXPECT_FALSE(read(field, on_the_wire(1)).failed); // The least positive float.
}

TEST(Field, ARangeWithoutAStepClamps)
{
    const Field field = make_field(FieldKind::float32, -1, 2);
    EXPECT_EQ(native<float>(normalised(field, value_of(-INFINITY))), -1.0f);
    EXPECT_EQ(native<float>(normalised(field, value_of(7.0f))), 2.0f);
    EXPECT_EQ(native<float>(normalised(field, value_of(NAN))), -1.0f);
    EXPECT_EQ(native<float>(normalised(field, value_of(0.1f))), 0.1f);
    EXPECT_TRUE(read(field, on_the_wire(std::bit_cast<uint32_t>(2.5f))).failed);
}

TEST(Field, AStepRoundsToTheNearest)
{
    const Field field = make_field(FieldKind::float32, -10, 10, 0.25);
    EXPECT_EQ(field::bits_max(field), 7u); // 80 steps.
    EXPECT_EQ(native<float>(normalised(field, value_of(1.3f))), 1.25f);
    EXPECT_EQ(native<float>(normalised(field, value_of(INFINITY))), 10.0f);
    EXPECT_EQ(native<float>(normalised(field, value_of(NAN))), -10.0f);
    EXPECT_EQ(written(field, value_of(0.0f)).bytes, Value{std::byte{40}});
    const std::byte beyond[] = {std::byte{81}};
    EXPECT_TRUE(read(field, beyond).failed);
}

// A step is as fine as a float here, and the steps miss the midpoints between floats by less than
// the quotient can resolve. Rounding a value twice must not reach the next step.
TEST(Field, AStepAsFineAsAFloatDoesNotDrift)
{
    const Field field = make_field(FieldKind::float32, -16777215.5 + 0x1p-29, 16777215.5, 1);
    for (float value = 16777200; value < 16777215; ++value)
        EXPECT_EQ(native<float>(normalised(field, value_of(value))), value);
}

TEST(Field, AnObjectBeyond48BitsIsNone)
{
    const Field field = make_field(FieldKind::object);
    EXPECT_EQ(field::bits_max(field), 48u);
    EXPECT_EQ(native<uint64_t>(normalised(field, value_of(uint64_t{1} << 48))), 0u);
    EXPECT_EQ(native<uint64_t>(normalised(field, value_of((uint64_t{1} << 48) - 1))),
              (uint64_t{1} << 48) - 1);
}

TEST(Field, TextEndsAtItsFirstZeroAndAlwaysHasOne)
{
    const Field field = make_field(FieldKind::text, 0, 0, 0, 8);
    char longest[8] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
    char with_rest[8] = {'h', 'i', 0, 'x', 'y', 'z', 'x', 'y'};
    EXPECT_EQ(normalised(field, value_of(longest)).back(), std::byte{0});
    const Value padded = normalised(field, value_of(with_rest));
    EXPECT_EQ(std::memcmp(padded.data(), "hi\0\0\0\0\0", 8), 0);
    const Bits hi = written(field, value_of(with_rest));
    EXPECT_EQ(hi.count, 3u + 16);
    EXPECT_EQ(std::to_integer<unsigned>(hi.bytes[0]), 2u | (('h' & 31u) << 3));
}

TEST(Field, AZeroInsideATextIsRefused)
{
    const Field field = make_field(FieldKind::text, 0, 0, 0, 5);
    // First a length of 2 in 3 bits, then 'a' and a zero. Below a length of 5, which leaves no room
    // for the final zero.
    const std::byte zero_inside[] = {std::byte{2 | ('a' & 31) << 3}, std::byte{'a' >> 5},
                                     std::byte{0}};
    EXPECT_TRUE(read(field, zero_inside).failed);
    const std::vector<std::byte> too_long(8, std::byte{0xfd});
    EXPECT_TRUE(read(field, too_long).failed);
}

// --- Properties, over fields of every kind and values near every limit ---

static double random_magnitude(Random &random)
{
    const double exponent = static_cast<double>(random::below(random, 80)) - 40;
    const double value = (random::unit(random) + 0.1) * std::pow(10.0, exponent * 0.9);
    return random::chance(random, 0.5) ? value : -value;
}

// Ranges and steps that a table may have, from harmless ones to steps finer than a float.
static Field random_float(Random &random)
{
    static constexpr double hard[][3] = {{0, 1, 0.1},
                                         {-0.3, 0.3, 0.1},
                                         {-1, 1, 1e-9},
                                         {-1e6, 1e6, 0.001},
                                         {0, 1e30, 1e21},
                                         {-1e-30, 1e-30, 1e-38},
                                         {0, 1e-38, 1e-45},
                                         {-1e-38, 1e-38, 1e-46},
                                         {-16777215.5 + 0x1p-29, 16777215.5, 1},
                                         {16777215, 16777220, 0.5},
                                         {16777214.5, 16777225.5, 1},
                                         {33554431, 33554500, 2},
                                         {-0.1, 100.05, 0.0333},
                                         {-3e38, 3e38, 1e30},
                                         {0.5, 4294967295.5, 1},
                                         {1e9, 1e9 + 64, 1.0 / 3}};
    if (random::chance(random, 0.3)) {
        const auto &range = hard[random::below(random, std::size(hard))];
        return make_field(FieldKind::float32, range[0], range[1], range[2]);
    }
    const double min = random::chance(random, 0.2) ? 0 : random_magnitude(random);
    const double around = min == 0 ? 1 : std::fabs(min);
    const double span =
        random::chance(random, 0.5)
            ? std::fabs(random_magnitude(random))
            : around * std::pow(2.0, -static_cast<double>(random::below(random, 40)));
    const double steps =
        1 + random::unit(random) * std::pow(2.0, static_cast<double>(random::below(random, 32)));
    return make_field(FieldKind::float32, min, min + span, span / steps);
}

// Follows type_checks, which refuses steps that round to nothing.
static bool allowed(const Field &field)
{
    return field.min < field.max && std::fabs(field.max) + field.step < 3e38 &&
           (field.max - field.min) / field.step >= 1 &&
           (field.max - field.min) / field.step < type_checks::float_steps_max;
}

static Field random_field(Random &random)
{
    const auto kind = static_cast<FieldKind>(random::below(random, 16));
    const auto count = static_cast<uint16_t>(1 + random::below(random, 4));
    if (kind == FieldKind::float32 && random::chance(random, 0.9)) {
        Field field = random_float(random);
        while (!allowed(field))
            field = random_float(random);
        if (random::chance(random, 0.1)) field.step = 0;
        field.count = count;
        return field;
    }
    if (kind == FieldKind::quaternion && random::chance(random, 0.9)) {
        static constexpr double steps[] = {2e-6, 1e-5, 1e-3, 1.0 / 511, 0.01, 0.1, 0.125};
        return make_field(kind, 0, 0, steps[random::below(random, std::size(steps))], count);
    }
    if (field::is_integer(kind) && random::chance(random, 0.7)) {
        const double low = kind <= FieldKind::int64 ? -128 : 0;
        const double min = low + static_cast<double>(random::below(random, 100));
        return make_field(kind, min, min + 1 + static_cast<double>(random::below(random, 27)), 0,
                          count);
    }
    return make_field(kind, 0, 0, 0, kind >= FieldKind::text ? uint16_t(count * 5) : count);
}

static float random_number(Random &random, const Field &field)
{
    static constexpr float special[] = {0.0f,     -0.0f,  INFINITY,    -INFINITY,
                                        NAN,      1e-45f, -1e-45f,     3.4e38f,
                                        -3.4e38f, 0.5f,   0.70710677f, -0.70710677f};
    const uint64_t choice = random::below(random, 10);
    if (choice == 0) return special[random::below(random, std::size(special))];
    if (choice == 1) return std::bit_cast<float>(static_cast<uint32_t>(random::next(random)));
    if (!field::has_range(field)) return static_cast<float>(random::unit(random) * 2 - 1);
    if (field.step == 0)
        return static_cast<float>(field.min + random::unit(random) * (field.max - field.min));
    const auto steps = static_cast<double>(random::below(random, field::float_steps(field) + 1));
    const double part = choice < 5 ? 0 : choice < 7 ? 0.5 : random::unit(random);
    auto number = static_cast<float>(field.min + (steps + part) * field.step);
    for (uint64_t i = random::below(random, 3); i > 0; --i)
        number = std::nextafterf(number, random::chance(random, 0.5) ? INFINITY : -INFINITY);
    return number;
}

static Value random_value(Random &random, const Field &field)
{
    Value value(field::size_bytes(field));
    for (std::byte &b : value) {
        const bool edge = random::chance(random, 0.3);
        b = static_cast<std::byte>(edge ? (random::chance(random, 0.5) ? 0 : 255)
                                        : random::below(random, 256));
    }
    if (field.kind != FieldKind::float32 && field.kind != FieldKind::quaternion) return value;
    for (size_t at = 0; at < value.size(); at += sizeof(float)) {
        const float number = random_number(random, field);
        std::memcpy(value.data() + at, &number, sizeof(number));
    }
    return value;
}

static std::string print(const Field &field, const Value &value)
{
    char text[200];
    std::snprintf(text, sizeof(text),
                  "kind %d count %d min %.17g max %.17g step %.17g:", static_cast<int>(field.kind),
                  field.count, field.min, field.max, field.step);
    std::string result = text;
    for (std::byte b : value) {
        std::snprintf(text, sizeof(text), " %02x", std::to_integer<unsigned>(b));
        result += text;
    }
    return result;
}

static constexpr int property_trials = 300'000;

TEST(Field, WhatIsNormalisedStaysAndTravelsToTheBit)
{
    Random random = random::from_seed(1);
    for (int i = 0; i < property_trials; ++i) {
        const Field field = random_field(random);
        const Value value = random_value(random, field);
        const Value once = normalised(field, value);
        ASSERT_EQ(normalised(field, once), once) << i << ": " << print(field, value);
        const Bits bits = written(field, value);
        ASSERT_EQ(written(field, once), bits) << i << ": " << print(field, value);
        ASSERT_LE(bits.count, field::bits_max(field)) << i << ": " << print(field, value);
        const Read back = read(field, bits.bytes);
        ASSERT_FALSE(back.failed) << i << ": " << print(field, value);
        ASSERT_EQ(back.bit_count, bits.count) << i << ": " << print(field, value);
        ASSERT_EQ(back.value, once) << i << ": " << print(field, value);
    }
}

TEST(Field, ManyAreNormalisedLikeEachOfThem)
{
    Random random = random::from_seed(7);
    for (int i = 0; i < property_trials / 10; ++i) {
        const Field field = random_field(random);
        const FieldCode code = field::code(field);
        const size_t count = 1 + random::below(random, 5);
        const size_t stride = field::size_bytes(field) + random::below(random, 9);
        Value values(count * stride), result(count * stride), expected(count * stride);
        bool any_nan = false;
        for (size_t at = 0; at < values.size(); at += stride) {
            const Value value = random_value(random, field);
            std::copy(value.begin(), value.end(), values.begin() + static_cast<ptrdiff_t>(at));
            const Value rounded = normalised(field, value);
            std::copy(rounded.begin(), rounded.end(),
                      expected.begin() + static_cast<ptrdiff_t>(at));
            any_nan = any_nan || field::any_nan(code, value.data(), 1, 0);
        }
        ASSERT_EQ(field::normalise(code, result.data(), values.data(), count, stride), any_nan);
        ASSERT_EQ(result, expected) << i << ": " << print(field, values);
        field::normalise(code, result.data(), expected.data(), count, stride);
        ASSERT_EQ(result, expected) << i << ": moved when rounded again";
    }
}

TEST(Field, WhatIsReadIsWrittenAgainToTheBit)
{
    Random random = random::from_seed(2);
    int accepted = 0;
    for (int i = 0; i < property_trials; ++i) {
        const Field field = random_field(random);
        std::vector<std::byte> bytes(random::below(random, 40) + 1);
        for (std::byte &b : bytes)
            b = static_cast<std::byte>(random::below(random, 256));
        if (random::chance(random, 0.5)) { // Bytes near a valid value, so that more are accepted.
            const Bits right = written(field, random_value(random, field));
            std::copy_n(right.bytes.begin(), std::min(right.bytes.size(), bytes.size()),
                        bytes.begin());
            if (!right.bytes.empty() && random::chance(random, 0.5))
                bytes[random::below(random, std::min(right.bytes.size(), bytes.size()))] ^=
                    static_cast<std::byte>(1u << random::below(random, 8));
        }
        const Read back = read(field, bytes);
        if (back.failed) continue;
        ++accepted;
        const Bits again = written(field, back.value);
        ASSERT_EQ(again.count, back.bit_count) << i << ": " << print(field, bytes);
        for (size_t bit = 0; bit < again.count; ++bit)
            ASSERT_EQ(std::to_integer<unsigned>(again.bytes[bit / 8]) >> bit % 8 & 1,
                      std::to_integer<unsigned>(bytes[bit / 8]) >> bit % 8 & 1)
                << i << ": " << print(field, bytes);
        ASSERT_EQ(normalised(field, back.value), back.value) << i << ": " << print(field, bytes);
    }
    EXPECT_GT(accepted, property_trials / 10);
}

// Implements "float32 with a step" of docs/wire_format.md literally.
static uint64_t steps_by_the_book(const Field &field, float value)
{
    const auto stands_for = [&field](double q) {
        const auto number = static_cast<float>(field.min + q * field.step);
        return number == 0 ? 0.0f : number;
    };
    const auto last = static_cast<double>(field::float_steps(field));
    const auto nearest = [&](float v) {
        const double q = std::floor((static_cast<double>(v) - field.min) / field.step + 0.5);
        const double inside = std::isnan(q) || q < 0 ? 0 : std::min(q, last);
        for (double near = std::max(inside - 1, 0.0); near <= std::min(inside + 1, last); ++near)
            if (stands_for(near) == v) return near;
        return inside;
    };
    return static_cast<uint64_t>(nearest(stands_for(nearest(value))));
}

TEST(Field, AStepFollowsTheBook)
{
    Random random = random::from_seed(4);
    for (int i = 0; i < property_trials; ++i) {
        const Field field = random_float(random);
        if (!allowed(field)) continue;
        const float value = random_number(random, field);
        const Bits bits = written(field, value_of(value));
        BitReader r = bits::reader(bits.bytes);
        ASSERT_EQ(bits::read(r, static_cast<unsigned>(bits.count)), steps_by_the_book(field, value))
            << i << ": " << print(field, value_of(value));
    }
}

TEST(Field, SkippingPassesWhatReadingReads)
{
    Random random = random::from_seed(5);
    for (int i = 0; i < property_trials; ++i) {
        const Field field = random_field(random);
        std::vector<std::byte> bytes(random::below(random, 40) + 1);
        for (std::byte &b : bytes)
            b = static_cast<std::byte>(random::below(random, 256));
        const Read back = read(field, bytes);
        if (back.failed) continue;
        BitReader r = bits::reader(bytes);
        field::skip(r, field::code(field));
        ASSERT_EQ(bits::bit_count(r), back.bit_count) << i << ": " << print(field, bytes);
    }
}

TEST(Field, WhatEndsTooEarlyFails)
{
    Random random = random::from_seed(3);
    for (int i = 0; i < 2000; ++i) {
        const Field field = random_field(random);
        const Bits bits = written(field, random_value(random, field));
        if (bits.bytes.empty()) continue;
        const Read cut = read(field, std::span(bits.bytes).first(bits.bytes.size() - 1));
        EXPECT_TRUE(cut.failed) << print(field, bits.bytes);
    }
}

}
