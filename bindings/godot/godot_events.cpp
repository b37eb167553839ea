// Events, as dictionaries with the members that a tern_event of that kind has, by their names
// there.
#include "godot_session.h"

namespace tern_godot {

namespace {

void put_number(Value &out, const char *key, uint64_t number)
{
    out.put(key, Value::integer(static_cast<int64_t>(number)));
}

// The object, and the name of its type; "": the type is not known here.
void put_object(const Session &s, tern_object object, tern_type_id type, Value &out)
{
    put_number(out, "object", object);
    const bool is_known = type < s.types.types.size();
    out.put("type", Value::text(is_known ? s.types.types[type].name : ""));
}

void put_changed(const Session &s, uint64_t changed_fields, tern_type_id type, Value &out)
{
    Value names = Value::array();
    if (type < s.types.types.size())
        for (size_t i = 0; i < s.types.types[type].field_count; ++i)
            if (changed_fields >> i & 1)
                names.append(Value::text(s.types.types[type].fields[i].name));
    out.put("changed_fields", names);
}

void put_newcomer(const tern_event &event, Value &out)
{
    const auto &newcomer = event.of.newcomer;
    put_number(out, "peer", newcomer.peer);
    put_number(out, "previous", newcomer.previous);
    out.put("name", Value::text(newcomer.name ? newcomer.name : ""));
    if (event.kind != TERN_EVENT_JOIN_ASKED) return;
    const auto *payload = static_cast<const char *>(newcomer.payload);
    out.put("payload", Value::text({payload ? payload : "", newcomer.payload_bytes}));
}

void put_owner(const Session &s, const tern_event &event, Value &out)
{
    const auto &owner = event.of.owner;
    put_object(s, owner.object, owner.type, out);
    put_number(out, "owner", owner.owner);
    put_number(out, "previous", owner.previous);
    put_number(out, "lost_ticks", owner.lost_ticks);
    put_changed(s, owner.changed_fields, owner.type, out);
}

void put_claim(const Session &s, const tern_event &event, Value &out)
{
    const auto &claim = event.of.claim;
    put_object(s, claim.object, claim.type, out);
    put_number(out, "claimer", claim.claimer);
    if (event.kind == TERN_EVENT_CLAIM_REFUSED)
        out.put("refusal", Value::text(tern_claim_refusal_text(claim.refusal)));
}

void put_call(const Session &s, const tern_event &event, Value &out)
{
    const auto &call = event.of.call;
    put_object(s, call.object, call.type, out);
    put_number(out, "call", call.id);
    put_number(out, "caller", call.peer);
    if (call.type < s.types.types.size() && call.arguments)
        out.put("arguments", read_struct(s.types.types[call.type], call.arguments));
    if (event.kind == TERN_EVENT_CALL_FAILED)
        out.put("failure", Value::text(tern_call_failure_text(call.failure)));
}

void put_members(const Session &s, const tern_event &event, Value &out)
{
    switch (event.kind) {
    case TERN_EVENT_JOIN_PROGRESS:
        put_number(out, "objects_here", event.of.progress.objects_here);
        return put_number(out, "objects_expected", event.of.progress.objects_expected);
    case TERN_EVENT_JOIN_ASKED:
    case TERN_EVENT_PEER_JOINED: return put_newcomer(event, out);
    case TERN_EVENT_CAUGHT_UP:
    case TERN_EVENT_PEER_LEFT:
    case TERN_EVENT_HOST_LOST: return put_number(out, "peer", event.of.peer);
    case TERN_EVENT_MISBEHAVED:
        put_number(out, "peer", event.of.misbehaved.peer);
        put_number(out, "reporter", event.of.misbehaved.reporter);
        return out.put("breach", Value::text(tern_breach_text(event.of.misbehaved.breach)));
    case TERN_EVENT_HOST_CHANGED:
        put_number(out, "peer", event.of.host.peer);
        return put_number(out, "previous", event.of.host.previous);
    case TERN_EVENT_OBJECT_CHANGED:
        put_changed(s, event.of.object.changed_fields, event.of.object.type, out);
        [[fallthrough]];
    case TERN_EVENT_OBJECT_CREATED:
    case TERN_EVENT_OBJECT_DESTROYED:
    case TERN_EVENT_OBJECT_HIDDEN:
    case TERN_EVENT_OBJECT_SHOWN:
        put_object(s, event.of.object.id, event.of.object.type, out);
        return put_number(out, "owner", event.of.object.owner);
    case TERN_EVENT_OWNER_CHANGED:
    case TERN_EVENT_OBJECT_ORPHANED: return put_owner(s, event, out);
    case TERN_EVENT_CLAIM_ASKED:
    case TERN_EVENT_CLAIM_GRANTED:
    case TERN_EVENT_CLAIM_REFUSED: return put_claim(s, event, out);
    case TERN_EVENT_CALL:
    case TERN_EVENT_REPLY:
    case TERN_EVENT_CALL_FAILED: return put_call(s, event, out);
    }
}

}

Value read_event(const Session &s, const tern_event &event)
{
    Value out = Value::dictionary();
    out.put("kind", Value::text(tern_event_kind_text(event.kind)));
    put_members(s, event, out);
    return out;
}

}
