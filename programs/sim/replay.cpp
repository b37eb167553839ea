// Replays traces and recordings, to the last bit, and shrinks traces.
#include "commands.h"
#include "report.h"
#include "sim/explorer/cluster_script_play.h"
#include "sim/recording/recording.h"
#include "sim/trace/shrink.h"
#include <cstdio>
#include <filesystem>

namespace sim {

namespace {

constexpr double candidate_wall_s_max = 30;

tern::Violation violation_of(const Outcome &outcome)
{
    tern::Violation violation;
    if (!outcome.ok) violation.invariant = outcome.invariant;
    violation.text = outcome.text;
    return violation;
}

void show_progress(const tern::Shrinker &shrinker)
{
    char text[120];
    std::snprintf(text, sizeof text, "%zu choices left, %llu runs tried, %.0f s",
                  shrinker.best.choices.size(), static_cast<unsigned long long>(shrinker.tries),
                  wall_s());
    progress::show(text);
}

// Shrinks until nothing more can be left out, or the time is over.
tern::Trace shrunk(const tern::Trace &trace, const Outcome &outcome, double wall_s_max)
{
    const double until_s = wall_s() + wall_s_max;
    tern::Shrinker shrinker = tern::shrink::make(trace, violation_of(outcome), outcome.virtual_us);
    while (wall_s() < until_s) {
        const tern::Trace *candidate = tern::shrink::next(shrinker);
        if (!candidate) break;
        const Outcome tried =
            play::isolated(candidate->options, &candidate->choices, candidate_wall_s_max, {});
        tern::shrink::answer(shrinker, violation_of(tried), tried.virtual_us);
        show_progress(shrinker);
    }
    progress::clear();
    return shrinker.best;
}

// Plays the trace, and writes it with its hashes and digest. A run that fails an assert has none.
void keep_trace(tern::Trace trace, const Outcome &outcome, const std::string &file,
                const HistoryFiles &files)
{
    if (outcome.died) {
        trace.hashes.clear();
        trace.digest = 0;
        return write_file(file, tern::script::print(trace));
    }
    const Played played = play::run(trace.options, &trace.choices, {false, files.any()});
    trace.hashes = played.simulation->hashes;
    trace.digest = played.outcome.digest;
    write_file(file, tern::script::print(trace));
    write_history(played.simulation->history, files);
}

int replay_cluster(const Options &options, const std::string &text)
{
    const tern::ParsedScript parsed = tern::cluster_script::parse(text);
    if (!parsed.error.empty()) fail(options.name + ": " + parsed.error);
    const tern::PlayedScript played = tern::cluster_script::play(parsed.script);
    write_history(played.history, options.history);
    Report line;
    report::add(line, "ok", played.ok());
    report::add(line, "moves", played.moves);
    report::add(line, "digest", report::hex(played.digest));
    report::add(line, "wall_s", wall_s());
    if (played.violation) {
        report::add(line, "invariant", played.violation.invariant);
        report::add(line, "text", played.violation.text);
    } else if (!played.ok()) {
        report::add(line, "line", uint64_t{played.line});
        report::add(line, "text", played.failure);
    }
    return report::finish(line, played.ok());
}

tern::Trace read_trace(const Options &options, const std::string &text)
{
    const tern::ParsedTrace parsed = tern::script::parse(text);
    if (!parsed.error.empty()) fail(options.name + ": " + parsed.error);
    return parsed.trace;
}

// The world event by which the running digest differs from the trace. 0: it does not.
uint64_t first_difference(const tern::Trace &trace, const std::vector<uint64_t> &hashes)
{
    for (size_t i = 0; i < trace.hashes.size(); ++i)
        if (i >= hashes.size() || hashes[i] != trace.hashes[i])
            return (i + 1) * tern::events_per_hash;
    return 0;
}

int replay_simulation(const Options &options, const std::string &text)
{
    const tern::Trace trace = read_trace(options, text);
    const Played played = play::run(trace.options, &trace.choices, {false, options.history.any()});
    write_history(played.simulation->history, options.history);
    Outcome outcome = played.outcome;
    const uint64_t differs = first_difference(trace, played.simulation->hashes);
    if (differs != 0 || (trace.digest != 0 && trace.digest != outcome.digest)) {
        outcome.ok = false;
        outcome.invariant = "determinism";
        outcome.text = "the trace says digest " + report::hex(trace.digest);
        if (differs != 0) outcome.text += ", and differs before event " + std::to_string(differs);
    }
    Report line;
    report::add(line, "ok", outcome.ok);
    report::add(line, "choices", uint64_t{trace.choices.size()});
    add_outcome(line, outcome);
    return report::finish(line, outcome.ok);
}

int replay_recording(const Options &options, const std::string &text)
{
    const tern::PlayedRecording played = tern::recording::play(std::as_bytes(std::span(text)));
    write_history(played.history, options.history);
    Report line;
    report::add(line, "ok", played.ok);
    report::add(line, "cut_short", played.cut_short);
    report::add(line, "ticks", played.ticks);
    report::add(line, "virtual_s", static_cast<double>(played.duration_us) / 1e6);
    report::add(line, "received_datagrams", played.received_datagrams);
    report::add(line, "sent_datagrams", played.sent_datagrams);
    report::add(line, "digest", report::hex(played.digest));
    report::add(line, "wall_s", wall_s());
    if (!played.ok) report::add(line, "text", played.error);
    return report::finish(line, played.ok);
}

}

std::string keep_failure(const tern::SimOptions &options, const Outcome &outcome,
                         const std::string &name, uint32_t wall_s_max)
{
    tern::Trace trace;
    trace.options = options;
    const std::string whole = name + ".whole.trace";
    if (outcome.died) {
        write_file(whole, tern::script::print(trace)); // die() overwrites this.
        play::isolated(options, nullptr, 600, whole);
        trace = tern::script::parse(read_file(whole)).trace;
    } else {
        trace = tern::simulation::trace(*play::run(options, nullptr, {true, false}).simulation);
    }
    write_file(whole, tern::script::print(trace));
    if (wall_s_max > 0) trace = shrunk(trace, outcome, wall_s_max);
    keep_trace(trace, outcome, name + ".trace", {name + ".svg", {}});
    return name + ".trace";
}

int replay(const Options &options)
{
    const std::string text = read_file(options.name);
    if (!options.keep.empty()) {
        const std::string file = std::filesystem::path(options.name).filename().string();
        write_file(options.keep + "/" + file, text);
    }
    if (tern::recording::is_recording(std::as_bytes(std::span(text))))
        return replay_recording(options, text);
    if (text.starts_with("tern-trace 1 explore")) return replay_cluster(options, text);
    if (text.starts_with("tern-trace 1 simulate")) return replay_simulation(options, text);
    fail(options.name + ": neither a trace nor a recording: it begins with neither "
                        "\"tern-trace 1 explore\" nor \"tern-trace 1 simulate\" nor "
                        "\"tern-recording 4\"");
}

int shrink(const Options &options)
{
    const std::string text = read_file(options.name);
    if (text.starts_with("tern-trace 1 explore"))
        fail(options.name + ": what the explorer finds is the shortest already");
    const tern::Trace trace = read_trace(options, text);
    const Outcome outcome = play::isolated(trace.options, &trace.choices, 600, {});
    if (outcome.ok) fail(options.name + ": it does not fail, so there is nothing to shrink");
    const uint32_t bound_s = options.bound_s == 0 ? 60 : options.bound_s;
    const tern::Trace small = shrunk(trace, outcome, bound_s);
    const std::string file = options.record.empty() ? options.name + ".small" : options.record;
    keep_trace(small, outcome, file, options.history);
    Report line;
    report::add(line, "ok", true);
    report::add(line, "invariant", outcome.invariant);
    report::add(line, "choices_before", uint64_t{trace.choices.size()});
    report::add(line, "choices", uint64_t{small.choices.size()});
    report::add(line, "peers", uint64_t{small.options.places});
    report::add(line, "file", file);
    report::add(line, "wall_s", wall_s());
    return report::finish(line, true);
}

}
