// tern-prof: shows what a session spends its bits on. See --help and docs/use/profiling.md.
#include "common/command_line.h"
#include "common/option_checks.h"
#include "files.h"
#include "scene.h"
#include "sim/recording/recording.h"
#include "tables.h"
#include <filesystem>

using namespace prof;

namespace {

struct Options {
    std::string file, other; // `other` is the second file of compare.
    std::string json, svg;
    std::string topology = "mesh", of = "all";
    SceneOptions scene;
};

int finish(const Options &options, const tern::Profile &profile)
{
    std::fputs(tables::of(profile).c_str(), stdout);
    if (!options.json.empty()) files::write(options.json, files::json(profile));
    if (!options.svg.empty()) files::write(options.svg, tern::profile::svg(profile));
    return 0;
}

int run_play(const Options &options)
{
    const std::string bytes = files::read(options.file);
    const auto recording = std::as_bytes(std::span(bytes));
    if (!tern::recording::is_recording(recording))
        files::fail(options.file + ": no recording of tern, version 3");
    tern::PlayedRecording played = tern::recording::play(recording);
    if (!played.ok) files::fail(options.file + ": " + played.error);
    played.profile.title = std::filesystem::path(options.file).filename().string();
    return finish(options, played.profile);
}

int run_scene(Options &options)
{
    options.scene.topology =
        options.topology == "star" ? tern::Topology::star : tern::Topology::mesh;
    options.scene.of = options.of == "host"    ? SceneOptions::Of::host
                       : options.of == "guest" ? SceneOptions::Of::guest
                                               : SceneOptions::Of::all;
    return finish(options, scene::play(options.scene));
}

int compare(const Options &options)
{
    const tern::Profile before = files::profile(options.file);
    const tern::Profile after = files::profile(options.other);
    std::fputs(tables::comparison(before, after).c_str(), stdout);
    return 0;
}

void add_outputs(CLI::App &app, Options &options)
{
    app.add_option("--json", options.json, "Write the rows here, for show and compare");
    app.add_option("--svg", options.svg, "Draw a treemap here");
}

void add_scene(CLI::App &app, Options &options)
{
    using namespace option_checks;
    const auto add = [&](const char *name, auto &value, const CLI::Validator &check,
                         const char *text) {
        app.add_option(name, value, text)->check(check)->capture_default_str();
    };
    add("--peers", options.scene.peers, whole_number(2, 64), "Peers, the host too");
    add("--objects", options.scene.objects, whole_number(1, 5000),
        "Bodies; each peer owns as many");
    add("--seconds", options.scene.seconds, whole_number(1, 3600), "Of virtual time");
    add("--rate", options.scene.ticks_per_second, whole_number(1, 240), "Ticks a second");
    add("--loss", options.scene.loss_percent, percent(90), "Percent of all datagrams");
    add("--topology", options.topology, one_of("mesh, star"),
        "mesh: each with each; star: all with the host");
    add("--of", options.of, one_of("all, host, guest"),
        "Whose datagrams: of all added up, the host's, one guest's");
    add("--seed", options.scene.seed, whole_number(0, UINT64_MAX), "All of its chance");
}

}

int main(int argc, char **argv)
{
    Options options;
    CLI::App app("Shows what each bit that a session has sent was for: a type, a field, a call, or "
                 "a kind of\noverhead. The sum is that of the UDP payload.\n"
                 "Exit status: 0, or 2 for a bad option or file.",
                 "tern-prof");
    app.require_subcommand(1);
    CLI::App *played = app.add_subcommand("play", "Of a recorded session (tern-demo --record)");
    played->add_option("recording", options.file, "Its file")->required();
    add_outputs(*played, options);
    CLI::App *simulated = app.add_subcommand(
        "scene", "Of a scene over a pretend network: bodies that move, some named, and hits");
    add_scene(*simulated, options);
    add_outputs(*simulated, options);
    CLI::App *shown = app.add_subcommand("show", "Of what --json has written");
    shown->add_option("file", options.file, "The JSON")->required();
    add_outputs(*shown, options);
    CLI::App *compared = app.add_subcommand("compare", "What grew and what shrank between two");
    compared->add_option("before", options.file, "The JSON of the one run")->required();
    compared->add_option("after", options.other, "The JSON of the other")->required();
    if (const auto status = command_line::read(app, argc, argv)) return *status;
    if (played->parsed()) return run_play(options);
    if (simulated->parsed()) return run_scene(options);
    if (shown->parsed()) return finish(options, files::profile(options.file));
    return compare(options);
}
