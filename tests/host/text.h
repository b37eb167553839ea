// Searches the output of a program.
#pragma once
#include <string>

namespace dedicated::test {

inline bool has(const std::string &text, const std::string &word)
{
    return text.find(word) != std::string::npos;
}

inline size_t count_of(const std::string &text, const std::string &word)
{
    size_t count = 0;
    for (size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + word.size()))
        count += 1;
    return count;
}

}
