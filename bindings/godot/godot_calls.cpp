// Calls, requests and replies.
#include "godot_session.h"
#include <algorithm>

namespace tern_godot {

namespace {

struct Call {
    tern_type_id type = TERN_NO_TYPE;
    std::vector<uint64_t> bytes; // Empty, and noted: the call is wrong.
    size_t size_bytes() const { return bytes.size() * 8; }
};

Call make_call(Session &s, const Value &type_name, const Value &fields)
{
    Call out;
    const tern_type *type = type_of(s, type_name, &out.type);
    if (!type) return out;
    out.bytes = make_struct(*type);
    const std::string wrong = write_struct(*type, fields, out.bytes.data());
    if (wrong.empty()) return out;
    s.fail(wrong);
    out.bytes.clear();
    return out;
}

tern_peer recipient_of(const Value &to) // It was checked: a number, "host" or "everyone".
{
    if (!to.is(GODOT_VARIANT_TYPE_STRING)) return peer_of(to);
    return to.as_text() == "host" ? TERN_HOST : TERN_EVERYONE;
}

Value call_peer(Session &s, Arguments a) // (to, type, fields, reliable)
{
    const Call call = make_call(s, a[1], a[2]);
    if (call.bytes.empty()) return Value::boolean(false);
    const bool is_reliable = a[3].is_nil() || a[3].as_bool();
    return Value::boolean(
        s.is_done(tern_call(s.session, recipient_of(a[0]), call.type, call.bytes.data(),
                            call.size_bytes(), is_reliable ? TERN_RELIABLE : TERN_UNRELIABLE)));
}

Value call_owner(Session &s, Arguments a) // (object, type, fields): the call; 0: none.
{
    const Call call = make_call(s, a[1], a[2]);
    tern_call_id id = TERN_NO_CALL;
    if (!call.bytes.empty())
        s.is_done(tern_call_owner(s.session, number_of(a[0]), call.type, call.bytes.data(),
                                  call.size_bytes(), &id));
    return Value::integer(id);
}

uint32_t timeout_of(const Value &value) // More than tern takes stays more.
{
    return static_cast<uint32_t>(std::min<uint64_t>(number_of(value), UINT32_MAX));
}

Value request(Session &s, Arguments a) // (to, type, fields, timeout_ms): the call; 0: none.
{
    const Call call = make_call(s, a[1], a[2]);
    tern_call_id id = TERN_NO_CALL;
    if (!call.bytes.empty())
        s.is_done(tern_request(s.session, recipient_of(a[0]), call.type, call.bytes.data(),
                               call.size_bytes(), timeout_of(a[3]), &id));
    return Value::integer(id);
}

Value request_owner(Session &s, Arguments a) // (object, type, fields, timeout_ms)
{
    const Call call = make_call(s, a[1], a[2]);
    tern_call_id id = TERN_NO_CALL;
    if (!call.bytes.empty())
        s.is_done(tern_request_owner(s.session, number_of(a[0]), call.type, call.bytes.data(),
                                     call.size_bytes(), timeout_of(a[3]), &id));
    return Value::integer(id);
}

Value reply(Session &s, Arguments a) // (event, type, fields)
{
    const Value caller = a[0].get("caller"), number = a[0].get("call");
    if (!caller.is(GODOT_VARIANT_TYPE_INT) || !number.is(GODOT_VARIANT_TYPE_INT)) {
        s.fail("expected an event of the kind call, got another Dictionary");
        return Value::boolean(false);
    }
    const Call call = make_call(s, a[1], a[2]);
    if (call.bytes.empty()) return Value::boolean(false);
    return Value::boolean(s.is_done(tern_reply(s.session, peer_of(caller),
                                               static_cast<tern_call_id>(number_of(number)),
                                               call.type, call.bytes.data(), call.size_bytes())));
}

constexpr Method methods[] = {{"call_peer", "rtd|b", call_peer},
                              {"call_owner", "itd", call_owner},
                              {"request", "rtdi", request},
                              {"request_owner", "itdi", request_owner},
                              {"reply", "dtd", reply}};

}

constinit const std::span<const Method> call_methods = methods;

}
