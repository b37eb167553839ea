#include "answers.h"
#include <arpa/inet.h>
#include <cstdio>

namespace port_map {

// Returns the address in the usual form, or an empty string if nobody can reach it.
static std::string checked(in_addr address)
{
    char ip[INET_ADDRSTRLEN] = {};
    if (address.s_addr == INADDR_ANY) return "";
    inet_ntop(AF_INET, &address, ip, sizeof ip);
    return ip;
}

namespace natpmp {

int read_address(const natpmpresp_t &response, Mapping &mapping)
{
    if (response.type != NATPMP_RESPTYPE_PUBLICADDRESS) return NATPMP_ERR_WRONGPACKETSOURCE;
    const std::string ip = checked(response.pnu.publicaddress.addr);
    if (ip.empty()) return NATPMP_ERR_NETWORKFAILURE;
    mapping.ip = ip;
    return 0;
}

bool is_answer(const natpmpresp_t &response, const Wish &wish)
{
    return response.type == NATPMP_RESPTYPE_UDPPORTMAPPING &&
           response.pnu.newportmapping.privateport == wish.port;
}

int read_mapping(const natpmpresp_t &response, const Wish &wish, Mapping &mapping)
{
    if (!is_answer(response, wish)) return NATPMP_ERR_WRONGPACKETSOURCE;
    const auto &given = response.pnu.newportmapping;
    // Both zero mean that there is no mapping (RFC 6886, 3.4).
    if (given.mappedpublicport == 0 || given.lifetime == 0) return NATPMP_ERR_OUTOFRESOURCES;
    mapping.port = given.mappedpublicport;
    mapping.lifetime_s = given.lifetime;
    return 0;
}

}

std::string upnp::read_address(const char *text, Mapping &mapping)
{
    in_addr address = {};
    const std::string ip = inet_pton(AF_INET, text, &address) == 1 ? checked(address) : "";
    if (ip.empty()) return "the gateway has no IPv4 address outside itself";
    mapping.ip = ip;
    return "";
}

bool is_private(const std::string &ip)
{
    unsigned a = 0, b = 0;
    std::sscanf(ip.c_str(), "%u.%u", &a, &b);
    return a == 10 || (a == 172 && b >= 16 && b < 32) || (a == 192 && b == 168) ||
           (a == 100 && b >= 64 && b < 128);
}

}
