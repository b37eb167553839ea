// tern-bench: measures what tern costs, next to plain sockets and ENet, in one run.
#include "bench/pairs/enet_pair.h"
#include "bench/report/goals.h"
#include "bench/report/plots.h"
#include "bench/sections/sections.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>

namespace bench {
namespace {

struct NamedSection {
    const char *name;
    const char *group;
    bool (*measure)(const Options &options);
};
constexpr NamedSection sections[] = {
    // First: their processes are forked off this one, with all memory that it has by then.
    {"surface_messages", "surface", measure_surface_messages},
    {"surface_idle", "surface", measure_surface_idle},
    {"surface_objects", "surface", measure_surface_objects},
    {"surface_interest", "surface", measure_surface_interest},
    {"surface_motion", "surface", measure_surface_motion},
    {"surface_delay", "surface", measure_surface_delay},
    {"surface_events", "surface", measure_surface_events},
    {"datagrams", "transport", measure_datagrams},
    {"small", "transport", measure_small},
    {"reliable", "transport", measure_reliable},
    {"bulk", "transport", measure_bulk},
    {"latency", "transport", measure_latency},
    {"host", "host", measure_host},
    {"session", "host", measure_session},
    {"many", "host", measure_many},
    {"publish", "publish", measure_publish},
    {"wire", "publish", measure_wire},
    {"threads", "publish", measure_threads},
    {"idle", "publish", measure_idle},
    {"interest", "publish", measure_interest},
    {"cubes", "cubes", measure_cubes},
    {"live", "cubes", measure_live},
    {"join", "join", measure_join},
#ifdef TERN_HAVE_LUA
    {"lua", "lua", measure_lua},
#endif
};
constexpr uint32_t quick_rounds = 5;

std::vector<std::string> section_names()
{
    std::vector<std::string> names;
    for (const NamedSection &section : sections)
        names.emplace_back(section.name);
    return names;
}

std::vector<std::string> group_names()
{
    std::vector<std::string> names = {"all"};
    for (const NamedSection &section : sections)
        if (names.back() != section.group) names.emplace_back(section.group);
    return names;
}

bool holds(const std::vector<std::string> &names, const char *name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// A section runs if its own name or the name of its group was given; without names all run.
bool is_wanted(const NamedSection &section, const Options &options)
{
    if (options.only.empty() && options.groups.empty()) return true;
    return holds(options.only, section.name) || holds(options.groups, section.group) ||
           holds(options.groups, "all");
}

Results empty_results(const Options &options, const std::string &commit)
{
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d %H:%M", std::gmtime(&now));
    Results made = {TERN_VERSION, commit, date, machine(), options.quick, options.rounds, {}};
    const char *enet = enet_pair::version();
    made.machine.enet = *enet ? enet : "not built in: its lines are missing";
    return made;
}

int run(Options &options, const std::string &commit, const std::string &json)
{
    Results all = empty_results(options, commit);
    options.results = &all;
    print_machine(all.machine);
    bool right = true;
    for (const NamedSection &section : sections)
        if (is_wanted(section, options)) right = section.measure(options) && right;
    right = goals::print(all) && right;
    if (!json.empty() && !results::write_json(all, json)) {
        std::printf("cannot write %s\n", json.c_str());
        return 1;
    }
    if (right) return 0;
    std::printf("\nWRONG: something was not delivered as promised; see above.\n");
    return 1;
}

// Prints goals, plots and documents from results of an earlier run.
int show(const std::string &json, const std::string &plots, const std::string &documents)
{
    const ReadResults read = results::read_json(json);
    std::string problem = read.error;
    if (problem.empty()) goals::print(read.results);
    if (problem.empty() && !plots.empty()) problem = plots::write(read.results, plots);
    if (problem.empty() && !documents.empty())
        problem = plots::write_documents(read.results, documents);
    if (problem.empty()) return 0;
    std::fprintf(stderr, "tern-bench: %s\n", problem.c_str());
    return 1;
}

}
}

int main(int argc, char **argv)
{
    bench::Options options = {};
    std::string json, commit, shown, plots, documents;
    CLI::App app("Measures tern against plain UDP sockets and ENet, by turns, in one run.",
                 "tern-bench");
    app.add_option("group", options.groups, "Groups of sections; none: all")
        ->check(CLI::IsMember(bench::group_names()));
    const CLI::Option *rounds =
        app.add_option("--rounds", options.rounds, "Rounds of which medians are taken")
            ->check(CLI::Range(5, 1001))
            ->capture_default_str();
    app.add_flag("--quick", options.quick,
                 "A tenth of the work, and 5 rounds: to see that it runs");
    app.add_option("--only", options.only, "Sections by name")
        ->check(CLI::IsMember(bench::section_names()));
    app.add_option("--cubes", options.cubes,
                   "Recorded scenes for cubes, instead of the one beside the project");
    app.add_option("--json", json, "Write all that was measured to this file");
    CLI::Option *show =
        app.add_option("--show", shown, "Measure nothing: the goals of this JSON file");
    app.add_option("--plot", plots, "With --show: draw its plots into this folder")->needs(show);
    app.add_option("--write-docs", documents,
                   "With --show: write its figures and plots into the documents of this tree")
        ->needs(show);
    app.add_option("--commit", commit, "What the results are to say of the source");
    CLI11_PARSE(app, argc, argv);
    if (options.quick && rounds->count() == 0) options.rounds = bench::quick_rounds;
    if (!shown.empty()) return bench::show(shown, plots, documents);
    return bench::run(options, commit, json);
}
