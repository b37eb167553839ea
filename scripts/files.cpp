#include "scripts/files.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tern::scripts::files {

namespace fs = std::filesystem;

static SourceFile described(const std::string &name, const std::string &path,
                            std::error_code &problem)
{
    const auto modified = fs::last_write_time(path, problem).time_since_epoch();
    const uint64_t size_bytes = problem ? 0 : fs::file_size(path, problem);
    const auto modified_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(modified);
    return {name, path, int64_t{modified_ns.count()}, size_bytes};
}

static bool same(const SourceFile &a, const SourceFile &b)
{
    return a.modified_ns == b.modified_ns && a.size_bytes == b.size_bytes;
}

static void note(LuaState &state, const SourceFile &file)
{
    const auto known = std::find_if(state.files.begin(), state.files.end(),
                                    [&](const SourceFile &it) { return it.name == file.name; });
    if (known == state.files.end())
        state.files.push_back(file);
    else
        *known = file;
}

static std::string read_all(const std::string &path, size_t bytes_max, std::string &text)
{
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::generic_category().message(errno);
    text.resize(bytes_max + 1);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    const auto size_bytes = static_cast<size_t>(file.gcount());
    text.resize(size_bytes);
    if (file.bad()) return "it cannot be read";
    if (size_bytes <= bytes_max) return "";
    return "it is longer than " + std::to_string(bytes_max) + " bytes";
}

std::string read(LuaState &state, const std::string &name, const std::string &path)
{
    const bool trusted = state.trust == Trust::trusted;
    const size_t bytes_max = trusted ? trusted_source_bytes_max : source_bytes_max;
    std::error_code problem;
    // Opening a pipe would wait for its other end.
    if (!fs::is_regular_file(path, problem))
        return path + ": " + (problem ? problem.message() : "it is no file");
    const SourceFile found = described(name, path, problem);
    const std::string error = problem ? problem.message() : read_all(path, bytes_max, state.text);
    if (!error.empty()) return path + ": " + error;
    note(state, found);
    state.text_path = path;
    return "";
}

bool changed(const LuaState &state)
{
    for (const SourceFile &file : state.files) {
        std::error_code problem;
        const SourceFile found = described(file.name, file.path, problem);
        // The file may be missing for a moment, while an editor replaces it.
        if (!problem && !same(file, found)) return true;
    }
    return false;
}

// The path of a module: "a.b" is a/b.lua. Empty: the name cannot be that of a file.
static std::string relative_path(std::string_view name)
{
    std::string path;
    bool part_begins = true;
    for (char c : name) {
        const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!is_word && (c != '.' || part_begins)) return "";
        part_begins = c == '.';
        path += part_begins ? '/' : c;
    }
    return path.empty() || part_begins || path.size() > 200 ? "" : path + ".lua";
}

// Resolves all links of a path. Empty: it leads to no file.
static std::string real_path(const std::string &path)
{
    std::error_code problem;
    return fs::canonical(path, problem).generic_string();
}

Found find_module(LuaState &state, std::string_view name)
{
    const bool trusted = state.trust == Trust::trusted;
    const std::string relative = relative_path(name);
    if (relative.empty()) return Found::no;
    const std::string path = state.folder + "/" + relative;
    const std::string real = real_path(path);
    if (real.empty()) return Found::no;
    if (!trusted && !real.starts_with(real_path(state.folder) + "/")) {
        state.text = path + " leads out of the script's folder";
        return Found::wrong;
    }
    if (state.files.size() > modules_max) {
        state.text = "more than " + std::to_string(modules_max) + " files are required";
        return Found::wrong;
    }
    const std::string error = read(state, std::string(name), path);
    if (error.empty()) return Found::yes;
    state.text = error;
    return Found::wrong;
}

}
