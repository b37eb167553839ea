#include "options.h"
#include "common/option_checks.h"
#include "cuts.h"

using namespace option_checks;

namespace demo {

static const char *const trials = "other-types, wrong-invite, wrong-secret, full, refused-by-game, "
                                  "port-in-use, all";

const char *socket_name(SocketKind socket)
{
    switch (socket) {
    case SocketKind::udp: return "udp";
    case SocketKind::enet: return "enet";
    case SocketKind::udp6: return "udp6";
    }
    return "";
}

const char *topology_name(tern::Topology topology)
{
    return topology == tern::Topology::star ? "star" : "mesh";
}

// --- The command line ---

static void add_world(CLI::App &app, Options &options, std::string &quorum, std::string &topology)
{
    app.add_option("--peers", options.peers, "Processes; in a star up to 512, in a mesh to 64")
        ->check(whole_number(2, tern::star_peers_max));
    app.add_option("--topology", topology, "Who talks to whom: all to all, or all to the host only")
        ->check(one_of("mesh, star"));
    app.add_option("--hz", options.hz, "Ticks per second of each")->check(whole_number(5, 240));
    app.add_option("--objects", options.objects, "Cubes, spread evenly over the peers")
        ->check(whole_number(1, 1000));
    app.add_option("--seconds", options.seconds,
                   "How long; the last quarter, 3 s at least, is quiet")
        ->check(whole_number(5, 3600));
    app.add_option("--seed", options.seed, "Of what the players do and the network drops")
        ->check(whole_number(0, UINT64_MAX));
    auto *none = app.add_flag("--no-kill", options.no_kill, "Let all peers live");
    auto *host = app.add_flag("--kill-host", options.kill_host, "Kill the host, and no other peer");
    auto *two = app.add_flag("--kill-two", options.kill_two,
                             "Kill the host and, less than 100 ms later, who would follow");
    auto *other = app.add_flag("--kill-other", options.kill_other,
                               "As --kill-two, but with the host whoever came last");
    none->excludes(host)->excludes(two)->excludes(other);
    host->excludes(two)->excludes(other);
    two->excludes(other);
    auto *which = app.add_option("--quorum", quorum,
                                 "Who goes on: more than half (of two whoever is left), or whoever "
                                 "is left; where two are killed of fewer than 5 survivors");
    which->check(one_of("majority, survivors"));
    app.add_option("--record", options.record,
                   "Folder for a recording of each peer, which holds the session's keys; tern-sim "
                   "replays it");
}

static void add_network(CLI::App &app, Options &options, std::string &socket)
{
    app.add_option("--loss", options.loss_percent, "Lost datagrams, each way")->check(percent(50));
    app.add_option("--delay-ms", options.delay_ms, "Least latency, one way")
        ->check(whole_number(0, 500));
    app.add_option("--jitter-ms", options.jitter_ms, "Added to it by chance, 0 to this much")
        ->check(whole_number(0, 500));
    app.add_option("--cut-pairs", options.cut_pairs,
                   "So many pairs, none with the host, have no direct path: they are bridged")
        ->check(whole_number(0, 105));
    app.add_option("--socket", socket, "What carries the datagrams; enet is IPv4 only")
        ->check(one_of("udp, enet, udp6"));
}

static void add_others(CLI::App &app, Options &options)
{
    auto *trial = app.add_option("--trial", options.trial,
                                 "No demo: something wrong is tried, and must be refused");
    trial->check(one_of(trials));
    auto *listen = app.add_option("--listen", options.port,
                                  "No forks: be the host of players elsewhere, on this port");
    listen->check(whole_number(0, 65'535));
    auto *join = app.add_option("--join", options.invite, "No forks: join by a host's invite");
    app.add_option("--address", options.address,
                   "With --listen: where others reach this machine, as 192.0.2.1:7777")
        ->needs(listen);
    auto *find = app.add_flag("--find", options.find,
                              "No forks: join the first session found on the local network");
    app.add_option("--announce", options.announce,
                   "With one of these: be found on the local network under this name, by whoever "
                   "wants to join");
    trial->excludes(listen)->excludes(join)->excludes(find);
    listen->excludes(join)->excludes(find);
    join->excludes(find);
}

bool is_alone(const Options &options)
{
    return options.port >= 0 || !options.invite.empty() || options.find;
}

static void settle(const CLI::App &app, const std::string &socket, const std::string &quorum,
                   const std::string &topology, Options &options)
{
    if (topology == "star") options.topology = tern::Topology::star;
    if (topology == "mesh" && options.peers > tern::mesh_peers_max)
        throw CLI::ValidationError("--peers",
                                   std::to_string(options.peers) + ", but in a mesh at most " +
                                       std::to_string(tern::mesh_peers_max) + "; see --topology");
    options.kill_two = options.kill_two || options.kill_other;
    const bool few = options.kill_two && options.peers < 5 && app.count("--quorum") == 0;
    options.survivors = few || quorum == "survivors";
    for (SocketKind kind : {SocketKind::udp, SocketKind::enet, SocketKind::udp6})
        if (socket == socket_name(kind)) options.socket = kind;
    options.seconds_given = app.count("--seconds") > 0;
    const bool alone = is_alone(options);
    options.impaired =
        !alone || app.count("--loss") + app.count("--delay-ms") + app.count("--jitter-ms") > 0;
}

// Each pair must have a third that both hear, whoever is killed. Empty, or what is wrong.
static std::string check_cuts(const Options &options)
{
    if (options.cut_pairs == 0) return "";
    uint32_t most = cuts::pairs_max(options.peers);
    if (options.kill_host || options.kill_two) most = cuts::disjoint_max(options.peers);
    if (options.kill_two && options.peers < 5) most = 0;
    if (options.cut_pairs <= most) return "";
    return "--cut-pairs: at most " + std::to_string(most) + " with so many peers and these kills";
}

ParsedOptions parse_options(int argc, const char *const *argv)
{
    ParsedOptions parsed = {};
    CLI::App app("Peers on real sockets share a world of cubes. Each peer simulates those that it "
                 "owns; cubes\nare created, claimed, handed over and destroyed; half-way one peer "
                 "is killed,\nnot the host unless asked; its silence is noticed after 2 s. At the "
                 "end all\nsurvivors must have the same world.\n"
                 "Exit status: 0 converged, 1 not, 2 for a bad option.",
                 "tern-demo");
    std::string socket = socket_name(parsed.options.socket);
    app.option_defaults()->always_capture_default();
    std::string quorum = "majority";
    std::string topology = topology_name(parsed.options.topology);
    add_world(app, parsed.options, quorum, topology);
    add_network(app, parsed.options, socket);
    app.option_defaults()->always_capture_default(false);
    add_others(app, parsed.options);
    try {
        app.parse(argc, argv);
        settle(app, socket, quorum, topology, parsed.options);
    } catch (const CLI::CallForHelp &) {
        parsed.text = app.help();
        return parsed;
    } catch (const CLI::ParseError &error) {
        parsed.exit_status = 2;
        parsed.text = std::string("tern-demo: ") + error.what() + "\nTry tern-demo --help.\n";
        return parsed;
    }
    if (!parsed.options.announce.empty() && !is_alone(parsed.options)) {
        parsed.exit_status = 2;
        parsed.text = "tern-demo: --announce requires --listen, --join or --find\n"
                      "Try tern-demo --help.\n";
        return parsed;
    }
    if (const std::string wrong = check_cuts(parsed.options); !wrong.empty()) {
        parsed.exit_status = 2;
        parsed.text = "tern-demo: " + wrong + "\nTry tern-demo --help.\n";
        return parsed;
    }
    parsed.run = true;
    return parsed;
}

}
