#include "common/crash_report.h"
#include "tern/diagnostics.hpp"
#include "tern/handlers.hpp"
#include <cerrno>
#include <cstring>
#if __has_include(<execinfo.h>) && (defined(__GLIBC__) || defined(__APPLE__))
#include <execinfo.h>
#define TERN_HAS_BACKTRACE
#endif

namespace crash_report {

static bool append(std::FILE *recording, std::span<const std::byte> rest)
{
    return std::fwrite(rest.data(), 1, rest.size(), recording) == rest.size() &&
           std::fflush(recording) == 0;
}

static void print(std::FILE *file, const tern::Crash &crash)
{
    std::fprintf(file,
                 "tern %s, %s:%u: assertion failed: %s\n"
                 "function    %s\n"
                 "message     %s\n"
                 "session     %016llx\n"
                 "this peer   %u\n"
                 "other peer  %u\n"
                 "object      %s\n"
                 "tick        %u\n"
                 "stack, for addr2line -Cfe PROGRAM ADDRESS:\n",
                 TERN_VERSION, crash.file, crash.line, crash.text, crash.function,
                 crash.message ? crash.message : "none",
                 static_cast<unsigned long long>(crash.session),
                 static_cast<unsigned>(crash.local_peer), static_cast<unsigned>(crash.peer),
                 tern::to_text(crash.object).text, crash.tick);
    std::fflush(file);
#ifdef TERN_HAS_BACKTRACE
    if (!crash.frames.empty())
        backtrace_symbols_fd(crash.frames.data(), static_cast<int>(crash.frames.size()),
                             fileno(file));
#endif
}

void write(const tern::Crash &crash, const char *recording_path, std::FILE *recording)
{
    if (append(recording, crash.recording))
        std::fprintf(stderr, "The recording %s ends with the failure. It holds keys.\n",
                     recording_path);
    else
        std::fprintf(stderr, "%s: %s\n", recording_path, std::strerror(errno));
    char path[4096];
    std::snprintf(path, sizeof path, "%s.crash", recording_path);
    std::FILE *report = std::fopen(path, "wb");
    if (report) print(report, crash);
    if (report && std::fclose(report) == 0)
        std::fprintf(stderr, "The crash report is %s.\n", path);
    else
        std::fprintf(stderr, "%s: %s\n", path, std::strerror(errno));
}

}
