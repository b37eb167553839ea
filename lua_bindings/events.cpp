// The events of the last receive(), numbered from 1. event() and the functions for one event make
// no garbage. events() fills the same table for each event. on() and dispatch() call functions with
// that table.
#include "lua_bindings/binding.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include <cstdio>
#include <cstring>

namespace tern::lua {

static const Event &event_at(const Arguments &a, const Session *session)
{
    const std::span<const Event> events = session_events(session);
    int64_t number = 0;
    if (!to_whole(a.L, 2, number) || number < 1 || static_cast<size_t>(number) > events.size())
        refuse(a, 2, "event", "an event (1 to %zu: so many did receive() give)", events.size());
    return events[static_cast<size_t>(number - 1)];
}

// --- What a function or the table gives for an event of any kind: 0, none or "" if the kind does
// not have it ---

static bool is_about_owner(const Event &e)
{
    return e.kind == EventKind::owner_changed || e.kind == EventKind::object_orphaned;
}

static bool is_about_newcomer(const Event &e)
{
    return e.kind == EventKind::join_asked || e.kind == EventKind::peer_joined;
}

static TypeId type_of(const Event &e)
{
    if (e.kind < EventKind::object_created) return 0;
    if (e.kind >= EventKind::call) return e.call.type;
    if (e.kind >= EventKind::claim_asked) return e.claim.type == no_type ? TypeId{0} : e.claim.type;
    return is_about_owner(e) ? e.owner.type : e.object.type;
}

static PeerId previous_of(const Event &e)
{
    if (is_about_newcomer(e)) return e.newcomer.previous;
    if (is_about_owner(e)) return e.owner.previous;
    if (e.kind == EventKind::misbehaved) return e.misbehaved.reporter;
    return e.kind == EventKind::host_changed ? e.host.previous : PeerId::none;
}

static CallId call_of(const Event &e)
{
    return e.kind >= EventKind::call ? e.call.id : CallId::none;
}

static ClaimRefusal refusal_of(const Event &e)
{
    return e.kind == EventKind::claim_refused ? e.claim.refusal : ClaimRefusal::none;
}

static CallFailure failure_of(const Event &e)
{
    return e.kind == EventKind::call_failed ? e.call.failure : CallFailure::none;
}

static Breach breach_of(const Event &e)
{
    return e.kind == EventKind::misbehaved ? e.misbehaved.breach : Breach::none;
}

static uint32_t lost_ticks_of(const Event &e)
{
    return e.kind == EventKind::owner_changed ? e.owner.lost_ticks : 0;
}

static const char *name_of(const Event &e)
{
    return is_about_newcomer(e) && e.newcomer.name ? e.newcomer.name : "";
}

// --- One event ---

static int event_count(lua_State *L)
{
    push_count(L, session_events(session({L, "event_count"})).size());
    return 1;
}

static int event(lua_State *L)
{
    const Arguments a = {L, "event"};
    const Event &e = event_at(a, session(a));
    push_word(L, anchor_event_kinds, e.kind);
    push_whole(L, static_cast<int64_t>(peer_of(e)));
    push_count(L, static_cast<uint64_t>(object_of(e)));
    push_whole(L, type_of(e));
    push_whole(L, static_cast<int64_t>(previous_of(e)));
    push_whole(L, static_cast<int64_t>(call_of(e)));
    return 6;
}

// --- Members that only some events have ---

static int argument(lua_State *L)
{
    const Arguments a = {L, "argument"};
    SessionBox &box = live_box(a);
    const Event &e = event_at(a, box.session);
    if (e.kind != EventKind::call && e.kind != EventKind::reply)
        refuse(a, 2, "event", "a call or a reply (it is %s)",
               event_kinds.names[static_cast<int>(e.kind)]);
    return push_field(L, field(a, 3, box, e.call.type), e.call.arguments);
}

static int refusal(lua_State *L)
{
    const Arguments a = {L, "refusal"};
    push_word(L, anchor_claim_refusals, refusal_of(event_at(a, session(a))));
    return 1;
}

static int failure(lua_State *L)
{
    const Arguments a = {L, "failure"};
    push_word(L, anchor_call_failures, failure_of(event_at(a, session(a))));
    return 1;
}

static int breach(lua_State *L)
{
    const Arguments a = {L, "breach"};
    push_word(L, anchor_breaches, breach_of(event_at(a, session(a))));
    return 1;
}

static int changed(lua_State *L)
{
    const Arguments a = {L, "changed"};
    const Session *s = session(a);
    const Event &e = event_at(a, s);
    if (e.kind != EventKind::object_changed && e.kind != EventKind::owner_changed)
        refuse(a, 2, "event", "object_changed or owner_changed (it is %s)",
               event_kinds.names[static_cast<int>(e.kind)]);
    const bool is_owners = is_about_owner(e);
    const uint64_t changed_fields = is_owners ? e.owner.changed_fields : e.object.changed_fields;
    const uint16_t field = field_index(a, 3, 3, session_config(s).types[type_of(e)]);
    lua_pushboolean(L, (changed_fields >> field & 1) != 0);
    return 1;
}

static int progress(lua_State *L)
{
    const Arguments a = {L, "progress"};
    const Event &e = event_at(a, session(a));
    const bool joins = e.kind == EventKind::join_progress;
    const JoinProgress so_far = joins ? e.progress : JoinProgress{};
    push_count(L, so_far.objects_here);
    push_count(L, so_far.objects_expected);
    return 2;
}

static int event_name(lua_State *L)
{
    const Arguments a = {L, "event_name"};
    push_text(L, name_of(event_at(a, session(a))));
    return 1;
}

static int payload(lua_State *L)
{
    const Arguments a = {L, "payload"};
    const Event &e = event_at(a, session(a));
    const bool asked = e.kind == EventKind::join_asked && e.newcomer.payload;
    char copy[payload_bytes_max];
    const size_t size_bytes = asked ? e.newcomer.payload_bytes : 0;
    if (asked) std::memcpy(copy, e.newcomer.payload, size_bytes);
    lua_pushlstring(L, copy, size_bytes);
    return 1;
}

static int lost_ticks(lua_State *L)
{
    const Arguments a = {L, "lost_ticks"};
    push_count(L, lost_ticks_of(event_at(a, session(a))));
    return 1;
}

// --- Events as a table ---

// Pushes the table that the session's userdata keeps at kept_functions or kept_event. Makes it if
// there is none yet.
static void push_kept(lua_State *L, int index)
{
    push_attached(L, 1);
    lua_rawgeti(L, -1, index);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, index);
    }
    lua_remove(L, -2);
}

// Pushes the session's table for events, filled with this one. Takes the event by value: see
// binding.h.
static void push_event(lua_State *L, const Event e, uint64_t number)
{
    char name[name_bytes_max];
    std::snprintf(name, sizeof name, "%s", name_of(e));
    push_kept(L, kept_event);
    fill(L, "index", number);
    push_word(L, anchor_event_kinds, e.kind);
    lua_setfield(L, -2, "kind");
    fill(L, "peer", static_cast<uint64_t>(peer_of(e)));
    fill(L, "object", static_cast<uint64_t>(object_of(e)));
    fill(L, "type", type_of(e));
    fill(L, "previous", static_cast<uint64_t>(previous_of(e)));
    fill(L, "call", static_cast<uint64_t>(call_of(e)));
    push_word(L, anchor_claim_refusals, refusal_of(e));
    lua_setfield(L, -2, "refusal");
    push_word(L, anchor_call_failures, failure_of(e));
    lua_setfield(L, -2, "failure");
    push_word(L, anchor_breaches, breach_of(e));
    lua_setfield(L, -2, "breach");
    fill(L, "lost_ticks", lost_ticks_of(e));
    lua_pushstring(L, name);
    lua_setfield(L, -2, "name");
}

// The control variable of the loop is the table, whose `index` is the number of the last event.
int events_next(lua_State *L)
{
    const Arguments a = {L, "events"};
    session(a);
    uint64_t seen = 0;
    if (is_given(a, 2)) {
        const Table t = table(a, 2, "control");
        seen = whole_option(t, "index", 0, 0, exact_max);
    }
    const std::span<const Event> events = session_events(session(a));
    if (seen >= events.size()) return 0;
    push_event(L, events[seen], seen + 1);
    return 1;
}

static int events(lua_State *L)
{
    session({L, "events"});
    push_anchor(L, anchor_events_next);
    lua_pushvalue(L, 1);
    return 2;
}

// --- Events by function ---

static int on(lua_State *L)
{
    const Arguments a = {L, "on"};
    session(a);
    const int kind = choice(a, 2, "kind", event_kinds);
    if (is_given(a, 3) && !lua_isfunction(L, 3))
        refuse(a, 3, "function", "a function, or nil for none any more");
    lua_settop(L, 3);
    push_kept(L, kept_functions);
    lua_pushvalue(L, 3);
    lua_rawseti(L, -2, kind + 1);
    return 0;
}

static int dispatch(lua_State *L)
{
    const Arguments a = {L, "dispatch"};
    session(a);
    lua_settop(L, 1);
    push_kept(L, kept_functions);
    // A function may call receive() or destroy the session, so read both again each time.
    for (size_t i = 0;; ++i) {
        const Session *s = session_box(a).session;
        if (!s || i >= session_events(s).size()) return 0;
        const Event &e = session_events(s)[i];
        lua_rawgeti(L, 2, static_cast<int>(e.kind) + 1);
        if (lua_isfunction(L, -1)) {
            push_event(L, e, i + 1);
            lua_call(L, 1, 0);
        }
        lua_settop(L, 2);
    }
}

const luaL_Reg event_functions[] = {{"event_count", event_count},
                                    {"event", event},
                                    {"argument", argument},
                                    {"refusal", refusal},
                                    {"failure", failure},
                                    {"breach", breach},
                                    {"changed", changed},
                                    {"progress", progress},
                                    {"event_name", event_name},
                                    {"payload", payload},
                                    {"lost_ticks", lost_ticks},
                                    {"events", events},
                                    {"on", on},
                                    {"dispatch", dispatch},
                                    {nullptr, nullptr}};

}
