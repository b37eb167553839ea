#include "playground.h"
#include "tern/diagnostics.hpp"
#include "tern/handlers.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include <cstdio>

namespace page::playground {

static constexpr const char *names[lane_count] = {"Ada", "Ben", "Cleo", "Dan"};
static constexpr size_t notes_max = 4096;    // One peer makes at most so many in one tick.
static constexpr uint32_t timeout_ms = 2000; // A host that is dead so long is replaced.
static constexpr uint64_t round_us = 8'000'000, walk_us = 5'000'000;

static constexpr Type types[] = {
    make_type<Cube>("cube", {.objects_max = cubes_max, .claim_cooldown_ms = 400}),
    make_type<Player>("player",
                      {.objects_max = 32, .orphan = Orphan::destroy, .claim = ClaimPolicy::never})};

static void print_misuse(void *, const Misuse &misuse)
{
    std::fprintf(stderr, "%s(): %s %s\n", misuse.function, misuse.wrong, misuse.remedy);
}

const char *name(uint32_t lane)
{
    return names[lane];
}

uint32_t lane_of(const Session *session, PeerId peer)
{
    const char *text = peer == PeerId::none ? "" : peer_name(session, peer);
    for (uint32_t lane = 0; lane < lane_count; ++lane)
        if (text[0] == names[lane][0]) return lane;
    return lane_count;
}

static uint32_t lane_at(const Playground &ground, const Address &address)
{
    for (uint32_t lane = 0; lane < lane_count; ++lane)
        if (ground.peers[lane].session && ground.peers[lane].address == address) return lane;
    return lane_count;
}

bool is_in(const Peer &peer)
{
    return peer.session && session_state(peer.session) == State::open;
}

bool is_resting(const Playground &ground)
{
    return ground.now_us % round_us >= walk_us;
}

// --- Peers that come and go ---

static void make_peer(Playground &ground, uint32_t lane)
{
    Peer &peer = ground.peers[lane];
    peer = {};
    peer.address = loopback(ground.next_port);
    ground.next_port += 1;
    peer.socket = make_sim_socket(ground.network, peer.address);
    Config config = {};
    config.types = types;
    config.peers_max = 8;
    config.quorum = ground.quorum;
    config.name = names[lane];
    config.timeout_ms = timeout_ms;
    config.misuse = {print_misuse, nullptr};
    peer.session = make_session(config);
    peer.notes.resize(notes_max);
    peer.journal.notes = peer.notes;
    inspect::listen(peer.session, &peer.journal);
    for (uint32_t other = 0; other < lane_count; ++other)
        cut(ground, lane, other, ground.is_cut[lane][other]);
}

void kill(Playground &ground, uint32_t lane)
{
    Peer &peer = ground.peers[lane];
    if (!peer.session) return;
    destroy_session(peer.session);
    destroy_socket(peer.socket);
    peer = {};
    lanes::close(ground.lanes, lane, ground.now_us);
}

// Tries to get a peer that is idle into a session.
static void bring_in(Playground &ground, uint32_t lane)
{
    Peer &peer = ground.peers[lane];
    bool is_alone = true;
    for (uint32_t i = 0; i < lane_count; ++i) {
        const Session *session = ground.peers[i].session;
        if (i == lane || !session || session_state(session) == State::idle) continue;
        is_alone = false;
        if (ground.is_cut[lane][i] || !is_in(ground.peers[i])) continue;
        join(peer.session, make_invite(ground.peers[i].session, {&ground.peers[i].address, 1}));
        return;
    }
    if (is_alone) start(peer.session);
}

void revive(Playground &ground, uint32_t lane)
{
    if (ground.peers[lane].session) return;
    make_peer(ground, lane);
}

void cut(Playground &ground, uint32_t lane, uint32_t other, bool is_cut)
{
    if (lane == other) return;
    ground.is_cut[lane][other] = ground.is_cut[other][lane] = is_cut;
    const Peer &a = ground.peers[lane], &b = ground.peers[other];
    if (!a.session || !b.session) return;
    set_cut(ground.network, a.address, b.address, is_cut);
    set_cut(ground.network, b.address, a.address, is_cut);
}

Playground *make(uint32_t seed, Quorum quorum)
{
    auto *ground = new Playground{};
    SimConfig config = {};
    config.seed = seed;
    ground->network = make_sim_network(config);
    ground->quorum = quorum;
    ground->random.seed(seed);
    for (uint32_t lane = 0; lane < lane_count; ++lane)
        revive(*ground, lane);
    return ground;
}

void destroy(Playground *ground)
{
    for (uint32_t lane = 0; lane < lane_count; ++lane)
        kill(*ground, lane);
    destroy_sim_network(ground->network);
    delete ground;
}

// --- A tick ---

static void note_event(Peer &peer, const Event &event, uint64_t now_us)
{
    const ObjectId object = object_of(event);
    if (object == ObjectId::none) return;
    switch (event.kind) {
    case EventKind::object_created:
    case EventKind::object_changed:
    case EventKind::owner_changed: peer.changed_us[object] = now_us; return;
    case EventKind::claim_refused: peer.refused_us[object] = now_us; return;
    case EventKind::object_destroyed:
        peer.changed_us.erase(object);
        peer.refused_us.erase(object);
        return;
    default: return;
    }
}

static void receive_datagrams(Playground &ground, uint32_t lane)
{
    Peer &peer = ground.peers[lane];
    const std::span<const Datagram> datagrams = peer.socket->receive();
    for (const Datagram &datagram : datagrams)
        lanes::add_received(ground.lanes, lane, datagram, ground.now_us);
    bool has_changed[lane_count + 1] = {}; // The owner's lane is the index.
    for (const Event &event : receive(peer.session, datagrams, ground.now_us)) {
        note_event(peer, event, ground.now_us);
        if (event.kind == EventKind::object_changed)
            has_changed[lane_of(peer.session, object_owner(peer.session, object_of(event)))] = true;
    }
    for (uint32_t from = 0; from < lane_count; ++from)
        if (has_changed[from]) lanes::mark_updates(ground.lanes, from, lane, ground.now_us);
}

static void send_datagrams(Playground &ground, uint32_t lane)
{
    Peer &peer = ground.peers[lane];
    for (const Datagram &datagram : send(peer.session, ground.now_us)) {
        const uint64_t lost = network_stats(ground.network).lost;
        peer.socket->send({&datagram, 1});
        const bool is_lost = network_stats(ground.network).lost != lost;
        const uint32_t to = lane_at(ground, datagram.address);
        if (to < lane_count)
            lanes::add_sent(ground.lanes, lane, to, datagram, is_lost, ground.now_us);
    }
}

static void read_journal(Playground &ground, uint32_t lane)
{
    Peer &peer = ground.peers[lane];
    for (size_t i = 0; i < peer.journal.count; ++i) {
        const Note &note = peer.notes[i];
        if (note.kind != NoteKind::queued && note.kind != NoteKind::received) continue;
        const uint32_t other = lane_of(peer.session, note.peer);
        if (other < lane_count) lanes::add_note(ground.lanes, lane, other, note, ground.now_us);
    }
    peer.journal.count = 0;
}

static void tick(Playground &ground, uint32_t lane)
{
    Peer &peer = ground.peers[lane];
    if (session_state(peer.session) == State::idle) bring_in(ground, lane);
    receive_datagrams(ground, lane);
    const State state = session_state(peer.session);
    if (state >= State::left) { // A game's button "join again" does the same.
        kill(ground, lane);
        revive(ground, lane);
        return;
    }
    if (state == State::open) {
        play::create_first_cubes(ground, lane);
        play::tick(ground, peer);
    }
    send_datagrams(ground, lane);
    read_journal(ground, lane);
}

void step(Playground &ground, uint64_t now_us)
{
    ground.now_us = now_us;
    advance(ground.network, now_us);
    lanes::forget(ground.lanes, now_us);
    for (uint32_t lane = 0; lane < lane_count; ++lane)
        if (ground.peers[lane].session) tick(ground, lane);
    if (ground.has_bots && !is_resting(ground)) play::replace_a_cube(ground);
}

// --- Explanations ---

static std::string line(const char *name, const Explanation &explained)
{
    std::string text = std::string(name) + ": " + to_text(explained.why);
    if (explained.behind_ticks > 0) {
        text.pop_back(); // A full stop.
        text += ", " + std::to_string(explained.behind_ticks) + " ticks behind.";
    }
    return text + "\n";
}

// The owner's session answers about all peers.
static std::string answers(const Session *session, ObjectId object)
{
    std::string text;
    for (uint32_t lane = 0; lane < lane_count; ++lane)
        for (const PeerId peer : other_peers(session))
            if (lane_of(session, peer) == lane)
                text += line(names[lane], explain(session, object, peer));
    return text;
}

std::string explanation(const Playground &ground, uint32_t lane, ObjectId object)
{
    const Session *session = ground.peers[lane].session;
    if (!session || !exists(session, object)) return "";
    const std::string name = std::string("Object ") + to_text(object).text;
    const uint32_t owner = lane_of(session, object_owner(session, object));
    if (owner == lane)
        return name + ", owned by " + names[lane] + ", whose answers are:\n" +
               answers(session, object);
    if (owner != lane_count && ground.peers[owner].session)
        return name + " at " + names[lane] + " belongs to " + names[owner] +
               ", which sends it to all others. Its answers are:\n" +
               answers(ground.peers[owner].session, object);
    const Explanation own = explain(session, object, local_peer(session));
    return name + " at " + names[lane] + ":\n" + line(names[lane], own);
}

}
