#include "sim/picture/picture_ink.h"
#include <algorithm>
#include <cmath>

namespace tern {

namespace {

double dot(Point a, Point b)
{
    return a.x * b.x + a.y * b.y;
}

double length(Point from, Point to) // The result of hypot() differs between machines.
{
    const Point way = {to.x - from.x, to.y - from.y};
    return std::sqrt(dot(way, way));
}

Point across(Point along)
{
    return {-along.y, along.x};
}

// How far a box reaches from its center in a direction.
double reach(const Box &b, Point axis)
{
    return b.half_length * std::abs(dot(b.along, axis)) +
           b.half_height * std::abs(dot(across(b.along), axis));
}

// The length of the UTF-8 sequence at the start of `raw`. 0: it is invalid, or XML forbids the
// character.
size_t character_bytes(std::string_view raw)
{
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(raw[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || raw.size() < length) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool surrogate = first == 0xed && second >= 0xa0;
    const bool too_large = first == 0xf4 && second >= 0x90;
    const bool no_character = first == 0xef && second == 0xbf && byte(2) >= 0xbe; // U+FFFE, U+FFFF.
    return overlong || surrogate || too_large || no_character ? 0 : length;
}

double em(unsigned char c) // The widths of DejaVu Sans, rounded up; Arial is narrower.
{
    if (c >= 0x80) return 1; // The first byte of any other character.
    if (std::string_view("il.,:;'|!j()[]I ").find(static_cast<char>(c)) != std::string_view::npos)
        return 0.39;
    if (std::string_view("mMW@%&").find(static_cast<char>(c)) != std::string_view::npos)
        return 0.99;
    if (c >= 'A' && c <= 'Z') return 0.72;
    return 0.64;
}

std::string attribute(const char *name, double value)
{
    return std::string(" ") + name + "=\"" + ink::number(value) + "\"";
}

void shape(Ink &ink, const char *name, const std::string &attributes, std::string_view look)
{
    ink.text += std::string("<") + name + attributes + " " + std::string(look) + "/>\n";
}

}

Box box::upright(double left, double top, double right, double bottom)
{
    return {
        {(left + right) / 2, (top + bottom) / 2}, {1, 0}, (right - left) / 2, (bottom - top) / 2};
}

Box box::between(Point from, Point to)
{
    return {{(from.x + to.x) / 2, (from.y + to.y) / 2},
            ink::direction(from, to),
            length(from, to) / 2,
            0};
}

bool box::overlap(const Box &a, const Box &b)
{
    const Point apart = {b.center.x - a.center.x, b.center.y - a.center.y};
    const double far = a.half_length + a.half_height + b.half_length + b.half_height;
    if (std::abs(apart.x) >= far || std::abs(apart.y) >= far) return false; // Most pairs are.
    for (const Point axis : {a.along, across(a.along), b.along, across(b.along)})
        if (std::abs(dot(apart, axis)) >= reach(a, axis) + reach(b, axis)) return false;
    return true;
}

std::string ink::number(double value)
{
    const double bounded = std::clamp(value, -1e7, 1e7);
    const long long tenths = std::llround((bounded == bounded ? bounded : 0) * 10);
    const long long size = std::llabs(tenths);
    std::string out = tenths < 0 ? "-" : "";
    out += std::to_string(size / 10);
    if (size % 10 != 0) out += "." + std::to_string(size % 10);
    return out;
}

std::string ink::escaped(std::string_view raw)
{
    std::string out;
    while (!raw.empty()) {
        const size_t bytes = character_bytes(raw);
        switch (raw[0]) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '"': out += "&quot;"; break;
        case '\n': out += '\n'; break;
        default: out += bytes != 0 ? raw.substr(0, bytes) : "?"; break;
        }
        raw.remove_prefix(std::max<size_t>(bytes, 1));
    }
    return out;
}

double ink::width(std::string_view text, double size_px)
{
    double out = 0;
    for (const char c : text)
        if ((static_cast<unsigned char>(c) & 0xc0) != 0x80)
            out += em(static_cast<unsigned char>(c));
    return out * size_px;
}

std::vector<std::string> ink::wrapped(std::string_view text, double size_px, double width_max)
{
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const size_t end = std::min(text.find_first_of(" \n"), text.size());
        const std::string word(text.substr(0, end));
        const bool newline = end < text.size() && text[end] == '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
        std::string &last = lines.back();
        const std::string longer = last.empty() ? word : last + " " + word;
        if (last.empty() || width(longer, size_px) <= width_max)
            last = longer;
        else
            lines.push_back(word);
        if (newline) lines.emplace_back();
    }
    return lines;
}

Point ink::direction(Point from, Point to)
{
    const double size = length(from, to);
    return size > 0 ? Point{(to.x - from.x) / size, (to.y - from.y) / size} : Point{1, 0};
}

void ink::line(Ink &ink, Point from, Point to, std::string_view look)
{
    shape(ink, "line",
          attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
              attribute("y2", to.y),
          look);
}

void ink::rectangle(Ink &ink, Point corner, Point size, std::string_view look)
{
    shape(ink, "rect",
          attribute("x", corner.x) + attribute("y", corner.y) +
              attribute("width", std::max(size.x, 0.0)) +
              attribute("height", std::max(size.y, 0.0)),
          look);
}

void ink::circle(Ink &ink, Point center, double radius, std::string_view look)
{
    shape(ink, "circle",
          attribute("cx", center.x) + attribute("cy", center.y) + attribute("r", radius), look);
}

void ink::path(Ink &ink, const std::vector<Point> &points, bool closed, std::string_view look)
{
    std::string way;
    for (const Point &point : points)
        way += (way.empty() ? "M" : " L") + number(point.x) + " " + number(point.y);
    shape(ink, "path", " d=\"" + way + (closed ? " Z\"" : "\""), look);
}

void ink::cross(Ink &ink, Point center, double half, std::string_view look)
{
    line(ink, {center.x - half, center.y - half}, {center.x + half, center.y + half}, look);
    line(ink, {center.x - half, center.y + half}, {center.x + half, center.y - half}, look);
}

void ink::arrow_head(Ink &ink, Point tip, Point along, double size, std::string_view look)
{
    const Point side = across(along);
    const Point back = {tip.x - along.x * size, tip.y - along.y * size};
    const double half = size * 0.42;
    path(ink,
         {tip,
          {back.x + side.x * half, back.y + side.y * half},
          {back.x - side.x * half, back.y - side.y * half}},
         true, look);
}

void ink::text(Ink &ink, Point at, std::string_view words, std::string_view look)
{
    ink.text += "<text" + attribute("x", at.x) + attribute("y", at.y) + " " + std::string(look) +
                ">" + escaped(words) + "</text>\n";
}

void ink::plate(Ink &ink, const Box &box, std::string_view words, std::string_view look)
{
    // Rotations need three decimals: with one, as number() writes, the text would lie askew.
    const auto fine = [](double value) {
        const long long parts = std::llround(value * 1000);
        std::string digits = std::to_string(std::llabs(parts) + 1000000);
        return (parts < 0 ? "-" : "") + std::string(digits[3] == '1' ? "1." : "0.") +
               digits.substr(4);
    };
    ink.text += "<g transform=\"matrix(" + fine(box.along.x) + " " + fine(box.along.y) + " " +
                fine(-box.along.y) + " " + fine(box.along.x) + " " + number(box.center.x) + " " +
                number(box.center.y) + ")\">\n";
    rectangle(ink, {-box.half_length, -box.half_height}, {2 * box.half_length, 2 * box.half_height},
              "class=\"plate\"");
    text(ink, {0, small_px * 0.36}, words, look);
    ink.text += "</g>\n";
}

void ink::open(Ink &ink, std::string_view look, std::string_view tooltip)
{
    ink.text += "<g " + std::string(look) + ">\n";
    if (!tooltip.empty()) ink.text += "<title>" + escaped(tooltip) + "</title>\n";
}

void ink::close(Ink &ink)
{
    ink.text += "</g>\n";
}

}
