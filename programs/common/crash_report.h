// Crash reports of programs that record their sessions.
#pragma once
#include <cstdio>
#include <tern/handlers.hpp>
#include <tern/types.hpp>

namespace crash_report {

// Appends the rest of the recording to its file, writes what is known of the crash to
// `<path of the recording>.crash`, and prints to stderr where both are.
void write(const tern::Crash &crash, const char *recording_path, std::FILE *recording);

}
