// Dynamic values as fields of objects and as arguments of calls, from one session to another.
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include "tern/values.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

struct Letter {
    uint32_t number;
    uint8_t about[200];
};
const Field letter_fields[] = {{"number", FieldKind::uint32, offsetof(Letter, number)},
                               {"about", FieldKind::values, offsetof(Letter, about), 200}};
const Type letter_types[] = {{"letter", sizeof(Letter), letter_fields, 8},
                             {"say", sizeof(Letter), letter_fields}};
enum : TypeId { LETTER, SAY };

// Writes the table {[1] = name, [true] = count}.
void write(Letter &letter, std::string_view name, double count)
{
    ValueWriter w = value::writer(letter.about);
    value::begin_table(w, 1);
    value::put_string(w, name);
    value::put_boolean(w, true);
    value::put_number(w, count);
    value::end_table(w);
    ASSERT_EQ(value::finish(w), ValueError::none);
}

std::string read(const Letter &letter)
{
    ValueReader r = value::reader(letter.about);
    if (value::next(r).kind == ValueKind::nil) return "nil";
    std::string text(value::next(r).string);
    value::next(r);
    return text + " " + std::to_string(value::next(r).number);
}

struct Letters : testing::Test {
    SimWorld world{5, {20, 80, 0.1f, 0.1f}};
    Session *a = nullptr, *b = nullptr;

    void SetUp() override
    {
        world.config.types = letter_types;
        a = world.add().session;
        b = world.add().session;
        ASSERT_TRUE(world.step_until_open());
    }
};

}

TEST_F(Letters, AnObjectHoldsAValue)
{
    Letter letter = {7, {}};
    const ObjectId id = create(a, LETTER, letter);
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(read(get(b, Object<Letter>{id})), "nil");
    write(letter, "first", 2.5);
    set(a, Object<Letter>{id}, letter);
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(read(get(b, Object<Letter>{id})), "first 2.500000");
    EXPECT_EQ(get(b, Object<Letter>{id}).number, 7u);
    write(letter, "a longer one", -3);
    set(a, Object<Letter>{id}, letter);
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(read(get(b, Object<Letter>{id})), "a longer one -3.000000");
}

TEST_F(Letters, AMalformedOneIsSetAsNil)
{
    Letter letter = {7, {}};
    write(letter, "first", 1);
    const ObjectId id = create(a, LETTER, letter);
    letter.about[0] = 0xff;
    set(a, Object<Letter>{id}, letter);
    EXPECT_EQ(read(get(a, Object<Letter>{id})), "nil");
    EXPECT_EQ(get(a, Object<Letter>{id}).about[1], 0);
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(read(get(b, Object<Letter>{id})), "nil");
    EXPECT_EQ(breach_count(peer_stats(b, local_peer(a))), 0u);
}

TEST_F(Letters, ACallCarriesAValue)
{
    Letter letter = {7, {}};
    write(letter, "called", 0.25);
    ASSERT_TRUE(call(b, local_peer(a), SAY, letter));
    write(letter, "called again", 1e300);
    ASSERT_TRUE(call(b, local_peer(a), SAY, letter));
    std::vector<std::string> heard;
    world.steps(60, [&heard](size_t node, const Event &event) {
        if (event.kind == EventKind::call && node == 0)
            heard.push_back(read(call_arguments<Letter>(event)));
    });
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(heard[0], "called 0.250000");
    EXPECT_EQ(heard[1].substr(0, 13), "called again ");
}
