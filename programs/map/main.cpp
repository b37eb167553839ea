// tern-map: keeps a UDP port of the gateway mapped to a port of this machine. See --help.
#include "answers.h"
#include "common/command_line.h"
#include "common/option_checks.h"
#include "tern/io.hpp"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace port_map;

namespace {

enum class Way : uint8_t { natpmp, upnp };

struct Options {
    Wish wish = {0, 0, 3600, "", ""};
    std::string only; // "natpmp" or "upnp"; empty: try both.
    bool json = false;
};

// The mapping that is renewed, and how it was made.
struct Kept {
    Way way;
    Mapping mapping;
};

constexpr uint64_t second_us = 1'000'000;
constexpr uint64_t retry_us = 10 * second_us;
// Interval at which a mapping without a lifetime is renewed.
constexpr uint32_t permanent_check_s = 600;

const char *name(Way way)
{
    return way == Way::natpmp ? "NAT-PMP" : "UPnP";
}

Asked ask(Way way, Wish &wish)
{
    return way == Way::natpmp ? natpmp::ask(wish) : upnp::ask(wish);
}

void print(const Options &options, const Kept &kept)
{
    const std::string address = kept.mapping.ip + ":" + std::to_string(kept.mapping.port);
    if (options.json) {
        const nlohmann::ordered_json line = {
            {"address", address}, {"by", name(kept.way)}, {"lifetime_s", kept.mapping.lifetime_s}};
        std::printf("%s\n", line.dump().c_str());
    } else {
        std::printf("%s\n", address.c_str());
    }
    std::fflush(stdout);
}

void warn(const Mapping &mapping)
{
    if (is_private(mapping.ip))
        std::fprintf(stderr,
                     "tern-map: %s is no address of the internet: the gateway is behind another "
                     "one, and strangers will not get through\n",
                     mapping.ip.c_str());
}

// Tries NAT-PMP, then UPnP. False if both failed; the errors have been printed.
bool map_first(Options &options, Kept &kept)
{
    for (Way way : {Way::natpmp, Way::upnp}) {
        const bool is_wanted =
            options.only.empty() || options.only == (way == Way::natpmp ? "natpmp" : "upnp");
        if (!is_wanted || command_line::ended()) continue;
        const Asked asked = ask(way, options.wish);
        if (asked.error.empty()) {
            kept = {way, asked.mapping};
            return true;
        }
        std::fprintf(stderr, "tern-map: %s: %s\n", name(way), asked.error.c_str());
    }
    return false;
}

// When half of its lifetime is over (RFC 6886, 3.3).
uint64_t renewal_us(const Mapping &mapping)
{
    const uint64_t lifetime_s =
        mapping.lifetime_s == 0 ? 2 * permanent_check_s : mapping.lifetime_s;
    return tern::clock_us() + lifetime_s * second_us / 2;
}

void keep(Options &options, Kept &kept)
{
    uint64_t next_us = renewal_us(kept.mapping);
    while (!command_line::ended()) {
        tern::sleep_us(second_us / 20);
        if (tern::clock_us() < next_us) continue;
        options.wish.external_port = kept.mapping.port;
        const Asked asked = ask(kept.way, options.wish);
        if (!asked.error.empty()) {
            std::fprintf(stderr, "tern-map: not renewed, tried again in 10 s: %s: %s\n",
                         name(kept.way), asked.error.c_str());
            next_us = tern::clock_us() + retry_us;
            continue;
        }
        const bool differs =
            asked.mapping.ip != kept.mapping.ip || asked.mapping.port != kept.mapping.port;
        kept.mapping = asked.mapping;
        if (differs) print(options, kept);
        next_us = renewal_us(kept.mapping);
    }
}

int run(Options &options)
{
    Kept kept = {};
    if (!map_first(options, kept)) return 1;
    warn(kept.mapping);
    print(options, kept);
    keep(options, kept);
    const std::string error = kept.way == Way::natpmp ? natpmp::remove(options.wish)
                                                      : upnp::remove(options.wish, kept.mapping);
    if (!error.empty()) std::fprintf(stderr, "tern-map: not deleted: %s\n", error.c_str());
    return error.empty() ? 0 : 1;
}

std::string checked_address(const std::string &text)
{
    const tern::ParsedAddress parsed = tern::parse_address((text + ":1").c_str());
    return parsed.error || text[0] == '[' ? "\"" + text + "\" is no IPv4 address" : "";
}

}

int main(int argc, char **argv)
{
    Options options;
    CLI::App app(
        "Asks the gateway of this network to pass a UDP port on to this machine, prints\n"
        "the address that others reach it by, renews the mapping until SIGINT or SIGTERM,\n"
        "and deletes it then.\n"
        "Exit status: 0 mapped and deleted, 1 not, 2 for a bad option.",
        "tern-map");
    using option_checks::one_of, option_checks::whole_number;
    app.add_option("--port", options.wish.port, "Of this machine: where the game listens")
        ->required()
        ->check(whole_number(1, 65'535));
    app.add_option("--external", options.wish.external_port,
                   "Of the gateway; else the same. It may give another")
        ->check(whole_number(1, 65'535));
    app.add_option("--lifetime", options.wish.lifetime_s, "Seconds; renewed at half of it")
        ->check(whole_number(60, 604'800))
        ->capture_default_str();
    app.add_option("--only", options.only, "One way; else NAT-PMP first, then UPnP")
        ->check(one_of("natpmp, upnp"));
    app.add_option("--gateway", options.wish.gateway, "For NAT-PMP; else that of the default route")
        ->check(checked_address);
    app.add_option("--igd", options.wish.igd,
                   "For UPnP: the URL of the gateway's description; else it is searched");
    app.add_flag("--json", options.json, "A line of JSON in place of the address");
    if (const auto status = command_line::read(app, argc, argv)) return *status;
    if (options.wish.external_port == 0) options.wish.external_port = options.wish.port;
    command_line::heed_signals();
    return run(options);
}
