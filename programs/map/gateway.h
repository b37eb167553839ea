// What tern-map asks of a gateway, in the two ways that it knows. Each call blocks for as long as
// the gateway may need: some seconds.
#pragma once
#include <cstdint>
#include <string>

namespace port_map {

struct Wish {
    uint16_t port;          // Of this machine; UDP.
    uint16_t external_port; // What the gateway is asked for; it may give another.
    uint32_t lifetime_s;
    std::string gateway; // NAT-PMP: IPv4 address. Empty: the default route's.
    std::string igd;     // UPnP: URL of the gateway's description. Empty: it is searched.
};

struct Mapping {
    std::string ip; // Of the gateway, as the world outside sees it.
    uint16_t port;
    uint32_t lifetime_s; // Given. 0: until it is deleted.
};

struct Asked {
    Mapping mapping;
    std::string error; // Empty: mapped.
};

namespace natpmp { // RFC 6886.
Asked ask(const Wish &wish);
std::string remove(const Wish &wish); // Empty, or what went wrong.
}

namespace upnp {       // Internet Gateway Device 1 and 2.
Asked ask(Wish &wish); // Keeps in wish.igd where the gateway was found.
std::string remove(const Wish &wish, const Mapping &mapping);
}

}
