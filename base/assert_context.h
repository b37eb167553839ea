// This is what a thread does inside the library, for the report of an assertion that fails there.
#pragma once
#include "tern/handlers.hpp"
#include "tern/types.hpp"

namespace tern {

struct AssertContext {
    // Completes the report. Returns the handler that gets it, which is null if there is none.
    CrashHandler (*complete)(AssertContext &context, Crash &crash);
    void *session;
    const char *function; // The public function that runs.
    ObjectId object;      // The object that the game named, or none.
    struct Doing {
        PeerId peer;         // The other end of the connection at work.
        const char *message; // The kind of the unreliable message at work, or null.
        std::span<const std::byte> stream_message; // The message of a stream at work, or empty.
    } doing;
};

// The model initial-exec saves a shared library two calls of __tls_get_addr(), 2 ns, in each public
// function. glibc keeps room for such variables of libraries that dlopen() loads; musl does not.
#ifdef __GLIBC__
#define TERN_THREAD_LOCAL [[gnu::visibility("hidden"), gnu::tls_model("initial-exec")]]
#else
#define TERN_THREAD_LOCAL [[gnu::visibility("hidden")]]
#endif
// Null: this thread runs no public function that changes a session.
TERN_THREAD_LOCAL extern constinit thread_local AssertContext *assert_context;

// Sets the context of this thread while it lives.
class AssertScope {
  public:
    explicit AssertScope(AssertContext &context) : _outer(assert_context)
    {
        assert_context = &context;
    }
    ~AssertScope() { assert_context = _outer; }
    AssertScope(const AssertScope &) = delete;

  private:
    AssertContext *_outer;
};

}
