#include "allocations.h"
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TERN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define TERN_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(TERN_SANITIZED)
#include <cstdio>
#include <malloc.h>

// Needs no atomic: tern-sim has one thread, and its jobs are processes.
static uint64_t allocation_count;

// These replace glibc's functions for the whole program, with libsodium.
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    allocation_count += 1;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocation_count += 1;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    allocation_count += 1;
    return __libc_realloc(memory, size);
}
}

namespace sim::allocations {

const uint64_t *count()
{
    return &allocation_count;
}

// Fixes the threshold. By default glibc raises it to the size of freed blocks, and keeps smaller
// ones.
void give_back()
{
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
}

uint64_t resident_kb()
{
    std::FILE *file = std::fopen("/proc/self/status", "r");
    if (!file) return 0;
    char line[128];
    unsigned long long kb = 0;
    while (std::fgets(line, sizeof line, file))
        if (std::sscanf(line, "VmRSS: %llu kB", &kb) == 1) break;
    std::fclose(file);
    return kb;
}

}

#else

namespace sim::allocations {

const uint64_t *count()
{
    return nullptr;
}

void give_back() {}

uint64_t resident_kb()
{
    return 0;
}

}

#endif
