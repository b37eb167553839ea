// Bytes written as numbers.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace connection_test {

using Bytes = std::vector<std::byte>;

inline Bytes bytes(std::initializer_list<int> values)
{
    Bytes result;
    for (int value : values)
        result.push_back(static_cast<std::byte>(value));
    return result;
}

}
