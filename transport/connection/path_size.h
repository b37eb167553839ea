// Path MTU discovery (RFC 8899): the size of datagrams that the path to a peer carries. Every path
// carries datagram_bytes_base. Once packets are full, probes with padding try larger sizes. A path
// that stops carrying large datagrams is noticed by their loss.
#pragma once
#include "tern/limits.hpp"
#include "tern/types.hpp"

namespace tern {

struct PathSize {            // Closed.
    uint64_t _probe;         // The number of the probe in flight, or no_probe.
    uint64_t _rest_until_us; // Before this time there is no probe.
    uint32_t _bytes;         // The largest size that is known to work.
    uint16_t _candidate;     // The index in `candidates` of the present or next probe.
    uint8_t _tries;          // Lost probes of this candidate.
    uint8_t _lost_count;     // Large packets lost in a row.
    bool _wanted;            // Packets were full, so a larger size would be used.
};

namespace path_size {

inline constexpr uint64_t no_probe = UINT64_MAX;
// The largest size comes first, because most paths carry it. The sizes are those of Ethernet, PPPoE
// and WireGuard tunnels, each with IPv6.
inline constexpr uint32_t candidates[] = {datagram_bytes_max, 1440, 1372};

// A size below datagram_bytes_base (a bridged address) never changes.
PathSize make(size_t bytes);
size_t bytes(const PathSize &path);
// The size of the probe to send now; 0: none is due.
size_t probe_bytes(const PathSize &path, uint64_t now_us);
void probed(PathSize &path, uint64_t packet); // That probe was sent, as packet number `packet`.
void filled(PathSize &path);                  // A packet had no room for more.
// The outcome of a packet that was sent at sent_us. Returns true if it was a probe: its loss must
// not count as congestion, because the size explains it (RFC 8899, 3).
bool settled(PathSize &path, uint64_t packet, size_t size_bytes, bool acked, uint64_t sent_us);

}
}
