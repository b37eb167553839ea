#include "replication/world/number_text.h"
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tern {

size_t print_number(char (&text)[number_text_bytes_max], double number)
{
    constexpr int digits_max = 17; // So many always read back.
    int after_point = 0;
    do {
        std::snprintf(text, sizeof text, "%.*e", after_point, number);
    } while (std::strtod(text, nullptr) != number && ++after_point < digits_max);
    const char *exponent = std::strchr(text, 'e');
    if (!exponent) return std::strlen(text); // Infinite, or no number.
    const int decimals = after_point - std::atoi(exponent + 1);
    char plain[number_text_bytes_max];
    const int plain_bytes =
        std::snprintf(plain, sizeof plain, "%.*f", decimals > 0 ? decimals : 0, number);
    // A form that was cut is longer than the other one, too.
    if (static_cast<size_t>(plain_bytes) > std::strlen(text)) return std::strlen(text);
    std::memcpy(text, plain, sizeof plain);
    return static_cast<size_t>(plain_bytes);
}

size_t write_number(char (&text)[number_text_bytes_max], double number)
{
#ifdef __cpp_lib_to_chars
    return static_cast<size_t>(std::to_chars(text, text + sizeof text, number).ptr - text);
#else
    return print_number(text, number);
#endif
}

}
