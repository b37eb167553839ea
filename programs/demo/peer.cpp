#include "peer.h"
#include "common/crash_report.h"
#include "tern/diagnostics.hpp"
#include "tern/handlers.hpp"
#include "tern/ownership.hpp"
#include "tern/recording.hpp"
#include "tern/sim.hpp"
#include <algorithm>
#include <filesystem>

namespace demo::peer {

// --- Setup ---

static IpVersion ip_version(const Options &options)
{
    return options.socket == "udp6" ? IpVersion::v6 : IpVersion::v4;
}

Config make_config(const Options &options)
{
    Config config = {};
    config.types = types;
    config.peers_max = options.peers;
    config.topology = options.topology == "star" ? Topology::star : Topology::mesh;
    config.quorum = options.quorum == "survivors" ? Quorum::survivors : Quorum::majority;
    config.timeout_ms = 2000;
    config.join_timeout_ms = 20'000;
    // Room for one tick; tick() takes it each time.
    if (!options.record.empty()) config.recording_bytes_max = 4 << 20;
    return config;
}

// The file is readable by its owner alone, because the recording holds keys.
static std::FILE *make_record_file(const std::filesystem::path &path)
{
    using std::filesystem::perms;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::FILE *file = std::fopen(path.string().c_str(), "wb");
    if (file) std::filesystem::permissions(path, perms::owner_read | perms::owner_write, error);
    return file;
}

static void write_crash_report(void *user, const Crash &crash)
{
    const Peer &peer = *static_cast<const Peer *>(user);
    crash_report::write(crash, peer.record_path.c_str(), peer.record);
}

std::string open(Peer &peer, const Options &options, Config config, uint32_t index)
{
    if (!options.record.empty()) {
        peer.record_path = options.record + "/peer-" + std::to_string(index + 1) + ".rec";
        peer.record = make_record_file(peer.record_path);
        if (!peer.record) return "--record: " + peer.record_path + " cannot be written";
        config.crash = {write_crash_report, &peer};
    }
    const auto port = static_cast<uint16_t>(std::max(0, options.port));
    const MadeSocket made = options.socket == "enet" ? make_enet_socket(port, config.peers_max)
                                                     : make_udp_socket(port, ip_version(options));
    if (!made.socket)
        return options.socket + " port " + std::to_string(port) + ": " + tern::to_text(made.error);
    const uint64_t seed = options.seed * 0x9e3779b97f4a7c15 + index + 1;
    const Impairment impairment = {options.delay_ms, options.delay_ms + options.jitter_ms,
                                   static_cast<float>(options.loss_percent / 100), 0.01f};
    peer.socket =
        options.impaired ? make_impaired_socket(made.socket, impairment, seed) : made.socket;
    peer.session = make_session(config);
    if (!peer.session) return "the system gives no memory for the session";
    const bool has_more = index < options.objects % options.peers;
    peer.game = {peer.session, options.hz, options.objects / options.peers + has_more,
                 options.objects, std::mt19937_64(seed)};
    return "";
}

void close(Peer &peer)
{
    destroy_session(peer.session);
    destroy_socket(peer.socket);
    if (peer.record) std::fclose(peer.record);
    peer = {};
}

Invite local_invite(const Peer &peer, const Options &options)
{
    const Address address = loopback(peer.socket->local_address().port, ip_version(options));
    return make_invite(peer.session, {&address, 1});
}

struct CutSocket final : Socket {
    Socket *_inner;
    std::vector<uint16_t> _ports;
    std::vector<Datagram> _passed;

    ~CutSocket() override { destroy_socket(_inner); }
    std::span<const Datagram> receive() override { return pass(_inner->receive()); }
    void send(std::span<const Datagram> datagrams) override { _inner->send(pass(datagrams)); }
    Address local_address() const override { return _inner->local_address(); }
    SocketStats stats() const override { return _inner->stats(); }

    std::span<const Datagram> pass(std::span<const Datagram> datagrams)
    {
        _passed.assign(datagrams.begin(), datagrams.end());
        std::erase_if(_passed, [this](const Datagram &datagram) {
            return std::count(_ports.begin(), _ports.end(), datagram.address.port) > 0;
        });
        return _passed;
    }
};

void cut(Peer &peer, const std::vector<uint16_t> &ports)
{
    auto *socket = new CutSocket;
    socket->_inner = peer.socket;
    socket->_ports = ports;
    peer.socket = socket;
}

// --- Ticks ---

// The host of hundreds has more datagrams waiting than one receive() of a socket returns.
static constexpr int receive_rounds_max = 16;

void tick(Peer &peer, bool playing)
{
    for (int round = 0; round < receive_rounds_max; ++round) {
        const std::span<const Datagram> datagrams = peer.socket->receive();
        for (const Event &event : receive(peer.session, datagrams, clock_us()))
            if (event.kind == EventKind::call) peer.game.cheers_received += 1;
        if (datagrams.size() < receive_datagrams_max) break;
    }
    if (playing && session_state(peer.session) == State::open) game::play(peer.game);
    peer.socket->send(send(peer.session, clock_us()));
    if (!peer.record) return;
    const std::span<const std::byte> bytes = take_recording(peer.session);
    std::fwrite(bytes.data(), 1, bytes.size(), peer.record);
    std::fflush(peer.record); // A peer that is killed leaves the recording up to its last tick.
}

void wait(uint64_t &next_us, uint32_t hz)
{
    static constexpr uint64_t lag_us_max = 100'000;
    const uint64_t now_us = clock_us();
    next_us = std::max(next_us + 1'000'000 / hz, now_us - lag_us_max);
    if (next_us > now_us) sleep_us(next_us - now_us);
}

// --- Reports ---

Progress progress(const Peer &peer)
{
    const Session *session = peer.session;
    Progress now = {};
    now.state = session_state(session);
    now.self = local_peer(session);
    now.host = host_peer(session);
    now.sent_bytes = peer.socket->stats().sent_bytes;
    const SessionStats stats = session_stats(session);
    now.objects = stats.objects;
    now.owned = stats.owned;
    now.migrations = stats.migrations;
    now.dropped = stats.bad_datagrams;
    now.members = 1;
    uint32_t connections = 0;
    for (PeerId other : other_peers(session)) {
        const Stats one = peer_stats(session, other);
        now.members += 1;
        connections += one.rtt_us > 0;
        now.rtt_us += one.rtt_us;
        now.dropped += breach_count(one);
        now.bridged += one.bridged;
    }
    now.rtt_us /= std::max(1u, connections);
    now.digest = world_digest(session);
    now.cheered = peer.game.cheered;
    now.cheers_received = peer.game.cheers_received;
    return now;
}

std::string text(const Progress &now)
{
    using Count = unsigned long long;
    char line[256];
    std::snprintf(line, sizeof line,
                  "peer %u %s members=%u objects=%llu owned=%llu migrations=%llu rtt=%ums "
                  "sent=%llukB dropped=%llu bridged=%u digest=%016llx",
                  static_cast<unsigned>(now.self), now.state == State::open ? "open" : "not open",
                  now.members, Count{now.objects}, Count{now.owned}, Count{now.migrations},
                  now.rtt_us / 1000, Count{now.sent_bytes / 1000}, Count{now.dropped}, now.bridged,
                  Count{now.digest});
    return line;
}

std::vector<Known> cubes(const Peer &peer)
{
    const Session *session = peer.session;
    std::vector<Known> known;
    for (const Object<Cube> cube : object_ids<Cube>(session))
        if (exists(session, cube))
            known.push_back(verdict::describe(cube, object_stamp(session, cube),
                                              object_owner(session, cube), get(session, cube)));
    return known;
}

}
