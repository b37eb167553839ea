#include "scripts/files.h"
#include "scripts/read_file.h"
#include <algorithm>

namespace tern::scripts::files {

static bool same(const FileState &a, const FileState &b)
{
    return a.modified_ns == b.modified_ns && a.size_bytes == b.size_bytes && a.inode == b.inode;
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

std::string read(LuaState &state, const std::string &name, const std::string &path)
{
    const bool trusted = state.trust == Trust::trusted;
    const size_t bytes_max = trusted ? trusted_source_bytes_max : source_bytes_max;
    SourceFile file = {name, path, {}};
    const std::string error = read_file(path, bytes_max, state.text, file.state);
    if (!error.empty()) return path + ": " + error;
    note(state, file);
    state.text_path = path;
    return "";
}

bool changed(const LuaState &state)
{
    // A file may be missing for a moment, while an editor replaces it.
    return std::any_of(state.files.begin(), state.files.end(), [](const SourceFile &file) {
        FileState present = {};
        return read_state(file.path, present) && !same(file.state, present);
    });
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
