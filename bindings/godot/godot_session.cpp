// Beginning and end of a session, its ticks and peers.
#include "godot_session.h"

namespace tern_godot {

Session::~Session()
{
    tern_destroy_session(session);
    tern_destroy_socket(socket);
}

void Session::fail(const std::string &wrong)
{
    if (error.empty()) error = wrong;
}

bool Session::is_done(tern_result result)
{
    if (result != TERN_OK) fail(tern_result_text(result)); // Misuse has a text already.
    return result == TERN_OK;
}

uint64_t number_of(const Value &value)
{
    return static_cast<uint64_t>(value.as_int());
}

tern_peer peer_of(const Value &value)
{
    const uint64_t number = number_of(value);
    return number < TERN_HOST ? static_cast<tern_peer>(number) : tern_peer{TERN_NO_PEER};
}

const tern_type *type_of(Session &s, const Value &name, tern_type_id *id)
{
    const tern_type *type = find_type(s.types, name.as_text(), id);
    if (type) return type;
    std::string all;
    for (const tern_type &one : s.types.types)
        all += (all.empty() ? "" : ", ") + std::string(one.name);
    s.fail("there is no type \"" + name.as_text() + "\", expected one of " + all);
    return nullptr;
}

static void note_misuse(void *session, const tern_misuse *misuse)
{
    static_cast<Session *>(session)->fail(std::string(misuse->wrong) + " " + misuse->remedy);
}

// --- Beginning and end ---

struct Setup {
    std::string name;
    uint16_t port = 0;
    bool ipv6 = false;
    bool reports_changes = true;
};

static std::string read_options(const Value &given, Setup &setup, tern_config &config)
{
    Options options(given.is_nil() ? Value::dictionary() : given, "options");
    options.take("name", setup.name);
    options.take("port", setup.port);
    options.take("ipv6", setup.ipv6);
    options.take("changed_events", setup.reports_changes);
    options.take("peers_max", config.peers_max);
    options.take("topology", config.topology, {"mesh", "star"});
    options.take("quorum", config.quorum, {"majority", "survivors"});
    options.take("timeout_ms", config.timeout_ms);
    options.take("join_timeout_ms", config.join_timeout_ms);
    options.take("go_on_after_ms", config.go_on_after_ms);
    options.take("send_bytes_per_second_max", config.send_bytes_per_second_max);
    bool asks = false;
    options.take("ask_to_admit", asks);
    config.admission = asks ? TERN_ADMIT_ASK_GAME : TERN_ADMIT_ALWAYS;
    return options.finish();
}

static std::string make(Session &s, Arguments a)
{
    Setup setup;
    tern_config config = {};
    std::string wrong = make_types(a[0], s.types);
    if (wrong.empty()) wrong = read_options(a[1], setup, config);
    if (!wrong.empty()) return wrong;
    config.struct_size = sizeof config;
    config.type_bytes = sizeof(tern_type);
    config.field_bytes = sizeof(tern_field);
    config.types = s.types.types.data();
    config.type_count = s.types.types.size();
    config.name = setup.name.c_str();
    config.misuse = {note_misuse, &s};
    s.reports_changes = setup.reports_changes;
    char problem[TERN_PROBLEM_TEXT_MAX] = "";
    tern_result result = tern_config_problem(&config, problem);
    if (problem[0] != '\0') return problem;
    if (result == TERN_OK) result = tern_make_udp_socket(setup.port, setup.ipv6, &s.socket);
    if (result != TERN_OK)
        return "port " + std::to_string(setup.port) + ": " + tern_result_text(result);
    result = tern_make_session(&config, &s.session);
    return result == TERN_OK ? "" : tern_result_text(result);
}

static Value setup(Session &s, Arguments a)
{
    if (s.session) {
        s.fail("it was called before: make another TernSession for the next game");
        return Value::boolean(false);
    }
    const std::string wrong = make(s, a);
    if (wrong.empty()) return Value::boolean(true);
    s.fail(wrong);
    tern_destroy_session(s.session);
    tern_destroy_socket(s.socket);
    s.session = nullptr;
    s.socket = nullptr;
    s.types = {};
    return Value::boolean(false);
}

static Value start(Session &s, Arguments)
{
    return Value::boolean(s.is_done(tern_start(s.session)));
}

static Value join(Session &s, Arguments a) // (invite, payload)
{
    tern_invite invite;
    if (const char *wrong = tern_parse_invite(a[0].as_text().c_str(), &invite)) {
        s.fail("the invite: " + std::string(wrong));
        return Value::boolean(false);
    }
    const std::string payload = a[1].is_nil() ? "" : a[1].as_text();
    return Value::boolean(s.is_done(tern_join(s.session, &invite, payload.data(), payload.size())));
}

static Value leave(Session &s, Arguments)
{
    return Value::boolean(s.is_done(tern_leave(s.session)));
}

static Value go_on(Session &s, Arguments)
{
    return Value::boolean(s.is_done(tern_go_on(s.session)));
}

static Value state(Session &s, Arguments)
{
    const tern_state state = s.session ? tern_session_state(s.session) : TERN_STATE_IDLE;
    return Value::text(tern_state_name(state));
}

static Value state_text(Session &s, Arguments)
{
    return Value::text(tern_state_text(s.session));
}

static Value port(Session &s, Arguments)
{
    return Value::integer(tern_socket_port(s.socket));
}

static Value make_invite(Session &s, Arguments a) // (addresses): "" if it was not made.
{
    tern_address addresses[TERN_INVITE_ADDRESSES_MAX] = {};
    const Value given = a[0].as_array();
    if (given.size() > TERN_INVITE_ADDRESSES_MAX) {
        s.fail("expected 1 to 4 addresses, got " + std::to_string(given.size()));
        return Value::text("");
    }
    for (size_t i = 0; i < given.size(); ++i) {
        const std::string text = given.at(i).as_text();
        if (tern_parse_address(text.c_str(), &addresses[i]) == TERN_OK) continue;
        s.fail("\"" + text + "\" is no address: expected 1.2.3.4:7777 or [::1]:7777");
        return Value::text("");
    }
    tern_invite invite;
    char text[TERN_INVITE_TEXT_MAX] = "";
    if (s.is_done(tern_make_invite(s.session, addresses, given.size(), &invite)))
        tern_invite_text(&invite, text);
    return Value::text(text);
}

// --- A tick ---

static Value receive(Session &s, Arguments)
{
    Value out = Value::array();
    const tern_datagram *datagrams = nullptr;
    const size_t count = tern_socket_receive(s.socket, &datagrams);
    if (!s.is_done(tern_receive(s.session, datagrams, count, tern_clock_us()))) return out;
    const tern_event *events = nullptr;
    const size_t event_count = tern_events(s.session, &events);
    for (size_t i = 0; i < event_count; ++i)
        if (s.reports_changes || events[i].kind != TERN_EVENT_OBJECT_CHANGED)
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

static Value admit(Session &s, Arguments a)
{
    return Value::boolean(s.is_done(tern_admit(s.session, peer_of(a[0]))));
}

static Value refuse(Session &s, Arguments a) // (newcomer, reason)
{
    const std::string reason = a[1].is_nil() ? "" : a[1].as_text();
    return Value::boolean(s.is_done(tern_refuse(s.session, peer_of(a[0]), reason.c_str())));
}

static Value remove(Session &s, Arguments a)
{
    return Value::boolean(s.is_done(tern_remove(s.session, peer_of(a[0]))));
}

static constexpr Method methods[] = {{"setup", "a|d", setup, true},
                                     {"start", "", start},
                                     {"join", "s|s", join},
                                     {"leave", "", leave},
                                     {"go_on", "", go_on},
                                     {"state", "", state, true},
                                     {"state_text", "", state_text},
                                     {"port", "", port},
                                     {"make_invite", "v", make_invite},
                                     {"receive", "", receive},
                                     {"send", "", send},
                                     {"local_peer", "", local_peer},
                                     {"host_peer", "", host_peer},
                                     {"other_peers", "", other_peers},
                                     {"peer_name", "i", peer_name},
                                     {"admit", "i", admit},
                                     {"refuse", "i|s", refuse},
                                     {"remove", "i", remove}};
constinit const std::span<const Method> session_methods = methods;

}
