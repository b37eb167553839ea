// The dedicated host: its rooms, and the loop that ticks them.
#pragma once
#include "common/control.h"
#include "host/agones/agones.h"
#include "host/http/http.h"
#include "host/notify.h"
#include "host/options/options.h"
#include "host/room.h"

namespace dedicated {

// What the process exits with.
enum ExitStatus : int {
    exit_clean = 0,
    exit_error = 1,
    exit_options = 2,
    exit_bind = 3,
    exit_deadline = 4, // Of the drain.
    exit_stopped = 5   // By a second signal.
};

struct Host {
    int argument_count = 0; // Of the command line, which a reload reads again.
    const char *const *arguments = nullptr;
    Loaded loaded;
    Log log;
    std::vector<Room> rooms;
    tern::Workers *workers = nullptr; // Of their sessions; null: none.
    Board board;
    std::shared_ptr<HttpServer> http;
    uint16_t http_port = 0;
    control::Control control_socket;
    Notify notify;
    std::shared_ptr<Agones> agones;
    TickStatus ticks = {};
    uint64_t tick_begun_us = 0; // The last one, as now_us.
    uint64_t begun_us = 0;      // clock_us() when the process began.
    uint64_t started_unix_s = 0;
    uint64_t publish_us = 0; // When the board is due, as now_us.
    bool opened = false;     // All rooms were.
    bool draining = false;
    uint64_t drain_begun_us = 0, drain_until_us = 0;
    bool ended = false;
    int exit_status = exit_clean;
};

namespace host {

// From the first socket to the exit status. Host::arguments and loaded are set.
int run(Host &host);
uint64_t now_us(const Host &host); // Since the process began.

// For the control socket, too.
void drain(Host &host, const char *reason); // All of it, then it ends.
struct Reload {
    bool done;
    std::vector<std::string> changed, refused, problems;
};
Reload reload(Host &host);
void apply(Host &host); // What is reloadable of the options.
Room *find_room(Host &host, const std::string &name);
void publish(Host &host); // Now, and not only when it is due.

// host_start.cpp: binds and opens all. exit_clean, or what to exit with.
int start(Host &host);
void stop(Host &host); // Closes all.

}

// The answer to one line of the control socket (commands.cpp).
std::string command_answer(Host &host, const std::string &line);

}
