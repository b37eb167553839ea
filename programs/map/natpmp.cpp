#include "answers.h"
#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <natpmp.h>
#include <poll.h>

namespace port_map::natpmp {

// RFC 6886 retries for 64 s, but a gateway with NAT-PMP answers within one or two.
static constexpr auto patience = std::chrono::seconds(4);

static std::string explanation(int error)
{
    switch (error) {
    case NATPMP_ERR_CANNOTGETGATEWAY: return "this machine has no default gateway";
    case NATPMP_TRYAGAIN: return "the gateway does not answer";
    case NATPMP_ERR_NOGATEWAYSUPPORT: return "the gateway does not speak NAT-PMP";
    case NATPMP_ERR_UNSUPPORTEDVERSION:
    case NATPMP_ERR_UNSUPPORTEDOPCODE: return "the gateway speaks another version of NAT-PMP";
    case NATPMP_ERR_NOTAUTHORIZED: return "the gateway refuses: port mapping is turned off there";
    case NATPMP_ERR_NETWORKFAILURE: return "the gateway has no address outside itself";
    case NATPMP_ERR_OUTOFRESOURCES: return "the gateway has no room for another mapping";
    default: return "the request failed (" + std::to_string(error) + ")";
    }
}

// Waits for the answer to the last request, which the library retransmits. Returns 0 or an error.
static int await(natpmp_t &natpmp, natpmpresp_t &response)
{
    const auto end = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < end) {
        timeval wait = {};
        if (const int error = getnatpmprequesttimeout(&natpmp, &wait)) return error;
        pollfd waiting = {natpmp.s, POLLIN, 0};
        const auto wait_ms = wait.tv_sec * 1000 + wait.tv_usec / 1000 + 1;
        poll(&waiting, 1, static_cast<int>(std::clamp(wait_ms, 0l, 1000l)));
        const int result = readnatpmpresponseorretry(&natpmp, &response);
        if (result != NATPMP_TRYAGAIN) return result;
    }
    return NATPMP_TRYAGAIN;
}

static int open(natpmp_t &natpmp, const Wish &wish)
{
    if (wish.gateway.empty()) return initnatpmp(&natpmp, 0, 0);
    return initnatpmp(&natpmp, 1, inet_addr(wish.gateway.c_str()));
}

static int map(natpmp_t &natpmp, const Wish &wish, natpmpresp_t &response)
{
    const int sent = sendnewportmappingrequest(&natpmp, NATPMP_PROTOCOL_UDP, wish.port,
                                               wish.external_port, wish.lifetime_s);
    if (sent < 0) return sent;
    const int error = await(natpmp, response);
    return error == 0 && !is_answer(response, wish) ? NATPMP_ERR_WRONGPACKETSOURCE : error;
}

// Requests the address first, which shows at once whether the gateway has NAT-PMP.
static int ask(natpmp_t &natpmp, const Wish &wish, Mapping &mapping)
{
    natpmpresp_t response = {};
    if (const int sent = sendpublicaddressrequest(&natpmp); sent < 0) return sent;
    if (const int error = await(natpmp, response)) return error;
    if (const int error = read_address(response, mapping)) return error;
    response = {};
    if (const int error = map(natpmp, wish, response)) return error;
    return read_mapping(response, wish, mapping);
}

Asked ask(const Wish &wish)
{
    natpmp_t natpmp = {};
    if (const int error = open(natpmp, wish)) return {{}, explanation(error)};
    Asked asked = {};
    if (const int error = ask(natpmp, wish, asked.mapping)) asked.error = explanation(error);
    closenatpmp(&natpmp);
    return asked;
}

std::string remove(const Wish &wish)
{
    natpmp_t natpmp = {};
    if (const int error = open(natpmp, wish)) return explanation(error);
    Wish none = wish; // Both zero delete the mapping (RFC 6886, 3.4).
    none.external_port = 0;
    none.lifetime_s = 0;
    natpmpresp_t response = {};
    const int error = map(natpmp, none, response);
    closenatpmp(&natpmp);
    return error == 0 ? "" : explanation(error);
}

}
