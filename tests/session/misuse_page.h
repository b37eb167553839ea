// The table of docs/use/misuse.md.
#pragma once
#include <fstream>
#include <string>

namespace tern::test {

// Whether the page has a row with this text that names `what`.
inline bool lists(const std::string &what, const std::string &text)
{
    std::ifstream file(TERN_SOURCE_DIR "/docs/use/misuse.md");
    for (std::string line; std::getline(file, line);)
        if (line.find(what) < line.find("| " + text + " |") &&
            line.find("| " + text + " |") != std::string::npos)
            return true;
    return false;
}

}
