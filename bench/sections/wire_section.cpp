// Measures what replication costs a host in all: its session, the encryption of each datagram, and
// the socket. The clients' time does not count.
#include "bench/bodies.h"
#include "bench/sections/sections.h"
#include "tern/limits.hpp"
#include "transport/connection/packet_codec.h"
#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

// Bytes a second to each client; high enough that it never limits.
constexpr uint32_t rate_max = 64 * 1024 * 1024;
constexpr int join_ticks_max = 6000;

struct Load {
    size_t object_count, stride, client_count;
    uint32_t ticks;
};

// --- Sockets on 127.0.0.1 ---

struct Sockets {
    std::vector<tern::Socket *> all; // all[0] is the host's.
};

Sockets make_sockets(size_t client_count)
{
    Sockets sockets;
    for (size_t i = 0; i <= client_count; ++i) {
        const tern::MadeSocket made = tern::make_udp_socket(0);
        if (!made.socket) {
            std::fprintf(stderr, "tern-bench: no UDP socket: %s\n", tern::to_text(made.error));
            std::exit(1);
        }
        sockets.all.push_back(made.socket);
    }
    return sockets;
}

void destroy(Sockets &sockets)
{
    for (tern::Socket *socket : sockets.all)
        tern::destroy_socket(socket);
}

struct Costs { // Sums over a round in ns.
    double receive, set, send, socket;
    uint64_t bytes, updates, delivered;
    bool wrong;
};

Sample sample(const Costs &c)
{
    const auto updates = static_cast<double>(c.updates);
    return {{(c.receive + c.set + c.send + c.socket) / updates, c.receive / updates,
             c.set / updates, c.send / updates, c.socket / updates,
             static_cast<double>(c.bytes) / updates},
            c.updates,
            c.delivered,
            c.wrong};
}

// Returns the time since the last call, in ns.
double lap_ns(uint64_t &mark_ns)
{
    const uint64_t now_ns = cpu_clock_ns(), since_ns = now_ns - mark_ns;
    mark_ns = now_ns;
    return static_cast<double>(since_ns);
}

// --- The floor: changed structs and their indices are copied for each client ---

constexpr size_t record_bytes = sizeof(uint32_t) + sizeof(Body);
constexpr size_t records_max =
    (tern::datagram_bytes_max - tern::data_header_bytes - tern::tag_bytes) / record_bytes;

struct RawCopy {
    Load load;
    bool sealed;
    Sockets sockets;
    Bodies bodies;
    std::vector<std::vector<Body>> copies; // [client]
    std::vector<std::byte> bytes;
    std::vector<tern::Datagram> datagrams;
    uint64_t number;
};

RawCopy make_raw_copy(const Load &load, bool sealed)
{
    RawCopy raw = {load,
                   sealed,
                   make_sockets(load.client_count),
                   bodies::make(load.object_count, load.stride),
                   {},
                   {},
                   {},
                   0};
    raw.copies.assign(load.client_count, raw.bodies.values);
    const size_t datagrams_max = load.object_count / records_max + 1;
    raw.bytes.resize(load.client_count * datagrams_max * tern::datagram_bytes_max);
    return raw;
}

// Packs one datagram, from the body at `i` on. Returns the index of the first body that did not
// fit.
size_t pack(RawCopy &raw, size_t i, const tern::Address &to, const tern::AeadKey &key)
{
    std::byte *begin = raw.bytes.data() + raw.datagrams.size() * tern::datagram_bytes_max;
    size_t size = tern::data_header_bytes;
    for (size_t n = 0; n < records_max && i < raw.bodies.values.size(); ++n) {
        const auto index = static_cast<uint32_t>(i);
        std::memcpy(begin + size, &index, sizeof index);
        std::memcpy(begin + size + sizeof index, &raw.bodies.values[i], sizeof(Body));
        size += record_bytes;
        i += raw.bodies.stride;
    }
    const std::span<std::byte> whole(begin, size + tern::tag_bytes);
    if (raw.sealed) tern::aead::seal(key, raw.number += 1, whole);
    raw.datagrams.push_back({to, whole});
    return i;
}

// Unpacks a datagram unless it is sealed. Returns the number of records.
uint64_t unpack(const RawCopy &raw, std::span<const std::byte> datagram, std::vector<Body> &to)
{
    const size_t end = datagram.size() - tern::tag_bytes;
    uint64_t count = 0;
    for (size_t at = tern::data_header_bytes; at < end; at += record_bytes, ++count) {
        if (raw.sealed) continue;
        uint32_t index;
        std::memcpy(&index, &datagram[at], sizeof index);
        std::memcpy(&to[index], &datagram[at + sizeof index], sizeof(Body));
    }
    return count;
}

Sample run_raw_copy(RawCopy &raw)
{
    static const tern::AeadKey key =
        tern::aead::key({1}, tern::aead::has_aes256_gcm() ? tern::Cipher::aes256_gcm
                                                          : tern::Cipher::chacha20_poly1305);
    Costs costs = {};
    for (uint32_t t = 0; t < raw.load.ticks; ++t) {
        bodies::move(raw.bodies);
        raw.datagrams.clear();
        uint64_t mark_ns = cpu_clock_ns();
        for (size_t client = 1; client <= raw.load.client_count; ++client) {
            const auto to = tern::loopback(raw.sockets.all[client]->local_address().port);
            for (size_t i = bodies::first(raw.bodies); i < raw.bodies.values.size();)
                i = pack(raw, i, to, key);
        }
        costs.send += lap_ns(mark_ns);
        raw.sockets.all[0]->send(raw.datagrams);
        costs.socket += lap_ns(mark_ns);
        for (size_t client = 1; client <= raw.load.client_count; ++client)
            for (const tern::Datagram &datagram : raw.sockets.all[client]->receive())
                costs.delivered += unpack(raw, datagram.bytes, raw.copies[client - 1]);
        for (const tern::Datagram &datagram : raw.datagrams)
            costs.bytes += datagram.bytes.size();
        costs.updates += bodies::moved_count(raw.bodies) * raw.load.client_count;
    }
    const size_t bytes = raw.bodies.values.size() * sizeof(Body);
    for (const std::vector<Body> &copy : raw.copies)
        costs.wrong = costs.wrong || (!raw.sealed && costs.delivered == costs.updates &&
                                      std::memcmp(copy.data(), raw.bodies.values.data(), bytes));
    return sample(costs);
}

// --- tern ---

struct Published {
    Load load;
    tern::Type type;
    Sockets sockets;
    Star star;
    Bodies bodies;
};

void settle(Published &p, int ticks)
{
    for (int i = 0; i < ticks; ++i) {
        p.star.now_us += star_tick_us;
        star::host_tick(p.star);
        star::clients_tick(p.star);
    }
}

void fill(Published &p, Precision precision, const Load &load, const tern::Parallel &parallel = {})
{
    p.load = load;
    p.type = bodies::type(precision, static_cast<uint32_t>(load.object_count));
    p.sockets = make_sockets(load.client_count);
    p.star = star::make({&p.type, 1}, p.sockets.all, rate_max, parallel);
    p.bodies = bodies::make(load.object_count, load.stride);
    bodies::create(p.bodies, p.star.sessions[0]); // While the host has all places.
    for (size_t i = 1; i <= load.client_count; ++i)
        star::join(p.star, i);
    for (int i = 0; i < join_ticks_max && !star::is_open(p.star, load.client_count); ++i)
        settle(p, 1);
    settle(p, 200);
    for (int i = 0; i < join_ticks_max && !star::is_equal(p.star); ++i)
        settle(p, 1);
    settle(p, 200);
    if (star::is_equal(p.star)) return;
    std::fprintf(stderr, "tern-bench: the clients did not get all objects\n");
    std::exit(1);
}

void destroy(Published &p)
{
    star::destroy(p.star);
    destroy(p.sockets);
}

uint64_t host_bytes(const Published &p)
{
    const tern::SocketStats stats = p.sockets.all[0]->stats();
    return stats.sent_bytes + stats.received_bytes;
}

Sample run_published(Published &p)
{
    Costs costs = {};
    tern::Session *host = p.star.sessions[0];
    const uint64_t bytes_before = host_bytes(p);
    for (uint32_t t = 0; t < p.load.ticks; ++t) {
        bodies::move(p.bodies);
        p.star.now_us += star_tick_us;
        uint64_t mark_ns = cpu_clock_ns();
        star::receive(p.star, 0);
        costs.receive += lap_ns(mark_ns);
        bodies::set(p.bodies, host);
        costs.set += lap_ns(mark_ns);
        const std::span<const tern::Datagram> datagrams = tern::send(host, p.star.now_us);
        costs.send += lap_ns(mark_ns);
        p.sockets.all[0]->send(datagrams);
        costs.socket += lap_ns(mark_ns);
        for (size_t i = 1; i < p.star.sessions.size(); ++i) {
            for (const tern::Event &event : star::receive(p.star, i))
                costs.delivered += event.kind == tern::EventKind::object_changed ? 1 : 0;
            star::send(p.star, i);
        }
        costs.updates += bodies::moved_count(p.bodies) * p.load.client_count;
    }
    costs.bytes = host_bytes(p) - bytes_before;
    settle(p, 60);
    costs.wrong = !star::is_equal(p.star);
    return sample(costs);
}

// Measures the wall-clock time that the host spends in send(), and its total CPU time.
Sample run_threads(Published &p)
{
    Spent spent_all = {};
    tern::Session *host = p.star.sessions[0];
    uint64_t updates = 0, delivered = 0;
    for (uint32_t t = 0; t < p.load.ticks; ++t) {
        bodies::move(p.bodies);
        p.star.now_us += star_tick_us;
        star::receive(p.star, 0);
        bodies::set(p.bodies, host);
        const Meter meter = start_meter();
        const std::span<const tern::Datagram> datagrams = tern::send(host, p.star.now_us);
        const Spent now = spent(meter);
        spent_all.wall_ns += now.wall_ns;
        spent_all.cpu_ns += now.cpu_ns;
        p.sockets.all[0]->send(datagrams);
        for (size_t i = 1; i < p.star.sessions.size(); ++i) {
            for (const tern::Event &event : star::receive(p.star, i))
                delivered += event.kind == tern::EventKind::object_changed ? 1 : 0;
            star::send(p.star, i);
        }
        updates += bodies::moved_count(p.bodies) * p.load.client_count;
    }
    settle(p, 60);
    const auto count = static_cast<double>(updates);
    return {{static_cast<double>(spent_all.wall_ns) / count,
             static_cast<double>(spent_all.cpu_ns) / count,
             static_cast<double>(spent_all.wall_ns) / p.load.ticks / 1e6},
            updates,
            delivered,
            !star::is_equal(p.star)};
}

bool measure_load(const char *id, const char *title, const Load &load, const Options &options)
{
    RawCopy plain = make_raw_copy(load, false), sealed = make_raw_copy(load, true);
    Published exact = {}, quantised = {};
    fill(exact, Precision::exact, load);
    fill(quantised, Precision::quantised, load);
    const Contender contenders[] = {
        contender<run_raw_copy>("raw copy and an index", plain),
        contender<run_raw_copy>("raw copy and an index, sealed", sealed),
        contender<run_published>("tern, exact floats", exact),
        contender<run_published>("tern, quantised", quantised)};
    const Section section = {
        id,
        title,
        {{"owner ns", 0, true},
         {"receive", 1, false},
         {"set", 1, false},
         {"send", 1, false},
         {"socket", 1, false},
         {"bytes", 1, false}},
        {"ns: CPU of the host, seal and socket in it, per update and receiver; all on one core",
         "quantised: 1 mm within 500 m, rotation of 9 bits, int32 of 16 bits; bytes: both ways",
         "delivered: changes that clients saw; what a later one overtook is not among them"}};
    const bool right = measure(section, contenders, options);
    for (RawCopy *raw : {&plain, &sealed})
        destroy(raw->sockets);
    destroy(exact);
    destroy(quantised);
    return right;
}

}

bool measure_threads(const Options &options)
{
    const Load load = {1000, 1, 64, options.quick ? 6u : 60u};
    tern::Workers *workers = tern::make_workers(1);
    if (!workers) {
        std::fprintf(stderr, "tern-bench: the system gives no thread\n");
        std::exit(1);
    }
    Published alone = {}, two = {};
    fill(alone, Precision::quantised, load);
    fill(two, Precision::quantised, load, tern::make_parallel(workers));
    const Contender contenders[] = {contender<run_threads>("send() in one thread", alone),
                                    contender<run_threads>("send() in two", two)};
    const Section section = {
        "threads",
        "threads: 1,000 objects of 32 B, all move each tick, 64 receivers, quantised",
        {{"wall ns", 1, true}, {"CPU ns", 1, false}, {"ms a tick", 2, false}},
        {"wall, CPU: of send() alone, per update and receiver; ms: by the clock on the wall"}};
    const bool right = measure(section, contenders, options);
    destroy(alone);
    destroy(two);
    tern::destroy_workers(workers);
    return right;
}

bool measure_wire(const Options &options)
{
    const uint32_t ticks = options.quick ? 12 : 120;
    bool right =
        measure_load("publish_4", "wire: 1,000 objects of 32 B, all move each tick, 4 receivers",
                     {1000, 1, 4, ticks}, options);
    right =
        measure_load("publish_16", "wire: the same, 16 receivers", {1000, 1, 16, ticks}, options) &&
        right;
    return measure_load("publish_1_percent",
                        "wire: 10,000 objects, 1 % change each tick, 4 receivers",
                        {10'000, 100, 4, 4 * ticks}, options) &&
           right;
}

}
