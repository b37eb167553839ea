// Reads what a gateway has answered. It comes from the network, so every value is checked.
#pragma once
#include "gateway.h"
#include <natpmp.h>

namespace port_map {

namespace natpmp {
// Both return 0, or the error as one of libnatpmp's codes, and then leave the mapping alone.
int read_address(const natpmpresp_t &response, Mapping &mapping);
// Do not call it for the deletion of a mapping, whose answer has port 0 and lifetime 0.
int read_mapping(const natpmpresp_t &response, const Wish &wish, Mapping &mapping);
bool is_answer(const natpmpresp_t &response, const Wish &wish); // To a request about wish.port.
}

namespace upnp {
// Returns an empty string, or the error. `text` may be anything.
std::string read_address(const char *text, Mapping &mapping);
}

// Returns whether the address is private (RFC 1918) or of carrier-grade NAT (RFC 6598).
bool is_private(const std::string &ip);

}
