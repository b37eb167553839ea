#include "options.h"
#include "common/option_checks.h"
#include "sim/explorer/cluster.h"
#include "sim/mutants/mutant.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <thread>

namespace sim {

using namespace option_checks;

namespace {

void add_history(CLI::App &app, Options &options)
{
    app.add_option("--svg", options.history.svg, "Draw its history here");
    app.add_option("--json", options.history.json, "Write its history here, for other tools");
    app.add_option("--page", options.history.page,
                   "Write its history here as a page for browsers, which plays it step by step");
}

void add_game(CLI::App &app, Options &options)
{
    app.add_option("--peers", options.peers, "Peers; not given: 2 to 8, from the seed")
        ->check(whole_number(2, 16));
    app.add_option("--seconds", options.seconds, "Of virtual time, before all is healed")
        ->check(whole_number(1, 100'000))
        ->capture_default_str();
    app.add_option("--faults", options.faults,
                   "swarm: drawn from the seed; none; a list as loss,delay=5..80,crash; help: all")
        ->capture_default_str();
    app.add_option("--topology", options.topology,
                   "mesh: each with each; star: all with the host only")
        ->check(one_of("mesh, star"))
        ->capture_default_str();
    app.add_option("--quorum", options.quorum, "Who goes on when the network falls apart")
        ->check(one_of("majority, survivors"))
        ->capture_default_str();
    app.add_option("--byzantine", options.liars,
                   "So many of the peers lie; there are at least 2 more than twice as many peers")
        ->check(whole_number(0, 7))
        ->capture_default_str();
}

void add_run(CLI::App &parent, Options &options)
{
    CLI::App *app = parent.add_subcommand("run", "One run of whole sessions, from a seed");
    app->callback([&options] { options.command = Command::run; });
    app->add_option("--seed", options.seed, "All of its chance")
        ->check(whole_number(0, UINT64_MAX))
        ->capture_default_str();
    add_game(*app, options);
    auto *record = app->add_option("--record", options.record,
                                   "Write its choices here, for replay and shrink");
    add_history(*app, options);
    auto *twice = app->add_flag("--twice", options.twice, "Run it twice and compare the digests");
    auto *stats = app->add_flag("--stats", options.stats,
                                "Measure: a fixed load without faults, and how fast it ran");
#ifdef TERN_HAVE_LUA
    app->add_option("--script", options.script,
                    "Play this game, a Lua script, in place of the simulator's own (4 peers if not "
                    "given). It says\nwhat it checks with check(session), called at each peer when "
                    "all are healed and still")
        ->check(CLI::ExistingFile)
        ->excludes(record)
        ->excludes(app->get_option("--svg"))
        ->excludes(app->get_option("--json"))
        ->excludes(app->get_option("--page"))
        ->excludes(twice)
        ->excludes(stats)
        ->excludes(app->get_option("--topology"))
        ->excludes(app->get_option("--quorum"));
#else
    (void)record, (void)twice;
#endif
    app->add_flag("--no-crypto", options.no_crypto,
                  "With --stats: data and grants neither sealed nor signed (tern-sim-mutants only)")
        ->needs(stats);
    app->add_option("--hz", options.tick_hz, "With --stats: ticks per second")
        ->check(whole_number(1, 1000))
        ->needs(stats);
    app->add_option("--objects", options.objects, "With --stats: a tenth of them change per tick")
        ->check(whole_number(1, 100'000))
        ->needs(stats);
}

void add_sweep(CLI::App &parent, Options &options)
{
    CLI::App *app = parent.add_subcommand("sweep", "Many runs; failing seeds are shrunk and kept");
    app->callback([&options] { options.command = Command::sweep; });
    app->add_option("--seeds", options.seeds, "How many")
        ->check(whole_number(1, UINT32_MAX))
        ->capture_default_str();
    app->add_option("--first", options.first, "The first of them")
        ->check(whole_number(0, UINT64_MAX))
        ->capture_default_str();
    app->add_option("--jobs", options.jobs, "Processes")
        ->check(whole_number(1, 256))
        ->capture_default_str();
    add_game(*app, options);
    app->add_option("--folder", options.folder, "Where traces and pictures of failures go")
        ->capture_default_str();
    app->add_flag("--digests", options.digests, "Print a line for each seed, with its digest");
}

void add_explore(CLI::App &parent, Options &options)
{
    CLI::App *app = parent.add_subcommand(
        "explore", "Every order of messages, acts and crashes in a small world");
    app->callback([&options] { options.command = Command::explore; });
    const auto count = [&](const char *name, uint16_t &value, const char *text, uint64_t most = 9) {
        app->add_option(name, value, text)->check(whole_number(0, most))->capture_default_str();
    };
    app->add_option("--peers", options.peers, "Members at the beginning (3 if not given)")
        ->check(whole_number(2, tern::cluster_peers_max));
    count("--creates", options.creates, "Objects that anybody creates",
          tern::cluster_objects_max - 1);
    count("--objects-max", options.objects_max,
          "Objects that may live at once; creations wait for leases (more than are created)",
          tern::cluster_places_max);
    count("--claims", options.claims, "Claims by anybody");
    count("--destroys", options.destroys, "Objects that their owners destroy",
          tern::cluster::destroys_max);
    count("--crashes", options.crashes, "Peers that crash, the host too");
    count("--updates", options.updates, "Changes by owners, in UPDATEs in any order");
    count("--losses", options.losses, "Of these UPDATEs, told lost; they may still arrive");
    app->add_flag("--mortal", options.mortal, "What a departed peer owned dies with it");
    app->add_flag("--star", options.star, "Topology::star; without, a mesh");
    app->add_flag("--survivors", options.survivors,
                  "Whoever is left goes on; without, a majority of the last view");
    count("--joins", options.joins, "Newcomers on top of --peers; 6 with them",
          tern::cluster_peers_max - 2);
    count("--waits", options.waits, "Times that 16 ticks pass at a peer");
    count("--holds", options.holds,
          "Times that what one has to say to another waits, and its acks");
    count("--suspicions", options.suspicions, "Living peers that the host takes for gone");
    count("--locks", options.locks, "Times that an owner locks or unlocks an object");
    count("--releases", options.releases, "Times that an owner gives an object up");
    count("--hides", options.hides, "Times that an object is hidden from a peer, or shown again");
    count("--forges", options.forges, "Messages of members that have no right to say them");
    count("--lies", options.lies, "What one member, the liar, says or withholds against the truth");
    count("--liar", options.liar, "Which member lies, not the host (the last if not given)",
          tern::cluster_peers_max);
    app->add_option("--time-limit", options.bound_s, "Stop after this many seconds")
        ->check(whole_number(1, 1'000'000));
    app->add_option("--record", options.record, "Write the counterexample here");
    add_history(*app, options);
}

void add_traces(CLI::App &parent, Options &options)
{
    CLI::App *replay = parent.add_subcommand(
        "replay", "Play a trace, or the recording of a real session, again to the last bit");
    replay->callback([&options] { options.command = Command::replay; });
    replay->add_option("file", options.name, "A .trace or .rec")->required();
    add_history(*replay, options);
    replay->add_option("--keep", options.keep,
                       "Copy it into this folder of a test that replays all files (tests/traces, "
                       "tests/recordings)");
    CLI::App *shrink =
        parent.add_subcommand("shrink", "Find a small trace that fails the same way");
    shrink->callback([&options] { options.command = Command::shrink; });
    shrink->add_option("file", options.name, "A .trace that fails")->required();
    shrink->add_option("--record", options.record, "Where to; not given: <file>.small");
    add_history(*shrink, options);
    shrink->add_option("--time-limit", options.bound_s, "Stop after this many seconds (60)")
        ->check(whole_number(1, 1'000'000));
}

void add_checks(CLI::App &parent, Options &options)
{
    CLI::App *scenario = parent.add_subcommand("scenario", "Play a scenario by name");
    scenario->callback([&options] { options.command = Command::scenario; });
    scenario->add_option("name", options.name, "As S7; all; list, which is what it does without");
    scenario->add_flag_callback(
        "--list", [&options] { options.name = "list"; }, "The same as list");
    add_history(*scenario, options);
    CLI::App *mutants = parent.add_subcommand(
        "mutants", "Remove one rule after the other: each absence must be found");
    mutants->callback([&options] { options.command = Command::mutants; });
    mutants->add_option("name", options.name, "Only this one");
    mutants->add_option("--time-limit", options.bound_s, "Processor seconds for each (60)")
        ->check(whole_number(1, 100'000));
    mutants->add_option("--jobs", options.jobs, "Processes")->check(whole_number(1, 256));
    mutants->add_option("--folder", options.folder, "Where traces and pictures go");
#ifdef TERN_MUTANTS
    CLI::App *hunt = parent.add_subcommand("hunt", "Look for what one mutant does wrong");
    hunt->callback([&options] { options.command = Command::hunt; });
    hunt->add_option("name", options.name, "The mutant")->required();
    hunt->add_option("--time-limit", options.bound_s, "Processor seconds (60)")
        ->check(whole_number(1, 100'000));
    hunt->add_option("--folder", options.folder, "Where traces and pictures go");
#endif
}

void add_soak(CLI::App &parent, Options &options)
{
    CLI::App *app = parent.add_subcommand(
        "soak", "Make and destroy objects without end: neither memory nor the dead may grow");
    app->callback([&options] { options.command = Command::soak; });
    app->add_option("--objects", options.soak_objects, "To be made, and nearly all destroyed")
        ->check(whole_number(1000, UINT32_MAX))
        ->capture_default_str();
    app->add_option("--alive", options.alive, "About so many at once")
        ->check(whole_number(16, 4000))
        ->capture_default_str();
    app->add_option("--peers", options.peers, "Peers (4 if not given); they come and go")
        ->check(whole_number(3, 15));
    app->add_option("--loss", options.loss_percent, "Percent of the datagrams, each way")
        ->check(CLI::Range(0.0, 30.0))
        ->capture_default_str();
    app->add_option("--seed", options.seed, "All of its chance")
        ->check(whole_number(0, UINT64_MAX))
        ->capture_default_str();
}

void add_load_test(CLI::App &parent, Options &options)
{
    CLI::App *app = parent.add_subcommand(
        "load-test", "Many clients on one host: how long until all are in, and what a tick costs");
    app->callback([&options] { options.command = Command::load_test; });
    app->add_option("--clients", options.clients, "Peers beside the host; they all join at once")
        ->check(whole_number(1, tern::star_peers_max - 1))
        ->capture_default_str();
    app->add_flag("--mesh", options.mesh, "Everybody talks to everybody; without, a star");
    app->add_option("--objects", options.objects, "A tenth of them change per tick")
        ->check(whole_number(1, 100'000));
    app->add_option("--hz", options.tick_hz, "Ticks per second")->check(whole_number(1, 1000));
    app->add_option("--seconds", options.seconds, "Of play")->check(whole_number(1, 3600));
    app->add_option("--loss", options.loss_percent, "Lost datagrams, each way")
        ->check(percent(50))
        ->capture_default_str();
    app->add_option("--seed", options.seed, "All of its chance")
        ->check(whole_number(0, UINT64_MAX))
        ->capture_default_str();
}

void add_failover(CLI::App &parent, Options &options)
{
    CLI::App *app = parent.add_subcommand(
        "failover", "How long a session has no host when its host dies or leaves, over many seeds");
    app->callback([&options] { options.command = Command::failover; });
    app->add_option("--end", options.death,
                    "crash; two: and who would follow, within 100 ms; leave: of its own will")
        ->check(one_of("crash, two, leave"))
        ->capture_default_str();
    app->add_option("--seeds", options.death_seeds, "How many")
        ->check(whole_number(1, UINT32_MAX))
        ->capture_default_str();
    app->add_option("--first", options.first, "The first of them")
        ->check(whole_number(0, UINT32_MAX))
        ->capture_default_str();
    app->add_flag("--idle", options.idle, "Nobody sets anything; else all is set in every tick");
    app->add_option("--peers", options.peers, "Peers (5 if not given)")->check(whole_number(3, 16));
    app->add_option("--timeout-ms", options.timeout_ms, "Silence after which a peer is gone")
        ->check(whole_number(100, 60'000))
        ->capture_default_str();
    app->add_option("--rtt-ms", options.rtt_ms,
                    "Round trip, and by chance an eighth more; not given: 20 to 200, from the seed")
        ->check(whole_number(2, 2000));
    app->add_option("--loss", options.death_loss_percent,
                    "Percent of the datagrams, each way; not given: 1 to 5, from the seed")
        ->check(CLI::Range(0.0, 30.0));
}

}

ParsedOptions parse_options(int argc, const char *const *argv)
{
    ParsedOptions parsed = {};
    parsed.options.jobs = std::max(1u, std::thread::hardware_concurrency());
    CLI::App app("Checks that all peers end up with the same world, whatever the network does: by "
                 "chance, by every\norder there is, by scenario, and by rules taken out. Each "
                 "command ends with a line of JSON.\n"
                 "Exit status: 0 all oracles hold, 1 not, 2 for a bad option or file.",
                 "tern-sim");
    app.require_subcommand(1);
    app.set_help_all_flag("--help-all", "All commands with their options");
    add_run(app, parsed.options);
    add_sweep(app, parsed.options);
    add_explore(app, parsed.options);
    add_traces(app, parsed.options);
    add_checks(app, parsed.options);
    add_soak(app, parsed.options);
    add_failover(app, parsed.options);
    add_load_test(app, parsed.options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        parsed.text = app.help();
        return parsed;
    } catch (const CLI::CallForAllHelp &) {
        parsed.text = app.help("", CLI::AppFormatMode::All);
        return parsed;
    } catch (const CLI::ParseError &error) {
        parsed.exit_status = 2;
        parsed.text = std::string("tern-sim: ") + error.what() + "\nTry tern-sim --help.\n";
        return parsed;
    }
    parsed.run = true;
    return parsed;
}

}
