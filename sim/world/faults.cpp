#include "sim/world/faults.h"
#include "sim/world/dice.h"
#include <algorithm>

namespace tern::faults {

static constexpr FaultText texts[] = {
    // Indexed by FaultKind.
    {"loss", "per mille", 20, 100, 1, 300, "datagrams are lost, each path at its own rate"},
    {"burst", "datagrams", 2, 12, 2, 50, "losses come in bursts of about so many"},
    {"delay", "ms", 1, 60, 1, 1000, "a quarter of the datagrams is late by 0 to this"},
    {"late", "ms", 200, 2000, 100, 10'000, "one in 200 datagrams is late by so much"},
    {"twice", "per mille", 5, 50, 1, 500, "datagrams arrive again, up to 2 s later"},
    {"damage", "per mille", 1, 10, 1, 200, "one bit of a datagram is flipped"},
    {"truncate", "per mille", 1, 10, 1, 200, "a datagram is cut short"},
    {"replay", "per mille", 1, 10, 1, 200, "an earlier datagram of any path comes again"},
    {"start", "times", 1, 3, 1, 100, "a new peer comes to a place where nobody is"},
    {"crash", "times", 1, 2, 1, 100, "a peer loses its memory and is gone"},
    {"pause", "times", 1, 3, 1, 100, "a peer stands still for 0.1 to 4 s"},
    {"slow", "times", 1, 3, 1, 100, "a peer ticks every 100 to 500 ms for a while"},
    {"flood", "times", 1, 2, 1, 20, "a peer stands still while the others call it without end"},
    {"skew", "times", 1, 4, 1, 100, "a peer's clock runs fast or slow by up to 1000 ppm"},
    {"jump", "times", 1, 3, 1, 100, "a peer's clock jumps ahead by up to a second"},
    {"grain", "times", 1, 3, 1, 100, "a peer's clock moves in steps of 1 to 100 ms"},
    {"cut", "times", 1, 4, 1, 100, "nothing gets from one peer to another for a while"},
    {"partition", "times", 1, 2, 1, 100, "halves, one alone, or a bridge between two halves"},
    {"clog", "times", 1, 6, 1, 1000, "what is sent on a path waits until the clog is over"},
    {"mtu", "times", 1, 2, 1, 100, "a path loses its large datagrams for a while"},
    {"queue", "times", 1, 2, 1, 100, "a path has few bytes per second and a queue, for a while"},
    {"rebind", "times", 1, 2, 1, 100, "a peer's address changes, for a while or for good"},
    {"full", "times", 1, 3, 1, 100, "a peer's socket takes few datagrams per tick for a while"},
    {"garbage", "times", 5, 50, 1, 10'000, "a stranger sends bytes that mean nothing"},
    {"spoof", "times", 5, 50, 1, 10'000, "a stranger sends what it has seen others send"},
    {"leave", "times", 1, 2, 1, 100, "a peer leaves"},
    {"remove", "times", 1, 1, 1, 100, "the host removes a peer"},
    {"refuse", "percent", 20, 40, 1, 100, "claims that the host's game refuses or answers late"},
    {"create", "per mille", 20, 60, 1, 1000, "per tick, to create"},
    {"brief", "percent", 1, 10, 1, 100, "of the created are destroyed at once"},
    {"set", "per mille", 100, 600, 1, 1000, "per tick, to change an object"},
    {"sets", "objects", 0, 0, 1, 1000, "so many changed in each tick"},
    {"destroy", "per mille", 5, 30, 1, 1000, "per tick, to destroy"},
    {"claim", "per mille", 10, 60, 1, 1000, "per tick, to claim"},
    {"crowd", "per mille", 20, 100, 1, 1000, "per tick, to claim what all claim just now"},
    {"migrate", "per mille", 10, 60, 1, 1000, "per tick, of the host to give an object away"},
    {"pingpong", "per mille", 20, 100, 1, 1000, "per tick, of the host to give one to and fro"},
    {"hot", "percent", 30, 70, 1, 100, "of acts are about one of a few objects"},
    {"call", "per mille", 20, 100, 1, 1000, "per tick, to call reliably"},
    {"whisper", "per mille", 20, 100, 1, 1000, "per tick, to call unreliably"},
    {"release", "per mille", 2, 20, 1, 1000, "per tick, to give an object up"},
    {"lock", "per mille", 5, 40, 1, 1000, "per tick, to lock an object, or to unlock it"},
    {"balance", "per mille", 1, 5, 1, 100, "per tick, of the host to even out a type"},
    {"hope", "per mille", 10, 60, 1, 1000, "per tick, to claim and to set before the answer"},
    {"ring", "times", 1, 2, 1, 100, "each hears most, those next to it on a ring, for a while"},
    {"swizzle", "times", 1, 2, 1, 100, "some are clogged one by one, and unclogged in any order"},
    {"nat", "times", 1, 2, 1, 100, "two peers' addresses change at once, to two ports of one"},
    {"swap", "times", 1, 2, 1, 100, "two peers have each other's address for a while"},
    {"acks", "per mille", 50, 300, 1, 800, "datagrams up to 40 bytes, mostly acks alone, are lost"},
    {"cutpair", "times", 1, 2, 1, 20, "two peers, not the host, lose their path, mostly for good"},
    {"natted", "times", 1, 2, 1, 20, "a peer, not the host, gets behind a NAT, half symmetric"},
    {"ask", "per mille", 20, 100, 1, 1000,
     "per tick, to call what is answered or not all may call"},
    {"prefer", "per mille", 5, 40, 1, 1000,
     "per tick, to hide an object from a peer, to show it again or to tell it less often"},
    {"glide", "objects", 1, 4, 1, 100, "so many, of a type with an error bound, move in each tick"},
};
static_assert(sizeof texts / sizeof texts[0] == fault_kind_count);

const FaultText &text(FaultKind kind)
{
    return texts[static_cast<size_t>(kind)];
}

const FaultRange &range(const Faults &faults, FaultKind kind)
{
    return faults.ranges[static_cast<size_t>(kind)];
}

FaultRange &range(Faults &faults, FaultKind kind)
{
    return faults.ranges[static_cast<size_t>(kind)];
}

bool is_game(FaultKind kind)
{
    return (kind >= FaultKind::refuse && kind <= FaultKind::hope) || kind >= FaultKind::ask;
}

bool is_count(FaultKind kind)
{
    return kind >= FaultKind::start && !is_game(kind) && kind != FaultKind::acks;
}

static bool is_in_everyday_play(FaultKind kind)
{
    return is_game(kind) && kind != FaultKind::refuse && kind != FaultKind::sets &&
           kind != FaultKind::crowd && kind != FaultKind::pingpong && kind != FaultKind::hot &&
           kind != FaultKind::brief;
}

Faults none()
{
    Faults faults = {};
    for (size_t i = 0; i < fault_kind_count; ++i)
        faults.ranges[i] = {is_in_everyday_play(static_cast<FaultKind>(i)), texts[i].low,
                            texts[i].high};
    return faults;
}

// The smaller of two draws, so that mild faults are common: under severe ones little else happens.
static uint32_t mild(Dice &dice, uint32_t low, uint32_t high)
{
    const uint64_t a = dice::within(dice, low, high), b = dice::within(dice, low, high);
    return static_cast<uint32_t>(std::min(a, b));
}

Faults drawn(uint64_t seed)
{
    Faults faults = {};
    for (size_t i = 0; i < fault_kind_count; ++i) {
        Dice dice = dice::make(seed, Stream::swarm, i);
        const FaultText &t = texts[i];
        const auto kind = static_cast<FaultKind>(i);
        const bool on = dice::per_mille(dice, 500);
        // A fault that is counted happens at most twice as often as usual: up to its bound, a run
        // would consist of this fault only.
        const uint32_t most = kind == FaultKind::sets || kind == FaultKind::glide ? 4u
                              : is_count(kind)                                    ? 2 * t.high
                                                                                  : t.bound;
        const uint32_t a = mild(dice, t.swarm_low, most), b = mild(dice, t.swarm_low, most);
        faults.ranges[i] = {on, std::min(a, b), std::max(a, b)};
    }
    FaultRange &create = range(faults, FaultKind::create); // Without objects little can happen.
    if (!create.on) create = {true, texts[static_cast<size_t>(FaultKind::create)].low, 100};
    return faults;
}

// --- Text ---

static bool read_number(std::string_view &text, uint32_t &number)
{
    size_t digits = 0;
    uint64_t value = 0;
    while (digits < text.size() && digits < 9 && text[digits] >= '0' && text[digits] <= '9') {
        value = value * 10 + static_cast<uint64_t>(text[digits] - '0');
        digits += 1;
    }
    text.remove_prefix(digits);
    number = static_cast<uint32_t>(value);
    return digits > 0;
}

static size_t find(std::string_view name)
{
    size_t i = 0;
    while (i < fault_kind_count && name != texts[i].name)
        ++i;
    return i;
}

static std::string parse_one(std::string_view item, Faults &faults)
{
    const size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const size_t kind = find(name);
    if (kind == fault_kind_count)
        return "no fault is called \"" + std::string(name) +
               "\"; expected none, swarm or a list of: " + names();
    FaultRange &range = faults.ranges[kind];
    const FaultText &t = texts[kind];
    range = {true, t.low, t.high};
    if (equals == std::string_view::npos) return {};
    const std::string expected = "\"" + std::string(item) + "\": expected " + t.name + "=" +
                                 "NUMBER or LOW..HIGH, 0 to " + std::to_string(t.bound) + " " +
                                 t.unit;
    std::string_view rest = item.substr(equals + 1);
    if (!read_number(rest, range.low)) return expected;
    range.high = range.low;
    if (rest.starts_with("..")) {
        rest.remove_prefix(2);
        if (!read_number(rest, range.high)) return expected;
    }
    if (!rest.empty() || range.low > range.high || range.high > t.bound) return expected;
    range.on = range.high > 0;
    return {};
}

ParsedFaults parse(std::string_view text, uint64_t seed)
{
    ParsedFaults parsed = {none(), {}};
    bool first = true, more = true;
    while (more) {
        const size_t comma = std::min(text.find(','), text.size());
        const std::string_view item = text.substr(0, comma);
        more = comma < text.size();
        text.remove_prefix(comma + more);
        if (first && item == "swarm")
            parsed.faults = drawn(seed);
        else if (!first || item != "none")
            parsed.error = parse_one(item, parsed.faults);
        if (!parsed.error.empty()) return parsed;
        first = false;
    }
    return parsed;
}

std::string names()
{
    std::string out;
    for (const FaultText &t : texts)
        out += (out.empty() ? "" : ", ") + std::string(t.name);
    return out;
}

std::string print(const Faults &faults)
{
    const Faults usual = none();
    std::string out = "none";
    for (size_t i = 0; i < fault_kind_count; ++i) {
        const FaultRange &range = faults.ranges[i];
        const FaultRange &before = usual.ranges[i];
        if (!range.on && !before.on) continue;
        if (range.on && before.on && range.low == before.low && range.high == before.high) continue;
        out += "," + std::string(texts[i].name) + "=";
        if (!range.on)
            out += "0";
        else if (range.low == range.high)
            out += std::to_string(range.low);
        else
            out += std::to_string(range.low) + ".." + std::to_string(range.high);
    }
    return out;
}

std::string help()
{
    std::string out;
    for (const FaultText &t : texts) {
        std::string line = "  " + std::string(t.name) + "=" + std::to_string(t.low) + ".." +
                           std::to_string(t.high);
        line.resize(std::max(line.size() + 1, size_t{24}), ' ');
        out += line + t.meaning + " (" + t.unit + ")\n";
    }
    return out;
}

}
