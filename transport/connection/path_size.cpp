#include "transport/connection/path_size.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <iterator>

namespace tern::path_size {

namespace {

constexpr uint8_t tries_max = 3; // MAX_PROBES of RFC 8899, 5.1.2.
// The path has shrunk after so many losses in a row. At a random loss of 30 % this is mistaken for
// one in 15,000 runs of 8 packets.
constexpr uint8_t large_losses_max = 8;
constexpr uint64_t rest_us = 60'000'000;

// Postpones the search for a larger size.
void rest(PathSize &path, uint64_t sent_us)
{
    path._candidate = 0;
    path._wanted = false;
    path._rest_until_us = sent_us + rest_us;
}

void settle_probe(PathSize &path, size_t size_bytes, bool acked, uint64_t sent_us)
{
    path._probe = no_probe;
    if (acked) {
        path._bytes = static_cast<uint32_t>(size_bytes);
        path._tries = 0;
        rest(path, sent_us);
        return;
    }
    path._tries += 1;
    if (path._tries < tries_max) return;
    path._tries = 0;
    path._candidate += 1;
    const bool larger =
        path._candidate < std::size(candidates) && candidates[path._candidate] > path._bytes;
    if (!larger) rest(path, sent_us);
}

}

PathSize make(size_t bytes)
{
    return {no_probe, 0, static_cast<uint32_t>(bytes), 0, 0, 0, false};
}

size_t bytes(const PathSize &path)
{
    return path._bytes;
}

size_t probe_bytes(const PathSize &path, uint64_t now_us)
{
    const bool due = path._wanted && path._probe == no_probe && now_us >= path._rest_until_us;
    return due ? candidates[path._candidate] : 0;
}

void probed(PathSize &path, uint64_t packet)
{
    path._probe = packet;
}

void filled(PathSize &path)
{
    path._wanted = path._bytes >= datagram_bytes_base && path._bytes < datagram_bytes_max;
}

bool settled(PathSize &path, uint64_t packet, size_t size_bytes, bool acked, uint64_t sent_us)
{
    if (packet == path._probe) {
        settle_probe(path, size_bytes, acked, sent_us);
        return true;
    }
    // A large packet on a small path was sent before the path shrank, or on another path.
    const bool counts = size_bytes > datagram_bytes_base && path._bytes > datagram_bytes_base;
    if (!counts) return false;
    path._lost_count = acked ? 0 : path._lost_count + 1;
    if (path._lost_count < large_losses_max) return false;
    path._lost_count = 0;
    path._bytes = datagram_bytes_base;
    rest(path, sent_us);
    return false;
}

}
