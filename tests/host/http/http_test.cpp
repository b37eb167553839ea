#include "host/http/board.h"
#include "host/http/http.h"
#include "tests/host/text.h"
#include <arpa/inet.h>
#include <atomic>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <tern/io.hpp>
#include <thread>
#include <unistd.h>

using namespace dedicated;
using namespace dedicated::test;
using nlohmann::json;

namespace {

// A host that is well, with one room.
HostStatus a_status()
{
    HostStatus status = {};
    status.version = "1.2.3";
    status.name = "test";
    status.now_us = 5'000'000;
    status.ready = true;
    RoomStatus room = {};
    room.name = "main";
    room.state = "open";
    room.invite = "THE-SECRET-INVITE";
    for (uint64_t second = 1; second <= 4; ++second) {
        Sample sample = {};
        sample.at_us = second * 1'000'000;
        room.samples.push_back(sample);
        room.changes.push_back({second * 1'000'000, ChangeKind::moved, (2ull << 32) + 7, 0, 2, 3});
    }
    status.rooms.push_back(room);
    return status;
}

struct Served {
    Board board;
    MadeHttp made;

    explicit Served(const std::string &listen = "127.0.0.1:0", uint32_t tick_age_ms_max = 60'000)
    {
        board.ticked_us = tern::clock_us();
        made = http::make(listen, tick_age_ms_max, board);
        EXPECT_TRUE(made.server) << made.error;
    }
    httplib::Client client(const std::string &ip = "127.0.0.1") const
    {
        httplib::Client out(ip, made.port);
        out.set_read_timeout(10);
        return out;
    }
};

// What a client sends that httplib's would not.
struct Raw {
    int descriptor;

    explicit Raw(uint16_t port)
    {
        descriptor = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(connect(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    }
    Raw(Raw &&other) : descriptor(other.descriptor) { other.descriptor = -1; }
    ~Raw()
    {
        if (descriptor >= 0) close(descriptor);
    }
    void say(std::string_view text) const
    {
        EXPECT_EQ(send(descriptor, text.data(), text.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(text.size()));
    }
    // All until the other end closes, or 20 s of silence; then "(silence)" is at the end.
    std::string hear_all() const
    {
        std::string out;
        for (;;) {
            pollfd waiting = {descriptor, POLLIN, 0};
            if (poll(&waiting, 1, 20'000) <= 0) return out + "(silence)";
            char bytes[4096];
            const ssize_t size = recv(descriptor, bytes, sizeof bytes, 0);
            if (size <= 0) return out;
            out.append(bytes, static_cast<size_t>(size));
        }
    }
};

std::string answer_to(const Served &served, const std::string &request)
{
    const Raw raw(served.made.port);
    raw.say(request);
    return raw.hear_all();
}

}

// --- The page of the operator ---

TEST(HttpTest, APageOfTheOperatorRunsItsScriptsAndLoadsNothing)
{
    Board board;
    board.page = "<!doctype html><script>1</script>";
    const MadeHttp made = http::make("127.0.0.1:0", 60'000, board);
    ASSERT_TRUE(made.server) << made.error;
    httplib::Client client("127.0.0.1", made.port);
    const auto answer = client.Get("/page");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, board.page);
    const std::string policy = answer->get_header_value("Content-Security-Policy");
    EXPECT_NE(policy.find("script-src 'unsafe-inline' 'wasm-unsafe-eval'"), std::string::npos);
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
    EXPECT_NE(policy.find("connect-src data:;"), std::string::npos);
}

// httplib 0.11 would build an answer of thousands of copies in memory.
TEST(HttpTest, SeveralRangesAreRefusedAndOneIsServed)
{
    Board board;
    board.page = std::string(100'000, 'x');
    const MadeHttp made = http::make("127.0.0.1:0", 60'000, board);
    ASSERT_TRUE(made.server) << made.error;
    httplib::Client client("127.0.0.1", made.port);
    std::string ranges = "bytes=0-";
    for (int i = 0; i < 2000; ++i)
        ranges += ",0-";
    for (const char *path : {"/page", "/", "/none"}) {
        const auto answer = client.Get(path, {{"Range", ranges}});
        ASSERT_TRUE(answer) << path;
        EXPECT_EQ(answer->status, 416) << path;
        EXPECT_LT(answer->body.size(), 1'000'000u) << path;
    }
    const auto one = client.Get("/page", {{"Range", "bytes=10-19"}});
    ASSERT_TRUE(one);
    EXPECT_EQ(one->status, 206);
    EXPECT_EQ(one->body, "xxxxxxxxxx");
}

TEST(HttpTest, WithoutAPageItsPlaceSaysWhichOptionNamesOne)
{
    const Served served;
    const auto answer = served.client().Get("/page");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 404);
    EXPECT_NE(answer->body.find("http.page"), std::string::npos);
}

// --- Health ---

TEST(HttpTest, HealthFollowsTheTicksAndNothingElse)
{
    Served served("127.0.0.1:0", 30'000);
    auto client = served.client();
    auto answer = client.Get("/healthz");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(json::parse(answer->body)["healthy"], true);
    served.board.ticked_us = tern::clock_us() - 31'000'000;
    answer = client.Get("/livez");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 503);
    EXPECT_EQ(json::parse(answer->body)["healthy"], false);
    const std::string reason = json::parse(answer->body)["reason"];
    EXPECT_TRUE(reason.starts_with("no tick has ended for 31")) << reason;
    EXPECT_NE(reason.find("30000 ms"), std::string::npos) << reason;
    EXPECT_EQ(client.Get("/readyz")->status, 503); // What hangs takes no players.
    served.board.ticked_us = 0;
    EXPECT_EQ(client.Get("/healthz")->status, 503);
    served.board.ticked_us = tern::clock_us();
    EXPECT_EQ(client.Get("/healthz")->status, 200);
}

TEST(HttpTest, ReadinessSaysWhyNot)
{
    Served served;
    auto client = served.client();
    const auto reason = [&] {
        const auto answer = client.Get("/readyz");
        EXPECT_EQ(answer->status, 503);
        return json::parse(answer->body)["reason"].get<std::string>();
    };
    EXPECT_EQ(reason(), "it is starting");
    board::publish(served.board, a_status());
    EXPECT_EQ(client.Get("/readyz")->status, 200);
    HostStatus status = a_status();
    status.ready = false;
    board::publish(served.board, status);
    EXPECT_EQ(reason(), "all rooms are closed to newcomers");
    status.rooms[0].state = "cut_off";
    board::publish(served.board, status);
    EXPECT_EQ(reason(), "room main is cut_off");
    status.draining = true;
    board::publish(served.board, status);
    EXPECT_EQ(reason(), "it is draining");
}

TEST(HttpTest, AHostWhoseTicksHangIsNotReady)
{
    Served served("127.0.0.1:0", 30'000);
    board::publish(served.board, a_status());
    auto client = served.client();
    EXPECT_EQ(client.Get("/readyz")->status, 200);
    served.board.ticked_us = tern::clock_us() - 31'000'000;
    const auto answer = client.Get("/readyz");
    EXPECT_EQ(answer->status, 503);
    const std::string reason = json::parse(answer->body)["reason"];
    EXPECT_TRUE(reason.starts_with("no tick has ended for 31")) << reason;
}

// --- What there is to read ---

TEST(HttpTest, StatusIsJsonWithoutInvites)
{
    Served served;
    auto client = served.client();
    EXPECT_EQ(client.Get("/api/v1/status")->status, 503);
    board::publish(served.board, a_status());
    const auto answer = client.Get("/api/v1/status");
    ASSERT_EQ(answer->status, 200);
    EXPECT_EQ(answer->get_header_value("Content-Type"), "application/json");
    EXPECT_EQ(answer->get_header_value("Cache-Control"), "no-store");
    EXPECT_EQ(answer->body.find("SECRET"), std::string::npos);
    EXPECT_EQ(client.Get("/metrics")->body.find("SECRET"), std::string::npos);
    EXPECT_NE(status_json(a_status(), {.invites = true}).find("SECRET"), std::string::npos);
    const json status = json::parse(answer->body);
    EXPECT_EQ(status["rooms"][0]["name"], "main");
    EXPECT_EQ(status["rooms"][0]["changes"][0]["object"], "2.7");
    EXPECT_EQ(status["rooms"][0]["samples"].size(), 4u);
}

TEST(HttpTest, StatusSinceHasNewerChangesAndSamplesAlone)
{
    Served served;
    board::publish(served.board, a_status());
    auto client = served.client();
    const json status = json::parse(client.Get("/api/v1/status?since=3000000")->body);
    ASSERT_EQ(status["rooms"][0]["samples"].size(), 1u);
    EXPECT_EQ(status["rooms"][0]["samples"][0]["at_us"], 4'000'000);
    EXPECT_EQ(status["rooms"][0]["changes"].size(), 1u);
    for (const char *bad : {"x", "-1", "1.5", "99999999999999999999", "1%20"}) {
        const auto answer = client.Get(std::string("/api/v1/status?since=") + bad);
        EXPECT_EQ(answer->status, 400) << bad;
        EXPECT_NE(answer->body.find("since: expected"), std::string::npos);
    }
}

TEST(HttpTest, AnyBytesOfANameMakeValidJson)
{
    HostStatus status = a_status();
    PeerStatus peer = {};
    peer.name = "\xff\xfe<script>\"\\\n\x01";
    status.rooms[0].peers.push_back(peer);
    const json parsed = json::parse(status_json(status));
    const std::string name = parsed["rooms"][0]["peers"][0]["name"];
    EXPECT_NE(name.find("<script>\"\\\n\x01"), std::string::npos);
}

TEST(HttpTest, ThePageMayRunItsOwnScriptAlone)
{
    Served served;
    auto client = served.client();
    const auto first = client.Get("/"), second = client.Get("/");
    ASSERT_EQ(first->status, 200);
    EXPECT_EQ(first->get_header_value("Content-Type"), "text/html; charset=utf-8");
    const std::string policy = first->get_header_value("Content-Security-Policy");
    const size_t at = policy.find("'nonce-");
    ASSERT_NE(at, std::string::npos);
    const std::string nonce = policy.substr(at + 7, 32);
    EXPECT_TRUE(policy.starts_with("default-src 'none'"));
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_NE(first->body.find("<script nonce=\"" + nonce + "\">"), std::string::npos);
    EXPECT_EQ(first->body.find("{{nonce}}"), std::string::npos);
    EXPECT_NE(policy, second->get_header_value("Content-Security-Policy"));
}

TEST(HttpTest, ItIsForReadingAndNamesWhatThereIs)
{
    Served served;
    auto client = served.client();
    for (const char *method : {"DELETE", "OPTIONS", "POST", "PUT", "TRACE"}) {
        const std::string answer =
            answer_to(served, std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\n"
                                                    "Connection: close\r\n\r\n");
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 ")) << answer;
        EXPECT_NE(answer.find("\r\nAllow: GET, HEAD\r\n"), std::string::npos);
    }
    const auto missing = client.Get("/metricz");
    EXPECT_EQ(missing->status, 404);
    for (const char *path : {"/healthz", "/readyz", "/metrics", "/api/v1/status"})
        EXPECT_NE(missing->body.find(path), std::string::npos);
    EXPECT_EQ(client.Get("/healthz/")->status, 404);
    const auto head = client.Head("/healthz");
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
    EXPECT_EQ(head->get_header_value("Content-Length"),
              std::to_string(client.Get("/healthz")->body.size()));
    EXPECT_TRUE(head->body.empty());
}

// --- Who asks ---

TEST(HttpTest, OverTheLoopbackAStrangersNameIsRefused)
{
    Served served;
    auto client = served.client();
    for (const char *host : {"localhost", "localhost:9101", "LOCALHOST", "127.0.0.1:1", "[::1]:9",
                             "tern.localhost", "192.168.1.7"})
        EXPECT_EQ(client.Get("/healthz", {{"Host", host}})->status, 200) << host;
    for (const char *host : {"evil.example", "localhost.evil.example", "evil.example:9101",
                             "127.0.0.1.evil.example", "[::1].evil", "xlocalhost"})
        EXPECT_EQ(client.Get("/healthz", {{"Host", host}})->status, 421) << host;
}

// --- Bytes ---

TEST(HttpTest, MalformedRequestsAreRefusedAndTheConnectionCloses)
{
    Served served;
    const std::vector<std::string> bad = {
        "hello\r\n\r\n",
        "GET /healthz\r\n\r\n",
        "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n",
        "GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n",
        std::string("GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n", 36),
        "\x16\x03\x01\x02\r\n\r\n"}; // TLS knocks.
    for (const std::string &request : bad) {
        const std::string answer = answer_to(served, request);
        EXPECT_EQ(answer.find("HTTP/1.1 2"), std::string::npos) << request << "\n" << answer;
        EXPECT_FALSE(answer.ends_with("(silence)")) << request;
    }
    EXPECT_EQ(served.client().Get("/healthz")->status, 200);
}

TEST(HttpTest, ARequestInPiecesIsAnsweredOnceAndTheConnectionCloses)
{
    Served served;
    const Raw raw(served.made.port);
    for (const char c : std::string("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        raw.say({&c, 1});
    const std::string answer = raw.hear_all();
    EXPECT_EQ(count_of(answer, "HTTP/1.1 200 OK"), 1u) << answer;
    EXPECT_FALSE(answer.ends_with("(silence)"));
    const std::string old = answer_to(served, "GET /healthz HTTP/1.0\r\n\r\n");
    EXPECT_NE(old.find(" 200 OK"), std::string::npos) << old;
}

// --- Slow, idle and many clients ---

TEST(HttpTest, IdleAndSlowClientsDoNotStarveHealth)
{
    Served served;
    std::vector<Raw> clients;
    for (int i = 0; i < 40; ++i) {
        clients.emplace_back(served.made.port);
        if (i % 2 == 0) clients.back().say("GET /heal");
    }
    const auto answer = served.client().Get("/healthz"); // Each of them has its second.
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
}

TEST(HttpTest, AClientThatReadsNothingDoesNotStarveHealth)
{
    HostStatus status = a_status();
    status.name = std::string(2'000'000, 'x'); // More than the system's buffers take.
    Served served;
    board::publish(served.board, status);
    std::vector<Raw> clients;
    for (int i = 0; i < 10; ++i) {
        clients.emplace_back(served.made.port);
        clients.back().say("GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n"
                           "Connection: close\r\n\r\n");
    }
    EXPECT_EQ(served.client().Get("/healthz")->status, 200);
    const std::string whole = clients[3].hear_all(); // Who reads at last gets all of it.
    EXPECT_GT(whole.size(), 2'000'000u);
    EXPECT_TRUE(whole.ends_with("}\n"));
}

TEST(HttpTest, ASlowRequestIsGivenUp)
{
    Served served;
    const Raw raw(served.made.port);
    raw.say("GET /healthz HT");
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(raw.hear_all().find("HTTP/1.1 2"), std::string::npos);
    const auto lasted = std::chrono::steady_clock::now() - begun;
    EXPECT_LT(lasted, std::chrono::seconds(10));
}

TEST(HttpTest, ItEndsSoonWhateverItsClientsDo)
{
    auto served = std::make_unique<Served>();
    const uint16_t port = served->made.port;
    const Raw idle(port), slow(port);
    slow.say("GET /");
    ASSERT_EQ(served->client().Get("/healthz")->status, 200);
    const auto begun = std::chrono::steady_clock::now();
    served.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
    EXPECT_FALSE(idle.hear_all().ends_with("(silence)"));
    Board board;
    // The port is free again at once, for the next process.
    const MadeHttp again = http::make("127.0.0.1:" + std::to_string(port), 1000, board);
    EXPECT_TRUE(again.server) << again.error;
}

TEST(HttpTest, ManyClientsAtOnceAreAllAnswered)
{
    Served served;
    board::publish(served.board, a_status());
    std::atomic<int> good = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i)
        threads.emplace_back([&] {
            auto client = served.client();
            client.set_keep_alive(true);
            for (int k = 0; k < 25; ++k) {
                const auto answer = client.Get(k % 2 ? "/metrics" : "/api/v1/status");
                good += answer && answer->status == 200;
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(good, 400);
}

// --- Where it listens ---

TEST(HttpTest, ListensOnBothVersionsOfIp)
{
    Served six("[::1]:0");
    EXPECT_EQ(six.client("::1").Get("/healthz")->status, 200);
    Served all("[::]:0");
    EXPECT_EQ(all.client("::1").Get("/healthz")->status, 200);
    EXPECT_EQ(all.client("127.0.0.1").Get("/healthz")->status, 200);
}

TEST(HttpTest, WhatCannotBeBoundIsNamed)
{
    Served first;
    const std::string taken = "127.0.0.1:" + std::to_string(first.made.port);
    Board board;
    const MadeHttp second = http::make(taken, 1000, board);
    EXPECT_FALSE(second.server);
    EXPECT_EQ(second.error, taken + ": the port is in use");
    for (const char *bad : {"", "9101", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                            "127.0.0.1:-1", "localhost:9101", "::1:9101", "[::1", "[127.0.0.1]:1",
                            "300.0.0.1:80", ":9101", "[::1]:80 "}) {
        const MadeHttp made = http::make(bad, 1000, board);
        EXPECT_FALSE(made.server) << bad;
        EXPECT_TRUE(made.error.starts_with(std::string(bad) + ": expected ")) << made.error;
    }
    const MadeHttp foreign = http::make("192.0.2.1:0", 1000, board); // RFC 5737: nobody's.
    EXPECT_FALSE(foreign.server);
    EXPECT_EQ(foreign.error, "192.0.2.1:0: no interface of this machine has this address");
}
