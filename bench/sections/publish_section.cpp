// Measures replication without a network: one owner and four receivers.
#include "bench/pairs/crowd.h"
#include "bench/sections/sections.h"

namespace bench {
namespace {

// --- The floor: object structs are copied into a packet per receiver, and out again ---

struct RawCopy {
    size_t object_count;
    size_t stride; // Every stride-th object changes in a tick.
    uint32_t ticks;
    std::vector<Body> bodies;  // The values that the owner sets next.
    std::vector<Body> objects; // The owner's objects.
    std::vector<Body> copies[receivers_count];
    std::vector<std::byte> packets[receivers_count];
    uint32_t tick;
};

RawCopy make_raw_copy(size_t object_count, size_t stride, uint32_t ticks)
{
    RawCopy raw = {object_count, stride, ticks, {}, {}, {}, {}, 0};
    raw.bodies.resize(object_count);
    raw.objects.resize(object_count);
    for (size_t i = 0; i < receivers_count; ++i) {
        raw.copies[i].resize(object_count);
        raw.packets[i].resize(object_count * (sizeof(uint32_t) + sizeof(Body)));
    }
    return raw;
}

// Keeps the compiler from optimizing away the copies that a network would require.
void touch(std::vector<std::byte> &packet)
{
    std::byte *bytes = packet.data();
    asm volatile("" : "+r"(bytes) : : "memory");
}

size_t pack_copies(const RawCopy &raw, size_t first, std::vector<std::byte> &packet)
{
    std::byte *to = packet.data();
    for (size_t i = first; i < raw.object_count; i += raw.stride) {
        const auto index = static_cast<uint32_t>(i);
        std::memcpy(to, &index, sizeof index);
        std::memcpy(to + sizeof index, &raw.objects[i], sizeof(Body));
        to += sizeof index + sizeof(Body);
    }
    return static_cast<size_t>(to - packet.data());
}

void unpack_copies(std::span<const std::byte> packet, std::vector<Body> &copies)
{
    for (size_t at = 0; at < packet.size(); at += sizeof(uint32_t) + sizeof(Body)) {
        uint32_t index;
        std::memcpy(&index, &packet[at], sizeof index);
        std::memcpy(&copies[index], &packet[at + sizeof index], sizeof(Body));
    }
}

struct Costs { // Sums over a round; times in ns.
    double set, write, outcomes, receive;
    uint64_t bytes, updates, delivered;
    bool wrong;
};

Sample sample(const Costs &c)
{
    const auto updates = static_cast<double>(c.updates);
    return {{(c.set + c.write + c.outcomes) / updates, c.set / updates, c.write / updates,
             c.outcomes / updates, c.receive / updates, static_cast<double>(c.bytes) / updates},
            c.updates,
            c.delivered,
            c.wrong};
}

double since_ns(uint64_t begin_ns)
{
    return static_cast<double>(cpu_clock_ns() - begin_ns);
}

Sample run_raw_copy(RawCopy &raw)
{
    Costs costs = {};
    for (uint32_t t = 0; t < raw.ticks; ++t) {
        raw.tick += 1;
        const size_t first = raw.tick % raw.stride;
        for (size_t i = first; i < raw.object_count; i += raw.stride)
            raw.bodies[i].health = static_cast<int32_t>(raw.tick + i);

        uint64_t begin_ns = cpu_clock_ns();
        for (size_t i = first; i < raw.object_count; i += raw.stride)
            std::memcpy(&raw.objects[i], &raw.bodies[i], sizeof(Body));
        costs.set += since_ns(begin_ns);

        size_t sizes[receivers_count];
        begin_ns = cpu_clock_ns();
        for (size_t i = 0; i < receivers_count; ++i) {
            sizes[i] = pack_copies(raw, first, raw.packets[i]);
            touch(raw.packets[i]);
        }
        costs.write += since_ns(begin_ns);

        begin_ns = cpu_clock_ns();
        for (size_t i = 0; i < receivers_count; ++i)
            unpack_copies(std::span(raw.packets[i]).first(sizes[i]), raw.copies[i]);
        costs.receive += since_ns(begin_ns);
        for (size_t i = 0; i < receivers_count; ++i) {
            costs.bytes += sizes[i];
            costs.updates += sizes[i] / (sizeof(uint32_t) + sizeof(Body));
        }
    }
    costs.delivered = costs.updates;
    for (const std::vector<Body> &copy : raw.copies)
        costs.wrong = costs.wrong || std::memcmp(copy.data(), raw.objects.data(),
                                                 raw.object_count * sizeof(Body)) != 0;
    return sample(costs);
}

// --- tern ---

struct Publishing {
    std::unique_ptr<Crowd> crowd;
    size_t stride;
    uint32_t ticks;
};

Sample run_publish(Publishing &p)
{
    Crowd &crowd = *p.crowd;
    Costs costs = {};
    for (uint32_t t = 0; t < p.ticks; ++t) {
        const size_t first = (crowd.tick + 1) % p.stride;
        crowd::move(crowd, first, p.stride);
        const size_t moved = (crowd.bodies.size() - first + p.stride - 1) / p.stride;

        uint64_t begin_ns = cpu_clock_ns();
        crowd::set(crowd, first, p.stride);
        costs.set += since_ns(begin_ns);

        begin_ns = cpu_clock_ns();
        crowd::write(crowd);
        costs.write += since_ns(begin_ns);

        begin_ns = cpu_clock_ns();
        costs.delivered += crowd::receive(crowd);
        costs.receive += since_ns(begin_ns);

        begin_ns = cpu_clock_ns();
        crowd::report_packet_outcomes(crowd);
        costs.outcomes += since_ns(begin_ns);
        costs.bytes += crowd::piped_bytes(crowd);
        costs.updates += moved * receivers_count;
    }
    costs.wrong = !crowd::is_equal(crowd);
    return sample(costs);
}

Sample run_idle(Publishing &p)
{
    uint64_t due = 0;
    const uint64_t begin_ns = cpu_clock_ns();
    for (uint32_t t = 0; t < p.ticks; ++t)
        due += crowd::idle(*p.crowd);
    const double ns = since_ns(begin_ns);
    return {{ns / p.ticks}, 0, 0, due > 0};
}

const std::vector<Column> publish_columns = {{"owner ns", 1, true},    {"its set", 1, false},
                                             {"write", 1, false},      {"outcomes", 1, false},
                                             {"receiver ns", 1, true}, {"bytes", 1, false}};
const std::vector<const char *> publish_notes = {
    "all per object update per receiver; 3 floats, a quaternion, an int32, all changing",
    "quantised: position in 0.01 of +-1000, quaternion in 0.005, int32 of 16 bits",
    "bytes: UDP payload, with the header and tag of its packets and without acks"};

bool measure_all_changing(const Options &options)
{
    const uint32_t ticks = options.quick ? 5 : 50;
    RawCopy raw = make_raw_copy(1000, 1, ticks);
    Publishing exact = {crowd::make(Precision::exact, 1000), 1, ticks};
    Publishing quantised = {crowd::make(Precision::quantised, 1000), 1, ticks};
    const Contender contenders[] = {
        contender<run_raw_copy>("raw copy of 32 bytes, and an index", raw, Promise::everything),
        contender<run_publish>("tern, exact floats", exact, Promise::everything),
        contender<run_publish>("tern, quantised", quantised, Promise::everything)};
    const Section section = {"publish_all",
                             "publish: 1,000 objects, all change each tick, 4 receivers",
                             publish_columns, publish_notes};
    return measure(section, contenders, options);
}

bool measure_few_changing(const Options &options)
{
    const uint32_t ticks = options.quick ? 20 : 200;
    RawCopy raw = make_raw_copy(10'000, 100, ticks);
    Publishing exact = {crowd::make(Precision::exact, 10'000), 100, ticks};
    Publishing quantised = {crowd::make(Precision::quantised, 10'000), 100, ticks};
    const Contender contenders[] = {
        contender<run_raw_copy>("raw copy of 32 bytes, and an index", raw, Promise::everything),
        contender<run_publish>("tern, exact floats", exact, Promise::everything),
        contender<run_publish>("tern, quantised", quantised, Promise::everything)};
    const Section section = {"publish_few",
                             "publish: 10,000 objects, 1 % change each tick, 4 receivers",
                             publish_columns,
                             {}};
    return measure(section, contenders, options);
}

bool measure_replica_idle(const Options &options)
{
    const uint32_t ticks = options.quick ? 1000 : 10'000;
    Publishing few = {crowd::make(Precision::exact, 100), 1, ticks};
    Publishing many = {crowd::make(Precision::exact, 10'000), 1, ticks};
    const Contender contenders[] = {contender<run_idle>("100 objects", few),
                                    contender<run_idle>("10,000 objects", many)};
    const Section section = {
        "publish_idle",
        "publish: nothing changes, 4 receivers",
        {{"ns per tick", 0, true}},
        {"a tick of the owner's replica; ratio 1: it does not grow with the objects"}};
    return measure(section, contenders, options);
}

}

bool measure_publish(const Options &options)
{
    bool right = measure_all_changing(options);
    right = measure_few_changing(options) && right;
    return measure_replica_idle(options) && right;
}

}
