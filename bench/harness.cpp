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

// The sum that getrusage() tells as user and system time, but in ns.
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
    if (!isatty(STDERR_FILENO)) return; // A progress line is for people.
    if (round < rounds)
        std::fprintf(stderr, "\r\033[K%s: round %u of %u", section.title, round + 1, rounds);
    else
        std::fprintf(stderr, "\r\033[K");
    std::fflush(stderr);
}

static double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

using Samples = std::vector<std::vector<Sample>>; // By contender, by round.

static double median_value(const Samples &samples, size_t contender, size_t column)
{
    std::vector<double> values;
    for (const Sample &sample : samples[contender])
        values.push_back(sample.values[column]);
    return median(values);
}

static double median_ratio(const Samples &samples, size_t contender, size_t column)
{
    std::vector<double> ratios;
    for (size_t round = 0; round < samples[0].size(); ++round)
        ratios.push_back(samples[contender][round].values[column] /
                         samples[0][round].values[column]);
    return median(ratios);
}

// How far the middle half of the rounds lies apart, in percent of the median.
static double spread_percent(const Samples &samples, size_t contender)
{
    std::vector<double> values;
    for (const Sample &sample : samples[contender])
        values.push_back(sample.values[0]);
    std::sort(values.begin(), values.end());
    const size_t quarter = values.size() / 4;
    const double middle = values[values.size() - 1 - quarter] - values[quarter];
    return 100 * middle / median(values);
}

struct Delivery {
    double percent;
    bool kept; // The promise.
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

// --- The table ---

static constexpr int name_columns = 33;

static int width(const Column &column)
{
    return std::max(static_cast<int>(std::strlen(column.title)), 8);
}

static void print_head(const Section &section)
{
    std::printf("\n%s\n%-*s", section.title, name_columns, "");
    for (const Column &column : section.columns)
        std::printf(" %*s%s", width(column), column.title, column.has_ratio ? "   ratio" : "");
    std::printf("  spread  delivered\n");
}

static void print_values(const Section &section, const Samples &samples, size_t index)
{
    for (size_t i = 0; i < section.columns.size(); ++i) {
        const Column &column = section.columns[i];
        std::printf(" %*.*f", width(column), column.decimals, median_value(samples, index, i));
        if (!column.has_ratio) continue;
        const double ratio = median_ratio(samples, index, i);
        std::printf(" %7.*f", ratio < 100 ? 2 : 0, ratio);
    }
}

static bool print_row(const Section &section, const Contender &contender, const Samples &samples,
                      size_t index)
{
    std::printf("%-*s", name_columns, contender.name);
    print_values(section, samples, index);
    std::printf("   %3.0f %%", spread_percent(samples, index));
    const Delivery delivered = delivery(contender, samples[index]);
    std::printf("  %7.2f %%%s\n", delivered.percent, delivered.kept ? "" : "  WRONG");
    return delivered.kept;
}

bool measure(const Section &section, std::span<const Contender> contenders, const Options &options)
{
    Samples samples(contenders.size());
    for (const Contender &contender : contenders) // Caches, and what is made at first use.
        contender.run(contender.state);
    for (uint32_t round = 0; round < options.rounds; ++round) {
        show_progress(section, round, options.rounds);
        for (size_t i = 0; i < contenders.size(); ++i) {
            const size_t turn = (i + round) % contenders.size();
            samples[turn].push_back(contenders[turn].run(contenders[turn].state));
        }
    }
    show_progress(section, options.rounds, options.rounds);
    print_head(section);
    bool right = true;
    for (size_t i = 0; i < contenders.size(); ++i)
        right = print_row(section, contenders[i], samples, i) && right;
    for (const char *note : section.notes)
        std::printf("  %s\n", note);
    std::fflush(stdout);
    return right;
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

void print_machine()
{
    utsname system = {};
    uname(&system);
    std::printf("kernel    %s %s %s\n", system.sysname, system.release, system.machine);
    std::printf("cpu       %s, %u hardware threads, load %s\n", cpu_model().c_str(),
                std::thread::hardware_concurrency(), load().c_str());
#ifdef __clang__
    std::printf("compiler  clang %s\n", __clang_version__);
#else
    std::printf("compiler  g++ %s\n", __VERSION__);
#endif
    std::printf("libsodium %s\n", sodium_version_string());
#if defined(TERN_SLOW_ASSERTS) || !defined(__OPTIMIZE__)
    std::printf("build     NOT FOR COMPARISON: with costly checks, or not optimized\n");
#else
    std::printf("build     optimized, without the costly checks\n");
#endif
    std::printf(
        "Times are CPU time of the whole process: sender, receiver, and what the system did\n"
        "for them. They change with the machine, and from run to run; less so the ratios to\n"
        "the first line of a table, which are of this run. All traffic is on 127.0.0.1.\n"
        "spread: how far the middle half of the rounds lies apart.\n");
}

}
