// Many messages at once: small unreliable, small reliable, and large reliable ones.
#include "bench/pairs/enet_pair.h"
#include "bench/pairs/plain_pair.h"
#include "bench/pairs/tern_pair.h"
#include "bench/sections/sections.h"
#include "tern/limits.hpp"
#include "tern/types.hpp"

namespace bench {
namespace {

// Messages still missing after this time count as lost.
constexpr uint64_t round_time_ns_max = 5'000'000'000;

// The work of a round: messages of one size, `flush_count` of them per flush.
struct Load {
    size_t message_bytes;
    size_t flush_count;
    size_t outstanding_max; // Limit of messages that are sent and not yet received.
    uint64_t message_count; // Messages per round.
};

template <class Path> struct Flow {
    Path path;
    Load load;
    uint64_t number;
};

struct Progress {
    Tally sent, received;
};

template <class Path> uint64_t sent_bytes(const Path &path);

template <> uint64_t sent_bytes(const PlainPair &pair)
{
    return pair.sent_bytes;
}

template <> uint64_t sent_bytes(EnetPair *const &pair)
{
    return enet_pair::sent_bytes(*pair);
}

template <> uint64_t sent_bytes(TernPair *const &pair)
{
    return tern_pair::sent_bytes(*pair);
}

// queue(message) returns false when it accepts no more for now; exchange(tally) sends and receives.
template <class Path, class Queue, class Exchange>
Progress run_load(Flow<Path> &f, Queue queue, Exchange exchange, bool repeats)
{
    static std::byte message[16 * 1024];
    const std::span<std::byte> bytes = std::span(message).first(f.load.message_bytes);
    Progress p = {};
    const uint64_t begin_ns = wall_clock_ns();
    while (p.received.count < f.load.message_count) {
        for (size_t i = 0; i < f.load.flush_count && p.sent.count < f.load.message_count; ++i) {
            if (p.sent.count - p.received.count >= f.load.outstanding_max) break;
            number_message(bytes, f.number);
            if (!queue(bytes)) break;
            p.sent.count += 1;
            p.sent.sum += f.number;
            f.number += 1;
        }
        exchange(p.received);
        const bool all_sent = p.sent.count == f.load.message_count;
        if (all_sent && !repeats) break;
        if (wall_clock_ns() - begin_ns > round_time_ns_max) break;
    }
    return p;
}

bool is_wrong(const Progress &p)
{
    return p.sent.count == p.received.count && p.sent.sum != p.received.sum;
}

// Reports ns and bytes per message.
template <class Path, class Queue, class Exchange>
Sample run_messages(Flow<Path> &f, Queue queue, Exchange exchange, bool repeats)
{
    const uint64_t bytes_before = sent_bytes(f.path);
    const Meter meter = start_meter();
    const Progress p = run_load(f, queue, exchange, repeats);
    const Spent time = spent(meter);
    const auto bytes = static_cast<double>(sent_bytes(f.path) - bytes_before);
    const auto count = static_cast<double>(p.sent.count);
    return {{time.cpu_ns / count, bytes / count}, p.sent.count, p.received.count, is_wrong(p)};
}

// --- By hand: a length of 2 bytes before each message, packed into full datagrams ---

struct ByHand {
    PlainPair pair;
    std::byte datagram[tern::datagram_bytes_max];
    size_t size_bytes;
};

template <> uint64_t sent_bytes(const ByHand &by_hand)
{
    return by_hand.pair.sent_bytes;
}

void flush(ByHand &by_hand)
{
    if (by_hand.size_bytes > 0)
        plain_pair::send(by_hand.pair, {by_hand.datagram, by_hand.size_bytes});
    by_hand.size_bytes = 0;
}

void pack(ByHand &by_hand, std::span<const std::byte> message)
{
    if (by_hand.size_bytes + 2 + message.size() > sizeof by_hand.datagram) flush(by_hand);
    const auto length = static_cast<uint16_t>(message.size());
    std::memcpy(by_hand.datagram + by_hand.size_bytes, &length, 2);
    std::memcpy(by_hand.datagram + by_hand.size_bytes + 2, message.data(), message.size());
    by_hand.size_bytes += 2 + message.size();
}

void unpack(std::span<const std::byte> datagram, Tally &tally)
{
    while (datagram.size() > 2) {
        uint16_t length;
        std::memcpy(&length, datagram.data(), 2);
        if (length > datagram.size() - 2) return;
        tally_message(tally, datagram.subspan(2, length));
        datagram = datagram.subspan(2u + length);
    }
}

Sample run_by_hand(Flow<ByHand> &f)
{
    ByHand &by_hand = f.path;
    const auto queue = [&by_hand](std::span<const std::byte> message) {
        pack(by_hand, message);
        return true;
    };
    const auto exchange = [&by_hand](Tally &tally) {
        flush(by_hand);
        plain_pair::receive(by_hand.pair, 64,
                            [&tally](std::span<const std::byte> d) { unpack(d, tally); });
    };
    return run_messages(f, queue, exchange, false);
}

// --- ENet and tern ---

template <EnetDelivery delivery> Sample run_enet(Flow<EnetPair *> &f)
{
    EnetPair &pair = *f.path;
    const auto queue = [&pair](std::span<const std::byte> message) {
        enet_pair::queue(pair, message, delivery);
        return true;
    };
    const auto exchange = [&pair](Tally &tally) {
        enet_pair::flush(pair);
        enet_pair::tick(pair, tally);
    };
    return run_messages(f, queue, exchange, delivery == EnetDelivery::reliable);
}

template <bool reliable> Sample run_tern(Flow<TernPair *> &f)
{
    TernPair &pair = *f.path;
    const auto queue = [&pair](std::span<const std::byte> message) {
        return reliable ? tern_pair::queue(pair, message) : tern_pair::put(pair, message);
    };
    const auto exchange = [&pair](Tally &tally) {
        tern_pair::flush(pair);
        tern_pair::tick(pair, tally);
    };
    return run_messages(f, queue, exchange, reliable);
}

// Reports large messages in other units.
template <auto run, class Path> Sample run_bulk(Flow<Path> &f)
{
    const Meter meter = start_meter();
    Sample sample = run(f);
    const double wall_ns = spent(meter).wall_ns;
    const auto kilobytes = static_cast<double>(f.load.message_bytes) / 1000;
    const auto megabytes = kilobytes / 1000 * static_cast<double>(sample.delivered);
    sample.values[0] /= kilobytes;
    sample.values[2] = megabytes / (wall_ns / 1e9);
    sample.values[1] /= static_cast<double>(f.load.message_bytes);
    return sample;
}

// The baseline for large messages sends plain datagrams instead of messages.
Sample run_plain_bulk(Flow<PlainPair> &f)
{
    PlainPair &pair = f.path;
    const auto queue = [&pair](std::span<const std::byte> message) {
        plain_pair::send(pair, message);
        return true;
    };
    const auto exchange = [&pair](Tally &tally) {
        plain_pair::receive(pair, 64,
                            [&tally](std::span<const std::byte> d) { tally_message(tally, d); });
    };
    return run_messages(f, queue, exchange, false);
}

const std::vector<Column> message_columns = {{"CPU ns/msg", 0, true}, {"bytes/msg", 1, false}};

}

bool measure_small(const Options &options)
{
    const Load load = {20, 100, 1'000'000, options.quick ? 10'000u : 100'000u};
    Flow<ByHand> by_hand = {{plain_pair::make(), {}, 0}, load, 0};
    Flow<EnetPair *> enet = {enet_pair::make(), load, 0};
    Flow<TernPair *> tern = {tern_pair::make(), load, 0};
    std::vector<Contender> contenders = {
        contender<run_by_hand>("packed by hand, sendto, recvfrom", by_hand)};
    if (enet.path)
        contenders.push_back(contender<run_enet<EnetDelivery::unsequenced>>(
            "ENet, unsequenced, throttle off", enet));
    contenders.push_back(contender<run_tern<false>>("tern, encrypted, acked", tern));
    const Section section = {"small",
                             "small: unreliable messages of 20 bytes, 100 per flush",
                             message_columns,
                             {"bytes: UDP payload, both ways"}};
    const bool right = measure(section, contenders, options);
    plain_pair::destroy(by_hand.path.pair);
    enet_pair::destroy(enet.path);
    tern_pair::destroy(tern.path);
    return right;
}

bool measure_reliable(const Options &options)
{
    const Load load = {32, 100, 1000, options.quick ? 10'000u : 100'000u};
    Flow<ByHand> by_hand = {{plain_pair::make(), {}, 0}, load, 0};
    Flow<EnetPair *> enet = {enet_pair::make(), load, 0};
    Flow<TernPair *> tern = {tern_pair::make(), load, 0};
    std::vector<Contender> contenders = {
        contender<run_by_hand>("packed by hand, not reliable", by_hand)};
    if (enet.path)
        contenders.push_back(contender<run_enet<EnetDelivery::reliable>>("ENet, reliable", enet,
                                                                         Promise::everything));
    contenders.push_back(
        contender<run_tern<true>>("tern's stream, encrypted", tern, Promise::everything));
    const Section section = {
        "reliable",
        "reliable: ordered messages of 32 bytes, 100 per flush, at most 1000 outstanding",
        message_columns,
        {"bytes: UDP payload, both ways, acks with it"}};
    const bool right = measure(section, contenders, options);
    plain_pair::destroy(by_hand.path.pair);
    enet_pair::destroy(enet.path);
    tern_pair::destroy(tern.path);
    return right;
}

// Up to outstanding_max messages are queued at once. tern's stream accepts 256 KB of them and
// queue() returns false for the rest until there is room.
static bool measure_bulk_load(const char *id, const char *title, const Load &load,
                              const Options &options)
{
    const uint64_t bytes = load.message_count * load.message_bytes;
    const Load datagrams = {bulk_datagram_bytes, 32, bytes, bytes / bulk_datagram_bytes};
    Flow<PlainPair> plain = {plain_pair::make(), datagrams, 0};
    Flow<EnetPair *> enet = {enet_pair::make(), load, 0};
    Flow<TernPair *> tern = {tern_pair::make(), load, 0};
    std::vector<Contender> contenders = {
        contender<run_bulk<run_plain_bulk, PlainPair>>("sendto of 1372 B, not reliable", plain)};
    if (enet.path)
        contenders.push_back(contender<run_bulk<run_enet<EnetDelivery::reliable>, EnetPair *>>(
            "ENet, reliable, 1400 B", enet, Promise::everything));
    contenders.push_back(contender<run_bulk<run_tern<true>, TernPair *>>(
        "tern's stream, encrypted, 1372 B", tern, Promise::everything));
    const Section section = {
        id,
        title,
        {{"CPU ns/kB", 0, true}, {"bytes/byte", 3, false}, {"MB/s", 0, false}},
        {"MB/s: by the clock on the wall, so what else runs here counts, too. There is hardly a",
         "round trip here; over a real one tern's window of 192 KiB bounds it: 4 MB/s at 48 ms"}};
    const bool right = measure(section, contenders, options);
    plain_pair::destroy(plain.path);
    enet_pair::destroy(enet.path);
    tern_pair::destroy(tern.path);
    return right;
}

bool measure_bulk(const Options &options)
{
    const uint64_t count = options.quick ? 256 : 4096;
    const bool right = measure_bulk_load(
        "bulk",
        options.quick ? "bulk: 4 MB in reliable messages of 16 KiB, 64 outstanding"
                      : "bulk: 64 MB in reliable messages of 16 KiB, 64 outstanding",
        {16 * 1024, 16, 64, count}, options);
    return measure_bulk_load("bulk_queued", "bulk: the same, all that the queue takes at once",
                             {16 * 1024, count, count, count}, options) &&
           right;
}

}
