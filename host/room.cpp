#include "host/room.h"
#include "common/crash_report.h"
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <tern/diagnostics.hpp>
#include <tern/handlers.hpp>
#include <tern/host.hpp>
#include <tern/invites.hpp>
#include <tern/limits.hpp>
#include <tern/ownership.hpp>
#include <tern/recording.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>
#include <unistd.h>

using namespace tern;

namespace dedicated::room {

// With hundreds of members more datagrams wait than one receive() of the socket returns.
static constexpr int receive_rounds_max = 16;
// How long a room that is cut off waits for its players before it reopens.
static constexpr uint64_t reopen_after_us = 5'000'000;

// --- Making ---

static Address parsed(const std::string &ip, uint16_t port)
{
    const bool bare_v6 = ip.find(':') != std::string::npos && ip[0] != '[';
    const std::string host = bare_v6 ? "[" + ip + "]" : ip;
    return parse_address((host + ":" + std::to_string(port)).c_str()).address;
}

std::string bind(Room &room, const Options &options, const RoomOptions &own)
{
    room.options = own;
    room.types = options.types;
    room.host_name = options.name;
    IpVersion version = IpVersion::v4;
    for (const std::string &ip : options.addresses)
        if (ip.find(':') != std::string::npos) version = IpVersion::v6;
    const MadeSocket made = make_udp_socket(own.port, version);
    if (!made.socket) return to_text(made.error);
    room.socket = made.socket;
    room.port = made.socket->local_address().port;
    for (const std::string &ip : options.addresses)
        room.addresses.push_back(parsed(ip, room.port));
    return "";
}

std::string begin_recording(Room &room, const std::string &folder)
{
    std::error_code error;
    std::filesystem::create_directory(folder, error); // Not its parents: that would hide a typo.
    if (error) return folder + ": " + error.message();
    const time_t now = time(nullptr);
    tm parts = {};
    gmtime_r(&now, &parts);
    char stamp[64];
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &parts);
    const std::string file =
        room.options.name + "-" + stamp + "-" + std::to_string(getpid()) + ".rec";
    room.recording_path = (std::filesystem::absolute(folder, error) / file).string();
    // Readable by its owner only, because it contains keys.
    const int descriptor =
        ::open(room.recording_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0) room.recording = fdopen(descriptor, "wb");
    return room.recording ? "" : room.recording_path + ": " + std::strerror(errno);
}

static void create_first_objects(Room &room, const Log &log)
{
    uint64_t missing = 0;
    const std::vector<std::byte> zeros(struct_bytes_max);
    const TypeTable &table = *room.types;
    for (size_t type = 0; type < table.at_start.size(); ++type)
        for (uint32_t i = 0; i < table.at_start[type]; ++i) {
            const ObjectId object = create(room.session, static_cast<TypeId>(type), zeros.data(),
                                           table.types[type].size_bytes);
            missing += object == ObjectId::none;
        }
    if (missing > 0)
        log::write(log, LogLevel::warning, "objects_missing",
                   {{"room", room.options.name}, {"count", missing}});
}

// Appends to the file what the session has recorded since the last call.
static void record(Room &room, const Log &log)
{
    if (!room.recording || !room.session) return;
    const std::span<const std::byte> bytes = take_recording(room.session);
    const size_t size = std::fwrite(bytes.data(), 1, bytes.size(), room.recording);
    room.recording_bytes += size;
    if (size == bytes.size() && std::fflush(room.recording) == 0) return;
    log::write(log, LogLevel::error, "recording_failed",
               {{"room", room.options.name},
                {"file", room.recording_path},
                {"text", std::strerror(errno)}});
    std::fclose(room.recording);
    room.recording = nullptr;
}

static void print_invite(Room &room)
{
    room.invite = to_text(make_invite(room.session, room.addresses)).text;
}

static void write_crash_report(void *user, const Crash &crash)
{
    const Room &room = *static_cast<const Room *>(user);
    if (room.recording) crash_report::write(crash, room.recording_path.c_str(), room.recording);
}

static Session *made_session(Room &room)
{
    if (Session *of_script = script::session(room)) return of_script;
    Config config = {};
    config.types = room.types->types;
    config.peers_max = room.options.peers_max;
    config.admission = Admission::ask_game;
    config.quorum = room.options.quorum;
    config.topology = room.options.topology;
    config.name = room.host_name.c_str();
    config.send_bytes_per_second_max = room.options.send_bytes_per_second_max;
    config.forward_bytes_per_second_max = room.options.forward_bytes_per_second_max;
    config.timeout_ms = room.options.timeout_ms;
    config.parallel = room.parallel;
    config.recording_bytes_max = room.recording ? recording_bytes_max : 0;
    config.crash = {write_crash_report, &room};
    return make_session(config);
}

std::string open(Room &room, const Log &log, uint64_t now_us)
{
    room.session = made_session(room);
    if (!room.session)
        return "the system gives no memory for a session of " +
               std::to_string(room.options.peers_max) + " peers and these types";
    receive(room.session, {}, now_us); // Sets the session's clock.
    start(room.session);
    print_invite(room);
    create_first_objects(room, log);
    log::write(log, LogLevel::info, "room_opened",
               {{"room", room.options.name},
                {"port", room.port},
                {"topology", text(room.options.topology)},
                {"peers_max", room.options.peers_max},
                {"objects", session_stats(room.session).objects}});
    if (room.recording)
        log::write(log, LogLevel::warning, "recording_started",
                   {{"room", room.options.name},
                    {"file", room.recording_path},
                    {"text", "it holds the keys and the secret of the room"}});
    record(room, log);
    return "";
}

void close(Room &room)
{
    if (room.session && !room.game) destroy_session(room.session);
    script::close(room);
    if (room.socket) destroy_socket(room.socket);
    if (room.recording) std::fclose(room.recording);
    room.session = nullptr;
    room.socket = nullptr;
    room.recording = nullptr;
}

// --- Status ---

bool is_over(const Room &room)
{
    return room.phase == RoomPhase::left || room.phase == RoomPhase::lost;
}

bool is_host(const Room &room)
{
    return room.session && session_state(room.session) == State::open &&
           tern::host_peer(room.session) == local_peer(room.session);
}

bool takes_newcomers(const Room &room)
{
    return room.options.open && room.phase == RoomPhase::open && is_host(room);
}

uint64_t owned(const Room &room)
{
    return room.session ? session_stats(room.session).owned : 0;
}

RoomStatus status(Room &room, uint64_t now_us)
{
    if (!room.session) return room.last;
    RoomStatus status = watch::status(room.watch, room.session, room.types->types, now_us);
    status.name = room.options.name;
    status.topology = text(room.options.topology);
    status.port = room.port;
    status.peers_max = room.options.peers_max;
    status.invite = room.invite;
    status.takes_newcomers = takes_newcomers(room);
    status.draining = room.phase == RoomPhase::giving || room.phase == RoomPhase::leaving;
    status.refused = room.refused + status.stats.refused_full + status.stats.refused_types;
    status.recording = room.recording_path;
    status.recording_bytes = room.recording_bytes;
    status.script = script::status(room);
    return status;
}

void log_refusals(Room &room, const Log &log)
{
    if (!room.session) return;
    const SessionStats now = session_stats(room.session);
    const uint64_t all = now.refused_full + now.refused_types;
    if (all == room.refused_logged) return;
    log::write(log, LogLevel::warning, "newcomers_refused",
               {{"room", room.options.name},
                {"count", all - room.refused_logged},
                {"in_all_full", now.refused_full},
                {"in_all_other_types_or_limits", now.refused_types}});
    room.refused_logged = all;
}

// --- A tick ---

static void answer_newcomer(Room &room, const Log &log, const Newcomer &newcomer)
{
    const char *reason = nullptr;
    if (room.phase != RoomPhase::open)
        reason = "the host is shutting down";
    else if (!room.options.open)
        reason = "the room is closed";
    if (!reason) {
        admit(room.session, newcomer.peer);
        return;
    }
    refuse(room.session, newcomer.peer, reason);
    room.refused += 1;
    log::write(log, LogLevel::info, "peer_refused",
               {{"room", room.options.name}, {"name", newcomer.name}, {"reason", reason}});
}

static void note_host(const Room &room, const Log &log, const Event &event)
{
    const bool lost = event.kind == EventKind::host_lost;
    log::write(log, LogLevel::warning, lost ? "host_lost" : "host_changed",
               {{"room", room.options.name}, {"peer", static_cast<unsigned>(peer_of(event))}});
}

// Without a script there is no game that could refuse a claim, so it is granted when possible.
static void answer_claim(Room &room, const ClaimEvent &claim)
{
    if (!is_host(room) || room.game) return;
    if (!migrate(room.session, claim.object, claim.claimer))
        refuse_claim(room.session, claim.object, claim.claimer);
}

static void note_owner(Room &room, const Log &log, const OwnerChange &change)
{
    const auto gift = room.gifts.find(static_cast<uint64_t>(change.object));
    if (gift != room.gifts.end() && change.previous == local_peer(room.session)) {
        room.given += 1;
        room.gifts.erase(gift);
    }
    if (log.level < LogLevel::debug) return;
    log::write(log, LogLevel::debug, "ownership_moved",
               {{"room", room.options.name},
                {"object", static_cast<uint64_t>(change.object)},
                {"from", static_cast<unsigned>(change.previous)},
                {"to", static_cast<unsigned>(change.owner)}});
}

static void note_misbehaviour(Room &room, const Log &log, const BreachReport &report,
                              uint64_t now_us)
{
    if (room.breaches.size() == breaches_noted_max) room.breaches.pop_front();
    room.breaches.push_back(
        {now_us, report.peer, report.reporter, room.names[report.peer], report.breach});
    LogFields fields = {{"room", room.options.name},
                        {"peer", static_cast<unsigned>(report.peer)},
                        {"name", room.names[report.peer]},
                        {"reason", breach_names[static_cast<size_t>(report.breach)]},
                        {"text", to_text(report.breach)}};
    if (report.reporter != PeerId::none)
        fields["reported_by"] = static_cast<unsigned>(report.reporter);
    log::write(log, LogLevel::warning, "misbehaved", fields);
}

static void take_event(Room &room, const Log &log, const Event &event, uint64_t now_us)
{
    switch (event.kind) {
    case EventKind::join_asked: return answer_newcomer(room, log, event.newcomer);
    case EventKind::claim_asked: return answer_claim(room, event.claim);
    case EventKind::owner_changed: return note_owner(room, log, event.owner);
    case EventKind::misbehaved: return note_misbehaviour(room, log, event.misbehaved, now_us);
    case EventKind::host_lost:
    case EventKind::host_changed: return note_host(room, log, event);
    case EventKind::peer_joined:
        room.names[event.newcomer.peer] = event.newcomer.name;
        return log::write(log, LogLevel::info, "peer_joined",
                          {{"room", room.options.name},
                           {"peer", static_cast<unsigned>(event.newcomer.peer)},
                           {"name", event.newcomer.name}});
    case EventKind::peer_left:
        log::write(log, LogLevel::info, "peer_left",
                   {{"room", room.options.name},
                    {"peer", static_cast<unsigned>(event.peer)},
                    {"name", room.names[event.peer]}});
        room.names.erase(event.peer);
        return;
    default: return;
    }
}

static void take_datagrams(Room &room, const Log &log, uint64_t now_us)
{
    // A script reads the events of the last receive() only, so a further one would hide events.
    const int rounds_max = room.game ? 1 : receive_rounds_max;
    for (int round = 0; round < rounds_max; ++round) {
        const std::span<const Datagram> datagrams = room.socket->receive();
        const std::span<const Event> events = receive(room.session, datagrams, now_us);
        watch::note_events(room.watch, room.session, events, now_us);
        for (const Event &event : events)
            take_event(room, log, event, now_us);
        if (datagrams.size() < receive_datagrams_max) return;
    }
}

static void end(Room &room, const Log &log, RoomPhase phase, uint64_t now_us)
{
    const bool lost = phase == RoomPhase::lost;
    log::write(log, lost ? LogLevel::error : LogLevel::info, lost ? "room_lost" : "room_left",
               {{"room", room.options.name},
                {"text", state_text(room.session)},
                {"objects_given", room.given},
                {"objects_owned", owned(room)}});
    room.phase = phase;
    room.last = status(room, now_us);
    // The last status shows the totals, but no peers, objects or invite: these are gone.
    room.last.peers.clear();
    room.last.invite.clear();
    room.last.stats.objects = room.last.stats.owned = 0;
    for (TypeStatus &type : room.last.types)
        type.objects = 0;
    close(room);
}

// Acts on the state of the session: ends the room, or reopens it.
static void take_state(Room &room, const Log &log, uint64_t now_us)
{
    const State present = session_state(room.session);
    if (present != State::cut_off) room.cut_off_us = 0;
    if (present == State::open || present == State::leaving) return;
    if (present == State::left) return end(room, log, RoomPhase::left, now_us);
    if (present != State::cut_off) return end(room, log, RoomPhase::lost, now_us);
    if (room.cut_off_us == 0) room.cut_off_us = now_us;
    if (now_us - room.cut_off_us < reopen_after_us) return;
    if (room.phase != RoomPhase::open) return end(room, log, RoomPhase::lost, now_us);
    // Most peers were lost at once, or the network failed. Keep all objects and wait for the peers
    // to come back, in a session with a new invite.
    go_on(room.session);
    print_invite(room);
    room.reopened = true;
    log::write(log, LogLevel::warning, "room_reopened",
               {{"room", room.options.name},
                {"objects", session_stats(room.session).objects},
                {"text", "most peers were lost at once; the room goes on under a new invite"}});
}

void tick(Room &room, const Log &log, uint64_t now_us)
{
    if (is_over(room)) return;
    take_datagrams(room, log, now_us);
    if (room.phase == RoomPhase::open) script::tick(room, log, now_us);
    if (room.phase == RoomPhase::giving) give(room, log, now_us);
    room.socket->send(send(room.session, now_us));
    record(room, log);
    take_state(room, log, now_us);
}

}
