#include "common/type_file.h"
#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <tern/io.hpp>
#include <tern/limits.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>
#include <unistd.h>

using namespace tern;

namespace {

type_file::Read read_text(const std::string &text)
{
    return type_file::read(toml::parse(text), "types.toml");
}

// The problems of a text, one per line.
std::string problems_of(const std::string &text)
{
    std::string all;
    for (const type_file::Problem &problem : read_text(text).problems)
        all += problem.where + ": " + problem.text + "\n";
    return all;
}

std::string with_field(const std::string &field)
{
    return "[[type]]\nname = \"t\"\nfield = [{" + field + "}]\n";
}

// The newcomer's state after joining; the two peers have different type tables.
State joined(std::span<const Type> of_host, std::span<const Type> of_newcomer)
{
    SimNetwork *network = make_sim_network({});
    Config config = {};
    config.types = of_host;
    Session *host = make_session(config);
    config.types = of_newcomer;
    Session *newcomer = make_session(config);
    const Address addresses[] = {loopback(1), loopback(2)};
    Socket *sockets[] = {make_sim_socket(network, addresses[0]),
                         make_sim_socket(network, addresses[1])};
    start(host);
    join(newcomer, make_invite(host, {addresses, 1}));
    Session *sessions[] = {host, newcomer};
    for (uint64_t now_us = 0; now_us < 20'000'000 && session_state(newcomer) == State::joining;
         now_us += 16'000) {
        advance(network, now_us);
        for (size_t i = 0; i < 2; ++i) {
            receive(sessions[i], sockets[i]->receive(), now_us);
            sockets[i]->send(send(sessions[i], now_us));
        }
    }
    const State end = session_state(newcomer);
    destroy_session(host);
    destroy_session(newcomer);
    destroy_sim_network(network);
    return end;
}

struct Ship {
    double not_replicated;
    float position[3];
    float rotation[4];
    PeerId pilot;
    ObjectId target;
    uint8_t health;
    bool awake;
    char label[12];
    uint8_t blob[5];
    uint8_t any[30];
    int16_t heat;
    int64_t large;
};
struct Chat {
    uint32_t number;
    char text[40];
};

const Field ship_fields[] = {
    {"position", FieldKind::float32, offsetof(Ship, position), 3, -1000, 1000, 0.01},
    {"rotation", FieldKind::quaternion, offsetof(Ship, rotation), 1, 0, 0, 0.001},
    {"pilot", FieldKind::peer, offsetof(Ship, pilot)},
    {"target", FieldKind::object, offsetof(Ship, target)},
    {"health", FieldKind::uint8, offsetof(Ship, health), 1, 0, 100},
    {"awake", FieldKind::boolean, offsetof(Ship, awake)},
    {"label", FieldKind::text, offsetof(Ship, label), sizeof(Ship::label)},
    {"blob", FieldKind::bytes, offsetof(Ship, blob), sizeof(Ship::blob)},
    {"any", FieldKind::values, offsetof(Ship, any), sizeof(Ship::any)},
    {"heat", FieldKind::int16, offsetof(Ship, heat), 1, -40, 120},
    {"large", FieldKind::int64, offsetof(Ship, large)}};
const Field chat_fields[] = {{"text", FieldKind::text, offsetof(Chat, text), sizeof(Chat::text)},
                             {"number", FieldKind::uint32, offsetof(Chat, number)}};
const Type ships[] = {
    {"ship", sizeof(Ship), ship_fields, 64, Orphan::ask_game, ClaimPolicy::ask_game, 250, 12, 8},
    {"chat", sizeof(Chat), chat_fields}};

constexpr const char *ships_text = R"(
[[type]]
name = "ship"
objects_max = 64
orphan = "ask_game"
claim = "ask_game"
claim_cooldown_ms = 250
owned_max = 12
claims_per_second_max = 8
at_start = 3
  [[type.field]]
  name = "position"
  kind = "float32"
  count = 3
  min = -1000
  max = 1000
  step = 0.01
  [[type.field]]
  name = "rotation"
  kind = "quaternion"
  step = 0.001
  [[type.field]]
  name = "pilot"
  kind = "peer"
  [[type.field]]
  name = "target"
  kind = "object"
  [[type.field]]
  name = "health"
  kind = "uint8"
  min = 0
  max = 100
  [[type.field]]
  name = "awake"
  kind = "boolean"
  [[type.field]]
  name = "label"
  kind = "text"
  count = 12
  [[type.field]]
  name = "blob"
  kind = "bytes"
  count = 5
  [[type.field]]
  name = "any"
  kind = "values"
  count = 30
  [[type.field]]
  name = "heat"
  kind = "int16"
  min = -40
  max = 120
  [[type.field]]
  name = "large"
  kind = "int64"

[[type]]
name = "chat"
fields = [{name = "text", kind = "text", count = 40}, {name = "number", kind = "uint32"}]
)";

TEST(TypeFile, AGameWithTheSameTableInCppJoins)
{
    const type_file::Read read = read_text(ships_text);
    ASSERT_TRUE(read.table) << problems_of(ships_text);
    EXPECT_EQ(read.table->at_start, (std::vector<uint32_t>{3, 0}));
    EXPECT_EQ(joined(ships, read.table->types), State::open);
    EXPECT_EQ(joined(read.table->types, ships), State::open);
}

TEST(TypeFile, EachPartOfATableMatters)
{
    const auto swapped = [](const std::string &from, const std::string &to) {
        std::string text = ships_text;
        text.replace(text.find(from), from.size(), to);
        const type_file::Read read = read_text(text);
        return read.table ? joined(ships, read.table->types) : State::idle;
    };
    EXPECT_EQ(swapped("name = \"pilot\"", "name = \"pilots\""), State::refused_types);
    EXPECT_EQ(swapped("objects_max = 64", "objects_max = 65"), State::refused_types);
    EXPECT_EQ(swapped("orphan = \"ask_game\"", "orphan = \"spread\""), State::refused_types);
    EXPECT_EQ(swapped("claim = \"ask_game\"", "claim = \"never\""), State::refused_types);
    EXPECT_EQ(swapped("_ms = 250", "_ms = 251"), State::refused_types);
    EXPECT_EQ(swapped("count = 3", "count = 2"), State::refused_types);
    EXPECT_EQ(swapped("max = 120", "max = 121"), State::refused_types);
    EXPECT_EQ(swapped("step = 0.001", "step = 0.002"), State::refused_types);
    // This field concerns the host only.
    EXPECT_EQ(swapped("at_start = 3", "at_start = 4"), State::open);
}

TEST(TypeFile, WithoutTypesItIsTheSyntheticTable)
{
    const type_file::Read read = read_text("tick_hz = 30\n");
    ASSERT_TRUE(read.table);
    EXPECT_TRUE(read.problems.empty());
    EXPECT_EQ(joined(type_file::synthetic()->types, read.table->types), State::open);
    EXPECT_EQ(joined(ships, read.table->types), State::refused_types);
    EXPECT_GT(read.table->types[0].objects_max, 0u);
    EXPECT_EQ(read.table->types.back().objects_max, 0u) << "a call";
    EXPECT_EQ(read.table->types.size(), read.table->at_start.size());
}

TEST(TypeFile, AllThatIsWrongIsToldAtOnceWithItsPlace)
{
    EXPECT_EQ(problems_of("[[type]]\n"
                          "nam = \"a\"\n"
                          "objects_max = -1\n"
                          "orphan = \"to_hots\"\n"
                          "claim = 3\n"
                          "[[type]]\n"
                          "name = \"b c\"\n"
                          "at_start = 1\n"
                          "[[type.field]]\n"
                          "name = \"x\"\n"
                          "kind = \"flaot32\"\n"),
              "types.toml:2:1: type: unknown key \"nam\" (did you mean \"name\"?)\n"
              "types.toml:1:1: type: name is missing\n"
              "types.toml:3:15: type: objects_max is -1, expected a whole number from 0 to 65536\n"
              "types.toml:4:10: type: orphan is \"to_hots\", expected one of to_host, destroy, "
              "spread, ask_game, hold (did you mean \"to_host\"?)\n"
              "types.toml:5:9: type: claim is 3, expected one of always, ask_game, never\n"
              "types.toml:7:8: type: name is \"b c\", expected a string without spaces, not empty\n"
              "types.toml:8:12: type: at_start is for objects, but objects_max is 0: the type is "
              "for calls only\n"
              "types.toml:11:8: type: field \"x\": kind is \"flaot32\", expected one of boolean, "
              "int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, quaternion, "
              "peer, object, text, bytes, values (did you mean \"float32\"?)\n");
}

TEST(TypeFile, EachRuleOfAFieldIsNamed)
{
    struct Case {
        const char *field, *told;
    };
    const Case cases[] = {
        {"kind = 'uint8'", "name is missing"},
        {"name = 'f'", "kind is missing"},
        {"name = \"a\\u0000b\", kind = 'uint8'", "expected a string without spaces"},
        {"name = 'f', kind = 'uint8', count = 0", "count is 0, expected a whole number from 1"},
        {"name = 'f', kind = 'uint8', count = 70000", "count is 70000"},
        {"name = 'f', kind = 'uint8', count = 1.0", "count is 1"},
        {"name = 'f', kind = 'uint8', min = 0", "min without max"},
        {"name = 'f', kind = 'uint8', max = 5", "max without min"},
        {"name = 'f', kind = 'uint8', min = 'x', max = 5", "min is \"x\", expected a number"},
        {"name = 'f', kind = 'uint8', min = 5, max = 5", "min 5 is not below max 5"},
        {"name = 'f', kind = 'uint8', min = 0, max = 0", "leave both out"},
        {"name = 'f', kind = 'uint8', min = 0, max = 256", "range 0 to 256 is beyond its kind"},
        {"name = 'f', kind = 'uint64', min = 0, max = 1.9e19", "beyond its kind"},
        {"name = 'f', kind = 'int64', min = 0, max = 9223372036854775807", "beyond its kind"},
        {"name = 'f', kind = 'int8', min = -129, max = 0", "beyond its kind"},
        {"name = 'f', kind = 'uint8', min = 0.5, max = 3", "of an integer is not whole"},
        {"name = 'f', kind = 'uint8', min = 0, max = 3, step = 1", "a step is for float32"},
        {"name = 'f', kind = 'boolean', min = 0, max = 1", "a range is for integers and float32"},
        {"name = 'f', kind = 'float32', min = nan, max = 1", "min nan is not below max 1"},
        {"name = 'f', kind = 'float32', min = 0, max = inf", "is beyond its kind"},
        {"name = 'f', kind = 'float32', min = 0, max = 1e39", "beyond its kind"},
        {"name = 'f', kind = 'float32', step = 0.1", "a step is for float32 with a range"},
        {"name = 'f', kind = 'float32', min = 0, max = 1, step = 0", "step is 0 (leave it out"},
        {"name = 'f', kind = 'float32', min = 0, max = 1, step = -1", "\"f\": step -1"},
        {"name = 'f', kind = 'float32', min = 0, max = 1, step = nan", "\"f\": step nan"},
        {"name = 'f', kind = 'float32', min = 0, max = 1, step = 2", "0.5 steps of 2"},
        {"name = 'f', kind = 'float32', min = 0, max = 1, step = 1e-10",
         "1e+10 steps of 1e-10 are not in 1 to 4294967295"},
        {"name = 'f', kind = 'float32', min = -3.4e38, max = 3.4e38, step = 3e38",
         "are beyond float32"},
        {"name = 'f', kind = 'values', min = 0, max = 1", "a range is for integers and float32"},
        {"name = 'f', kind = 'values', count = 901", "a value takes 7208 bits, at most 7200"},
        {"name = 'f', kind = 'quaternion', step = 0", "step is 0 (leave it out"},
        {"name = 'f', kind = 'quaternion', step = 0.126", "is not in 2e-06 to 0.125"},
        {"name = 'f', kind = 'bytes', count = 901", "a value takes 7208 bits, at most 7200"},
        {"name = 'f', kind = 'boolean', count = 4096}, {name = 'g', kind = 'boolean'",
         "take 4097 bytes, at most 4096"},
        {"name = 'f', kind = 'uint8'}, {name = 'f', kind = 'int8'", "two fields are named f"},
        {"name = 'f', kind = 'uint8', mix = 1", "unknown key \"mix\" (did you mean \"min\"?)"},
    };
    for (const Case &c : cases) {
        const type_file::Read read = read_text(with_field(c.field));
        ASSERT_EQ(read.problems.size(), 1u) << c.field << "\n" << problems_of(with_field(c.field));
        EXPECT_NE(read.problems[0].text.find(c.told), std::string::npos) << read.problems[0].text;
        EXPECT_EQ(read.problems[0].where.rfind("types.toml:", 0), 0u) << read.problems[0].where;
        EXPECT_FALSE(read.table);
    }
}

TEST(TypeFile, EachRuleOfATableIsNamed)
{
    struct Case {
        std::string text, told;
    };
    std::string many;
    for (int i = 0; i < 257; ++i)
        many += "[[type]]\nname = 't" + std::to_string(i) + "'\n";
    const Case cases[] = {
        {"type = 3", "type is not an array of tables, expected [[type]]"},
        {"type = []", "type is not an array of tables"},
        {"[type]\nname = 'a'", "type is not an array of tables"},
        {"type = [1, 2]", "type is not an array of tables"},
        {"[[type]]\nname = 'a'\nfield = 3", "expected [[type.field]]"},
        {"[[type]]\nname = 'a'\nfield = [3]", "expected [[type.field]]"},
        {"[[type]]\nname = 'a'\nfield = []\nfields = []", "both field and fields"},
        {"[[type]]\nname = 'a'\n[[type]]\nname = 'a'", "types 0 and 1 are both named a"},
        {"[[type]]\nname = 'a'\nobjects_max = 5\nat_start = 6", "at_start is 6, expected"},
        {"[[type]]\nname = 'a'\nobjects_max = 0\nclaim = 'never'", "claim is for objects"},
        {"[[type]]\nname = 'a'\nobjects_max = 40000\n[[type]]\nname = 'b'\nobjects_max = 40000",
         "objects_max of all types together is 80000, at most 65536"},
        {many, "257 types, at most 256"},
    };
    for (const Case &c : cases) {
        const type_file::Read read = read_text(c.text);
        ASSERT_EQ(read.problems.size(), 1u) << c.text << "\n" << problems_of(c.text);
        EXPECT_NE(read.problems[0].text.find(c.told), std::string::npos) << read.problems[0].text;
    }
}

std::string type_of_name_bytes(size_t size)
{
    return "[[type]]\nname = \"" + std::string(size, 'n') + "\"\n";
}

void make_and_destroy(std::span<const Type> types)
{
    Config config = {};
    config.types = types;
    config.peers_max = 2;
    Session *session = make_session(config);
    start(session);
    const std::vector<std::byte> zero(struct_bytes_max);
    for (size_t i = 0; i < types.size(); ++i)
        if (types[i].objects_max > 0)
            create(session, static_cast<TypeId>(i), zero.data(), types[i].size_bytes);
    destroy_session(session);
}

// Limits on bits and bytes are exactly tern's: one more, and tern asserts.
TEST(TypeFileDeathTest, TheLimitsAreTerns)
{
    const std::string longest = type_of_name_bytes(15 * 1024 - 6);
    ASSERT_TRUE(read_text(longest).table) << problems_of(longest);
    make_and_destroy(read_text(longest).table->types);
    EXPECT_NE(
        problems_of(type_of_name_bytes(15 * 1024 - 5)).find("description is beyond 15360 bytes"),
        std::string::npos);
    const std::string name(15 * 1024 - 5, 'n');
    const Type long_types[] = {{name.c_str(), 1, {}}};
    EXPECT_DEATH(make_and_destroy(long_types), "description is beyond");

    const std::string full = with_field("name = 'f', kind = 'bytes', count = 900");
    ASSERT_TRUE(read_text(full).table) << problems_of(full);
    make_and_destroy(read_text(full).table->types);
    const Field fields[] = {{"f", FieldKind::bytes, 0, 900}, {"g", FieldKind::boolean, 900}};
    const Type types[] = {{"t", 901, fields}};
    EXPECT_DEATH(make_and_destroy(types), "a value takes 7201 bits");
    EXPECT_FALSE(read_text(with_field("name = 'f', kind = 'bytes', count = 900}, "
                                      "{name = 'g', kind = 'boolean'"))
                     .table);
}

// --- Random files: tern accepts every table that type_file accepts ---

using Random = std::mt19937_64;

std::string any_of(Random &random, std::initializer_list<const char *> words)
{
    return words.begin()[random() % words.size()];
}

std::string any_number(Random &random)
{
    return any_of(random, {"0",
                           "1",
                           "-1",
                           "3",
                           "127",
                           "128",
                           "255",
                           "256",
                           "65535",
                           "65536",
                           "900",
                           "4096",
                           "-128",
                           "0.125",
                           "0.01",
                           "1e-6",
                           "2e-6",
                           "1e38",
                           "3.4e38",
                           "-3.4e38",
                           "1e-45",
                           "1e300",
                           "inf",
                           "-inf",
                           "nan",
                           "0.5",
                           "4294967295",
                           "4294967296",
                           "9007199254740993",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "1.8446744073709551e19"});
}

// A field description that is usually valid.
std::string any_field(Random &random, int number)
{
    std::string text = "{name = '" + std::string(random() % 20 == 0 ? "same" : "f") +
                       (random() % 20 == 0 ? " " : std::to_string(number)) + "', kind = '";
    text += any_of(random, {"boolean", "int8", "int16", "int32", "int64", "uint8", "uint16",
                            "uint32", "uint64", "float32", "float32", "quaternion", "peer",
                            "object", "text", "bytes", "values"});
    text += "'";
    if (random() % 3 == 0) text += ", count = " + std::to_string(random() % 40);
    if (random() % 30 == 0) text += ", count2 = " + any_number(random);
    if (random() % 3 == 0) {
        const bool wild = random() % 2 == 0;
        text += ", min = " + (wild ? any_number(random) : "0");
        text += ", max = " + (wild ? any_number(random) : any_of(random, {"1", "100", "127"}));
    }
    if (random() % 4 == 0) text += ", step = " + any_number(random);
    return text + "}";
}

std::string any_table(Random &random)
{
    std::string text;
    const size_t types = 1 + random() % 3;
    for (size_t i = 0; i < types; ++i) {
        text += "[[type]]\nname = 't" + std::to_string(random() % 30) + "'\n";
        if (random() % 3 > 0) {
            text += "objects_max = " + (random() % 4 ? "9" : any_number(random)) + "\n";
            text += "orphan = '" + any_of(random, {"to_host", "destroy", "spread", "ask_game"});
            text += "'\nclaim = '" + any_of(random, {"always", "ask_game", "never"}) + "'\n";
        }
        if (random() % 8 == 0)
            text += any_of(random, {"claim_cooldown_ms", "owned_max", "claims_per_second_max"}) +
                    " = " + any_number(random) + "\n";
        text += "field = [";
        const size_t fields = random() % 4;
        for (size_t k = 0; k < fields; ++k)
            text += any_field(random, static_cast<int>(k)) + ", ";
        text += "]\n";
    }
    return text;
}

TEST(TypeFile, WhateverIsAcceptedIsAcceptedByTern)
{
    size_t accepted = 0, refused = 0;
    for (uint64_t seed = 0; seed < 3000; ++seed) {
        Random random(seed);
        const std::string text = any_table(random);
        SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
        const type_file::Read read = read_text(text);
        EXPECT_NE(read.table == nullptr, read.problems.empty());
        (read.table ? accepted : refused) += 1;
        if (read.table) make_and_destroy(read.table->types);
    }
    EXPECT_GT(accepted, 500u);
    EXPECT_GT(refused, 500u);
}

// --- Files ---

struct File {
    std::string path;
    explicit File(const std::string &text)
    {
        char name[] = "/tmp/tern-types-XXXXXX";
        close(mkstemp(name));
        path = name;
        std::ofstream(path) << text;
    }
    ~File() { unlink(path.c_str()); }
};

TEST(TypeFile, AFileThatIsNoTomlIsNamedWithItsPlace)
{
    const File file("[[type]]\nname = \n");
    const type_file::Read read = type_file::read_file(file.path);
    ASSERT_EQ(read.problems.size(), 1u);
    EXPECT_EQ(read.problems[0].where, file.path + ":2:8");
    EXPECT_FALSE(read.table);
}

TEST(TypeFile, AFileThatCannotBeReadIsNamed)
{
    const type_file::Read read = type_file::read_file("/no/such/file.toml");
    ASSERT_EQ(read.problems.size(), 1u);
    EXPECT_EQ(read.problems[0].where, "/no/such/file.toml");
    EXPECT_NE(read.problems[0].text.find("No such file"), std::string::npos);
    EXPECT_FALSE(type_file::read_file("/tmp").table) << "a folder";
    EXPECT_FALSE(type_file::read_file("/dev/zero").table) << "too large";
}

TEST(TypeFile, ASlipInTheNameOfTheTypesIsNotTheSyntheticTable)
{
    const File file("tick_hz = 30\n[[types]]\nname = 'a'\n");
    const type_file::Read read = type_file::read_file(file.path);
    ASSERT_EQ(read.problems.size(), 1u);
    EXPECT_EQ(read.problems[0].where, file.path + ":2:3");
    EXPECT_EQ(read.problems[0].text, "unknown key \"types\" (did you mean \"type\"?)");
    const File host("tick_hz = 30\n[[room]]\nname = 'a'\n");
    EXPECT_TRUE(type_file::read_file(host.path).table);
}

}
