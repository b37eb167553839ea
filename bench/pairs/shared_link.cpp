#include "bench/pairs/shared_link.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <cstring>

using namespace tern;

namespace shared_link {
namespace {

constexpr uint64_t step_us = 1'000;
constexpr size_t reno_bytes = 1200;

void fly(World &w, Flying flying)
{
    const auto later = [](uint64_t at_us, const Flying &f) { return at_us < f.at_us; };
    const auto at = std::upper_bound(w.flying.begin(), w.flying.end(), flying.at_us, later);
    w.flying.insert(at, std::move(flying));
}

uint64_t way_us(World &w, size_t flow)
{
    const uint64_t jitter_us = w.link.jitter_us > 0 ? random::below(w.random, w.link.jitter_us) : 0;
    return w.link.way_us + w.flows[flow].plan.more_way_us / 2 + jitter_us;
}

void put(World &w, size_t flow, bool to_sender, uint64_t number, std::span<const std::byte> bytes)
{
    uint64_t at_us = w.now_us;
    if (bytes.size() > w.link.datagram_bytes_max) return;
    if (!to_sender) {
        const uint64_t wait_us = std::max(w.free_us, w.now_us) - w.now_us;
        if (wait_us * w.link.bytes_per_second / 1'000'000 + bytes.size() > w.link.queue_bytes_max) {
            w.dropped += 1;
            return;
        }
        w.free_us = w.now_us + wait_us + bytes.size() * 1'000'000 / w.link.bytes_per_second;
        at_us = w.free_us;
    }
    if (random::chance(w.random, w.link.loss)) return;
    fly(w, {at_us + way_us(w, flow), flow, to_sender, number, {bytes.begin(), bytes.end()}});
}

// --- A sender that reacts to losses only ---

void send_reno(World &w, size_t flow)
{
    Reno &r = w.flows[flow].reno;
    std::byte bytes[reno_bytes] = {};
    // No ack for a second: the retransmission timer expires.
    if (w.now_us - r.acked_us > 1'000'000) {
        r.next = r.acked;
        r.threshold = std::max(2.0, r.window / 2);
        r.window = 1;
        r.acked_us = w.now_us;
    }
    for (; static_cast<double>(r.next - r.acked) < r.window; r.next += 1)
        put(w, flow, false, r.next, bytes);
}

void reno_arrives(World &w, size_t flow, uint64_t number)
{
    Reno &r = w.flows[flow].reno;
    std::byte ack[40] = {};
    if (r.arrived.size() <= number) r.arrived.resize(number + 1000);
    r.arrived[number] = true;
    while (r.expected < r.arrived.size() && r.arrived[r.expected])
        r.expected += 1;
    w.flows[flow].arrived_bytes += reno_bytes;
    put(w, flow, true, r.expected, ack);
}

// Retransmits as with selective acks: every datagram that a later one has overtaken.
void repeat_holes(World &w, size_t flow)
{
    const Reno &r = w.flows[flow].reno;
    std::byte bytes[reno_bytes] = {};
    uint64_t end = std::min<uint64_t>(r.next, r.arrived.size());
    while (end > r.acked && !r.arrived[end - 1])
        end -= 1;
    for (uint64_t i = r.acked; i < end; i += 1)
        if (!r.arrived[i]) put(w, flow, false, i, bytes);
}

void reno_acked(World &w, size_t flow, uint64_t expected)
{
    Reno &r = w.flows[flow].reno;
    if (expected > r.acked) {
        r.acked_us = w.now_us;
        const auto more = static_cast<double>(expected - r.acked);
        r.acked = expected;
        r.next = std::max(r.next, r.acked);
        r.repeated = 0;
        if (r.acked >= r.recover) r.window += r.window < r.threshold ? more : more / r.window;
    } else if (r.repeated += 1; r.repeated == 3 && r.acked >= r.recover) {
        r.recover = r.next;
        r.threshold = r.window = std::max(2.0, r.window / 2);
        repeat_holes(w, flow);
    }
    send_reno(w, flow);
}

// --- A flow of tern ---

void fill(Flow &flow)
{
    static const std::vector<std::byte> message(8000);
    const bool greedy = flow.plan.load == Load::greedy || flow.plan.load == Load::both;
    while (greedy && connection::queue_message(*flow.sender, StreamId::world, message)) {
    }
}

// Streams get at most half of each packet while the unreliable data of this tick waits, as in
// session/.
void send_connection(World &w, size_t index, bool is_sender)
{
    Flow &flow = w.flows[index];
    Connection &c = is_sender ? *flow.sender : *flow.receiver;
    std::byte buffer[datagram_bytes_max];
    size_t left = is_sender && flow.plan.load != Load::greedy ? flow.plan.bytes : 0;
    for (int i = 0; i < 256 && connection::has_budget(c, w.now_us); i += 1) {
        if (left == 0 && !connection::wants_packet(c, w.now_us)) return;
        const size_t stream_bytes = left > 0 ? datagram_bytes_max / 2 : datagram_bytes_max;
        Packet packet = connection::begin_packet(c, buffer, stream_bytes, w.now_us);
        const std::span<std::byte> room = connection::unreliable_room(packet);
        if (left > 0 && room.size() >= 8) {
            const size_t bytes = std::max<size_t>(8, std::min(left, room.size()));
            std::memcpy(room.data(), &w.now_us, 8);
            connection::add_unreliable(packet, UnreliableKind::updates, bytes);
            left -= std::min(left, bytes);
        }
        const std::span<const std::byte> bytes = connection::finish_packet(c, packet, w.now_us);
        if (bytes.empty()) return;
        put(w, index, !is_sender, 0, bytes);
    }
}

void tick(World &w, size_t index, bool is_sender)
{
    Flow &flow = w.flows[index];
    Connection &c = is_sender ? *flow.sender : *flow.receiver;
    while (!connection::peek_message(c, StreamId::world).empty())
        connection::consume_message(c, StreamId::world);
    connection::update(c, w.now_us);
    for (PacketOutcome outcome; connection::take_packet_outcome(c, outcome);) {
    }
    if (is_sender) fill(flow);
    send_connection(w, index, is_sender);
}

void arrive(World &w, const Flying &f)
{
    Flow &flow = w.flows[f.flow];
    if (flow.plan.load == Load::reno)
        return f.to_sender ? reno_acked(w, f.flow, f.number) : reno_arrives(w, f.flow, f.number);
    PacketRoom room;
    Connection &c = f.to_sender ? *flow.sender : *flow.receiver;
    const OpenedPacket packet = connection::open_packet(c, f.bytes, room);
    if (packet.opening != Opening::ok) return;
    connection::accept(c, packet, w.now_us);
    if (f.to_sender) return;
    flow.arrived_bytes += f.bytes.size();
    for (size_t i = 0; i < packet.unreliable_count; i += 1) {
        uint64_t sent_us = 0;
        std::memcpy(&sent_us, packet.unreliable[i].bytes.data(), 8);
        flow.stale_us = std::max(flow.stale_us, w.now_us - sent_us);
    }
}

// A receiver sees what has arrived only in its own ticks.
void tick_due(World &w, size_t index, bool is_sender)
{
    Flow &flow = w.flows[index];
    uint64_t &next_us = flow.next_us[is_sender ? 0 : 1];
    if (w.now_us < next_us) return;
    next_us += flow.tick_us[is_sender ? 0 : 1];
    for (size_t i = 0; i < w.flying.size() && w.flying[i].at_us <= w.now_us;) {
        const Flying f = w.flying[i];
        if (f.flow != index || f.to_sender != is_sender) {
            i += 1;
            continue;
        }
        w.flying.erase(w.flying.begin() + static_cast<ptrdiff_t>(i));
        arrive(w, f);
    }
    tick(w, index, is_sender);
}

void step_reno(World &w, size_t index)
{
    for (size_t i = 0; i < w.flying.size() && w.flying[i].at_us <= w.now_us;) {
        const Flying f = w.flying[i];
        if (f.flow != index) {
            i += 1;
            continue;
        }
        w.flying.erase(w.flying.begin() + static_cast<ptrdiff_t>(i));
        arrive(w, f);
    }
    send_reno(w, index);
}

void note(World &w)
{
    const uint64_t queue_us = std::max(w.free_us, w.now_us) - w.now_us;
    w.queue_worst_us = std::max(w.queue_worst_us, queue_us);
    w.queue_sum_us += queue_us;
    w.queue_count += 1;
    if (w.now_us % sample_us != 0) return;
    w.queue_ms.push_back(static_cast<uint32_t>(w.queue_sum_us / w.queue_count / 1000));
    w.queue_sum_us = w.queue_count = 0;
    for (Flow &flow : w.flows) {
        flow.rates.push_back(flow.arrived_bytes * 1'000'000 / sample_us);
        flow.late_ms.push_back(static_cast<uint32_t>(flow.stale_us / 1000));
        flow.arrived_bytes = flow.stale_us = 0;
    }
}

Connection *open(std::vector<std::max_align_t> &memory, const FlowPlan &plan, bool is_sender)
{
    const ConnectionLimits limits = {
        plan.cap_bytes_per_second, 60'000'000, {plan.queue_bytes, 64 * 1024}};
    memory.resize(connection::size_bytes(limits) / sizeof(std::max_align_t) + 1);
    Connection *c = connection::place(memory.data(), limits);
    DataKeys keys = {};
    keys.send[0] = is_sender ? 1 : 2;
    keys.receive[0] = is_sender ? 2 : 1;
    connection::open(*c, keys, 1, {{1}, 1}, plan.start_us);
    return c;
}

}

World make(const Link &link, const std::vector<FlowPlan> &plans, uint64_t seed)
{
    World w = {};
    w.link = link;
    w.random = random::from_seed(seed);
    for (const FlowPlan &plan : plans) {
        Flow &flow = w.flows.emplace_back();
        flow.plan = plan;
        flow.reno.window = 10;
        flow.reno.threshold = 1e9;
        flow.reno.acked_us = plan.start_us;
        for (size_t i = 0; i < 2; i += 1) {
            flow.next_us[i] = plan.start_us + random::below(w.random, tick_us);
            flow.tick_us[i] =
                tick_us - link.drift_us + random::below(w.random, 2 * link.drift_us + 1);
        }
        flow.sender = open(flow.memory[0], plan, true);
        flow.receiver = open(flow.memory[1], plan, false);
    }
    return w;
}

void run(World &w, uint64_t until_us)
{
    while (w.now_us < until_us) {
        w.now_us += step_us;
        for (size_t i = 0; i < w.flows.size(); i += 1) {
            const FlowPlan &plan = w.flows[i].plan;
            if (w.now_us < plan.start_us || w.now_us >= plan.end_us) continue;
            if (plan.load == Load::reno) {
                step_reno(w, i);
                continue;
            }
            tick_due(w, i, true);
            tick_due(w, i, false);
        }
        note(w);
    }
}

Result result(const World &w, uint64_t from_us, uint64_t to_us)
{
    const size_t from = from_us / sample_us, to = std::min(w.queue_ms.size(), to_us / sample_us);
    const auto count = static_cast<double>(to - from);
    Result result = {};
    double least = 1e18, most = 0;
    for (const Flow &flow : w.flows) {
        double sum = 0;
        for (size_t i = from; i < to; i += 1) {
            sum += static_cast<double>(flow.rates[i]);
            result.late_worst_ms =
                std::max(result.late_worst_ms, static_cast<double>(flow.late_ms[i]));
        }
        result.rates.push_back(sum / count);
        least = std::min(least, sum / count);
        most = std::max(most, sum / count);
        result.use += sum / count / static_cast<double>(w.link.bytes_per_second);
    }
    result.fairness = most / std::max(least, 1.0);
    std::vector<uint32_t> queue(w.queue_ms.begin() + static_cast<ptrdiff_t>(from),
                                w.queue_ms.begin() + static_cast<ptrdiff_t>(to));
    for (const uint32_t ms : queue)
        result.queue_mean_ms += ms / count;
    std::sort(queue.begin(), queue.end());
    result.queue_p95_ms = queue[queue.size() * 95 / 100];
    return result;
}

}
