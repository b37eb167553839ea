// Reads the project's own source for tidy_test.cpp: files, code without comments, functions.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tidy {

struct File {
    std::string path; // Relative to the root of the tree: "transport/connection/pace.cpp"
    std::string text;
};

// All text files of the tree, sorted by path. Skips the folders build*, .git* and .cache* in the
// root.
std::vector<File> files_of(const std::string &root);
bool is_code(const File &file);              // True for .h, .hpp and .cpp
std::string folder(const std::string &path); // "transport", or "tests/transport" for its tests

std::vector<std::string_view> lines_of(std::string_view text);

// Returns `text` with blanks for comments, preprocessor lines and the content of literals. Offsets
// and line numbers stay valid.
std::string without_comments(std::string_view text);

struct Include {
    size_t line;
    std::string name; // Without the quotes or brackets
    bool in_quotes;
};
std::vector<Include> includes_of(std::string_view text);

struct Function {
    size_t first_line; // The line of the head; the first line of the file is 1.
    size_t line_count; // From there to the closing brace, both included
    std::string head;
};
struct Functions {
    std::vector<Function> functions; // A lambda counts as a part of the function around it.
    bool balanced; // True if braces and parentheses balance. If not, ignore `functions`.
};
Functions functions_of(std::string_view text);

}
