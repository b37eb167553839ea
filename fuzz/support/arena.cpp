#include "fuzz/support/arena.h"
#include "fuzz/support/endpoints.h"
#include "migration/queue_entries.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <cstring>

namespace tern::fuzz::arena {

namespace {

constexpr size_t mails_max = 64;
constexpr uint64_t tick_us = 40'000;

const Field ball_fields[] = {{"x", FieldKind::int32, offsetof(Ball, x)},
                             {"y", FieldKind::int16, offsetof(Ball, y), 1, -100, 100}};
const Field shout_fields[] = {{"at", FieldKind::object, offsetof(Shout, at)}};
// Nobody can fill the tables of others (docs/security.md, "A member", 3): what one input can create
// fits all tables beside what is honest. But with GLIDE a member gets beyond its own lease.
constexpr uint32_t objects_max = 128, glides_max = 64;
const Type types[arena_types] = {
    {"ball", sizeof(Ball), ball_fields, objects_max},
    {"kept", sizeof(Ball), ball_fields, objects_max, Orphan::spread, ClaimPolicy::never},
    {"glide", sizeof(Ball), ball_fields, glides_max, Orphan::destroy, ClaimPolicy::always, 0, 0, 0,
     Callers::anybody, 0, true},
    {"shout", sizeof(Shout), shout_fields},
    {"order", sizeof(Shout), shout_fields, 0, Orphan::to_host, ClaimPolicy::always, 0, 0, 0,
     Callers::owner}};

// --- What no hostile member can bring about ---

bool is_honest(const Arena &a, PeerId peer)
{
    return std::find(a.now.ids, a.now.ids + honest_count, peer) != a.now.ids + honest_count;
}

bool has_left(const Arena &a, PeerId peer)
{
    return a.now.guest_left && peer == a.now.ids[guest];
}

void check_event(Arena &a, size_t who, const Event &event)
{
    const auto peer = static_cast<unsigned>(peer_of(event));
    TERN_ASSERT(event.kind != EventKind::host_lost, "%zu has lost its host %u", who, peer);
    if (!is_honest(a, peer_of(event))) return;
    if (event.kind == EventKind::call && event.call.type == SHOUT)
        a.now.calls += call_arguments<Shout>(event).at == last_call.at;
    if (event.kind == EventKind::misbehaved)
        TERN_ASSERT(event.misbehaved.reporter == a.now.ids[hostile],
                    "%zu: honest %u misbehaves, says %u: %s", who, peer,
                    static_cast<unsigned>(event.misbehaved.reporter),
                    to_text(event.misbehaved.breach));
    TERN_ASSERT(event.kind != EventKind::peer_left || has_left(a, event.peer),
                "%zu: honest %u is removed", who, peer);
}

void check_honest(Arena &a, size_t who, std::span<const Event> events)
{
    const Session *s = a.peers[who];
    const State state = session_state(s);
    if (who != guest || !a.now.guest_left)
        TERN_ASSERT(state == State::open, "%zu: %s", who, state_text(s));
    for (const Event &event : events)
        check_event(a, who, event);
    for (const PeerId peer : other_peers(s))
        TERN_ASSERT(!is_honest(a, peer) || breach_count(peer_stats(s, peer)) == 0,
                    "%zu charges honest %u", who, static_cast<unsigned>(peer));
}

// --- Ticks ---

// Objects with a place in Course change in each tick.
void play_honest(Arena &a, size_t who)
{
    Session *s = a.peers[who];
    if (session_state(s) != State::open) return;
    for (const ObjectId object : {a.now.kept[who], a.now.locked[who]})
        if (exists(s, object) && may_set(s, object))
            set(s, Object<Ball>{object}, Ball{a.now.played, static_cast<int16_t>(who), 0});
}

void hear(Arena &a, size_t who)
{
    Datagram datagrams[mails_max];
    size_t count = 0;
    const bool is_deaf = who == hostile && (a.now.mode & deaf) != 0;
    for (size_t i = 0; i < a.mail_count[who] && !is_deaf; ++i) {
        const Mail &mail = a.mails[who][i];
        datagrams[count++] = {numbered_address(mail.from),
                              std::span(mail.bytes).first(mail.size_bytes)};
    }
    a.mail_count[who] = 0;
    const std::span<const Event> events =
        receive(a.peers[who], std::span(datagrams, count), a.now.now_us);
    if (who < honest_count && a.now.ids[who] != PeerId::none) check_honest(a, who, events);
}

void withhold_reports(Arena &a)
{
    Replica &r = *a.peers[hostile]->replica;
    for (MemberSlot to = 0; to < r.members.count; ++to)
        queue_entries::remove(r, to, queue_entries::of(Control::report), 1);
}

void speak(Arena &a, size_t who)
{
    if (who == hostile && (a.now.mode & withholds) != 0) withhold_reports(a);
    if (who == hostile && (a.now.mode & mute) != 0) return;
    for (const Datagram &datagram : send(a.peers[who], a.now.now_us))
        post(a, who, datagram);
}

// --- The beginning ---

void make_sessions(Arena &a, Topology topology)
{
    Config config;
    config.types = types;
    config.peers_max = arena_peers;
    config.topology = topology;
    config.timeout_ms = 2000;
    config.join_timeout_ms = 5000;
    for (size_t who = 0; who < arena_peers; ++who) {
        a.mails[who].resize(mails_max);
        receive(a.peers[who] = make_session(config), {}, a.now.now_us);
        a.now.runs[who] = true;
    }
}

void join_all(Arena &a)
{
    const Address host = numbered_address(0);
    start(a.peers[0]);
    for (size_t who = 0; who < arena_peers; ++who) {
        if (who > 0) join(a.peers[who], make_invite(a.peers[0], std::span(&host, 1)));
        for (int ticks = 0; session_state(a.peers[who]) != State::open; ++ticks) {
            TERN_ASSERT(ticks < 100, "%zu does not get in: %s", who, state_text(a.peers[who]));
            a.now.now_us += tick_us;
            for (size_t i = 0; i <= who; ++i)
                hear(a, i);
            for (size_t i = 0; i <= who; ++i)
                speak(a, i);
        }
        a.now.ids[who] = local_peer(a.peers[who]);
    }
}

void make_objects(Arena &a)
{
    for (size_t who = 0; who < arena_peers; ++who) {
        Session *s = a.peers[who];
        for (int16_t i = 0; i < 2; ++i)
            create(s, BALL, Ball{1, i, 0});
        create(s, GLIDE, Ball{1, 2, 0});
        const ObjectId kept = create(s, KEPT, Ball{}), locked = create(s, BALL, Ball{});
        lock(s, locked, true);
        if (who >= honest_count) continue;
        a.now.kept[who] = kept;
        a.now.locked[who] = locked;
    }
}

void settle(Arena &a)
{
    for (int i = 0; i < 12; ++i)
        tick(a, tick_us, Play::none);
}

Arena made(Topology topology)
{
    Arena a = {};
    seed_chance(1);
    a.now.now_us = 1'000'000;
    make_sessions(a, topology);
    join_all(a);
    settle(a);
    make_objects(a);
    settle(a);
    Session *h = a.peers[hostile];
    for (const ObjectId object : object_ids(h, BALL)) // One of each, but for those locked.
        if (get(h, Object<Ball>{object}).y == 1 && object_owner(h, object) != local_peer(h))
            claim(h, object);
    settle(a);
    TERN_ASSERT(session_stats(h).owned == 9, "it owns %llu",
                static_cast<unsigned long long>(session_stats(h).owned));
    for (const Session *s : a.peers)
        TERN_ASSERT(world_digest(s) == world_digest(h), "not all have the same world: %u",
                    static_cast<unsigned>(local_peer(s)));
    return a;
}

void save(Arena &a)
{
    for (Session *s : a.peers)
        for (const std::span<std::byte> block : inspect::memory(s))
            snapshot::save(a.snapshot, block.data(), block.size());
    a.first = a.now;
}

Arena &arena_of(Topology topology)
{
    static Arena mesh = made(Topology::mesh), star = made(Topology::star);
    return topology == Topology::mesh ? mesh : star;
}

}

Arena &fresh(Topology topology)
{
    Arena &a = arena_of(topology);
    if (a.snapshot.blocks.empty()) {
        for (size_t &count : a.mail_count) // Lost datagrams are sent again.
            count = 0;
        save(a);
    } else {
        snapshot::restore(a.snapshot);
    }
    a.now = a.first;
    for (size_t &count : a.mail_count)
        count = 0;
    seed_chance(2);
    return a;
}

bool is_in(const Arena &a, size_t who)
{
    return a.now.runs[who] && inspect::is_in(a.peers[who]);
}

void post(Arena &a, size_t from, const Datagram &datagram)
{
    for (size_t to = 0; to < arena_peers; ++to) {
        if (!(datagram.address == numbered_address(to)) || a.mail_count[to] == mails_max) continue;
        Mail &mail = a.mails[to][a.mail_count[to]++];
        mail.from = from;
        mail.size_bytes = datagram.bytes.size();
        std::memcpy(mail.bytes, datagram.bytes.data(), mail.size_bytes);
    }
}

void send_frames(Arena &a, size_t to, std::span<const std::byte> frames)
{
    std::byte buffer[datagram_bytes_max];
    if (!is_in(a, hostile)) return;
    const Datagram datagram = inspect::seal(a.peers[hostile], a.now.ids[to], frames, buffer);
    if (!datagram.bytes.empty()) post(a, hostile, datagram);
}

void tick(Arena &a, uint64_t duration_us, Play play)
{
    a.now.now_us += duration_us;
    a.now.played += 1;
    for (size_t who = 0; who < arena_peers; ++who) {
        if (a.now.runs[who]) hear(a, who);
        if (a.now.runs[who] && who < honest_count && play == Play::all) play_honest(a, who);
    }
    for (size_t who = 0; who < arena_peers; ++who)
        if (a.now.runs[who]) speak(a, who);
}

}
