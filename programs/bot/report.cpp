#include "report.h"
#include "hostile/attacks.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace bot::report {

static constexpr const char *refusal_names[] = {
    "none", "dead", "unknown", "policy", "by_game", "overtaken", "locked", "cooldown", "quota"};

template <class... T> static std::string format(const char *pattern, T... values)
{
    char text[400];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

static double kilobytes_per_second(uint64_t now, uint64_t before, double seconds)
{
    return seconds > 0 ? static_cast<double>(now - before) / 1000 / seconds : 0;
}

static double ms(uint64_t us)
{
    return static_cast<double>(us) / 1000;
}

static std::string digest_text(uint64_t digest)
{
    return format("%016llx", static_cast<unsigned long long>(digest));
}

std::string progress(const Options &options, double seconds, const Census &now,
                     const Census &before)
{
    std::string line = format("%4.0f s  %u of %u in", seconds, now.open, options.count);
    if (now.joining > 0) line += format(", %u joining", now.joining);
    if (now.failed > 0) line += format(", %u failed", now.failed);
    if (now.lost > 0) line += format(", %u lost", now.lost);
    if (now.left > 0) line += format(", %u left", now.left);
    line +=
        format("; rtt %.1f ms (worst %.1f); %.1f kB/s out, %.1f kB/s in",
               ms(percentile_us(now.rtts_now, 50)), ms(now.rtts_now.worst_us),
               kilobytes_per_second(now.sockets.sent_bytes, before.sockets.sent_bytes, 1),
               kilobytes_per_second(now.sockets.received_bytes, before.sockets.received_bytes, 1));
    line += format("; claims %llu granted, %llu refused",
                   static_cast<unsigned long long>(now.tally.granted),
                   static_cast<unsigned long long>(now.tally.refused));
    if (now.late_ticks > before.late_ticks)
        line += format("; %llu LATE TICKS, at most %.0f ms",
                       static_cast<unsigned long long>(now.late_ticks - before.late_ticks),
                       ms(now.worst_late_us));
    return line;
}

std::string settled(const Outcome &outcome)
{
    const Census &rest = outcome.rest;
    if (outcome.settled)
        return format("settled after %.1f s: digest %s, %llu objects, %llu of them the bots'",
                      outcome.settle_s, digest_text(rest.digests.begin()->first).c_str(),
                      static_cast<unsigned long long>(rest.objects),
                      static_cast<unsigned long long>(rest.owned));
    if (rest.open == 0) return "NOT settled: no bot is in any more";
    std::string line = format("NOT settled after %.1f s: %zu different worlds", outcome.settle_s,
                              rest.digests.size());
    if (rest.awaiting > 0)
        line += format(", %llu claims without an answer",
                       static_cast<unsigned long long>(rest.awaiting));
    if (rest.digests.size() == 1) line += "; the one world still changes: does another play?";
    return line;
}

static std::string ends(const Census &end)
{
    std::string text;
    for (const auto &[why, count] : end.ends)
        text += format("%u bot%s: ", count, count == 1 ? "" : "s") + why + "\n";
    if (end.types_refused)
        text += "--types, --topology, --quorum and --peers-max must be the host's.\n";
    return text;
}

std::string summary(const Options &options, const Outcome &outcome)
{
    const Census &end = outcome.play_end;
    const Census &begin = outcome.play_begin;
    std::string text = format("%u of %u joined, %u failed, %u lost\n", outcome.joined,
                              options.count, outcome.end.failed, outcome.end.lost);
    text += ends(outcome.end);
    if (outcome.play_s <= 0) return text;
    text += format(
        "in %.1f s of play: rtt %.1f ms median, %.1f at 99 %%, %.1f worst; %.1f kB/s "
        "out, %.1f kB/s in\n",
        outcome.play_s, ms(percentile_us(end.rtts, 50)), ms(percentile_us(end.rtts, 99)),
        ms(end.rtts.worst_us),
        kilobytes_per_second(end.sockets.sent_bytes, begin.sockets.sent_bytes, outcome.play_s),
        kilobytes_per_second(end.sockets.received_bytes, begin.sockets.received_bytes,
                             outcome.play_s));
    if (end.late_ticks > 0)
        text += format("%llu ticks were late, at most %.0f ms: this machine is too slow for so "
                       "many bots\n",
                       static_cast<unsigned long long>(end.late_ticks), ms(end.worst_late_us));
    return text;
}

// --- The attack ---

static bool is_hostile(const Outcome &outcome, tern::PeerId peer)
{
    for (const Life &life : outcome.siege.lives)
        if (life.peer == peer) return true;
    return false;
}

// How long the hostile bot attacked each time until all bots knew that it had been removed.
static std::vector<uint64_t> stays_us(const Outcome &outcome)
{
    std::vector<uint64_t> stays;
    for (const Life &life : outcome.siege.lives) {
        const auto left = outcome.end.left_us.find(life.peer);
        if (left == outcome.end.left_us.end() || left->second >= life.quits_us) continue;
        stays.push_back(life.attacks_us == 0 ? 0 : left->second - life.attacks_us);
    }
    std::sort(stays.begin(), stays.end());
    return stays;
}

// What the bots have charged the hostile bot with, or all others.
static Charge charge(const Outcome &outcome, bool hostile)
{
    Charge sum = {};
    for (const auto &[peer, charge] : outcome.end.charges) {
        if (is_hostile(outcome, peer) != hostile) continue;
        sum.events += charge.events;
        for (size_t i = 0; i < tern::breach_kinds; ++i)
            sum.breaches[i] += charge.breaches[i];
    }
    return sum;
}

static bool is_charged(const Charge &charge)
{
    return charge.events > 0 || std::any_of(charge.breaches.begin(), charge.breaches.end(),
                                            [](uint64_t n) { return n; });
}

static std::string charge_text(const Charge &charge)
{
    return format("%llu malformed, %llu forged, %llu over quota, in %llu events",
                  static_cast<unsigned long long>(charge.breaches[1]),
                  static_cast<unsigned long long>(charge.breaches[2]),
                  static_cast<unsigned long long>(charge.breaches[3]),
                  static_cast<unsigned long long>(charge.events));
}

std::string siege(const Options &options, const Outcome &outcome)
{
    const SiegeReport &s = outcome.siege;
    const std::vector<uint64_t> stays = stays_us(outcome);
    std::string text = "attack " + std::string(options.attack->name) +
                       format(": %llu sent, as %zu peers", static_cast<unsigned long long>(s.sent),
                              s.lives.size());
    if (stays.empty())
        text += ", never removed";
    else
        text += format(", removed %zu times, after %.2f to %.2f s", stays.size(),
                       ms(stays.front()) / 1000, ms(stays.back()) / 1000);
    if (!s.end.empty()) text += "; " + s.end;
    text += format("\nthe others: %u of %u in the room, %llu times out of it for a while, the host "
                   "changed %u times; longest tick %.1f ms, %llu changes and %llu calls arrived\n",
                   outcome.in_room, options.count,
                   static_cast<unsigned long long>(outcome.end.tally.interruptions),
                   outcome.host_changes, ms(outcome.play_end.longest_tick_us),
                   static_cast<unsigned long long>(outcome.end.tally.changes_received),
                   static_cast<unsigned long long>(outcome.end.tally.calls_received));
    text += format("a guest: %zu times in, %u times not let in, waited at most %.2f s\n",
                   s.guests.size(), s.turned_away, ms(s.wait_us_max) / 1000);
    text += "charged by them: the hostile bot with " + charge_text(charge(outcome, true)) + "\n";
    const Charge honest = charge(outcome, false);
    if (is_charged(honest)) text += "CHARGED THOUGH HONEST: " + charge_text(honest) + "\n";
    return text;
}

static nlohmann::ordered_json charge_json(const Charge &charge)
{
    return {{"malformed", charge.breaches[1]},
            {"forged", charge.breaches[2]},
            {"over_quota", charge.breaches[3]},
            {"equivocated", charge.breaches[4]},
            {"events", charge.events}};
}

static nlohmann::ordered_json siege_json(const Options &options, const Outcome &outcome)
{
    const SiegeReport &s = outcome.siege;
    const std::vector<uint64_t> stays = stays_us(outcome);
    return {{"kind", options.attack->name},
            {"sent", s.sent},
            {"peers", s.lives.size()},
            {"removed", stays.size()},
            {"longest_stay_seconds", stays.empty() ? 0.0 : ms(stays.back()) / 1000},
            {"end", s.end},
            {"in_room", outcome.in_room},
            {"interruptions", outcome.end.tally.interruptions},
            {"host_changes", outcome.host_changes},
            {"longest_tick_ms", ms(outcome.play_end.longest_tick_us)},
            {"guest_joins", s.guests.size()},
            {"guest_turned_away", s.turned_away},
            {"guest_longest_wait_seconds", ms(s.wait_us_max) / 1000},
            {"charged_hostile", charge_json(charge(outcome, true))},
            {"charged_honest", charge_json(charge(outcome, false))}};
}

// --- All as JSON ---

static nlohmann::ordered_json tally_json(const Tally &tally)
{
    static_assert(std::size(refusal_names) == std::tuple_size_v<decltype(tally.refusals)>);
    nlohmann::ordered_json refused;
    for (size_t i = 1; i < std::size(refusal_names); ++i)
        if (tally.refusals[i] > 0) refused[refusal_names[i]] = tally.refusals[i];
    return {{"created", tally.created},
            {"not_created", tally.not_created},
            {"destroyed", tally.destroyed},
            {"sets", tally.sets},
            {"claims", tally.claims},
            {"claims_granted", tally.granted},
            {"claims_refused", tally.refused},
            {"refusals", refused.is_null() ? nlohmann::ordered_json::object() : refused},
            {"calls", tally.calls},
            {"calls_not_sent", tally.not_called},
            {"calls_received", tally.calls_received},
            {"changes_received", tally.changes_received}};
}

static nlohmann::ordered_json network_json(const Outcome &outcome)
{
    const Census &end = outcome.play_end;
    const Census &begin = outcome.play_begin;
    const auto rate = [&](uint64_t now, uint64_t before) {
        return outcome.play_s > 0 ? static_cast<double>(now - before) / outcome.play_s : 0.0;
    };
    return {{"sent_bytes_per_second", rate(end.sockets.sent_bytes, begin.sockets.sent_bytes)},
            {"received_bytes_per_second",
             rate(end.sockets.received_bytes, begin.sockets.received_bytes)},
            {"sent_datagrams", end.sockets.sent_datagrams},
            {"received_datagrams", end.sockets.received_datagrams},
            {"lost_datagrams", end.lost_datagrams},
            {"send_failures", end.sockets.send_failures},
            {"rtt_ms_median", ms(percentile_us(end.rtts, 50))},
            {"rtt_ms_99", ms(percentile_us(end.rtts, 99))},
            {"rtt_ms_worst", ms(end.rtts.worst_us)}};
}

std::string json(const Options &options, const Outcome &outcome)
{
    nlohmann::ordered_json out = {{"bots", options.count},
                                  {"joined", outcome.joined},
                                  {"failed", outcome.end.failed},
                                  {"lost", outcome.end.lost},
                                  {"left", outcome.end.left},
                                  {"interrupted", outcome.interrupted},
                                  {"play_seconds", outcome.play_s},
                                  {"late_ticks", outcome.play_end.late_ticks},
                                  {"worst_late_ms", ms(outcome.play_end.worst_late_us)}};
    nlohmann::ordered_json why = nlohmann::ordered_json::object();
    for (const auto &[text, count] : outcome.end.ends)
        why[text] = count;
    out["ends"] = why;
    out["load"] = tally_json(outcome.end.tally);
    out["network"] = network_json(outcome);
    if (outcome.compared) {
        nlohmann::ordered_json digests = nlohmann::ordered_json::object();
        for (const auto &[digest, count] : outcome.rest.digests)
            digests[digest_text(digest)] = count;
        out["world"] = {{"settled", outcome.settled},  {"settle_seconds", outcome.settle_s},
                        {"digests", digests},          {"objects", outcome.rest.objects},
                        {"owned", outcome.rest.owned}, {"claims_awaiting", outcome.rest.awaiting}};
    }
    if (options.attack) out["hostile"] = siege_json(options, outcome);
    return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

ExitCode exit_code(const Options &options, const Outcome &outcome)
{
    if (outcome.joined == 0 && outcome.end.unreachable > 0 &&
        outcome.end.unreachable == outcome.end.failed)
        return ExitCode::nobody_reached;
    const bool all = outcome.joined == options.count && outcome.end.lost == 0;
    const bool cut_short = outcome.interrupted && outcome.end.failed == 0 && outcome.end.lost == 0;
    const bool equal = !outcome.compared || outcome.settled;
    const bool repelled = !options.attack ||
                          (!outcome.siege.lives.empty() && outcome.host_changes == 0 &&
                           outcome.in_room == options.count && !is_charged(charge(outcome, false)));
    return (all || cut_short) && equal && repelled ? ExitCode::good : ExitCode::not_good;
}

}
