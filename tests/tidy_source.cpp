#include "tests/tidy_source.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace tidy {

static bool starts_with_any(const std::string &name, std::initializer_list<const char *> prefixes)
{
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const char *prefix) { return name.starts_with(prefix); });
}

static bool is_text(const std::filesystem::path &path)
{
    static const std::vector<std::string> kinds = {".h",   ".hpp", ".cpp",  ".c",  ".cmake", ".in",
                                                   ".txt", ".md",  ".json", ".sh", ".lua"};
    const std::string name = path.filename().string();
    return name == "dev" || name == "run" ||
           std::find(kinds.begin(), kinds.end(), path.extension().string()) != kinds.end();
}

std::vector<File> files_of(const std::string &root)
{
    namespace fs = std::filesystem;
    std::vector<File> files;
    fs::recursive_directory_iterator it(root);
    for (; it != fs::recursive_directory_iterator(); ++it) {
        const std::string name = it->path().filename().string();
        if (it->is_directory()) {
            const bool made = it.depth() == 0 && starts_with_any(name, {"build", ".git", ".cache"});
            if (made) it.disable_recursion_pending();
            continue;
        }
        if (!it->is_regular_file() || !is_text(it->path())) continue;
        std::ifstream stream(it->path(), std::ios::binary);
        std::ostringstream text;
        text << stream.rdbuf();
        files.push_back({fs::relative(it->path(), root).generic_string(), text.str()});
    }
    std::sort(files.begin(), files.end(),
              [](const File &a, const File &b) { return a.path < b.path; });
    return files;
}

bool is_code(const File &file)
{
    return file.path.ends_with(".h") || file.path.ends_with(".hpp") ||
           file.path.ends_with(".cpp") || file.path.ends_with(".c");
}

std::string folder(const std::string &path)
{
    const size_t first = path.find('/');
    if (first == std::string::npos) return "";
    if (!path.starts_with("tests/")) return path.substr(0, first);
    const size_t second = path.find('/', first + 1);
    return second == std::string::npos ? "tests" : path.substr(0, second);
}

std::vector<std::string_view> lines_of(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// --- Blanking ---

static void blank(std::string &out, size_t begin, size_t end)
{
    for (size_t i = begin; i < end && i < out.size(); ++i)
        if (out[i] != '\n') out[i] = ' ';
}

// The offset after the closing quote of the literal whose opening quote is at `begin`.
static size_t literal_end(std::string_view text, size_t begin)
{
    const char quote = text[begin];
    if (quote == '"' && begin > 0 && text[begin - 1] == 'R') {
        const size_t open = text.find('(', begin);
        if (open == std::string_view::npos) return text.size();
        std::string close = ")";
        close += text.substr(begin + 1, open - begin - 1);
        close += '"';
        const size_t end = text.find(close, open);
        return end == std::string_view::npos ? text.size() : end + close.size();
    }
    size_t i = begin + 1;
    while (i < text.size() && text[i] != quote && text[i] != '\n')
        i += text[i] == '\\' ? 2 : 1;
    return std::min(i + 1, text.size());
}

// The end of the preprocessor line at `begin`, with its continuation lines.
static size_t directive_end(std::string_view text, size_t begin)
{
    size_t end = text.find('\n', begin);
    while (end != std::string_view::npos && end > 0 && text[end - 1] == '\\')
        end = text.find('\n', end + 1);
    return std::min(end, text.size());
}

static bool opens_line(std::string_view text, size_t at)
{
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
        at -= 1;
    return at == 0 || text[at - 1] == '\n';
}

// True for the ' in 1'000.
static bool is_digit_separator(std::string_view text, size_t at)
{
    return at > 0 && at + 1 < text.size() &&
           std::isxdigit(static_cast<unsigned char>(text[at - 1])) &&
           std::isxdigit(static_cast<unsigned char>(text[at + 1]));
}

std::string without_comments(std::string_view text)
{
    std::string out(text);
    size_t i = 0;
    while (i < text.size()) {
        size_t end = i;
        if (text.substr(i, 2) == "//") {
            end = std::min(text.find('\n', i), text.size());
            blank(out, i, end);
        } else if (text.substr(i, 2) == "/*") {
            const size_t close = text.find("*/", i + 2);
            end = close == std::string_view::npos ? text.size() : close + 2;
            blank(out, i, end);
        } else if (text[i] == '#' && opens_line(text, i)) {
            end = directive_end(text, i);
            blank(out, i, end);
        } else if (text[i] == '"' || (text[i] == '\'' && !is_digit_separator(text, i))) {
            end = literal_end(text, i);
            blank(out, i + 1, end - 1);
        }
        i = std::max(end, i + 1);
    }
    return out;
}

std::vector<Include> includes_of(std::string_view text)
{
    static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::vector<Include> includes;
    size_t number = 0;
    for (const std::string_view line : lines_of(text)) {
        number += 1;
        std::match_results<std::string_view::const_iterator> match;
        if (std::regex_search(line.begin(), line.end(), match, pattern))
            includes.push_back({number, match[2].str(), match[1].str() == "\""});
    }
    return includes;
}

// --- Functions ---

// The kind of the text between the previous statement or scope and an opening brace.
enum class Head { scope, function, other };

static Head head_kind(const std::string &head)
{
    static const std::regex templates(R"(^\s*template\s*<[^{;]*?>\s*(?=\w))");
    static const std::regex scopes(
        R"re(^\s*((inline\s+)?namespace\b|(struct|class|union|enum)\b|extern\s+"))re");
    static const std::regex operators(R"(operator\s*[^\s\w(]+)");
    // std::regex recurses for each character, so a long text would overflow the stack. No real head
    // is this long.
    if (head.size() > 2000) return Head::other;
    const std::string plain = std::regex_replace(
        std::regex_replace(head, templates, "", std::regex_constants::format_first_only), operators,
        "operator");
    if (std::regex_search(plain, scopes)) return Head::scope;
    int depth = 0;
    bool parentheses = false;
    for (const char c : plain) {
        if (c == '(') depth += 1;
        if (c == ')') depth -= 1;
        if (c == ')' && depth == 0) parentheses = true;
        if (c == '=' && depth == 0) return Head::other; // An initializer
    }
    return parentheses ? Head::function : Head::other;
}

static size_t line_at(std::string_view text, size_t offset)
{
    const std::string_view before = text.substr(0, offset);
    return 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
}

Functions functions_of(std::string_view text)
{
    const std::string code = without_comments(text);
    Functions out = {{}, true};
    std::vector<Head> open;
    size_t head_begin = 0;  // Where the text before the next brace begins
    size_t function_at = 0; // Where the head of the current function begins
    size_t function_depth = 0;
    int parentheses = 0;
    for (size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (c == '(') parentheses += 1;
        if (c == ')') parentheses -= 1;
        if (c == '{') {
            const std::string head = code.substr(head_begin, i - head_begin);
            const Head kind = function_depth > 0 || parentheses > 0 ? Head::other : head_kind(head);
            open.push_back(kind);
            if (kind == Head::function) {
                function_at = head_begin + std::min(head.find_first_not_of(" \n\t"), head.size());
                function_depth = open.size();
            }
        }
        if (c == '}') {
            if (open.empty()) return {out.functions, false};
            if (function_depth == open.size()) {
                const size_t first = line_at(code, function_at);
                const size_t end = code.find_first_of("{\n", function_at);
                out.functions.push_back({first, line_at(code, i) - first + 1,
                                         code.substr(function_at, end - function_at)});
                function_depth = 0;
            }
            open.pop_back();
        }
        if (function_depth == 0 && parentheses == 0 && (c == '{' || c == '}' || c == ';'))
            head_begin = i + 1;
    }
    out.balanced = open.empty() && parentheses == 0;
    return out;
}

}
