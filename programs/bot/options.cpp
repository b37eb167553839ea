#include "options.h"
#include "common/option_checks.h"
#include "common/suggestion.h"
#include "hostile/attacks.h"
#include "tern/invites.hpp"
#include "tern/limits.hpp"
#include <iostream>

using namespace option_checks;

namespace bot {

static constexpr const char *description =
    "Bots join a session and play: a load for a host, without a game. Each creates objects, sets\n"
    "the fields of its own to random values, claims those of others, and calls. At the end all\n"
    "stop, and their worlds must become equal.\n"
    "\n"
    "Types, topology, quorum and peers-max must be those of the host; by default they are those "
    "of\n"
    "a tern-host that was told nothing.";

static constexpr const char *examples =
    "Examples:\n"
    "  tern-bot --count 20 INVITE                   until Ctrl-C\n"
    "  tern-bot --count 200 --peers-max 256 --types host.toml --seconds 60 INVITE\n"
    "  tern-bot --count 64 --peers-max 80 --loss 2 --latency 20-80 --churn 1 --json INVITE\n"
    "  tern-bot --count 4 --hostile forged --seconds 5 INVITE  an attack on them\n"
    "  tern-ctl invite | tern-bot -                 the invite from standard input\n"
    "\n"
    "Exit status: 0 all joined, played on to the end and saw the same world; 1 not; 2 for a bad\n"
    "option, file or invite; 3 nobody could be reached. With --hostile also 1 if an honest peer "
    "was\n"
    "charged, or the host was lost.\n"
    "SIGINT and SIGTERM: all leave in order, and the worlds are not compared. A second one ends "
    "it\n"
    "at once.";

// The options that are still text.
struct Words {
    std::string invite, types, topology = "star", quorum = "majority", latency = "0", hostile;
};

static void add_session(CLI::App &app, Options &options, Words &words)
{
    app.add_option("--types", words.types,
                   "File with the host's [[type]] tables; its own configuration will do");
    app.add_option("--topology", words.topology, "The host's")
        ->check(one_of("star, mesh"))
        ->capture_default_str();
    app.add_option("--peers-max", options.peers_max, "The host's, with itself")
        ->check(whole_number(2, tern::star_peers_max))
        ->capture_default_str();
    app.add_option("--quorum", words.quorum, "The host's")
        ->check(one_of("majority, survivors"))
        ->capture_default_str();
}

static CLI::Validator number(double min, double max)
{
    const std::string range =
        std::to_string(static_cast<int>(min)) + " to " + std::to_string(static_cast<int>(max));
    const auto check = [=](const std::string &text) -> std::string {
        char *end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (end != text.c_str() && *end == '\0' && value >= min && value <= max) return "";
        return "\"" + text + "\" is not a number from " + range;
    };
    return {check, range};
}

static void add_crowd(CLI::App &app, Options &options)
{
    app.add_option("--count", options.count, "Bots, below --peers-max")
        ->check(whole_number(1, tern::star_peers_max - 1));
    app.add_option("--join-per-second", options.join_per_second, "So many join, and leave")
        ->check(whole_number(1, 10'000));
    app.add_option("--seconds", options.seconds,
                   "How long they play once all are in; 0: until a signal")
        ->check(number(0, 1e9));
    app.add_option("--settle", options.settle_s,
                   "Seconds that the worlds may take to become equal; 0: they are not compared")
        ->check(whole_number(0, 3600));
    app.add_flag("--stay", options.stay,
                 "After that stay, and change nothing, until a signal or the session's end");
    app.add_option("--timeout-ms", options.timeout_ms, "Silence after which another is gone")
        ->check(whole_number(100, 600'000));
    app.add_option("--join-timeout-ms", options.join_timeout_ms, "How long one may take to join")
        ->check(whole_number(100, 600'000));
    app.add_option("--jobs", options.jobs, "Threads; 0: as many as processors")
        ->check(whole_number(0, 256));
    app.add_option("--seed", options.seed, "Of what they do and what the network drops")
        ->check(whole_number(0, UINT64_MAX));
    app.add_option("--name", options.name, "They are called name-1, name-2, ...");
}

static void add_load(CLI::App &app, Options &options)
{
    app.add_option("--hz", options.hz, "Ticks per second of each")->check(whole_number(1, 240));
    app.add_option("--objects", options.objects, "So many each creates")
        ->check(whole_number(0, 65'536));
    app.add_option("--update", options.update_percent, "Of its objects each sets in a tick")
        ->check(percent(100));
    app.add_option("--claims", options.claims, "Per second and bot, of others' objects")
        ->check(number(0, 1000));
    app.add_option("--calls", options.calls, "Per second and bot, of types without objects")
        ->check(number(0, 1000));
    app.add_option("--churn", options.churn, "Destructions and creations, per second and bot")
        ->check(number(0, 1000));
}

static void add_attack(CLI::App &app, Words &words)
{
    app.add_option("--hostile", words.hostile,
                   "One more bot attacks the others so while they play, once all are in; "
                   "list: shows the kinds")
        ->type_name("KIND");
}

static void add_network(CLI::App &app, Options &options, Words &words)
{
    app.add_option("--loss", options.loss_percent, "Lost datagrams, each way")->check(percent(50));
    app.add_option("--latency", words.latency, "Milliseconds for what they send: MIN-MAX, or one");
    app.add_option("--duplicate", options.duplicate_percent, "Of what they send arrives twice")
        ->check(percent(50));
}

// Parses "20-80" or "20"; false if the text is neither.
static bool parse_latency(const std::string &text, Options &options)
{
    const size_t dash = text.find('-');
    const std::string min = text.substr(0, dash);
    const std::string max = dash == std::string::npos ? min : text.substr(dash + 1);
    const auto is_number = [](const std::string &part) {
        return !part.empty() && part.size() <= 5 &&
               part.find_first_not_of("0123456789") == std::string::npos;
    };
    if (!is_number(min) || !is_number(max)) return false;
    options.latency_ms_min = static_cast<uint32_t>(std::stoul(min));
    options.latency_ms_max = static_cast<uint32_t>(std::stoul(max));
    return options.latency_ms_min <= options.latency_ms_max && options.latency_ms_max <= 2000;
}

// Finds the attack. Returns an empty string, or the error.
static std::string resolve_attack(Options &options, const Words &words)
{
    if (words.hostile.empty()) return "";
    options.attack = attacks::find(words.hostile);
    if (!options.attack) return attacks::unknown(words.hostile);
    if (has(*options.attack, in_mesh_only) && options.topology == tern::Topology::star)
        return "--hostile " + words.hostile +
               " needs --topology mesh: in a star all goes to the "
               "host";
    if (options.count + 2 >= options.peers_max)
        return "--hostile needs two more of --peers-max, for itself and a guest, beside --count " +
               std::to_string(options.count) + " and the host";
    return "";
}

// Converts the words and checks options against each other. Returns an empty string, or the error.
static std::string resolve(Options &options, const Words &words)
{
    options.topology = words.topology == "mesh" ? tern::Topology::mesh : tern::Topology::star;
    options.quorum = words.quorum == "survivors" ? tern::Quorum::survivors : tern::Quorum::majority;
    if (options.topology == tern::Topology::mesh && options.peers_max > tern::mesh_peers_max)
        return "--peers-max " + std::to_string(options.peers_max) + ": a mesh has at most " +
               std::to_string(tern::mesh_peers_max);
    if (options.count >= options.peers_max)
        return "--count " + std::to_string(options.count) +
               ": with the host more than --peers-max " + std::to_string(options.peers_max) +
               ", which must be the host's";
    if (const std::string problem = resolve_attack(options, words); !problem.empty())
        return problem;
    if (!parse_latency(words.latency, options))
        return "--latency \"" + words.latency +
               "\": expected milliseconds as 20-80 or 20, at most 2000";
    std::string text = words.invite;
    if (text.empty()) return "no INVITE: expected the text that the host printed (tern-ctl invite)";
    if (text == "-") std::getline(std::cin, text);
    const tern::ParsedInvite invite = tern::parse_invite(text.c_str());
    if (invite.error) return std::string("this is no invite: ") + invite.error;
    options.invite = invite.invite;
    return "";
}

static std::string read_types(Options &options, const std::string &path)
{
    if (path.empty()) options.types = type_file::synthetic();
    if (path.empty()) return "";
    const type_file::Read read = type_file::read_file(path);
    options.types = read.table;
    std::string problems;
    for (const type_file::Problem &problem : read.problems)
        problems += problem.where + ": " + problem.text + "\n";
    return problems;
}

static std::string unknown_option(const CLI::App &app, int argc, const char *const *argv)
{
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
            names.push_back("--" + name);
    const std::vector<std::string_view> known(names.begin(), names.end());
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = std::string_view(argv[i]).substr(0, 100);
        const std::string_view name = word.substr(0, word.find('='));
        if (!name.starts_with("--") || name == "--") continue;
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        return "unknown option " + std::string(name) + suggestion::did_you_mean(name, known);
    }
    return "";
}

static ParsedOptions wrong(const std::string &text)
{
    ParsedOptions parsed = {};
    parsed.exit_status = 2;
    parsed.text = text;
    return parsed;
}

ParsedOptions parse_options(int argc, const char *const *argv)
{
    static const std::string hint = "\nTry tern-bot --help.\n";
    ParsedOptions parsed = {};
    Words words;
    CLI::App app(description, "tern-bot");
    app.footer(examples);
    app.option_defaults()->always_capture_default();
    add_session(app, parsed.options, words);
    add_crowd(app, parsed.options);
    add_load(app, parsed.options);
    add_attack(app, words);
    add_network(app, parsed.options, words);
    app.option_defaults()->always_capture_default(false);
    app.add_flag("--json", parsed.options.json, "At the end a line of JSON on standard output");
    app.add_flag("--quiet", parsed.options.quiet, "No line of progress each second");
    app.add_option("INVITE", words.invite, "As the host prints it; - reads it");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        parsed.text = app.help();
        return parsed;
    } catch (const CLI::ParseError &error) {
        const std::string unknown = unknown_option(app, argc, argv);
        return wrong("tern-bot: " + (unknown.empty() ? error.what() : unknown) + hint);
    }
    if (words.hostile == "list") {
        parsed.text = attacks::list();
        return parsed;
    }
    if (const std::string problem = resolve(parsed.options, words); !problem.empty())
        return wrong("tern-bot: " + problem + hint);
    if (const std::string problems = read_types(parsed.options, words.types); !problems.empty())
        return wrong(problems);
    parsed.run = true;
    return parsed;
}

}
