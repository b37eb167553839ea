// Sends arbitrary requests to the control socket of tern-host, whose rooms are real sessions, and
// arbitrary answers to tern-ctl. Every request is answered by one line of JSON with "ok", which
// tern-ctl can show; a connection that breaks the rules ends, and only that one.
#include "fuzz/support/chance.h"
#include "fuzz/support/words.h"
#include "fuzz/targets.h"

#ifndef TERN_HAVE_HOST

void tern::fuzz::fuzz_control(std::span<const uint8_t>) {}

#else

#include "ctl/tables.h"
#include "host/host.h"
#include "tern/invites.hpp"
#include "tern/untyped.hpp"
#include <sys/socket.h>
#include <unistd.h>

namespace tern::fuzz {

namespace {

using namespace dedicated;
using ctl::Json;

constexpr size_t text_bytes_max = 1000;
constexpr size_t long_text_bytes_max = 6000; // More than a request may have.
constexpr int requests_max = 6;
constexpr size_t pieces_max = 64;

constexpr const char *words[] = {"{\"command\":\"",
                                 "\"}\n",
                                 "}\n",
                                 "\n",
                                 "\"",
                                 "\":\"",
                                 "\":",
                                 "\",\"",
                                 ",\"",
                                 "status",
                                 "peers",
                                 "objects",
                                 "record",
                                 "transfer",
                                 "kick",
                                 "drain",
                                 "reload",
                                 "log-level",
                                 "misbehaviour",
                                 "open",
                                 "close",
                                 "lua",
                                 "room",
                                 "main",
                                 "two",
                                 "object",
                                 "peer",
                                 "since_us",
                                 "owner",
                                 "type",
                                 "limit",
                                 "level",
                                 "debug",
                                 "error",
                                 "text",
                                 "1.1",
                                 "1.2",
                                 "65536.1",
                                 "1.4294967296",
                                 "0",
                                 "1",
                                 "2",
                                 "65535",
                                 "65536",
                                 "10000",
                                 "18446744073709551615",
                                 "-1",
                                 "0.5",
                                 "1e999",
                                 "null",
                                 "true",
                                 "false",
                                 "[",
                                 "]",
                                 "{",
                                 "}",
                                 ",",
                                 "\\u0000",
                                 "\\ud800",
                                 "\xff",
                                 "\x1b[2J",
                                 "ball",
                                 "statu",
                                 "{\"ok\":true,\"",
                                 "{\"ok\":false,\"",
                                 "rooms\":[{\"",
                                 "name\":\"",
                                 "invite\":\"",
                                 "stats\":{\"",
                                 "ticks\":{\"",
                                 "count\":",
                                 "sum_us\":",
                                 "now_us\":",
                                 "peers_max\":",
                                 "sent_bytes\":",
                                 "objects\":[{\"",
                                 "total\":",
                                 "recordings\":[{\"",
                                 "file\":\"",
                                 "bytes\":",
                                 "changed\":[\"",
                                 "need_a_restart\":[\"",
                                 "from\":",
                                 "to\":",
                                 "self\":true,\"",
                                 "rtt_us\":"};

constexpr const char *command_names[] = {"status",    "peers",        "objects", "record",
                                         "transfer",  "kick",         "drain",   "reload",
                                         "log-level", "misbehaviour", "lua"};

// --- The host ---

const std::shared_ptr<::TypeTable> &types()
{
    static const auto table = type_file::read_text("[[type]]\nname = \"ball\"\nobjects_max = 4\n"
                                                   "field = [{name = \"x\", kind = \"int32\"}]\n",
                                                   "types")
                                  .table;
    return table;
}

Session *made_session()
{
    seed_chance(1);
    Config config = {};
    config.types = types()->types;
    config.peers_max = 2;
    Session *s = make_session(config);
    receive(s, {}, 0);
    start(s);
    const int32_t value = 1;
    for (int i = 0; i < 2; ++i)
        create(s, 0, &value, sizeof value);
    return s;
}

// No command changes the session of a host that is alone, so all inputs share two of them.
void add_room(Host &host, const char *name)
{
    static Session *const sessions[] = {made_session(), made_session()};
    Room room;
    room.options.name = name;
    room.types = types();
    room.session = sessions[host.rooms.size()];
    const Address address = loopback(7777);
    room.invite = to_text(make_invite(room.session, std::span(&address, 1))).text;
    host.rooms.push_back(std::move(room));
}

// Adds two rooms, "main" and "two", or "main" alone.
void fill(Host &host, bool has_two)
{
    static const char *const arguments[] = {"tern-host"};
    setenv("TERN_HOST_LOG_LEVEL", "error", 1); // A reload reads it.
    host.argument_count = 1;
    host.arguments = arguments;
    host.begun_us = clock_us();
    host.opened = true;
    host.loaded.options.types = types();
    host.loaded.options.rooms[0].name = "main";
    add_room(host, "main");
    if (!has_two) return;
    host.loaded.options.rooms.push_back({});
    host.loaded.options.rooms[1].name = "two";
    add_room(host, "two");
}

// --- tern-ctl ---

// Every answer can be shown as one to any command.
void check_shown(const Json &answer, size_t command)
{
    ctl::answer_text(command_names[command % std::size(command_names)], answer);
    if (command % 4 == 0) ctl::refusal_text(answer);
    if (command % 4 == 1) ctl::listed_recordings(answer);
    if (command % 4 != 2) return;
    const Json status = ctl::status_of(answer, "main");
    TERN_ASSERT(status["rooms"].is_array(), "no rooms");
    ctl::invites_text(status);
    ctl::status_text(status, status);
}

// Returns what tern-ctl makes of these bytes. The host closes the connection after them.
ctl::Answer answer_of(const std::string &text)
{
    int ends[2] = {-1, -1};
    const bool made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
    TERN_ASSERT(made && ::send(ends[1], text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
                            static_cast<ssize_t>(text.size()),
                "%zu bytes do not fit", text.size());
    shutdown(ends[1], SHUT_WR);
    ctl::Answer answer = ctl::ask(ends[0], {{"command", "status"}});
    ::close(ends[0]);
    ::close(ends[1]);
    return answer;
}

void try_answer(const std::string &text, size_t command)
{
    const ctl::Answer answer = answer_of(text);
    TERN_ASSERT(answer.error.empty() == (answer.body.is_object() && answer.body.contains("ok")),
                "an answer without \"ok\": %s", text.c_str());
    if (answer.error.empty()) check_shown(answer.body, command);
}

// --- Requests ---

void check_answer(const std::string &request, const std::string &line, size_t command)
{
    const Json answer = Json::parse(line, nullptr, false);
    const bool is_answer = line.find('\n') == std::string::npos && answer.is_object() &&
                           answer.contains("ok") && answer["ok"].is_boolean();
    TERN_ASSERT(is_answer, "%s is answered by %s", request.c_str(), line.c_str());
    const bool ok = answer["ok"].get<bool>();
    TERN_ASSERT(ok || answer.value("error", "") != "", "%s is refused without a reason",
                request.c_str());
    check_shown(answer, command);
}

// Each line of the text is a request.
void try_commands(const std::string &text, bool has_two, size_t command)
{
    Host host;
    fill(host, has_two);
    size_t at = 0;
    for (int i = 0; i < requests_max && at < text.size(); ++i) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string request = text.substr(at, end - at);
        host.log.level = host.loaded.options.log_level = LogLevel::error; // A command may raise it.
        check_answer(request, command_answer(host, request), command);
        at = end + 1;
    }
}

// --- The socket ---

struct Line { // Two clients of a control socket, whose requests come back as their answers.
    control::Control socket;
    int clients[2] = {-1, -1};

    Line()
    {
        // Nobody can connect to it, so it accepts nobody.
        socket.listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        for (int &client : clients) {
            int ends[2] = {-1, -1};
            const int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
            TERN_ASSERT(socketpair(AF_UNIX, kind, 0, ends) == 0, "socketpair, %d", errno);
            client = ends[0];
            socket.clients.push_back({ends[1], "", "", 0, false});
        }
    }
    Line(const Line &) = delete;
    ~Line()
    {
        control::close(socket);
        for (const int client : clients)
            ::close(client);
    }
};

std::string received(int client)
{
    char bytes[4096];
    std::string text;
    ssize_t size = 0;
    while ((size = recv(client, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        text.append(bytes, static_cast<size_t>(size));
    return text;
}

void tick(Line &line, uint64_t now_us)
{
    for (const control::ControlRequest &request : control::receive(line.socket, now_us)) {
        TERN_ASSERT(request.client < line.socket.clients.size(), "client %zu", request.client);
        TERN_ASSERT(request.text.size() <= control::control_request_bytes_max &&
                        request.text.find('\n') == std::string::npos,
                    "%zu bytes as one request", request.text.size());
        control::answer(line.socket, request.client, request.text);
    }
    control::send(line.socket, now_us);
    for (const control::ControlClient &client : line.socket.clients)
        TERN_ASSERT(client.input.size() <= 2 * control::control_request_bytes_max, "%zu bytes wait",
                    client.input.size());
}

// The first client sends the text in pieces; the other one asks a question in the end.
void try_socket(const std::string &text, uint8_t how)
{
    Line line;
    uint64_t now_us = 0;
    const size_t piece_bytes = std::max<size_t>(1u << how % 13, text.size() / pieces_max);
    for (size_t at = 0; at < text.size(); at += piece_bytes) {
        const size_t size = std::min(piece_bytes, text.size() - at);
        ::send(line.clients[0], text.data() + at, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (how & 16) received(line.clients[0]);
        tick(line, now_us += 1000);
    }
    if (how & 32) shutdown(line.clients[0], SHUT_RDWR);
    ::send(line.clients[1], "calm\n", 5, MSG_DONTWAIT | MSG_NOSIGNAL);
    tick(line, now_us);
    TERN_ASSERT(received(line.clients[1]) == "calm\n", "the other client has no answer");
}

}

void fuzz_control(std::span<const uint8_t> data)
{
    Input in = {data};
    const uint8_t what = input::u8(in);
    const bool is_socket = what % 4 == 0;
    const std::string text =
        worded_text(in, words, is_socket ? long_text_bytes_max : text_bytes_max);
    if (is_socket)
        try_socket(text, what / 4);
    else if (what % 4 == 1)
        try_answer(text, what / 4);
    else
        try_commands(text, what % 4 == 2, what / 4);
}

}

#endif
