#include "base/memory.h"
#include "base/flat.h"
#include <cstdlib>
#ifdef TERN_GUARDED_MEMORY
#include <cstdint>
#include <sanitizer/asan_interface.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tern::memory {

#ifndef TERN_GUARDED_MEMORY

static void *allocate(size_t size_bytes)
{
    return std::calloc(size_bytes, 1);
}

static void release(void *memory)
{
    std::free(memory);
}

#else

// A session's memory is large and mostly untouched. AddressSanitizer marks each byte of a block
// when it is freed, which takes 5 ms for each MiB: half of the time of all tests. So a block has
// pages of its own: the page behind it cannot be accessed, and what lies in front of it is
// poisoned. After release() there is no memory, until another block gets the same addresses.
namespace {

constexpr size_t alignment = 16;

struct Header { // Lies in front of the block, which ends where the last page begins.
    std::byte *mapping;
    size_t mapping_bytes;
};
static_assert(sizeof(Header) == alignment);

}

static size_t page_bytes()
{
    return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

static void *allocate(size_t size_bytes)
{
    const size_t block_bytes = (size_bytes + alignment - 1) / alignment * alignment;
    const size_t pages = (sizeof(Header) + block_bytes + page_bytes() - 1) / page_bytes();
    const size_t used_bytes = pages * page_bytes();
    void *mapped = mmap(nullptr, used_bytes + page_bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto *mapping = static_cast<std::byte *>(mapped);
    if (mprotect(mapping + used_bytes, page_bytes(), PROT_NONE) != 0) {
        munmap(mapping, used_bytes + page_bytes());
        return nullptr;
    }
    std::byte *block = mapping + used_bytes - block_bytes;
    *reinterpret_cast<Header *>(block - sizeof(Header)) = {mapping, used_bytes + page_bytes()};
    ASAN_POISON_MEMORY_REGION(mapping, static_cast<size_t>(block - mapping));
    ASAN_POISON_MEMORY_REGION(block + size_bytes, block_bytes - size_bytes);
    return block;
}

static void release(void *memory)
{
    auto *block = static_cast<std::byte *>(memory);
    ASAN_UNPOISON_MEMORY_REGION(block - sizeof(Header), sizeof(Header));
    const Header header = *reinterpret_cast<const Header *>(block - sizeof(Header));
    // What is mapped next at these addresses must not be poisoned.
    std::byte *end = header.mapping + header.mapping_bytes - page_bytes();
    ASAN_UNPOISON_MEMORY_REGION(header.mapping, static_cast<size_t>(block - header.mapping));
    ASAN_UNPOISON_MEMORY_REGION(end - alignment, alignment);
    munmap(header.mapping, header.mapping_bytes);
}

#endif

void *allocate(const Allocator &allocator, size_t size_bytes)
{
    if (size_bytes >= flat::block_bytes_max) return nullptr;
    return allocator.allocate ? allocator.allocate(allocator.user, size_bytes)
                              : allocate(size_bytes);
}

void release(const Allocator &allocator, void *memory)
{
    if (!memory) return;
    if (allocator.release)
        allocator.release(allocator.user, memory);
    else
        release(memory);
}

}
