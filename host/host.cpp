#include "host/host.h"
#include "host/http/board.h"
#include "host/signals.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sys/resource.h>
#include <tern/io.hpp>
#include <tern/tern.hpp>
#include <unistd.h>

namespace dedicated::host {

static constexpr uint64_t second_us = 1'000'000;
static constexpr uint64_t publish_interval_us = second_us / 5;
static constexpr uint32_t fleet_goodbye_ms = 5000;
static constexpr uint64_t fleet_end_wait_us = 30 * second_us;

uint64_t now_us(const Host &host)
{
    return tern::clock_us() - host.begun_us;
}

Room *find_room(Host &host, const std::string &name)
{
    for (Room &room : host.rooms)
        if (room.options.name == name) return &room;
    return nullptr;
}

// --- The board ---

static uint64_t processor_us()
{
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    const auto total = [](const timeval &time) {
        return static_cast<uint64_t>(time.tv_sec) * second_us + static_cast<uint64_t>(time.tv_usec);
    };
    return total(usage.ru_utime) + total(usage.ru_stime);
}

static uint64_t resident_bytes()
{
    std::ifstream file("/proc/self/statm");
    uint64_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void publish(Host &host)
{
    HostStatus status = {};
    status.version = TERN_VERSION;
    status.name = host.loaded.options.name;
    status.now_us = now_us(host);
    status.started_unix_s = host.started_unix_s;
    status.cpu_us = processor_us();
    status.resident_bytes = resident_bytes();
    status.ready = host.opened && !host.draining &&
                   std::any_of(host.rooms.begin(), host.rooms.end(), room::takes_newcomers);
    status.draining = host.draining;
    if (host.draining && host.drain_until_us > status.now_us)
        status.drain_left_ms = (host.drain_until_us - status.now_us) / 1000;
    status.ticks = host.clock.ticks;
    for (Room &room : host.rooms) {
        status.rooms.push_back(room::status(room, status.now_us));
        room::log_refusals(room, host.log);
    }
    host.publish_us = status.now_us + publish_interval_us;
    board::publish(host.board, std::move(status));
}

// --- Reloading ---

void apply(Host &host)
{
    const Options &options = host.loaded.options;
    host.log = {options.log_format, options.log_level};
    if (options.tick_hz != host.clock.ticks.hz)
        tick_clock::set_rate(host.clock, options.tick_hz, now_us(host));
    for (const RoomOptions &own : options.rooms)
        if (Room *room = find_room(host, own.name)) room->options.open = own.open;
}

// Keeps the values that came from the game server: a reload of the file must not change them.
static void keep_fleet(const Host &host, Options &wanted)
{
    const Options &present = host.loaded.options;
    wanted.addresses = present.addresses;
    wanted.agones_port = present.agones_port;
    for (RoomOptions &room : wanted.rooms)
        for (const RoomOptions &own : present.rooms)
            if (own.name == room.name) room.port = own.port;
}

Reload reload(Host &host)
{
    Reload result = {};
    Loaded wanted = options::load(host.argument_count, host.arguments);
    if (host.agones) keep_fleet(host, wanted.options);
    for (const Problem &problem : wanted.problems) {
        result.problems.push_back(problem.where + ": " + problem.text);
        log::write(host.log, LogLevel::error, "reload_failed",
                   {{"where", problem.where}, {"text", problem.text}});
    }
    if (!result.problems.empty()) return result;
    for (Room &room : host.rooms)
        script::reload(room, host.log);
    const options::Reloaded reloaded = options::reload(host.loaded, wanted);
    result.done = true;
    result.changed = reloaded.changed;
    result.refused = reloaded.refused;
    apply(host);
    if (host.draining)
        host.drain_until_us = host.drain_begun_us + host.loaded.options.drain_timeout_s * second_us;
    if (!result.refused.empty())
        log::write(host.log, LogLevel::warning, "reload_refused",
                   {{"options", result.refused}, {"text", "these need a restart"}});
    log::write(host.log, LogLevel::info, "reload", {{"changed", result.changed}});
    publish(host);
    return result;
}

static void take_hangup(Host &host)
{
    if (!signals::take_hangup()) return;
    notify::reloading(host.notify);
    reload(host);
    notify::say(host.notify, "READY=1");
}

// --- Ending ---

static void end(Host &host, int status)
{
    host.ended = true;
    host.exit_status = status;
}

void drain(Host &host, const char *reason)
{
    if (host.draining) return;
    host.draining = true;
    host.drain_begun_us = now_us(host);
    const uint32_t timeout_s = host.loaded.options.drain_timeout_s;
    host.drain_until_us = host.drain_begun_us + timeout_s * second_us;
    log::write(host.log, LogLevel::info, "drain_started",
               {{"reason", reason}, {"timeout_s", timeout_s}});
    for (Room &room : host.rooms)
        room::drain(room, host.log);
    notify::say(host.notify, "STOPPING=1\nSTATUS=draining");
    publish(host);
}

static bool all_over(const Host &host)
{
    return std::all_of(host.rooms.begin(), host.rooms.end(), room::is_over);
}

static void end_by_deadline(Host &host)
{
    for (const Room &room : host.rooms)
        if (!room::is_over(room))
            log::write(host.log, LogLevel::error, "drain_unfinished",
                       {{"room", room.options.name},
                        {"peers", tern::other_peers(room.session).size()},
                        {"objects_owned", room::owned(room)}});
    log::write(host.log, LogLevel::error, "drain_timeout",
               {{"timeout_s", host.loaded.options.drain_timeout_s}});
    end(host, exit_deadline);
}

static void take_end(Host &host)
{
    const bool lost = std::any_of(host.rooms.begin(), host.rooms.end(),
                                  [](const Room &room) { return room.phase == RoomPhase::lost; });
    const uint64_t now = now_us(host);
    if (all_over(host)) {
        uint64_t given = 0;
        for (const Room &room : host.rooms)
            given += room.given;
        const uint64_t begun_us = host.draining ? host.drain_begun_us : now;
        log::write(host.log, lost ? LogLevel::error : LogLevel::info,
                   lost ? "host_failed" : "drain_done",
                   {{"objects_given", given}, {"ms", (now - begun_us) / 1000}});
        end(host, lost ? exit_error : exit_clean);
    } else if (host.draining && now >= host.drain_until_us) {
        end_by_deadline(host);
    }
}

// --- The loop ---

static void take_signals(Host &host)
{
    if (signals::stops() > 0) drain(host, "signal");
    if (signals::stops() > 1) {
        log::write(host.log, LogLevel::warning, "stopped",
                   {{"text", "a second signal: the drain is not over"}});
        end(host, exit_stopped);
    }
    take_hangup(host);
}

static void take_fleet(Host &host)
{
    if (!host.agones) return;
    for (const FleetNote &note : agones::notes(*host.agones))
        log::write(host.log, note.is_problem ? LogLevel::warning : LogLevel::info, "agones",
                   {{"text", note.text}});
    const FleetOrder order = agones::order(*host.agones);
    if (order == FleetOrder::allocated) log::write(host.log, LogLevel::info, "agones_allocated");
    if (order == FleetOrder::shut_down) drain(host, "agones");
}

static void take_commands(Host &host)
{
    for (const control::ControlRequest &request :
         control::receive(host.control_socket, now_us(host)))
        control::answer(host.control_socket, request.client, command_answer(host, request.text));
    control::send(host.control_socket, now_us(host));
}

static void tick_rooms(Host &host)
{
    for (Room &room : host.rooms) {
        room::tick(room, host.log, now_us(host));
        if (!room.reopened) continue;
        room.reopened = false;
        std::printf("tern-host reopened: room %s udp %u invite %s\n", room.options.name.c_str(),
                    room.port, room.invite.c_str());
        std::fflush(stdout);
        publish(host);
    }
}

static void tick(Host &host)
{
    const uint64_t begun_us = now_us(host);
    if (const uint64_t silent_us = tick_clock::begin(host.clock, begun_us))
        log::write(host.log, LogLevel::warning, "tick_stalled", {{"ms", silent_us / 1000}});
    take_signals(host);
    take_fleet(host);
    take_commands(host);
    tick_rooms(host);
    if (!host.ended) take_end(host);
    if (now_us(host) >= host.publish_us) publish(host);
    notify::tick(host.notify, begun_us);
    tick_clock::end(host.clock, now_us(host));
    host.board.ticked_us = tern::clock_us();
}

// Requests the shutdown of the game server. Kubernetes may restart a container that exits by
// itself, so wait for the SIGTERM that follows.
static void leave_fleet(Host &host)
{
    if (!agones::shut_down(*host.agones, fleet_goodbye_ms))
        log::write(host.log, LogLevel::warning, "agones_silent",
                   {{"text", "the SDK server has not taken the shutdown"}});
    const uint64_t until_us = now_us(host) + fleet_end_wait_us;
    while (signals::stops() == 0 && now_us(host) < until_us)
        tern::sleep_us(10'000);
}

int run(Host &host)
{
    host.begun_us = tern::clock_us();
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    host.started_unix_s = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count());
    host.log = {host.loaded.options.log_format, host.loaded.options.log_level};
    host.notify = notify::from_environment();
    tick_clock::set_rate(host.clock, host.loaded.options.tick_hz, now_us(host));
    host.exit_status = start(host);
    while (host.exit_status == exit_clean && !host.ended) {
        tick(host);
        if (const uint64_t pause_us = tick_clock::pause_us(host.clock, now_us(host)))
            tern::sleep_us(pause_us);
    }
    if (host.opened && host.agones && host.exit_status != exit_stopped) leave_fleet(host);
    stop(host);
    log::write(host.log, LogLevel::info, "host_ended", {{"exit_status", host.exit_status}});
    return host.exit_status;
}

}
