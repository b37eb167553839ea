#include "sim/world/sodium_source.h"
#include "base/assert.h"
#include <cstddef>
#include <sodium.h>

namespace tern::sodium_source {

static Dice *current; // Global because libsodium's source is global.
static size_t holder_count;

static uint64_t drawn()
{
    TERN_ASSERT(current, "libsodium draws, and no stream is in use");
    return dice::next(*current);
}

static const char *source_name()
{
    return "seeded";
}

static uint32_t word()
{
    return static_cast<uint32_t>(drawn());
}

static void fill(void *const bytes, const size_t count)
{
    auto *at = static_cast<uint8_t *>(bytes);
    uint64_t draw = 0;
    for (size_t i = 0; i < count; ++i, draw >>= 8) {
        if (i % 8 == 0) draw = drawn();
        at[i] = static_cast<uint8_t>(draw);
    }
}

void use(Dice *stream)
{
    static randombytes_implementation seeded = {source_name, word, nullptr, nullptr, fill, nullptr};
    static bool ready = false;
    current = stream;
    randombytes_set_implementation(&seeded); // Others may have set theirs since.
    if (ready) return;
    ready = true;
    const int sodium = sodium_init();
    TERN_ASSERT(sodium >= 0, "libsodium gave %d", sodium);
}

void hold()
{
    holder_count += 1;
}

void let_go()
{
    TERN_ASSERT(holder_count > 0, "nobody holds it");
    holder_count -= 1;
    current = nullptr;
    if (holder_count == 0) randombytes_set_implementation(&randombytes_sysrandom_implementation);
}

}
