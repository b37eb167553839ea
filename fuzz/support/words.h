// Makes text out of an input. Bytes from 128 on stand for whole words of the language that the
// target parses, so that a search finds long texts that make sense. All other bytes are characters.
#pragma once
#include "fuzz/support/input.h"
#include <string>

namespace tern::fuzz {

inline constexpr uint8_t repeat_byte = 255; // Repeats the last piece: 64 times the next byte.

// Returns a text of about bytes_max bytes at most. It consumes the whole input.
inline std::string worded_text(Input &in, std::span<const char *const> words, size_t bytes_max)
{
    std::string text, piece;
    while (!input::empty(in) && text.size() < bytes_max) {
        const uint8_t byte = input::u8(in);
        size_t count = 1;
        if (byte == repeat_byte)
            count = size_t{input::u8(in)} * 64;
        else if (byte >= 128 && byte - 128u < words.size())
            piece = words[byte - 128u];
        else
            piece = std::string(1, static_cast<char>(byte));
        for (; count > 0 && text.size() < bytes_max; --count)
            text += piece;
    }
    return text;
}

}
