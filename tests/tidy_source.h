// Reads the project's own text for tidy_test.cpp: files, code without comments, functions.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tidy {

struct File {
    std::string path; // From the top of the tree: "transport/connection/pace.cpp".
    std::string text;
};

// All text files of the tree but what is made: build folders, caches, and hidden ones.
std::vector<File> files_of(const std::string &root);
bool is_code(const File &file);              // .h and .cpp.
std::string folder(const std::string &path); // "transport"; "tests/transport" for a test of it.

std::vector<std::string_view> lines_of(std::string_view text);

// Of the same length and with the same lines, but comments, preprocessor lines and the content of
// literals are blanks.
std::string without_comments(std::string_view text);

struct Include {
    size_t line;
    std::string name; // Without the quotes or brackets.
    bool in_quotes;
};
std::vector<Include> includes_of(std::string_view text);

struct Function {
    size_t first_line; // Of its head; 1 is the first line of the file.
    size_t line_count; // To its closing brace.
    std::string head;
};
struct Functions {
    std::vector<Function> functions; // Outermost ones; a lambda is a part of what it stands in.
    bool balanced;                   // The braces are. If not, the functions are not to be trusted.
};
Functions functions_of(std::string_view text);

}
