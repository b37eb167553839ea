// A folder for one test, with scripts in it.
#pragma once
#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string>

namespace tern::test {

struct Folder {
    std::string path;

    Folder()
    {
        std::string name =
            (std::filesystem::temp_directory_path() / "tern-scripts-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    Folder(const Folder &) = delete;
    ~Folder()
    {
        std::error_code problem;
        std::filesystem::remove_all(path, problem);
    }

    std::string operator/(const std::string &name) const { return path + "/" + name; }
    // Writes like an editor: the whole file under another name first, then a rename.
    std::string write(const std::string &name, const std::string &text) const
    {
        const std::string file = path + "/" + name;
        std::ofstream(file + ".new", std::ios::binary) << text;
        std::filesystem::rename(file + ".new", file);
        return file;
    }
};

}
