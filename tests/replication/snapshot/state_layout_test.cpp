#include "replication/snapshot/state_layout.h"
#include "tests/replication/snapshot/chance_states.h"
#include <cstring>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tern {

using namespace test;

namespace {

struct Body {
    float at[3];
    float turn[4];
    float exact;
    int8_t level;
    uint64_t id;
    char name[6];
};
const Field fields[] = {{"at", FieldKind::float32, offsetof(Body, at), 3, -10, 10, 0.5},
                        {"turn", FieldKind::quaternion, offsetof(Body, turn), 1, 0, 0, 0.01},
                        {"exact", FieldKind::float32, offsetof(Body, exact)},
                        {"level", FieldKind::int8, offsetof(Body, level)},
                        {"id", FieldKind::uint64, offsetof(Body, id)},
                        {"name", FieldKind::text, offsetof(Body, name), 6}};
const Type types[] = {{"Body", sizeof(Body), fields, 4}};

std::vector<uint32_t> words_of(const Body &body)
{
    const TypeTable table = type_table::make(types);
    const StateLayout layout = state_layout::make(table, 0);
    Body normal = body;
    type_table::normalise(table, 0, &normal);
    std::vector<uint32_t> words(layout.word_count);
    state_layout::to_words(layout, table, &normal, words);
    return words;
}

}

TEST(StateLayout, WordsAreSteps)
{
    Body body = {{-10, 0, 10}, {0, 0, 0, 1}, 0, -128, 0x1122334455667788, "abcde"};
    const std::vector<uint32_t> words = words_of(body);
    ASSERT_EQ(words.size(), 3u + 4 + 1 + 1 + 2 + 2);
    EXPECT_EQ(words[0], 0u);
    EXPECT_EQ(words[1], 20u);
    EXPECT_EQ(words[2], 40u);
    EXPECT_EQ(words[3], 3u);  // The index of w, which is omitted.
    EXPECT_EQ(words[4], 71u); // 0 in the range -71 to 71.
    EXPECT_EQ(words[7], 0x80000000u);
    EXPECT_EQ(words[8], 0u);
    EXPECT_EQ(words[9], 0x55667788u);
    EXPECT_EQ(words[10], 0x11223344u);
    EXPECT_EQ(words[11], 0x64636261u);
}

TEST(StateLayout, WordsOfNumbersAreInTheirOrder)
{
    uint32_t before = 0;
    for (float exact : {-1e30f, -2.0f, -1.5f, -1e-30f, 0.0f, 1e-30f, 1.0f, 1.5f, 1e30f}) {
        Body body = {};
        body.exact = exact;
        EXPECT_GT(words_of(body)[7], before) << exact;
        before = words_of(body)[7];
    }
    Body less = {}, more = {};
    less.level = -1;
    more.level = 1;
    EXPECT_EQ(words_of(more)[8] - words_of(less)[8], 2u);
}

RC_GTEST_PROP(StateLayout, WordsComeBackAsTheSameValue, (uint64_t seed))
{
    Random random = random::from_seed(seed);
    const auto made = chance_type(random);
    const StateLayout layout = state_layout::make(made->table, 0);
    const std::vector<std::byte> value = chance_value(random, *made);
    std::vector<uint32_t> words(layout.word_count);
    state_layout::to_words(layout, made->table, value.data(), words);
    std::vector<std::byte> back(value.size());
    RC_ASSERT(state_layout::from_words(layout, made->table, words, ~uint64_t{0}, back.data()));
    RC_ASSERT(back == value);
}

// Random words are refused, or encode exactly one value, which has these words.
RC_GTEST_PROP(StateLayout, WordsHaveOneForm, (uint64_t seed))
{
    Random random = random::from_seed(seed);
    const auto made = chance_type(random);
    const StateLayout layout = state_layout::make(made->table, 0);
    const std::vector<std::byte> value = chance_value(random, *made);
    std::vector<uint32_t> words(layout.word_count), same(layout.word_count);
    state_layout::to_words(layout, made->table, value.data(), words);
    const LayoutField &f = layout.fields[random::below(random, layout.field_count)];
    uint32_t &word = words[f.first + random::below(random, f.count)];
    if (f.shape == Shape::raw)
        word = static_cast<uint32_t>(random::next(random));
    else if (f.shape == Shape::rotation)
        word = static_cast<uint32_t>(random::below(random, 4));
    else
        word = static_cast<uint32_t>(random::below(random, uint64_t{f.max} + 1));
    std::vector<std::byte> back(value.size());
    if (!state_layout::from_words(layout, made->table, words, ~uint64_t{0}, back.data())) return;
    std::vector<std::byte> normal = back;
    type_table::normalise(made->table, 0, normal.data());
    RC_ASSERT(normal == back);
    state_layout::to_words(layout, made->table, back.data(), same);
    RC_ASSERT(same == words);
}

}
