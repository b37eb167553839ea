// Parses arbitrary text as a trace of the simulator and as one of the explorer. A trace that can be
// parsed is printed and parsed again: to the same trace, and to the same text.
#include "fuzz/support/words.h"
#include "fuzz/targets.h"
#include "sim/explorer/cluster_script.h"
#include "sim/trace/script.h"

namespace tern::fuzz {

namespace {

constexpr size_t text_bytes_max = 4096;
constexpr size_t choices_max = 40;

constexpr const char *simulate_words[] = {"tern-trace 1 simulate\n",
                                          "seed ",
                                          "places ",
                                          "seconds ",
                                          "objects ",
                                          "tick_us_low ",
                                          "tick_us_high ",
                                          "latency_us_low ",
                                          "latency_us_high ",
                                          "timeout_ms ",
                                          "join_timeout_ms ",
                                          "send_bytes_per_second_max ",
                                          "topology ",
                                          "mesh\n",
                                          "star\n",
                                          "quorum ",
                                          "majority\n",
                                          "survivors\n",
                                          "liars ",
                                          "faults ",
                                          "none",
                                          "swarm",
                                          ",loss=",
                                          ",crash=",
                                          ",set=",
                                          ",glide=",
                                          "..",
                                          "\nchoices\n",
                                          "hash ",
                                          "digest ",
                                          "0123456789abcdef\n",
                                          " @",
                                          " #",
                                          " o",
                                          " +",
                                          " =",
                                          " ~",
                                          ">",
                                          "create 1 @",
                                          "set ",
                                          "claim ",
                                          "migrate 0>1 @",
                                          "grant 0>1 @",
                                          "call ",
                                          "ask ",
                                          "lie 3>0 @",
                                          "start 1 @1000000",
                                          "crash ",
                                          "pause ",
                                          "mtu 1>0 @",
                                          "queue ",
                                          "natted ",
                                          "lose 1>2 #",
                                          "delay 1>2 #",
                                          "damage 1>2 #",
                                          "replay 1>2 #",
                                          "9223372036854775807",
                                          "18446744073709551615",
                                          "9999999999999999999",
                                          "1099511627776",
                                          "-1",
                                          "4294967295"};

constexpr const char *explore_words[] = {"tern-trace 1 explore\n",
                                         "title ",
                                         "scope peers 3",
                                         " peers ",
                                         " creates ",
                                         " claims ",
                                         " destroys ",
                                         " crashes ",
                                         " updates ",
                                         " joins ",
                                         " objects_max ",
                                         " survivors 1",
                                         " star 1",
                                         " symmetry ",
                                         " mortal 1",
                                         " losses ",
                                         " waits ",
                                         " holds ",
                                         " suspicions ",
                                         " forges ",
                                         " locks ",
                                         " releases ",
                                         " hides ",
                                         "\ncreate ",
                                         "\nclaim ",
                                         "\ndestroy ",
                                         "\nset ",
                                         "\nlock ",
                                         "\nhide ",
                                         "\ndeliver ",
                                         "\nupdate ",
                                         "\nlose ",
                                         "\ncrash ",
                                         "\nnotice ",
                                         "\njoin ",
                                         "\nwait ",
                                         "\nhold ",
                                         "\npull ",
                                         "\nsuspect ",
                                         "\nforge_migrate ",
                                         "\nforge_destroy ",
                                         "\nreplay ",
                                         "\nflow ",
                                         "\nexpect all alive ",
                                         "\nexpect ",
                                         " dead ",
                                         " unknown ",
                                         " claims ",
                                         "quiet\n",
                                         " owner ",
                                         " stamp ",
                                         " write ",
                                         "\ndigest ",
                                         "0123456789abcdef",
                                         " 2.1",
                                         " 1.1",
                                         "1>2 ",
                                         "3>1 ",
                                         "1,3 ",
                                         "# ",
                                         "\r\n"};

void check_equal(const Trace &a, const Trace &b, const std::string &text)
{
    TERN_ASSERT(a.options == b.options, "other options:\n%s", text.c_str());
    TERN_ASSERT(a.choices == b.choices, "other choices:\n%s", text.c_str());
    TERN_ASSERT(a.hashes == b.hashes && a.digest == b.digest, "other hashes:\n%s", text.c_str());
}

void try_printed(const Trace &trace)
{
    const std::string text = script::print(trace);
    const ParsedTrace again = script::parse(text);
    TERN_ASSERT(again.error.empty(), "%s in\n%s", again.error.c_str(), text.c_str());
    check_equal(trace, again.trace, text);
    TERN_ASSERT(script::print(again.trace) == text, "it is printed otherwise:\n%s", text.c_str());
}

void try_simulate(const std::string &text)
{
    const ParsedTrace parsed = script::parse(text);
    if (parsed.error.empty()) try_printed(parsed.trace);
}

void try_explore(const std::string &text)
{
    const ParsedScript parsed = cluster_script::parse(text);
    if (!parsed.error.empty()) return;
    const std::string printed = cluster_script::text(parsed.script);
    const ParsedScript again = cluster_script::parse(printed);
    TERN_ASSERT(again.error.empty(), "%s in\n%s", again.error.c_str(), printed.c_str());
    TERN_ASSERT(again.script.lines.size() == parsed.script.lines.size(), "%zu lines, then %zu",
                parsed.script.lines.size(), again.script.lines.size());
    TERN_ASSERT(cluster_script::text(again.script) == printed, "it is printed otherwise:\n%s",
                printed.c_str());
}

}

void fuzz_trace(std::span<const uint8_t> data)
{
    Input in = {data};
    switch (input::u8(in) % 4) {
    case 0: return try_printed(script::from_bytes(input::all(in), choices_max));
    case 1: return try_simulate(worded_text(in, simulate_words, text_bytes_max));
    case 2: {
        Trace trace = {};
        trace.options = script::swarm(input::u64(in));
        return try_printed(trace);
    }
    default: return try_explore(worded_text(in, explore_words, text_bytes_max));
    }
}

}
