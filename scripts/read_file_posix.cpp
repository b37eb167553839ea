#include "scripts/read_file.h"
#ifndef _WIN32
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tern::scripts {

static FileState described(const struct stat &found)
{
    const int64_t modified_ns =
        int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
    return {modified_ns, static_cast<uint64_t>(found.st_size), found.st_ino};
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

std::string read_file(const std::string &path, size_t bytes_max, std::string &text,
                      FileState &state)
{
    // O_NONBLOCK, so that opening a pipe does not block.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return std::strerror(errno);
    struct stat found = {};
    std::string error;
    if (fstat(descriptor, &found) != 0)
        error = std::strerror(errno);
    else if (!S_ISREG(found.st_mode))
        error = "it is no file";
    else
        error = read_all(descriptor, bytes_max, text);
    ::close(descriptor);
    state = described(found);
    return error;
}

bool read_state(const std::string &path, FileState &state)
{
    struct stat found = {};
    if (stat(path.c_str(), &found) != 0) return false;
    state = described(found);
    return true;
}

std::string real_path(const std::string &path)
{
    char resolved[PATH_MAX];
    return realpath(path.c_str(), resolved) ? resolved : "";
}

}
#endif
