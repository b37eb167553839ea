// Makes runs from any bytes, for fuzzing, and the options of a run from a seed, for swarms.
#include "sim/trace/script.h"
#include "sim/world/dice.h"
#include <algorithm>

namespace tern::script {

// --- From bytes ---

struct Bytes { // Reads zeros behind the end.
    std::span<const std::byte> left;
};

static uint64_t take(Bytes &bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count && !bytes.left.empty(); ++i) {
        value |= std::to_integer<uint64_t>(bytes.left.front()) << (8 * i);
        bytes.left = bytes.left.subspan(1);
    }
    return value;
}

static constexpr uint64_t end_ms = 3000;

// Acts that make much happen are frequent; those after which little can happen are rare.
static constexpr Act weighted[] = {
    Act::create,  Act::create, Act::create,  Act::create,  Act::set,      Act::set,    Act::set,
    Act::sets,    Act::sets,   Act::destroy, Act::destroy, Act::destroy,  Act::claim,  Act::claim,
    Act::claim,   Act::claim,  Act::migrate, Act::migrate, Act::migrate,  Act::grant,  Act::refuse,
    Act::call,    Act::call,   Act::whisper, Act::leave,   Act::remove,   Act::start,  Act::start,
    Act::crash,   Act::pause,  Act::slow,    Act::skew,    Act::jump,     Act::grain,  Act::cut,
    Act::cut,     Act::clog,   Act::clog,    Act::mtu,     Act::queue,    Act::rebind, Act::full,
    Act::garbage, Act::spoof,  Act::lose,    Act::lose,    Act::lose,     Act::delay,  Act::delay,
    Act::delay,   Act::twice,  Act::twice,   Act::damage,  Act::truncate, Act::replay, Act::replay,
    Act::release, Act::lock,   Act::unlock,  Act::balance, Act::hope,     Act::guess,  Act::ask,
    Act::prefer,
};
static_assert(sizeof weighted / sizeof weighted[0] == 64);

static SimChoice take_choice(Bytes &bytes, uint16_t places)
{
    SimChoice choice = {};
    choice.act = weighted[take(bytes, 1) % 64];
    const uint64_t pair = take(bytes, 1);
    choice.a = static_cast<uint16_t>((pair & 15) % places);
    choice.b = static_cast<uint16_t>((pair >> 4) % places);
    const uint64_t when = take(bytes, 2);
    choice.when = is_network(choice.act) ? 1 + when % 192 : 1'000'000 + when % end_ms * 1000;
    const uint64_t detail = take(bytes, 2);
    choice.thing = 1 + static_cast<uint32_t>(detail & 7);
    choice.lasts_us = (detail >> 4 & 0xff) * 8000;
    choice.value = static_cast<int64_t>(detail);
    if (choice.act == Act::sets) choice.value = 1 + (choice.value & 7);
    if (choice.act == Act::start) choice.value &= 1;
    if (choice.act == Act::balance) choice.value &= 3;
    if (choice.act == Act::spoof) choice.value &= 1;
    if (choice.act == Act::slow) choice.value = 20'000 + choice.value * 4;
    if (choice.act == Act::skew) choice.value = choice.value % 2001 - 1000;
    if (choice.act == Act::jump) choice.value *= 8;
    if (choice.act == Act::full) choice.value &= 3;
    if (choice.act == Act::replay) {
        choice.c = static_cast<uint16_t>((detail & 15) % places);
        choice.d = static_cast<uint16_t>((detail >> 4 & 15) % places);
        const auto number =
            static_cast<int64_t>(choice.when); // Recent: paths carry similar numbers.
        choice.value = std::max<int64_t>(1, number - static_cast<int64_t>(detail >> 12));
    }
    return plain(choice);
}

Trace from_bytes(std::span<const std::byte> data, size_t choices_max)
{
    Bytes bytes = {data};
    Trace trace;
    SimOptions &options = trace.options;
    options.seed = 1;
    options.seconds = end_ms / 1000;
    options.objects = 16;
    options.timeout_ms = 1000;
    options.join_timeout_ms = 2000;
    const uint64_t shape = take(bytes, 1);
    options.places = static_cast<uint16_t>(3 + shape % 3);
    options.tick_us_low = options.tick_us_high = (shape & 8) != 0 ? 50'000 : 20'000;
    options.latency_us_low = 5000;
    options.latency_us_high = (shape & 16) != 0 ? 60'000 : 20'000;
    for (uint16_t place = 1; place < options.places;
         ++place) { // Without members a host does little.
        SimChoice start = {};
        start.act = Act::start;
        start.a = place;
        start.when = 1'000'000;
        trace.choices.push_back(start);
    }
    while (!bytes.left.empty() && trace.choices.size() < choices_max)
        trace.choices.push_back(take_choice(bytes, options.places));
    return trace;
}

// --- From a seed ---

SimOptions swarm(uint64_t seed)
{
    Dice dice = dice::make(seed, Stream::swarm, 1000);
    SimOptions options;
    options.seed = seed;
    options.places = static_cast<uint16_t>(dice::within(dice, 2, 8));
    options.objects = static_cast<uint32_t>(dice::within(dice, 4, 80));
    const uint32_t rates[] = {10'000, 16'667, 33'333, 50'000, 100'000};
    const uint64_t rate = dice::within(dice, 0, 4);
    options.tick_us_low = options.tick_us_high = rates[rate];
    if (dice::per_mille(dice, 400)) options.tick_us_high = rates[dice::within(dice, rate, 4)];
    options.latency_us_low = static_cast<uint32_t>(dice::within(dice, 500, 60'000));
    options.latency_us_high = options.latency_us_low;
    if (dice::per_mille(dice, 600))
        options.latency_us_high += static_cast<uint32_t>(dice::within(dice, 0, 150'000));
    options.timeout_ms = static_cast<uint32_t>(dice::within(dice, 1500, 6000));
    options.join_timeout_ms = options.timeout_ms + 3000;
    options.faults = faults::drawn(seed);
    return options;
}

}
