#include "answers.h"
#include <miniupnpc/miniupnpc.h>
#include <miniupnpc/upnpcommands.h>
#include <miniupnpc/upnperrors.h>

namespace port_map::upnp {

static constexpr int search_ms = 2000;
// The UPnP error OnlyPermanentLeasesSupported: the gateway has no lifetimes.
static constexpr int only_permanent = 725;

struct Gateway {
    UPNPUrls urls;
    IGDdatas data;
    char here[64]; // The address of this machine on the gateway's network.
    bool found;    // False: the other members are unset and need no freeing.
    bool usable;
};

static std::string explanation(int error)
{
    const char *text = strupnperror(error);
    return "the gateway refuses: " + std::string(text ? text : "no reason told") + " (" +
           std::to_string(error) + ")";
}

static Gateway search()
{
    Gateway gateway = {};
    int error = 0;
    UPNPDev *devices = upnpDiscover(search_ms, nullptr, nullptr, 0, 0, 2, &error);
    if (!devices) return gateway;
#if MINIUPNPC_API_VERSION >= 18
    char outside[64];
    const int what = UPNP_GetValidIGD(devices, &gateway.urls, &gateway.data, gateway.here,
                                      sizeof gateway.here, outside, sizeof outside);
#else
    const int what =
        UPNP_GetValidIGD(devices, &gateway.urls, &gateway.data, gateway.here, sizeof gateway.here);
#endif
    freeUPNPDevlist(devices);
    gateway.found = what != 0;
    gateway.usable = what == 1;
    return gateway;
}

static Gateway open(const Wish &wish)
{
    if (wish.igd.empty()) return search();
    Gateway gateway = {};
    gateway.found = UPNP_GetIGDFromUrl(wish.igd.c_str(), &gateway.urls, &gateway.data, gateway.here,
                                       sizeof gateway.here) == 1;
    gateway.usable = gateway.found;
    return gateway;
}

static void close(Gateway &gateway)
{
    if (gateway.found) FreeUPNPUrls(&gateway.urls);
    gateway.found = false;
}

static std::string why_unusable(const Gateway &gateway)
{
    return gateway.found ? "the gateway is there, but not connected" : "no gateway answers";
}

static int add(const Gateway &gateway, const Wish &wish, uint32_t lifetime_s)
{
    return UPNP_AddPortMapping(gateway.urls.controlURL, gateway.data.first.servicetype,
                               std::to_string(wish.external_port).c_str(),
                               std::to_string(wish.port).c_str(), gateway.here, "tern", "UDP",
                               nullptr, std::to_string(lifetime_s).c_str());
}

static std::string ask(const Gateway &gateway, const Wish &wish, Mapping &mapping)
{
    mapping.port = wish.external_port;
    mapping.lifetime_s = wish.lifetime_s;
    int error = add(gateway, wish, wish.lifetime_s);
    if (error == only_permanent) {
        mapping.lifetime_s = 0;
        error = add(gateway, wish, 0);
    }
    if (error != UPNPCOMMAND_SUCCESS) return explanation(error);
    char ip[40] = {};
    error = UPNP_GetExternalIPAddress(gateway.urls.controlURL, gateway.data.first.servicetype, ip);
    return error == UPNPCOMMAND_SUCCESS ? read_address(ip, mapping) : explanation(error);
}

Asked ask(Wish &wish)
{
    Gateway gateway = open(wish);
    Asked asked = {};
    asked.error = gateway.usable ? ask(gateway, wish, asked.mapping) : why_unusable(gateway);
    if (asked.error.empty() && gateway.urls.rootdescURL) wish.igd = gateway.urls.rootdescURL;
    close(gateway);
    return asked;
}

std::string remove(const Wish &wish, const Mapping &mapping)
{
    Gateway gateway = open(wish);
    std::string error = why_unusable(gateway);
    if (gateway.usable) {
        const int code =
            UPNP_DeletePortMapping(gateway.urls.controlURL, gateway.data.first.servicetype,
                                   std::to_string(mapping.port).c_str(), "UDP", nullptr);
        error = code == UPNPCOMMAND_SUCCESS ? "" : explanation(code);
    }
    close(gateway);
    return error;
}

}
