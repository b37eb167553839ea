// Numbers as text: the shortest form that reads back exactly, as std::to_chars() writes it.
#pragma once
#include <cstddef>

namespace tern {

inline constexpr size_t number_text_bytes_max = 32;

// Gives the number of characters, in any locale; no zero follows them.
size_t write_number(char (&text)[number_text_bytes_max], double number);
// Does the same by snprintf(), for standard libraries without std::to_chars() of floats.
size_t print_number(char (&text)[number_text_bytes_max], double number);
// Replaces what a locale writes between the digits of a printed number, which may be of several
// bytes, by a point. Gives the number of characters.
size_t use_point(char *text);

}
