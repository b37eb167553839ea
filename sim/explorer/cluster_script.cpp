#include "sim/explorer/cluster_script.h"
#include "sim/explorer/cluster_script_play.h"
#include "sim/world/names.h"
#include <algorithm>
#include <charconv>

namespace tern::cluster_script {

static constexpr std::string_view header = "tern-trace 1 explore";

// --- Names ---

struct MoveName {
    std::string_view name;
    MoveKind kind;
    enum Shape : uint8_t { peer, peer_object, pair, pair_number, pair_object, pair_peer } shape;
    LieKind lie = LieKind::none;
};
static constexpr MoveName move_names[] = {
    {"create", MoveKind::create, MoveName::peer},
    {"claim", MoveKind::claim, MoveName::peer_object},
    {"destroy", MoveKind::destroy, MoveName::peer_object},
    {"set", MoveKind::set, MoveName::peer_object},
    {"lock", MoveKind::lock, MoveName::peer_object},
    {"release", MoveKind::release, MoveName::peer_object},
    {"hide", MoveKind::hide, MoveName::pair_object},
    {"deliver", MoveKind::deliver, MoveName::pair},
    {"update", MoveKind::update, MoveName::pair_number},
    {"lose", MoveKind::lose, MoveName::pair_number},
    {"crash", MoveKind::crash, MoveName::peer},
    {"notice", MoveKind::notice, MoveName::pair},
    {"join", MoveKind::join, MoveName::pair},
    {"wait", MoveKind::wait, MoveName::peer},
    {"hold", MoveKind::hold, MoveName::pair},
    {"pull", MoveKind::pull, MoveName::pair},
    {"suspect", MoveKind::suspect, MoveName::pair},
    {"forge_migrate", MoveKind::forge_migrate, MoveName::pair_object},
    {"forge_destroy", MoveKind::forge_destroy, MoveName::pair_object},
    {"replay", MoveKind::replay, MoveName::pair_peer},
    {"repeat", MoveKind::repeat, MoveName::pair_peer},
    {"withhold", MoveKind::withhold, MoveName::pair},
    {"mute", MoveKind::mute, MoveName::pair},
    {"oust", MoveKind::oust, MoveName::pair},
    {"lie_fences", MoveKind::lie, MoveName::pair_peer, LieKind::fences},
    {"lie_farewell", MoveKind::lie, MoveName::pair_peer, LieKind::farewell},
    {"lie_empty", MoveKind::lie, MoveName::pair, LieKind::empty},
    {"lie_takes", MoveKind::lie, MoveName::pair_object, LieKind::takes},
    {"lie_buries", MoveKind::lie, MoveName::pair_object, LieKind::buries},
    {"lie_destroys", MoveKind::lie, MoveName::pair_object, LieKind::destroys},
    {"lie_creates", MoveKind::lie, MoveName::pair_number, LieKind::creates},
    {"lie_accuses", MoveKind::lie, MoveName::pair_peer, LieKind::accuses},
    {"lie_queries", MoveKind::lie, MoveName::pair_peer, LieKind::queries},
};

static bool has_pair(const MoveName &name)
{
    return name.shape >= MoveName::pair;
}

static bool has_object(const MoveName &name)
{
    return name.shape == MoveName::peer_object || name.shape == MoveName::pair_object;
}

struct BudgetName {
    std::string_view name;
    uint16_t ExploreScope::*budget;
};
static constexpr BudgetName budget_names[] = {
    {"peers", &ExploreScope::peers},           {"creates", &ExploreScope::creates},
    {"claims", &ExploreScope::claims},         {"destroys", &ExploreScope::destroys},
    {"crashes", &ExploreScope::crashes},       {"updates", &ExploreScope::updates},
    {"joins", &ExploreScope::joins},           {"losses", &ExploreScope::losses},
    {"waits", &ExploreScope::waits},           {"holds", &ExploreScope::holds},
    {"suspicions", &ExploreScope::suspicions}, {"forges", &ExploreScope::forges},
    {"locks", &ExploreScope::locks},           {"releases", &ExploreScope::releases},
    {"hides", &ExploreScope::hides},           {"lies", &ExploreScope::lies},
};

// --- Reading one line ---

struct Words { // The words of one line.
    std::vector<std::string_view> all;
    size_t next = 0;
    std::string error; // The first error: what was found and what was expected.
};

static Words words_of(std::string_view line)
{
    Words words;
    line = line.substr(0, line.find('#'));
    while (true) {
        const size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) return words;
        line.remove_prefix(begin);
        const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
        words.all.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

static std::string_view next(Words &words)
{
    if (words.next == words.all.size()) return {};
    words.next += 1;
    return words.all[words.next - 1];
}

static void expected(Words &words, std::string_view word, std::string_view what)
{
    if (!words.error.empty()) return;
    words.error = word.empty() ? "the line ends" : "`" + std::string(word) + "`";
    words.error += ", expected " + std::string(what);
}

static uint64_t number_in(Words &words, std::string_view word, uint64_t min, uint64_t max,
                          std::string_view what, int base = 10)
{
    uint64_t number = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number, base);
    const bool whole = fault == std::errc{} && end == word.data() + word.size();
    if (whole && number >= min && number <= max) return number;
    expected(words, word, what);
    return min;
}

static PeerPlace read_peer(Words &words, std::string_view word)
{
    return static_cast<PeerPlace>(
        number_in(words, word, 1, cluster_peers_max, "the number of a peer") - 1);
}

static ObjectId read_object(Words &words)
{
    const std::string_view word = next(words);
    const size_t dot = word.find('.');
    const std::string_view what = "an object, as 2.1: creator and serial";
    if (dot == std::string_view::npos) {
        expected(words, word, what);
        return ObjectId::none;
    }
    const uint64_t creator = number_in(words, word.substr(0, dot), 1, cluster_peers_max, what);
    const uint64_t serial =
        number_in(words, word.substr(dot + 1), 1, cluster_objects_max - 1, what);
    return object_id::make(static_cast<PeerId>(creator), static_cast<uint32_t>(serial));
}

static void read_pair(Words &words, Move &move)
{
    const std::string_view word = next(words);
    const size_t arrow = word.find('>');
    if (arrow == std::string_view::npos) return expected(words, word, "two peers, as 2>3");
    move.a = read_peer(words, word.substr(0, arrow));
    move.b = read_peer(words, word.substr(arrow + 1));
    if (move.a == move.b) expected(words, word, "two peers that differ");
}

// --- Lines ---

static void read_move(Words &words, const MoveName &name, ScriptLine &line)
{
    line.kind = LineKind::move;
    line.move.kind = name.kind;
    line.move.lie = name.lie;
    if (has_pair(name))
        read_pair(words, line.move);
    else
        line.move.a = read_peer(words, next(words));
    if (has_object(name))
        line.move.number = static_cast<uint16_t>(object_code::of(read_object(words)));
    if (name.shape == MoveName::pair_number)
        line.move.number = static_cast<uint16_t>(
            number_in(words, next(words), 1, 99, "the number of a place, from 1") - 1);
    if (name.shape == MoveName::pair_peer) line.move.number = read_peer(words, next(words));
}

static void read_flow(Words &words, ScriptLine &line)
{
    line.kind = LineKind::flow;
    line.move.kind = MoveKind::deliver;
    if (words.next < words.all.size()) read_pair(words, line.move);
}

static uint8_t read_who(Words &words, std::string_view word)
{
    if (word == "all") return 255;
    unsigned who = 0;
    while (words.error.empty() && !word.empty()) {
        const size_t comma = std::min(word.find(','), word.size());
        who |= 1u << read_peer(words, word.substr(0, comma));
        word.remove_prefix(std::min(comma + 1, word.size()));
    }
    return static_cast<uint8_t>(who);
}

static void read_alive(Words &words, Expectation &e)
{
    while (words.error.empty() && words.next < words.all.size()) {
        const std::string_view word = next(words);
        if (word == "owner") {
            e.has_owner = true;
            e.owner = static_cast<PeerId>(read_peer(words, next(words)) + 1);
        } else if (word == "stamp") {
            e.has_stamp = true;
            e.stamp = static_cast<uint32_t>(
                number_in(words, next(words), 0, UINT32_MAX, "the count of a stamp"));
        } else if (word == "write") {
            e.has_write = true;
            e.write = static_cast<uint32_t>(
                number_in(words, next(words), 0, UINT32_MAX, "the number of a write"));
        } else {
            expected(words, word, "owner, stamp or write");
        }
    }
}

static void read_expect(Words &words, ScriptLine &line)
{
    line.kind = LineKind::expect;
    Expectation &e = line.expectation;
    e.kind = ExpectKind::quiet;
    const std::string_view who = next(words);
    if (who == "quiet") return;
    e.who = read_who(words, who);
    const std::string_view what = next(words);
    if (what == "claims") {
        e.kind = ExpectKind::claims;
        e.count = static_cast<uint32_t>(number_in(words, next(words), 0, 99, "how many claims"));
        return;
    }
    e.kind = what == "dead"      ? ExpectKind::dead
             : what == "unknown" ? ExpectKind::unknown
                                 : ExpectKind::alive;
    if (e.kind == ExpectKind::alive && what != "alive")
        expected(words, what, "dead, alive, unknown or claims");
    e.object = read_object(words);
    if (e.kind == ExpectKind::alive) read_alive(words, e);
}

static void read_scope(Words &words, ExploreScope &scope)
{
    while (words.error.empty() && words.next < words.all.size()) {
        const std::string_view word = next(words);
        const uint64_t number = number_in(words, next(words), 0, 15, "a number up to 15");
        const auto *end = std::end(budget_names);
        const auto *named = std::find_if(std::begin(budget_names), end,
                                         [&](const BudgetName &n) { return n.name == word; });
        if (named != end)
            scope.*named->budget = static_cast<uint16_t>(number);
        else if (word == "mortal")
            scope.mortal = number != 0;
        else if (word == "objects_max")
            scope.objects_max = static_cast<uint16_t>(number);
        else if (word == "liar")
            scope.liar = static_cast<uint16_t>(number);
        else if (word == "survivors")
            scope.survivors = number != 0;
        else if (word == "star")
            scope.star = number != 0;
        else if (word == "symmetry")
            scope.symmetry = number != 0;
        else
            expected(words, word, "a name of ExploreScope, as peers or claims");
    }
    if (scope.peers == 0 || scope.peers + scope.joins > cluster_peers_max)
        expected(words, "peers", "1 to 6 peers, with those that join");
}

static void read_line(Words &words, ParsedScript &parsed, ScriptLine &line)
{
    Script &script = parsed.script;
    const std::string_view word = next(words);
    if (word == "scope") return read_scope(words, script.scope);
    if (word == "digest") {
        script.has_digest = true;
        script.digest = number_in(words, next(words), 0, UINT64_MAX, "16 digits", 16);
        return;
    }
    const auto *end = std::end(move_names);
    const auto *named = std::find_if(std::begin(move_names), end,
                                     [&](const MoveName &name) { return name.name == word; });
    if (named != end)
        read_move(words, *named, line);
    else if (word == "flow")
        read_flow(words, line);
    else if (word == "expect")
        read_expect(words, line);
    else
        return expected(words, word, "a move (create, deliver, ...), flow, expect or digest");
    if (words.error.empty()) script.lines.push_back(line);
}

// Raises the budgets of the scope to what the script's moves use.
static void widen(ExploreScope &scope, const std::vector<ScriptLine> &lines)
{
    ExploreScope used = {};
    used.creates = 0;
    for (const ScriptLine &line : lines) {
        if (line.kind != LineKind::move) continue;
        switch (line.move.kind) {
        case MoveKind::create: used.creates += 1; break;
        case MoveKind::claim: used.claims += 1; break;
        case MoveKind::destroy: used.destroys += 1; break;
        case MoveKind::set: used.updates += 1; break;
        case MoveKind::lock: used.locks += 1; break;
        case MoveKind::release: used.releases += 1; break;
        case MoveKind::hide: used.hides += 1; break;
        case MoveKind::lose: used.losses += 1; break;
        case MoveKind::crash: used.crashes += 1; break;
        case MoveKind::wait: used.waits += 1; break;
        case MoveKind::join: used.joins += 1; break;
        case MoveKind::hold: used.holds += 1; break;
        case MoveKind::suspect: used.suspicions += 1; break;
        case MoveKind::forge_migrate:
        case MoveKind::forge_destroy:
        case MoveKind::replay: used.forges += 1; break;
        case MoveKind::lie:
        case MoveKind::repeat:
        case MoveKind::withhold:
        case MoveKind::mute: used.lies += 1; break;
        default: break;
        }
    }
    for (const BudgetName &name : budget_names)
        if (name.budget != &ExploreScope::peers)
            scope.*name.budget = std::max(scope.*name.budget, used.*name.budget);
}

static std::string limits_broken(const ExploreScope &scope)
{
    if (scope.peers + scope.joins > cluster_peers_max) return "more than 6 peers, with newcomers";
    if (scope.creates >= cluster_objects_max) return "more than 3 objects";
    if (scope.objects_max == 0 || scope.objects_max > cluster_places_max)
        return "objects_max is not from 1 to 12";
    if (scope.destroys > cluster::destroys_max) return "more than 4 destroys";
    if (const char *broken = cluster::liar_broken(scope)) return broken;
    for (const BudgetName &name : budget_names)
        if (scope.*name.budget > 15) return "more than 15 " + std::string(name.name);
    return {};
}

ParsedScript parse(std::string_view text)
{
    ParsedScript parsed;
    uint32_t number = 0;
    bool begun = false;
    while (!text.empty()) {
        const size_t length = std::min(text.find('\n'), text.size());
        const std::string_view raw = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        number += 1;
        Words words = words_of(raw);
        if (words.all.empty()) continue;
        ScriptLine line = {number, LineKind::move, {}, {}, std::string(raw)};
        if (!begun) {
            begun = raw.substr(0, header.size()) == header;
            if (!begun) expected(words, raw, "`" + std::string(header) + "`");
        } else if (words.all[0] == "title") {
            parsed.script.title = raw.substr(std::min(raw.find("title") + 6, raw.size()));
        } else {
            read_line(words, parsed, line);
            if (words.next < words.all.size()) expected(words, words.all[words.next], "no more");
        }
        if (words.error.empty()) continue;
        parsed.error = "line " + std::to_string(number) + ": " + words.error;
        return parsed;
    }
    if (!begun) parsed.error = "the text is empty, expected `" + std::string(header) + "`";
    widen(parsed.script.scope, parsed.script.lines);
    const std::string broken = limits_broken(parsed.script.scope);
    if (!broken.empty() && parsed.error.empty()) parsed.error = "the script has " + broken;
    return parsed;
}

// --- Writing ---

static std::string pair_text(const Move &move)
{
    return std::to_string(move.a + 1) + ">" + std::to_string(move.b + 1);
}

std::string text(const Move &move)
{
    for (const MoveName &name : move_names) {
        if (name.kind != move.kind || name.lie != move.lie) continue;
        std::string text = std::string(name.name) + " ";
        text += has_pair(name) ? pair_text(move) : std::to_string(move.a + 1);
        if (has_object(name)) text += " " + names::text(object_code::id(move.number));
        if (name.shape == MoveName::pair_number || name.shape == MoveName::pair_peer)
            text += " " + std::to_string(move.number + 1);
        return text;
    }
    return {};
}

static std::string hex(uint64_t value)
{
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4)
        text += "0123456789abcdef"[value >> shift & 15];
    return text;
}

std::string text(const Script &script)
{
    std::string text = std::string(header) + "\n";
    if (!script.title.empty()) text += "title " + script.title + "\n";
    text += "scope";
    for (const BudgetName &name : budget_names)
        text += " " + std::string(name.name) + " " + std::to_string(script.scope.*name.budget);
    if (script.scope.objects_max != cluster_places_max)
        text += " objects_max " + std::to_string(script.scope.objects_max);
    if (script.scope.liar != 0) text += " liar " + std::to_string(script.scope.liar);
    if (script.scope.survivors) text += " survivors 1";
    if (script.scope.star) text += " star 1";
    text += script.scope.mortal ? " mortal 1\n" : "\n";
    for (const ScriptLine &line : script.lines)
        text += line.text + "\n";
    if (script.has_digest) text += "digest " + hex(script.digest) + "\n";
    return text;
}

Script of(const ExploreScope &scope, std::span<const Move> moves)
{
    Script script;
    script.scope = scope;
    for (const Move &move : moves)
        script.lines.push_back(
            {static_cast<uint32_t>(script.lines.size() + 1), LineKind::move, move, {}, text(move)});
    widen(script.scope, script.lines);
    script.digest = play(script).digest;
    script.has_digest = true;
    return script;
}

}
