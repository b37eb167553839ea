// The addresses of this machine, as its network interfaces have them.
#pragma once
#include "tern/io.hpp"

namespace tern {

inline constexpr size_t local_addresses_max = 32; // Further ones are ignored.

struct LocalAddress {
    Address address; // Port 0.
    unsigned interface_index;
    bool broadcasts;
};

struct LocalAddresses {
    size_t count; // 0: there is no network, or it is unknown.
    LocalAddress values[local_addresses_max];
};
// Link-local IPv6 addresses are left out, because an Address has no zone. Those of loopback are
// given only if there are no others, because they cannot be reached from another machine.
LocalAddresses find_local_addresses();

}
