// The dedicated host: its rooms, and the loop that ticks them.
#pragma once
#include "common/control.h"
#include "host/agones/agones.h"
#include "host/http/http.h"
#include "host/notify.h"
#include "host/options/options.h"
#include "host/room.h"
#include "host/tick_clock.h"

namespace dedicated {

// The exit status of the process.
enum ExitStatus : int {
    exit_clean = 0,
    exit_error = 1,
    exit_options = 2,
    exit_bind = 3,
    exit_deadline = 4, // The drain did not finish within Options::drain_timeout_s.
    exit_stopped = 5   // A second SIGTERM or SIGINT came during the drain.
};

struct Host {
    // The command line of the process; a reload parses it again.
    int argument_count = 0;
    const char *const *arguments = nullptr;
    Loaded loaded;
    Log log;
    std::vector<Room> rooms;
    tern::Workers *workers = nullptr; // Shared by all sessions; null if send_threads is 0.
    Board board;
    std::shared_ptr<HttpServer> http;
    uint16_t http_port = 0;
    control::Control control_socket;
    Notify notify;
    std::shared_ptr<Agones> agones;
    TickClock clock = {};  // On the clock of now_us().
    uint64_t begun_us = 0; // clock_us() when run() began.
    uint64_t started_unix_s = 0;
    uint64_t publish_us = 0; // now_us() at which the board is next updated.
    bool opened = false;     // True once all rooms have been opened.
    bool draining = false;
    uint64_t drain_begun_us = 0, drain_until_us = 0;
    bool ended = false;
    int exit_status = exit_clean;
};

namespace host {

// Runs the whole host: opens sockets and rooms, ticks until the end, closes all, and returns the
// exit status of the process. The caller has set Host::argument_count, arguments and loaded.
int run(Host &host);
uint64_t now_us(const Host &host); // Microseconds since run() began.

// The functions below are also called by the commands of the control socket.

// Starts the drain of all rooms, after which the process ends. `reason` goes into the log. Has no
// effect if the host drains already.
void drain(Host &host, const char *reason);
// done: false if the configuration has problems; the host then keeps its options. changed, refused:
// paths of options, as in options::Reloaded.
struct Reload {
    bool done;
    std::vector<std::string> changed, refused, problems;
};
Reload reload(Host &host);
void apply(Host &host); // Copies the reloadable options to where they are used.
Room *find_room(Host &host, const std::string &name); // Null if there is no such room.
void publish(Host &host);                             // Updates the board at once.

// Defined in host_start.cpp. Binds all sockets and opens all rooms. Returns exit_clean, or the exit
// status of the process if that failed.
int start(Host &host);
void stop(Host &host); // Closes sockets, rooms and threads, also after a start() that failed.

}

// The answer to one line of the control socket (commands.cpp).
std::string command_answer(Host &host, const std::string &line);

}
