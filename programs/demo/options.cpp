#include "options.h"
#include "common/option_checks.h"
#include "tern/limits.hpp"
#include "tern/types.hpp"

using namespace option_checks;

namespace demo {

bool is_alone(const Options &options)
{
    return options.port >= 0 || !options.invite.empty() || options.find;
}

static std::string program_name(const std::string &words)
{
    return words.find_first_not_of(' ') == std::string::npos ? "expected the name of a program"
                                                             : "";
}

static void add_play(CLI::App &app, Options &options)
{
    app.add_option("--peers", options.peers, "Processes; in a star up to 512, in a mesh to 64")
        ->check(whole_number(2, tern::star_peers_max));
    app.add_option("--topology", options.topology,
                   "Connections: all to all, or all to the host only")
        ->check(one_of("mesh, star"));
    app.add_option("--hz", options.hz, "Ticks per second of each")->check(whole_number(5, 240));
    app.add_option("--objects", options.objects, "Cubes, spread evenly over the peers")
        ->check(whole_number(1, 1000));
    app.add_option("--seconds", options.seconds,
                   "Length of the play; its last quarter, at least 3 s, is quiet")
        ->check(whole_number(5, 3600));
    app.add_option("--seed", options.seed, "Decides what the players do and the network drops")
        ->check(whole_number(0, UINT64_MAX));
    auto *kills = app.add_option_group("Kills, half-way; one peer but not the host otherwise");
    kills->add_flag("--no-kill", options.no_kill, "Kill no peer");
    kills->add_flag("--kill-host", options.kill_host, "Kill the host and no other peer");
    kills->add_flag("--kill-two", options.kill_two,
                    "Kill the host and, less than 100 ms later, its successor");
    kills->add_flag("--kill-other", options.kill_other, "Kill the host and the youngest peer");
    kills->require_option(0, 1);
    app.add_option("--quorum", options.quorum,
                   "Peers that go on: more than half (of two, the host), or all that are left; "
                   "survivors if two of fewer than 5 are killed")
        ->check(one_of("majority, survivors"));
    app.add_option("--record", options.record,
                   "Folder for a recording of each peer, which holds the session's keys; tern-sim "
                   "replays it");
    app.add_option("--loss", options.loss_percent, "Lost datagrams, each way")->check(percent(50));
    app.add_option("--delay-ms", options.delay_ms, "Least latency, one way")
        ->check(whole_number(0, 500));
    app.add_option("--jitter-ms", options.jitter_ms, "Random addition to it, from 0 to this much")
        ->check(whole_number(0, 500));
    app.add_option("--cut-pairs", options.cut_pairs,
                   "Pairs, none with the host, that have no direct path and are bridged")
        ->check(whole_number(0, 105));
    app.add_option("--with", options.programs,
                   "Program of the second process, such as \"wine tern-demo.exe\", in words "
                   "without blanks; a second --with names that of the third, and so on")
        ->allow_extra_args(false)
        ->check(program_name);
    app.add_option("--process", options.process)->group(""); // A parent passes it.
    app.add_option("--socket", options.socket, "What carries the datagrams; enet is IPv4 only")
        ->check(one_of("udp, enet, udp6"));
}

static void add_others(CLI::App &app, Options &options)
{
    auto *ways = app.add_option_group("Other ways to run, in one process");
    ways->add_option("--trial", options.trial, "Try something wrong that must be refused")
        ->check(one_of("other-types, wrong-invite, wrong-secret, full, refused-by-game, "
                       "port-in-use, all"));
    auto *listen = ways->add_option("--listen", options.port, "Host players elsewhere, on a port")
                       ->check(whole_number(0, 65'535));
    ways->add_option("--join", options.invite, "Join by a host's invite");
    ways->add_flag("--find", options.find, "Join the first session found on the local network");
    ways->require_option(0, 1);
    app.add_option("--address", options.address,
                   "With --listen: where others reach this machine, as 192.0.2.1:7777")
        ->needs(listen);
    app.add_option("--announce", options.announce,
                   "With --listen, --join or --find: announce the session on the local network "
                   "under this name, to all that want to join");
}

// Each cut pair needs a third peer that both can reach, even after the kills.
static uint32_t cut_pairs_max(const Options &options)
{
    if (options.kill_two && options.peers < 5) return 0;
    const uint32_t others = options.peers - 1u;
    return options.kill_host || options.kill_two ? others / 2 : others * (others - 1) / 2;
}

static void settle(const CLI::App &app, Options &options)
{
    if (options.topology == "mesh" && options.peers > tern::mesh_peers_max)
        throw CLI::ValidationError("--peers",
                                   std::to_string(options.peers) + ", but in a mesh at most " +
                                       std::to_string(tern::mesh_peers_max) + "; see --topology");
    options.kill_two = options.kill_two || options.kill_other;
    if (options.kill_two && options.peers < 5 && app.count("--quorum") == 0)
        options.quorum = "survivors";
    if (is_alone(options) && app.count("--seconds") == 0) options.seconds = 0;
    options.impaired = !is_alone(options) ||
                       app.count("--loss") + app.count("--delay-ms") + app.count("--jitter-ms") > 0;
    if (!options.announce.empty() && !is_alone(options))
        throw CLI::ValidationError("--announce", "requires --listen, --join or --find");
    if (!options.programs.empty() && (is_alone(options) || !options.trial.empty()))
        throw CLI::ValidationError("--with", "no other process is started by this way to run");
    if (options.programs.size() >= options.peers)
        throw CLI::ValidationError("--with", "at most " + std::to_string(options.peers - 1) +
                                                 " times with so many peers");
    if (options.cut_pairs > cut_pairs_max(options))
        throw CLI::ValidationError("--cut-pairs", "at most " +
                                                      std::to_string(cut_pairs_max(options)) +
                                                      " with so many peers and these kills");
}

ParsedOptions parse_options(int argc, const char *const *argv)
{
    ParsedOptions parsed = {};
    CLI::App app("Peers on real sockets share a world of cubes. Each peer simulates the cubes that "
                 "it owns;\ncubes are created, claimed, handed over and destroyed. Half-way one "
                 "peer is killed,\nwhich the others detect after 2 s. At the end all survivors "
                 "must have the same world.\n"
                 "Exit status: 0 converged, 1 not, 2 for a bad option.",
                 "tern-demo");
    app.option_defaults()->always_capture_default();
    add_play(app, parsed.options);
    app.option_defaults()->always_capture_default(false);
    add_others(app, parsed.options);
    parsed.options.arguments.assign(argv, argv + argc);
    try {
        app.parse(argc, argv);
        settle(app, parsed.options);
        parsed.run = true;
    } catch (const CLI::CallForHelp &) {
        parsed.text = app.help();
    } catch (const CLI::ParseError &error) {
        parsed.exit_status = 2;
        parsed.text = std::string("tern-demo: ") + error.what() + "\nTry tern-demo --help.\n";
    }
    return parsed;
}

}
