// The pages of the documentation, and their blocks of C++.
#pragma once
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace documents {

// Empty if there is no such file.
inline std::string content(const std::string &path)
{
    std::ifstream file(std::string(TERN_SOURCE_DIR) + "/" + path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

inline std::vector<std::string> lines_of(const std::string &text)
{
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

struct Block {
    std::string file; // The path in the comment on the line before the block; empty: there is none.
    std::string text;
};

inline std::vector<Block> blocks(const std::string &page)
{
    const std::string before = "<!-- ", after = " -->";
    std::vector<Block> found;
    std::string last;
    bool inside = false;
    for (const std::string &line : lines_of(page)) {
        if (inside && line == "```") inside = false;
        if (inside) found.back().text += line + "\n";
        if (!inside && line == "```cpp") {
            inside = true;
            const bool is_named = last.starts_with(before) && last.ends_with(after);
            found.push_back(
                {is_named ? last.substr(before.size(), last.size() - before.size() - after.size())
                          : "",
                 ""});
        }
        last = line;
    }
    return found;
}

}
