// tern-bench: what tern costs beside plain sockets and ENet, in one run.
#include "bench/enet_pair.h"
#include "bench/sections.h"
#include <CLI/CLI.hpp>
#include <cstdio>

namespace bench {
namespace {

struct NamedSection {
    const char *name;
    bool (*measure)(const Options &options);
};
constexpr NamedSection sections[] = {
    {"datagrams", measure_datagrams},
    {"small", measure_small},
    {"reliable", measure_reliable},
    {"bulk", measure_bulk},
    {"latency", measure_latency},
    {"host", measure_host},
    {"publish", measure_publish},
    {"session", measure_session},
#ifdef TERN_HAVE_LUA
    {"lua", measure_lua},
#endif
};
constexpr uint32_t quick_rounds = 5;

bool measure_sections(const Options &options)
{
    bool right = true;
    for (const NamedSection &section : sections)
        if (options.only.empty() || options.only == section.name)
            right = section.measure(options) && right;
    return right;
}

std::vector<std::string> section_names()
{
    std::vector<std::string> names;
    for (const NamedSection &section : sections)
        names.emplace_back(section.name);
    return names;
}

}
}

int main(int argc, char **argv)
{
    bench::Options options;
    CLI::App app("Measures tern against plain UDP sockets and ENet, by turns, in one run.",
                 "tern-bench");
    const CLI::Option *rounds =
        app.add_option("--rounds", options.rounds, "Rounds of which medians are taken")
            ->check(CLI::Range(5, 1001))
            ->capture_default_str();
    app.add_flag("--quick", options.quick,
                 "A tenth of the work, and 5 rounds: to see that it runs");
    app.add_option("--only", options.only, "One section")
        ->check(CLI::IsMember(bench::section_names()));
    CLI11_PARSE(app, argc, argv);
    if (options.quick && rounds->count() == 0) options.rounds = bench::quick_rounds;

    bench::print_machine();
    const char *enet = bench::enet_pair::version();
    std::printf("ENet      %s\n", *enet ? enet : "not built in: its lines are missing");
    if (bench::measure_sections(options)) return 0;
    std::printf("\nWRONG: something was not delivered as promised; see above.\n");
    return 1;
}
