// ./dev plant includes this file before each source that it compiles. Each place where ci/plant.cpp
// planted a mistake asks here whether that mistake is the one to make in this process.
#pragma once
#include <cstdlib>

namespace planted {

// The number of the mistake, from the environment. 0: none, so the code does what it should.
inline const unsigned long chosen = [] {
    const char *text = std::getenv("TERN_PLANTED");
    return text ? std::strtoul(text, nullptr, 10) : 0ul;
}();

// This is no constant, or mistakes in what is otherwise one would never be made.
inline bool is(unsigned long number)
{
    return chosen == number;
}

}
