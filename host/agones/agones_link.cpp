#include "host/agones/agones_link.h"
#include <tern/io.hpp>

namespace dedicated::agones_link {

using std::chrono::milliseconds;

constexpr uint64_t note_again_us = 30'000'000;

static void note_locked(Agones &agones, bool is_problem, const std::string &text)
{
    const uint64_t now_us = tern::clock_us();
    std::erase_if(agones.noted_us,
                  [&](const auto &noted) { return noted.second + note_again_us < now_us; });
    if (agones.notes.size() >= agones::notes_max || agones.noted_us.size() >= 4 * agones::notes_max)
        return;
    if (is_problem && !agones.noted_us.emplace(text, now_us).second) return;
    agones.notes.push_back({is_problem, text});
}

void note_problem(Agones &agones, const std::string &text)
{
    const std::lock_guard lock(agones.mutex);
    if (!agones.is_ending) note_locked(agones, true, text);
}

static void give_order(Agones &agones, FleetOrder order)
{
    FleetOrder before = agones.order;
    while (before < order && !agones.order.compare_exchange_weak(before, order)) {
    }
}

void hear(Agones &agones, const SeenGameServer &seen)
{
    const std::lock_guard lock(agones.mutex);
    const SeenGameServer before = agones.seen;
    agones.seen = seen;
    agones.has_seen = true;
    agones.changed.notify_all();
    const std::string &state = seen.game_server.state;
    const bool is_new = state != before.game_server.state;
    if (is_new) note_locked(agones, false, "the game server is " + state);
    if (state == "Allocated" && (is_new || seen.last_allocated != before.last_allocated))
        give_order(agones, FleetOrder::allocated);
    const bool is_last = state == "Shutdown" || state == "Unhealthy" || seen.is_being_deleted;
    if (!is_last || agones.shut_down_was_told || agones.shut_down_is_due) return;
    agones.shut_down_was_told = true;
    give_order(agones, FleetOrder::shut_down);
}

void hear_lines(Agones &agones, std::string &buffer)
{
    size_t begin = 0;
    for (size_t end = 0; (end = buffer.find('\n', begin)) != std::string::npos; begin = end + 1) {
        const std::string_view line = std::string_view(buffer).substr(begin, end - begin);
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const SeenGameServer seen = agones_json::watch_line(line);
        if (seen.game_server.error.empty())
            hear(agones, seen);
        else
            note_problem(agones, seen.game_server.error);
    }
    buffer.erase(0, begin);
}

bool pause(Agones &agones, uint32_t duration_ms)
{
    std::unique_lock lock(agones.mutex);
    agones.changed.wait_for(lock, milliseconds(duration_ms),
                            [&] { return agones.is_ending.load(); });
    return !agones.is_ending;
}

bool wait_until_seen(Agones &agones)
{
    std::unique_lock lock(agones.mutex);
    agones.changed.wait(lock, [&] { return agones.is_ending || agones.has_seen; });
    return !agones.is_ending;
}

bool has_seen(Agones &agones)
{
    const std::lock_guard lock(agones.mutex);
    return agones.has_seen;
}

Answer ask(Agones &agones, Line &line, const char *method, const std::string &path,
           const std::string &body)
{
    Answer answer;
    httplib::Request request;
    request.method = method;
    request.path = path;
    request.body = body;
    if (!body.empty()) request.set_header("Content-Type", "application/json");
    request.content_receiver = [&](const char *bytes, size_t size, uint64_t, uint64_t) {
        if (answer.body.size() + size > body_bytes_max) return false;
        answer.body.append(bytes, size);
        return !agones.is_ending.load();
    };
    httplib::Response response;
    httplib::Error error = httplib::Error::Success;
    const std::string what = std::string(method) + " " + path + ": ";
    if (agones.is_ending || !line.client.send(request, response, error)) {
        answer.trouble = what + "no answer (" + httplib::to_string(error) + ")";
        return answer;
    }
    answer.status = response.status;
    if (response.status / 100 != 2)
        answer.trouble = what + "the answer is " + std::to_string(response.status) + " " +
                         agones_json::error_text(answer.body);
    else if (!agones_json::is_object(answer.body))
        answer.trouble = what + "the answer is no JSON object";
    return answer;
}

}
