#include "session/session.h"
#include "base/memory.h"
#include "migration/messages.h"
#include "session/config/config.h"
#include "session/membership.h"
#include "session/misuse.h"
#include "session/peer_links.h"
#include "session/recording/crash.h"
#include "session/recording/recording.h"
#include "tern/limits.hpp"
#include "transport/handshake/handshake.h"
#include "transport/handshake/noise.h"
#include "transport/little_endian.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sodium.h>

namespace tern {
namespace session {

// --- States ---

const char *sentence(State state)
{
    switch (state) {
    case State::idle: return "Neither started nor joining.";
    case State::joining: return "Joining.";
    case State::open: return "The session is open.";
    case State::leaving: return "Leaving: waiting until all has arrived.";
    case State::left: return "Left the session.";
    case State::unreachable:
        return "No answer: nobody at the invite's addresses knows this invite. Is the host "
               "running, "
               "and the invite its own?";
    case State::refused_full: return "The session is full.";
    case State::refused_types:
        return "The host has another type table: the types of the config must be equal on all "
               "peers. Use the "
               "same version of the game.";
    case State::refused_version:
        return "The host speaks another version of the wire. Use the same version of the game.";
    case State::refused_secret:
        return "The host is there, but the invite's secret is not the session's. Ask for a new "
               "invite.";
    case State::refused_by_game: return "The host refused.";
    case State::removed: return "The host's game has removed this peer from the session.";
    case State::cut_off:
        return "Cut off from most of the others: waiting until they are heard again. go_on() makes "
               "a session of what is here.";
    case State::overflow: return "More than this peer's limits hold.";
    }
    return "";
}

void enter_state(Session &s, State state, const char *format, ...)
{
    s.state = state;
    wake_all(s);
    for (PeerLink &link : std::span(s.connections.links, s.connections.used))
        link.clock_sent_us = link.clock_count = 0; // The clock says whether the host is cut off.
    va_list values;
    va_start(values, format);
    std::vsnprintf(s.text, sizeof s.text, format, values);
    va_end(values);
}

static const char *fault_sentence(Fault fault)
{
    switch (fault) {
    case Fault::counter_full:
        return "A counter has come to its end. A new peer begins with new ones.";
    case Fault::none:
    case Fault::host_lost:
    case Fault::minority:
    case Fault::removed: break;
    }
    return sentence(State::overflow);
}

void fail(Session &s, State state)
{
    const char *text =
        state == State::overflow ? fault_sentence(s.replica->fault) : sentence(state);
    enter_state(s, state, "%s", text);
    end_all_links(s, CloseReason::left);
}

// --- Making ---

// Event{} makes the members of its CallEvent zero. There are no gaps between them, and those of
// the other structs of the union end before they do: so all of the event is zero.
static constexpr size_t call_bytes = offsetof(CallEvent, peer) + sizeof(PeerId);
static_assert(call_bytes == sizeof(ObjectId) + sizeof(void *) + sizeof(CallId) +
                                sizeof(CallFailure) + sizeof(uint16_t) + sizeof(TypeId) +
                                sizeof(PeerId));
static_assert(offsetof(OwnerChange, previous) + sizeof(PeerId) <= call_bytes);
static_assert(sizeof(ObjectEvent) <= call_bytes && sizeof(ClaimEvent) <= call_bytes);
static_assert(sizeof(Newcomer) <= call_bytes && sizeof(BreachReport) <= call_bytes);
static_assert(sizeof(HostChange) <= call_bytes && sizeof(JoinProgress) <= call_bytes);

// As many packets as the byte budget lets go at once after a tenth of a second without any.
static uint32_t packets_per_tick(const Config &config)
{
    const size_t burst = config.send_bytes_per_second_max / 10 / datagram_bytes_base + 1;
    return static_cast<uint32_t>(
        std::clamp<size_t>(burst, packets_per_tick_min, packets_per_tick_max));
}

static ReplicaLimits replica_limits(const Config &config, const TypeTable &types)
{
    uint32_t slots = 0;
    for (const Type &type : types.types)
        slots += world::capacity(type);
    ReplicaLimits limits = {};
    limits.peers_max = config.peers_max;
    limits.unacked_max = unacked_messages_max + grant_objects_max;
    // For own objects, proofs of deaths, GRANTs that wait, and those in flight.
    limits.grants_max = 3 * slots + 64 * (config.peers_max + 1u);
    limits.dead_max = slots + UINT16_MAX; // With nothing in flight, one range for each creator.
    limits.packets_max = std::max(4 * packets_per_tick(config), 512u);
    limits.updates_max = std::clamp<uint32_t>(8 * slots, 1024, 16 * 1024);
    limits.quorum = config.quorum;
    limits.reserved_peer_ids = reserved_peer_ids;
    limits.topology = config.topology;
    limits.send_parts = config.parallel.parts;
    return limits;
}

static EndpointLimits endpoint_limits(const Config &config)
{
    EndpointLimits limits = {};
    limits.connections_max = static_cast<uint16_t>(config.peers_max + unidentified_links_max);
    limits.connection.send_bytes_per_second_max = config.send_bytes_per_second_max;
    limits.connection.bridged_bytes_per_second_max = config.bridge_bytes_per_second_max;
    limits.connection.timeout_us = config.timeout_ms * 1000;
    limits.connection.queue_bytes_max[static_cast<size_t>(StreamId::world)] = 256 * 1024;
    limits.connection.queue_bytes_max[static_cast<size_t>(StreamId::calls)] = call_queue_bytes_max;
    limits.allocator = config.allocator;
    limits.handshake_timeout_us = std::min<uint32_t>(config.join_timeout_ms * 1000 / 2, 5'000'000);
    return limits;
}

static_assert(messages::welcome_bytes_max <= stream_message_bytes_max);

// Places one array behind those before, or only measures it if b.block is null.
template <class T>
static void place_array(flat::Builder &b, T *&pointer, size_t count, size_t alignment = alignof(T))
{
    b.used_bytes = (b.used_bytes + alignment - 1) / alignment * alignment;
    if (b.block) pointer = reinterpret_cast<T *>(b.block + b.used_bytes);
    b.used_bytes += count * sizeof(T);
}

// Bytes that hold structs of the game need it.
static constexpr size_t struct_alignment = 16;

// A packet is read into these.
static void place_records(flat::Builder &b, Session &s)
{
    const ReadRoom room = publish::read_room(s.types);
    Update *updates = nullptr;
    std::byte *values = nullptr;
    place_array(b, updates, room.parts);
    place_array(b, values, room.value_bytes);
    place_array(b, s.arrivals.calls, unreliable_messages_max);
    place_array(b, s.arrivals.notices, unreliable_messages_max);
    if (!b.block) return;
    s.arrivals.updates.parts = {updates, room.parts};
    s.arrivals.updates.values = {values, room.value_bytes};
}

static void place_optimistic(flat::Builder &b, Session &s)
{
    place_array(b, s.claims.optimistic, s.limits.sizes.slots);
    place_array(b, s.claims.counts, s.types.types.size());
    place_array(b, s.claims.values, s.limits.sizes.value_bytes, struct_alignment);
    place_array(b, s.claims.shown, s.limits.sizes.value_bytes, struct_alignment);
}

static void place_arrays(flat::Builder &b, Session &s)
{
    const auto array = [&b]<class T>(T *&pointer, size_t count, size_t alignment = alignof(T)) {
        place_array(b, pointer, count, alignment);
    };
    const size_t datagram_buffer_max =
        s.connections.count * size_t{s.connections.packets_per_tick} + 64;
    Datagram *datagrams = nullptr;
    std::byte *bytes = nullptr;
    array(s.connections.links, s.connections.count);
    array(s.connections.rests, s.connections.count);
    array(s.connections.awake, s.connections.count);
    array(s.connections.message_ends, s.connections.count * size_t{unacked_messages_max});
    array(s.connections.link_of, s.config.peers_max);
    array(s.connections.reconnect_us, s.config.peers_max);
    array(s.calls.received, s.types.types.size());
    array(s.accounts.rows, charges::row_count(s.types));
    array(s.accounts.runs, charges::run_count(s.types));
    TrafficRow *part_rows = nullptr;
    ChargeRun *part_runs = nullptr;
    const size_t own_charges = s.config.parallel.parts - 1;
    const size_t rows = charges::row_count(s.types), runs = charges::run_count(s.types);
    array(part_rows, own_charges * rows);
    array(part_runs, own_charges * runs);
    array(s.calls.rates, s.config.peers_max * s.types.types.size());
    array(s.calls.forward_rates, s.config.peers_max);
    array(s.calls.forward_queues, s.config.peers_max);
    const size_t peers_max = s.config.topology == Topology::star ? s.config.peers_max : 0;
    array(s.calls.forward_shares, peers_max * peers_max);
    array(s.watch.deadlines, s.config.peers_max);
    array(s.watch.breaches, s.config.peers_max);
    array(s.connections.outages, s.config.peers_max);
    array(s.watch.away, s.config.peers_max);
    array(s.others.ids, s.config.peers_max);
    array(s.former.banned, banned_max);
    array(s.former.members, former_max);
    array(s.former.held, s.limits.sizes.slots);
    array(s.events.all, s.events.max);
    array(s.events.marks, s.limits.sizes.slots / 64 + 1);
    place_optimistic(b, s);
    place_records(b, s);
    std::byte *call_memory = nullptr;
    const size_t calls_bytes =
        std::max(call_memory_bytes, s.connections.count * call_memory_share_bytes);
    array(call_memory, calls_bytes, struct_alignment);
    array(s.calls.unreliable_memory, unreliable_call_memory_bytes);
    array(s.calls.open.memory, open_call_memory_bytes, struct_alignment);
    array(s.bridge.memory, bridged_memory_bytes);
    array(s.bridge.pairs, size_t{s.config.peers_max} * s.config.peers_max);
    array(s.connections.message_buffer, stream_message_bytes_max);
    array(s.records.buffer, s.config.recording_bytes_max);
    array(datagrams, datagram_buffer_max);
    array(bytes, datagram_buffer_max * datagram_bytes_max);
    if (!b.block) return;
    s.calls.arena = {{call_memory, calls_bytes}, 0};
    s.connections.datagram_buffer = {
        {bytes, datagram_buffer_max * datagram_bytes_max}, {datagrams, datagram_buffer_max}, 0};
    s.parts[0].charges = &s.accounts.charges;
    for (uint32_t part = 1; part <= own_charges; ++part) {
        SendPart &p = s.parts[part];
        p.number = part;
        p.own = charges::make(s.types, {part_rows + (part - 1) * rows, rows},
                              {part_runs + (part - 1) * runs, runs});
        p.charges = &p.own;
    }
}

static void make_keys(Session &s, EntropySource &entropy)
{
    s.secrets.keys = noise::make_key_pair(entropy);
    // For start(). join() replaces both by the invite's.
    uint8_t id[sizeof s.invite.session];
    entropy::fill(entropy, id);
    s.invite.session = little_endian::load64(std::as_bytes(std::span(id)).data());
    entropy::fill(entropy, s.invite.secret);
    std::memcpy(s.invite.key, s.secrets.keys.public_key, sizeof s.invite.key);
}

void place_replica(Session &s)
{
    s.replica = replica::place(s.memory.replica, s.types, s.limits.replica);
    s.replica->charges = &s.accounts.charges;
    for (uint32_t part = 1; part < s.config.parallel.parts; ++part)
        s.replica->scratch[part].charges = &s.parts[part].own;
}

// Sets what follows from the config alone, and allocates nothing.
static void set_limits(Session &s, const CopiedConfig &copy)
{
    const Config &config = copy.config;
    s.config = config;
    s.given_fields = copy.given_fields;
    s.memory.block_bytes = copy.block_bytes;
    s.types = type_table::make(config.types);
    s.limits.replica = replica_limits(config, s.types);
    s.limits.sizes = replica::sizes(s.types, s.limits.replica);
    s.connections.packets_per_tick = packets_per_tick(config);
    s.connections.count = endpoint_limits(config).connections_max;
    s.events.max = 3 * s.limits.sizes.events + 1024;
}

static size_t arrays_bytes(Session &s)
{
    flat::Builder measure = {nullptr, 0};
    place_arrays(measure, s);
    return measure.used_bytes;
}

static size_t all_bytes(Session &s)
{
    const uint64_t sum = uint64_t{s.memory.block_bytes} + s.limits.sizes.block_bytes +
                         endpoint::size_bytes(endpoint_limits(s.config)) + arrays_bytes(s);
    return static_cast<size_t>(std::min<uint64_t>(sum, SIZE_MAX)); // It may have 32 bits.
}

static void free_memory(Session *s)
{
    if (s->endpoint) endpoint::destroy_endpoint(s->endpoint);
    const Allocator allocator = s->config.allocator;
    memory::release(allocator, s->memory.replica);
    memory::release(allocator, s->memory.arrays);
    memory::release(allocator, s);
}

// The session lies in the block of the copied config. Null: the system gives no memory for it.
static Session *allocate(const CopiedConfig &copy, EntropySource &entropy)
{
    auto *s = static_cast<Session *>(copy.block);
    const Config &config = copy.config;
    set_limits(*s, copy);
    make_keys(*s, entropy);
    s->memory.replica = memory::allocate(config.allocator, s->limits.sizes.block_bytes);
    s->memory.arrays = memory::allocate(config.allocator, arrays_bytes(*s));
    s->endpoint = endpoint::make_endpoint(endpoint_limits(config), s->secrets.keys);
    if (s->memory.replica && s->memory.arrays && s->endpoint) return s;
    free_memory(s);
    return nullptr;
}

static Session *make(const CopiedConfig &copy, EntropySource entropy)
{
    Session *s = allocate(copy, entropy);
    if (!s) return nullptr;
    std::snprintf(s->name, sizeof s->name, "%s", copy.config.name ? copy.config.name : "");
    s->config.name = s->name;
    place_replica(*s);
    flat::Builder place = {static_cast<std::byte *>(s->memory.arrays), 0};
    place_arrays(place, *s);
    s->guard.context = {complete_crash, s, "send", ObjectId::none, {}};
    for (SendPart &part : s->parts)
        part.context = s->guard.context;
    endpoint::set_entropy(*s->endpoint, entropy);
    renew_incarnation(*s);
    // Recordings and simulations must give the same bytes on machines with and without AES.
    if (entropy::is_repeatable(entropy))
        endpoint::set_ciphers(*s->endpoint, handshake::ciphers_everywhere);
    entropy::wipe(entropy);
    s->accounts.charges = charges::make(s->types, {s->accounts.rows, charges::row_count(s->types)},
                                        {s->accounts.runs, charges::run_count(s->types)});
    enter_state(*s, State::idle, "%s", sentence(State::idle));
    misuse::use(s).store(misuse::ready, std::memory_order_relaxed);
    return s;
}

// Whether a session can be made of this config. A problem is reported.
static bool is_valid(const CopiedConfig &copy, const Config *given, const char *function)
{
    if (copy.problem.text[0] == 0) return true;
    return misuse::report(misuse_handler(given), function,
                          "Show what config_problem() returns for settings from a file.",
                          "The config is wrong: %s.", copy.problem.text);
}

static void init_sodium()
{
    const int sodium = sodium_init();
    TERN_ASSERT(sodium >= 0, "libsodium gave %d", sodium);
}

static Session *make_seeded(const CopiedConfig &copy, const uint8_t (&seed)[32])
{
    Session *s = make(copy, entropy::from_seed(seed));
    if (s && s->config.recording_bytes_max > 0)
        record::begin(s->records.recorder, {s->records.buffer, s->config.recording_bytes_max},
                      s->config, seed);
    return s;
}

static Session *make_with_own_keys(const CopiedConfig &copy)
{
    if (copy.config.recording_bytes_max == 0) return make(copy, {});
    uint8_t seed[32];
    randombytes_buf(seed, sizeof seed);
    Session *s = make_seeded(copy, seed);
    sodium_memzero(seed, sizeof seed);
    return s;
}

}

Session *inspect::make_seeded_session(const Config &config, const uint8_t (&seed)[32])
{
    session::init_sodium();
    const session::CopiedConfig copy = session::copy_config(&config);
    return copy.block ? session::make_seeded(copy, seed) : nullptr;
}

std::array<std::span<std::byte>, inspect::memory_blocks> inspect::memory(Session *session)
{
    Session &s = *session;
    const auto block = [](void *at, size_t size_bytes) {
        return std::span(static_cast<std::byte *>(at), size_bytes);
    };
    return {block(&s, sizeof s), block(s.memory.replica, s.limits.sizes.block_bytes),
            block(s.memory.arrays, session::arrays_bytes(s)),
            block(s.endpoint, endpoint::size_bytes(session::endpoint_limits(s.config)))};
}

}

using namespace tern;

const char *tern_version(void)
{
    return TERN_VERSION;
}

const char *tern_result_text(tern_result result)
{
    switch (result) {
    case TERN_OK: return "It is done.";
    case TERN_MISUSE:
        return "The call was wrong and did nothing; the misuse handler of the config, or stderr "
               "without one, says what to do instead.";
    case TERN_CUT_OFF:
        return "This peer is cut off from most of the others, and nothing can change until they "
               "are heard again; go_on() does not wait for them.";
    case TERN_NO_ROOM:
        return "A limit of the config or a queue is full, and nothing was done; try again later.";
    case TERN_GONE: return "The peer or the object of the call is not there, or not any more.";
    case TERN_NOT_ALLOWED:
        return "This peer may not make this call, or not so often: callers or "
               "calls_per_second_max of the type says so.";
    case TERN_BAD_CONFIG:
        return "The config is wrong; config_problem() names the setting and what is wrong with it.";
    case TERN_BAD_TEXT: return "The text is no address; write one as 1.2.3.4:7777 or [::1]:7777.";
    case TERN_NO_MEMORY:
        return "There is too little memory; session_bytes() gives what a config takes.";
    case TERN_PORT_IN_USE:
        return "Another socket has this port; choose another one, or 0 for any free one.";
    case TERN_NOT_PERMITTED:
        return "The system does not permit this port: it is below 1024, or a firewall forbids it.";
    case TERN_NO_SUCH_FAMILY:
        return "This machine does not have this version of IP; use the other one.";
    case TERN_SYSTEM:
        return "The system is out of descriptors or memory; close what is not needed.";
    }
    return "This version of tern has no such result.";
}

size_t tern_session_bytes(const tern_config *config)
{
    const session::CopiedConfig copy = session::copy_config(to_cpp(config));
    if (!session::is_valid(copy, to_cpp(config), "session_bytes") || !copy.block) return 0;
    Session &measured = *static_cast<Session *>(copy.block);
    session::set_limits(measured, copy);
    const size_t bytes = session::all_bytes(measured);
    session::free_copy(copy);
    return bytes;
}

const tern_config *tern_session_config(const tern_session *session)
{
    static constexpr Config none = {};
    return to_c(misuse::Entry(session, "session_config") ? &session->config : &none);
}

tern_result tern_make_session(const tern_config *config, tern_session **session)
{
    if (session) *session = nullptr;
    const session::CopiedConfig copy = session::copy_config(to_cpp(config));
    if (!session::is_valid(copy, to_cpp(config), "make_session")) return TERN_BAD_CONFIG;
    if (!session) {
        misuse::report(MisuseHandler{}, "make_session", "Pass a pointer to a variable for it.",
                       "The pointer for the session is null.");
        session::free_copy(copy);
        return TERN_MISUSE;
    }
    session::init_sodium();
    const size_t bytes = copy.block ? 0 : copy.block_bytes;
    if (copy.block) *session = session::make_with_own_keys(copy);
    if (*session) return TERN_OK;
    misuse::report(session::misuse_handler(to_cpp(config)), "make_session",
                   "Make peers_max or the objects_max of the types smaller.",
                   "The system gives less than the %zu bytes of session_bytes().",
                   bytes ? bytes : tern_session_bytes(config));
    return TERN_NO_MEMORY;
}

void tern_destroy_session(tern_session *session)
{
    if (!session) return;
    if (!misuse::change(session, "destroy_session")) return;
    misuse::use(session).store(0, std::memory_order_relaxed);
    sodium_memzero(session->secrets.signing_secret, sizeof session->secrets.signing_secret);
    sodium_memzero(session->secrets.keys.secret_key, sizeof session->secrets.keys.secret_key);
    sodium_memzero(session->invite.secret, sizeof session->invite.secret);
    sodium_memzero(session->replica->signing_secret, sizeof session->replica->signing_secret);
    sodium_memzero(session->records.buffer, session->config.recording_bytes_max);
    session::free_memory(session);
}

tern_result tern_leave(tern_session *session)
{
    const misuse::Entry entry = misuse::change(session, "leave");
    if (!entry) return TERN_MISUSE;
    Session &s = *session;
    if (s.state != State::joining && !misuse::is_in(entry)) return TERN_MISUSE;
    session::record(s, session::about(RecordKind::leave, ObjectId::none));
    session::enter_state(s, State::leaving, "%s", session::sentence(State::leaving));
    s.deadline_us = s.now_us + leave_time_us;
    session::log_state(s);
    return TERN_OK;
}

tern_state tern_session_state(const tern_session *session)
{
    const bool is_there = static_cast<bool>(misuse::Entry(session, "session_state"));
    return static_cast<tern_state>(is_there ? session->state : State::left);
}

const char *tern_state_text(const tern_session *session)
{
    return misuse::Entry(session, "state_text") ? session->text : "There is no session.";
}

const char *tern_state_name(tern_state state)
{
    static constexpr const char *names[] = {
        "idle",           "joining",         "open",         "cut_off",       "leaving",
        "left",           "unreachable",     "refused_full", "refused_types", "refused_version",
        "refused_secret", "refused_by_game", "removed",      "overflow"};
    static_assert(std::size(names) == TERN_STATE_OVERFLOW + 1);
    return static_cast<size_t>(state) < std::size(names) ? names[state] : "";
}

size_t tern_events(const tern_session *session, const tern_event **events)
{
    if (events) *events = nullptr;
    if (!misuse::Entry(session, "session_events")) return 0;
    if (events) *events = to_c(session->events.all);
    return session->events.count;
}

uint64_t tern_session_clock_us(const tern_session *session, uint64_t now_us)
{
    if (!misuse::Entry(session, "session_clock_us")) return now_us;
    return now_us + static_cast<uint64_t>(session->clock.offset_us);
}
