// Records two sessions into files that tern-sim replays byte for byte: to find a bug after the
// fact, as often as it takes. The network is simulated here; a recording of a real one is the same.
//
//     example_recording <folder>
//     tern-sim replay <folder>/ada.rec
//
// A recording holds the keys and the secret of its session: treat it like a password.
#include <cstdio>
#include <filesystem>
#include <string>
#include <tern/diagnostics.hpp>
#include <tern/handlers.hpp>
#include <tern/recording.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
using namespace tern;

struct Lamp {
    bool lit;
    uint16_t switched;
};
TERN_FIELDS(Lamp, lit, switched);
const Type types[] = {make_type<Lamp>("lamp", {.objects_max = 10})};

constexpr uint64_t tick_us = 16'667;
constexpr int lamp_count = 5, tick_count = 600;

struct Recorder {
    FILE *file;
    size_t bytes;
    bool failed; // The disk is full, for example.
};

// Only this user may read the file. It holds keys, so its folder should be this user's, too:
// another one could open the file before its permissions are set.
static Recorder make_recorder(const std::string &path)
{
    using std::filesystem::perms;
    FILE *file = std::fopen(path.c_str(), "wb");
    std::error_code error;
    if (file) std::filesystem::permissions(path, perms::owner_read | perms::owner_write, error);
    return {file, 0, !file || error};
}

static void append(Recorder &recorder, std::span<const std::byte> bytes)
{
    if (recorder.failed) return;
    recorder.failed = std::fwrite(bytes.data(), 1, bytes.size(), recorder.file) != bytes.size();
    recorder.bytes += bytes.size();
}

static bool close(Recorder &recorder)
{
    const bool closed = recorder.file && std::fclose(recorder.file) == 0;
    return closed && !recorder.failed && recorder.bytes > 0;
}

// The part of the recording that was not taken yet ends in the call that failed.
static void finish_after_crash(void *recorder, const Crash &crash)
{
    auto *crashed = static_cast<Recorder *>(recorder);
    append(*crashed, crash.recording);
    std::fflush(crashed->file);
}

struct Peer {
    Session *session;
    Socket *socket;
    Recorder recorder;
    size_t peak_bytes; // The most that one tick has recorded.
};

constexpr uint32_t recording_bytes_max = 256 * 1024; // More than any tick records.

static bool begin(Peer &peer, SimNetwork *network, uint16_t port, const std::string &path)
{
    peer.recorder = make_recorder(path);
    if (peer.recorder.failed) return false;
    Config config = {};
    config.types = types;
    config.recording_bytes_max = recording_bytes_max;
    config.crash = {finish_after_crash, &peer.recorder};
    peer.session = make_session(config);
    peer.socket = make_sim_socket(network, loopback(port));
    return peer.session && peer.socket;
}

// Takes a lamp in turn, and switches it when it is ours.
static void play(Peer &peer, int tick)
{
    Session *session = peer.session;
    if (session_state(session) != State::open || tick % 7 != 0) return;
    for (const Object<Lamp> lamp : object_ids<Lamp>(session)) {
        const Lamp &now = get(session, lamp);
        if (may_set(session, lamp))
            set(session, lamp, {!now.lit, static_cast<uint16_t>(now.switched + 1)});
        else if (tick % 35 == 0 && !is_claiming(session, lamp))
            claim(session, lamp);
    }
}

static void tick(Peer &peer, uint64_t now_us, int number, bool is_playing)
{
    receive(peer.session, peer.socket->receive(), now_us);
    if (is_playing) play(peer, number);
    peer.socket->send(send(peer.session, now_us));
    // Once in each tick: if it is not taken and the buffer fills up, the recording ends there.
    const std::span<const std::byte> recorded = take_recording(peer.session);
    append(peer.recorder, recorded);
    if (recorded.size() > peer.peak_bytes) peer.peak_bytes = recorded.size();
}

int main(int argc, char **argv)
{
    const std::string folder = argc > 1 ? argv[1] : ".";
    SimNetwork *network = make_sim_network({.seed = 4, .impairment = {.loss = 0.1f}});
    Peer ada = {}, ben = {};
    if (!begin(ada, network, 7777, folder + "/ada.rec") ||
        !begin(ben, network, 7778, folder + "/ben.rec")) {
        std::fprintf(stderr, "no recording can be written in %s\n", folder.c_str());
        return 2;
    }
    start(ada.session);
    const Address address = loopback(7777);
    join(ben.session, make_invite(ada.session, {&address, 1}));
    for (int i = 0; i < lamp_count; ++i)
        if (!create(ada.session, Lamp{})) return 1;
    uint64_t now_us = 0;
    for (int i = 0; i < tick_count + 120; ++i) {
        advance(network, now_us += tick_us);
        tick(ada, now_us, i, i < tick_count);
        tick(ben, now_us, i, i < tick_count);
    }

    const uint64_t changes = session_stats(ada.session).migrations;
    const bool agree = world_digest(ada.session) == world_digest(ben.session) && changes > 10;
    const bool complete =
        ada.peak_bytes < recording_bytes_max && ben.peak_bytes < recording_bytes_max;
    const bool written = close(ada.recorder) && close(ben.recorder);
    std::printf(
        "%zu and %zu bytes record %d ticks, in which lamps changed their owner %llu times\n",
        ada.recorder.bytes, ben.recorder.bytes, tick_count + 120,
        static_cast<unsigned long long>(changes));
    std::printf("%s\n", agree && complete && written ? "Both recordings are complete."
                                                     : "The recordings are of no use.");
    destroy_session(ben.session);
    destroy_session(ada.session);
    destroy_sim_network(network);
    return agree && complete && written ? 0 : 1;
}
