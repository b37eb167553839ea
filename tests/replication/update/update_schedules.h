// Explores every schedule of a small world of UPDATEs: which fields change at each tick, whether
// and when each packet is delivered, and whether and when it is reported as acked or lost. Equal
// states are explored once, but all schedules that lead to them are counted.
#pragma once
#include "base/hash.h"
#include "tern/limits.hpp"
#include "tests/replication/block.h"
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

namespace tern {

struct ScheduleLimits {
    uint32_t changing_ticks; // In each: no field, one, the other, or both.
    uint32_t quiet_ticks;    // No field changes any more, but packets are treated as before.
    bool values_return;      // True: fields alternate between two values. False: each value is new.
    bool losses;             // False: every packet arrives at some time and is acked.
};

struct Explored {
    uint64_t schedules = 0;
    uint64_t states = 0;
    uint64_t diverged = 0; // Schedules after which the receiver's values differ from the owner's.
    std::string first_diverged;
};

namespace update_schedules {

struct Pair {
    uint8_t fields[2];
};

inline const Field pair_fields[] = {{"first", FieldKind::uint8, 0},
                                    {"second", FieldKind::uint8, 1}};
inline const Type pair_types[] = {{"Pair", sizeof(Pair), pair_fields, 1}};
inline const PeerId owner_id = PeerId{1};
inline const ObjectId object_id_of_pair = object_id::make(owner_id, 1);

inline const TypeTable &table()
{
    static const TypeTable result = type_table::make(pair_types);
    return result;
}

enum class Outcome : uint8_t { nothing, arrived, lost };

struct Flight {
    std::vector<std::byte> message;
    bool delivered;
    Outcome told;
};

struct Node {
    Block owner, receiver;
    std::vector<Flight> flights;
    uint32_t tick;
};

inline Pair value(const Block &block)
{
    return *static_cast<const Pair *>(
        world::value(block.world(), table(), world::find(block.world(), object_id_of_pair)));
}

inline void add_pair(Block &block)
{
    const ObjectSlot slot = world::add(block.world(), table(), object_id_of_pair, 0);
    block.world().slots[slot].owner = owner_id;
    block.world().slots[slot].tick = block.world().tick;
}

inline Node first_node()
{
    const BlockLimits limits = {1, 8, 8, 1};
    Node node = {make_block(table(), limits), make_block(table(), limits), {}, 1};
    add_pair(node.owner);
    add_pair(node.receiver);
    const ObjectSlot slot = world::find(node.owner.world(), object_id_of_pair);
    publish::announced({node.owner.publisher(), node.owner.world(), table(), 0}, slot, 1);
    return node;
}

inline void change(Node &node, uint32_t fields, bool values_return)
{
    Pair next = value(node.owner);
    for (uint32_t i = 0; i < 2; ++i)
        if (fields >> i & 1)
            next.fields[i] =
                static_cast<uint8_t>(values_return ? 1 - next.fields[i] : 10 * node.tick + i);
    const ObjectSlot slot = world::find(node.owner.world(), object_id_of_pair);
    world::write(node.owner.world(), table(), slot, &next);
}

// The owner's next tick. An UPDATE that is due becomes the packet with the number flights.size().
inline void tick(Node &node, uint32_t fields, bool values_return)
{
    node.tick += 1;
    node.owner.world().tick = node.tick;
    encode_cache::begin(node.owner.cache());
    change(node, fields, values_return);
    publish::begin(node.owner.publisher(), node.owner.world(), table(), owner_id);
    std::byte buffer[64];
    const size_t size = publish::write({node.owner.publisher(), node.owner.world(), table(), 0},
                                       node.owner.scratch(), node.flights.size(), buffer);
    if (size > 0) node.flights.push_back({{buffer, buffer + size}, false, Outcome::nothing});
}

inline void deliver(Node &node, size_t packet)
{
    node.flights[packet].delivered = true;
    UpdateReader r = publish::reader(table(), PeerId::none, node.flights[packet].message);
    Update update;
    std::byte values[struct_bytes_max];
    while (publish::next(r, update, values)) {
        World &world = node.receiver.world();
        const ObjectSlot slot = world::find(world, update.object);
        const Applied result = publish::apply(world, table(), owner_id, slot, update).result;
        TERN_ASSERT(result <= Applied::unchanged, "result %u", static_cast<unsigned>(result));
    }
    TERN_ASSERT(!publish::malformed(r), "packet %zu", packet);
}

inline void tell(Node &node, size_t packet, Outcome told)
{
    node.flights[packet].told = told;
    publish::on_packet_outcome({node.owner.publisher(), node.owner.world(), table(), 0}, packet,
                               told == Outcome::arrived);
}

// Without further losses: are the values equal once nothing is due? And are they still equal when
// the packets reported as lost arrive after all?
inline bool converges(Node node)
{
    for (int i = 0; i < 4 && publish::has_due(node.owner.publisher(), node.owner.world(), 0); ++i) {
        const size_t before = node.flights.size();
        tick(node, 0, false);
        if (node.flights.size() == before) continue;
        deliver(node, before);
        tell(node, before, Outcome::arrived);
    }
    const Pair wanted = value(node.owner);
    const auto equal = [&] {
        const Pair there = value(node.receiver);
        return std::memcmp(&there, &wanted, sizeof(Pair)) == 0;
    };
    if (publish::has_due(node.owner.publisher(), node.owner.world(), 0) || !equal()) return false;
    for (size_t i = node.flights.size(); i > 0; --i)
        if (!node.flights[i - 1].delivered) deliver(node, i - 1);
    return equal();
}

struct Key {
    uint64_t parts[2];
    auto operator<=>(const Key &) const = default;
};

inline Key key(const Node &node)
{
    std::string text(reinterpret_cast<const char *>(&node.tick), sizeof(node.tick));
    for (const Block *block : {&node.owner, &node.receiver})
        text.append(reinterpret_cast<const char *>(block->bytes().data()), block->bytes().size());
    for (const Flight &flight : node.flights) {
        text += static_cast<char>(flight.delivered);
        text += static_cast<char>(flight.told);
        if (flight.delivered) continue;
        text.append(reinterpret_cast<const char *>(flight.message.data()), flight.message.size());
    }
    return {{hash::add(hash::start, std::as_bytes(std::span(text))),
             std::hash<std::string_view>()(text)}};
}

struct Ways {
    uint64_t all, diverged;
};

struct Search {
    ScheduleLimits limits;
    std::map<Key, Ways> known;
    std::string path;
    std::string first_diverged;
};

inline Ways explore(Search &search, const Node &node);

template <class Step>
void follow(Search &search, const Node &node, Ways &ways, const std::string &name, Step step)
{
    Node next = node;
    step(next);
    const size_t length = search.path.size();
    search.path += name;
    const Ways more = explore(search, next);
    search.path.resize(length);
    ways.all += more.all;
    ways.diverged += more.diverged;
}

inline void follow_packets(Search &search, const Node &node, Ways &ways)
{
    for (size_t i = 0; i < node.flights.size(); ++i) {
        const std::string number = std::to_string(i);
        if (!node.flights[i].delivered)
            follow(search, node, ways, " deliver " + number, [&](Node &n) { deliver(n, i); });
        if (node.flights[i].told != Outcome::nothing) continue;
        if (search.limits.losses)
            follow(search, node, ways, " lost " + number,
                   [&](Node &n) { tell(n, i, Outcome::lost); });
        if (node.flights[i].delivered)
            follow(search, node, ways, " ack " + number,
                   [&](Node &n) { tell(n, i, Outcome::arrived); });
    }
}

inline Ways explore(Search &search, const Node &node)
{
    const Key here = key(node);
    const auto found = search.known.find(here);
    if (found != search.known.end()) return found->second;
    Ways ways = {};
    const ScheduleLimits &limits = search.limits;
    const uint32_t ticks = node.tick - 1; // The object was announced at tick 1.
    if (ticks < limits.changing_ticks + limits.quiet_ticks)
        for (uint32_t fields = 0; fields < (ticks < limits.changing_ticks ? 4u : 1u); ++fields)
            follow(search, node, ways, " change " + std::to_string(fields),
                   [&](Node &n) { tick(n, fields, limits.values_return); });
    const bool all_told =
        std::all_of(node.flights.begin(), node.flights.end(),
                    [](const Flight &flight) { return flight.told != Outcome::nothing; });
    if (ticks == limits.changing_ticks + limits.quiet_ticks && all_told) {
        ways.all += 1;
        if (!converges(node)) {
            ways.diverged += 1;
            if (search.first_diverged.empty()) search.first_diverged = search.path;
        }
    }
    follow_packets(search, node, ways);
    search.known[here] = ways;
    return ways;
}

inline Explored all(const ScheduleLimits &limits)
{
    Search search = {limits, {}, {}, {}};
    const Ways ways = explore(search, first_node());
    return {ways.all, search.known.size(), ways.diverged, search.first_diverged};
}

// --- Tenures: an object moves from A to B and back; UPDATEs of all three tenures arrive late ---

enum class Arrival : uint8_t { update_a, migrate_b, update_b, migrate_a, update_a_again };

struct Tenure {
    Stamp stamp;
    PeerId owner;
    uint32_t tick;
    Pair announced;                 // The value in CREATE or MIGRATE.
    std::vector<std::byte> message; // The UPDATE that follows.
};

// Makes one owner's tenure: it starts at `tick` with `value`, then changes one field.
inline Tenure make_tenure(Stamp stamp, PeerId owner, uint32_t tick, Pair value, uint32_t field)
{
    Block block = make_block(table());
    World &world = block.world();
    world.tick = tick;
    const ObjectSlot slot = world::add(world, table(), object_id_of_pair, 0);
    world::write(world, table(), slot, &value);
    world.slots[slot].stamp = stamp;
    world.slots[slot].owner = owner;
    publish::announced({block.publisher(), world, table(), 0}, slot, tick);
    world.tick += 1;
    Pair next = value;
    next.fields[field] = static_cast<uint8_t>(stamp + 1);
    world::write(world, table(), slot, &next);
    publish::begin(block.publisher(), world, table(), owner);
    std::byte buffer[64];
    const size_t size =
        publish::write({block.publisher(), world, table(), 0}, block.scratch(), 1, buffer);
    return {stamp, owner, tick, value, {buffer, buffer + size}};
}

struct TenureSearch {
    std::vector<Tenure> tenures;
    Pair wanted;
    Explored result;
};

inline void migrate(Block &receiver, const Tenure &tenure)
{
    World &world = receiver.world();
    const ObjectSlot slot = world::find(world, object_id_of_pair);
    KnownObject &object = world.slots[slot];
    if (tenure.stamp <= object.stamp) return;
    object.stamp = tenure.stamp;
    object.owner = tenure.owner;
    object.tick = tenure.tick;
    std::memcpy(world::value(world, table(), slot), &tenure.announced, sizeof(Pair));
}

inline void arrive(TenureSearch &search, Block &receiver, Arrival arrival)
{
    const auto number = static_cast<size_t>(arrival);
    const Tenure &tenure = search.tenures[(number + 1) / 2];
    if (number % 2 == 1) return migrate(receiver, tenure);
    UpdateReader r = publish::reader(table(), PeerId::none, tenure.message);
    Update update;
    std::byte values[struct_bytes_max];
    while (publish::next(r, update, values))
        publish::apply(receiver.world(), table(), tenure.owner,
                       world::find(receiver.world(), update.object), update);
}

// left[arrival]: how often it may still arrive.
inline void explore_tenures(TenureSearch &search, const Block &receiver,
                            std::array<uint8_t, 5> left, const std::string &path)
{
    if (left[1] == 0 && left[3] == 0 && left[4] < 2) { // The last UPDATE has arrived at least once.
        search.result.schedules += 1;
        const Pair there = value(receiver);
        if (std::memcmp(&there, &search.wanted, sizeof(Pair)) != 0) {
            search.result.diverged += 1;
            if (search.result.first_diverged.empty()) search.result.first_diverged = path;
        }
    }
    for (size_t i = 0; i < left.size(); ++i) {
        if (left[i] == 0) continue;
        // An owner sends UPDATEs only after its announcement is acked.
        if (i == 2 && left[1] > 0) continue;
        if (i == 4 && left[3] > 0) continue;
        Block next = receiver;
        arrive(search, next, static_cast<Arrival>(i));
        std::array<uint8_t, 5> after = left;
        after[i] -= 1;
        explore_tenures(search, next, after, path + " " + std::to_string(i));
    }
}

// B's ticks are far ahead of A's; ticks of different peers are unrelated.
inline Explored all_tenures()
{
    const PeerId b = PeerId{2};
    TenureSearch search = {};
    search.tenures.push_back(make_tenure(0, owner_id, 100, {{0, 0}}, 0));
    search.tenures.push_back(make_tenure(1, b, 1000, {{1, 0}}, 1));
    search.tenures.push_back(make_tenure(2, owner_id, 103, {{1, 2}}, 0));
    search.wanted = {{3, 2}};
    Block receiver = make_block(table());
    receiver.world().tick = 100;
    add_pair(receiver);
    explore_tenures(search, receiver, {2, 1, 2, 1, 2}, "");
    return search.result;
}

}
}
