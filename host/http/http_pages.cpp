#include "host/http/http_pages.h"
#include "host/http/board.h"
#include "host/http/http.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <charconv>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <random>
#include <tern/io.hpp>

namespace dedicated::http_pages {

namespace {

constexpr std::string_view page =
#include "host_page.inc"
    ;

// Stands in the page where the nonce of the Content-Security-Policy belongs.
constexpr std::string_view nonce_place = "{{nonce}}";

struct Asked {
    const httplib::Request &request;
    uint32_t tick_age_ms_max;
    Board &board;
};

using httplib::Response;

void plain(Response &response, int status, const std::string &text)
{
    response.status = status;
    response.set_content(text + "\n", "text/plain; charset=utf-8");
}

// dump() cannot throw: `replace` handles invalid UTF-8 in names.
void json(Response &response, int status, const nlohmann::ordered_json &value)
{
    constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
    response.status = status;
    response.set_content(value.dump(-1, ' ', false, replace) + "\n", "application/json");
}

// --- Health ---

// Why the tick loop is unhealthy; empty if it ticks.
std::string tick_trouble(const Asked &asked)
{
    const uint64_t ticked_us = asked.board.ticked_us.load();
    if (ticked_us == 0) return "no tick has ended yet";
    const uint64_t now_us = tern::clock_us();
    const uint64_t age_ms = now_us > ticked_us ? (now_us - ticked_us) / 1000 : 0;
    if (age_ms < asked.tick_age_ms_max) return {};
    return "no tick has ended for " + std::to_string(age_ms) + " ms; " +
           std::to_string(asked.tick_age_ms_max) + " ms are the limit";
}

// Why players cannot join; empty if they can.
std::string ready_trouble(const HostStatus *status)
{
    if (!status) return "it is starting";
    if (status->ready) return {};
    if (status->draining) return "it is draining";
    const auto &rooms = status->rooms;
    const auto is_open = [](const RoomStatus &room) { return room.state == "open"; };
    if (!rooms.empty() && std::all_of(rooms.begin(), rooms.end(), is_open))
        return "all rooms are closed to newcomers";
    for (const RoomStatus &room : rooms)
        if (room.state != "open") return "room " + room.name + " is " + room.state;
    return "not all rooms have been opened yet";
}

void healthz(const Asked &asked, Response &response)
{
    const std::string trouble = tick_trouble(asked);
    if (trouble.empty()) return json(response, 200, {{"healthy", true}});
    json(response, 503, {{"healthy", false}, {"reason", trouble}});
}

void readyz(const Asked &asked, Response &response)
{
    std::string trouble = tick_trouble(asked);
    if (trouble.empty()) trouble = ready_trouble(board::latest(asked.board).get());
    if (trouble.empty()) return json(response, 200, {{"ready", true}});
    json(response, 503, {{"ready", false}, {"reason", trouble}});
}

// --- Status ---

void metrics(const Asked &asked, Response &response)
{
    const auto status = board::latest(asked.board);
    if (!status) return plain(response, 503, "it is starting");
    response.set_content(metrics_text(*status), "text/plain; version=0.0.4; charset=utf-8");
}

void status(const Asked &asked, Response &response)
{
    StatusParts parts; // Without invites: a reader of this port may not be allowed to play.
    const std::string since = asked.request.get_param_value("since");
    const char *end = since.data() + since.size();
    const auto parsed = std::from_chars(since.data(), end, parts.since_us);
    if (!since.empty() && (parsed.ec != std::errc() || parsed.ptr != end))
        return plain(response, 400, "since: expected a now_us of a former answer, a whole number");
    const auto status = board::latest(asked.board);
    if (!status) return json(response, 503, {{"reason", "it is starting"}});
    response.set_content(status_json(*status, parts), "application/json");
}

std::string made_nonce()
{
    std::random_device device;
    std::string out;
    for (int i = 0; i < 32; ++i)
        out += "0123456789abcdef"[device() % 16];
    return out;
}

// The policy lets only the page's own scripts run, and lets them connect to this port only.
void front(const Asked &, Response &response)
{
    const std::string nonce = made_nonce();
    std::string body(page);
    for (size_t at = 0; (at = body.find(nonce_place, at)) != std::string::npos;)
        body.replace(at, nonce_place.size(), nonce);
    response.set_content(body, "text/html; charset=utf-8");
    response.set_header("Content-Security-Policy",
                        "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" +
                            nonce +
                            "'; connect-src 'self'; img-src data:; base-uri 'none'; "
                            "form-action 'none'; frame-ancestors 'none'");
    response.set_header("Referrer-Policy", "no-referrer");
}

// The policy lets a page of the operator run what is in it, such as a WebAssembly module as a data
// URL, and load nothing else. httplib copies and compresses content that is set as a whole, for
// each request; a provider writes the page as it is.
void own_page(const Asked &asked, Response &response)
{
    const std::string &text = asked.board.page;
    if (text.empty())
        return plain(response, 404, "there is none: the option http.page names its file");
    response.set_content_provider(text.size(), "text/html; charset=utf-8",
                                  [&text](size_t offset, size_t length, httplib::DataSink &sink) {
                                      return sink.write(text.data() + offset, length);
                                  });
    response.set_header("Content-Security-Policy",
                        "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; "
                        "style-src 'unsafe-inline'; connect-src data:; img-src data:; "
                        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

struct Page {
    std::string_view path, about;
    void (*answer)(const Asked &asked, Response &response);
};

constexpr Page pages[] = {
    {"/", "the status page, for people", front},
    {"/page", "the file that the option http.page names", own_page},
    {"/healthz", "200 while the tick loop goes on, else 503", healthz},
    {"/livez", "the same", healthz},
    {"/readyz", "200 while players can come, else 503", readyz},
    {"/metrics", "Prometheus text format", metrics},
    {"/api/v1/status",
     "all of it as JSON, but for invites (ask tern-ctl); ?since=<now_us of a former answer>: of "
     "changes and samples the newer ones alone",
     status}};

// --- The Host header ---

// The host part of "name:port", "1.2.3.4:80" or "[::1]:80", in lower case.
std::string without_port(std::string host)
{
    for (char &letter : host)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    const size_t bracket = host.starts_with("[") ? host.find(']') : std::string::npos;
    if (bracket == std::string::npos) return host.substr(0, host.find(':'));
    const bool is_all = bracket + 1 == host.size() || host[bracket + 1] == ':';
    return is_all ? host.substr(1, bracket - 1) : host;
}

bool is_own_name(const std::string &host)
{
    const std::string name = without_port(host);
    unsigned char bytes[16];
    return name.empty() || name == "localhost" || name.ends_with(".localhost") ||
           inet_pton(AF_INET, name.c_str(), bytes) == 1 ||
           inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

bool is_loopback(const std::string &ip)
{
    return ip == "::1" || ip.starts_with("127.") || ip.starts_with("::ffff:127.");
}

}

void answer(const httplib::Request &request, Response &response, uint32_t tick_age_ms_max,
            Board &board)
{
    response.set_header("Cache-Control", "no-store");
    response.set_header("X-Content-Type-Options", "nosniff");
    if (is_loopback(request.local_addr) && !is_own_name(request.get_header_value("Host")))
        return plain(response, 421,
                     "over the loopback this port is asked for as localhost or by an IP address, "
                     "not as another name");
    if (request.method != "GET" && request.method != "HEAD") {
        response.set_header("Allow", "GET, HEAD");
        return plain(response, 405, "this port is for reading: GET and HEAD");
    }
    // httplib 0.11 would copy the answer once for each of thousands of ranges. It also does that to
    // the text of an error, so there is none.
    if (request.ranges.size() > 1) {
        response.status = 416;
        return;
    }
    for (const Page &known : pages)
        if (known.path == request.path)
            return known.answer({request, tick_age_ms_max, board}, response);
    std::string there = "not found; there are:";
    for (const Page &known : pages)
        there += "\n  " + std::string(known.path) + "  " + std::string(known.about);
    plain(response, 404, there);
}

}
