// Reads the text of /metrics.
#pragma once
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

namespace dedicated::test {

// "name{labels}" to value, of a text in format 0.0.4.
inline std::map<std::string, double> values_of(const std::string &text)
{
    std::map<std::string, double> out;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("#")) continue;
        const size_t space = line.rfind(' ');
        const bool is_new =
            out.emplace(line.substr(0, space), std::stod(line.substr(space + 1))).second;
        EXPECT_TRUE(is_new) << line;
    }
    return out;
}

}
