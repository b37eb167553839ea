#include "bench/report/svg.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench::svg {
namespace {

constexpr double width = 860, margin = 16;
constexpr double label_width = 300, text_width = 170, bar_height = 18, row_height = 25;

const char *style = R"(<style>
text { font: 12.5px Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1f2328; }
.title { font-weight: bold; font-size: 14px; } .end { text-anchor: end; }
.middle { text-anchor: middle; } .small { font-size: 11.5px; fill: #59636e; }
.page { fill: #ffffff; stroke: #d1d9e0; } .mark { stroke: #1f2328; stroke-dasharray: 4 3; }
.grid { stroke: #d1d9e0; } .line { fill: none; stroke-width: 2.2; }
.tern { fill: #1a7f5a; stroke: #1a7f5a; } .enet { fill: #5a7ea6; stroke: #5a7ea6; }
.plain { fill: #a9b1ba; stroke: #a9b1ba; } .met { fill: #1a7f5a; } .missed { fill: #c9472e; }
.part0 { fill: #8fb8a8; } .part1 { fill: #4f9c80; }
.part2 { fill: #1a7f5a; } .part3 { fill: #5a7ea6; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .small { fill: #9aa5b1; }
.page { fill: #151b23; stroke: #3d444d; } .mark { stroke: #e6edf3; } .grid { stroke: #3d444d; }
.tern { fill: #3fb98a; stroke: #3fb98a; } .enet { fill: #7ba5d6; stroke: #7ba5d6; }
.plain { fill: #6b7480; stroke: #6b7480; } .met { fill: #3fb98a; } .missed { fill: #f0785f; }
.part0 { fill: #2c5a49; } .part1 { fill: #2f8667; }
.part2 { fill: #3fb98a; } .part3 { fill: #7ba5d6; }
}
.line.tern, .line.enet, .line.plain { fill: none; }
</style>
)";

std::string escaped(const std::string &text)
{
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out.append("&amp;");
        else if (c == '<')
            out.append("&lt;");
        else if (c == '>')
            out.append("&gt;");
        else
            out.push_back(c);
    }
    return out;
}

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

std::string text_at(double x, double y, const std::string &css, const std::string &text)
{
    return join({"<text x=\"", number(x), "\" y=\"", number(y), "\" class=\"", css, "\">",
                 escaped(text), "</text>\n"});
}

std::string box(double x, double y, double w, double h, const std::string &css)
{
    return join({"<rect x=\"", number(x), "\" y=\"", number(y), "\" width=\"", number(w),
                 "\" height=\"", number(h), "\" class=\"", css, "\"/>\n"});
}

std::string line(double x1, double y1, double x2, double y2, const std::string &css)
{
    return join({"<line x1=\"", number(x1), "\" y1=\"", number(y1), "\" x2=\"", number(x2),
                 "\" y2=\"", number(y2), "\" class=\"", css, "\"/>\n"});
}

std::string page(const std::string &title, double height, const std::string &content)
{
    const std::string w = number(width), h = number(height);
    return join({"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", w, " ", h,
                 "\" width=\"", w, "\" height=\"", h, "\" role=\"img\">\n<title>", escaped(title),
                 "</title>\n", style, box(0.5, 0.5, width - 1, height - 1, "page"), content,
                 "</svg>\n"});
}

double length(const Bar &bar)
{
    double sum = 0;
    for (const BarPiece &piece : bar.pieces)
        sum += piece.value;
    return sum;
}

double longest(const BarPanel &panel)
{
    if (panel.most > 0) return panel.most;
    double most = panel.mark;
    for (const Bar &bar : panel.bars)
        most = std::max(most, length(bar));
    return most;
}

std::string draw_bar(const Bar &bar, double y, double most, double mark)
{
    const double room = width - 2 * margin - label_width - text_width;
    double x = margin + label_width, drawn = 0;
    std::string out = text_at(x - 8, y + 13, "end", bar.label);
    for (const BarPiece &piece : bar.pieces) {
        const double shown = std::clamp(most - drawn, 0.0, piece.value);
        out += box(x, y, shown / most * room, bar_height, piece.ink);
        x += shown / most * room;
        drawn += piece.value;
    }
    const double text_x = std::max(x, margin + label_width + mark / most * room) + 6;
    return out + text_at(text_x, y + 13, "", bar.text);
}

std::string draw_panel(const BarPanel &panel, double &y)
{
    std::string out = text_at(margin, y + 14, "title", panel.title);
    y += row_height;
    const double begin = y, most = longest(panel);
    for (const Bar &bar : panel.bars) {
        out += draw_bar(bar, y, most > 0 ? most : 1, panel.mark);
        y += row_height;
    }
    if (panel.mark > 0) {
        const double room = width - 2 * margin - label_width - text_width;
        const double x = margin + label_width + panel.mark / most * room;
        out += line(x, begin - 4, x, y - 2, "mark");
    }
    y += 10;
    return out;
}

std::string draw_keys(const std::vector<Key> &keys, double &y)
{
    std::string out;
    double x = margin;
    for (const Key &key : keys) {
        out += box(x, y, 12, 12, key.ink) + text_at(x + 18, y + 11, "small", key.label);
        x += 34 + 6.6 * static_cast<double>(key.label.size());
    }
    if (!keys.empty()) y += row_height;
    return out;
}

}

std::string join(std::initializer_list<std::string_view> parts)
{
    std::string out;
    for (const std::string_view part : parts)
        out.append(part);
    return out;
}

std::string bars(const std::string &title, const std::vector<BarPanel> &panels,
                 const std::vector<Key> &keys)
{
    double y = margin;
    std::string content = draw_keys(keys, y);
    for (const BarPanel &panel : panels)
        content += draw_panel(panel, y);
    return page(title, y + margin - 10, content);
}

std::string lines(const std::string &title, const std::string &x_title,
                  const std::vector<Line2d> &lines)
{
    constexpr double top = 52, bottom = 330, left = 70, right = width - 250;
    double x_most = 0, y_most = 0;
    for (const Line2d &one : lines) {
        x_most = std::max(x_most, *std::max_element(one.x.begin(), one.x.end()));
        y_most = std::max(y_most, *std::max_element(one.y.begin(), one.y.end()));
    }
    const double step = std::pow(10, std::floor(std::log10(y_most))) / (y_most < 3e2 ? 4 : 2);
    y_most = std::ceil(y_most / step) * step;
    const auto x_of = [&](double x) { return left + x / x_most * (right - left); };
    const auto y_of = [&](double y) { return bottom - y / y_most * (bottom - top); };
    std::string content = text_at(margin, margin + 14, "title", title);
    for (double y = 0; y <= y_most; y += step * 2)
        content += line(left, y_of(y), right, y_of(y), "grid") +
                   text_at(left - 8, y_of(y) + 4, "small end", std::to_string(std::lround(y)));
    for (const double x : lines.empty() ? std::vector<double>{} : lines[0].x)
        content += text_at(x_of(x), bottom + 18, "small middle", std::to_string(std::lround(x)));
    content += text_at((left + right) / 2, bottom + 38, "small middle", x_title);
    for (const Line2d &one : lines) {
        content += join({"<polyline class=\"line ", one.ink, "\" points=\""});
        for (size_t i = 0; i < one.x.size(); ++i)
            content += join({number(x_of(one.x[i])), ",", number(y_of(one.y[i])), " "});
        content.append("\"/>\n");
        content += text_at(right + 10, y_of(one.y.back()) + 4, "", one.label);
    }
    return page(title, bottom + 54, content);
}

}
