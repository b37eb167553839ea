#include "base/random.h"
#include "replication/update/update_codec.h"
#include "tern/limits.hpp"
#include "tests/replication/block.h"
#include "tests/replication/update_room.h"
#include <gtest/gtest.h>

namespace tern {

struct Many {
    uint8_t fields[5];
};

struct One {
    uint32_t number;
};

static const Field many_fields[] = {{"a", FieldKind::uint8, 0},
                                    {"b", FieldKind::uint8, 1},
                                    {"c", FieldKind::uint8, 2, 1, 0, 9},
                                    {"d", FieldKind::uint8, 3},
                                    {"e", FieldKind::uint8, 4}};
static const Field one_fields[] = {{"number", FieldKind::uint32, 0}};
static const Type types[] = {{"Many", sizeof(Many), many_fields, 20},
                             {"One", sizeof(One), one_fields, 20}};
static const TypeTable table = type_table::make(types);

static constexpr PeerId sender{4};

struct Item {
    ObjectId id;
    Stamp stamp;
    TypeId type;
    uint64_t mask;
    Many many;
    One one;
    uint32_t tick = 0; // 0: the tick of the message.
};

static const void *value(const Item &item)
{
    return item.type == 0 ? static_cast<const void *>(&item.many) : &item.one;
}

static bool add(UpdateWriter &w, const Item &item)
{
    KnownObject object = {};
    object.id = item.id;
    object.stamp = item.stamp;
    object.type = item.type;
    return update_codec::add(w, object, item.mask, value(item),
                             item.tick != 0 ? item.tick : w._tick);
}

static std::vector<std::byte> message(uint32_t tick, std::span<const Item> items,
                                      Ticks ticks = Ticks::one, uint8_t gap_bits = 0)
{
    std::vector<std::byte> buffer(16 * 1024);
    UpdateWriter w = update_codec::writer(table, buffer, {sender, tick, ticks, gap_bits});
    for (const Item &item : items)
        EXPECT_TRUE(add(w, item));
    buffer.resize(update_codec::finish(w));
    return buffer;
}

static ObjectId id(uint16_t creator, uint32_t serial)
{
    return object_id::make(static_cast<PeerId>(creator), serial);
}

static bool is_well_formed(std::span<const std::byte> bytes)
{
    UpdateReader r = publish::reader(table, sender, bytes);
    Update update;
    std::byte values[struct_bytes_max];
    while (publish::next(r, update, values)) {
    }
    return !publish::malformed(r);
}

// --- Messages written bit by bit ---

struct Hand { // A message written field by field.
    std::byte bytes[64] = {};
    BitWriter w = bits::writer(bytes);

    // The message's tick, which all its objects share, and how gaps are coded.
    explicit Hand(unsigned gap_bits = 0)
    {
        bits::write(w, 7, 33);
        bits::write(w, gap_bits, 4);
    }
    Hand &put(uint64_t number, unsigned bit_count)
    {
        bits::write(w, number, bit_count);
        return *this;
    }
    // The bits before the stamp: an object with a whole head, of creator 5, serial 9.
    Hand &first_object() { return put(4, 3).put(0, 1).put(5, 16).put(9, 8); }
    Hand &end() { return put(0, 3); }
    // The bits after the stamp: type 0, the same as the default before the first object, and not
    // hidden.
    Hand &shown() { return put(1, 1).put(0, 1); }
    std::span<const std::byte> done() { return {bytes, bits::size_bytes(w)}; }
};

TEST(UpdateCodec, OneFieldOfOneObjectToTheBit)
{
    const Item item = {id(5, 9), 0, 0, 1u << 3, {{0, 0, 0, 200, 0}}, {}};
    const std::vector<std::byte> bytes = message(7, {&item, 1});
    Hand hand;
    hand.first_object();
    hand.put(0, 2).shown();                         // An unchanged stamp: zero.
    hand.put(1, 1).put(0, 1).put(3, 3).put(200, 8); // One field: its index and its value.
    hand.end();
    ASSERT_EQ(bytes.size(), hand.done().size());
    EXPECT_EQ(std::memcmp(bytes.data(), hand.bytes, bytes.size()), 0);
}

TEST(UpdateCodec, TheSendersFirstObjectIsTheNextToNone)
{
    const Item items[] = {{id(4, 1), 0, 0, 31, {}, {}}, {id(4, 2), 0, 0, 31, {}, {}}};
    const std::vector<std::byte> bytes = message(7, items);
    Hand hand;
    // Bits 0, 1; another mask than none; no serial in between; the mask.
    hand.put(2, 2).put(0, 1).put(0, 1).put(3, 2).put(0, 36).put(1, 1).put(0, 36).end();
    ASSERT_EQ(bytes.size(), hand.done().size());
    EXPECT_EQ(std::memcmp(bytes.data(), hand.bytes, bytes.size()), 0);
    EXPECT_TRUE(is_well_formed(bytes));
    // The sender's third object: two serials lie between it and none.
    const Item third = {id(4, 3), 0, 0, 31, {}, {}};
    Hand other;
    other.put(2, 2).put(0, 1).put(3, 3).put(3, 2).put(0, 36).end();
    const std::vector<std::byte> as_third = message(7, {&third, 1});
    ASSERT_EQ(as_third.size(), other.done().size());
    EXPECT_EQ(std::memcmp(as_third.data(), other.bytes, as_third.size()), 0);
}

TEST(UpdateCodec, WhereEachHasItsOwnTickItIsToldByTheOneBefore)
{
    const Item items[] = {{id(5, 9), 0, 0, 1u << 3, {{0, 0, 0, 200, 0}}, {}, 4},
                          {id(5, 10), 0, 0, 1u << 3, {{0, 0, 0, 200, 0}}, {}, 6},
                          {id(5, 11), 0, 0, 1u << 3, {{0, 0, 0, 200, 0}}, {}, 6}};
    const std::vector<std::byte> bytes = message(7, items, Ticks::each);
    Hand hand;
    hand.w = bits::writer(hand.bytes);
    hand.put(7, 32).put(1, 1).put(0, 4);
    hand.first_object().put(0, 2).shown();
    // Tick 4 is three before 7; differences are coded in the order 0, 1, -1, 2, -2, 3, -3.
    hand.put(6, 8);
    hand.put(1, 1).put(0, 1).put(3, 3).put(200, 8);
    // Tick 6 is two after 4. The next object follows, with the same tick and mask.
    hand.put(4, 3).put(1, 1).put(0, 8).put(0, 2).put(1, 1).put(0, 1).put(3, 8);
    hand.put(1, 1).put(0, 1).put(3, 3).put(200, 8);
    hand.put(1, 1).put(200, 8).end();
    ASSERT_EQ(bytes.size(), hand.done().size());
    EXPECT_EQ(std::memcmp(bytes.data(), hand.bytes, bytes.size()), 0);
}

TEST(UpdateCodec, ATickThatCannotBeIsMalformed)
{
    const auto with = [](uint64_t first, uint64_t coded) {
        std::byte bytes[64] = {};
        BitWriter w = bits::writer(bytes);
        bits::write(w, first, 32);
        bits::write(w, 1, 5); // Each object has its own tick.
        bits::write(w, 4, 4);
        bits::write(w, 5, 16);
        bits::write(w, 9, 8);
        bits::write(w, 4, 2 + 1 + 1); // An unchanged stamp and type, not hidden.
        bits::write_varint(w, coded);
        bits::write(w, 1 + 0 * 2 + 3 * 4 + 200 * 32, 13);
        bits::write(w, 0, 3);
        return is_well_formed({bytes, bits::size_bytes(w)});
    };
    EXPECT_TRUE(with(7, 0));
    EXPECT_TRUE(with(7, 12));  // Tick 1.
    EXPECT_FALSE(with(7, 14)); // Tick 0.
    EXPECT_FALSE(with(7, 16));
    EXPECT_TRUE(with(UINT32_MAX - 1, 1));
    EXPECT_FALSE(with(UINT32_MAX, 1));
    EXPECT_TRUE(with(UINT32_MAX, 2 * uint64_t{UINT32_MAX - 1})); // Tick 1.
    EXPECT_FALSE(with(7, uint64_t{1} << 33));
    EXPECT_FALSE(with(7, UINT64_MAX));
}

TEST(UpdateCodec, LongerFormsThanNeededAreMalformed)
{
    const auto body = [](Hand &hand) { hand.shown().put(3, 2).put(0, 36).end(); };
    Hand right;
    right.first_object().put(0, 2);
    body(right);
    EXPECT_TRUE(is_well_formed(right.done()));
    Hand zero_as_zero; // The previous stamp is zero already.
    zero_as_zero.first_object().put(1, 2);
    body(zero_as_zero);
    EXPECT_FALSE(is_well_formed(zero_as_zero.done()));
    Hand whole_zero;
    whole_zero.first_object().put(2, 2).put(0, 8).put(0, 8).put(0, 16);
    body(whole_zero);
    EXPECT_FALSE(is_well_formed(whole_zero.done()));
    Hand no_form;
    no_form.first_object().put(3, 2);
    body(no_form);
    EXPECT_FALSE(is_well_formed(no_form.done()));
    Hand near_as_any;
    near_as_any.put(4, 3).put(1, 1).put(2, 8).put(0, 2);
    body(near_as_any);
    EXPECT_FALSE(is_well_formed(near_as_any.done()));
    Hand before_the_first;
    before_the_first.put(4, 3).put(1, 1).put(1, 8).put(0, 2);
    body(before_the_first);
    EXPECT_FALSE(is_well_formed(before_the_first.done()));
    Hand like_nothing;
    like_nothing.put(1, 1).put(0, 36).end();
    EXPECT_FALSE(is_well_formed(like_nothing.done()));
    Hand near_nothing;
    near_nothing.put(2, 2).put(1, 1).put(0, 1).put(0, 36).end();
    EXPECT_FALSE(is_well_formed(near_nothing.done()));
    Hand no_creator;
    no_creator.put(4, 3).put(0, 1).put(0, 16).put(9, 8).put(0, 2);
    body(no_creator);
    EXPECT_FALSE(is_well_formed(no_creator.done()));
    Hand nothing;
    nothing.end();
    EXPECT_FALSE(is_well_formed(nothing.done()));
}

TEST(UpdateCodec, TheNextObjectAndTheSameTypeHaveOneFormEach)
{
    const auto with = [](auto second) {
        Hand hand;
        hand.first_object().put(0, 2).shown().put(3, 2).put(0, 36);
        second(hand);
        return is_well_formed(hand.end().done());
    };
    // The mask as before; the mask as before written in full; the following object with another
    // mask; the object after the following one with the same mask.
    EXPECT_TRUE(with([](Hand &h) { h.put(1, 1).put(0, 36); }));
    EXPECT_FALSE(with([](Hand &h) { h.put(2, 2).put(0, 1).put(0, 1).put(3, 2).put(0, 36); }));
    EXPECT_TRUE(
        with([](Hand &h) { h.put(2, 2).put(0, 1).put(0, 1).put(1, 2).put(3, 3).put(0, 8); }));
    EXPECT_TRUE(with([](Hand &h) { h.put(2, 2).put(1, 1).put(0, 1).put(0, 36); }));
    // With a whole head: an object before this one with the same type; one behind it; the same
    // type written in full.
    const auto told = [&](uint64_t delta, uint64_t same_type) {
        return with([&](Hand &h) {
            h.put(4, 3).put(1, 1).put(delta, 8).put(0, 2).put(same_type, 1);
            if (same_type == 0) h.put(0, 8);
            h.put(0, 1).put(3, 2).put(0, 36);
        });
    };
    EXPECT_TRUE(told(1, 1));
    EXPECT_FALSE(told(0, 1));
    EXPECT_FALSE(told(2, 1));
    EXPECT_FALSE(told(1, 0));
}

TEST(UpdateCodec, AGapTakesAsManyBitsAsItsMessageSays)
{
    const auto bits_of = [](uint8_t gap_bits, uint32_t distance) {
        std::vector<std::byte> buffer(64);
        UpdateWriter w = update_codec::writer(table, buffer, {sender, 7, Ticks::one, gap_bits});
        EXPECT_TRUE(add(w, {id(5, 9), 0, 1, 1, {}, {}}));
        const size_t begin = update_codec::bit_count(w);
        EXPECT_TRUE(add(w, {id(5, 9 + distance), 0, 1, 1, {}, {}}));
        const size_t taken = update_codec::bit_count(w) - begin - 32;
        buffer.resize(update_codec::finish(w));
        UpdateReader r = publish::reader(table, sender, buffer);
        Update update;
        std::byte values[struct_bytes_max];
        EXPECT_TRUE(publish::next(r, update, values) && publish::next(r, update, values));
        EXPECT_EQ(update.object, id(5, 9 + distance));
        EXPECT_TRUE(is_well_formed(buffer));
        return taken;
    };
    EXPECT_EQ(bits_of(0, 1), 1u);
    EXPECT_EQ(bits_of(15, 1), 1u);
    EXPECT_EQ(bits_of(0, 2), 3u + 1);
    EXPECT_EQ(bits_of(0, 7), 3u + 6);
    EXPECT_EQ(bits_of(0, 8), 3u + 6 + 8); // From here on a varint follows.
    EXPECT_EQ(bits_of(6, 100), 3u + 2 + 6);
    EXPECT_EQ(bits_of(6, 2), 3u + 1 + 6);
    EXPECT_EQ(bits_of(15, 6 * 32'768 + 1), 3u + 6 + 15);
    EXPECT_EQ(bits_of(15, 6 * 32'768 + 2), 3u + 6 + 8);
    EXPECT_EQ(bits_of(0, UINT32_MAX - 9), 3u + 6 + 40);
}

TEST(UpdateCodec, ASerialBeyondTheLastIsMalformed)
{
    const auto with = [](uint64_t rest) {
        Hand hand;
        hand.first_object().put(0, 2).shown().put(3, 2).put(0, 36);
        hand.put(2, 2).put(1, 1).put(63, 6);
        bits::write_varint(hand.w, rest);
        return is_well_formed(hand.put(0, 36).end().done());
    };
    // The distance is 6 for the ones, 2 for the form, and the rest; the serial before is 9.
    EXPECT_TRUE(with(UINT32_MAX - 9 - 8));
    EXPECT_FALSE(with(UINT32_MAX - 9 - 7));
    EXPECT_FALSE(with(UINT64_MAX));
}

TEST(UpdateCodec, ATypeThatIsNotThereIsMalformed)
{
    for (const uint64_t type : {0u, 1u, 2u, 255u}) {
        Hand hand;
        hand.first_object().put(0, 2).put(type == 0 ? 1 : 0, 1);
        if (type != 0) hand.put(type, 8);
        hand.put(0, 1);
        if (type == 0) hand.put(3, 2);
        hand.put(0, type == 0 ? 36 : 32).end();
        EXPECT_EQ(is_well_formed(hand.done()), type < 2) << type;
    }
}

TEST(UpdateCodec, WhatIsHiddenHasNoFields)
{
    std::vector<std::byte> buffer(64);
    UpdateWriter w = update_codec::writer(table, buffer, {sender, 7});
    KnownObject object = {};
    object.id = id(5, 9);
    ASSERT_TRUE(update_codec::add(w, object, 0, nullptr, 7));
    object.id = id(5, 10);
    ASSERT_TRUE(update_codec::add(w, object, 0, nullptr, 7));
    buffer.resize(update_codec::finish(w));
    Hand hand;
    hand.first_object().put(0, 2).put(1, 1).put(1, 1);
    hand.put(4, 3).put(1, 1).put(0, 8).put(0, 2).put(1, 1).put(1, 1).end();
    ASSERT_EQ(buffer.size(), hand.done().size());
    EXPECT_EQ(std::memcmp(buffer.data(), hand.bytes, buffer.size()), 0);
    UpdateReader r = publish::reader(table, sender, buffer);
    Update update;
    std::byte values[struct_bytes_max];
    for (uint32_t i = 0; i < 2; ++i) {
        ASSERT_TRUE(publish::next(r, update, values));
        EXPECT_EQ(update.object, id(5, 9 + i));
        EXPECT_TRUE(update.hides);
    }
    EXPECT_FALSE(publish::next(r, update, values) || publish::malformed(r));
}

TEST(UpdateCodec, GarbageBehindTheEndIsMalformed)
{
    const Item item = {id(5, 9), 0, 0, 1u << 3, {}, {}};
    std::vector<std::byte> bytes = message(7, {&item, 1});
    EXPECT_TRUE(is_well_formed(bytes));
    bytes.push_back(std::byte{1});
    EXPECT_FALSE(is_well_formed(bytes));
    bytes.pop_back();
    bytes.back() |= std::byte{0x80};
    EXPECT_FALSE(is_well_formed(bytes));
}

TEST(UpdateCodec, ATickOfZeroIsMalformed)
{
    const Item item = {id(5, 9), 0, 0, 1u << 3, {}, {}};
    EXPECT_FALSE(is_well_formed(message(0, {&item, 1})));
}

TEST(UpdateCodec, MasksHaveOneFormEach)
{
    Block block = make_block(table);
    world::add(block.world(), table, id(5, 9), 0);
    const auto checked = [&](Hand &hand) {
        hand.end();
        return is_accepted(block.world(), table, sender, hand.done());
    };
    const auto start = [] {
        Hand hand;
        hand.first_object().put(0, 2).shown();
        return hand;
    };
    // The form with a bit for each field: with two fields, none, one, and all.
    EXPECT_TRUE(checked(start().put(0, 1).put(3, 5).put(0, 16)));
    EXPECT_FALSE(checked(start().put(0, 1).put(0, 5)));
    EXPECT_FALSE(checked(start().put(0, 1).put(2, 5).put(0, 8)));
    EXPECT_FALSE(checked(start().put(0, 1).put(31, 5).put(0, 36)));
    // The form for one field: a missing field, and a value out of range.
    EXPECT_TRUE(checked(start().put(1, 1).put(0, 1).put(4, 3).put(0, 8)));
    EXPECT_FALSE(checked(start().put(1, 1).put(0, 1).put(5, 3).put(0, 8)));
    EXPECT_TRUE(checked(start().put(1, 1).put(0, 1).put(2, 3).put(9, 4)));
    EXPECT_FALSE(checked(start().put(1, 1).put(0, 1).put(2, 3).put(10, 4)));
}

TEST(UpdateCodec, WhatDoesNotFitLeavesTheMessageWhole)
{
    Item item = {id(5, 1), stamps::make({1, PeerId{1}, 9}), 1, 1, {}, {0xffffffff}};
    std::byte buffer[40];
    UpdateWriter w = update_codec::writer(table, buffer, {sender, 3});
    uint32_t count = 0;
    for (; add(w, item); ++count)
        item.id = id(5, count * 1000 + 1000);
    EXPECT_GT(count, 3u);
    const size_t size = update_codec::finish(w);
    ASSERT_LE(size, sizeof(buffer));
    UpdateReader r = publish::reader(table, sender, std::span(buffer).first(size));
    Update update;
    std::byte values[struct_bytes_max];
    uint32_t read = 0;
    for (; publish::next(r, update, values); ++read)
        EXPECT_EQ(update.stamp, item.stamp);
    EXPECT_FALSE(publish::malformed(r));
    EXPECT_EQ(read, count);
}

TEST(UpdateCodec, ZerosMayFollowAndNothingElse)
{
    const Item item = {id(5, 1), 0, 1, 1, {}, {7}};
    std::vector<std::byte> bytes = message(3, std::span(&item, 1));
    for (uint32_t i = 0; i < 40; ++i) {
        bytes.push_back(std::byte{0});
        EXPECT_TRUE(is_well_formed(bytes)) << i;
        bytes.back() = std::byte{0x80};
        EXPECT_FALSE(is_well_formed(bytes)) << i;
        bytes.back() = std::byte{0};
    }
}

TEST(UpdateCodec, AMessageHoldsANamedNumberOfObjects)
{
    std::vector<std::byte> buffer(64 * 1024);
    UpdateWriter w = update_codec::writer(table, buffer, {sender, 3});
    for (uint32_t i = 0; i < updates_per_message_max; ++i)
        ASSERT_TRUE(add(w, {id(5, i), 0, 1, 1, {}, {}}));
    EXPECT_FALSE(add(w, {id(5, 1000), 0, 1, 1, {}, {}}));
    buffer.resize(update_codec::finish(w));
    EXPECT_TRUE(is_well_formed(buffer));
}

// --- Random messages ---

static Item random_item(Random &random)
{
    static constexpr Stamp stamps[] = {0, 0, 7, 0x0001000200000003, 0xffffffffffffffff};
    Item item = {};
    const auto creator = static_cast<uint16_t>(2 + random::below(random, 3));
    const uint64_t serial =
        random::chance(random, 0.1) ? random::next(random) : random::below(random, 50);
    item.id = id(creator, std::max(static_cast<uint32_t>(serial), 1u));
    item.stamp = stamps[random::below(random, std::size(stamps))];
    item.type = static_cast<TypeId>(random::below(random, 2));
    item.mask = item.type == 1 ? 1 : 1 + random::below(random, 31);
    for (uint8_t &field : item.many.fields)
        field = static_cast<uint8_t>(random::below(random, 10));
    item.one.number = static_cast<uint32_t>(random::next(random));
    item.tick = random::chance(random, 0.1) ? static_cast<uint32_t>(random::next(random) | 1)
                                            : static_cast<uint32_t>(1 + random::below(random, 99));
    return item;
}

TEST(UpdateCodec, WhatIsWrittenIsRead)
{
    Random random = random::from_seed(5);
    for (unsigned trial = 0; trial < 3000; ++trial) {
        std::vector<Item> items;
        const Ticks ticks = random::chance(random, 0.5) ? Ticks::one : Ticks::each;
        for (uint64_t count = 1 + random::below(random, 12); items.size() < count;) {
            Item item = random_item(random);
            if (ticks == Ticks::one) item.tick = 77;
            if (items.empty() || items.back().id != item.id) items.push_back(item);
        }
        const std::vector<std::byte> bytes =
            message(77, items, ticks, static_cast<uint8_t>(trial % (gap_bits_max + 1)));
        UpdateReader r = publish::reader(table, sender, bytes);
        Update update;
        std::byte values[struct_bytes_max];
        for (const Item &item : items) {
            ASSERT_TRUE(publish::next(r, update, values));
            ASSERT_EQ(update.object, item.id);
            ASSERT_EQ(update.stamp, item.stamp);
            ASSERT_EQ(update.tick, item.tick);
            Many many = {};
            One one = {};
            void *to = item.type == 0 ? static_cast<void *>(&many) : &one;
            ASSERT_EQ(update.type, item.type);
            ASSERT_FALSE(update.hides);
            ASSERT_EQ(update.mask, item.mask);
            field::store_packed(type_table::codes(table, item.type), to, update.values,
                                update.mask);
            ASSERT_EQ(type_table::difference(table, item.type, to, value(item)) & item.mask, 0u);
        }
        ASSERT_FALSE(publish::next(r, update, values));
        ASSERT_FALSE(publish::malformed(r));
    }
}

TEST(UpdateCodec, HostileBytesAreReadToAnEnd)
{
    Random random = random::from_seed(6);
    Block block = make_block(table);
    for (uint32_t serial = 0; serial < 20; ++serial)
        world::add(block.world(), table, id(1, serial + 1), serial % 2);
    int well_formed = 0;
    for (int trial = 0; trial < 40'000; ++trial) {
        const Item items[] = {random_item(random), random_item(random)};
        std::vector<std::byte> bytes(random::below(random, 60));
        for (std::byte &b : bytes)
            b = static_cast<std::byte>(random::below(random, 256));
        if (random::chance(random, 0.7) && items[0].id != items[1].id) {
            bytes = message(9, items, Ticks::each);
            for (uint64_t flips = random::below(random, 4); flips > 0; --flips)
                bytes[random::below(random, bytes.size())] ^=
                    static_cast<std::byte>(1u << random::below(random, 8));
        }
        const bool fits = is_accepted(block.world(), table, sender, bytes);
        well_formed += fits ? 1 : 0;
        if (fits) {
            ASSERT_TRUE(is_well_formed(bytes));
        }
        UpdateReader r = publish::reader(table, sender, bytes);
        Update update;
        std::byte values[struct_bytes_max];
        while (publish::next(r, update, values)) {
            publish::apply(block.world(), table, PeerId::none,
                           world::find(block.world(), update.object), update);
        }
        if (trial % 50 == 0) {
            world::check(block.world());
            for (KnownObject &object : block.world().slots.all())
                object.tick = 0;
        }
    }
    EXPECT_GT(well_formed, 1000);
}

}
