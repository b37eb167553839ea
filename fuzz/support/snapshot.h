// Memory that is put back as it was for each input. Only the pages that an input has changed cost
// time: the saved state is a file that is mapped privately over the memory.
#pragma once
#include <cstddef>
#include <vector>

namespace tern::fuzz {

struct SavedBlock {
    std::byte *at;
    size_t head_bytes, pages_bytes; // `pages_bytes` of whole pages follow `head_bytes`.
    size_t file_offset;
    std::vector<std::byte> edges; // What lies before and behind the whole pages.
};

struct Snapshot {
    int file = -1;
    size_t file_bytes = 0;
    std::vector<SavedBlock> blocks;
};

namespace snapshot {

void save(Snapshot &s, void *at, size_t size_bytes); // The memory must stay allocated.
void restore(const Snapshot &s);

}
}
