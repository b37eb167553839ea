#include "replication/world/number_text.h"
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace tern {

size_t use_point(char *text)
{
    constexpr std::string_view own = "0123456789+-eainf"; // Also of "nan" and "inf".
    size_t count = 0;
    bool has_point = false;
    for (const char *at = text; *at != 0; ++at) {
        const bool is_own = own.find(*at) != own.npos;
        if (!is_own && has_point) continue;
        has_point |= !is_own;
        text[count++] = is_own ? *at : '.';
    }
    text[count] = 0;
    return count;
}

size_t print_number(char (&text)[number_text_bytes_max], double number)
{
    constexpr int digits_max = 17; // 17 significant digits always read back exactly.
    int after_point = 0;
    do {
        std::snprintf(text, sizeof text, "%.*e", after_point, number);
    } while (std::strtod(text, nullptr) != number && ++after_point < digits_max);
    const size_t text_bytes = use_point(text);
    const char *exponent = std::strchr(text, 'e');
    if (!exponent) return text_bytes; // Infinite, or no number.
    const int decimals = after_point - std::atoi(exponent + 1);
    char plain[number_text_bytes_max];
    const int printed =
        std::snprintf(plain, sizeof plain, "%.*f", decimals > 0 ? decimals : 0, number);
    if (static_cast<size_t>(printed) >= sizeof plain) return text_bytes; // It was cut.
    const size_t plain_bytes = use_point(plain);
    if (plain_bytes > text_bytes) return text_bytes;
    std::memcpy(text, plain, sizeof plain);
    return plain_bytes;
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
