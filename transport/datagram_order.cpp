#include "transport/datagram_order.h"
#include "base/assert.h"
#include "transport/connection/connection_types.h"
#include "transport/little_endian.h"
#include <algorithm>
#include <numeric>

namespace tern::datagram_order {

namespace {

// A key describes a data datagram. `first` is the place of the first one of its connection.
struct Key {
    uint32_t id, number;
    uint16_t first, place;
};

struct Keys { // In the order of places.
    Key at[datagrams_max];
    size_t count;
    bool ordered; // The numbers of each connection ascend already.
};

bool is_data(const Datagram &datagram)
{
    return datagram.bytes.size() > data_header_bytes && datagram.bytes[0] == data_datagram_type;
}

void find_keys(std::span<const Datagram> datagrams, Keys &keys)
{
    constexpr size_t buckets = 2 * datagrams_max; // So a free one is found soon.
    uint16_t last[buckets] = {}; // Each holds the index of a connection's last key, plus 1.
    keys.count = 0;
    keys.ordered = true;
    for (size_t i = 0; i < datagrams.size(); ++i) {
        if (!is_data(datagrams[i])) continue;
        const std::byte *header = datagrams[i].bytes.data();
        Key key = {little_endian::load32(header + 1), little_endian::load32(header + 5),
                   static_cast<uint16_t>(i), static_cast<uint16_t>(i)};
        size_t bucket = key.id % buckets;
        while (last[bucket] != 0 && keys.at[last[bucket] - 1].id != key.id)
            bucket = (bucket + 1) % buckets;
        if (last[bucket] != 0) {
            const Key &before = keys.at[last[bucket] - 1];
            key.first = before.first;
            // Numbers are the low 32 bits of a counter, so they may wrap around.
            if (static_cast<int32_t>(key.number - before.number) < 0) keys.ordered = false;
        }
        keys.at[keys.count++] = key;
        last[bucket] = static_cast<uint16_t>(keys.count);
    }
}

}

void sort(std::span<const Datagram> datagrams, std::span<uint16_t> order)
{
    TERN_ASSERT(datagrams.size() <= datagrams_max && order.size() == datagrams.size(),
                "%zu datagrams, an order of %zu", datagrams.size(), order.size());
    std::iota(order.begin(), order.end(), uint16_t{0});
    if (datagrams.size() < 2) return;
    Keys keys; // Large, so only what is used is written.
    find_keys(datagrams, keys);
    if (keys.ordered) return;
    const auto by_place = [](const Key &a, const Key &b) {
        return a.first != b.first ? a.first < b.first : a.place < b.place;
    };
    // An attacker chooses the numbers, so they are compared by their distance from one of them:
    // else the comparison would be no order.
    const std::span<Key> all(keys.at, keys.count);
    std::sort(all.begin(), all.end(), by_place);
    Key sent[datagrams_max];
    std::copy(all.begin(), all.end(), sent);
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        while (end < all.size() && all[end].first == all[begin].first)
            end += 1;
        const uint32_t origin = all[begin].number - (uint32_t{1} << 31);
        std::sort(sent + begin, sent + end, [origin](const Key &a, const Key &b) {
            const uint32_t from = a.number - origin, to = b.number - origin;
            return from != to ? from < to : a.place < b.place;
        });
    }
    for (size_t i = 0; i < all.size(); ++i)
        order[all[i].place] = sent[i].place;
}

}
