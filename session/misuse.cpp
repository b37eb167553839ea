#include "session/misuse.h"
#include "base/mistake.h"
#include "session/session.h"
#include "tern/diagnostics.hpp"
#include "tern/handlers.hpp"
#include "tern/limits.hpp"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace tern::misuse {

// --- Reports ---

static void print(const Misuse &misuse)
{
    mistake::print(misuse.function, misuse.wrong, misuse.remedy);
#if !defined(NDEBUG) || defined(TERN_SLOW_ASSERTS)
    std::fflush(stdout); // What the game has printed before belongs to the report.
    std::abort();
#endif
}

void hand_over(const MisuseHandler &handler, const Misuse &misuse)
{
    if (handler.handle)
        handler.handle(handler.user, misuse);
    else
        print(misuse);
}

bool report(const Entry &entry, const char *remedy, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    Session &s = *const_cast<Session *>(entry.session);
    const AtomicWord reporting(s.guard.reporting);
    if (reporting.exchange(1) != 0) return false; // The handler has made this call.
    // While another call changes the session, nothing of it can be read.
    const ObjectSlot slot =
        entry._is_allowed ? world::find(s.replica->world, entry.object) : no_slot;
    const PeerId owner = slot == no_slot ? PeerId::none : s.replica->world.slots[slot].owner;
    // Nothing has changed yet, so the handler may read the session.
    const bool changes = entry._is_allowed && entry._kind == Entry::Kind::changes;
    if (changes) use(&s).store(ready, std::memory_order_release);
    hand_over(s.config.misuse, {entry.function, text, remedy, entry.object, owner});
    if (changes) use(&s).store(in_use, std::memory_order_relaxed);
    reporting.store(0);
    return false;
}

bool report(const MisuseHandler &handler, const char *function, const char *remedy,
            const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    hand_over(handler, {function, text, remedy, ObjectId::none, PeerId::none});
    return false;
}

void refuse(const Entry &entry, uint32_t found)
{
    if (!entry.session)
        report(MisuseHandler{}, entry.function, "Check that make_session() has not returned null.",
               "The session is null.");
    else if (found == in_use)
        report(entry,
               "Use a session on one thread at a time, and call nothing on it from a callback.",
               "Another function is changing this session at the moment.");
    else
        report(MisuseHandler{}, entry.function, "Set the pointer to null after destroy_session().",
               "The pointer names no session: destroy_session() was called, or nothing set it.");
}

// --- Checks ---

bool is_in(const Entry &entry)
{
    const Session &s = *entry.session;
    if (session::is_in(s)) return true;
    const char *remedy = "Wait until session_state() is open.";
    if (s.state == State::idle)
        remedy = "Call start() or join() first, then receive() and send() in each tick.";
    else if (s.state == State::leaving)
        remedy = "While this peer leaves, call only receive() and send().";
    else if (s.state != State::joining)
        remedy = "This session has ended: make another one to play on.";
    return report(entry, remedy, "The session is not open: %s", s.text);
}

bool is_idle(const Entry &entry)
{
    if (entry.session->state == State::idle) return true;
    return report(entry,
                  "Start or join once with each session, and make another one for the next game.",
                  "The session has begun before: %s", entry.session->text);
}

bool is_host(const Entry &entry)
{
    if (!is_in(entry)) return false;
    const Replica &r = *entry.session->replica;
    const PeerId host = replica::host(r);
    if (host == r.self) return true;
    return report(entry, "Do it in the game of the host: compare host_peer() with local_peer().",
                  "Only the host may do this, and the host is peer %u, not peer %u.",
                  static_cast<unsigned>(host), static_cast<unsigned>(r.self));
}

bool has_type(const Entry &entry, TypeId type)
{
    const TypeTable &types = entry.session->types;
    if (type < types.types.size()) return true;
    if (type == no_type)
        return report(entry, "Add the type of the struct to the types of the config.",
                      "No type of the session has this struct.");
    return report(entry, "Use the index of a type in the types of the config.",
                  "There is no type %u: the session has %zu types.", static_cast<unsigned>(type),
                  types.types.size());
}

bool is_type(const Entry &entry, TypeId has, TypeId wanted)
{
    if (has == wanted) return true;
    const auto &types = entry.session->types.types;
    return report(entry, "Ask object_type() first, or keep the ids of each type apart.",
                  "Object %s is of type %s, and not of type %s.", to_text(entry.object).text,
                  types[has].name, types[wanted].name);
}

bool has_size(const Entry &entry, TypeId type, size_t size_bytes)
{
    if (!has_type(entry, type)) return false;
    const Type &known = entry.session->types.types[type];
    if (known.size_bytes == size_bytes) return true;
    return report(entry,
                  "Use the struct that the type was made for; object_type() tells the type of an "
                  "object.",
                  "A struct of %zu bytes was passed for type %s, whose struct has %u.", size_bytes,
                  known.name, static_cast<unsigned>(known.size_bytes));
}

bool is_value(const Entry &entry, TypeId type, const void *value, size_t size_bytes)
{
    if (!has_size(entry, type, size_bytes)) return false;
    const TypeTable &types = entry.session->types;
    if (!value)
        return report(entry, "Pass a pointer to the struct.",
                      "The value for type %s is a null pointer.", types.types[type].name);
    const uint32_t field = type_table::find_nan(types, type, value);
    if (field == fields_max) return true;
    return report(entry,
                  "Find out where the game divides zero by zero, or does not set the number.",
                  "Field %s of type %s is NaN, which is no number.",
                  types.types[type].fields[field].name, types.types[type].name);
}

bool is_call(const Entry &entry, TypeId type, const void *arguments, size_t size_bytes)
{
    if (!is_in(entry) || !is_value(entry, type, arguments, size_bytes)) return false;
    const Type &known = entry.session->types.types[type];
    if (known.objects_max == 0) return true;
    return report(entry, "Declare a type with objects_max 0 for the arguments.",
                  "Type %s is for objects, and not for calls.", known.name);
}

bool is_given(const Entry &entry, const char *name, const void *array, size_t count)
{
    if (array || count == 0) return true;
    return report(entry, "Pass a pointer to the first one, or a count of 0.",
                  "%s is a null pointer, and its count is %zu.", name, count);
}

bool is_given(const Entry &entry, const char *name, const void *result)
{
    if (result) return true;
    return report(entry, "Pass a pointer to a variable for the result.", "%s is a null pointer.",
                  name);
}

bool is_object(const Entry &entry)
{
    if (entry.object != ObjectId::none) return true;
    return report(entry, "Check what create() returned, and that the id was set.",
                  "The object is none: its id is 0.");
}

bool goes_on_in_time(const Entry &entry, uint64_t now_us)
{
    if (now_us >= entry.session->now_us) return true;
    return report(entry,
                  "Pass a clock that never goes back, such as clock_us(), and the "
                  "same one to receive() and send().",
                  "The time went back by %llu us.",
                  static_cast<unsigned long long>(entry.session->now_us - now_us));
}

ObjectSlot find(const Entry &entry)
{
    const ObjectSlot slot = world::find(entry.session->replica->world, entry.object);
    if (slot != no_slot) return slot;
    if (is_object(entry))
        report(entry, "It may be destroyed, or not have arrived yet: ask exists() first.",
               "No object %s is known here.", to_text(entry.object).text);
    return no_slot;
}

ObjectSlot find_own(const Entry &entry)
{
    const ObjectSlot slot = find(entry);
    if (slot == no_slot) return no_slot;
    const Replica &r = *entry.session->replica;
    const KnownObject &found = r.world.slots[slot];
    const char *type = entry.session->types.types[found.type].name;
    if (found.life != Life::alive) {
        report(entry, "Ask exists() first: others destroy objects, too.",
               "Object %s (%s) is destroyed.", to_text(entry.object).text, type);
        return no_slot;
    }
    if (found.owner == r.self) return slot;
    report(entry,
           "Ask may_set() or compare object_owner() with local_peer() first: owners change in each "
           "receive(). To get the object, claim() it.",
           "Object %s (%s) belongs to peer %u, and this is peer %u.", to_text(entry.object).text,
           type, static_cast<unsigned>(found.owner), static_cast<unsigned>(r.self));
    return no_slot;
}

}
