#include "common/files.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace files {

void fail(const char *program, const std::string &text)
{
    std::fprintf(stderr, "%s: %s\n", program, text.c_str());
    std::exit(2);
}

std::string read(const char *program, const std::string &path)
{
    std::FILE *file = std::fopen(path.c_str(), "rb");
    if (!file) fail(program, "cannot open " + path + ": " + std::strerror(errno));
    std::string text;
    char bytes[65'536];
    while (const size_t count = std::fread(bytes, 1, sizeof bytes, file))
        text.append(bytes, count);
    const bool failed = std::ferror(file) != 0;
    std::fclose(file);
    if (failed) fail(program, "cannot read " + path);
    return text;
}

void write(const char *program, const std::string &path, const std::string &text)
{
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file) fail(program, "cannot write " + path + ": " + std::strerror(errno));
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !written) fail(program, "cannot write all of " + path);
}

}
