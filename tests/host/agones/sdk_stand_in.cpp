#include "tests/host/agones/sdk_stand_in.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <httplib.h>
#include <mutex>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <tern/io.hpp>
#include <thread>
#include <unistd.h>

namespace dedicated::test {

using nlohmann::json;
using std::chrono::milliseconds;

struct SdkStandIn {
    SdkOptions options;
    uint16_t port = 0;
    int reservation = -1; // A socket that keeps the port.
    std::mutex mutex;
    std::condition_variable changed;
    // Under the mutex.
    SdkRecord record;
    std::vector<std::string> updates; // What watches are told.
    std::string last_allocated;
    uint64_t allocations = 0;
    SdkManner manner = SdkManner::good;
    uint64_t watches_broken = 0;
    uint64_t health_us = 0; // Of the last ping, or of what counts as one.
    bool is_ending = false;

    std::unique_ptr<httplib::Server> server;
    std::thread listener, doctor;
};

// --- The game server. All of this under the mutex. ---

static json game_server(const SdkStandIn &sdk)
{
    const SdkRecord &record = sdk.record;
    json annotations = record.annotations;
    if (!sdk.last_allocated.empty()) annotations["agones.dev/last-allocated"] = sdk.last_allocated;
    json counters = json::object(), lists = json::object();
    if (sdk.options.has_rooms)
        counters["rooms"] = {{"count", std::to_string(record.rooms)},
                             {"capacity", std::to_string(record.rooms_capacity)}};
    if (sdk.options.has_players)
        lists["players"] = {{"capacity", std::to_string(record.players_capacity)},
                            {"values", record.players}};
    return {{"object_meta",
             {{"name", sdk.options.name},
              {"namespace", "default"},
              {"uid", "1234"},
              {"creation_timestamp", "1531795395"},
              {"labels", record.labels},
              {"annotations", annotations}}},
            {"spec",
             {{"health",
               {{"disabled", false},
                {"period_seconds", sdk.options.health_period_s},
                {"failure_threshold", sdk.options.health_failures_max},
                {"initial_delay_seconds", 5}}}}},
            {"status",
             {{"state", record.state},
              {"address", "127.0.0.1"},
              {"ports", {{{"name", "default"}, {"port", sdk.options.game_port}}}},
              {"counters", counters},
              {"lists", lists}}}};
}

static void tell_watches(SdkStandIn &sdk)
{
    sdk.updates.push_back(json{{"result", game_server(sdk)}}.dump() + "\n");
    sdk.changed.notify_all();
}

static void enter(SdkStandIn &sdk, const std::string &state)
{
    sdk.record.state = state;
    sdk.record.states.push_back(state);
    tell_watches(sdk);
}

static bool is_over(const SdkStandIn &sdk)
{
    return sdk.record.state == "Shutdown" || sdk.record.state == "Unhealthy";
}

static void enter_allocated(SdkStandIn &sdk)
{
    sdk.allocations += 1;
    sdk.last_allocated = "2024-01-01T00:00:00." + std::to_string(sdk.allocations) + "Z";
    enter(sdk, "Allocated");
}

// What the program under test asks for.
static void change_state(SdkStandIn &sdk, const std::string &verb)
{
    const std::string state = sdk.record.state;
    const bool is_playable = state == "Ready" || state == "Reserved";
    const bool is_at_start = state == "Scheduled" || state == "RequestReady";
    if (verb == "ready" && (is_at_start || is_playable)) {
        enter(sdk, "RequestReady");
        enter(sdk, "Ready");
    } else if (verb == "allocate" && (is_playable || state == "Allocated"))
        enter_allocated(sdk);
    else if (verb == "reserve" && is_playable)
        enter(sdk, "Reserved");
    else if (verb == "shutdown" && !is_over(sdk))
        enter(sdk, "Shutdown");
    else if (verb != "shutdown") // Which is often said by who has just been told so.
        sdk.record.violations.push_back("POST /" + verb + " while " + state);
}

// --- Answers ---

static void answer(httplib::Response &response, const json &body, int status = 200)
{
    response.status = status;
    response.set_content(body.dump(), "application/json");
}

static void refuse(httplib::Response &response, const std::string &message, int status = 500)
{
    const int code = status == 404 ? 5 : 2; // As gRPC counts: not found, unknown.
    answer(response, {{"code", code}, {"message", message}, {"details", json::array()}}, status);
}

static int64_t integer(const json &value)
{
    return std::atoll(value.get<std::string>().c_str()); // Throws if it is no string: a violation.
}

static void change_counter_by(SdkStandIn &sdk, const json &body, httplib::Response &response)
{
    SdkRecord &record = sdk.record;
    const int64_t capacity =
        body.contains("capacity") ? integer(body["capacity"]) : record.rooms_capacity;
    const int64_t count = body.contains("count") ? integer(body["count"]) : record.rooms;
    if (count < 0 || count > capacity) {
        record.violations.push_back("a counter out of its range: " + body.dump());
        return refuse(response, "out of range. Count must be within range [0,Capacity].");
    }
    if (count == record.rooms && capacity == record.rooms_capacity)
        record.violations.push_back("a counter was set to what it was");
    record.rooms = count;
    record.rooms_capacity = capacity;
    tell_watches(sdk);
    answer(response, json::object());
}

static void answer_counter(SdkStandIn &sdk, const httplib::Request &request,
                           httplib::Response &response)
{
    if (!sdk.options.has_rooms || request.matches[1] != "rooms")
        return refuse(response, "counter not found: " + request.matches[1].str(),
                      sdk.options.missing_status);
    if (request.method == "PATCH")
        return change_counter_by(sdk, json::parse(request.body), response);
    answer(response, {{"name", "rooms"},
                      {"count", std::to_string(sdk.record.rooms)},
                      {"capacity", std::to_string(sdk.record.rooms_capacity)}});
}

static void answer_list(SdkStandIn &sdk, const httplib::Request &request,
                        httplib::Response &response)
{
    SdkRecord &record = sdk.record;
    if (!sdk.options.has_players || request.matches[1] != "players")
        return refuse(response, "list not found: " + request.matches[1].str(),
                      sdk.options.missing_status);
    if (request.method == "PATCH") {
        record.players_capacity = integer(json::parse(request.body).at("capacity"));
        if (static_cast<int64_t>(record.players.size()) > record.players_capacity)
            record.violations.push_back("a list was made shorter than it is");
        tell_watches(sdk);
    }
    answer(response, {{"name", "players"},
                      {"capacity", std::to_string(record.players_capacity)},
                      {"values", record.players}});
}

static void change_list(SdkStandIn &sdk, const httplib::Request &request,
                        httplib::Response &response)
{
    SdkRecord &record = sdk.record;
    const std::string value = json::parse(request.body).at("value").get<std::string>();
    const auto found = std::find(record.players.begin(), record.players.end(), value);
    const bool adds = request.matches[2] == "addValue";
    std::string wrong;
    if (!sdk.options.has_players || request.matches[1] != "players")
        wrong = "list not found: " + request.matches[1].str();
    else if (adds && static_cast<int64_t>(record.players.size()) >= record.players_capacity)
        wrong = "out of range. No available capacity.";
    else if (adds && found != record.players.end())
        wrong = "already exists. Value: " + value;
    else if (!adds && found == record.players.end())
        wrong = "not found. Value: " + value;
    if (!wrong.empty()) {
        record.violations.push_back(wrong);
        return refuse(response, wrong);
    }
    if (adds)
        record.players.push_back(value);
    else
        record.players.erase(found);
    tell_watches(sdk);
    answer(response, json::object());
}

static void set_metadata(SdkStandIn &sdk, const httplib::Request &request,
                         httplib::Response &response)
{
    const json body = json::parse(request.body);
    const std::string key = "agones.dev/sdk-" + body.at("key").get<std::string>();
    const std::string value = body.at("value").get<std::string>();
    const bool is_label = request.path == "/metadata/label";
    auto &values = is_label ? sdk.record.labels : sdk.record.annotations;
    if (values.contains(key) && values[key] == value)
        sdk.record.violations.push_back("metadata was set to what it was: " + key);
    if (is_label && (value.size() > 63 || value.find_first_of(" /:+") != std::string::npos))
        sdk.record.violations.push_back("no value of a label: " + value);
    values[key] = value;
    tell_watches(sdk);
    answer(response, json::object());
}

static void post_simple(SdkStandIn &sdk, const httplib::Request &request,
                        httplib::Response &response)
{
    if (request.path == "/health")
        sdk.health_us = tern::clock_us();
    else
        change_state(sdk, request.path.substr(1));
    answer(response, json::object());
}

struct Watch {
    uint64_t watches_broken; // When it was opened.
    size_t next;             // Of the updates.
    bool is_counted;
};

// The present first, then each update. One call for each; false ends the response. A watch counts
// when it has told the present: a connection that ends before is one without an answer.
static bool tell_next(SdkStandIn &sdk, Watch &watch, httplib::DataSink &sink)
{
    std::unique_lock lock(sdk.mutex);
    const auto is_over_now = [&] {
        return sdk.is_ending || sdk.watches_broken != watch.watches_broken;
    };
    const auto has_more = [&] {
        return sdk.options.watch_tells && watch.next < sdk.updates.size();
    };
    sdk.changed.wait_for(lock, milliseconds(50), [&] { return is_over_now() || has_more(); });
    if (is_over_now()) return false;
    if (!has_more()) return sink.is_writable();
    const std::string line = sdk.updates[watch.next++];
    const size_t piece = sdk.options.watch_bytes > 0 ? sdk.options.watch_bytes : line.size();
    lock.unlock();
    for (size_t begin = 0; begin < line.size(); begin += piece)
        if (!sink.write(line.data() + begin, std::min(piece, line.size() - begin))) return false;
    lock.lock();
    sdk.record.watches += !watch.is_counted;
    watch.is_counted = true;
    return true;
}

static void answer_watch(SdkStandIn &sdk, httplib::Response &response)
{
    response.set_chunked_content_provider(
        "application/json",
        [&sdk, watch = Watch{sdk.watches_broken, sdk.updates.size() - 1, false}](
            size_t, httplib::DataSink &sink) mutable { return tell_next(sdk, watch, sink); });
}

// True: the request has had what its manner gives.
static bool answer_badly(SdkStandIn &sdk, std::unique_lock<std::mutex> &lock,
                         const httplib::Request &request, httplib::Response &response)
{
    static const char *const garbage[] = {"{\"result\":[[[[", "[]", "\xff\xfe{}", "", "null"};
    static const char *const lines[] = {"{\"result\":7}\n", "{}{\n",
                                        "{\"status\":{\"state\":[1],\"ports\":{}}}\n\n\n"};
    const size_t turn = sdk.record.requests.size();
    const bool is_get = request.path == "/gameserver" || request.path == "/watch/gameserver";
    if (sdk.manner == SdkManner::good) return false;
    if (sdk.manner == SdkManner::refuse) refuse(response, "no \x01 service", 503);
    if (sdk.manner == SdkManner::garbage)
        response.set_content(is_get && turn % 2 == 0 ? lines[turn % std::size(lines)]
                                                     : garbage[turn % std::size(garbage)],
                             "text/plain");
    if (sdk.manner == SdkManner::hang)
        sdk.changed.wait(lock, [&] { return sdk.is_ending || sdk.manner != SdkManner::hang; });
    if (sdk.manner == SdkManner::hang) refuse(response, "it ends", 503);
    return sdk.manner != SdkManner::good;
}

using Handler = void (*)(SdkStandIn &, const httplib::Request &, httplib::Response &);

static httplib::Server::Handler handler(SdkStandIn &sdk, Handler handle)
{
    return [&sdk, handle](const httplib::Request &request, httplib::Response &response) {
        std::unique_lock lock(sdk.mutex);
        sdk.record.requests.push_back(
            {request.method, request.path, request.body, tern::clock_us()});
        if (answer_badly(sdk, lock, request, response)) return;
        try {
            handle(sdk, request, response);
            if (request.method == "PATCH" && request.path == sdk.options.lost_answer_path) {
                sdk.options.lost_answer_path.clear();
                refuse(response, "the answer is lost", 503);
            }
        } catch (const json::exception &error) {
            sdk.record.violations.push_back(request.method + " " + request.path + " with " +
                                            request.body + ": " + error.what());
            refuse(response, "invalid argument", 400);
        }
    };
}

static void set_routes(SdkStandIn &sdk)
{
    httplib::Server &server = *sdk.server;
    server.Post("/(ready|health|allocate|shutdown|reserve)", handler(sdk, post_simple));
    server.Put("/metadata/(label|annotation)", handler(sdk, set_metadata));
    server.Get("/gameserver", handler(sdk, [](SdkStandIn &own, const httplib::Request &,
                                              httplib::Response &response) {
                   answer(response, game_server(own));
               }));
    server.Get("/watch/gameserver",
               handler(sdk, [](SdkStandIn &own, const httplib::Request &,
                               httplib::Response &response) { answer_watch(own, response); }));
    server.Get("/v1beta1/counters/([^/:]+)", handler(sdk, answer_counter));
    server.Patch("/v1beta1/counters/([^/:]+)", handler(sdk, answer_counter));
    server.Get("/v1beta1/lists/([^/:]+)", handler(sdk, answer_list));
    server.Patch("/v1beta1/lists/([^/:]+)", handler(sdk, answer_list));
    server.Post("/v1beta1/lists/([^/:]+):(addValue|removeValue)", handler(sdk, change_list));
    server.set_error_handler([&sdk](const httplib::Request &request, httplib::Response &response) {
        if (response.status != 404 || !response.body.empty()) return;
        const std::lock_guard lock(sdk.mutex);
        sdk.record.violations.push_back("there is no " + request.method + " " + request.path);
    });
}

// Each period without a ping counts; so many in a row make it Unhealthy.
static void watch_health(SdkStandIn &sdk)
{
    const uint64_t period_us = sdk.options.health_period_s * uint64_t{1'000'000};
    uint32_t failures = 0;
    std::unique_lock lock(sdk.mutex);
    while (!sdk.is_ending) {
        sdk.changed.wait_for(lock, std::chrono::microseconds(period_us),
                             [&] { return sdk.is_ending; });
        failures = tern::clock_us() > sdk.health_us + period_us ? failures + 1 : 0;
        if (failures >= sdk.options.health_failures_max && !sdk.is_ending && !is_over(sdk))
            enter(sdk, "Unhealthy");
    }
}

static void end(SdkStandIn *sdk)
{
    {
        const std::lock_guard lock(sdk->mutex);
        sdk->is_ending = true;
        sdk->changed.notify_all();
    }
    if (sdk->server) sdk->server->stop();
    for (std::thread *thread : {&sdk->listener, &sdk->doctor})
        if (thread->joinable()) thread->join();
    close(sdk->reservation);
    delete sdk;
}

static int reserve_port(uint16_t &port)
{
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    setsockopt(made, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes); // The server does the same.
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(made, reinterpret_cast<sockaddr *>(&address), size) != 0) std::abort();
    getsockname(made, reinterpret_cast<sockaddr *>(&address), &size);
    port = ntohs(address.sin_port);
    return made;
}

namespace sdk {

std::shared_ptr<SdkStandIn> make(const SdkOptions &options)
{
    std::shared_ptr<SdkStandIn> made(new SdkStandIn, end);
    made->options = options;
    made->reservation = reserve_port(made->port);
    made->record.rooms_capacity = options.rooms_capacity;
    made->record.players_capacity = options.players_capacity;
    made->record.players = options.players;
    enter(*made, options.state);
    return made;
}

uint16_t port(const SdkStandIn &sdk)
{
    return sdk.port;
}

void listen(SdkStandIn &sdk)
{
    sdk.server = std::make_unique<httplib::Server>();
    sdk.server->new_task_queue = [] { return new httplib::ThreadPool(8); };
    sdk.server->set_keep_alive_max_count(1);
    set_routes(sdk);
    if (!sdk.server->bind_to_port("127.0.0.1", sdk.port)) std::abort();
    sdk.health_us = tern::clock_us() + sdk.options.health_delay_ms * uint64_t{1'000};
    sdk.listener = std::thread([&sdk] { sdk.server->listen_after_bind(); });
    while (!sdk.server->is_running())
        std::this_thread::yield();
    sdk.doctor = std::thread(watch_health, std::ref(sdk));
}

void set_manner(SdkStandIn &sdk, SdkManner manner)
{
    const std::lock_guard lock(sdk.mutex);
    sdk.manner = manner;
    sdk.changed.notify_all();
}

void break_watches(SdkStandIn &sdk)
{
    const std::lock_guard lock(sdk.mutex);
    sdk.watches_broken += 1;
    sdk.changed.notify_all();
}

bool allocate(SdkStandIn &sdk)
{
    const std::lock_guard lock(sdk.mutex);
    if (sdk.record.state != "Ready" && sdk.record.state != "Allocated") return false;
    enter_allocated(sdk);
    return true;
}

bool reserve(SdkStandIn &sdk)
{
    const std::lock_guard lock(sdk.mutex);
    if (sdk.record.state != "Ready") return false;
    enter(sdk, "Reserved");
    return true;
}

bool scale_down(SdkStandIn &sdk)
{
    const std::lock_guard lock(sdk.mutex);
    if (sdk.record.state != "Ready") return false;
    enter(sdk, "Shutdown");
    return true;
}

bool shut_down(SdkStandIn &sdk)
{
    const std::lock_guard lock(sdk.mutex);
    if (is_over(sdk)) return false;
    enter(sdk, "Shutdown");
    return true;
}

void change_counter(SdkStandIn &sdk, int64_t rooms)
{
    const std::lock_guard lock(sdk.mutex);
    sdk.record.rooms = rooms;
    tell_watches(sdk);
}

SdkRecord record(SdkStandIn &sdk)
{
    const std::lock_guard lock(sdk.mutex);
    return sdk.record;
}

std::string state(SdkStandIn &sdk)
{
    const std::lock_guard lock(sdk.mutex);
    return sdk.record.state;
}

size_t count(SdkStandIn &sdk, const std::string &method, const std::string &path)
{
    const std::lock_guard lock(sdk.mutex);
    return static_cast<size_t>(std::count_if(
        sdk.record.requests.begin(), sdk.record.requests.end(), [&](const SdkRequest &request) {
            return request.method == method && request.path == path;
        }));
}

}
}
