#include "base/assert.h"
#include "base/assert_context.h"
#include "tern/handlers.hpp"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
// FreeBSD has backtrace() in a library of its own.
#if __has_include(<execinfo.h>) && (defined(__GLIBC__) || defined(__APPLE__))
#include <execinfo.h>
#define TERN_HAS_BACKTRACE
#endif

namespace tern {

constinit thread_local AssertContext *assert_context = nullptr;

// The context of a thread whose assertion is being reported.
static constinit AssertContext reporting = {};

static constexpr size_t frames_max = 64;

// Returns how many frames there are.
static size_t take_frames([[maybe_unused]] void *(&frames)[frames_max])
{
#ifdef TERN_HAS_BACKTRACE
    const auto count = static_cast<size_t>(backtrace(frames, frames_max));
    // A return address may be that of the function behind: assert_failed() does not return.
    for (size_t i = 0; i < count; ++i)
        frames[i] = static_cast<char *>(frames[i]) - 1;
    return count;
#else
    return 0;
#endif
}

static void print_stack([[maybe_unused]] std::span<void *const> frames)
{
#ifdef TERN_HAS_BACKTRACE
    std::fflush(stderr);
    backtrace_symbols_fd(frames.data(), static_cast<int>(frames.size()), fileno(stderr));
#endif
}

static void print_context(const Crash &crash)
{
    std::fprintf(stderr, "tern: in %s() of peer %u, tick %u, session %016llx", crash.function,
                 static_cast<unsigned>(crash.local_peer), static_cast<unsigned>(crash.tick),
                 static_cast<unsigned long long>(crash.session));
    if (crash.message) std::fprintf(stderr, ", message %s", crash.message);
    if (crash.peer != PeerId::none)
        std::fprintf(stderr, ", peer %u", static_cast<unsigned>(crash.peer));
    const auto object = static_cast<uint64_t>(crash.object);
    if (crash.object != ObjectId::none)
        std::fprintf(stderr, ", object %u.%u", static_cast<unsigned>(object >> 32),
                     static_cast<unsigned>(object & UINT32_MAX));
    std::fputc('\n', stderr);
}

void assert_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    char text[1024];
    const int used = std::snprintf(text, sizeof text / 2, "%s: ", condition);
    char *values_text = text + (used < int{sizeof text / 2} ? used : int{sizeof text / 2} - 1);
    va_list values;
    va_start(values, format);
    std::vsnprintf(values_text, sizeof text / 2, format, values);
    va_end(values);
    std::fprintf(stderr, "%s:%d: tern assert failed: %s\n", file, line, text);
    AssertContext *context = assert_context;
    if (context == &reporting) std::abort(); // It failed in complete().
    assert_context = &reporting;
    void *frames[frames_max];
    Crash crash = {};
    crash.file = file;
    crash.line = static_cast<uint32_t>(line);
    crash.text = text;
    crash.frames = {frames, take_frames(frames)};
    CrashHandler handler = {};
    if (context) {
        handler = context->complete(*context, crash);
        print_context(crash);
    }
    print_stack(crash.frames);
    if (handler.handle) handler.handle(handler.user, crash);
    std::abort();
}

}
