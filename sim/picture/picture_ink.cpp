#include "sim/picture/picture_ink.h"
#include <algorithm>
#include <cmath>

namespace tern {

namespace {

// The length of the UTF-8 sequence at the start of raw. 0: XML may not hold it.
size_t character_bytes(std::string_view raw)
{
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(raw[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\n' ? 1 : 0;
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

double em(unsigned char c) // DejaVu Sans is the widest font that the style sheets allow.
{
    if (c >= 0x80) return 1; // The first byte of a longer sequence.
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

std::string ink::number(double value)
{
    const double bounded = std::clamp(value, -1e7, 1e7);
    const long long tenths = std::llround((bounded == bounded ? bounded : 0) * 10);
    std::string out = (tenths < 0 ? "-" : "") + std::to_string(std::llabs(tenths) / 10);
    if (tenths % 10 != 0) out += "." + std::to_string(std::llabs(tenths) % 10);
    return out;
}

std::string ink::valid(std::string_view raw)
{
    std::string out;
    while (!raw.empty()) {
        const size_t bytes = character_bytes(raw);
        out += bytes != 0 ? raw.substr(0, bytes) : "?";
        raw.remove_prefix(std::max<size_t>(bytes, 1));
    }
    return out;
}

std::string ink::escaped(std::string_view raw)
{
    std::string out;
    for (const char c : valid(raw)) {
        switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '"': out += "&quot;"; break;
        default: out += c; break;
        }
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

std::string ink::shortened(std::string_view text, double size_px, double width_max)
{
    if (width(text, size_px) <= width_max) return std::string(text);
    size_t end = 0;
    for (size_t i = 0; width(text.substr(0, i), size_px) + size_px <= width_max; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) end = i;
    return std::string(text.substr(0, end)) + "...";
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

void ink::text(Ink &ink, Point at, std::string_view words, std::string_view look)
{
    ink.text += "<text" + attribute("x", at.x) + attribute("y", at.y) + " " + std::string(look) +
                ">" + escaped(words) + "</text>\n";
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
