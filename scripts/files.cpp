#include "scripts/files.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tern::scripts::files {

static SourceFile described(const std::string &name, const std::string &path,
                            const struct stat &found)
{
    const int64_t modified_ns =
        int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
    return {name, path, modified_ns, static_cast<uint64_t>(found.st_size), found.st_ino};
}

static bool same(const SourceFile &a, const SourceFile &b)
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

static std::string read_all(int descriptor, size_t bytes_max, std::string &text)
{
    text.clear();
    char bytes[16 * 1024];
    for (;;) {
        const ssize_t size = ::read(descriptor, bytes, sizeof bytes);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return std::strerror(errno);
        if (size == 0) return "";
        text.append(bytes, static_cast<size_t>(size));
        if (text.size() > bytes_max)
            return "it is longer than " + std::to_string(bytes_max) + " bytes";
    }
}

std::string read(LuaState &state, const std::string &name, const std::string &path)
{
    const bool trusted = state.trust == Trust::trusted;
    const size_t bytes_max = trusted ? trusted_source_bytes_max : source_bytes_max;
    // O_NONBLOCK, so that opening a pipe does not block.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return path + ": " + std::strerror(errno);
    struct stat found = {};
    std::string error;
    if (fstat(descriptor, &found) != 0)
        error = std::strerror(errno);
    else if (!S_ISREG(found.st_mode))
        error = "it is no file";
    else
        error = read_all(descriptor, bytes_max, state.text);
    ::close(descriptor);
    if (!error.empty()) return path + ": " + error;
    note(state, described(name, path, found));
    state.text_path = path;
    return "";
}

bool changed(const LuaState &state)
{
    for (const SourceFile &file : state.files) {
        struct stat found = {};
        // The file may be missing for a moment, while an editor replaces it.
        if (stat(file.path.c_str(), &found) != 0) continue;
        if (!same(file, described(file.name, file.path, found))) return true;
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
    char resolved[PATH_MAX];
    return realpath(path.c_str(), resolved) ? resolved : "";
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
