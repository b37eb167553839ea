// How large a datagram the way to a peer carries. Every way carries datagram_bytes_base; more is
// tried once packets are full, by packets of padding that may be lost (RFC 8899). A way that no
// longer carries it is noticed by what is lost.
#pragma once
#include "tern/types.h"

namespace tern {

struct PathSize {            // Closed.
    uint64_t _probe;         // The packet that tries a size; none: no_probe.
    uint64_t _rest_until_us; // No size is tried before.
    uint32_t _bytes;         // What the way carries, as far as is known.
    uint16_t _candidate;     // The size that is tried, or next.
    uint8_t _tries;          // How often it was tried in vain.
    uint8_t _lost_count;     // Large packets in a row that were lost.
    bool _wanted;            // Packets were full.
};

namespace path_size {

inline constexpr uint64_t no_probe = UINT64_MAX;
// Largest first, as most ways carry it: Ethernet, PPPoE, tunnels of WireGuard; all with IPv6.
inline constexpr uint32_t candidates[] = {datagram_bytes_max, 1440, 1372};

PathSize make(size_t bytes); // Fewer than datagram_bytes_base: it stays so.
size_t bytes(const PathSize &path);
size_t probe_bytes(const PathSize &path, uint64_t now_us); // To try now; 0: nothing.
void probed(PathSize &path, uint64_t packet);
void filled(PathSize &path); // A packet had no room for more.
// True: it was a probe, whose loss tells of its size alone. sent_us: when the packet was sent.
bool settled(PathSize &path, uint64_t packet, size_t size_bytes, bool arrived, uint64_t sent_us);

}
}
