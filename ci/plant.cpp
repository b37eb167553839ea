// Plants mistakes by rule in a copy of the source tree: plant <tree> <copy> <seed> <count>
// <dropped> <module...>. Each mistake becomes a place of the form `planted::is(N) ? mistake :
// original`, so the copy is compiled once for all of them. Writes the files with mistakes into the
// copy, with the same line numbers, and prints a line for each mistake: number, module, file, line,
// rule, before, after, key; separated by tabs. The file <dropped> lists keys of mistakes that do
// not compile.
#include "tests/tidy_source.h"
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace {

using std::string;
using std::string_view;

// A part of a function's body that can be replaced as a whole. A statement's semicolon is no part
// of it.
enum class Form {
    expression, // EXPR: a condition, or what a declared variable is set to
    statement,  // STATEMENT; without a declaration
};
struct Region {
    Form form;
    size_t begin, end; // Offsets in the file
    bool is_condition; // The parenthesis belongs to an if, a while or a for.
    bool is_guarded;   // The statement is all that an if does.
};

// One mistake: the text of a region from `at`, `length` characters, becomes `text`.
struct Place {
    const tidy::File *file;
    Region region;
    size_t at, length;
    string text;
    const char *rule;
    size_t line;
    string key;
};

string read(const string &path)
{
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

// The text with single blanks in place of line ends and indents.
string one_line(const string &text)
{
    string out;
    for (const char c : text)
        if ((c != '\n' && c != ' ') || out.empty() || out.back() != ' ') out += c == '\n' ? ' ' : c;
    return out;
}

size_t line_at(string_view text, size_t offset)
{
    return 1 + static_cast<size_t>(
                   std::count(text.begin(), text.begin() + static_cast<long>(offset), '\n'));
}

bool is_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The offset of the parenthesis, bracket or brace that closes the one at `open`.
size_t closing(string_view code, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < code.size(); ++i) {
        if (string_view("([{").find(code[i]) != string_view::npos) depth += 1;
        if (string_view(")]}").find(code[i]) != string_view::npos) depth -= 1;
        if (depth == 0) return i;
    }
    return string_view::npos;
}

// The next `c` outside of all parentheses, from `begin` and before `end`; else npos.
size_t find_outside(string_view code, char c, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        if (code[i] == c) return i;
        if (string_view("([{").find(code[i]) != string_view::npos) i = closing(code, i);
        if (i == string_view::npos) break;
    }
    return string_view::npos;
}

size_t skip_space(string_view code, size_t at)
{
    while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])))
        at += 1;
    return at;
}

string word_at(string_view code, size_t at)
{
    size_t end = at;
    while (end < code.size() && is_word(code[end]))
        end += 1;
    return string(code.substr(at, end - at));
}

// --- Regions ---

// The condition in the parentheses at `open`.
void add_condition(std::vector<Region> &out, string_view code, const string &keyword, size_t open)
{
    const size_t close = closing(code, open);
    size_t begin = open + 1, end = close;
    const size_t first = find_outside(code, ';', begin, end);
    if (keyword == "for") {
        if (first == string_view::npos) return;
        begin = first + 1;
        end = find_outside(code, ';', begin, close);
    } else if (first != string_view::npos) {
        begin = first + 1;
    }
    begin = skip_space(code, begin);
    if (end == string_view::npos || begin >= end) return;
    const string text(code.substr(begin, end - begin));
    if (text.find(" = ") != string::npos) return; // It declares a variable.
    out.push_back({Form::expression, begin, end, true, false});
}

// A simple statement, from `begin` to the semicolon at `end`.
void add_statement(std::vector<Region> &out, string_view code, size_t begin, size_t end,
                   bool is_guarded)
{
    static const std::regex skipped(
        "^(TERN_(SLOW_)?ASSERT|static_assert|using|static|constexpr|auto|"
        "alignas|struct|goto|throw|extern|typedef|asm|delete)\\b");
    static const std::regex declaration(
        R"(^(const )?[\w:]+(<[^;=]*>)?( ?[*&]+ ?| )\w+ *(=|;|\(|\{|\[|,|$))");
    const string text(code.substr(begin, end - begin));
    if (text.empty() || std::regex_search(text, skipped)) return;
    const string first = word_at(code, begin);
    if (first.empty() && text[0] != '*' && text[0] != '(') return;
    std::smatch match;
    if (first == "return" || first == "continue" || first == "break") {
        out.push_back({Form::statement, begin, end, false, is_guarded});
    } else if (std::regex_search(text, match, declaration)) {
        if (match.str(4) != "=") return;
        const size_t value = skip_space(code, begin + static_cast<size_t>(match.length(0)));
        const size_t comma = find_outside(code, ',', value, end);
        out.push_back({Form::expression, value, std::min(comma, end), false, false});
    } else {
        out.push_back({Form::statement, begin, end, false, is_guarded});
    }
}

// Statements and conditions in the body of a function, from `begin` to its closing brace.
void add_regions(std::vector<Region> &out, string_view code, size_t begin, size_t end)
{
    size_t at = skip_space(code, begin);
    bool is_guarded = false;
    while (at < end) {
        const string word = word_at(code, at);
        if (code[at] == '{' || code[at] == '}' || code[at] == ';') {
            is_guarded = false;
            at = skip_space(code, at + 1);
        } else if (word == "else" || word == "do") {
            at = skip_space(code, at + word.size());
        } else if (word == "case" || word == "default") {
            at = find_outside(code, ':', at, end);
            while (at < end && code[at + 1] == ':') // case State::open:
                at = find_outside(code, ':', at + 2, end);
            if (at >= end) return;
            at = skip_space(code, at + 1);
        } else if (word == "if" || word == "for" || word == "while" || word == "switch") {
            const size_t open = code.find('(', at);
            const bool is_constant = code.substr(at, open - at).find("constexpr") < open;
            if (word != "switch" && !is_constant) add_condition(out, code, word, open);
            is_guarded = word == "if";
            at = skip_space(code, closing(code, open) + 1);
        } else {
            const size_t stop = find_outside(code, ';', at, end);
            if (stop >= end) return;
            const bool has_body = code.substr(at, stop - at).find('{') < stop; // A lambda, a list
            if (!has_body) add_statement(out, code, at, stop, is_guarded);
            is_guarded = false;
            at = skip_space(code, stop + 1);
        }
    }
}

// --- Rules ---

struct Swap {
    const char *rule;
    string before, after;
};

const std::vector<Swap> &swaps()
{
    static const std::vector<Swap> all = {
        {"comparison", " < ", " <= "},
        {"comparison", " <= ", " < "},
        {"comparison", " > ", " >= "},
        {"comparison", " >= ", " > "},
        {"equality", " == ", " != "},
        {"equality", " != ", " == "},
        {"and, or", " && ", " || "},
        {"and, or", " || ", " && "},
        {"one dropped", " + 1", ""},
        {"one dropped", " - 1", ""},
        {"sign", " + ", " - "},
        {"sign", " - ", " + "},
        {"sign", " += ", " -= "},
        {"sign", " -= ", " += "},
        {"wrong bound", "std::min", "std::max"},
        {"wrong bound", "std::max", "std::min"},
        {"constant", "true", "false"},
        {"constant", "false", "true"},
    };
    return all;
}

struct Edits {
    std::vector<Place> places;
    const tidy::File *file;
    string_view code;
    std::map<string, size_t> keys; // How often each was given: code may be repeated.
};

void add(Edits &out, const Region &region, size_t at, size_t length, const string &text,
         const char *rule)
{
    const size_t line = line_at(out.code, region.begin); // Where the mistake is written
    // It does not name the line, so that most mistakes stay when code above them changes.
    string key(out.code.substr(region.begin, region.end - region.begin));
    key += " @" + std::to_string(at - region.begin) + " " + rule + " " + text;
    key = out.file->path + ": " + one_line(key);
    const size_t same = out.keys[key]++;
    if (same > 0) key += " #" + std::to_string(same);
    out.places.push_back({out.file, region, at, length, text, rule, line, key});
}

void add_swaps(Edits &out, const Region &region)
{
    const string_view text = out.code.substr(region.begin, region.end - region.begin);
    for (const Swap &swap : swaps()) {
        // Texts can be added only.
        if (swap.rule == string_view("sign") && text.find('"') != string_view::npos) continue;
        size_t at = out.code.find(swap.before, region.begin);
        for (; at < region.end; at = out.code.find(swap.before, at + 1)) {
            if (at + swap.before.size() > region.end) break;
            const char next = out.code[at + swap.before.size()];
            const bool is_part = is_word(swap.before.back()) && (is_word(next) || next == '.');
            const bool inside_word =
                is_word(swap.before.front()) && at > 0 && is_word(out.code[at - 1]);
            if (is_part || inside_word) continue;
            add(out, region, at, swap.before.size(), swap.after, swap.rule);
        }
    }
}

// Small numbers, which are indices, bounds and first values, become one more.
void add_constants(Edits &out, const Region &region)
{
    for (size_t i = region.begin; i < region.end; ++i) {
        if (!std::isdigit(static_cast<unsigned char>(out.code[i]))) continue;
        const size_t begin = i;
        while (i < region.end &&
               (is_word(out.code[i]) || out.code[i] == '\'' || out.code[i] == '.'))
            i += 1;
        const string number(out.code.substr(begin, i - begin));
        const bool plain = std::all_of(number.begin(), number.end(),
                                       [](unsigned char c) { return std::isdigit(c); });
        if (!plain || number.size() > 4 || is_word(out.code[begin - 1])) continue;
        add(out, region, begin, number.size(), std::to_string(std::stoul(number) + 1), "constant");
    }
}

void add_negations(Edits &out, const Region &region)
{
    const string_view text = out.code.substr(region.begin, region.end - region.begin);
    for (size_t i = 0; i + 1 < text.size(); ++i)
        if (text[i] == '!' && text[i + 1] != '=')
            add(out, region, region.begin + i, 1, "", "negation");
    const bool has_literals =
        text.find_first_of("\"'") != string_view::npos; // They are blank here.
    if (region.is_condition && text[0] != '!' && !has_literals)
        add(out, region, region.begin, text.size(), "!(" + string(text) + ")", "negation");
}

// Calls and assignments are left out, and so are early returns.
void add_removal(Edits &out, const Region &region)
{
    if (region.form != Form::statement) return;
    const string word = word_at(out.code, region.begin);
    const bool leaves = word == "return" || word == "continue" || word == "break";
    if (leaves && !region.is_guarded) return;
    add(out, region, region.begin, region.end - region.begin, "",
        leaves ? "early return" : "dropped statement");
}

// --- Choosing ---

uint64_t mixed(const string &text, uint64_t seed)
{
    uint64_t hash = 0xcbf29ce484222325 ^ (seed * 0x9e3779b97f4a7c15);
    for (const unsigned char c : text)
        hash = (hash ^ c) * 0x100000001b3;
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccd;
    return hash ^ (hash >> 29);
}

// Lines of a file near which sim/mutants/ has a mutant already.
std::set<size_t> lines_with_mutants(const string &tree, const string &path)
{
    static const std::regex hunk(R"(@@ -(\d+)(?:,(\d+))? )");
    const string name = path.substr(0, path.rfind('.'));
    const string patch = read(tree + "/sim/mutants/" + name + ".patch");
    std::set<size_t> lines;
    for (std::sregex_iterator it(patch.begin(), patch.end(), hunk), end; it != end; ++it) {
        const size_t first = std::stoul(it->str(1));
        const size_t count = it->str(2).empty() ? 1 : std::stoul(it->str(2));
        for (size_t i = 0; i < count; ++i)
            lines.insert(first + i);
    }
    return lines;
}

std::vector<Place> places_of(const tidy::File &file, const std::set<size_t> &taken)
{
    const string code = tidy::without_comments(file.text);
    std::vector<size_t> starts = {0, 0}; // Where each line begins; there is no line 0.
    for (size_t i = 0; i < code.size(); ++i)
        if (code[i] == '\n') starts.push_back(i + 1);
    std::vector<Region> regions;
    for (const tidy::Function &function : tidy::functions_of(file.text).functions) {
        if (function.head.find("constexpr") != string::npos) continue;
        const size_t open = code.find('{', starts[function.first_line]);
        if (open != string::npos) add_regions(regions, code, open + 1, closing(code, open));
    }
    Edits out = {{}, &file, code, {}};
    for (const Region &region : regions) {
        add_swaps(out, region);
        add_constants(out, region);
        add_negations(out, region);
        add_removal(out, region);
    }
    std::erase_if(out.places, [&](const Place &place) { return taken.contains(place.line); });
    return out.places;
}

bool overlap(const Place &a, const Place &b)
{
    return a.file == b.file && a.region.begin < b.region.end && b.region.begin < a.region.end;
}

// Takes rules in turn, since some apply to many more places than others, and at most one mistake
// for a region.
std::vector<Place> chosen(std::vector<Place> all, uint64_t seed, size_t count)
{
    std::sort(all.begin(), all.end(), [&](const Place &a, const Place &b) {
        return std::pair(mixed(a.key, seed), a.key) < std::pair(mixed(b.key, seed), b.key);
    });
    std::map<string, std::vector<Place>> by_rule;
    for (const Place &place : all)
        by_rule[place.rule].push_back(place);
    std::vector<Place> out;
    for (bool any = true; any && out.size() < count;) {
        any = false;
        for (auto &[rule, places] : by_rule) {
            auto it = std::find_if(places.begin(), places.end(), [&](const Place &place) {
                return std::none_of(out.begin(), out.end(),
                                    [&](const Place &other) { return overlap(place, other); });
            });
            if (it == places.end() || out.size() == count) continue;
            out.push_back(*it);
            places.erase(places.begin(), it + 1);
            any = true;
        }
    }
    return out;
}

// --- Writing ---

// The text from `begin` to `end` without comments. In `code` comments and literals are blank.
string uncommented(string_view code, string_view text, size_t begin, size_t end)
{
    string out;
    char quote = 0;
    for (size_t i = begin; i < end; ++i) {
        out += quote ? text[i] : code[i];
        if (quote && code[i] == quote)
            quote = 0;
        else if (!quote && (code[i] == '"' || (code[i] == '\'' && !is_word(code[i - 1]))))
            quote = code[i];
    }
    return out;
}

// The region with the mistake, on one line and without comments.
string mistaken(const Place &place, string_view code)
{
    const string_view text = place.file->text;
    return one_line(uncommented(code, text, place.region.begin, place.at) + place.text +
                    uncommented(code, text, place.at + place.length, place.region.end));
}

string planted_text(const Place &place, string_view code, unsigned long number)
{
    const string_view text = place.file->text;
    const size_t begin = place.region.begin, end = place.region.end;
    const string is = "planted::is(" + std::to_string(number) + ")";
    const string original(text.substr(begin, end - begin));
    const string mistake = mistaken(place, code);
    if (place.region.form == Form::expression)
        return "(" + is + " ? (" + mistake + ") : (" + original + "))";
    return "{ if (" + is + ") { " + mistake + "; } else { " + original + "; } }";
}

void write_if_changed(const string &path, const string &text)
{
    if (read(path) == text) return;
    std::ofstream(path, std::ios::binary) << text;
}

void print(const Place &place, string_view code, const string &module, unsigned long number)
{
    const string before =
        one_line(uncommented(code, place.file->text, place.region.begin, place.region.end));
    const string after = mistaken(place, code);
    std::printf("%lu\t%s\t%s\t%zu\t%s\t%s\t%s\t%s\n", number, module.c_str(),
                place.file->path.c_str(), place.line, place.rule, before.c_str(),
                after.empty() ? "(nothing)" : after.c_str(), place.key.c_str());
}

// Writes all files of a module into the copy, and prints its mistakes. Returns the last number.
unsigned long plant_module(const std::vector<tidy::File> &files, const string &copy,
                           const string &module, std::vector<Place> places, unsigned long number)
{
    std::sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
        return std::pair(a.file->path, a.at) < std::pair(b.file->path, b.at);
    });
    for (const tidy::File &file : files) {
        if (!tidy::is_code(file) || tidy::folder(file.path) != module) continue;
        const string code = tidy::without_comments(file.text);
        string text;
        size_t done = 0;
        for (const Place &place : places) {
            if (place.file != &file) continue;
            print(place, code, module, ++number);
            text.append(file.text, done, place.region.begin - done);
            text += planted_text(place, code, number);
            done = place.region.end + (place.region.form == Form::statement);
        }
        write_if_changed(copy + "/" + file.path, text + file.text.substr(done));
    }
    return number;
}

}

int main(int argc, char **argv)
{
    if (argc < 7) return 2;
    const string tree = argv[1], copy = argv[2];
    const uint64_t seed = std::strtoull(argv[3], nullptr, 10);
    const size_t count = std::strtoull(argv[4], nullptr, 10);
    const string dropped_text = read(argv[5]);
    std::set<string, std::less<>> dropped;
    for (const string_view line : tidy::lines_of(dropped_text))
        dropped.emplace(line);
    const std::vector<tidy::File> files = tidy::files_of(tree);
    unsigned long number = 0;
    for (int i = 6; i < argc; ++i) {
        std::vector<Place> all;
        for (const tidy::File &file : files) {
            if (!tidy::is_code(file) || tidy::folder(file.path) != argv[i]) continue;
            for (Place &place : places_of(file, lines_with_mutants(tree, file.path)))
                if (!dropped.contains(place.key)) all.push_back(std::move(place));
        }
        number = plant_module(files, copy, argv[i], chosen(std::move(all), seed, count), number);
    }
}
