#include "bench/report/goals.h"
#include "bench/live_cubes.h"
#include <cmath>
#include <cstdio>
#include <cstring>

namespace bench {
namespace {

constexpr const char *recorded = "cubes/cubes_a.bin.xz";
#define LIVE "live/cubes_a.bin.xz/"
constexpr const char *enet_small = "ENet, unsequenced, throttle off";
constexpr const char *enet_bulk = "ENet, reliable, 1400 B";
constexpr const char *tern_bulk = "tern's stream, encrypted, 1372 B";
constexpr const char *tern_coder = "tern, frozen tables";

constexpr GoalPlace none = {nullptr, nullptr, nullptr};
constexpr GoalKind value = GoalKind::value, ratio = GoalKind::ratio;
constexpr GoalKind difference = GoalKind::difference;

// Sessions between processes, as a game embeds them: what games get. The names of the others say
// which layer they measure.
constexpr const char *game_host = "sessions: 64 clients x 60 Hz x 200 B, host";
constexpr const char *game_client = "sessions: the same, a client";
constexpr const char *game_idle = "sessions: idle host of 256 clients";
constexpr const char *game_four = "sessions: 1,000 moving, 4 receivers, host";
constexpr const char *game_receiver = "sessions: the same, a receiver";
constexpr const char *game_few = "sessions: 10,000 objects, 1 % changing, host";
constexpr const char *game_near = "sessions: interest, 63 clients at 20 Hz, host";
constexpr const char *game_near_fast = "sessions: interest, 16 clients at 60 Hz, host";
constexpr const char *by_hand = "by hand over ENet";

constexpr const char *small = "endpoints: 20-byte messages, 100 a tick";
constexpr const char *reliable = "endpoints: 32-byte reliable messages";
constexpr const char *bulk = "endpoints: bulk reliable, 64 MB";
constexpr const char *host = "endpoints: 64 clients x 60 Hz x 200 B";
constexpr const char *latency = "endpoints: reliable, 25 ms, 5 % loss";
constexpr const char *memory = "endpoints: memory of an idle connection";
constexpr const char *four = "replicas: 1,000 of 32 B, all moving, 4 receivers";
constexpr const char *sixteen = "replicas: the same, 16 receivers";
constexpr const char *few = "replicas: 10,000 objects, 1 % changing, 4 receivers";
constexpr const char *together = "sessions: set_many() of 1,000 objects";
constexpr const char *offline = "cubes A, baseline 6 frames old, exact";
constexpr const char *live = "cubes A live, exact, 1 receiver, RTT 100 ms";
constexpr const char *live_many = "the same, 16 receivers";
constexpr const char *join = "newcomer into 10,000 objects at 1 MB/s";

constexpr Goal list[] = {
    {game_host,
     "CPU, x ENet",
     "",
     {"surface_messages", "tern, call() unreliable", "host us"},
     ratio,
     {"surface_messages", enet_small, "host us"},
     1.2,
     false,
     2},
    {game_client,
     "CPU, x ENet",
     "",
     {"surface_messages", "tern, call() unreliable", "client us"},
     ratio,
     {"surface_messages", enet_small, "client us"},
     1.5,
     false,
     2},
    {game_idle,
     "CPU, x by hand over ENet",
     "",
     {"surface_idle", "tern", "host us"},
     ratio,
     {"surface_idle", by_hand, "host us"},
     1,
     false,
     2},
    {game_four,
     "CPU, x by hand over ENet",
     "",
     {"surface_moving_4", "tern, raised", "host us"},
     ratio,
     {"surface_moving_4", by_hand, "host us"},
     1.2,
     false,
     2},
    {game_receiver,
     "per update",
     "ns",
     {"surface_moving_4", "tern, raised", "recv ns"},
     value,
     none,
     120,
     false,
     0},
    {game_few,
     "per update and receiver",
     "ns",
     {"surface_1_percent", "tern", "host ns"},
     value,
     none,
     120,
     false,
     0},
    {game_near,
     "CPU, x by hand over ENet",
     "",
     {"surface_interest_63", "tern, set_interest()", "host us"},
     ratio,
     {"surface_interest_63", by_hand, "host us"},
     1.2,
     false,
     2},
    {game_near_fast,
     "CPU, x by hand over ENet",
     "",
     {"surface_interest_16", "tern, set_interest()", "host us"},
     ratio,
     {"surface_interest_16", by_hand, "host us"},
     1.2,
     false,
     2},
    {small,
     "CPU, x ENet",
     "",
     {"small", "tern, encrypted, acked", "CPU ns/msg"},
     ratio,
     {"small", enet_small, "CPU ns/msg"},
     0.7,
     false,
     2},
    {small,
     "bytes",
     "B",
     {"small", "tern, encrypted, acked", "bytes/msg"},
     value,
     none,
     22.5,
     false,
     1},
    {reliable,
     "CPU, x ENet",
     "",
     {"reliable", "tern's stream, encrypted", "CPU ns/msg"},
     ratio,
     {"reliable", "ENet, reliable", "CPU ns/msg"},
     0.6,
     false,
     2},
    {reliable,
     "bytes with acks",
     "B",
     {"reliable", "tern's stream, encrypted", "bytes/msg"},
     value,
     none,
     35,
     false,
     1},
    {bulk,
     "MB/s, x ENet",
     "",
     {"bulk", tern_bulk, "MB/s"},
     ratio,
     {"bulk", enet_bulk, "MB/s"},
     1,
     true,
     2},
    {bulk,
     "MB/s with all queued, x without",
     "",
     {"bulk_queued", tern_bulk, "MB/s"},
     ratio,
     {"bulk", tern_bulk, "MB/s"},
     0.8,
     true,
     2},
    {host,
     "CPU, x ENet",
     "",
     {"host", "tern, encrypted, acked", "CPU us/client"},
     ratio,
     {"host", "ENet, unreliable, throttle off", "CPU us/client"},
     1.15,
     false,
     2},
    {latency,
     "p99",
     "ms",
     {"latency", "tern's stream, encrypted", "p99 ms"},
     value,
     none,
     60,
     false,
     1},
    {latency,
     "copies",
     "",
     {"latency", "tern's stream, encrypted", "copies"},
     value,
     none,
     2.1,
     false,
     2},
    {memory,
     "touched",
     "KB",
     {"memory", "idle since its handshake", "KB"},
     value,
     none,
     6,
     false,
     1},
    {four,
     "quantised, per update and receiver",
     "ns",
     {"publish_4", "tern, quantised", "owner ns"},
     value,
     none,
     100,
     false,
     0},
    {four,
     "raw floats, per update and receiver",
     "ns",
     {"publish_4", "tern, exact floats", "owner ns"},
     value,
     none,
     100,
     false,
     0},
    {four,
     "quantised, bytes",
     "B",
     {"publish_4", "tern, quantised", "bytes"},
     value,
     none,
     14,
     false,
     1},
    {four,
     "raw floats, bytes",
     "B",
     {"publish_4", "tern, exact floats", "bytes"},
     value,
     none,
     36,
     false,
     1},
    {sixteen,
     "quantised, per update and receiver",
     "ns",
     {"publish_16", "tern, quantised", "owner ns"},
     value,
     none,
     40,
     false,
     0},
    {sixteen,
     "raw floats, per update and receiver",
     "ns",
     {"publish_16", "tern, exact floats", "owner ns"},
     value,
     none,
     80,
     false,
     0},
    {few,
     "quantised, per update and receiver",
     "ns",
     {"publish_1_percent", "tern, quantised", "owner ns"},
     value,
     none,
     120,
     false,
     0},
    {few,
     "raw floats, per update and receiver",
     "ns",
     {"publish_1_percent", "tern, exact floats", "owner ns"},
     value,
     none,
     120,
     false,
     0},
    {few,
     "quantised, bytes",
     "B",
     {"publish_1_percent", "tern, quantised", "bytes"},
     value,
     none,
     15,
     false,
     1},
    {few,
     "idle receive() and send()",
     "us",
     {"idle", "10,000 objects", "us a tick"},
     value,
     none,
     10,
     false,
     2},
    {few,
     "idle with 100,000 objects, x with 100",
     "",
     {"idle", "100,000 objects", "us a tick"},
     ratio,
     {"idle", "100 objects", "us a tick"},
     1.25,
     false,
     2},
    {together,
     "exact floats, x set() of each",
     "",
     {"many_exact", "set_many()", "ns each"},
     ratio,
     {"many_exact", "set(), one by one", "ns each"},
     0.6,
     false,
     2},
    {together,
     "floats with steps, x set() of each",
     "",
     {"many_quantised", "set_many()", "ns each"},
     ratio,
     {"many_quantised", "set(), one by one", "ns each"},
     0.6,
     false,
     2},
    {offline, "rate", "kbit/s", {recorded, tern_coder, "kbit/s"}, value, none, 195, false, 1},
    {offline,
     "writing an object",
     "ns",
     {recorded, tern_coder, "write ns"},
     value,
     none,
     40,
     false,
     1},
    {live,
     "1 % loss: on the wire",
     "kbit/s",
     {LIVE "1_1", live_row, "down kbit/s"},
     value,
     none,
     160,
     false,
     0},
    {live,
     "1 % loss: p99 age above acked baselines",
     "ms",
     {LIVE "1_1", live_row, "p99 age"},
     difference,
     {LIVE "1_1", live_plain, "p99 age"},
     17,
     false,
     0},
    {live,
     "5 % loss: on the wire",
     "kbit/s",
     {LIVE "1_5", live_row, "down kbit/s"},
     value,
     none,
     180,
     false,
     0},
    {live,
     "5 % loss: p99 age above acked baselines",
     "ms",
     {LIVE "1_5", live_row, "p99 age"},
     difference,
     {LIVE "1_5", live_plain, "p99 age"},
     2000.0 / 60, // Two ticks in ms.
     false,
     0},
    {live,
     "1 % loss: bounds of 1 cm, 0.05 rad",
     "kbit/s",
     {LIVE "1_1", live_bounded, "down kbit/s"},
     value,
     none,
     120,
     false,
     0},
    {live_many,
     "1 % loss: per object and receiver",
     "ns",
     {LIVE "16_1", live_row, "CPU ns"},
     value,
     none,
     15,
     false,
     1},
    {join,
     "caught up, x the time of its bytes",
     "",
     {"join", "10,000 objects", "x its bytes"},
     value,
     none,
     1.2,
     false,
     2},
    {join,
     "p99 age of a member meanwhile, x before",
     "",
     {"join", "10,000 objects", "p99 during"},
     ratio,
     {"join", "10,000 objects", "p99 before"},
     2,
     false,
     2},
};

// Where a goal's value is in the results; parts that were not found are null or -1.
struct Found {
    const ResultTable *table;
    const ResultRow *row;
    int column;
};

Found find(const Results &all, const GoalPlace &place)
{
    Found found = {results::table(all, place.table), nullptr, -1};
    if (found.table == nullptr) return found;
    found.row = results::row(*found.table, place.row);
    found.column = results::column(*found.table, place.column);
    return found;
}

bool is_there(const Found &found)
{
    return found.row != nullptr && found.column >= 0;
}

bool same(const GoalPlace &a, const GoalPlace &b)
{
    return a.table == b.table && a.row == b.row && a.column == b.column;
}

double measured_ratio(const Found &a, const Found &b)
{
    const auto column = static_cast<size_t>(a.column);
    if (a.table == b.table && a.column == b.column) return results::ratio(*a.row, *b.row, column);
    return results::value(*a.row, column) / results::value(*b.row, static_cast<size_t>(b.column));
}

}

namespace goals {

std::span<const Goal> all()
{
    return list;
}

GoalResult evaluate(const Goal &goal, const Results &all)
{
    const Found at = find(all, goal.at);
    if (at.table == nullptr) return {GoalState::not_measured, 0};
    if (!is_there(at)) return {GoalState::nowhere, 0};
    double measured = results::value(*at.row, static_cast<size_t>(at.column));
    if (goal.kind != GoalKind::value) {
        const Found base = find(all, goal.baseline);
        // Not measured: the baseline's section was not run, tern is built without ENet, or this
        // tern has no prediction, so the goal and its baseline are one row.
        const bool is_enet = std::strstr(goal.baseline.row, "ENet") != nullptr;
        if (base.table == nullptr || same(goal.at, goal.baseline) || (is_enet && !base.row))
            return {GoalState::not_measured, 0};
        if (!is_there(base)) return {GoalState::nowhere, 0};
        measured = goal.kind == GoalKind::ratio
                       ? measured_ratio(at, base)
                       : measured - results::value(*base.row, static_cast<size_t>(base.column));
    }
    const bool met = goal.at_least ? measured >= goal.limit : measured <= goal.limit;
    return {met ? GoalState::met : GoalState::missed, measured};
}

static std::string number(double value, int decimals, const char *unit)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.*f%s%s", decimals, value, *unit ? " " : "", unit);
    return text;
}

std::string limit_text(const Goal &goal)
{
    const bool whole = goal.limit == std::floor(goal.limit);
    const bool tenths = goal.limit * 10 == std::floor(goal.limit * 10);
    const std::string limit = number(goal.limit, whole ? 0 : tenths ? 1 : 2, goal.unit);
    return (goal.at_least ? "at least " : "at most ") + limit;
}

std::string measured_text(const Goal &goal, const GoalResult &result)
{
    const bool is_measured = result.state == GoalState::met || result.state == GoalState::missed;
    return is_measured ? number(result.measured, goal.decimals, goal.unit) : "-";
}

const char *verdict(const GoalResult &result)
{
    switch (result.state) {
    case GoalState::not_measured: return "not measured";
    case GoalState::met: return "met";
    case GoalState::missed: return "MISSED";
    case GoalState::nowhere: return "WRONG: no such row or column";
    }
    return "";
}

bool print(const Results &all)
{
    bool right = true;
    const char *last = "";
    std::printf("\n%-47s %-40s %-18s %12s  %s\n", "Goals", "", "goal", "measured", "");
    for (const Goal &goal : list) {
        const GoalResult result = evaluate(goal, all);
        right = right && result.state != GoalState::nowhere;
        std::printf("%-47s %-40s %-18s %12s  %s\n", std::strcmp(last, goal.work) ? goal.work : "",
                    goal.what, limit_text(goal).c_str(), measured_text(goal, result).c_str(),
                    verdict(result));
        last = goal.work;
    }
    if (all.quick) std::printf("  a quick run: to see that it runs, not to be quoted\n");
    return right;
}

std::string markdown(const Results &all)
{
    std::string text = "| work | | goal | measured | |\n|---|---|---|---|---|\n";
    const char *last = "";
    for (const Goal &goal : list) {
        const GoalResult result = evaluate(goal, all);
        const std::string cells[] = {std::strcmp(last, goal.work) ? goal.work : "", goal.what,
                                     limit_text(goal), measured_text(goal, result),
                                     result.state == GoalState::missed ? "**missed**"
                                                                       : verdict(result)};
        for (const std::string &cell : cells)
            text.append("| ").append(cell).append(" ");
        text.append("|\n");
        last = goal.work;
    }
    return text;
}

}
}
