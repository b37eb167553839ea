#include "godot_session.h"
#include <cstring>
#include <tern/many.h>

namespace tern_godot {

Session::~Session()
{
    tern_destroy_session(session);
    tern_destroy_socket(socket);
}

void complain(const std::string &text)
{
    api->godot_print_error(text.c_str(), "TernSession", "tern", 0);
}

static void note_misuse(void *, const tern_misuse *misuse)
{
    complain(std::string(misuse->function) + "(): " + misuse->wrong + " " + misuse->remedy);
}

static Value done(tern_result result)
{
    if (result != TERN_OK && result != TERN_MISUSE) complain(tern_result_text(result));
    return Value::boolean(result == TERN_OK);
}

static tern_object object_of(const Value &value)
{
    return static_cast<tern_object>(value.as_int());
}

static tern_peer peer_of(const Value &value)
{
    return static_cast<tern_peer>(value.as_int());
}

// --- Beginning and end ---

// setup(types, options): "" or what is wrong.
static Value setup(Session &s, Arguments a)
{
    if (s.session) return Value::text("setup() was called before");
    std::string wrong = make_types(a[0], s.types);
    if (!wrong.empty()) return Value::text(wrong);
    const std::string name = a[1].has("name") ? a[1].get("name").as_text() : "";
    const int topology = number_of(a[1].get("topology"), {"mesh", "star"});
    const int quorum = number_of(a[1].get("quorum"), {"majority", "survivors"});
    if (topology < 0 || quorum < 0) return Value::text("there is no such topology or quorum");
    tern_config config = {};
    config.struct_size = sizeof config;
    config.type_bytes = sizeof(tern_type);
    config.field_bytes = sizeof(tern_field);
    config.types = s.types.types.data();
    config.type_count = s.types.types.size();
    config.name = name.c_str();
    config.peers_max = static_cast<uint16_t>(a[1].get("peers_max").as_int());
    config.topology = static_cast<tern_topology>(topology);
    config.quorum = static_cast<tern_quorum>(quorum);
    config.timeout_ms = static_cast<uint32_t>(a[1].get("timeout_ms").as_int());
    config.misuse = {note_misuse, nullptr};
    char problem[TERN_PROBLEM_TEXT_MAX] = "";
    if (tern_config_problem(&config, problem) != TERN_OK || problem[0] != '\0')
        return Value::text(problem);
    const auto port = static_cast<uint16_t>(a[1].get("port").as_int());
    tern_result result = tern_make_udp_socket(port, false, &s.socket);
    if (result == TERN_OK) result = tern_make_session(&config, &s.session);
    return Value::text(result == TERN_OK ? "" : tern_result_text(result));
}

static Value start(Session &s, Arguments)
{
    return done(tern_start(s.session));
}

static Value join(Session &s, Arguments a) // "" or what is wrong with the invite.
{
    tern_invite invite;
    if (const char *wrong = tern_parse_invite(a[0].as_text().c_str(), &invite))
        return Value::text(wrong);
    done(tern_join(s.session, &invite, nullptr, 0));
    return Value::text("");
}

static Value leave(Session &s, Arguments)
{
    return done(tern_leave(s.session));
}

static Value state(Session &s, Arguments)
{
    static constexpr const char *names[] = {
        "idle",          "joining",         "open",           "cut_off",         "leaving",
        "left",          "unreachable",     "refused_full",   "refused_types",   "refused_version",
        "refused_secret", "refused_by_game", "removed",        "overflow"};
    return Value::text(names[tern_session_state(s.session)]);
}

static Value state_text(Session &s, Arguments)
{
    return Value::text(tern_state_text(s.session));
}

static Value port(Session &s, Arguments)
{
    return Value::integer(tern_socket_port(s.socket));
}

static Value make_invite(Session &s, Arguments a) // Of addresses; "": it was not made.
{
    tern_address addresses[TERN_INVITE_ADDRESSES_MAX] = {};
    if (a[0].size() == 0 || a[0].size() > TERN_INVITE_ADDRESSES_MAX) {
        complain("make_invite(): expected an array of 1 to 4 addresses");
        return Value::text("");
    }
    for (size_t i = 0; i < a[0].size(); ++i) {
        const std::string text = a[0].at(i).as_text();
        if (tern_parse_address(text.c_str(), &addresses[i]) == TERN_OK) continue;
        complain("make_invite(): \"" + text + "\" is no address: expected 1.2.3.4:7777");
        return Value::text("");
    }
    tern_invite invite;
    char text[TERN_INVITE_TEXT_MAX] = "";
    if (tern_make_invite(s.session, addresses, a[0].size(), &invite) == TERN_OK)
        tern_invite_text(&invite, text);
    return Value::text(text);
}

// --- A tick ---

static void put_call(const Session &s, const tern_event &event, Value &out)
{
    const auto &call = event.of.call;
    out.put("call", Value::integer(call.id));
    out.put("peer", Value::integer(call.peer));
    out.put("object", Value::integer(static_cast<int64_t>(call.object)));
    if (call.type < s.types.types.size()) {
        const tern_type &type = s.types.types[call.type];
        out.put("type", Value::text(type.name));
        if (call.arguments) out.put("arguments", read_struct(type, call.arguments));
    }
    if (event.kind == TERN_EVENT_CALL_FAILED)
        out.put("failure", Value::text(tern_call_failure_text(call.failure)));
}

static void put_object(const Session &s, tern_object object, tern_type_id type, Value &out)
{
    out.put("object", Value::integer(static_cast<int64_t>(object)));
    if (type < s.types.types.size()) out.put("type", Value::text(s.types.types[type].name));
}

static Value read_event(const Session &s, const tern_event &event)
{
    Value out = Value::dictionary();
    out.put("kind", Value::text(tern_event_kind_text(event.kind)));
    switch (event.kind) {
    case TERN_EVENT_JOIN_ASKED:
    case TERN_EVENT_PEER_JOINED:
        out.put("peer", Value::integer(event.of.newcomer.peer));
        out.put("name", Value::text(event.of.newcomer.name));
        break;
    case TERN_EVENT_CAUGHT_UP:
    case TERN_EVENT_PEER_LEFT:
    case TERN_EVENT_HOST_LOST: out.put("peer", Value::integer(event.of.peer)); break;
    case TERN_EVENT_MISBEHAVED: out.put("peer", Value::integer(event.of.misbehaved.peer)); break;
    case TERN_EVENT_HOST_CHANGED: out.put("peer", Value::integer(event.of.host.peer)); break;
    case TERN_EVENT_OBJECT_CREATED:
    case TERN_EVENT_OBJECT_CHANGED:
    case TERN_EVENT_OBJECT_DESTROYED:
    case TERN_EVENT_OBJECT_HIDDEN:
    case TERN_EVENT_OBJECT_SHOWN:
        put_object(s, event.of.object.id, event.of.object.type, out);
        out.put("owner", Value::integer(event.of.object.owner));
        break;
    case TERN_EVENT_OWNER_CHANGED:
    case TERN_EVENT_OBJECT_ORPHANED:
        put_object(s, event.of.owner.object, event.of.owner.type, out);
        out.put("owner", Value::integer(event.of.owner.owner));
        out.put("previous", Value::integer(event.of.owner.previous));
        break;
    case TERN_EVENT_CLAIM_ASKED:
    case TERN_EVENT_CLAIM_GRANTED:
    case TERN_EVENT_CLAIM_REFUSED:
        put_object(s, event.of.claim.object, event.of.claim.type, out);
        out.put("peer", Value::integer(event.of.claim.claimer));
        if (event.kind == TERN_EVENT_CLAIM_REFUSED)
            out.put("refusal", Value::text(tern_claim_refusal_text(event.of.claim.refusal)));
        break;
    case TERN_EVENT_CALL:
    case TERN_EVENT_REPLY:
    case TERN_EVENT_CALL_FAILED: put_call(s, event, out); break;
    default: break;
    }
    return out;
}

static Value receive(Session &s, Arguments)
{
    Value out = Value::array();
    const tern_datagram *datagrams = nullptr;
    const size_t count = tern_socket_receive(s.socket, &datagrams);
    if (tern_receive(s.session, datagrams, count, tern_clock_us()) != TERN_OK) return out;
    const tern_event *events = nullptr;
    const size_t event_count = tern_events(s.session, &events);
    for (size_t i = 0; i < event_count; ++i)
        out.append(read_event(s, events[i]));
    return out;
}

static Value send(Session &s, Arguments)
{
    const tern_datagram *datagrams = nullptr;
    const size_t count = tern_send(s.session, tern_clock_us(), &datagrams);
    tern_socket_send(s.socket, datagrams, count);
    return {};
}

// --- Peers ---

static Value local_peer(Session &s, Arguments)
{
    return Value::integer(tern_local_peer(s.session));
}

static Value host_peer(Session &s, Arguments)
{
    return Value::integer(tern_host_peer(s.session));
}

static Value other_peers(Session &s, Arguments)
{
    Value out = Value::array();
    const tern_peer *peers = nullptr;
    const size_t count = tern_other_peers(s.session, &peers);
    for (size_t i = 0; i < count; ++i)
        out.append(Value::integer(peers[i]));
    return out;
}

static Value peer_name(Session &s, Arguments a)
{
    return Value::text(tern_peer_name(s.session, peer_of(a[0])));
}

// --- Objects ---

// The type by its name; null, and complained, if there is none.
static const tern_type *type_of(const Session &s, const Value &name, tern_type_id *id)
{
    const tern_type *type = find_type(s.types, name.as_text(), id);
    if (!type) complain("there is no type \"" + name.as_text() + "\"");
    return type;
}

static Value create(Session &s, Arguments a) // The object; 0: it was not made.
{
    tern_type_id id = TERN_NO_TYPE;
    const tern_type *type = type_of(s, a[0], &id);
    if (!type) return Value::integer(0);
    std::vector<uint64_t> bytes(type->size_bytes / 8);
    const std::string wrong = write_struct(*type, a[1], bytes.data());
    tern_object object = TERN_NO_OBJECT;
    if (wrong.empty())
        done(tern_create(s.session, id, bytes.data(), type->size_bytes, &object));
    else
        complain("create(): " + wrong);
    return Value::integer(static_cast<int64_t>(object));
}

static Value destroy(Session &s, Arguments a)
{
    return done(tern_destroy(s.session, object_of(a[0])));
}

static Value exists(Session &s, Arguments a)
{
    return Value::boolean(tern_exists(s.session, object_of(a[0])));
}

static Value owner(Session &s, Arguments a)
{
    return Value::integer(tern_object_owner(s.session, object_of(a[0])));
}

static Value may_set(Session &s, Arguments a)
{
    return Value::boolean(tern_may_set(s.session, object_of(a[0])));
}

static Value fields(Session &s, Arguments a) // All fields as a dictionary; nil: no such object.
{
    tern_type_id type = TERN_NO_TYPE;
    const void *bytes = tern_find_value(s.session, object_of(a[0]), &type);
    return bytes ? read_struct(s.types.types[type], bytes) : Value();
}

static Value set_fields(Session &s, Arguments a) // Those that the dictionary has.
{
    tern_type_id id = TERN_NO_TYPE;
    const void *now = tern_find_value(s.session, object_of(a[0]), &id);
    if (!now) {
        complain("set_fields(): no such object is known here");
        return Value::boolean(false);
    }
    const tern_type &type = s.types.types[id];
    std::vector<uint64_t> bytes(type.size_bytes / 8);
    std::memcpy(bytes.data(), now, type.size_bytes);
    const std::string wrong = write_struct(type, a[1], bytes.data());
    if (wrong.empty())
        return done(tern_set(s.session, object_of(a[0]), bytes.data(), type.size_bytes));
    complain("set_fields(): " + wrong);
    return Value::boolean(false);
}

static Value object_ids(Session &s, Arguments a)
{
    Value out = Value::array();
    tern_type_id id = TERN_NO_TYPE;
    if (!type_of(s, a[0], &id)) return out;
    const tern_object *objects = nullptr;
    const size_t count = tern_object_ids(s.session, id, &objects);
    for (size_t i = 0; i < count; ++i)
        out.append(Value::integer(static_cast<int64_t>(objects[i])));
    return out;
}

// A float32 field of all objects, in the order of object_ids(), as one PoolRealArray: an engine
// that draws a thousand objects crosses the border once.
static Value reals(Session &s, Arguments a)
{
    tern_type_id id = TERN_NO_TYPE;
    const tern_type *type = type_of(s, a[0], &id);
    if (!type) return {};
    const tern_field *field = find_field(*type, a[1].as_text());
    if (!field || (field->kind != TERN_FLOAT32 && field->kind != TERN_QUATERNION)) {
        complain("reals(): there is no float32 or quaternion field \"" + a[1].as_text() + "\"");
        return {};
    }
    const tern_object *objects = nullptr;
    const size_t count = tern_object_ids(s.session, id, &objects);
    const void *values = tern_object_values(s.session, id, type->size_bytes);
    const size_t each = (field->count > 1 ? field->count : 1) * (field->kind == TERN_QUATERNION
                                                                     ? size_t{4}
                                                                     : size_t{1});
    std::vector<float> all(count * each);
    for (size_t i = 0; i < count; ++i)
        std::memcpy(&all[i * each],
                    static_cast<const std::byte *>(values) + i * type->size_bytes +
                        field->offset_bytes,
                    each * sizeof(float));
    return Value::reals(all.data(), all.size());
}

static Value claim(Session &s, Arguments a)
{
    return done(tern_claim(s.session, object_of(a[0]), TERN_CLAIM_WAIT));
}

static Value release(Session &s, Arguments a)
{
    return done(tern_release_ownership(s.session, object_of(a[0])));
}

static Value lock(Session &s, Arguments a)
{
    return done(tern_lock(s.session, object_of(a[0]), a[1].as_bool()));
}

static Value world_digest(Session &s, Arguments)
{
    return Value::integer(static_cast<int64_t>(tern_world_digest(s.session)));
}

// --- Calls ---

// The arguments of a call of the type; empty, and complained, if they are wrong.
static std::vector<uint64_t> arguments_of(const Session &s, const Value &name, const Value &values,
                                          tern_type_id *id)
{
    const tern_type *type = type_of(s, name, id);
    if (!type) return {};
    std::vector<uint64_t> bytes(type->size_bytes / 8);
    const std::string wrong = write_struct(*type, values, bytes.data());
    if (wrong.empty()) return bytes;
    complain("a call: " + wrong);
    return {};
}

static Value call_peer(Session &s, Arguments a) // (to, type, values)
{
    tern_type_id id = TERN_NO_TYPE;
    const std::vector<uint64_t> bytes = arguments_of(s, a[1], a[2], &id);
    if (bytes.empty()) return Value::boolean(false);
    return done(
        tern_call(s.session, peer_of(a[0]), id, bytes.data(), bytes.size() * 8, TERN_RELIABLE));
}

static Value request(Session &s, Arguments a) // (to, type, values, timeout_ms): the call; 0: none.
{
    tern_type_id id = TERN_NO_TYPE;
    const std::vector<uint64_t> bytes = arguments_of(s, a[1], a[2], &id);
    tern_call_id call = TERN_NO_CALL;
    if (!bytes.empty())
        done(tern_request(s.session, peer_of(a[0]), id, bytes.data(), bytes.size() * 8,
                          static_cast<uint32_t>(a[3].as_int()), &call));
    return Value::integer(call);
}

static Value reply(Session &s, Arguments a) // (event, type, values)
{
    tern_type_id id = TERN_NO_TYPE;
    const std::vector<uint64_t> bytes = arguments_of(s, a[1], a[2], &id);
    if (bytes.empty()) return Value::boolean(false);
    return done(tern_reply(s.session, peer_of(a[0].get("peer")),
                           static_cast<tern_call_id>(a[0].get("call").as_int()), id, bytes.data(),
                           bytes.size() * 8));
}

std::span<const Method> methods()
{
    static constexpr Method all[] = {{"setup", 2, setup},
                                     {"start", 0, start},
                                     {"join", 1, join},
                                     {"leave", 0, leave},
                                     {"state", 0, state},
                                     {"state_text", 0, state_text},
                                     {"port", 0, port},
                                     {"make_invite", 1, make_invite},
                                     {"receive", 0, receive},
                                     {"send", 0, send},
                                     {"local_peer", 0, local_peer},
                                     {"host_peer", 0, host_peer},
                                     {"other_peers", 0, other_peers},
                                     {"peer_name", 1, peer_name},
                                     {"create", 2, create},
                                     {"destroy", 1, destroy},
                                     {"exists", 1, exists},
                                     {"owner", 1, owner},
                                     {"may_set", 1, may_set},
                                     {"fields", 1, fields},
                                     {"set_fields", 2, set_fields},
                                     {"object_ids", 1, object_ids},
                                     {"reals", 2, reals},
                                     {"claim", 1, claim},
                                     {"release", 1, release},
                                     {"lock", 2, lock},
                                     {"world_digest", 0, world_digest},
                                     {"call_peer", 3, call_peer},
                                     {"request", 4, request},
                                     {"reply", 3, reply}};
    return all;
}

}
