// Draws the treemap by the algorithm of Bruls, Huizing and van Wijk, "Squarified Treemaps" (2000).
#include "sim/picture/picture_ink.h"
#include "sim/profile/profile.h"
#include <algorithm>
#include <cstdio>

namespace tern {

namespace {

constexpr double page_width = 960, page_height = 620, margin = 16, head_px = 54;
constexpr double gap = 3, group_title_px = 20, kind_title_px = 16;
constexpr size_t hue_count = 7; // Further groups repeat the colours.

struct Place {
    double x, y, width, height;
};

struct Drawing {
    Ink ink;
    double all_bits;
};

std::string share(const Drawing &d, int64_t bits)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(bits) / d.all_bits);
    return text;
}

// The worst ratio of sides among areas that fill one row of this length.
double worst_ratio(std::span<const double> areas, double length)
{
    double sum = 0, least = areas[0], most = areas[0];
    for (const double area : areas) {
        sum += area;
        least = std::min(least, area);
        most = std::max(most, area);
    }
    return std::max(length * length * most / (sum * sum), sum * sum / (length * length * least));
}

void put_row(std::span<const double> areas, Place &left, std::vector<Place> &places)
{
    double sum = 0;
    for (const double area : areas)
        sum += area;
    const bool wide = left.width >= left.height; // The row stands at the left.
    const double depth = sum / (wide ? left.height : left.width);
    double at = 0;
    for (const double area : areas) {
        const double size = area / depth;
        places.push_back(wide ? Place{left.x, left.y + at, depth, size}
                              : Place{left.x + at, left.y, size, depth});
        at += size;
    }
    if (wide)
        left = {left.x + depth, left.y, left.width - depth, left.height};
    else
        left = {left.x, left.y + depth, left.width, left.height - depth};
}

// The parts must be sorted by size, and none may be empty.
std::vector<Place> squarified(const std::vector<ProfileNode> &parts, Place whole)
{
    double sum = 0;
    for (const ProfileNode &part : parts)
        sum += static_cast<double>(part.bits);
    std::vector<double> areas;
    for (const ProfileNode &part : parts)
        areas.push_back(static_cast<double>(part.bits) / sum * whole.width * whole.height);
    std::vector<Place> places;
    Place left = whole;
    for (size_t first = 0; first < areas.size();) {
        const double length = std::min(left.width, left.height);
        size_t count = 1;
        const std::span<const double> rest = std::span(areas).subspan(first);
        while (count < rest.size() &&
               worst_ratio(rest.first(count + 1), length) <= worst_ratio(rest.first(count), length))
            count += 1;
        put_row(rest.first(count), left, places);
        first += count;
    }
    return places;
}

std::string attributes(const char *classes)
{
    return std::string("class=\"") + classes + "\"";
}

// The words, cut to the width; empty if even three letters do not fit.
std::string fitted(const std::string &words, double size_px, double width)
{
    if (ink::width(words, size_px) <= width) return words;
    std::string cut = words;
    while (cut.size() > 3 && ink::width(cut + "…", size_px) > width)
        cut.pop_back();
    return cut.size() > 3 ? cut + "…" : "";
}

// The node's name, with its share if there is room.
std::string title(const Drawing &d, const ProfileNode &node, double size_px, double width)
{
    const std::string whole = node.name + "  " + share(d, node.bits);
    const bool fits = ink::width(whole, size_px) * bold_factor <= width;
    return fits ? whole : fitted(node.name, size_px * bold_factor, width);
}

void put_label(Drawing &d, const ProfileNode &node, const Place &place)
{
    if (place.height < 16 || place.width < 24) return;
    const std::string name = fitted(node.name, small_px, place.width - 8);
    if (name.empty()) return;
    ink::text(d.ink, {place.x + 4, place.y + 13}, name, attributes("label"));
    const std::string part = share(d, node.bits);
    if (place.height < 30 || ink::width(part, small_px) > place.width - 8) return;
    ink::text(d.ink, {place.x + 4, place.y + 26}, part, attributes("label faint"));
}

std::string told(const Drawing &d, const std::string &path, const ProfileNode &node)
{
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, ": %lld bits, %s, %llu times",
                  static_cast<long long>(node.bits), share(d, node.bits).c_str(),
                  static_cast<unsigned long long>(node.count));
    return path + numbers;
}

void draw_parts(Drawing &d, const ProfileNode &node, const Place &place, const std::string &path,
                int depth)
{
    std::vector<ProfileNode> parts;
    for (const ProfileNode &part : node.parts)
        if (part.bits > 0) parts.push_back(part);
    if (parts.empty() || place.width < 2 || place.height < 2) return;
    const std::vector<Place> places = squarified(parts, place);
    for (size_t i = 0; i < parts.size(); ++i) {
        const ProfileNode &part = parts[i];
        const std::string name = path + " " + part.name;
        const double apart =
            std::min({depth == 1 ? gap : 1.0, places[i].width / 4, places[i].height / 4});
        Place at = places[i];
        at.width -= apart;
        at.height -= apart;
        const bool is_leaf = part.parts.empty();
        ink::open(d.ink, "", told(d, name, part));
        ink::rectangle(d.ink, {at.x, at.y}, {at.width, at.height},
                       attributes(is_leaf ? "leaf" : "kind"));
        if (is_leaf) put_label(d, part, at);
        ink::close(d.ink);
        if (is_leaf) continue;
        const bool titled = at.height > 2 * kind_title_px && at.width > 40;
        if (titled)
            ink::text(d.ink, {at.x + 4, at.y + 12}, title(d, part, small_px, at.width - 8),
                      attributes("label strong"));
        const double top = titled ? kind_title_px : 0;
        draw_parts(d, part, {at.x + 1, at.y + top, at.width - 1, at.height - top - 1}, name,
                   depth + 1);
    }
}

void draw_groups(Drawing &d, const ProfileNode &root, const Place &place)
{
    std::vector<ProfileNode> groups;
    for (const ProfileNode &group : root.parts)
        if (group.bits > 0) groups.push_back(group);
    if (groups.empty()) return;
    const std::vector<Place> places = squarified(groups, place);
    size_t hue = 0;
    for (size_t i = 0; i < groups.size(); ++i) {
        const bool is_overhead = groups[i].name == "overhead" || groups[i].name == "messages";
        char classes[24];
        std::snprintf(classes, sizeof classes, "g%zu", is_overhead ? 0 : 1 + hue++ % hue_count);
        Place at = places[i];
        at.width -= std::min(gap, at.width / 4);
        at.height -= std::min(gap, at.height / 4);
        ink::open(d.ink, attributes(classes), told(d, groups[i].name, groups[i]));
        ink::rectangle(d.ink, {at.x, at.y}, {at.width, at.height}, attributes("group"));
        const bool titled = at.height > 2 * group_title_px && at.width > 50;
        if (titled)
            ink::text(d.ink, {at.x + 5, at.y + 15}, title(d, groups[i], text_px, at.width - 10),
                      attributes("label title_of_group"));
        const double top = titled ? group_title_px : 2;
        draw_parts(d, groups[i], {at.x + 2, at.y + top, at.width - 3, at.height - top - 2},
                   groups[i].name, 1);
        ink::close(d.ink);
    }
}

// The first colour of each table is that of the overhead; the others are those of types.
std::string style()
{
    static constexpr const char *light[] = {"#e4e6ea", "#cfe3f7", "#fbe0c4", "#d3ecd2",
                                            "#e9d9f2", "#f8d4d8", "#cdebea", "#f3ecc0"};
    static constexpr const char *dark[] = {"#33373d", "#1d4161", "#65411d", "#27502b",
                                           "#4a3260", "#64303a", "#1d5252", "#5b521c"};
    std::string out = R"(<style>
text { font-family: Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1b1b1b; }
.page { fill: #fff; } .title { font-size: 17px; font-weight: bold; } .under { font-size: 12px; }
.label { font-size: 10.5px; } .faint { fill-opacity: 0.66; } .strong { font-weight: bold; }
.title_of_group { font-size: 12px; font-weight: bold; }
.group { fill-opacity: 0.45; } .kind { fill-opacity: 0.5; }
.leaf { stroke: #fff; stroke-width: 0.8; }
)";
    for (size_t i = 0; i <= hue_count; ++i)
        out += ".g" + std::to_string(i) + " rect { fill: " + light[i] + "; }\n";
    out += "@media (prefers-color-scheme: dark) {\n"
           "text { fill: #e8e8e8; } .page { fill: #16181b; } .leaf { stroke: #16181b; }\n";
    for (size_t i = 0; i <= hue_count; ++i)
        out += ".g" + std::to_string(i) + " rect { fill: " + dark[i] + "; }\n";
    return out + "}\n</style>\n";
}

std::string summary(const Profile &profile, int64_t bits)
{
    char text[160];
    std::snprintf(text, sizeof text,
                  "%.1f kbit/s of UDP payload: %lld bytes in %llu datagrams, %.1f s. Areas are "
                  "bits; types by message and field.",
                  static_cast<double>(bits) / 1000 / profile.seconds,
                  static_cast<long long>(bits / 8),
                  static_cast<unsigned long long>(profile.datagrams), profile.seconds);
    return text;
}

}

std::string profile::svg(const Profile &profile)
{
    const ProfileNode root = tree(profile);
    Drawing d = {{}, std::max(1.0, static_cast<double>(root.bits))};
    char head[200];
    std::snprintf(head, sizeof head,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                  "width=\"%.0f\" height=\"%.0f\" role=\"img\">\n",
                  page_width, page_height, page_width, page_height);
    d.ink.text = head;
    d.ink.text += "<title>" + ink::escaped(profile.title) + "</title>\n" + style();
    ink::rectangle(d.ink, {0, 0}, {page_width, page_height}, attributes("page"));
    ink::text(d.ink, {margin, 26}, profile.title, attributes("title"));
    ink::text(d.ink, {margin, 44}, summary(profile, root.bits), attributes("under"));
    draw_groups(d, root,
                {margin, head_px, page_width - 2 * margin, page_height - head_px - margin});
    return d.ink.text + "</svg>\n";
}

}
