#include "replication/world/field.h"
#include "replication/world/values.h"
#include "tests/replication/update/written_values.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tern {

using namespace test;

namespace {

bool is_refused(Bytes bytes)
{
    const CheckedValue checked = check(bytes);
    EXPECT_TRUE(checked.failed || checked.size_bytes == bytes.size()) << "something trails";
    const bool is_nil = text_of(bytes) == "nil";
    EXPECT_TRUE(!checked.failed || is_nil) << "in a field";
    return checked.failed;
}

}

// --- The examples of docs/wire_format.md, "Dynamic values", to the byte ---

TEST(Values, TheExamplesOfTheWireFormat)
{
    using namespace value;
    EXPECT_EQ(bytes_of([](ValueWriter &w) { put_nil(w); }), (Bytes{0x00}));
    EXPECT_EQ(bytes_of([](ValueWriter &w) { put_boolean(w, true); }), (Bytes{0x09}));
    EXPECT_EQ(bytes_of([](ValueWriter &w) { put_number(w, 3); }), (Bytes{0x32}));
    EXPECT_EQ(bytes_of([](ValueWriter &w) { put_integer(w, -1); }), (Bytes{0x0a}));
    EXPECT_EQ(bytes_of([](ValueWriter &w) { put_number(w, 1000); }), (Bytes{0x82, 0x7d}));
    EXPECT_EQ(bytes_of([](ValueWriter &w) { put_number(w, 0.5); }),
              (Bytes{0x03, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}));
    EXPECT_EQ(bytes_of([](ValueWriter &w) { put_string(w, "hi"); }), (Bytes{0x14, 'h', 'i'}));
    EXPECT_EQ(bytes_of([](ValueWriter &w) {
                  begin_table(w, 2); // {"red", true, size = 3, [7] = {}}
                  put_string(w, "red");
                  put_boolean(w, true);
                  put_string(w, "size");
                  put_number(w, 3);
                  put_integer(w, 7);
                  begin_table(w, 0);
                  end_table(w);
                  end_table(w);
              }),
              (Bytes{0x15, 0x1c, 'r', 'e', 'd', 0x09, //
                     0x24, 's', 'i', 'z', 'e', 0x32,  //
                     0x72, 0x05, 0x00, 0x00}));
}

TEST(Values, NumbersAreWrittenByValue)
{
    using namespace value;
    const double edge = 0x1p53;
    const auto number = [](double n) {
        return bytes_of([n](ValueWriter &w) { put_number(w, n); });
    };
    const auto integer = [](int64_t n) {
        return bytes_of([n](ValueWriter &w) { put_integer(w, n); });
    };
    for (int64_t n : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{7}, int64_t{8}, int64_t{-8},
                      int64_t{-9}, int64_t{1} << 40, values_integer_max, -values_integer_max})
        EXPECT_EQ(number(static_cast<double>(n)), integer(n)) << n;
    EXPECT_EQ(integer(values_integer_max).size(), 9u);
    EXPECT_EQ(text_of(integer(-values_integer_max)), "-9007199254740992");
    EXPECT_EQ(number(-0.0).size(), 9u) << "-0 is no integer";
    EXPECT_EQ(text_of(number(-0.0)), number_text(-0.0));
    EXPECT_EQ(number(edge).size(), 9u);
    EXPECT_EQ(number(edge + 2)[0], 3) << "a double";
    EXPECT_EQ(text_of(number(edge + 2)), number_text(edge + 2));
    for (double n : {0.1, 1e300, -1e-300, 5e-324, HUGE_VAL, -HUGE_VAL})
        EXPECT_EQ(text_of(number(n)), number_text(n));
    EXPECT_EQ(number(std::bit_cast<double>(0xfff8'0000'0000'1234)), number(NAN)) << "one NaN";
    EXPECT_EQ(number(NAN), (Bytes{3, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f}));
}

TEST(Values, AFieldOfZerosIsNil)
{
    EXPECT_EQ(text_of(Bytes(40)), "nil");
    EXPECT_EQ(text_of(Bytes(1)), "nil");
    EXPECT_EQ(text_of(Bytes{}), "nil");
    EXPECT_EQ(bytes_of([](ValueWriter &) {}), Bytes{0});
}

// --- Tables ---

TEST(Values, TheOrderOfPairsDoesNotMatter)
{
    using namespace value;
    std::vector<std::string> keys = {"", "b", "a", "ab", "abc", std::string(20, 'z'), "\xff"};
    const auto put_all = [&keys](ValueWriter &w) {
        begin_table(w, 0);
        for (const std::string &key : keys) {
            put_string(w, key);
            put_string(w, "of " + key);
        }
        put_boolean(w, true);
        put_nil(w);
    };
    EXPECT_EQ(error_of(put_all), ValueError::nil);
    const auto put = [&keys](ValueWriter &w) {
        begin_table(w, 1);
        put_integer(w, 4);
        for (const std::string &key : keys) {
            put_string(w, key);
            put_string(w, "of " + key);
        }
        put_number(w, 0.5);
        put_integer(w, 1);
        end_table(w);
    };
    const Bytes first = bytes_of(put);
    std::sort(keys.begin(), keys.end());
    do
        ASSERT_EQ(bytes_of(put), first);
    while (std::next_permutation(keys.begin(), keys.end()) && keys[0].empty());
}

TEST(Values, WhatCannotBeWrittenIsNamed)
{
    using namespace value;
    const auto in_table = [](size_t count, const std::function<void(ValueWriter &)> &put) {
        return error_of([count, &put](ValueWriter &w) {
            begin_table(w, count);
            put(w);
            end_table(w);
        });
    };
    const auto key = [&](double number) {
        return in_table(2, [number](ValueWriter &w) {
            put_boolean(w, false);
            put_boolean(w, false);
            put_number(w, number);
            put_boolean(w, false);
        });
    };
    const auto nothing = [](ValueWriter &) {};
    EXPECT_EQ(error_of([](ValueWriter &w) { put_integer(w, values_integer_max + 1); }),
              ValueError::integer);
    EXPECT_EQ(error_of([](ValueWriter &w) { put_integer(w, INT64_MIN); }), ValueError::integer);
    EXPECT_EQ(in_table(1, put_nil), ValueError::nil);
    EXPECT_EQ(in_table(0, put_nil), ValueError::key);
    EXPECT_EQ(in_table(0, [](ValueWriter &w) { begin_table(w, 0); }), ValueError::key);
    for (double wrong : {1.0, 2.0, 3.0, -0.0, double{NAN}, HUGE_VAL, 0x1p54, -0x1p60})
        EXPECT_EQ(key(wrong), ValueError::key) << wrong;
    for (double right : {0.0, 4.0, -1.0, 0.5, 1.5, 0x1p53, -0x1p53, 5e-324})
        EXPECT_EQ(key(right), ValueError::none) << right;
    EXPECT_EQ(in_table(0,
                       [](ValueWriter &w) {
                           for (int i = 0; i < 2; ++i) {
                               put_string(w, "same");
                               put_integer(w, i);
                           }
                       }),
              ValueError::twice);
    EXPECT_EQ(in_table(1, nothing), ValueError::shape) << "an element too few";
    EXPECT_EQ(in_table(0, [](ValueWriter &w) { put_boolean(w, true); }), ValueError::shape);
    EXPECT_EQ(error_of([](ValueWriter &w) { begin_table(w, 0); }), ValueError::shape);
    EXPECT_EQ(error_of(end_table), ValueError::shape);
    EXPECT_EQ(error_of([](ValueWriter &w) {
                  put_boolean(w, true);
                  put_boolean(w, true);
              }),
              ValueError::shape);
}

TEST(Values, TheFirstErrorStays)
{
    uint8_t field[10] = {1, 2, 3};
    ValueWriter w = value::writer(field);
    value::put_string(w, "eleven bytes");
    EXPECT_EQ(value::error(w), ValueError::too_long);
    value::end_table(w);
    value::put_integer(w, INT64_MAX);
    value::put_boolean(w, true);
    EXPECT_EQ(value::finish(w), ValueError::too_long);
    for (uint8_t byte : field)
        EXPECT_EQ(byte, 0);
    for (ValueError e = ValueError::none; e <= ValueError::shape;
         e = static_cast<ValueError>(static_cast<int>(e) + 1))
        EXPECT_GT(std::string_view(value::to_text(e)).size(), 10u);
}

// --- Limits: each is reached, and exceeded by one ---

TEST(Values, BytesAreBounded)
{
    using namespace value;
    const auto text = [](size_t length) {
        return [length](ValueWriter &w) { put_string(w, std::string(length, 'x')); };
    };
    EXPECT_EQ(error_of(text(8), 9), ValueError::none);
    EXPECT_EQ(error_of(text(9), 9), ValueError::too_long);
    EXPECT_EQ(error_of(text(898), 2000), ValueError::none);
    EXPECT_EQ(error_of(text(899), 2000), ValueError::too_long) << "value_bytes_max";
    EXPECT_EQ(error_of(text(100'000), 2000), ValueError::too_long);
    const auto table = [](ValueWriter &w) {
        begin_table(w, 1);
        put_integer(w, 1);
        end_table(w);
    };
    EXPECT_EQ(error_of(table, 3), ValueError::none);
    EXPECT_EQ(error_of(table, 2), ValueError::too_long) << "no room for its end";
    const Bytes hi = {0x14, 'h', 'i'};
    EXPECT_FALSE(check(hi, 3).failed);
    EXPECT_TRUE(check(hi, 2).failed);
}

TEST(Values, DepthIsBounded)
{
    using namespace value;
    const auto nest = [](size_t depth, bool as_value) {
        return [depth, as_value](ValueWriter &w) {
            for (size_t i = 0; i < depth; ++i) {
                begin_table(w, as_value || i + 1 == depth ? 0 : 1);
                if (as_value && i + 1 < depth) put_boolean(w, true);
            }
            for (size_t i = 0; i < depth; ++i)
                end_table(w);
        };
    };
    for (bool as_value : {false, true}) {
        EXPECT_EQ(error_of(nest(16, as_value)), ValueError::none);
        EXPECT_EQ(error_of(nest(17, as_value)), ValueError::too_deep);
    }
    Bytes deep;
    for (size_t i = 0; i < 16; ++i)
        deep.push_back(0x0d); // A table of one element.
    deep.back() = 0x05;       // An empty table.
    deep.resize(32);
    EXPECT_FALSE(is_refused(deep));
    deep.insert(deep.begin(), 0x0d);
    deep.push_back(0);
    EXPECT_TRUE(is_refused(deep));
    EXPECT_TRUE(is_refused(Bytes(900, 0x0d)));
}

TEST(Values, TheCountOfValuesIsBounded)
{
    using namespace value;
    const auto array = [](size_t count) {
        return [count](ValueWriter &w) {
            begin_table(w, count);
            for (size_t i = 0; i < count && error(w) == ValueError::none; ++i)
                put_boolean(w, true);
            end_table(w);
        };
    };
    EXPECT_EQ(error_of(array(values_count_max - 1)), ValueError::none);
    EXPECT_EQ(error_of(array(values_count_max)), ValueError::too_many);
    EXPECT_EQ(error_of(array(values_count_max + 1)), ValueError::too_many);
    EXPECT_EQ(error_of(array(SIZE_MAX)), ValueError::too_many);
    Bytes most = bytes_of(array(values_count_max - 1));
    EXPECT_FALSE(is_refused(most));
    ASSERT_EQ(most[0], 0xfd); // The lower 7 bits of 5 + 8 * 511.
    ASSERT_EQ(most[1], 0x1f);
    most[0] = 0x85; // 512
    most[1] = 0x20;
    most.insert(most.begin() + 2, 0x09);
    EXPECT_TRUE(is_refused(most));
}

// --- Input from the wire ---

TEST(Values, OtherFormsAreRefused)
{
    const Bytes forms[] = {
        {},                                                     // Empty.
        {0x08},                                                 // nil with an argument.
        {0x80, 0x00},                                           // nil in two bytes.
        {0x11},                                                 // A boolean of 2.
        {0xb2, 0x00},                                           // 3 in two bytes.
        {0x92, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, // 2^53 + 1.
        {0x8a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, // -(2^53 + 1).
        {0x0b, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f},                   // A double with an argument.
        {0x03, 0, 0, 0, 0, 0, 0, 0xe0},                         // A truncated double.
        {0x03, 0, 0, 0, 0, 0, 0, 0x08, 0x40},                   // 3 as a double.
        {0x03, 0, 0, 0, 0, 0, 0, 0, 0},                         // 0 as a double.
        {0x03, 0, 0, 0, 0, 0, 0, 0x40, 0x43},                   // 2^53 as a double.
        {0x03, 1, 0, 0, 0, 0, 0, 0xf8, 0x7f},                   // A NaN that is not canonical.
        {0x03, 0, 0, 0, 0, 0, 0, 0xf8, 0xff},                   // A negative NaN.
        {0x14, 'h'},                                            // A string cut short.
        // A string of 2^60 bytes.
        {0x04 | 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
        {0x06}, // Unused codes.
        {0x07},
        {0x05},                                         // A table without an end.
        {0x0d, 0x00, 0x00},                             // A nil in the array.
        {0x0d, 0x00},                                   // A truncated array.
        {0x05, 0x24, 's', 'i', 'z', 'e', 0x00, 0x00},   // A nil as a value.
        {0x05, 0x09, 0x00},                             // A key without a value.
        {0x05, 0x05, 0x00, 0x09, 0x00},                 // A table as a key.
        {0x05, 0x12, 0x09, 0x00},                       // Key 1, which belongs to the array.
        {0x0d, 0x09, 0x22, 0x09, 0x00},                 // Key 2 after an array of length 1.
        {0x05, 0x09, 0x09, 0x01, 0x09, 0x00},           // Keys out of order: true before false.
        {0x05, 0x09, 0x09, 0x09, 0x09, 0x00},           // The key true twice.
        {0x05, 0x0c, 'b', 0x09, 0x0c, 'a', 0x09, 0x00}, // The key "b" before "a".
        {0x05, 0x03, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0x00},    // The key -0.
        {0x05, 0x03, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0x09, 0x00}, // The key NaN.
        {0x05, 0x03, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f, 0x09, 0x00}, // The key infinity.
        {0x05, 0x03, 0, 0, 0, 0, 0, 0, 0x50, 0x43, 0x09, 0x00}, // The key 2^54 as a double.
    };
    for (const Bytes &bytes : forms)
        EXPECT_TRUE(is_refused(bytes)) << testing::PrintToString(bytes);
    // Valid neighbours of some of these.
    EXPECT_FALSE(is_refused({0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}));
    EXPECT_FALSE(is_refused({0xfa, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
    EXPECT_FALSE(is_refused({0x05, 0x01, 0x09, 0x09, 0x09, 0x00}));
    EXPECT_FALSE(is_refused({0x0d, 0x09, 0x32, 0x09, 0x00}));
}

// --- A field ---

TEST(Values, AFieldTravelsByWhatItUses)
{
    const Field field = {"any", FieldKind::values, 0, 12};
    const FieldCode f = field::code(field);
    EXPECT_EQ(field::bits_max(field), 96u);
    EXPECT_EQ(field::size_bytes(field), 12u);
    std::byte from[12] = {std::byte{0x14}, std::byte{'h'}, std::byte{'i'}, std::byte{99}};
    std::byte normal[12];
    field::normalise(f, normal, from);
    EXPECT_EQ(normal[2], std::byte{'i'});
    EXPECT_EQ(normal[3], std::byte{0}) << "what is behind the value is none of it";
    std::byte wire[12] = {}, to[12];
    BitWriter w = bits::writer(wire);
    field::write(w, f, from);
    EXPECT_EQ(bits::bit_count(w), 24u);
    std::memset(to, 99, sizeof to);
    BitReader r = bits::reader(wire);
    field::read(r, f, to);
    EXPECT_FALSE(bits::failed(r));
    EXPECT_EQ(bits::bit_count(r), 24u);
    EXPECT_EQ(std::memcmp(to, normal, sizeof to), 0);
}

TEST(Values, AMalformedFieldTravelsAsNil)
{
    const Field field = {"any", FieldKind::values, 0, 3};
    const FieldCode f = field::code(field);
    // A string of length 3 whose last byte is missing.
    std::byte value[3] = {std::byte{0x1c}, std::byte{'h'}, std::byte{'i'}};
    std::byte wire[3] = {};
    BitWriter w = bits::writer(wire);
    field::write(w, f, value);
    EXPECT_EQ(bits::bit_count(w), 8u);
    EXPECT_EQ(wire[0], std::byte{0});
    field::normalise(f, value, value);
    for (std::byte b : value)
        EXPECT_EQ(b, std::byte{0});
}

TEST(Values, AValueThatIsLongerThanTheFieldIsRefused)
{
    const FieldCode f = field::code({"any", FieldKind::values, 0, 3});
    for (size_t length : {2u, 3u}) {
        std::byte wire[8] = {static_cast<std::byte>(length * 8 + 4)}, to[4] = {};
        to[3] = std::byte{77};
        BitReader r = bits::reader(wire);
        field::read(r, f, to);
        EXPECT_EQ(bits::failed(r), length == 3);
        EXPECT_EQ(to[3], std::byte{77});
    }
}

}
