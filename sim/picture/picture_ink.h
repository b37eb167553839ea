// Writes SVG: shapes, and text of which the width is known well enough to keep it apart.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct Point {
    double x, y;
};

struct Box { // May be turned.
    Point center;
    Point along; // Of length 1.
    double half_length, half_height;
};

struct Ink {
    std::string text;
};

// As in the style sheet.
inline constexpr double text_px = 12, small_px = 10.5, title_px = 17, bold_factor = 1.13;

namespace box {

Box upright(double left, double top, double right, double bottom);
Box between(Point from, Point to); // Of no height: a line.
bool overlap(const Box &a, const Box &b);

}

namespace ink {

std::string number(double value);          // "12.5": no locale, no exponent.
std::string escaped(std::string_view raw); // For XML: invalid UTF-8 and control characters too.
double width(std::string_view text, double size_px); // Of a wide sans-serif; others are narrower.
std::vector<std::string> wrapped(std::string_view text, double size_px, double width_max);
Point direction(Point from, Point to); // Of length 1; of no distance: to the right.

// `look`: attributes, as class="wire".
void line(Ink &ink, Point from, Point to, std::string_view look);
void rectangle(Ink &ink, Point corner, Point size, std::string_view look);
void circle(Ink &ink, Point center, double radius, std::string_view look);
void path(Ink &ink, const std::vector<Point> &points, bool closed, std::string_view look);
void cross(Ink &ink, Point center, double half, std::string_view look);
void arrow_head(Ink &ink, Point tip, Point along, double size, std::string_view look);
void text(Ink &ink, Point at, std::string_view words, std::string_view look);
// In the middle of a plate that hides what is behind it.
void plate(Ink &ink, const Box &box, std::string_view words, std::string_view look);
void open(Ink &ink, std::string_view look, std::string_view tooltip); // A group. "": no tooltip.
void close(Ink &ink);

}
}
