// Sends one small reliable message in each of 60 ticks a second over a lossy link, in virtual time:
// measures how long until it can be read, and how often its bytes are sent.
#include "base/random.h"
#include "bench/sections/sections.h"
#include "tern/limits.hpp"
#include "transport/connection/connection.h"
#include "transport/connection/packet_codec.h"
#include <algorithm>
#include <deque>
#include <map>
#include <sodium.h>

using namespace tern;

namespace bench {
namespace {

constexpr uint64_t tick_us = 16'667, step_us = 1'000, way_us = 25'000;
constexpr size_t message_bytes = 32;

// The receiver reads its socket each millisecond, the sender each tick.
struct Flying {
    uint64_t at_us;
    std::vector<std::byte> bytes;
};

struct Link {
    double loss;
    Random random;
    std::deque<Flying> flying[2]; // [0] to the sender, [1] to the receiver.
    uint64_t bytes;
};

void put(Link &link, size_t to, std::span<const std::byte> bytes, uint64_t now_us)
{
    link.bytes += bytes.size();
    if (random::chance(link.random, link.loss)) return;
    link.flying[to].push_back({now_us + way_us, {bytes.begin(), bytes.end()}});
}

// Takes the next datagram that has arrived at this end. False: there is none.
bool take(Link &link, size_t to, uint64_t now_us, std::vector<std::byte> &bytes)
{
    if (link.flying[to].empty() || link.flying[to].front().at_us > now_us) return false;
    bytes = std::move(link.flying[to].front().bytes);
    link.flying[to].pop_front();
    return true;
}

struct Times {
    std::vector<double> ms; // [message]: from queueing to reading.
    uint64_t carried_bytes; // Bytes of messages, counted each time they are sent.
    uint64_t link_bytes;
    bool wrong;
};

struct Course {
    double loss;
    uint64_t message_count;
    uint64_t seed; // Differs in each round.
};

uint64_t stamp(std::span<const std::byte> message)
{
    uint64_t value = 0;
    std::memcpy(&value, message.data(), sizeof value);
    return value;
}

void note(Times &times, std::span<const std::byte> message, uint64_t now_us)
{
    times.wrong |= message.size() != message_bytes;
    const uint64_t queued_us = (times.ms.size() + 1) * tick_us;
    times.wrong |= stamp(message) != queued_us;
    times.ms.push_back(static_cast<double>(now_us - queued_us) / 1000);
}

// --- The baseline: one datagram per message, resent after 100 ms without an ack ---

struct Unacked {
    uint64_t sent_us;
    std::vector<std::byte> bytes;
};

Times run_plain(Course &course)
{
    constexpr uint64_t again_us = 100'000;
    Times times = {};
    Link link = {course.loss, random::from_seed(course.seed += 1), {}, 0};
    std::map<uint64_t, Unacked> unacked;
    // Arrived out of order, waiting for earlier messages.
    std::map<uint64_t, std::vector<std::byte>> waiting;
    std::vector<std::byte> bytes;
    uint64_t next_tick_us = tick_us, sent = 0;
    for (uint64_t now_us = 0; times.ms.size() < course.message_count; now_us += step_us) {
        while (take(link, 1, now_us, bytes)) {
            put(link, 0, std::span(bytes).first(8), now_us); // The ack carries the message's stamp.
            if (stamp(bytes) > times.ms.size() * tick_us) waiting[stamp(bytes)] = bytes;
        }
        while (!waiting.empty() && waiting.begin()->first == (times.ms.size() + 1) * tick_us) {
            note(times, waiting.begin()->second, now_us);
            waiting.erase(waiting.begin());
        }
        for (; next_tick_us <= now_us; next_tick_us += tick_us) {
            while (take(link, 0, next_tick_us, bytes))
                unacked.erase(stamp(bytes));
            if (sent < course.message_count) {
                sent += 1;
                std::vector<std::byte> message(message_bytes);
                number_message(message, next_tick_us);
                unacked[next_tick_us] = {0, message};
            }
            for (auto &[number, one] : unacked) {
                if (one.sent_us != 0 && next_tick_us - one.sent_us < again_us) continue;
                one.sent_us = next_tick_us;
                times.carried_bytes += message_bytes;
                put(link, 1, one.bytes, next_tick_us);
            }
        }
    }
    times.link_bytes = link.bytes;
    return times;
}

// --- tern ---

struct End {
    std::vector<std::max_align_t> memory;
    Connection *connection;
};

End make_end(const DataKeys &keys)
{
    const ConnectionLimits limits = {UINT32_MAX, 60'000'000, {64 * 1024, 64 * 1024}};
    End end = {};
    end.memory.resize(connection::size_bytes(limits) / sizeof(std::max_align_t) + 1);
    end.connection = connection::place(end.memory.data(), limits);
    connection::open(*end.connection, keys, 1, {{1}, 1}, 0);
    return end;
}

uint64_t chunk_bytes(const Packet &packet)
{
    uint64_t bytes = 0;
    FrameReader reader = frames::reader(packet.datagram.first(packet.size_bytes).subspan(9));
    for (Frame f = frames::next(reader); f.kind != FrameKind::none; f = frames::next(reader))
        bytes += frames::is_chunk(f.kind) ? f.bytes.size() : 0;
    return bytes;
}

void send_all(Link &link, size_t to, Connection &c, Times &times, uint64_t now_us)
{
    std::byte datagram[datagram_bytes_max];
    while (connection::has_budget(c, now_us) && connection::wants_packet(c, now_us)) {
        Packet packet = connection::begin_packet(c, datagram, datagram_bytes_max, now_us);
        times.carried_bytes += chunk_bytes(packet);
        const auto bytes = connection::finish_packet(c, packet, now_us);
        if (bytes.empty()) return;
        put(link, to, bytes, now_us);
    }
}

void receive_all(Link &link, size_t at, Connection &c, Times &times, uint64_t now_us)
{
    std::vector<std::byte> bytes;
    PacketRoom room;
    while (take(link, at, now_us, bytes)) {
        const OpenedPacket packet = connection::open_packet(c, bytes, room);
        times.wrong |= packet.opening != Opening::ok;
        if (packet.opening == Opening::ok) connection::accept(c, packet, now_us);
        for (;;) {
            const auto message = connection::peek_message(c, StreamId::world);
            if (message.empty()) break;
            note(times, message, now_us);
            connection::consume_message(c, StreamId::world);
        }
    }
    connection::update(c, now_us);
    for (PacketOutcome outcome; connection::take_packet_outcome(c, outcome);) {
    }
}

Times run_tern(Course &course)
{
    Times times = {};
    Link link = {course.loss, random::from_seed(course.seed += 1), {}, 0};
    const DataKeys keys = {{1}, {2}, Cipher::chacha20_poly1305};
    const DataKeys swapped = {{2}, {1}, Cipher::chacha20_poly1305};
    const End ends[2] = {make_end(keys), make_end(swapped)};
    Connection &sender = *ends[0].connection, &receiver = *ends[1].connection;
    uint64_t next_tick_us = tick_us, sent = 0;
    for (uint64_t now_us = 0; times.ms.size() < course.message_count; now_us += step_us) {
        for (; next_tick_us <= now_us; next_tick_us += tick_us) {
            receive_all(link, 0, sender, times, next_tick_us);
            if (sent < course.message_count) {
                std::byte message[message_bytes] = {};
                number_message(message, next_tick_us);
                times.wrong |= !connection::queue_message(sender, StreamId::world, message);
                sent += 1;
            }
            send_all(link, 1, sender, times, next_tick_us);
        }
        receive_all(link, 1, receiver, times, now_us);
        send_all(link, 0, receiver, times, now_us);
    }
    times.link_bytes = link.bytes;
    return times;
}

// --- Comparison ---

template <Times (*run)(Course &), size_t header_bytes> Sample run_course(Course &course)
{
    Times times = run(course);
    std::sort(times.ms.begin(), times.ms.end());
    const auto count = static_cast<double>(course.message_count);
    const auto quantile = [&times](size_t permille) {
        return times.ms[(times.ms.size() - 1) * permille / 1000];
    };
    const double copies =
        static_cast<double>(times.carried_bytes) / (count * (message_bytes + header_bytes));
    return {{quantile(500), quantile(950), quantile(990), times.ms.back(), copies,
             static_cast<double>(times.link_bytes) / count},
            course.message_count,
            times.ms.size(),
            times.wrong};
}

bool measure_loss(const char *id, const char *title, double loss, const Options &options)
{
    const uint64_t count = 12'000; // Fewer messages would make the slowest hundredth unreliable.
    Course plain = {loss, count, 1000}, tern = {loss, count, 1000};
    const Contender contenders[] = {
        contender<run_course<run_plain, 0>>("plain: again after 100 ms", plain,
                                            Promise::everything),
        contender<run_course<run_tern, 1>>("tern's stream, encrypted", tern, Promise::everything)};
    const Section section = {id,
                             title,
                             {{"p50 ms", 1, false},
                              {"p95 ms", 1, false},
                              {"p99 ms", 1, false},
                              {"max ms", 0, false},
                              {"copies", 2, false},
                              {"bytes/msg", 1, false}},
                             {"copies: how often a message's bytes were sent. bytes: UDP payload, "
                              "both ways"}};
    return measure(section, contenders, options);
}

}

bool measure_latency(const Options &options)
{
    if (sodium_init() < 0) return false;
    const bool right = measure_loss(
        "latency", "latency: reliable messages of 32 bytes, 60 a second, 25 ms each way, 5 % loss",
        0.05, options);
    return measure_loss("latency_no_loss", "latency: the same without loss", 0, options) && right;
}

}
