// Reads the config of a caller, whose structs may be those of another version, and copies it.
#pragma once
#include "session/session_types.h"
#include "tern/diagnostics.hpp"

namespace tern::session {

// A config that points to copies, with the defaults in place of zeros. The copies lie in a block of
// its allocator, behind room for the session that will have it.
struct CopiedConfig {
    ConfigProblem problem; // The config is wrong.
    void *block;           // Null: there is a problem, or no memory.
    size_t block_bytes;
    Config config; // Its name is still the caller's.
    std::span<const Field *const> given_fields;
};
CopiedConfig copy_config(const Config *given);
void free_copy(const CopiedConfig &copy);
// Reads the handler of a config that may be wrong in everything else.
MisuseHandler misuse_handler(const Config *given);

}
