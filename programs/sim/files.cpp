#include "common/files.h"
#include "commands.h"
#include <filesystem>

namespace sim {

static constexpr char program[] = "tern-sim";

void fail(const std::string &text)
{
    files::fail(program, text);
}

std::string read_file(const std::string &path)
{
    return files::read(program, path);
}

void write_file(const std::string &path, const std::string &text)
{
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    files::write(program, path, text);
}

}
