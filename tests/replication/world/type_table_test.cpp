#include "replication/world/type_table.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tern {

struct Ship {
    float position[3];
    bool docked;
    char name[12];
    uint16_t hull;
    PeerId pilot;
    ObjectId target;
};

static const Field ship_fields[] = {
    {"position", FieldKind::float32, offsetof(Ship, position), 3, -100, 100, 0.5},
    {"docked", FieldKind::boolean, offsetof(Ship, docked)},
    {"name", FieldKind::text, offsetof(Ship, name), 12},
    {"hull", FieldKind::uint16, offsetof(Ship, hull), 1, 0, 1000},
    {"pilot", FieldKind::peer, offsetof(Ship, pilot)},
    {"target", FieldKind::object, offsetof(Ship, target)}};

struct Shot {
    int32_t power;
    uint8_t note[20];
};

static const Field shot_fields[] = {{"power", FieldKind::int32, offsetof(Shot, power)},
                                    {"note", FieldKind::values, offsetof(Shot, note), 20}};

static const Type types[] = {
    {"Ship", sizeof(Ship), ship_fields, 10, Orphan::destroy, ClaimPolicy::never},
    {"Shot", sizeof(Shot), shot_fields}};

static std::string description(std::span<const Type> some)
{
    std::string text(description_bytes_max, 'x');
    text.resize(type_table::describe(type_table::make(some), text));
    return text;
}

TEST(TypeTable, IsDescribedLineByLine)
{
    EXPECT_EQ(description(types), "type Ship objects 10 orphan destroy claim never\n"
                                  "field position float32 count 3 min -100 max 100 step 0.5\n"
                                  "field docked boolean\n"
                                  "field name text count 12\n"
                                  "field hull uint16 min 0 max 1000\n"
                                  "field pilot peer\n"
                                  "field target object\n"
                                  "type Shot\n"
                                  "field power int32\n"
                                  "field note values count 20\n");
}

TEST(TypeTable, ABoundIsPartOfTheTable)
{
    const Field field = {"place", FieldKind::float32, 0, 3, 0, 0, 0, 0.25};
    const Type type = {"Ship", 12, {&field, 1}, 10};
    EXPECT_EQ(description({&type, 1}), "type Ship objects 10 orphan to_host claim always\n"
                                       "field place float32 count 3 bound 0.25\n");
}

TEST(TypeTable, KnowsItsLargestValues)
{
    const TypeTable table = type_table::make(types);
    EXPECT_EQ(table.value_bits_max[0], 3 * 9 + 1 + (4 + 88) + 10 + 16 + 48);
    EXPECT_EQ(table.value_bits_max[1], 32 + 160);
    EXPECT_EQ(table.objects_max, 10u);
    EXPECT_EQ(table.size_bytes_max, sizeof(Ship)); // Types that are only called do not count.
    EXPECT_EQ(table.fields_count_max, 6);
    EXPECT_EQ(type_table::all_fields(table, 0), 63u);
}

TEST(TypeTable, AllTypesTogetherHaveAtMost16777216Objects)
{
    const Field field = {"place", FieldKind::float32, 0, 3};
    Type two[] = {{"Ship", 12, {&field, 1}, 1u << 23}, {"Rock", 12, {&field, 1}, 1u << 23}};
    EXPECT_STREQ(type_table::problem(two).text, "");
    two[1].objects_max += 1;
    EXPECT_STREQ(type_table::problem(two).text, "objects_max is 16777217 in all, at most 16777216");
}

TEST(TypeTable, TheFirstDifferenceIsToldWithItsType)
{
    const std::string ours = description(types);
    std::string theirs = ours;
    theirs.replace(theirs.find("uint16"), 6, "uint32");
    EXPECT_NE(type_table::digest(type_table::make(types)), 0u);
    char text[300];
    type_table::first_difference(ours, theirs, text);
    EXPECT_STREQ(text, "The type tables differ in type Ship: here \"field hull uint16 min 0 max "
                       "1000\", there \"field hull uint32 min 0 max 1000\".");
    type_table::first_difference(ours, std::string_view(ours).substr(0, ours.find("type Shot")),
                                 text);
    EXPECT_STREQ(text, "The type tables differ: here \"type Shot\", there nothing more.");
    type_table::first_difference(ours, ours, text);
    EXPECT_STREQ(text, "The type tables are equal.");
    // Descriptions with different digests are never reported as equal.
    theirs = ours.substr(0, ours.size() - 1);
    type_table::first_difference(ours, theirs, text);
    EXPECT_STREQ(text, "The type tables differ: one is cut short.");
}

TEST(TypeTable, AForeignDescriptionIsShownHarmlesslyAndCut)
{
    const std::string theirs(5000, '\x1b');
    char text[40];
    std::memset(text, 'x', sizeof(text));
    type_table::first_difference(description(types), theirs, text);
    EXPECT_EQ(std::strlen(text), sizeof(text) - 1);
    char whole[400];
    type_table::first_difference(description(types), theirs, whole);
    EXPECT_EQ(std::strchr(whole, '\x1b'), nullptr);
    EXPECT_NE(std::strstr(whole, "???..."), nullptr);
}

TEST(TypeTable, BytesWithoutAFieldBecomeZero)
{
    const TypeTable table = type_table::make(types);
    Ship a;
    Ship b;
    std::memset(&a, 0xff, sizeof(a));
    std::memset(&b, 0x11, sizeof(b));
    for (Ship *ship : {&a, &b}) {
        const float position[3] = {1, 2, 3};
        std::memcpy(ship->position, position, sizeof(position));
        std::memset(&ship->docked, 1, 1);
        std::strcpy(ship->name, "Argo");
        ship->hull = 77;
        ship->pilot = PeerId{4};
        ship->target = ObjectId::none;
        type_table::normalise(table, 0, ship);
    }
    EXPECT_EQ(std::memcmp(&a, &b, sizeof(a)), 0);
    EXPECT_EQ(type_table::difference(table, 0, &a, &b), 0u);
    b.hull = 78;
    b.position[2] = 4;
    EXPECT_EQ(type_table::difference(table, 0, &a, &b), 1u << 3 | 1u);
}

TEST(TypeTable, OnlyTheFieldsOfTheMaskTravel)
{
    const TypeTable table = type_table::make(types);
    Ship from = {};
    from.hull = 500;
    from.docked = true;
    std::byte buffer[64];
    BitWriter w = bits::writer(buffer);
    type_table::write_fields(w, table, 0, &from, 1u << 1 | 1u << 3);
    EXPECT_EQ(bits::bit_count(w), 11u);
    Ship to = {};
    to.pilot = PeerId{9};
    BitReader r = bits::reader(buffer);
    type_table::read_fields(r, table, 0, &to, 1u << 1 | 1u << 3);
    EXPECT_FALSE(bits::failed(r));
    EXPECT_EQ(to.hull, 500);
    EXPECT_TRUE(to.docked);
    EXPECT_EQ(to.pilot, PeerId{9});
}

// --- Invalid tables ---

static void make_one(const Field &field, uint16_t size_bytes = 16)
{
    const Type type = {"T", size_bytes, {&field, 1}};
    type_table::make({&type, 1});
}

TEST(TypeTableDeathTest, NamesWhatIsWrongWithAField)
{
    EXPECT_DEATH(make_one({"", FieldKind::int8, 0}), "type T: field 0: its name");
    EXPECT_DEATH(make_one({nullptr, FieldKind::int8, 0}), "type T: field 0: its name");
    EXPECT_DEATH(make_one({"a b", FieldKind::int8, 0}), "type T: field 0: its name");
    EXPECT_DEATH(make_one({"f", FieldKind::int32, 14}),
                 "field f: bytes 14 to 18 of a struct of 16");
    EXPECT_DEATH(make_one({"f", FieldKind::quaternion, 0, 2}), "bytes 0 to 32");
    EXPECT_DEATH(make_one({"f", FieldKind::int8, 0, 0}), "field f: count is 0");
    EXPECT_DEATH(make_one({"f", FieldKind::text, 0}), "field f: a text of count 1 has room for");
    EXPECT_DEATH(make_one({"f", FieldKind::int8, 0, 1, 5, 5}), "min 5 is not below max 5");
    EXPECT_DEATH(make_one({"f", FieldKind::int8, 0, 1, 0, 128}), "range 0 to 128 is beyond");
    EXPECT_DEATH(make_one({"f", FieldKind::uint64, 0, 1, 0, 0x1p64}), "is beyond its kind");
    EXPECT_DEATH(make_one({"f", FieldKind::int8, 0, 1, 0, 1.5}), "is not whole");
    EXPECT_DEATH(make_one({"f", FieldKind::text, 0, 4, 0, 1}), "a range is for");
    EXPECT_DEATH(make_one({"f", FieldKind::float32, 0, 1, 0, 0, 0.1}),
                 "a step is for float32 with");
    EXPECT_DEATH(make_one({"f", FieldKind::int8, 0, 1, 0, 9, 0.1}), "a step is for float32 with");
    EXPECT_DEATH(make_one({"f", FieldKind::float32, 0, 1, 0, 1, 1e-10}), "steps of 1e-10");
    EXPECT_DEATH(make_one({"f", FieldKind::float32, 0, 1, 0, 1, -1}), "step -1");
    EXPECT_DEATH(make_one({"f", FieldKind::float32, 0, 1, 0, 1e39}), "is beyond its kind");
    EXPECT_DEATH(make_one({"f", FieldKind::quaternion, 0, 1, 0, 0, 0.5}), "step 0.5 of a quat");
    EXPECT_DEATH(make_one({"f", FieldKind::int32, 0, 1, 0, 0, 0, 1}), "a bound is for float32");
    EXPECT_DEATH(make_one({"f", FieldKind::float32, 0, 1, 0, 0, 0, -1}), "bound -1");
    EXPECT_DEATH(make_one({"f", FieldKind::float32, 0, 1, 0, 0, 0, NAN}), "bound nan");
    EXPECT_DEATH(make_one({"f", FieldKind::int8, 0}, 4097), "a struct of 4097 bytes");
    EXPECT_DEATH(make_one({"f", FieldKind::bytes, 0, 901}, 1000), "takes 7208 bits");
}

TEST(TypeTableDeathTest, NamesFieldsThatOverlapOrShareAName)
{
    const Field overlapping[] = {{"a", FieldKind::int32, 0}, {"b", FieldKind::int8, 3}};
    const Field namesakes[] = {{"a", FieldKind::int32, 0}, {"a", FieldKind::int8, 4}};
    const Type first = {"T", 8, overlapping};
    const Type second = {"T", 8, namesakes};
    EXPECT_DEATH(type_table::make({&first, 1}), "fields a .at 0. and b .at 3. overlap");
    EXPECT_DEATH(type_table::make({&second, 1}), "two fields are named a");
    const Type twins[] = {{"T", 8, {}}, {"T", 8, {}}};
    EXPECT_DEATH(type_table::make(twins), "types 0 and 1 are both named T");
}

TEST(TypeTableDeathTest, CountsFieldsTypesAndTheDescription)
{
    std::vector<std::string> names;
    for (int i = 0; i < 300; ++i)
        names.push_back(std::string(60, 'n') + std::to_string(i));
    std::vector<Field> fields;
    for (uint16_t i = 0; i < 65; ++i)
        fields.push_back({names[i].c_str(), FieldKind::int8, i});
    std::vector<Type> many;
    for (const std::string &name : names)
        many.push_back({name.c_str(), 65, {}});
    const Type wide = {"T", 65, fields};
    EXPECT_DEATH(type_table::make({&wide, 1}), "65 fields, at most 64");
    EXPECT_DEATH(type_table::make(many), "300 types, at most 256");
    many.resize(256);
    EXPECT_DEATH(type_table::make(many), "description is beyond 15360 bytes");
    const Type fits = {"T", 65, std::span(fields).first(64)};
    EXPECT_EQ(type_table::all_fields(type_table::make({&fits, 1}), 0), ~uint64_t{0});
}

}
