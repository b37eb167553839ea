// Random numbers for libsodium in WebAssembly: getentropy() asks crypto.getRandomValues() of
// JavaScript, in pages and in node alike.
#include "sodium_random.h"
#include <stdlib.h>
#include <unistd.h>

void arc4random_buf(void *bytes, size_t size_bytes)
{
    if (getentropy(bytes, size_bytes) != 0) abort();
}

uint32_t arc4random(void)
{
    uint32_t number;
    arc4random_buf(&number, sizeof number);
    return number;
}
