// Plays scenarios by name: orders of messages in a cluster of replicas, and runs of whole sessions.
#include "commands.h"
#include "sim/explorer/cluster_script_play.h"
#include "sim/picture/history.h"
#include "sim/scenarios/scenarios.h"
#include "sim/scenarios/scenarios_sessions.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace sim {

namespace {

struct ScenarioResult {
    bool ok;
    std::string text; // Why not `ok`.
    tern::History history;
};

ScenarioResult play_one(const tern::Scenario &scenario)
{
    const tern::ParsedScript parsed = tern::cluster_script::parse(scenario.text);
    if (!parsed.error.empty()) return {false, parsed.error, {}};
#ifdef TERN_MUTANTS
    tern::mutant = scenario.mutant; // The scenario must fail without this rule.
#endif
    const tern::PlayedScript played = tern::cluster_script::play(parsed.script);
#ifdef TERN_MUTANTS
    tern::mutant = tern::Mutant::none;
    const bool ok = played.ok() == (scenario.mutant == tern::Mutant::none);
#else
    const bool ok = played.ok();
#endif
    std::string text = played.failure;
    if (played.violation) text = played.violation.invariant + ": " + played.violation.text;
    if (!played.failure.empty()) text = "line " + std::to_string(played.line) + ": " + text;
    return {ok, text, played.history};
}

ScenarioResult play_sessions(std::string_view name)
{
    const tern::PlayedSessions played = tern::scenarios::play_sessions(name);
    std::printf("%-12.*s %s\n", static_cast<int>(name.size()), name.data(),
                played.measured.c_str());
    return {played.failure.empty(), played.failure, played.history};
}

struct Line {
    std::string name, text;
};

// S2 comes before S10; then the B ones; names without a number come last.
bool comes_before(const Line &a, const Line &b)
{
    const auto rank = [](const Line &line) {
        const int number = std::atoi(line.name.c_str() + 1);
        if (line.name[0] == 'S' && number > 0) return number;
        return line.name[0] == 'B' ? 1000 + number : 10'000;
    };
    return rank(a) < rank(b);
}

int list()
{
    std::vector<Line> lines;
    for (const tern::Scenario &scenario : tern::scenarios::orders()) {
        const tern::ParsedScript parsed = tern::cluster_script::parse(scenario.text);
        lines.push_back({std::string(scenario.name), parsed.script.title});
    }
    for (const tern::ScenarioTitle &title : tern::scenarios::sessions())
        lines.push_back({std::string(title.name), std::string(title.title)});
    std::stable_sort(lines.begin(), lines.end(), comes_before);
    for (const Line &line : lines)
        std::printf("%-12s %s\n", line.name.c_str(), line.text.c_str());
    return 0;
}

}

int scenario(const Options &options)
{
    if (options.name == "list" || options.name.empty()) return list();
    uint64_t count = 0, held = 0;
    std::string failed;
    const auto note = [&](std::string_view name, const ScenarioResult &result) {
        count += 1;
        held += result.ok;
        if (!result.ok) failed += std::string(name) + ": " + result.text + "\n";
        write_history(result.history, options.history);
    };
    const auto is_wanted = [&](std::string_view name) {
        return options.name == name || options.name == "all";
    };
    for (const tern::Scenario &scenario : tern::scenarios::orders())
        if (is_wanted(scenario.name)) note(scenario.name, play_one(scenario));
    for (const tern::ScenarioTitle &title : tern::scenarios::sessions())
        if (is_wanted(title.name)) note(title.name, play_sessions(title.name));
    if (count == 0) fail("there is no scenario \"" + options.name + "\"; `list` names them");
    std::fputs(failed.c_str(), stdout);
    Report line;
    report::add(line, "ok", held == count);
    report::add(line, "scenario", options.name);
    report::add(line, "played", count);
    report::add(line, "held", held);
    report::add(line, "wall_s", wall_s());
    if (!failed.empty()) report::add(line, "text", failed);
    return report::finish(line, held == count);
}

}
