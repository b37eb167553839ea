#include "bench/harness.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sodium.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace bench {

// --- Time ---

static uint64_t clock_ns(clockid_t clock)
{
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// Equals user plus system time of getrusage(), which has a resolution of microseconds only.
uint64_t cpu_clock_ns()
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t wall_clock_ns()
{
    return clock_ns(CLOCK_MONOTONIC);
}

Meter start_meter()
{
    return {cpu_clock_ns(), wall_clock_ns()};
}

Spent spent(const Meter &meter)
{
    return {static_cast<double>(cpu_clock_ns() - meter.cpu_ns),
            static_cast<double>(wall_clock_ns() - meter.wall_ns)};
}

// --- Rounds ---

static void show_progress(const Section &section, uint32_t round, uint32_t rounds)
{
    if (!isatty(STDERR_FILENO)) return; // Not in a log: a progress line is for people.
    if (round < rounds)
        std::fprintf(stderr, "\r\033[K%s: round %u of %u", section.title.c_str(), round + 1,
                     rounds);
    else
        std::fprintf(stderr, "\r\033[K");
    std::fflush(stderr);
}

using Samples = std::vector<std::vector<Sample>>; // [contender][round]

struct Delivery {
    double percent;
    bool kept; // The contender kept its Promise.
};

static Delivery delivery(const Contender &contender, const std::vector<Sample> &samples)
{
    uint64_t sent = 0;
    uint64_t delivered = 0;
    bool wrong = false;
    for (const Sample &sample : samples) {
        sent += sample.sent;
        delivered += sample.delivered;
        wrong = wrong || sample.wrong;
    }
    const double percent =
        sent == 0 ? 100 : 100 * static_cast<double>(delivered) / static_cast<double>(sent);
    const bool all = delivered == sent || contender.promise == Promise::best_effort;
    return {percent, all && !wrong};
}

static ResultTable empty_table(const Section &section)
{
    ResultTable table = {section.id, section.title, {}, {}, {}};
    for (const Column &column : section.columns)
        table.columns.push_back({column.title, column.decimals, column.has_ratio});
    for (const char *note : section.notes)
        table.notes.emplace_back(note);
    return table;
}

static ResultRow result_row(const Section &section, const Contender &contender,
                            const std::vector<Sample> &samples)
{
    const Delivery delivered = delivery(contender, samples);
    ResultRow row = {contender.name, {}, delivered.percent, delivered.kept};
    for (const Sample &sample : samples)
        row.rounds.emplace_back(sample.values, sample.values + section.columns.size());
    return row;
}

static void keep(ResultTable &&table, const Options &options)
{
    results::print(table);
    options.results->tables.push_back(std::move(table));
}

bool measure(const Section &section, std::span<const Contender> contenders, const Options &options)
{
    Samples samples(contenders.size());
    // Warms caches up, and makes what is made at first use.
    for (const Contender &contender : contenders)
        contender.run(contender.state);
    for (uint32_t round = 0; round < options.rounds; ++round) {
        show_progress(section, round, options.rounds);
        for (size_t i = 0; i < contenders.size(); ++i) {
            const size_t turn = (i + round) % contenders.size();
            samples[turn].push_back(contenders[turn].run(contenders[turn].state));
        }
    }
    show_progress(section, options.rounds, options.rounds);
    ResultTable table = empty_table(section);
    bool right = true;
    for (size_t i = 0; i < contenders.size(); ++i) {
        table.rows.push_back(result_row(section, contenders[i], samples[i]));
        right = right && table.rows.back().kept;
    }
    keep(std::move(table), options);
    return right;
}

void add_table(const Section &section, std::span<const Line> lines, const Options &options)
{
    ResultTable table = empty_table(section);
    for (const Line &line : lines)
        table.rows.push_back({line.name, {line.values}, 100, true});
    keep(std::move(table), options);
}

// --- The machine ---

static std::string cpu_model()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown";
}

static std::string load()
{
    std::ifstream file("/proc/loadavg");
    std::string one_minute;
    return file >> one_minute ? one_minute : "unknown";
}

Machine machine()
{
    utsname system = {};
    uname(&system);
    Machine made = {};
    made.kernel = std::string(system.sysname) + " " + system.release + " " + system.machine;
    made.cpu = cpu_model() + ", " + std::to_string(std::thread::hardware_concurrency()) +
               " hardware threads, load " + load();
#ifdef __clang__
    made.compiler = "clang " __clang_version__;
#else
    made.compiler = "g++ " __VERSION__;
#endif
    made.libsodium = sodium_version_string();
#if defined(TERN_SLOW_ASSERTS) || !defined(__OPTIMIZE__)
    made.build = "NOT FOR COMPARISON: with costly checks, or not optimized";
#else
    made.build = "optimized, without the costly checks";
#endif
    return made;
}

void print_machine(const Machine &machine)
{
    std::printf("kernel    %s\ncpu       %s\ncompiler  %s\nlibsodium %s\nENet      %s\n"
                "build     %s\n",
                machine.kernel.c_str(), machine.cpu.c_str(), machine.compiler.c_str(),
                machine.libsodium.c_str(), machine.enet.c_str(), machine.build.c_str());
    std::printf(
        "Times are CPU time of the whole process: sender, receiver, and what the system did\n"
        "for them. They change with the machine, and from run to run; less so the ratios to\n"
        "the first line of a table, which are of this run. All traffic is on 127.0.0.1.\n"
        "spread: how far the middle half of the rounds lies apart.\n");
}

}
