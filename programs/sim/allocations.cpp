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

// tern-sim has one thread, and jobs are processes of their own.
static uint64_t allocation_count;

// Instead of glibc's, for everything in the program, libsodium too.
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

// By itself glibc raises this to the size of what was freed, and keeps all that is smaller.
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
