#include "tables.h"
#include <algorithm>
#include <cstdio>

namespace prof::tables {

namespace {

constexpr size_t name_width_min = 24, name_width_max = 56;

size_t name_width(const tern::ProfileNode &node, size_t indent)
{
    size_t width = indent + node.name.size();
    for (const tern::ProfileNode &part : node.parts)
        width = std::max(width, name_width(part, indent + 2));
    return width;
}

std::string line(const std::string &name, size_t width, double kbit_s, double share, int64_t bits,
                 uint64_t count)
{
    char text[160];
    std::snprintf(text, sizeof text, "%-*s %10.1f %7.1f %% %14lld", static_cast<int>(width),
                  name.c_str(), kbit_s, share, static_cast<long long>(bits));
    std::string out = text;
    if (count > 0) {
        std::snprintf(text, sizeof text, " %11llu %10.1f", static_cast<unsigned long long>(count),
                      static_cast<double>(bits) / static_cast<double>(count));
        out += text;
    }
    return out + "\n";
}

struct Whole {
    double seconds, bits;
    size_t width;
};

void add(std::string &out, const tern::ProfileNode &node, const Whole &whole, size_t indent)
{
    const auto bits = static_cast<double>(node.bits);
    out += line(std::string(indent, ' ') + node.name, whole.width, bits / 1000 / whole.seconds,
                100 * bits / whole.bits, node.bits, node.count);
    for (const tern::ProfileNode &part : node.parts)
        add(out, part, whole, indent + 2);
}

}

std::string of(const tern::Profile &profile)
{
    const tern::ProfileNode root = tern::profile::tree(profile);
    const size_t width = std::clamp(name_width(root, 0), name_width_min, name_width_max);
    const Whole whole = {std::max(profile.seconds, 1e-6),
                         std::max(1.0, static_cast<double>(root.bits)), width};
    char head[160];
    std::snprintf(head, sizeof head, "%-*s %10s %9s %14s %11s %10s\n", static_cast<int>(width),
                  profile.title.c_str(), "kbit/s", "share", "bits", "times", "bits each");
    std::string out = head;
    for (const tern::ProfileNode &group : root.parts)
        add(out, group, whole, 0);
    int64_t unsent = root.bits;
    for (const tern::ProfileNode &group : root.parts)
        unsent -= group.bits;
    const double unsent_share = 100 * static_cast<double>(unsent) / whole.bits;
    if (unsent != 0)
        out += line("not sent (yet)", width, static_cast<double>(unsent) / 1000 / whole.seconds,
                    unsent_share, unsent, 0);
    out += line("all, as UDP payload", width, static_cast<double>(root.bits) / 1000 / whole.seconds,
                100, root.bits, profile.datagrams);
    return out;
}

static std::string change(const tern::ProfileChange &c, size_t width)
{
    char text[200];
    const double more = c.after_bps - c.before_bps;
    std::snprintf(text, sizeof text, "%-*s %12.2f %12.2f %+12.2f", static_cast<int>(width),
                  c.name.c_str(), c.before_bps / 1000, c.after_bps / 1000, more / 1000);
    std::string out = text;
    if (c.before_bps == 0)
        out += "       new";
    else if (c.after_bps == 0)
        out += "      gone";
    else if (std::snprintf(text, sizeof text, " %+7.1f %%", 100 * more / c.before_bps) > 0)
        out += text;
    return out + "\n";
}

std::string comparison(const tern::Profile &before, const tern::Profile &after)
{
    const std::vector<tern::ProfileChange> changes = tern::profile::changes(before, after);
    size_t width = name_width_min;
    for (const tern::ProfileChange &one : changes)
        width = std::clamp(one.name.size(), width, name_width_max);
    char head[200];
    std::snprintf(head, sizeof head, "%-*s %12s %12s %12s\n", static_cast<int>(width), "kbit/s",
                  "before", "after", "change");
    std::string out = "before: " + before.title + "\nafter:  " + after.title + "\n" + head;
    for (const tern::ProfileChange &one : changes)
        out += change(one, width);
    if (changes.empty()) out += "nothing has changed\n";
    const auto rate = [](const tern::Profile &one) {
        return static_cast<double>(tern::profile::bits(one)) / one.seconds;
    };
    return out + change({"all, as UDP payload", rate(before), rate(after)}, width);
}

}
