// Sends arbitrary requests to the pages of tern-host, whose status has arbitrary names in it, as
// peers choose them. Every answer has a known status, JSON is JSON, metrics are in their format,
// and no answer shows an invite.
#include "fuzz/support/words.h"
#include "fuzz/targets.h"

#ifndef TERN_HAVE_HOST

void tern::fuzz::fuzz_http(std::span<const uint8_t>) {}

#else

#include "host/http/board.h"
#include "host/http/http_pages.h"
#include <httplib.h>
#include <nlohmann/json.hpp>

namespace tern::fuzz {

namespace {

using namespace dedicated;

constexpr const char *words[] = {"GET",
                                 "HEAD",
                                 "POST",
                                 "OPTIONS",
                                 "/",
                                 "/healthz",
                                 "/livez",
                                 "/readyz",
                                 "/metrics",
                                 "/api/v1/status",
                                 "since",
                                 "0",
                                 "1",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "-1",
                                 "localhost",
                                 "a.localhost",
                                 "127.0.0.1",
                                 "[::1]",
                                 ":9101",
                                 "::1",
                                 "::ffff:127.0.0.1",
                                 "10.0.0.1",
                                 "\"",
                                 "\\",
                                 "\n",
                                 "\r\n",
                                 "<script>",
                                 "{{nonce}}",
                                 "\xff",
                                 "\xe2\x80\xa8",
                                 "%00",
                                 "open",
                                 "cut_off",
                                 "main"};

std::string piece(Input &in)
{
    const size_t size = input::u8(in) % 24u;
    Input part = {input::bytes(in, size)};
    return worded_text(part, words, 200);
}

RoomStatus room_of(Input &in)
{
    RoomStatus room = {};
    room.name = piece(in);
    room.topology = "star";
    room.state = piece(in);
    room.state_text = piece(in);
    room.invite = "tern1-secret";
    const uint8_t how = input::u8(in);
    room.takes_newcomers = how % 2 != 0;
    room.stats.objects = input::u64(in);
    room.peers.resize(how % 4);
    for (PeerStatus &peer : room.peers) {
        peer.name = piece(in);
        peer.owned = input::u64(in);
    }
    room.types.resize(how / 4 % 4);
    for (TypeStatus &type : room.types)
        type.name = piece(in);
    room.changes.resize(how / 16 % 2);
    for (OwnershipChange &change : room.changes)
        change = {input::u64(in), ChangeKind::moved, input::u64(in), 0, 1, 2};
    room.samples.resize(how / 32 % 2);
    for (Sample &sample : room.samples)
        sample.at_us = input::u64(in);
    room.script.path = how / 64 % 2 != 0 ? "game.lua" : "";
    room.script.error = piece(in);
    room.recording = piece(in);
    return room;
}

void fill(Board &board, Input &in)
{
    const uint8_t how = input::u8(in);
    // The clock of the process is far from both of these, so the age of the last tick is settled.
    if (how % 4 != 0) board.ticked_us = how % 4 == 1 ? 1 : UINT64_MAX;
    if (how % 16 >= 12) return;
    HostStatus status = {};
    status.name = piece(in);
    status.ready = how % 32 >= 16;
    status.draining = how % 64 >= 32;
    status.now_us = input::u64(in);
    for (int i = 0; i < how / 64; ++i)
        status.rooms.push_back(room_of(in));
    board::publish(board, std::move(status));
}

httplib::Request request_of(Input &in)
{
    httplib::Request request;
    const uint8_t how = input::u8(in);
    request.method = how % 4 == 0 ? piece(in) : "GET";
    request.path = piece(in);
    if (how & 4) request.params.emplace("since", piece(in));
    if (how & 8) request.params.emplace(piece(in), piece(in));
    if (how & 16) request.headers.emplace("Host", piece(in));
    request.local_addr = how & 32 ? piece(in) : "127.0.0.1";
    return request;
}

// --- The answer ---

size_t name_bytes(std::string_view line)
{
    size_t size = 0;
    while (size < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[size])) != 0 || line[size] == '_'))
        ++size;
    return size;
}

// Returns the rest behind the labels, or nothing if they do not end.
std::string_view behind_labels(std::string_view line)
{
    while (!line.empty() && (line[0] == '{' || line[0] == ',')) {
        line.remove_prefix(1);
        line.remove_prefix(name_bytes(line));
        if (!line.starts_with("=\"")) return {};
        line.remove_prefix(2);
        while (!line.empty() && line[0] != '"')
            line.remove_prefix(line[0] == '\\' && line.size() > 1 ? 2 : 1);
        if (line.empty()) return {};
        line.remove_prefix(1);
    }
    if (line.starts_with('}')) line.remove_prefix(1);
    return line;
}

// A line of the Prometheus text format 0.0.4 is a comment, or has a name, labels and a number.
void check_metrics(const std::string &text)
{
    std::string_view rest = text;
    while (!rest.empty()) {
        const size_t end = rest.find('\n');
        TERN_ASSERT(end != std::string_view::npos, "the last line does not end");
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        if (line.starts_with("# HELP ") || line.starts_with("# TYPE ")) continue;
        const size_t name = name_bytes(line);
        const std::string_view value = behind_labels(line.substr(name));
        const bool good = name > 0 && value.size() > 1 && value[0] == ' ' &&
                          value.find_first_not_of("0123456789.+-einfa", 1) == value.npos;
        TERN_ASSERT(good, "a line of metrics: %s", std::string(line).c_str());
    }
}

void check(const httplib::Request &request, const httplib::Response &response)
{
    const int status = response.status == -1 ? 200 : response.status; // httplib sends 200 for -1.
    const bool known = status == 200 || status == 400 || status == 404 || status == 405 ||
                       status == 421 || status == 503;
    TERN_ASSERT(known, "status %d", status);
    TERN_ASSERT(!response.body.empty() || status != 200, "an empty page");
    for (const auto &[name, value] : response.headers)
        TERN_ASSERT(value.find_first_of("\r\n") == std::string::npos, "header %s", name.c_str());
    const std::string type = response.get_header_value("Content-Type");
    if (type == "application/json") {
        TERN_ASSERT(nlohmann::json::accept(response.body), "no JSON: %s", response.body.c_str());
        TERN_ASSERT(response.body.find("\"invite\":") == std::string::npos, "it has an invite: %s",
                    response.body.c_str());
    }
    if (status == 200 && request.path == "/metrics") check_metrics(response.body);
}

}

void fuzz_http(std::span<const uint8_t> data)
{
    Input in = {data};
    const httplib::Request request = request_of(in);
    Board board;
    fill(board, in);
    httplib::Response response;
    http_pages::answer(request, response, 1000, board);
    check(request, response);
}

}

#endif
