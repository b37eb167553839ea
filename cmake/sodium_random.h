// libsodium's source of random numbers in WebAssembly calls these. sodium_random.c defines them.
#pragma once
#include <stddef.h>
#include <stdint.h>

uint32_t arc4random(void);
void arc4random_buf(void *bytes, size_t size_bytes);
