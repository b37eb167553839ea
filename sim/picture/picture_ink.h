// Writes SVG: shapes, and texts whose width is estimated well enough to keep them apart.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct Point {
    double x, y;
};

struct Ink {
    std::string text;
};

// Sizes of letters; the style sheets use the same numbers.
inline constexpr double text_px = 12, small_px = 10.5, title_px = 17, bold_factor = 1.13;

namespace ink {

std::string number(double value); // "12.5": no locale, no exponent.
// Replaces each byte that XML and JSON cannot hold: invalid UTF-8 and control characters.
std::string valid(std::string_view raw);
std::string escaped(std::string_view raw);           // For XML; valid() is applied first.
double width(std::string_view text, double size_px); // For a wide sans-serif font.
std::vector<std::string> wrapped(std::string_view text, double size_px, double width_max);
std::string shortened(std::string_view text, double size_px, double width_max); // "abc...".

// `look` holds attributes: class="wire".
void line(Ink &ink, Point from, Point to, std::string_view look);
void rectangle(Ink &ink, Point corner, Point size, std::string_view look);
void text(Ink &ink, Point at, std::string_view words, std::string_view look);
void open(Ink &ink, std::string_view look, std::string_view tooltip); // A group. "": no tooltip.
void close(Ink &ink);

}
}
