#include "player.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <algorithm>

using namespace tern;

namespace bot {

static constexpr uint64_t create_again_interval_us = 1'000'000;
static constexpr int receives_per_tick_max = 8;

void add(Tally &sum, const Tally &other)
{
    for (const auto count :
         {&Tally::created, &Tally::not_created, &Tally::destroyed, &Tally::sets, &Tally::claims,
          &Tally::granted, &Tally::refused, &Tally::calls, &Tally::not_called,
          &Tally::calls_received, &Tally::changes_received, &Tally::interruptions})
        sum.*count += other.*count;
    for (size_t i = 0; i < sum.refusals.size(); ++i)
        sum.refusals[i] += other.refusals[i];
}

void add(Charges &sum, const Charges &other)
{
    for (const auto &[peer, charge] : other) {
        Charge &to = sum[peer];
        to.events += charge.events;
        for (size_t i = 0; i < breach_kinds; ++i)
            to.breaches[i] += charge.breaches[i];
    }
}

namespace player {

MadeSocket make_socket(const Options &options)
{
    const Address first = options.invite.addresses[0];
    const bool v4 = std::all_of(first.ip, first.ip + 10, [](uint8_t byte) { return byte == 0; }) &&
                    first.ip[10] == 0xff && first.ip[11] == 0xff;
    return make_udp_socket(0, v4 ? IpVersion::v4 : IpVersion::v6);
}

Config config(const Options &options)
{
    Config config = {};
    config.types = options.types->types;
    config.peers_max = options.peers_max;
    config.quorum = options.quorum;
    config.topology = options.topology;
    config.timeout_ms = options.timeout_ms;
    config.join_timeout_ms = options.join_timeout_ms;
    return config;
}

Player make_player(const Options &options, uint32_t number)
{
    Player p = {};
    p.options = &options;
    p.number = number;
    p.random.seed(options.seed * 1'000'003 + number);
    const MadeSocket made = make_socket(options);
    p.socket = made.socket;
    if (!made.socket) p.socket_error = std::string("no socket: ") + to_text(made.error);
    if (!made.socket) return p;
    const Impairment impairment = {options.latency_ms_min, options.latency_ms_max,
                                   static_cast<float>(options.loss_percent / 100),
                                   static_cast<float>(options.duplicate_percent / 100)};
    if (impairment.latency_ms_max > 0 || impairment.loss > 0 || impairment.duplicate > 0)
        p.socket = make_impaired_socket(p.socket, impairment, p.random());
    const std::string name = options.name + "-" + std::to_string(number);
    Config own = config(options);
    own.name = name.c_str();
    p.session = make_session(own);
    if (!p.session) p.socket_error = "the system gives no memory for the session";
    if (!p.session) return p;
    // Random phases, so that not all bots act in the same tick.
    p.claims_due = share(p.random);
    p.calls_due = share(p.random);
    p.churn_due = share(p.random);
    return p;
}

void destroy_player(Player &p)
{
    if (p.session) destroy_session(p.session);
    if (p.socket) destroy_socket(p.socket);
    p.session = nullptr;
    p.socket = nullptr;
}

void join(Player &p)
{
    if (p.session) tern::join(p.session, p.options->invite);
}

bool has_ended(const Player &p)
{
    return !p.session || session_state(p.session) >= State::left;
}

// --- Receiving ---

static void forget(std::vector<ObjectId> &from, ObjectId object)
{
    const auto found = std::find(from.begin(), from.end(), object);
    if (found == from.end()) return;
    *found = from.back();
    from.pop_back();
}

// A bot that has become the host has no game, so it grants every claim.
static void answer_claim(Player &p, const ClaimEvent &claim)
{
    if (host_peer(p.session) != local_peer(p.session) || !exists(p.session, claim.object)) return;
    if (!migrate(p.session, claim.object, claim.claimer))
        refuse_claim(p.session, claim.object, claim.claimer);
}

static void hear(Player &p, const Event &event, uint64_t now_us)
{
    switch (event.kind) {
    case EventKind::owner_changed:
        forget(p.mine, event.owner.object);
        if (event.owner.owner == local_peer(p.session)) p.mine.push_back(event.owner.object);
        return;
    case EventKind::object_destroyed: return forget(p.mine, event.object.id);
    case EventKind::object_changed: p.tally.changes_received += 1; return;
    case EventKind::claim_asked: return answer_claim(p, event.claim);
    case EventKind::claim_granted:
        p.tally.granted += 1;
        return forget(p.awaiting, event.claim.object);
    case EventKind::claim_refused:
        p.tally.refused += 1;
        p.tally.refusals[static_cast<size_t>(event.claim.refusal) % p.tally.refusals.size()] += 1;
        return forget(p.awaiting, event.claim.object);
    case EventKind::call: p.tally.calls_received += 1; return;
    case EventKind::peer_left:
        if (p.options->attack) p.left_us[event.peer] = now_us;
        return;
    case EventKind::misbehaved: p.charges[event.misbehaved.peer].events += 1; return;
    default: return;
    }
}

// Drops loss_percent of the received datagrams. The impaired socket drops sent ones only.
static std::span<const Datagram> lossy(Player &p, std::span<const Datagram> datagrams)
{
    if (p.options->loss_percent <= 0) return datagrams;
    p.received.clear();
    for (const Datagram &datagram : datagrams)
        if (share(p.random) * 100 >= p.options->loss_percent) p.received.push_back(datagram);
    return p.received;
}

static void receive_all(Player &p, uint64_t now_us)
{
    for (int i = 0; i < receives_per_tick_max; ++i) {
        const std::span<const Datagram> datagrams = p.socket->receive();
        for (const Event &event : receive(p.session, lossy(p, datagrams), now_us))
            hear(p, event, now_us);
        if (datagrams.size() < receive_datagrams_max) return;
    }
}

// --- Acting ---

static std::span<const Type> types_of(const Player &p)
{
    return p.options->types->types;
}

static bool is_mine(const Player &p, ObjectId object)
{
    return exists(p.session, object) && object_owner(p.session, object) == local_peer(p.session);
}

// A random type with objects, or a call; no_type if there is none.
static constexpr TypeId no_type = UINT16_MAX;
static TypeId some_type(Player &p, bool with_objects)
{
    const std::span<const Type> types = types_of(p);
    const size_t first = below(p.random, types.size());
    for (size_t i = 0; i < types.size(); ++i) {
        const size_t type = (first + i) % types.size();
        if ((types[type].objects_max > 0) == with_objects) return static_cast<TypeId>(type);
    }
    return no_type;
}

static uint64_t all_fields(const Type &type)
{
    return type.fields.empty() ? 0 : ~uint64_t{0} >> (64 - type.fields.size());
}

static bool create_one(Player &p)
{
    const TypeId type = some_type(p, true);
    if (type == no_type) return false;
    const Type &described = types_of(p)[type];
    std::byte value[struct_bytes_max] = {};
    randomise(p.session, types_of(p), type, all_fields(described), value, p.random);
    const ObjectId object = create(p.session, type, value, described.size_bytes);
    (object == ObjectId::none ? p.tally.not_created : p.tally.created) += 1;
    if (object != ObjectId::none) p.mine.push_back(object);
    return object != ObjectId::none;
}

// Creates the bot's objects, and one for each that it has destroyed. If a type is full, retries
// later.
static void create_all(Player &p, uint64_t now_us)
{
    const uint64_t wanted = p.options->objects + p.tally.destroyed;
    if (now_us < p.create_again_us) return;
    while (p.tally.created < wanted)
        if (!create_one(p)) {
            p.create_again_us = now_us + create_again_interval_us;
            return;
        }
}

static void set_some(Player &p)
{
    for (size_t i = 0; i < p.mine.size();) {
        const ObjectId object = p.mine[i];
        if (!is_mine(p, object)) {
            p.mine[i] = p.mine.back();
            p.mine.pop_back();
            continue;
        }
        i += 1;
        if (share(p.random) * 100 >= p.options->update_percent) continue;
        const TypeId id = object_type(p.session, object);
        const Type &described = types_of(p)[id];
        std::byte value[struct_bytes_max];
        const void *present = get(p.session, object, described.size_bytes);
        std::copy_n(static_cast<const std::byte *>(present), described.size_bytes, value);
        const uint64_t mask = p.random() | uint64_t{1} << below(p.random, fields_max);
        randomise(p.session, types_of(p), id, mask, value, p.random);
        set(p.session, object, value, described.size_bytes);
        p.tally.sets += 1;
    }
}

static void claim_one(Player &p)
{
    const TypeId type = some_type(p, true);
    if (type == no_type) return;
    const std::span<const ObjectId> all = object_ids(p.session, type);
    if (all.empty()) return;
    const ObjectId object = all[below(p.random, all.size())];
    const bool asked = std::find(p.awaiting.begin(), p.awaiting.end(), object) != p.awaiting.end();
    if (asked || object_owner(p.session, object) == local_peer(p.session)) return;
    claim(p.session, object);
    p.awaiting.push_back(object);
    p.tally.claims += 1;
}

static void call_one(Player &p)
{
    const TypeId type = some_type(p, false);
    const std::span<const PeerId> others = other_peers(p.session);
    if (type == no_type || others.empty()) return;
    const Type &described = types_of(p)[type];
    std::byte arguments[struct_bytes_max] = {};
    randomise(p.session, types_of(p), type, all_fields(described), arguments, p.random);
    const bool to_all = below(p.random, 8) == 0;
    const PeerId to = to_all ? PeerId::everyone : others[below(p.random, others.size())];
    const auto how = below(p.random, 2) == 0 ? Reliability::reliable : Reliability::unreliable;
    const bool sent = call(p.session, to, type, arguments, described.size_bytes, how);
    (sent ? p.tally.calls : p.tally.not_called) += 1;
}

static void churn_one(Player &p)
{
    while (!p.mine.empty()) {
        const size_t i = below(p.random, p.mine.size());
        const ObjectId object = p.mine[i];
        p.mine[i] = p.mine.back();
        p.mine.pop_back();
        if (!is_mine(p, object)) continue;
        destroy(p.session, object);
        p.tally.destroyed += 1;
        return; // create_all() replaces it.
    }
}

static void play(Player &p, uint64_t now_us)
{
    const Options &options = *p.options;
    const auto due = [&options](double &sum, double per_second) {
        sum += per_second / options.hz;
        const auto whole = static_cast<uint64_t>(sum);
        sum -= static_cast<double>(whole);
        return whole;
    };
    create_all(p, now_us);
    set_some(p);
    for (uint64_t i = due(p.churn_due, options.churn); i > 0; --i)
        churn_one(p);
    for (uint64_t i = due(p.claims_due, options.claims); i > 0; --i)
        claim_one(p);
    for (uint64_t i = due(p.calls_due, options.calls); i > 0; --i)
        call_one(p);
}

// A member's counts end with its membership, so the largest are kept.
static void note_breaches(Player &p)
{
    for (const PeerId peer : other_peers(p.session)) {
        const Stats stats = peer_stats(p.session, peer);
        if (breach_count(stats) == 0) continue;
        Charge &charge = p.charges[peer];
        for (size_t i = 0; i < breach_kinds; ++i)
            charge.breaches[i] = std::max(charge.breaches[i], stats.breaches[i]);
    }
}

void tick(Player &p, Wish wish, uint64_t now_us)
{
    if (has_ended(p) || session_state(p.session) == State::idle) return;
    receive_all(p, now_us);
    const State present = session_state(p.session);
    p.was_open = p.was_open || present == State::open;
    if (p.is_open && (present == State::joining || present == State::cut_off))
        p.tally.interruptions += 1;
    p.is_open = present == State::open;
    if (p.options->attack) note_breaches(p);
    if (present == State::open && wish == Wish::play) play(p, now_us);
    if (wish == Wish::leave && (present == State::open || present == State::joining))
        leave(p.session);
    p.socket->send(send(p.session, now_us));
}

}
}
