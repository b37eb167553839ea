#include "base/hash.h"
#include "replication/snapshot/state_coder.h"
#include "tests/replication/snapshot/chance_states.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tern {

using namespace test;

namespace {

using Words = std::vector<uint32_t>;

struct Scene { // The history of an object, and its next state.
    std::unique_ptr<ChanceType> made;
    StateLayout layout;
    std::vector<Words> states; // The last state is the current one.
    History history;
    uint64_t mask; // Fields that differ, and randomly some more.
};

Scene chance_scene(Random &random)
{
    Scene s = {chance_type(random), {}, {}, {}, 0};
    s.layout = state_layout::make(s.made->table, 0);
    std::vector<std::byte> value = chance_value(random, *s.made);
    uint32_t ages[history_max];
    const size_t count = 1 + random::below(random, history_max);
    for (size_t i = 0; i <= count; ++i) {
        s.states.emplace_back(s.layout.word_count);
        state_layout::to_words(s.layout, s.made->table, value.data(), s.states.back());
        value = random::chance(random, 0.1) ? chance_value(random, *s.made)
                                            : moved(random, *s.made, value);
    }
    for (size_t i = 0; i < count; ++i) {
        const auto step = static_cast<uint32_t>(1 + random::below(random, 90));
        ages[i] = i == 0 ? step : ages[i - 1] + step;
        s.history.at[i] = s.states[count - 1 - i].data();
    }
    s.history.horizon = motion::horizon(std::span(ages, count));
    s.mask = random::next(random) & type_table::all_fields(s.made->table, 0);
    for (uint32_t i = 0; i < s.layout.field_count; ++i) {
        const LayoutField &f = s.layout.fields[i];
        if (!std::equal(&s.states[count][f.first], &s.states[count][f.first] + f.count,
                        s.history.at[0] + f.first))
            s.mask |= uint64_t{1} << i;
    }
    if (s.mask == 0) s.mask = 1;
    return s;
}

std::vector<std::byte> written(const Scene &s)
{
    std::vector<std::byte> bytes(64 * 1024);
    RangeEncoder e = range_coder::encoder(bytes);
    EXPECT_TRUE(state_coder::write(e, s.layout, s.history, s.mask, s.states.back().data()));
    bytes.resize(range_coder::finish(e));
    return bytes;
}

// True if the next object of the stream has the fields and the state of the scene.
bool reads(RangeDecoder &d, const Scene &s)
{
    Words words(s.layout.word_count);
    return state_coder::read(d, s.layout, s.history, words.data()) == s.mask &&
           words == s.states.back();
}

}

RC_GTEST_PROP(StateCoder, WhatIsWrittenIsReadExactly, (uint64_t seed))
{
    Random random = random::from_seed(seed);
    const Scene s = chance_scene(random);
    const std::vector<std::byte> bytes = written(s);
    RangeDecoder d = range_coder::decoder(bytes);
    RC_ASSERT(reads(d, s));
    RC_ASSERT(range_coder::complete(d));
}

RC_GTEST_PROP(StateCoder, ManyObjectsShareAStream, (uint64_t seed))
{
    Random random = random::from_seed(seed);
    std::vector<Scene> scenes;
    for (uint64_t count = 1 + random::below(random, 6); scenes.size() < count;)
        scenes.push_back(chance_scene(random));
    std::vector<std::byte> bytes(64 * 1024);
    RangeEncoder e = range_coder::encoder(bytes);
    for (const Scene &s : scenes)
        RC_ASSERT(state_coder::write(e, s.layout, s.history, s.mask, s.states.back().data()));
    bytes.resize(range_coder::finish(e));
    RangeDecoder d = range_coder::decoder(bytes);
    for (const Scene &s : scenes)
        RC_ASSERT(reads(d, s));
    RC_ASSERT(range_coder::complete(d));
}

RC_GTEST_PROP(StateCoder, WhatDoesNotFitLeavesTheStreamWhole, (uint64_t seed))
{
    Random random = random::from_seed(seed);
    const Scene s = chance_scene(random);
    std::vector<std::byte> bytes(random::below(random, 200));
    RangeEncoder e = range_coder::encoder(bytes);
    size_t count = 0;
    for (; count < 100; ++count)
        if (!state_coder::write(e, s.layout, s.history, s.mask, s.states.back().data())) break;
    bytes.resize(range_coder::finish(e));
    RangeDecoder d = range_coder::decoder(bytes);
    for (size_t i = 0; i < count; ++i)
        RC_ASSERT(reads(d, s));
}

// Any bytes are decoded to words within their bounds, or refused as malformed.
RC_GTEST_PROP(StateCoder, HostileBytesGiveWordsWithinTheirBounds, (uint64_t seed))
{
    Random random = random::from_seed(seed);
    const Scene s = chance_scene(random);
    std::vector<std::byte> bytes = written(s);
    if (random::chance(random, 0.3)) bytes.resize(random::below(random, 100));
    for (uint64_t i = random::below(random, 8); i > 0 && !bytes.empty(); --i)
        bytes[random::below(random, bytes.size())] =
            static_cast<std::byte>(random::below(random, 256));
    RangeDecoder d = range_coder::decoder(bytes);
    Words words(s.layout.word_count);
    for (int object = 0; object < 20; ++object) {
        const uint64_t mask = state_coder::read(d, s.layout, s.history, words.data());
        RC_ASSERT(mask == 0 || mask >> 1 >> (s.layout.field_count - 1) == 0);
        for (uint32_t i = 0; i < s.layout.field_count; ++i) {
            const LayoutField &f = s.layout.fields[i];
            for (uint32_t k = f.first; k < uint32_t{f.first} + f.count; ++k) {
                const bool omitted = f.shape == Shape::rotation && (k - f.first) % 4 == 0;
                RC_ASSERT(f.shape == Shape::raw || words[k] <= (omitted ? 3 : f.max));
                RC_ASSERT((mask >> i & 1) != 0 || mask == 0 || words[k] == s.history.at[0][k]);
            }
        }
        if (mask == 0) break;
    }
}

// --- Sizes that the coder is made for ---

// Returns the average bytes of an object that moves along at(tick), against the state six ticks
// before.
template <class At> double bytes_of(At at)
{
    StateLayout layout = {};
    state_layout::add(layout, state_layout::number(3, 100'000));
    std::vector<std::byte> buffer(64 * 1024);
    RangeEncoder e = range_coder::encoder(buffer);
    static constexpr uint32_t ages[] = {6, 7, 8, 10};
    const Horizon horizon = motion::horizon(ages);
    static constexpr int ticks = 200;
    for (int tick = 20; tick < 20 + ticks; ++tick) {
        uint32_t states[5][3];
        History history = {horizon, {}};
        for (size_t i = 0; i < 5; ++i) {
            for (int k = 0; k < 3; ++k)
                states[i][k] =
                    static_cast<uint32_t>(at(tick - (i == 4 ? 0 : static_cast<int>(ages[i])), k));
            if (i < 4) history.at[i] = states[i];
        }
        EXPECT_TRUE(state_coder::write(e, layout, history, 1, states[4]));
    }
    return static_cast<double>(range_coder::finish(e)) / ticks;
}

TEST(StateCoder, SteadyMotionCostsLittle)
{
    const double steady = bytes_of([](int tick, int k) { return 20'000 + tick * (40 + 10 * k); });
    const double thrown =
        bytes_of([](int tick, int k) { return 20'000 + tick * 100 + (k == 2 ? tick * tick : 0); });
    Random random = random::from_seed(7);
    std::vector<int> noise(1000);
    for (int &n : noise)
        n = static_cast<int>(random::below(random, 100'000));
    const double wild =
        bytes_of([&](int tick, int k) { return noise[static_cast<size_t>(tick * 3 + k)]; });
    EXPECT_LT(steady, 4.5);
    EXPECT_LT(thrown, 7);
    EXPECT_LT(wild, 10); // Three numbers of 17 bits are 6.4 bytes.
    EXPECT_GT(wild, 6.2);
}

// A peer with other tables, or with arithmetic that rounds otherwise, would decode other states.
TEST(StateCoder, TheBytesAreTheSameOnEachMachine)
{
    StateLayout layout = {};
    state_layout::add(layout, state_layout::rotation(1, 511, 0.00276757));
    state_layout::add(layout, state_layout::number(3, 32766));
    state_layout::add(layout, {Shape::flag, 0, 1, 1, 0, 0});
    state_layout::add(layout, {Shape::raw, 0, 2, 0, 0, 0});
    Random random = random::from_seed(9);
    const auto step = [&](int width) {
        return static_cast<int>(random::below(random, static_cast<uint64_t>(2 * width + 1))) -
               width;
    };
    std::vector<std::byte> bytes(64 * 1024);
    RangeEncoder e = range_coder::encoder(bytes);
    for (uint32_t object = 0; object < 300; ++object) {
        const uint32_t older = 1 + object % 5;
        const uint32_t ages[] = {1 + object % 20, 1 + object % 20 + older,
                                 1 + object % 20 + 2 * older, 1 + object % 20 + 4 * older};
        const int turn = step(30), speed = step(300), about = 100 + object % 300;
        uint32_t states[5][10];
        History history = {motion::horizon(ages), {}};
        for (int i = 0; i < 5; ++i) {
            const int back = i == 4 ? 0 : static_cast<int>(ages[i]);
            uint32_t *words = states[i];
            words[0] = object % 4;
            for (int k = 1; k < 4; ++k)
                words[k] = static_cast<uint32_t>(
                    std::clamp(about + (k == 2 ? turn * back / 4 : 0) + step(2), 0, 511));
            for (int k = 4; k < 7; ++k)
                words[k] =
                    static_cast<uint32_t>(std::clamp(16000 - speed * back / k + step(3), 0, 32766));
            words[7] = object / 7 % 2;
            words[8] = object;
            words[9] = i == 4 ? object * 77 : 5;
            if (i < 4) history.at[i] = words;
        }
        EXPECT_TRUE(state_coder::write(e, layout, history, 15, states[4]));
    }
    bytes.resize(range_coder::finish(e));
    EXPECT_EQ(hash::add(hash::start, bytes), 17205759927666395804u) << bytes.size();
}

TEST(StateCoder, WhatIsThereIsReadBack)
{
    Random random = random::from_seed(8);
    const Scene s = chance_scene(random);
    std::vector<std::byte> bytes(1024);
    std::vector<bool> present(2000);
    RangeEncoder e = range_coder::encoder(bytes);
    unsigned before = 0;
    for (size_t i = 0; i < present.size(); ++i) {
        present[i] = random::chance(random, 0.1);
        state_coder::write_presence(e, s.layout, s.history, before, present[i]);
        before = before << 1 | (present[i] ? 1 : 0);
    }
    bytes.resize(range_coder::finish(e));
    RangeDecoder d = range_coder::decoder(bytes);
    before = 0;
    for (bool expected : present) {
        ASSERT_EQ(state_coder::read_presence(d, s.layout, s.history, before), expected);
        before = before << 1 | (expected ? 1 : 0);
    }
    EXPECT_TRUE(range_coder::complete(d));
}

}
