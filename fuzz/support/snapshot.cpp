#include "fuzz/support/snapshot.h"
#include "base/assert.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace tern::fuzz::snapshot {

namespace {

size_t page_bytes()
{
    static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

bool is_zero(const std::byte *at, size_t size_bytes)
{
    return std::all_of(at, at + size_bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

// Pages of zeros are holes of the file.
void write_pages(const Snapshot &s, const SavedBlock &block)
{
    const size_t end = block.file_offset + block.pages_bytes;
    TERN_ASSERT(ftruncate(s.file, static_cast<off_t>(end)) == 0, "no room for %zu bytes", end);
    const std::byte *pages = block.at + block.head_bytes;
    for (size_t at = 0; at < block.pages_bytes; at += page_bytes()) {
        if (is_zero(pages + at, page_bytes())) continue;
        const ssize_t written =
            pwrite(s.file, pages + at, page_bytes(), static_cast<off_t>(block.file_offset + at));
        TERN_ASSERT(written == static_cast<ssize_t>(page_bytes()), "%zd bytes written", written);
    }
}

// A private mapping shows the file; what is written to it later is lost when it is mapped again.
void map_pages(const Snapshot &s, const SavedBlock &block)
{
    if (block.pages_bytes == 0) return;
    void *pages = block.at + block.head_bytes;
    const void *mapped =
        mmap(pages, block.pages_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, s.file,
             static_cast<off_t>(block.file_offset));
    TERN_ASSERT(mapped == pages, "%zu bytes cannot be mapped", block.pages_bytes);
}

}

void save(Snapshot &s, void *at, size_t size_bytes)
{
    if (s.file < 0) {
        std::FILE *file = std::tmpfile(); // It lives as long as the process.
        TERN_ASSERT(file, "no temporary file for %zu bytes", size_bytes);
        s.file = fileno(file);
    }
    SavedBlock block = {static_cast<std::byte *>(at), size_bytes, 0, s.file_bytes, {}};
    const size_t to_page =
        (page_bytes() - reinterpret_cast<uintptr_t>(at) % page_bytes()) % page_bytes();
    if (to_page + page_bytes() <= size_bytes) {
        block.head_bytes = to_page;
        block.pages_bytes = (size_bytes - to_page) / page_bytes() * page_bytes();
    }
    block.edges.assign(block.at, block.at + block.head_bytes);
    block.edges.insert(block.edges.end(), block.at + block.head_bytes + block.pages_bytes,
                       block.at + size_bytes);
    if (block.pages_bytes > 0) write_pages(s, block);
    s.file_bytes += block.pages_bytes;
    s.blocks.push_back(block);
    map_pages(s, block);
}

void restore(const Snapshot &s)
{
    for (const SavedBlock &block : s.blocks) {
        map_pages(s, block);
        const size_t tail_bytes = block.edges.size() - block.head_bytes;
        std::memcpy(block.at, block.edges.data(), block.head_bytes);
        std::memcpy(block.at + block.head_bytes + block.pages_bytes,
                    block.edges.data() + block.head_bytes, tail_bytes);
    }
}

}
