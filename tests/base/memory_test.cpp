#include "base/memory.h"
#include <cstring>
#include <gtest/gtest.h>
#ifdef TERN_GUARDED_MEMORY
#include <sanitizer/asan_interface.h>
#endif

using namespace tern;

TEST(Memory, IsZeroAndAlignedAndCanBeWrittenToItsEnd)
{
    for (const size_t size_bytes : {size_t{1}, size_t{17}, size_t{4096}, size_t{3} << 20}) {
        auto *block = static_cast<unsigned char *>(memory::allocate({}, size_bytes));
        ASSERT_TRUE(block);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignof(uint64_t), 0u);
        for (size_t i = 0; i < size_bytes; ++i)
            ASSERT_EQ(block[i], 0) << i;
        std::memset(block, 0xff, size_bytes);
        memory::release({}, block);
    }
    memory::release({}, nullptr);
}

TEST(Memory, ComesFromTheAllocatorOfTheConfig)
{
    static unsigned char room[64];
    static int released;
    Allocator allocator = {};
    allocator.allocate = [](void *, size_t) -> void * { return room; };
    allocator.release = [](void *, void *block) { released += block == room; };
    EXPECT_EQ(memory::allocate(allocator, 64), room);
    memory::release(allocator, room);
    EXPECT_EQ(released, 1);
}

#ifdef TERN_GUARDED_MEMORY

// What a session writes is far from both ends, so no other test would notice.
TEST(GuardedMemory, NothingBesideABlockCanBeAccessed)
{
    constexpr size_t size_bytes = 4100;
    auto *block = static_cast<volatile unsigned char *>(memory::allocate({}, size_bytes));
    ASSERT_TRUE(block);
    EXPECT_TRUE(__asan_address_is_poisoned(&block[-1]));
    EXPECT_FALSE(__asan_address_is_poisoned(&block[0]));
    EXPECT_FALSE(__asan_address_is_poisoned(&block[size_bytes - 1]));
    EXPECT_TRUE(__asan_address_is_poisoned(&block[size_bytes]));
    EXPECT_DEATH(block[4112] = 1, "AddressSanitizer"); // The page behind it.
    memory::release({}, const_cast<unsigned char *>(block));
    EXPECT_DEATH(block[0] = 1, "AddressSanitizer");
}

#endif
