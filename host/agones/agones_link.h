// The state that the threads of the Agones client share, and their requests. The state is one
// struct under one mutex, which no thread holds during a request. Only host/agones/*.cpp include
// this.
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
inline constexpr size_t body_bytes_max = 1024 * 1024; // Also limits a line of the watch.

// A thread and the connection that only this thread uses.
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
    int status = 0; // The HTTP status; 0 if there was no answer.
    std::string body;
    std::string trouble; // The problem; empty if the status is 2xx and the body is an object.
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
    // Guarded by the mutex, down to noted_us.
    SeenGameServer seen;   // Before has_seen its `error` holds the reason.
    bool has_seen = false; // A game server has been received.
    bool ready_is_due = false, ready_was_heard = false;
    bool shut_down_is_due = false, shut_down_was_heard = false;
    bool shut_down_was_told = false; // FleetOrder::shut_down has been reported to the host.
    bool hurry = false;              // Wakes the speaker before its pause is over.
    std::vector<FleetNote> notes;
    std::map<std::string, uint64_t> noted_us; // When a problem was last noted, by its text.

    std::atomic<FleetOrder> order{FleetOrder::none};
    std::atomic<bool> is_ending{false};
    agones_link::Line speaker, heart, watcher;
};

namespace agones_link {

void note_problem(Agones &agones, const std::string &text);
// Applies a game server from an answer or from the watch. Both report the same changes, so it may
// be a duplicate or out of date.
void hear(Agones &agones, const SeenGameServer &seen);
// Applies each complete line of the watch in the buffer and removes it.
void hear_lines(Agones &agones, std::string &buffer);
// Both wait and return false as soon as the client is to stop.
bool pause(Agones &agones, uint32_t duration_ms);
bool wait_until_seen(Agones &agones);
bool has_seen(Agones &agones);
// Makes one request. `line` is that of the calling thread. Blocks for some seconds at most.
Answer ask(Agones &agones, Line &line, const char *method, const std::string &path,
           const std::string &body = {});

void speak(Agones &agones); // The thread that reports state to the server (agones_speaker.cpp).

}
}
