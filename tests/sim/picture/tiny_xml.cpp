#include "tests/sim/picture/tiny_xml.h"
#include <algorithm>
#include <cctype>

namespace tiny_xml {

namespace {

struct Reader {
    const std::string &text;
    size_t at;
    Read result;
    std::vector<std::string> open;
};

void fail(Reader &r, const std::string &what)
{
    if (r.result.error.empty()) r.result.error = what + " at byte " + std::to_string(r.at);
}

std::string name(Reader &r)
{
    const size_t begin = r.at;
    while (r.at < r.text.size() &&
           (std::isalnum(static_cast<unsigned char>(r.text[r.at])) || r.text[r.at] == '-'))
        r.at += 1;
    if (begin == r.at) fail(r, "no name");
    return r.text.substr(begin, r.at - begin);
}

// Characters, of which an ampersand must begin one of four entities.
void check_characters(Reader &r, const std::string &characters)
{
    for (size_t i = 0; i < characters.size(); ++i) {
        const unsigned char c = static_cast<unsigned char>(characters[i]);
        if (c < 0x20 && c != '\n') fail(r, "a control character");
        if (c != '&') continue;
        const std::string rest = characters.substr(i, 6);
        const bool known = rest.starts_with("&lt;") || rest.starts_with("&gt;") ||
                           rest.starts_with("&amp;") || rest.starts_with("&quot;");
        if (!known) fail(r, "an unknown entity");
    }
}

void read_attributes(Reader &r, Element &element)
{
    while (r.result.error.empty() && r.at < r.text.size() && r.text[r.at] == ' ') {
        while (r.at < r.text.size() && r.text[r.at] == ' ')
            r.at += 1;
        if (r.at < r.text.size() && (r.text[r.at] == '/' || r.text[r.at] == '>')) return;
        const std::string key = name(r);
        if (r.text.compare(r.at, 2, "=\"") != 0) return fail(r, "no value");
        const size_t end = r.text.find('"', r.at + 2);
        if (end == std::string::npos) return fail(r, "an open value");
        const std::string value = r.text.substr(r.at + 2, end - r.at - 2);
        check_characters(r, value);
        if (value.find('<') != std::string::npos) fail(r, "a < in a value");
        if (!attribute(element, key).empty()) fail(r, "an attribute twice");
        element.attributes.push_back({key, value});
        r.at = end + 1;
    }
}

void read_tag(Reader &r)
{
    r.at += 1;
    if (r.at < r.text.size() && r.text[r.at] == '/') {
        r.at += 1;
        const std::string closed = name(r);
        if (r.open.empty() || r.open.back() != closed) return fail(r, "a stray </" + closed + ">");
        r.open.pop_back();
    } else {
        if (r.open.empty() && !r.result.elements.empty()) fail(r, "a second root");
        Element element = {name(r), {}};
        read_attributes(r, element);
        const bool empty = r.at < r.text.size() && r.text[r.at] == '/';
        if (empty)
            r.at += 1;
        else
            r.open.push_back(element.name);
        r.result.elements.push_back(element);
    }
    if (r.at >= r.text.size() || r.text[r.at] != '>') return fail(r, "no >");
    r.at += 1;
}

}

Read read(const std::string &text)
{
    Reader r = {text, 0, {}, {}};
    while (r.result.error.empty() && r.at < text.size()) {
        if (text[r.at] == '<') {
            read_tag(r);
            continue;
        }
        const size_t end = std::min(text.find('<', r.at), text.size());
        const std::string characters = text.substr(r.at, end - r.at);
        check_characters(r, characters);
        if (r.open.empty() && characters.find_first_not_of(" \n") != std::string::npos)
            fail(r, "text outside of the root");
        r.at = end;
    }
    if (!r.open.empty()) fail(r, "<" + r.open.back() + "> is not closed");
    if (r.result.elements.empty()) fail(r, "no element");
    return r.result;
}

std::string attribute(const Element &element, const std::string &name)
{
    for (const auto &[key, value] : element.attributes)
        if (key == name) return value;
    return "";
}

}
