#include "peer.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace demo::peer {

static IpVersion ip_version(SocketKind kind)
{
    return kind == SocketKind::udp6 ? IpVersion::v6 : IpVersion::v4;
}

MadeSocket make_socket(SocketKind kind, uint16_t port, uint16_t peers_max)
{
    if (kind == SocketKind::enet) return make_enet_socket(port, peers_max);
    return make_udp_socket(port, ip_version(kind));
}

PeerSetup setup(const Options &options, uint32_t index)
{
    PeerSetup setup = {};
    setup.socket = options.socket;
    setup.peers_max = options.peers;
    setup.topology = options.topology;
    setup.hz = options.hz;
    setup.impaired = options.impaired;
    setup.impairment.latency_ms_min = options.delay_ms;
    setup.impairment.latency_ms_max = options.delay_ms + options.jitter_ms;
    setup.impairment.loss = static_cast<float>(options.loss_percent / 100);
    setup.impairment.duplicate = 0.01f;
    setup.seed = options.seed * 0x9e3779b97f4a7c15 + index + 1;
    setup.first_cubes = options.objects / options.peers;
    setup.first_cubes += index < options.objects % options.peers;
    setup.cubes_max = options.objects;
    setup.timeout_ms = 2000;
    setup.survivors = options.survivors;
    setup.name = "";
    if (!options.record.empty())
        setup.record_path = options.record + "/peer-" + std::to_string(index + 1) + ".rec";
    return setup;
}

static constexpr uint32_t recording_bytes_max = 4 << 20; // Of one tick: taken after each.

// Readable by its owner alone: the recording holds keys. Null if it cannot be made.
static std::FILE *make_record_file(const std::filesystem::path &path)
{
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (file)
        std::filesystem::permissions(
            path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, error);
    return file;
}

MadePeer make_peer(const PeerSetup &setup)
{
    MadePeer made = {};
    const bool records = !setup.record_path.empty();
    made.peer.record = records ? make_record_file(setup.record_path) : nullptr;
    if (records && !made.peer.record) {
        made.error = "--record: " + setup.record_path + " cannot be written";
        return made;
    }
    const MadeSocket socket = make_socket(setup.socket, setup.port, setup.peers_max);
    if (!socket.socket) {
        made.error = std::string(socket_name(setup.socket)) + " port " +
                     std::to_string(setup.port) + ": " + to_text(socket.error);
        return made;
    }
    Peer &peer = made.peer;
    peer.socket = setup.impaired ? make_impaired_socket(socket.socket, setup.impairment, setup.seed)
                                 : socket.socket;
    Config config = {};
    config.types = types;
    config.peers_max = setup.peers_max;
    config.topology = setup.topology;
    config.name = setup.name;
    config.timeout_ms = setup.timeout_ms;
    config.quorum = setup.survivors ? Quorum::survivors : Quorum::majority;
    config.join_timeout_ms = 20'000;
    config.recording_bytes_max = records ? recording_bytes_max : 0;
    peer.session = make_session(config);
    peer.game =
        game::make_game(peer.session, setup.first_cubes, setup.cubes_max, setup.seed, setup.hz);
    return made;
}

void destroy_peer(Peer &peer)
{
    if (peer.session) destroy_session(peer.session);
    if (peer.socket) destroy_socket(peer.socket);
    if (peer.record) std::fclose(peer.record);
    peer = {};
}

Address own_address(const Peer &peer, SocketKind kind)
{
    return loopback(peer.socket->local_address().port, ip_version(kind));
}

// The host of hundreds has more waiting than one receive() of a socket brings.
static constexpr int receive_rounds_max = 16;

void tick(Peer &peer, bool playing)
{
    for (int round = 0; round < receive_rounds_max; ++round) {
        const std::span<const Datagram> datagrams = peer.socket->receive();
        const std::span<const Event> events = receive(peer.session, datagrams, clock_us());
        for (const Event &event : events)
            if (event.kind == EventKind::host_changed) peer.host_us = clock_us();
        game::take_events(peer.game, events);
        if (datagrams.size() < receive_datagrams_max) break;
    }
    if (playing && session_state(peer.session) == State::open) game::play(peer.game);
    peer.socket->send(send(peer.session, clock_us()));
    if (!peer.record) return;
    const std::span<const std::byte> bytes = take_recording(peer.session);
    std::fwrite(bytes.data(), 1, bytes.size(), peer.record);
    std::fflush(peer.record); // A peer that is killed leaves what it had.
}

// Where the system tells.
static uint64_t resident_kb()
{
    std::ifstream file("/proc/self/status");
    std::string word;
    while (file >> word)
        if (uint64_t kb = 0; word == "VmRSS:" && file >> kb) return kb;
    return 0;
}

Progress progress(const Peer &peer)
{
    const Session *session = peer.session;
    Progress now = {};
    now.self = local_peer(session);
    now.host = host_peer(session);
    now.host_us = peer.host_us;
    now.state = session_state(session);
    const SessionStats all = session_stats(session);
    now.bad = all.bad_datagrams;
    uint32_t connections = 0;
    for (PeerId other : other_peers(session)) {
        const Stats one = peer_stats(session, other);
        now.members += 1;
        connections += one.rtt_us > 0;
        now.rtt_us += one.rtt_us;
        now.sent_datagrams += one.sent_datagrams;
        now.lost_datagrams += one.lost_datagrams;
        now.bad += one.bad_messages;
        now.bridged += one.bridged;
    }
    if (connections > 0) now.rtt_us /= connections;
    now.members += 1;
    const SocketStats wire = peer.socket->stats();
    now.sent_bytes = wire.sent_bytes;
    now.received_bytes = wire.received_bytes;
    now.objects = all.objects;
    now.owned = all.owned;
    now.migrations = all.migrations;
    now.digest = world_digest(session);
    now.cheered = peer.game.cheered;
    now.heard = peer.game.heard;
    now.resident_kb = resident_kb();
    return now;
}

std::vector<Known> world(const Peer &peer)
{
    std::vector<Known> world;
    for (TypeId type : {cube_type, player_type})
        for (ObjectId object : object_ids(peer.session, type)) {
            if (!exists(peer.session, object)) continue;
            Known known = {};
            known.object = object;
            known.stamp = object_stamp(peer.session, object);
            known.owner = object_owner(peer.session, object);
            known.type = type;
            const size_t size_bytes = types[type].size_bytes;
            std::memcpy(known.value.bytes, get(peer.session, object, size_bytes), size_bytes);
            world.push_back(known);
        }
    std::sort(world.begin(), world.end(),
              [](const Known &a, const Known &b) { return a.object < b.object; });
    return world;
}

std::string missing(const Peer &peer)
{
    static constexpr size_t lines_max = 20;
    std::string lines;
    size_t count = 0;
    for (const Known &known : world(peer))
        for (const PeerId other : other_peers(peer.session)) {
            if (known.owner != local_peer(peer.session)) continue;
            const Explanation why = explain(peer.session, known.object, other);
            if (why.why == Why::has_it || ++count > lines_max) continue;
            char line[256];
            std::snprintf(line, sizeof line, "  object %llx of peer %u, to peer %u: %s\n",
                          static_cast<unsigned long long>(known.object),
                          static_cast<unsigned>(known.owner), static_cast<unsigned>(other),
                          to_text(why.why));
            lines += line;
        }
    return lines;
}

const char *state_name(State state)
{
    switch (state) {
    case State::idle: return "idle";
    case State::joining: return "joining";
    case State::open: return "open";
    case State::leaving: return "leaving";
    case State::left: return "left";
    case State::unreachable: return "unreachable";
    case State::refused_full: return "refused_full";
    case State::refused_types: return "refused_types";
    case State::refused_version: return "refused_version";
    case State::refused_secret: return "refused_secret";
    case State::refused_by_game: return "refused_by_game";
    case State::removed: return "removed";
    case State::minority: return "minority";
    case State::overflow: return "overflow";
    }
    return "";
}

bool is_over(State state)
{
    return state != State::idle && state != State::joining && state != State::open &&
           state != State::leaving;
}

}
