// The client has three threads: one reports state, one sends health, one reads the watch. Each has
// its own connection, so that none waits for another.
#include "host/agones/agones.h"
#include "host/agones/agones_link.h"
#include <algorithm>
#include <tern/io.hpp>

namespace dedicated {

using namespace agones_link;
using std::chrono::milliseconds;

// Then the watch is reopened; its first line is the present state.
constexpr uint32_t watch_silence_s_max = 60;

static uint32_t health_period_ms(Agones &agones)
{
    const std::lock_guard lock(agones.mutex);
    return agones.seen.health_period_s * 1'000;
}

static bool has_said_shut_down(Agones &agones)
{
    const std::lock_guard lock(agones.mutex);
    return agones.shut_down_is_due;
}

// Sends health every 2/5 of the period, so that one lost request does no harm, and only if a tick
// has ended since the last time. After shut_down() no ticks follow and health is sent anyway.
static void send_health(Agones &agones)
{
    uint64_t ticked_us = 0, sent_us = tern::clock_us();
    bool goes_on = wait_until_seen(agones);
    while (goes_on) {
        const uint32_t period_ms = health_period_ms(agones);
        const uint64_t present_us = agones.board.ticked_us;
        bool was_sent = false;
        if (present_us != ticked_us || has_said_shut_down(agones)) {
            const Answer answer = ask(agones, agones.heart, "POST", "/health", "{}");
            was_sent = answer.trouble.empty();
            if (!was_sent) note_problem(agones, answer.trouble);
        } else if (ticked_us != 0 && tern::clock_us() > sent_us + period_ms * uint64_t{1'000})
            note_problem(agones, "no tick has ended for a whole period of the health check: "
                                 "no health is sent");
        if (was_sent) {
            ticked_us = present_us;
            sent_us = tern::clock_us();
        }
        goes_on = pause(agones, was_sent ? period_ms * 2 / 5 : period_ms / 20);
    }
    agones.heart.has_ended = true;
}

// Reads one watch until the server closes it, which it does regularly, or is silent for too long.
// True if it answered 200 and sent something.
static bool watch_once(Agones &agones)
{
    std::string buffer;
    bool has_come = false;
    httplib::Request request;
    request.method = "GET";
    request.path = "/watch/gameserver";
    request.content_receiver = [&](const char *bytes, size_t size, uint64_t, uint64_t) {
        has_come = true;
        buffer.append(bytes, size);
        hear_lines(agones, buffer);
        return buffer.size() < body_bytes_max && !agones.is_ending;
    };
    httplib::Response response;
    httplib::Error error = httplib::Error::Success;
    const bool came = agones.watcher.client.send(request, response, error);
    if (!came && !has_come)
        note_problem(agones,
                     "GET /watch/gameserver: no answer (" + httplib::to_string(error) + ")");
    if (buffer.size() >= body_bytes_max)
        note_problem(agones, "a line of the watch is longer than a megabyte");
    if (came && response.status != 200)
        note_problem(agones,
                     "GET /watch/gameserver: the answer is " + std::to_string(response.status));
    return has_come && response.status == 200;
}

static void watch(Agones &agones)
{
    agones.watcher.client.set_read_timeout(watch_silence_s_max);
    uint32_t pause_ms = pause_ms_min;
    bool goes_on = wait_until_seen(agones);
    while (goes_on) {
        pause_ms = watch_once(agones) ? pause_ms_min : std::min(2 * pause_ms, pause_ms_max);
        goes_on = pause(agones, pause_ms);
    }
    agones.watcher.has_ended = true;
}

// Wakes threads that wait for the server by closing their connections. Repeated, because a thread
// may just be opening a new one.
static void end(Agones *agones)
{
    {
        const std::lock_guard lock(agones->mutex);
        agones->is_ending = true;
        agones->changed.notify_all();
    }
    for (Line *line : {&agones->speaker, &agones->heart, &agones->watcher}) {
        while (line->thread.joinable() && !line->has_ended) {
            line->client.stop();
            std::this_thread::sleep_for(milliseconds(2));
        }
        if (line->thread.joinable()) line->thread.join();
    }
    delete agones;
}

namespace agones {

std::shared_ptr<Agones> make(uint16_t port, Board &board)
{
    std::shared_ptr<Agones> made(new Agones(port, board), end);
    made->speaker.thread = std::thread(speak, std::ref(*made));
    made->heart.thread = std::thread(send_health, std::ref(*made));
    made->watcher.thread = std::thread(watch, std::ref(*made));
    return made;
}

GameServer game_server(Agones &agones, uint32_t timeout_ms)
{
    std::unique_lock lock(agones.mutex);
    // Before the state Scheduled a game server has no address, and its ports may be missing.
    const auto is_whole = [&] {
        const std::string &state = agones.seen.game_server.state;
        return agones.has_seen && state != "PortAllocation" && state != "Creating" &&
               state != "Starting";
    };
    agones.changed.wait_for(lock, milliseconds(timeout_ms), is_whole);
    GameServer out = agones.seen.game_server;
    if (!is_whole())
        out.error = "the SDK's server on port " + std::to_string(agones.port) +
                    " told no game "
                    "server with an address within " +
                    std::to_string(timeout_ms) +
                    " ms: " + (agones.has_seen ? "it is " + out.state : out.error);
    return out;
}

void ready(Agones &agones)
{
    const std::lock_guard lock(agones.mutex);
    agones.ready_is_due = agones.hurry = true;
    agones.changed.notify_all();
}

FleetOrder order(Agones &agones)
{
    return agones.order.exchange(FleetOrder::none);
}

std::vector<FleetNote> notes(Agones &agones)
{
    std::vector<FleetNote> out;
    const std::lock_guard lock(agones.mutex);
    out.swap(agones.notes);
    return out;
}

bool shut_down(Agones &agones, uint32_t timeout_ms)
{
    std::unique_lock lock(agones.mutex);
    agones.shut_down_is_due = agones.hurry = true;
    agones.changed.notify_all();
    return agones.changed.wait_for(lock, milliseconds(timeout_ms),
                                   [&] { return agones.shut_down_was_heard; });
}

}
}
