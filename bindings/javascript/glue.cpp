// What tern.mjs calls in the WebAssembly module, beside the functions of tern.h: it makes types and
// sessions without knowing how C lays structs out, reads events as numbers, and has the simulated
// network, as a page has no UDP.
#include <algorithm>
#include <cstring>
#include <deque>
#include <new>
#include <string>
#include <tern/limits.hpp>
#include <tern/many.h>
#include <tern/sim.hpp>
#include <tern/tern.h>
#include <tern/types.hpp>
#include <utility>
#include <vector>

namespace {

struct Table { // The types of a session that will be made.
    std::vector<tern_type> types;
    std::deque<std::vector<tern_field>> fields;
    std::deque<std::string> texts;
};

struct JsSession {
    tern_session *session;
    std::vector<tern_datagram> inbox; // The next receive() takes them; their bytes are in `bytes`.
    std::deque<std::vector<char>> bytes;
    const tern_datagram *outbox;
    size_t outbox_count;
    std::string misuse; // What the last call did wrongly; empty: it was right.
};

constexpr size_t sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 16, 2, 8, 1, 1, 1};

void note_misuse(void *user, const tern_misuse *misuse)
{
    auto &js = *static_cast<JsSession *>(user);
    if (js.misuse.empty())
        js.misuse = std::string(misuse->function) + "(): " + misuse->wrong + " " + misuse->remedy;
}

double number(const void *address)
{
    return static_cast<double>(reinterpret_cast<uintptr_t>(address));
}

tern_address loopback_at(uint16_t port)
{
    tern_address address = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}, port};
    return address;
}

}

extern "C" {

// --- Types ---

Table *js_make_table()
{
    return new Table;
}

// The options are those of tern_type.
void js_add_type(Table *table, const char *name, uint32_t objects_max, int orphan, int claim,
                 int callers, uint32_t owned_max, uint32_t claim_cooldown_ms,
                 uint32_t claims_per_second_max, uint32_t calls_per_second_max, bool predicted)
{
    tern_type type = {};
    type.name = table->texts.emplace_back(name).c_str();
    type.objects_max = objects_max;
    type.orphan = static_cast<tern_orphan>(orphan);
    type.claim = static_cast<tern_claim_policy>(claim);
    type.callers = static_cast<tern_callers>(callers);
    type.owned_max = owned_max;
    type.claim_cooldown_ms = claim_cooldown_ms;
    type.claims_per_second_max = static_cast<uint16_t>(claims_per_second_max);
    type.calls_per_second_max = static_cast<uint16_t>(calls_per_second_max);
    type.predicted = predicted;
    table->types.push_back(type);
    table->fields.emplace_back();
}

// Adds a field to the last type. Returns its offset.
uint32_t js_add_field(Table *table, const char *name, int kind, uint32_t count, double min,
                      double max, double step, double bound)
{
    tern_type &type = table->types.back();
    const size_t size = sizes[kind];
    const size_t alignment = kind == TERN_QUATERNION ? 4 : size;
    const size_t offset = (type.size_bytes + alignment - 1) / alignment * alignment;
    tern_field field = {};
    field.name = table->texts.emplace_back(name).c_str();
    field.kind = static_cast<tern_field_kind>(kind);
    field.offset_bytes = static_cast<uint16_t>(offset);
    field.count = static_cast<uint16_t>(count);
    field.min = min;
    field.max = max;
    field.step = step;
    field.bound = bound;
    table->fields.back().push_back(field);
    type.size_bytes = static_cast<uint32_t>(offset + size * (count > 1 ? count : 1));
    type.fields = table->fields.back().data();
    type.field_count = table->fields.back().size();
    return field.offset_bytes;
}

// Is called after the last field of a type. Returns the size of the struct.
uint32_t js_end_type(Table *table)
{
    tern_type &type = table->types.back();
    type.size_bytes = (type.size_bytes + 7) / 8 * 8;
    return type.size_bytes;
}

void js_destroy_table(Table *table)
{
    delete table;
}

// --- Sessions ---

// Takes the table. Writes what is wrong, or "", to `problem` of TERN_PROBLEM_TEXT_MAX bytes.
JsSession *js_make_session(Table *table, const char *name, uint32_t peers_max, int topology,
                           int quorum, bool asks, uint32_t timeout_ms, uint32_t join_timeout_ms,
                           uint32_t send_bytes_per_second_max, char *problem)
{
    auto *js = new JsSession{};
    tern_config config = {};
    config.struct_size = sizeof config;
    config.type_bytes = sizeof(tern_type);
    config.field_bytes = sizeof(tern_field);
    config.types = table->types.data();
    config.type_count = table->types.size();
    config.name = name;
    config.peers_max = static_cast<uint16_t>(peers_max);
    config.topology = static_cast<tern_topology>(topology);
    config.quorum = static_cast<tern_quorum>(quorum);
    config.admission = asks ? TERN_ADMIT_ASK_GAME : TERN_ADMIT_ALWAYS;
    config.timeout_ms = timeout_ms;
    config.join_timeout_ms = join_timeout_ms;
    config.send_bytes_per_second_max = send_bytes_per_second_max;
    config.misuse = {note_misuse, js};
    problem[0] = '\0';
    tern_config_problem(&config, problem);
    const tern_result result = tern_make_session(&config, &js->session);
    if (result != TERN_OK && problem[0] == '\0')
        std::strncpy(problem, tern_result_text(result), TERN_PROBLEM_TEXT_MAX - 1);
    delete table;
    if (result == TERN_OK) return js;
    delete js;
    return nullptr;
}

void js_destroy_session(JsSession *js)
{
    tern_destroy_session(js->session);
    delete js;
}

tern_session *js_session(const JsSession *js)
{
    return js->session;
}

// What the last wrong call did, or "". Forgets it.
const char *js_take_misuse(JsSession *js)
{
    static std::string text;
    text = std::exchange(js->misuse, std::string());
    return text.c_str();
}

// Returns a tern_result, and writes what is wrong with the text of the invite, or null.
int js_join(JsSession *js, const char *invite_text, const void *payload, uint32_t payload_bytes,
            const char **wrong)
{
    tern_invite invite;
    *wrong = tern_parse_invite(invite_text, &invite);
    return *wrong ? TERN_MISUSE : tern_join(js->session, &invite, payload, payload_bytes);
}

// An invite to one address, as text of TERN_INVITE_TEXT_MAX bytes. Returns a tern_result.
int js_make_invite(const JsSession *js, const uint8_t *ip, uint32_t port, char *text)
{
    tern_address address = {};
    std::memcpy(address.ip, ip, sizeof address.ip);
    address.port = static_cast<uint16_t>(port);
    tern_invite invite;
    const tern_result result = tern_make_invite(js->session, &address, 1, &invite);
    if (result == TERN_OK) tern_invite_text(&invite, text);
    return result;
}

// --- A tick ---

uint32_t js_datagram_bytes_max()
{
    return tern::datagram_bytes_max;
}

// A datagram for the next js_receive(): returns where its bytes go.
char *js_add_datagram(JsSession *js, const uint8_t *ip, uint32_t port, uint32_t size_bytes)
{
    std::vector<char> &bytes = js->bytes.emplace_back(size_bytes > 0 ? size_bytes : 1);
    tern_datagram datagram = {};
    std::memcpy(datagram.address.ip, ip, sizeof datagram.address.ip);
    datagram.address.port = static_cast<uint16_t>(port);
    datagram.bytes = bytes.data();
    datagram.size_bytes = size_bytes;
    js->inbox.push_back(datagram);
    return bytes.data();
}

// Returns the number of events.
uint32_t js_receive(JsSession *js, double now_us)
{
    tern_receive(js->session, js->inbox.data(), js->inbox.size(), static_cast<uint64_t>(now_us));
    js->inbox.clear();
    js->bytes.clear();
    const tern_event *events = nullptr;
    return static_cast<uint32_t>(tern_events(js->session, &events));
}

// Returns the number of datagrams to send.
uint32_t js_send(JsSession *js, double now_us)
{
    js->outbox_count = tern_send(js->session, static_cast<uint64_t>(now_us), &js->outbox);
    return static_cast<uint32_t>(js->outbox_count);
}

// Writes to out: the address of the IP's 16 bytes, the port, the address of the bytes, their
// number.
void js_datagram(const JsSession *js, uint32_t i, uint32_t *out)
{
    const tern_datagram &datagram = js->outbox[i];
    out[0] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(datagram.address.ip));
    out[1] = datagram.address.port;
    out[2] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(datagram.bytes));
    out[3] = static_cast<uint32_t>(datagram.size_bytes);
}

// Writes to out: kind, peer, object, type, owner, previous, call; the address of arguments or of a
// payload, the refusal or the failure; the address of a name, the size of the payload.
void js_event(const JsSession *js, uint32_t i, double *out)
{
    const tern_event *events = nullptr;
    tern_events(js->session, &events);
    const tern_event &event = events[i];
    std::fill_n(out, 11, 0.0);
    out[0] = event.kind;
    out[3] = TERN_NO_TYPE;
    switch (event.kind) {
    case TERN_EVENT_JOIN_ASKED:
    case TERN_EVENT_PEER_JOINED:
        out[1] = event.of.newcomer.peer;
        out[5] = event.of.newcomer.previous;
        out[7] = number(event.of.newcomer.payload);
        out[9] = number(event.of.newcomer.name);
        out[10] = event.of.newcomer.payload_bytes;
        break;
    case TERN_EVENT_CAUGHT_UP:
    case TERN_EVENT_PEER_LEFT:
    case TERN_EVENT_HOST_LOST: out[1] = event.of.peer; break;
    case TERN_EVENT_MISBEHAVED: out[1] = event.of.misbehaved.peer; break;
    case TERN_EVENT_HOST_CHANGED:
        out[1] = event.of.host.peer;
        out[5] = event.of.host.previous;
        break;
    case TERN_EVENT_OBJECT_CREATED:
    case TERN_EVENT_OBJECT_CHANGED:
    case TERN_EVENT_OBJECT_DESTROYED:
    case TERN_EVENT_OBJECT_HIDDEN:
    case TERN_EVENT_OBJECT_SHOWN:
        out[2] = static_cast<double>(event.of.object.id);
        out[3] = event.of.object.type;
        out[4] = event.of.object.owner;
        break;
    case TERN_EVENT_OWNER_CHANGED:
    case TERN_EVENT_OBJECT_ORPHANED:
        out[2] = static_cast<double>(event.of.owner.object);
        out[3] = event.of.owner.type;
        out[4] = event.of.owner.owner;
        out[5] = event.of.owner.previous;
        break;
    case TERN_EVENT_CLAIM_ASKED:
    case TERN_EVENT_CLAIM_GRANTED:
    case TERN_EVENT_CLAIM_REFUSED:
        out[1] = event.of.claim.claimer;
        out[2] = static_cast<double>(event.of.claim.object);
        out[3] = event.of.claim.type;
        out[8] = event.of.claim.refusal;
        break;
    case TERN_EVENT_CALL:
    case TERN_EVENT_REPLY:
    case TERN_EVENT_CALL_FAILED:
        out[1] = event.of.call.peer;
        out[2] = static_cast<double>(event.of.call.object);
        out[3] = event.of.call.type;
        out[6] = event.of.call.id;
        out[7] = number(event.of.call.arguments);
        out[8] = event.of.call.failure;
        break;
    default: break;
    }
}

// --- Peers ---

int js_admit(const JsSession *js, uint32_t newcomer)
{
    return tern_admit(js->session, static_cast<tern_peer>(newcomer));
}

int js_refuse(const JsSession *js, uint32_t newcomer, const char *reason)
{
    return tern_refuse(js->session, static_cast<tern_peer>(newcomer), reason);
}

int js_remove(const JsSession *js, uint32_t member)
{
    return tern_remove(js->session, static_cast<tern_peer>(member));
}

// Returns the ids, as 16-bit numbers, and writes their number.
const tern_peer *js_other_peers(const JsSession *js, uint32_t *count)
{
    const tern_peer *peers = nullptr;
    *count = static_cast<uint32_t>(tern_other_peers(js->session, &peers));
    return peers;
}

// --- Objects: the ids are numbers of 48 bits. What returns an int returns a tern_result ---

int js_create(const JsSession *js, uint32_t type, const void *value, uint32_t size_bytes,
              double *created)
{
    tern_object object = TERN_NO_OBJECT;
    const tern_result result =
        tern_create(js->session, static_cast<tern_type_id>(type), value, size_bytes, &object);
    *created = static_cast<double>(object);
    return result;
}

int js_destroy(const JsSession *js, double object)
{
    return tern_destroy(js->session, static_cast<tern_object>(object));
}

bool js_exists(const JsSession *js, double object)
{
    return tern_exists(js->session, static_cast<tern_object>(object));
}

// Returns the struct, or null; writes the type.
const void *js_find(const JsSession *js, double object, uint32_t *type)
{
    tern_type_id id = TERN_NO_TYPE;
    const void *value = tern_find_value(js->session, static_cast<tern_object>(object), &id);
    *type = id;
    return value;
}

int js_set(const JsSession *js, double object, const void *value, uint32_t size_bytes)
{
    return tern_set(js->session, static_cast<tern_object>(object), value, size_bytes);
}

bool js_may_set(const JsSession *js, double object)
{
    return tern_may_set(js->session, static_cast<tern_object>(object));
}

uint32_t js_owner(const JsSession *js, double object)
{
    return tern_object_owner(js->session, static_cast<tern_object>(object));
}

int js_sample(const JsSession *js, double object, double at_us, void *value, uint32_t size_bytes)
{
    return tern_sample(js->session, static_cast<tern_object>(object), static_cast<uint64_t>(at_us),
                       value, size_bytes);
}

// Returns the ids, as 64-bit numbers. Writes their number, and the address of the structs.
const void *js_objects(const JsSession *js, uint32_t type, uint32_t size_bytes, uint32_t *out)
{
    const tern_object *ids = nullptr;
    out[0] =
        static_cast<uint32_t>(tern_object_ids(js->session, static_cast<tern_type_id>(type), &ids));
    out[1] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(
        tern_object_values(js->session, static_cast<tern_type_id>(type), size_bytes)));
    return ids;
}

// Sets structs of size_bytes. Returns how many were set.
uint32_t js_set_many(const JsSession *js, uint32_t type, const double *objects, uint32_t count,
                     const void *values, uint32_t size_bytes)
{
    std::vector<tern_object> ids(count);
    std::transform(objects, objects + count, ids.begin(),
                   [](double id) { return static_cast<tern_object>(id); });
    return static_cast<uint32_t>(tern_set_many(js->session, static_cast<tern_type_id>(type),
                                               ids.data(), count, values, count * size_bytes));
}

int js_claim(const JsSession *js, double object, bool optimistic)
{
    return tern_claim(js->session, static_cast<tern_object>(object),
                      optimistic ? TERN_CLAIM_OPTIMISTIC : TERN_CLAIM_WAIT);
}

bool js_is_claiming(const JsSession *js, double object)
{
    return tern_is_claiming(js->session, static_cast<tern_object>(object));
}

int js_release(const JsSession *js, double object)
{
    return tern_release_ownership(js->session, static_cast<tern_object>(object));
}

int js_lock(const JsSession *js, double object, bool locked)
{
    return tern_lock(js->session, static_cast<tern_object>(object), locked);
}

int js_migrate(const JsSession *js, double object, uint32_t to)
{
    return tern_migrate(js->session, static_cast<tern_object>(object), static_cast<tern_peer>(to));
}

int js_refuse_claim(const JsSession *js, double object, uint32_t claimer)
{
    return tern_refuse_claim(js->session, static_cast<tern_object>(object),
                             static_cast<tern_peer>(claimer));
}

// --- Calls ---

int js_call(const JsSession *js, uint32_t to, uint32_t type, const void *arguments,
            uint32_t size_bytes, bool reliable)
{
    return tern_call(js->session, static_cast<tern_peer>(to), static_cast<tern_type_id>(type),
                     arguments, size_bytes, reliable ? TERN_RELIABLE : TERN_UNRELIABLE);
}

int js_call_owner(const JsSession *js, double object, uint32_t type, const void *arguments,
                  uint32_t size_bytes, uint32_t *call)
{
    return tern_call_owner(js->session, static_cast<tern_object>(object),
                           static_cast<tern_type_id>(type), arguments, size_bytes, call);
}

int js_request(const JsSession *js, uint32_t to, uint32_t type, const void *arguments,
               uint32_t size_bytes, uint32_t timeout_ms, uint32_t *call)
{
    return tern_request(js->session, static_cast<tern_peer>(to), static_cast<tern_type_id>(type),
                        arguments, size_bytes, timeout_ms, call);
}

int js_request_owner(const JsSession *js, double object, uint32_t type, const void *arguments,
                     uint32_t size_bytes, uint32_t timeout_ms, uint32_t *call)
{
    return tern_request_owner(js->session, static_cast<tern_object>(object),
                              static_cast<tern_type_id>(type), arguments, size_bytes, timeout_ms,
                              call);
}

int js_reply(const JsSession *js, uint32_t caller, uint32_t call, uint32_t type,
             const void *arguments, uint32_t size_bytes)
{
    return tern_reply(js->session, static_cast<tern_peer>(caller), call,
                      static_cast<tern_type_id>(type), arguments, size_bytes);
}

// The upper and the lower half.
uint32_t js_digest(const JsSession *js, bool upper)
{
    const uint64_t digest = tern_world_digest(js->session);
    return static_cast<uint32_t>(upper ? digest >> 32 : digest);
}

// --- A simulated network ---

tern::SimNetwork *js_make_network(double seed, uint32_t latency_ms_min, uint32_t latency_ms_max,
                                  float loss, float duplicate)
{
    return tern::make_sim_network(
        {.seed = static_cast<uint64_t>(seed),
         .impairment = {latency_ms_min, latency_ms_max, loss, duplicate}});
}

bool js_impair(tern::SimNetwork *network, uint32_t latency_ms_min, uint32_t latency_ms_max,
               float loss, float duplicate)
{
    return tern::set_impairment(network, {latency_ms_min, latency_ms_max, loss, duplicate});
}

bool js_advance(tern::SimNetwork *network, double now_us)
{
    return tern::advance(network, static_cast<uint64_t>(now_us));
}

void js_destroy_network(tern::SimNetwork *network)
{
    tern::destroy_sim_network(network);
}

tern::Socket *js_make_socket(tern::SimNetwork *network, uint32_t port)
{
    const tern_address address = loopback_at(static_cast<uint16_t>(port));
    return tern::make_sim_socket(network, *tern::to_cpp(&address));
}

void js_destroy_socket(tern::Socket *socket)
{
    tern::destroy_socket(socket);
}

void js_cut(tern::SimNetwork *network, uint32_t from, uint32_t to, bool cut)
{
    const tern_address a = loopback_at(static_cast<uint16_t>(from));
    const tern_address b = loopback_at(static_cast<uint16_t>(to));
    tern::set_cut(network, *tern::to_cpp(&a), *tern::to_cpp(&b), cut);
}

// js_receive() and js_send() by a socket of the network.
uint32_t js_receive_by(JsSession *js, tern::Socket *socket, double now_us)
{
    const std::span<const tern::Datagram> datagrams = socket->receive();
    tern_receive(js->session, tern::to_c(datagrams.data()), datagrams.size(),
                 static_cast<uint64_t>(now_us));
    const tern_event *events = nullptr;
    return static_cast<uint32_t>(tern_events(js->session, &events));
}

void js_send_by(JsSession *js, tern::Socket *socket, double now_us)
{
    const size_t count = tern_send(js->session, static_cast<uint64_t>(now_us), &js->outbox);
    socket->send({tern::to_cpp(js->outbox), count});
}
}
