// What the threads of the fleet's client share: one struct under one mutex that nobody holds while
// it speaks with the server, and how each of them asks. Of host/agones*.cpp only.
#pragma once
#include "host/agones/agones_json.h"
#include <atomic>
#include <condition_variable>
#include <httplib.h>
#include <map>
#include <mutex>
#include <thread>

namespace dedicated {

namespace agones_link {

inline constexpr uint32_t answer_ms_max = 3'000;
inline constexpr uint32_t pause_ms_min = 50, pause_ms_max = 2'000; // Between attempts.
inline constexpr size_t body_bytes_max = 1024 * 1024;              // Also of a line of the watch.

// A connection, of one thread.
struct Line {
    explicit Line(uint16_t port) : client("127.0.0.1", port)
    {
        client.set_connection_timeout(std::chrono::milliseconds(1'000));
        client.set_read_timeout(std::chrono::milliseconds(answer_ms_max));
        client.set_write_timeout(std::chrono::milliseconds(answer_ms_max));
    }
    httplib::Client client;
    std::thread thread;
    std::atomic<bool> has_ended{false};
};

struct Answer {
    int status = 0; // 0: none came.
    std::string body;
    std::string trouble; // Empty if the status is a good one.
};

}

struct Agones {
    Agones(uint16_t server_port, Board &host_board)
        : port(server_port), board(host_board), speaker(port), heart(port), watcher(port)
    {
        seen.game_server.error = "no answer yet";
    }
    const uint16_t port;
    Board &board;
    std::mutex mutex;
    std::condition_variable changed;
    // Under the mutex.
    SeenGameServer seen;   // Its error: why there is none yet.
    bool has_seen = false; // The server has told once.
    bool ready_is_due = false, ready_was_heard = false;
    bool shut_down_is_due = false, shut_down_was_heard = false;
    bool shut_down_was_told = false; // To the host.
    bool hurry = false;              // Something became due.
    std::vector<FleetNote> notes;
    std::map<std::string, uint64_t> noted_us; // By text, for a while.

    std::atomic<FleetOrder> order{FleetOrder::none};
    std::atomic<bool> is_ending{false};
    agones_link::Line speaker, heart, watcher;
};

namespace agones_link {

void note_problem(Agones &agones, const std::string &text);
// Takes in what the server told of the game server. It may come twice, and late.
void hear(Agones &agones, const SeenGameServer &seen);
bool pause(Agones &agones, uint32_t duration_ms); // False: it ends.
bool wait_until_seen(Agones &agones);             // The same.
bool has_seen(Agones &agones);
// One request, on the line of the caller's thread. Never longer than some seconds.
Answer ask(Agones &agones, Line &line, const char *method, const std::string &path,
           const std::string &body = {});

void speak(Agones &agones); // The thread that says what is due.

}
}
