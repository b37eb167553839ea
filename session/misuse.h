// The public functions begin here: each makes an Entry and checks its arguments. A call that the
// game must not make is reported to Config::misuse, and the function then does nothing.
#pragma once
#include "base/atomic_word.h"
#include "base/printf_format.h"
#include "session/config/sized.h"
#include "session/session_types.h"
#include "tern/handlers.hpp"
#include <utility>

namespace tern::misuse {

// The values of CallGuard::use. Memory that holds no session has others.
inline constexpr uint32_t ready = 0x6e726574, in_use = ready + 1;

inline AtomicWord use(const Session *session)
{
    return AtomicWord(const_cast<Session *>(session)->guard.use);
}

// A call of a public function. False, and reported, if the session is null or destroyed, or if a
// function that changes the session is running: another thread, or a callback, has made this call.
class Entry {
  public:
    enum class Kind : uint8_t { reads, changes };
    inline Entry(const Session *session, const char *function, ObjectId object = ObjectId::none,
                 Kind kind = Kind::reads);
    inline ~Entry(); // Lets the next call in.
    Entry(const Entry &) = delete;
    explicit operator bool() const { return _is_allowed; }
    inline void turn_to(ObjectId next); // The call of a function on many objects is about this one.

    const Session *const session;
    const char *const function;
    ObjectId object; // What the call is about, or none.

  private:
    friend bool report(const Entry &entry, const char *remedy, const char *format, ...);
    Kind _kind;
    bool _is_allowed;
    AssertContext *_outer; // Kind::changes: the context before the call.
};

[[gnu::cold]] void refuse(const Entry &entry, uint32_t found);

inline Entry::Entry(const Session *called_for, const char *name, ObjectId about, Kind kind)
    : session(called_for), function(name), object(about), _kind(kind), _is_allowed(false),
      _outer(nullptr)
{
    uint32_t found = 0;
    if (session && kind == Kind::reads) found = use(session).load(std::memory_order_relaxed);
    if (session && kind == Kind::changes) {
        found = ready;
        use(session).compare_exchange_strong(found, in_use, std::memory_order_acquire);
    }
    _is_allowed = found == ready;
    if (!_is_allowed) refuse(*this, found);
    if (!_is_allowed || kind == Kind::reads) return;
    AssertContext &context = const_cast<Session *>(session)->guard.context;
    context.function = name;
    context.object = object;
    _outer = std::exchange(assert_context, &context);
}

inline Entry::~Entry()
{
    if (!_is_allowed || _kind == Kind::reads) return;
    assert_context = _outer;
    use(session).store(ready, std::memory_order_release);
}

inline void Entry::turn_to(ObjectId next)
{
    object = next;
    if (_is_allowed && _kind == Kind::changes)
        const_cast<Session *>(session)->guard.context.object = next;
}

// The call of a function that changes the session.
inline Entry change(Session *session, const char *function, ObjectId object = ObjectId::none)
{
    return {session, function, object, Entry::Kind::changes};
}

// Reports a misuse: what to do, and what is wrong as a printf format; both are sentences. Gives
// false.
[[gnu::cold]] TERN_PRINTF(3, 4) bool report(const Entry &entry, const char *remedy,
                                            const char *format, ...);
// Calls the handler, or prints the misuse if it has none.
void hand_over(const MisuseHandler &handler, const Misuse &misuse);
// Functions that have no session use this one.
[[gnu::cold]] TERN_PRINTF(4, 5) bool report(const MisuseHandler &handler, const char *function,
                                            const char *remedy, const char *format, ...);

// --- Checks. Each gives whether all is right, and reports it otherwise. ---
bool is_in(const Entry &entry);   // The state is open or cut_off.
bool is_idle(const Entry &entry); // The session has neither started nor joined.
bool is_host(const Entry &entry); // The state is open or cut_off, and this peer is the host.
bool has_type(const Entry &entry, TypeId type);
// The object of the call, of type `has`, is of the type that the caller wants.
bool is_type(const Entry &entry, TypeId has, TypeId wanted);
// The struct of the type has this size.
bool has_size(const Entry &entry, TypeId type, size_t size_bytes);
// `value` is a struct of the type, and holds no NaN.
bool is_value(const Entry &entry, TypeId type, const void *value, size_t size_bytes);
// is_in(), and `arguments` is_value() of a type for calls.
bool is_call(const Entry &entry, TypeId type, const void *arguments, size_t size_bytes);
// There is an array where `count` of something are to be. `name`: that of the parameter.
bool is_given(const Entry &entry, const char *name, const void *array, size_t count);
bool is_given(const Entry &entry, const char *name, const void *result); // For a result.
bool is_object(const Entry &entry); // The object of the call is not none.
// A struct for a result is there, and says how large it is.
template <class T> bool is_sized(const Entry &entry, const T *given)
{
    if (given && sized::is_sized<T>(given->struct_size)) return true;
    return report(entry, "Set struct_size to the sizeof of the struct.",
                  "The struct for the result is null, or its struct_size is not set.");
}
bool goes_on_in_time(const Entry &entry, uint64_t now_us); // The time has not gone back.
// Both find the object of the call.
ObjectSlot find(const Entry &entry);     // no_slot: it is unknown.
ObjectSlot find_own(const Entry &entry); // no_slot: it is not alive, or not ours.

}
