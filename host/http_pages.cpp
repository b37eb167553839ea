#include "host/http_pages.h"
#include "host/board.h"
#include "host/http.h"
#include <arpa/inet.h>
#include <charconv>
#include <nlohmann/json.hpp>
#include <random>
#include <tern/io.h>

namespace dedicated::http_pages {

namespace {

constexpr std::string_view page =
#include "host_page.inc"
    ;

// In the page, wherever the policy asks for the nonce.
constexpr std::string_view nonce_place = "{{nonce}}";

struct Asked {
    const HttpRequest &request;
    uint32_t tick_age_ms_max;
    Board &board;
};

HttpResponse plain(int status, const std::string &text)
{
    HttpResponse response;
    response.status = status;
    response.body = text + "\n";
    return response;
}

// Each value is of text, a number or a truth: a dump that never fails.
HttpResponse json(int status, const nlohmann::ordered_json &value)
{
    HttpResponse response;
    response.status = status;
    response.content_type = "application/json";
    response.body =
        value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    return response;
}

// --- Is it well ---

// Empty: ticks go on.
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

// Empty: players can come.
std::string ready_trouble(const HostStatus *status)
{
    if (!status) return "it is starting";
    if (status->ready) return {};
    if (status->draining) return "it is draining";
    for (const RoomStatus &room : status->rooms)
        if (room.state != "open") return "room " + room.name + " is " + room.state;
    return "not all rooms have been opened yet";
}

HttpResponse healthz(const Asked &asked)
{
    const std::string trouble = tick_trouble(asked);
    if (trouble.empty()) return json(200, {{"healthy", true}});
    return json(503, {{"healthy", false}, {"reason", trouble}});
}

HttpResponse readyz(const Asked &asked)
{
    std::string trouble = tick_trouble(asked);
    if (trouble.empty()) trouble = ready_trouble(board::latest(asked.board).get());
    if (trouble.empty()) return json(200, {{"ready", true}});
    return json(503, {{"ready", false}, {"reason", trouble}});
}

// --- How it is ---

HttpResponse metrics(const Asked &asked)
{
    const auto status = board::latest(asked.board);
    if (!status) return plain(503, "it is starting");
    HttpResponse response;
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metrics_text(*status);
    return response;
}

HttpResponse status(const Asked &asked)
{
    StatusParts parts; // Without invites: who reads this port is not yet who may play.
    const std::string_view since = http_message::parameter(asked.request.query, "since");
    const char *end = since.data() + since.size();
    const auto parsed = std::from_chars(since.data(), end, parts.since_us);
    if (!since.empty() && (parsed.ec != std::errc() || parsed.ptr != end))
        return plain(400, "since: expected a now_us of a former answer, a whole number");
    const auto status = board::latest(asked.board);
    if (!status) return json(503, {{"reason", "it is starting"}});
    HttpResponse response;
    response.content_type = "application/json";
    response.body = status_json(*status, parts);
    return response;
}

std::string made_nonce()
{
    std::random_device device;
    std::string out;
    for (int i = 0; i < 32; ++i)
        out += "0123456789abcdef"[device() % 16];
    return out;
}

// Nothing but what came with the page runs in it, and it talks to this port alone.
HttpResponse front(const Asked &)
{
    const std::string nonce = made_nonce();
    HttpResponse response;
    response.content_type = "text/html; charset=utf-8";
    response.body = page;
    for (size_t at = 0; (at = response.body.find(nonce_place, at)) != std::string::npos;)
        response.body.replace(at, nonce_place.size(), nonce);
    response.fields = "Content-Security-Policy: default-src 'none'; script-src 'nonce-" + nonce +
                      "'; style-src 'nonce-" + nonce +
                      "'; connect-src 'self'; img-src data:; base-uri 'none'; "
                      "form-action 'none'; frame-ancestors 'none'\r\n"
                      "Referrer-Policy: no-referrer\r\n";
    return response;
}

struct Page {
    std::string_view path, about;
    HttpResponse (*answer)(const Asked &asked);
};

constexpr Page pages[] = {
    {"/", "the status page, for people", front},
    {"/healthz", "200 while the tick loop goes on, else 503", healthz},
    {"/livez", "the same", healthz},
    {"/readyz", "200 while players can come, else 503", readyz},
    {"/metrics", "Prometheus text format", metrics},
    {"/api/v1/status",
     "all of it as JSON, but for invites (ask tern-ctl); ?since=<now_us of a former answer>: of "
     "changes and samples the newer ones alone",
     status}};

// --- Who asks ---

// Of "name:port", "1.2.3.4:80" and "[::1]:80".
std::string without_port(const std::string &host)
{
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

}

HttpResponse answer(const HttpRequest &request, bool is_local, uint32_t tick_age_ms_max,
                    Board &board)
{
    if (is_local && !is_own_name(request.host))
        return plain(421, "over the loopback this port is asked for as localhost or by an IP "
                          "address, not as another name");
    if (request.method != "GET" && request.method != "HEAD") {
        HttpResponse response = plain(405, "this port is for reading: GET and HEAD");
        response.fields = "Allow: GET, HEAD\r\n";
        return response;
    }
    for (const Page &known : pages)
        if (known.path == request.path) return known.answer({request, tick_age_ms_max, board});
    std::string there = "not found; there are:";
    for (const Page &known : pages)
        there += "\n  " + std::string(known.path) + "  " + std::string(known.about);
    return plain(404, there);
}

}
