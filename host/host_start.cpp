// Starts a host: binds all sockets, loads the scripts and opens the rooms.
#include "host/host.h"
#include "host/signals.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <tern/io.hpp>

namespace dedicated::host {

static constexpr uint32_t fleet_wait_s = 30;
// Ten ticks at the lowest rate, 5 Hz, and less than the timeout after which peers drop the host.
static constexpr uint32_t tick_age_ms_max = 2000;
static constexpr uint64_t page_bytes_max = 16 * 1024 * 1024;

static int failed(Host &host, int status, const char *event, const LogFields &fields)
{
    log::write(host.log, LogLevel::error, event, fields);
    return status;
}

// --- The fleet ---

static const FleetPort *port_for(const GameServer &server, const Host &host,
                                 const RoomOptions &room)
{
    for (const FleetPort &port : server.ports)
        if (port.name == room.name) return &port;
    const bool only = host.loaded.options.rooms.size() == 1 && !server.ports.empty();
    return only ? &server.ports[0] : nullptr;
}

// The port of the SDK server: the operator's, else the one that Agones sets in the environment.
static uint16_t sdk_port(const Host &host)
{
    const char *text = std::getenv("AGONES_SDK_HTTP_PORT");
    const unsigned long port = text ? std::strtoul(text, nullptr, 10) : 0;
    const bool is_ours = host.loaded.sources.contains("agones.port");
    return !is_ours && port >= 1 && port <= 65'535 ? static_cast<uint16_t>(port)
                                                   : host.loaded.options.agones_port;
}

// Takes the ports from the game server and, unless the operator has set addresses, the address for
// the invites.
static void take_game_server(Host &host, const GameServer &server)
{
    Options &options = host.loaded.options;
    for (RoomOptions &room : options.rooms)
        if (const FleetPort *port = port_for(server, host, room))
            room.port = port->port;
        else
            log::write(host.log, LogLevel::warning, "agones_no_port",
                       {{"room", room.name},
                        {"text", "the game server has no port of this name: nobody may reach it"}});
    const bool is_ours = host.loaded.sources.contains("addresses");
    const bool is_v6 = server.address.find(':') != std::string::npos;
    const std::string probe = (is_v6 ? "[" + server.address + "]" : server.address) + ":1";
    if (!is_ours && !tern::parse_address(probe.c_str()).error)
        options.addresses = {server.address};
    else if (!is_ours)
        log::write(host.log, LogLevel::warning, "agones_address",
                   {{"address", server.address},
                    {"text", "this is no IP: set addresses to where players reach the machine"}});
}

static int join_fleet(Host &host)
{
    Options &options = host.loaded.options;
    if (!options.agones) return exit_clean;
    options.agones_port = sdk_port(host);
    host.agones = agones::make(options.agones_port, host.board);
    log::write(host.log, LogLevel::info, "agones_waiting",
               {{"port", options.agones_port}, {"seconds_at_most", fleet_wait_s}});
    GameServer server;
    for (uint32_t i = 0; i < fleet_wait_s && signals::stops() == 0; ++i) {
        server = agones::game_server(*host.agones, 1000);
        if (server.error.empty()) break;
    }
    if (!server.error.empty())
        return failed(host, exit_error, "agones_failed",
                      {{"port", options.agones_port}, {"text", server.error}});
    take_game_server(host, server);
    log::write(host.log, LogLevel::info, "agones_game_server",
               {{"name", server.name}, {"state", server.state}, {"address", server.address}});
    return exit_clean;
}

// --- Binding ---

static int bind_rooms(Host &host)
{
    const Options &options = host.loaded.options;
    host.rooms.resize(options.rooms.size());
    for (size_t i = 0; i < host.rooms.size(); ++i) {
        const RoomOptions &own = options.rooms[i];
        const std::string error = room::bind(host.rooms[i], options, own);
        if (!error.empty())
            return failed(host, exit_bind, "bind_failed",
                          {{"room", own.name}, {"udp_port", own.port}, {"text", error}});
    }
    return exit_clean;
}

// Returns what is wrong; empty: nothing, or there is no page.
static std::string read_page(const std::string &path, std::string &page)
{
    if (path.empty()) return {};
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return "it is not a regular file";
    const uint64_t size = std::filesystem::file_size(path, error);
    if (error) return error.message();
    if (size == 0 || size > page_bytes_max) return "expected 1 byte to 16 MiB";
    page.resize(size);
    std::ifstream file(path, std::ios::binary);
    if (!file.read(page.data(), static_cast<std::streamsize>(size))) return "it cannot be read";
    return {};
}

static int bind_others(Host &host)
{
    const Options &options = host.loaded.options;
    if (!options.control_socket.empty()) {
        host.control_socket.too_long = R"({"ok":false,"error":"the request is too long"})";
        const std::string error = control::open(host.control_socket, options.control_socket);
        if (!error.empty())
            return failed(host, exit_bind, "bind_failed",
                          {{"control_socket", options.control_socket}, {"text", error}});
    }
    const std::string trouble = read_page(options.http_page, host.board.page);
    if (!trouble.empty())
        return failed(host, exit_options, "page_failed",
                      {{"page", options.http_page}, {"text", trouble}});
    if (options.http_listen.empty()) return exit_clean;
    MadeHttp made = http::make(options.http_listen, tick_age_ms_max, host.board);
    if (!made.server)
        return failed(host, exit_bind, "bind_failed",
                      {{"http", options.http_listen}, {"text", made.error}});
    host.http = made.server;
    host.http_port = made.port;
    return exit_clean;
}

static int begin_recordings(Host &host)
{
    const std::string &folder = host.loaded.options.record_folder;
    if (folder.empty()) return exit_clean;
    for (Room &room : host.rooms) {
        const std::string error = room::begin_recording(room, folder);
        if (!error.empty())
            return failed(host, exit_options, "recording_failed",
                          {{"room", room.options.name}, {"text", error}});
    }
    return exit_clean;
}

// --- Ready ---

static void print_ready(const Host &host)
{
    std::string line = "tern-host ready:";
    for (const Room &room : host.rooms)
        line += " room " + room.options.name + " udp " + std::to_string(room.port) + " invite " +
                room.invite;
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

static int make_workers(Host &host)
{
    const uint32_t threads = host.loaded.options.send_threads;
    if (threads == 0) return exit_clean;
    host.workers = tern::make_workers(threads);
    if (!host.workers)
        return failed(
            host, exit_error, "threads_failed",
            {{"send_threads", threads}, {"text", "the system does not give so many threads"}});
    for (Room &room : host.rooms)
        room.parallel = tern::make_parallel(host.workers);
    return exit_clean;
}

static int load_scripts(Host &host)
{
    for (Room &room : host.rooms)
        if (const std::string error = script::load(room, host.log); !error.empty())
            return failed(
                host, exit_options, "script_failed",
                {{"room", room.options.name}, {"script", room.options.script}, {"text", error}});
    return exit_clean;
}

static int open_rooms(Host &host)
{
    for (Room &room : host.rooms)
        if (const std::string error = room::open(room, host.log, now_us(host)); !error.empty())
            return failed(host, exit_error, "room_failed",
                          {{"room", room.options.name}, {"text", error}});
    host.opened = true;
    publish(host);
    LogFields fields = {{"version", TERN_VERSION}, {"rooms", host.rooms.size()}};
    if (host.http) fields["http_port"] = host.http_port;
    if (host.control_socket.listener >= 0) fields["control_socket"] = host.control_socket.path;
    log::write(host.log, LogLevel::info, "host_started", fields);
    print_ready(host);
    notify::say(host.notify, "READY=1\nSTATUS=" + std::to_string(host.rooms.size()) +
                                 (host.rooms.size() == 1 ? " room is open" : " rooms are open"));
    if (host.agones) agones::ready(*host.agones);
    return exit_clean;
}

int start(Host &host)
{
    for (const Problem &warning : host.loaded.warnings)
        log::write(host.log, LogLevel::warning, "option_ignored",
                   {{"where", warning.where}, {"text", warning.text}});
    // bind_others() opens the control socket before it starts the HTTP threads: see
    // control::open(). The threads of the Agones client run already, but create no files.
    int (*const steps[])(Host &) = {bind_rooms,   bind_others,  begin_recordings,
                                    make_workers, load_scripts, open_rooms};
    if (const int status = join_fleet(host); status != exit_clean) return status;
    for (const auto step : steps)
        if (const int status = step(host); status != exit_clean) return status;
    return exit_clean;
}

void stop(Host &host)
{
    control::close(host.control_socket);
    host.http.reset();
    host.agones.reset();
    for (Room &room : host.rooms)
        room::close(room);
    tern::destroy_workers(host.workers);
    host.workers = nullptr;
}

}
