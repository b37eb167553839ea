#include "sim_commands.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace sim {

void fail(const std::string &text)
{
    std::fprintf(stderr, "tern-sim: %s\n", text.c_str());
    std::exit(2);
}

std::string read_file(const std::string &path)
{
    std::FILE *file = std::fopen(path.c_str(), "rb");
    if (!file) fail("cannot open " + path + ": " + std::strerror(errno));
    std::string text;
    char bytes[65'536];
    while (const size_t count = std::fread(bytes, 1, sizeof bytes, file))
        text.append(bytes, count);
    const bool failed = std::ferror(file) != 0;
    std::fclose(file);
    if (failed) fail("cannot read " + path);
    return text;
}

void write_file(const std::string &path, const std::string &text)
{
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file) fail("cannot write " + path + ": " + std::strerror(errno));
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !written) fail("cannot write all of " + path);
}

}
