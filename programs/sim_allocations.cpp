#include "sim_allocations.h"
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

const uint64_t *sim::allocations::count()
{
    return &allocation_count;
}

#else

const uint64_t *sim::allocations::count()
{
    return nullptr;
}

#endif
