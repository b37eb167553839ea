#include "scripts/read_file.h"
#ifdef _WIN32
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tern::scripts {

namespace fs = std::filesystem;

bool read_state(const std::string &path, FileState &state)
{
    std::error_code problem;
    const auto modified = fs::last_write_time(path, problem).time_since_epoch();
    if (problem) return false;
    const uint64_t size_bytes = fs::file_size(path, problem);
    const auto modified_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(modified);
    state = {int64_t{modified_ns.count()}, size_bytes, 0};
    return !problem;
}

std::string read_file(const std::string &path, size_t bytes_max, std::string &text,
                      FileState &state)
{
    std::error_code problem;
    if (!fs::is_regular_file(path, problem)) return problem ? problem.message() : "it is no file";
    std::ifstream file(path, std::ios::binary);
    if (!read_state(path, state) || !file) return "it cannot be read";
    text.clear();
    char bytes[16 * 1024];
    while (file.read(bytes, sizeof bytes) || file.gcount() > 0) {
        text.append(bytes, static_cast<size_t>(file.gcount()));
        if (text.size() > bytes_max)
            return "it is longer than " + std::to_string(bytes_max) + " bytes";
    }
    return file.bad() ? "it cannot be read" : "";
}

std::string real_path(const std::string &path)
{
    std::error_code problem;
    const fs::path real = fs::canonical(path, problem);
    return problem ? "" : real.generic_string();
}

}
#endif
