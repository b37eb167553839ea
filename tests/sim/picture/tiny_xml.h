// Reads as much of XML as a picture may use, and says where it is not well-formed.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace tiny_xml {

struct Element {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;
};

struct Read {
    std::string error; // Empty: well-formed.
    std::vector<Element> elements;
};

Read read(const std::string &text);
std::string attribute(const Element &element, const std::string &name); // "": it has none.

}
