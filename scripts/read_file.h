// Files as the system has them: reading one whole, and noticing that it has changed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace tern::scripts {

struct FileState {
    int64_t modified_ns;
    uint64_t size_bytes, inode; // Windows: the inode is 0.
};

// Reads a regular file into `text`, and what it was just before into `state`. Returns what is
// wrong, without the path; empty: nothing. Never waits, as opening a pipe would.
std::string read_file(const std::string &path, size_t bytes_max, std::string &text,
                      FileState &state);
bool read_state(const std::string &path, FileState &state); // False: there is no such file.
// Resolves all links of a path, as far as the system has them; parts are separated by '/'. Empty:
// it leads to no file.
std::string real_path(const std::string &path);

}
