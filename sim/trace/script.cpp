// Choices and runs as text. script_bytes.cpp makes runs from bytes and seeds.
#include "sim/trace/script.h"
#include "sim/world/dice.h"
#include <algorithm>
#include <cstdio>

namespace tern {

bool operator==(const SimOptions &a, const SimOptions &b)
{
    return a.seed == b.seed && a.places == b.places && a.seconds == b.seconds &&
           a.objects == b.objects && a.tick_us_low == b.tick_us_low &&
           a.tick_us_high == b.tick_us_high && a.latency_us_low == b.latency_us_low &&
           a.latency_us_high == b.latency_us_high && a.timeout_ms == b.timeout_ms &&
           a.join_timeout_ms == b.join_timeout_ms &&
           a.send_bytes_per_second_max == b.send_bytes_per_second_max && a.topology == b.topology &&
           a.quorum == b.quorum && a.liars == b.liars &&
           faults::print(a.faults) == faults::print(b.faults);
}

namespace script {

// The parts of a choice's text besides its act, `a` and `when`.
enum : uint8_t { B = 1, THING = 2, LASTS = 4, VALUE = 8, EARLIER = 16 };

struct ActText {
    const char *name;
    uint8_t parts;
};

static constexpr ActText acts[] = {
    // Indexed by Act.
    {"create", THING | VALUE},
    {"set", THING | VALUE},
    {"sets", VALUE},
    {"destroy", THING},
    {"claim", THING},
    {"migrate", B | THING},
    {"grant", B | THING | LASTS},
    {"refuse", B | THING | LASTS},
    {"call", B | THING},
    {"whisper", B | THING},
    {"release", THING},
    {"lock", THING},
    {"unlock", THING},
    {"balance", VALUE},
    {"hope", THING},
    {"guess", THING | VALUE},
    {"ask", B | THING | VALUE},
    {"prefer", B | THING | VALUE},
    {"glide", VALUE},
    {"lie", B | VALUE},
    {"leave", 0},
    {"remove", B},
    {"start", VALUE},
    {"crash", 0},
    {"pause", LASTS},
    {"slow", LASTS | VALUE},
    {"flood", LASTS | VALUE},
    {"skew", VALUE},
    {"jump", VALUE},
    {"grain", VALUE},
    {"cut", B | LASTS},
    {"clog", B | LASTS},
    {"mtu", B | LASTS | VALUE},
    {"queue", B | LASTS | VALUE},
    {"rebind", LASTS},
    {"full", LASTS | VALUE},
    {"garbage", VALUE},
    {"spoof", VALUE},
    {"nat", B | LASTS},
    {"swap", B | LASTS},
    {"natted", VALUE},
    {"sever", B},
    {"lose", B},
    {"delay", B | LASTS},
    {"twice", B | LASTS},
    {"damage", B | VALUE},
    {"truncate", B | VALUE},
    {"replay", B | EARLIER},
};
static_assert(sizeof acts / sizeof acts[0] == act_count);

const char *name(Act act)
{
    return acts[static_cast<size_t>(act)].name;
}

bool is_game(Act act)
{
    return act < first_world_act;
}

bool is_world(Act act)
{
    return act >= first_world_act && act < first_network_act;
}

bool is_network(Act act)
{
    return act >= first_network_act;
}

SimChoice plain(const SimChoice &choice)
{
    const uint8_t parts = acts[static_cast<size_t>(choice.act)].parts;
    SimChoice out = {};
    out.act = choice.act;
    out.a = choice.a;
    out.when = choice.when;
    if (parts & B) out.b = choice.b;
    if (parts & THING) out.thing = choice.thing;
    if (parts & LASTS) out.lasts_us = choice.lasts_us;
    if (parts & (VALUE | EARLIER)) out.value = choice.value;
    if (parts & EARLIER) {
        out.c = choice.c;
        out.d = choice.d;
    }
    return out;
}

// --- One choice: act a>b @time or #number, o<thing>, +<lasts>, =<value>, ~c>d#number ---

std::string print(const SimChoice &choice)
{
    const ActText &act = acts[static_cast<size_t>(choice.act)];
    std::string out = std::string(act.name) + " " + std::to_string(choice.a);
    if (act.parts & B) out += ">" + std::to_string(choice.b);
    out += (is_network(choice.act) ? " #" : " @") + std::to_string(choice.when);
    if (act.parts & THING) out += " o" + std::to_string(choice.thing);
    if (act.parts & LASTS) out += " +" + std::to_string(choice.lasts_us);
    if (act.parts & VALUE) out += " =" + std::to_string(choice.value);
    if (act.parts & EARLIER)
        out += " ~" + std::to_string(choice.c) + ">" + std::to_string(choice.d) + "#" +
               std::to_string(choice.value);
    return out;
}

static std::string_view take_word(std::string_view &line)
{
    while (line.starts_with(' '))
        line.remove_prefix(1);
    const size_t size = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, size);
    line.remove_prefix(size);
    return word;
}

static bool take_number(std::string_view &text, uint64_t most, uint64_t &number)
{
    size_t digits = 0;
    number = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
        const auto digit = static_cast<uint64_t>(text[digits] - '0');
        if (number > (UINT64_MAX - digit) / 10) return false;
        number = number * 10 + digit;
        digits += 1;
    }
    text.remove_prefix(digits);
    return digits > 0 && number <= most;
}

static bool take_place(std::string_view &text, uint16_t &place)
{
    uint64_t number = 0;
    const bool ok = take_number(text, places_max - 1u, number);
    place = static_cast<uint16_t>(number);
    return ok;
}

static bool take_mark(std::string_view &text, char mark)
{
    if (!text.starts_with(mark)) return false;
    text.remove_prefix(1);
    return true;
}

static bool read_value(std::string_view &word, int64_t &value)
{
    const bool negative = take_mark(word, '-');
    uint64_t number = 0;
    if (!take_number(word, INT64_MAX, number)) return false;
    value = negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
    return true;
}

static bool read_earlier(std::string_view &word, SimChoice &choice)
{
    return take_place(word, choice.c) && take_mark(word, '>') && take_place(word, choice.d) &&
           take_mark(word, '#') && read_value(word, choice.value);
}

static std::string expected_form(Act act)
{
    const ActText &text = acts[static_cast<size_t>(act)];
    std::string out = "expected \"" + std::string(text.name) + " PLACE";
    if (text.parts & B) out += ">PLACE";
    out += is_network(act) ? " #NUMBER" : " @TIME";
    if (text.parts & THING) out += " oTHING";
    if (text.parts & LASTS) out += " +MICROSECONDS";
    if (text.parts & VALUE) out += " =VALUE";
    if (text.parts & EARLIER) out += " ~PLACE>PLACE#NUMBER";
    return out + "\"";
}

static bool read_parts(std::string_view line, SimChoice &choice)
{
    const uint8_t parts = acts[static_cast<size_t>(choice.act)].parts;
    std::string_view word = take_word(line);
    if (!take_place(word, choice.a)) return false;
    if ((parts & B) && (!take_mark(word, '>') || !take_place(word, choice.b))) return false;
    if (!word.empty()) return false;
    const auto read = [&](char mark, uint64_t most, uint64_t &number) {
        word = take_word(line);
        return take_mark(word, mark) && take_number(word, most, number) && word.empty();
    };
    if (!read(is_network(choice.act) ? '#' : '@', INT64_MAX, choice.when)) return false;
    uint64_t thing = 0;
    if ((parts & THING) && !read('o', things_max, thing)) return false;
    choice.thing = static_cast<uint32_t>(thing);
    if ((parts & LASTS) && !read('+', 1ull << 40, choice.lasts_us)) return false;
    if (parts & VALUE) {
        word = take_word(line);
        if (!take_mark(word, '=') || !read_value(word, choice.value) || !word.empty()) return false;
    }
    if (parts & EARLIER) {
        word = take_word(line);
        if (!take_mark(word, '~') || !read_earlier(word, choice) || !word.empty()) return false;
    }
    return take_word(line).empty();
}

// Returns what was expected instead; empty: the choice was read.
static std::string parse_choice(std::string_view line, SimChoice &choice)
{
    const std::string_view name = take_word(line);
    for (size_t i = 0; i < act_count; ++i) {
        if (name != acts[i].name) continue;
        choice.act = static_cast<Act>(i);
        return read_parts(line, choice) ? std::string() : expected_form(choice.act);
    }
    return "nothing is called \"" + std::string(name) + "\"; expected an act as \"lose 1>2 #17\"";
}

// --- A run ---

struct OptionText {
    const char *name;
    uint64_t low, high;
};

static constexpr OptionText options_text[] = {
    {"places", 2, places_max},
    {"seconds", 1, 100'000},
    {"objects", 1, 10'000},
    {"tick_us_low", 1000, 1'000'000},
    {"tick_us_high", 1000, 1'000'000},
    {"latency_us_low", 0, 10'000'000},
    {"latency_us_high", 0, 10'000'000},
    {"timeout_ms", 100, 600'000},
    {"join_timeout_ms", 100, 600'000},
    {"send_bytes_per_second_max", 4096, UINT32_MAX},
};
static constexpr size_t option_count = sizeof options_text / sizeof options_text[0];

static uint64_t read_option(const SimOptions &o, size_t i)
{
    const uint64_t values[option_count] = {o.places,          o.seconds,
                                           o.objects,         o.tick_us_low,
                                           o.tick_us_high,    o.latency_us_low,
                                           o.latency_us_high, o.timeout_ms,
                                           o.join_timeout_ms, o.send_bytes_per_second_max};
    return values[i];
}

static void write_option(SimOptions &o, size_t i, uint64_t value)
{
    if (i == 0) {
        o.places = static_cast<uint16_t>(value);
        return;
    }
    uint32_t *values[option_count] = {nullptr,
                                      &o.seconds,
                                      &o.objects,
                                      &o.tick_us_low,
                                      &o.tick_us_high,
                                      &o.latency_us_low,
                                      &o.latency_us_high,
                                      &o.timeout_ms,
                                      &o.join_timeout_ms,
                                      &o.send_bytes_per_second_max};
    *values[i] = static_cast<uint32_t>(value);
}

static std::string hexadecimal(uint64_t value)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

std::string print(const Trace &trace)
{
    std::string out = "tern-trace 1 simulate\nseed " + std::to_string(trace.options.seed) + "\n";
    for (size_t i = 0; i < option_count; ++i)
        out += std::string(options_text[i].name) + " " +
               std::to_string(read_option(trace.options, i)) + "\n";
    if (trace.options.topology == Topology::star) out += "topology star\n";
    if (trace.options.quorum == Quorum::survivors) out += "quorum survivors\n";
    if (trace.options.liars > 0) out += "liars " + std::to_string(trace.options.liars) + "\n";
    out += "faults " + faults::print(trace.options.faults) + "\nchoices\n";
    for (const SimChoice &choice : trace.choices)
        out += print(choice) + "\n";
    for (size_t i = 0; i < trace.hashes.size(); ++i)
        out += "hash " + std::to_string((i + 1) * events_per_hash) + " " +
               hexadecimal(trace.hashes[i]) + "\n";
    if (trace.digest != 0) out += "digest " + hexadecimal(trace.digest) + "\n";
    return out;
}

static bool read_hexadecimal(std::string_view word, uint64_t &value)
{
    value = 0;
    for (const char c : word) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit && (c < 'a' || c > 'f')) return false;
        value = value << 4 | static_cast<uint64_t>(digit ? c - '0' : c - 'a' + 10);
    }
    return word.size() == 16;
}

static std::string parse_option(std::string_view line, SimOptions &options)
{
    const std::string_view name = take_word(line);
    if (name == "faults") {
        const ParsedFaults parsed = faults::parse(take_word(line), options.seed);
        options.faults = parsed.faults;
        return parsed.error;
    }
    std::string_view word = take_word(line);
    if (name == "topology") {
        if (word != "mesh" && word != "star") return "expected \"topology mesh\" or \"star\"";
        options.topology = word == "star" ? Topology::star : Topology::mesh;
        return {};
    }
    if (name == "quorum") {
        if (word != "majority" && word != "survivors")
            return "expected \"quorum majority\" or \"survivors\"";
        options.quorum = word == "survivors" ? Quorum::survivors : Quorum::majority;
        return {};
    }
    uint64_t value = 0;
    if (name == "seed") {
        if (!take_number(word, UINT64_MAX, options.seed) || !word.empty())
            return "expected \"seed NUMBER\"";
        return {};
    }
    if (name == "liars") {
        if (!take_number(word, places_max / 2, value) || !word.empty())
            return "expected \"liars 0 to " + std::to_string(places_max / 2) + "\"";
        options.liars = static_cast<uint16_t>(value);
        return {};
    }
    for (size_t i = 0; i < option_count; ++i) {
        const OptionText &text = options_text[i];
        if (name != text.name) continue;
        if (!take_number(word, text.high, value) || value < text.low || !word.empty())
            return "expected \"" + std::string(text.name) + " " + std::to_string(text.low) +
                   " to " + std::to_string(text.high) + "\"";
        write_option(options, i, value);
        return {};
    }
    return "no option is called \"" + std::string(name) + "\"; expected one, or \"choices\"";
}

// Reads one line after "choices": a choice, a hash or the digest.
static std::string parse_body(std::string_view line, Trace &trace)
{
    std::string_view rest = line;
    const std::string_view name = take_word(rest);
    uint64_t value = 0;
    if (name == "digest")
        return read_hexadecimal(take_word(rest), trace.digest) ? std::string()
                                                               : "expected \"digest\" and 16 hex "
                                                                 "digits";
    if (name == "hash") {
        std::string_view number = take_word(rest);
        const uint64_t expected = (trace.hashes.size() + 1) * events_per_hash;
        if (!take_number(number, expected, value) || value != expected ||
            !read_hexadecimal(take_word(rest), value))
            return "expected \"hash " + std::to_string(expected) + "\" and 16 hex digits";
        trace.hashes.push_back(value);
        return {};
    }
    SimChoice choice = {};
    const std::string error = parse_choice(line, choice);
    if (error.empty()) trace.choices.push_back(choice);
    return error;
}

ParsedTrace parse(std::string_view text)
{
    ParsedTrace parsed;
    bool in_choices = false;
    for (size_t number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        std::string error;
        if (number == 1)
            error = line == "tern-trace 1 simulate" ? "" : "expected \"tern-trace 1 simulate\"";
        else if (line.empty() || line.starts_with('/')) // A comment.
            continue;
        else if (!in_choices && line == "choices")
            in_choices = true;
        else
            error = in_choices ? parse_body(line, parsed.trace)
                               : parse_option(line, parsed.trace.options);
        if (!error.empty()) {
            parsed.error = "line " + std::to_string(number) + ": " + error;
            return parsed;
        }
    }
    const SimOptions &o = parsed.trace.options;
    if (!in_choices)
        parsed.error = "at the end: expected \"choices\"";
    else if (o.tick_us_low > o.tick_us_high || o.latency_us_low > o.latency_us_high)
        parsed.error = "an option: expected _low not above _high";
    else if (2 * o.liars > o.places)
        parsed.error = "liars: expected at most half of the places";
    return parsed;
}

}
}
