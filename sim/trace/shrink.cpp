#include "sim/trace/shrink.h"
#include <algorithm>

namespace tern::shrink {

namespace {

constexpr uint64_t second_us = 1'000'000;

bool is_path(const SimChoice &choice) // The choice concerns the datagrams from a to b.
{
    return script::is_network(choice.act) || choice.act == Act::cut || choice.act == Act::clog ||
           choice.act == Act::mtu || choice.act == Act::queue || choice.act == Act::sever;
}

bool has_other_place(const SimChoice &choice) // b is a place.
{
    return is_path(choice) || choice.act == Act::migrate || choice.act == Act::grant ||
           choice.act == Act::refuse || choice.act == Act::call || choice.act == Act::whisper ||
           choice.act == Act::ask || choice.act == Act::remove;
}

// Makes the candidate from `best`, without the choices for which drop() is true. False: there are
// none.
template <class Drop> bool without(Shrinker &s, Drop drop)
{
    const size_t before = s.best.choices.size();
    s.candidate = s.best;
    std::erase_if(s.candidate.choices, drop);
    return s.candidate.choices.size() < before;
}

// --- The proposals of each pass. False: the proposal changes nothing. ---

bool propose_tail(Shrinker &s)
{
    const uint64_t end_us = s.violation_us;
    if (end_us > s.best.options.seconds * second_us) return false;
    const bool any = without(s, [&](const SimChoice &choice) {
        return !script::is_network(choice.act) && choice.when > end_us;
    });
    const auto seconds = static_cast<uint32_t>(end_us / second_us + 1);
    const bool shorter = seconds < s.best.options.seconds;
    s.candidate.options.seconds = std::min(s.best.options.seconds, seconds);
    return any || shorter;
}

bool propose_kind(Shrinker &s)
{
    if (s.at == 0) return without(s, [](const SimChoice &c) { return script::is_network(c.act); });
    if (s.at == 1) return without(s, [](const SimChoice &c) { return script::is_world(c.act); });
    const auto act = static_cast<Act>(s.at - 2);
    return without(s, [&](const SimChoice &c) { return c.act == act; });
}

bool propose_owner(Shrinker &s)
{
    const size_t places = s.best.options.places;
    const size_t a = s.at / (places + 1), b = s.at % (places + 1);
    if (b == places) return without(s, [&](const SimChoice &c) { return c.a == a && !is_path(c); });
    return without(s, [&](const SimChoice &c) { return c.a == a && c.b == b && is_path(c); });
}

bool propose_chunk(Shrinker &s)
{
    const size_t end = std::min(s.at + s.chunk, s.best.choices.size());
    if (s.at >= end) return false;
    s.candidate = s.best;
    const auto first = s.candidate.choices.begin();
    s.candidate.choices.erase(first + static_cast<ptrdiff_t>(s.at),
                              first + static_cast<ptrdiff_t>(end));
    return true;
}

void move_down(uint16_t &place, uint16_t gone)
{
    if (place > gone) place = static_cast<uint16_t>(place - 1);
}

// Drops one place, but never place 0, where the session starts. Higher places move down by one.
bool propose_place(Shrinker &s)
{
    const auto gone = static_cast<uint16_t>(s.best.options.places - 1 - s.at);
    if (gone == 0 || s.best.options.places <= 2) return false;
    without(s, [&](const SimChoice &c) {
        return c.a == gone || (has_other_place(c) && c.b == gone) ||
               (c.act == Act::replay && (c.c == gone || c.d == gone));
    });
    for (SimChoice &choice : s.candidate.choices)
        for (uint16_t *place : {&choice.a, &choice.b, &choice.c, &choice.d})
            move_down(*place, gone);
    s.candidate.options.places -= 1;
    return true;
}

bool propose_time(Shrinker &s)
{
    const uint32_t seconds = s.best.options.seconds;
    if (s.violation_us <= seconds * second_us || seconds <= 1) return false;
    const uint32_t shorter[] = {1, seconds / 2, seconds - 1};
    const uint32_t to = shorter[s.at];
    if (to == 0 || to >= seconds) return false;
    without(s, [&](const SimChoice &c) {
        return !script::is_network(c.act) && c.when > to * second_us;
    });
    s.candidate.options.seconds = to;
    return true;
}

// Sets an option to its default, which the reader of a trace can ignore.
bool propose_usual(Shrinker &s)
{
    const SimOptions usual = {};
    SimOptions &options = s.candidate.options;
    if (s.at == 0) {
        options.tick_us_low = usual.tick_us_low;
        options.tick_us_high = usual.tick_us_high;
    } else if (s.at == 1) {
        options.latency_us_low = usual.latency_us_low;
        options.latency_us_high = usual.latency_us_high;
    } else if (s.at == 2) {
        options.send_bytes_per_second_max = usual.send_bytes_per_second_max;
    } else {
        options.faults = faults::none();
    }
    return !(options == s.best.options);
}

constexpr size_t usual_count = 4;
constexpr size_t lower_count = 4; // Proposals for each choice.

bool propose_number(Shrinker &s)
{
    s.candidate = s.best;
    if (s.at < usual_count) return propose_usual(s);
    const size_t i = (s.at - usual_count) / lower_count;
    const SimChoice &before = s.best.choices[i];
    SimChoice &choice = s.candidate.choices[i];
    switch ((s.at - usual_count) % lower_count) {
    case 0: choice.lasts_us = 0; break;
    case 1: choice.lasts_us /= 2; break;
    case 2: choice.value = 0; break;
    default: choice.value /= 2; break;
    }
    return !(choice == before);
}

bool propose(Shrinker &s)
{
    switch (s.pass) {
    case ShrinkPass::tail: return propose_tail(s);
    case ShrinkPass::kinds: return propose_kind(s);
    case ShrinkPass::owners: return propose_owner(s);
    case ShrinkPass::chunks: return propose_chunk(s);
    case ShrinkPass::places: return propose_place(s);
    case ShrinkPass::time: return propose_time(s);
    case ShrinkPass::numbers: return propose_number(s);
    case ShrinkPass::done: break;
    }
    return false;
}

// --- The order of passes and proposals ---

size_t proposal_count(const Shrinker &s)
{
    const size_t places = s.best.options.places;
    switch (s.pass) {
    case ShrinkPass::tail: return 1;
    case ShrinkPass::kinds: return act_count + 2;
    case ShrinkPass::owners: return places * (places + 1);
    case ShrinkPass::chunks: return s.best.choices.size();
    case ShrinkPass::places: return places;
    case ShrinkPass::time: return 3;
    case ShrinkPass::numbers: return usual_count + lower_count * s.best.choices.size();
    case ShrinkPass::done: break;
    }
    return 0;
}

void enter(Shrinker &s, ShrinkPass pass)
{
    s.pass = pass;
    s.at = 0;
    s.again = false;
    s.chunk = std::max<size_t>(s.best.choices.size() / 2, 1);
}

// Call it when the pass has no further proposal.
void end_pass(Shrinker &s)
{
    if (s.pass == ShrinkPass::chunks && (s.chunk > 1 || s.again)) {
        // Single choices are tried again until none can be dropped.
        s.chunk = std::max<size_t>(s.chunk / 2, 1);
        s.at = 0;
        s.again = false;
        return;
    }
    if (s.pass != ShrinkPass::numbers)
        return enter(s, static_cast<ShrinkPass>(static_cast<uint8_t>(s.pass) + 1));
    // Start again if any pass had success, because what one pass drops lets others drop more.
    enter(s, s.smaller ? ShrinkPass::tail : ShrinkPass::done);
    s.smaller = false;
}

void skip(Shrinker &s)
{
    s.at += s.pass == ShrinkPass::chunks ? s.chunk : 1;
}

}

Shrinker make(const Trace &failing, const Violation &violation, uint64_t violation_us)
{
    Shrinker s = {};
    s.best = failing;
    s.best.hashes.clear();
    s.best.digest = 0;
    s.invariant = violation.invariant;
    s.violation_us = violation_us;
    enter(s, ShrinkPass::tail);
    return s;
}

const Trace *next(Shrinker &s)
{
    while (s.pass != ShrinkPass::done) {
        if (s.at >= proposal_count(s)) {
            end_pass(s);
            continue;
        }
        if (propose(s)) {
            s.tries += 1;
            return &s.candidate;
        }
        skip(s);
    }
    return nullptr;
}

void answer(Shrinker &s, const Violation &violation, uint64_t violation_us)
{
    if (violation.invariant != s.invariant) return skip(s);
    s.accepted += 1;
    s.smaller = s.again = true;
    std::swap(s.best, s.candidate);
    s.violation_us = violation_us;
    // In these passes the next proposal has the same number now, or lowers the same number further.
    // In the others the same proposal would change nothing.
    if (s.pass != ShrinkPass::chunks && s.pass != ShrinkPass::places &&
        s.pass != ShrinkPass::numbers)
        skip(s);
}

}
