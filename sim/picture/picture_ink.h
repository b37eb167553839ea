// Writes SVG: shapes and text. Estimates the width of text, so that labels can be kept apart.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct Point {
    double x, y;
};

struct Box { // A rectangle at any angle.
    Point center;
    Point along; // The direction of its length, as a vector of length 1.
    double half_length, half_height;
};

struct Ink {
    std::string text;
};

// Font sizes of the style sheet, and how much wider its bold text is.
inline constexpr double text_px = 12, small_px = 10.5, title_px = 17, bold_factor = 1.13;

namespace box {

Box upright(double left, double top, double right, double bottom);
Box between(Point from, Point to); // The line between the points: its height is 0.
bool overlap(const Box &a, const Box &b);

}

namespace ink {

std::string number(double value); // Like "12.5", without locale and exponent.
// Escapes text for XML. Invalid UTF-8 and control characters are replaced.
std::string escaped(std::string_view raw);
double width(std::string_view text, double size_px); // In a wide font; others need less.
std::vector<std::string> wrapped(std::string_view text, double size_px, double width_max);
Point direction(Point from, Point to); // A vector of length 1; to the right if from equals to.

// `look` has the attributes of the element, such as class="wire".
void line(Ink &ink, Point from, Point to, std::string_view look);
void rectangle(Ink &ink, Point corner, Point size, std::string_view look);
void circle(Ink &ink, Point center, double radius, std::string_view look);
void path(Ink &ink, const std::vector<Point> &points, bool closed, std::string_view look);
void cross(Ink &ink, Point center, double half, std::string_view look);
void arrow_head(Ink &ink, Point tip, Point along, double size, std::string_view look);
void text(Ink &ink, Point at, std::string_view words, std::string_view look);
// Text in the middle of a plate, which hides what is behind it.
void plate(Ink &ink, const Box &box, std::string_view words, std::string_view look);
// Opens a group, which close() closes. tooltip "": none.
void open(Ink &ink, std::string_view look, std::string_view tooltip);
void close(Ink &ink);

}
}
