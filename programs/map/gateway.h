// Maps a port on a gateway, by NAT-PMP or by UPnP. Each call blocks until the gateway has answered
// or timed out, which takes some seconds.
#pragma once
#include <cstdint>
#include <string>

namespace port_map {

struct Wish {
    uint16_t port;          // The UDP port of this machine.
    uint16_t external_port; // The preferred port of the gateway, which may choose another.
    uint32_t lifetime_s;
    std::string gateway; // NAT-PMP: IPv4 address of the gateway. Empty: that of the default route.
    std::string igd;     // UPnP: URL of the gateway's description. Empty: search for it.
};

struct Mapping {
    std::string ip;      // The external address of the gateway.
    uint16_t port;       // The external port.
    uint32_t lifetime_s; // Granted by the gateway. 0: until it is deleted.
};

struct Asked {
    Mapping mapping;
    std::string error; // Empty if the port is mapped.
};

namespace natpmp { // RFC 6886.
Asked ask(const Wish &wish);
std::string remove(const Wish &wish); // Returns an empty string, or the error.
}

namespace upnp {       // Internet Gateway Device 1 and 2.
Asked ask(Wish &wish); // Stores in wish.igd the gateway that was found.
std::string remove(const Wish &wish, const Mapping &mapping);
}

}
