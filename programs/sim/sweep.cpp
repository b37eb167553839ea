// Runs many seeds in several processes. A run that fails an assert or never ends costs its seed
// only.
#include "child.h"
#include "commands.h"
#include "play.h"
#include "report.h"
#include <algorithm>
#include <cstdio>

namespace sim {

namespace {

constexpr double seed_wall_s_max = 120; // A run of some virtual seconds takes less than one.
// Shrinking all traces takes 10 minutes in total, but each trace takes a time between these.
constexpr uint32_t shrink_wall_s_max = 60;
constexpr uint32_t shrink_wall_s_min = 3;

struct Failure {
    uint64_t seed;
    Outcome outcome;
};

struct Worker {
    Child child;
    uint64_t next; // The index of its present seed, or of the next one.
    double since_s;
};

struct Sweep {
    const Options &options;
    std::vector<Worker> workers;
    std::vector<Failure> failures;
    uint64_t done = 0, datagrams = 0, events = 0, virtual_us = 0;
};

// Worker i takes every jobs-th seed.
void work(const Sweep &sweep, uint64_t from, const Child &self)
{
    const Options &options = sweep.options;
    for (uint64_t i = from; i < options.seeds; i += sweep.workers.size()) {
        const tern::SimOptions run = run_options(options, options.first + i);
        child::say(self, play::print(play::run(run, nullptr, {}).outcome));
    }
    child::finish(self);
}

void start(Sweep &sweep, Worker &worker)
{
    if (worker.next >= sweep.options.seeds) return;
    worker.child = child::start();
    worker.since_s = wall_s();
    if (worker.child.pid == 0) work(sweep, worker.next, worker.child);
}

void finished(Sweep &sweep, Worker &worker, const Outcome &outcome)
{
    const uint64_t seed = sweep.options.first + worker.next;
    worker.next += sweep.workers.size();
    worker.since_s = wall_s();
    sweep.done += 1;
    sweep.datagrams += outcome.datagrams;
    sweep.events += outcome.events;
    sweep.virtual_us += outcome.virtual_us;
    if (sweep.options.digests)
        std::printf("seed %llu %s\n", static_cast<unsigned long long>(seed),
                    outcome.ok ? report::hex(outcome.digest).c_str() : outcome.invariant.c_str());
    if (outcome.ok) return;
    progress::clear();
    std::printf("seed %llu fails: %s: %s\n", static_cast<unsigned long long>(seed),
                outcome.invariant.c_str(), outcome.text.c_str());
    std::fflush(stdout);
    sweep.failures.push_back({seed, outcome});
}

void look_after(Sweep &sweep, Worker &worker)
{
    if (worker.child.pid <= 0) return;
    for (const std::string &line : child::lines(worker.child))
        finished(sweep, worker, play::parse(line));
    if (wall_s() - worker.since_s > seed_wall_s_max) child::kill(worker.child);
    if (!worker.child.ended) return;
    const bool early = worker.next < sweep.options.seeds;
    if (early) {
        Outcome outcome;
        outcome.ok = false;
        outcome.died = true;
        outcome.invariant = "I11";
        outcome.text = child::last_words(worker.child);
        finished(sweep, worker, outcome);
    }
    worker.child = {};
    if (early) start(sweep, worker);
}

void show_progress(const Sweep &sweep)
{
    char text[120];
    std::snprintf(text, sizeof text, "%llu of %llu seeds, %zu fail, %.0f virtual s, %.0f s",
                  static_cast<unsigned long long>(sweep.done),
                  static_cast<unsigned long long>(sweep.options.seeds), sweep.failures.size(),
                  static_cast<double>(sweep.virtual_us) / 1e6, wall_s());
    progress::show(text);
}

void run_all(Sweep &sweep)
{
    for (size_t i = 0; i < sweep.workers.size(); ++i) {
        sweep.workers[i].next = i;
        start(sweep, sweep.workers[i]);
    }
    for (bool any = true; any;) {
        std::vector<Child *> running;
        for (Worker &worker : sweep.workers)
            if (worker.child.pid > 0) running.push_back(&worker.child);
        any = !running.empty();
        if (any) child::wait(running, 200);
        for (Worker &worker : sweep.workers)
            look_after(sweep, worker);
        show_progress(sweep);
    }
}

// Writes the trace of the failing seed, its shrunk trace and the picture. Returns the path of the
// shrunk trace.
std::string keep(const Options &options, const Failure &failure, size_t failures)
{
    const auto share_s = static_cast<uint32_t>(600 / failures);
    const tern::SimOptions run = run_options(options, failure.seed);
    const std::string name = options.folder + "/seed-" + std::to_string(failure.seed);
    return keep_failure(run, failure.outcome, name,
                        std::clamp(share_s, shrink_wall_s_min, shrink_wall_s_max));
}

}

int sweep(const Options &options)
{
    Sweep sweep = {options, {}, {}};
    sweep.workers.resize(std::min<uint64_t>(options.jobs, options.seeds));
    run_all(sweep);
    std::sort(sweep.failures.begin(), sweep.failures.end(),
              [](const Failure &a, const Failure &b) { return a.seed < b.seed; });
    std::string failed = "[";
    for (size_t i = 0; i < sweep.failures.size(); ++i) {
        const Failure &failure = sweep.failures[i];
        Report entry;
        report::add(entry, "seed", failure.seed);
        report::add(entry, "invariant", failure.outcome.invariant);
        report::add(entry, "text", failure.outcome.text);
        report::add(entry, "trace", keep(options, failure, sweep.failures.size()));
        if (i > 0) failed += ',';
        failed += report::text(entry);
    }
    Report line;
    report::add(line, "ok", sweep.failures.empty());
    report::add(line, "first", options.first);
    report::add(line, "seeds", sweep.done);
    report::add(line, "virtual_s", static_cast<double>(sweep.virtual_us) / 1e6);
    report::add(line, "wall_s", wall_s());
    report::add(line, "datagrams", sweep.datagrams);
    report::add(line, "events", sweep.events);
    report::add_json(line, "failures", failed + "]");
    return report::finish(line, sweep.failures.empty());
}

}
