// The functions for real sockets, and for real sockets with impairments.
#include "lua_bindings/binding.h"
#include "tern/limits.hpp"
#ifdef _WIN32
#include <random>
#else
#include <unistd.h>
#endif

namespace tern::lua {

SocketBox &push_socket(lua_State *L)
{
    auto *box = static_cast<SocketBox *>(push_userdata(L, sizeof(SocketBox)));
    *box = {};
    push_anchor(L, static_cast<int>(Handle::socket));
    lua_setmetatable(L, -2);
    return *box;
}

// Returns the socket, or nil and the error.
static int push_made(lua_State *L, SocketBox &box, MadeSocket made)
{
    box.socket = made.socket;
    if (made.socket) return 1;
    lua_pushnil(L);
    lua_pushstring(L, tern::to_text(made.error));
    return 2;
}

static uint16_t port(const Arguments &a)
{
    return static_cast<uint16_t>(whole(a, 1, "port", 0, UINT16_MAX));
}

static const char *const ip_version_names[] = {"v4", "v6"};

static int make_udp_socket(lua_State *L)
{
    const Arguments a = {L, "make_udp_socket"};
    const uint16_t at = port(a);
    const int version = is_given(a, 2) ? choice(a, 2, "version", words(ip_version_names)) : 0;
    SocketBox &box = push_socket(L);
    return push_made(L, box, tern::make_udp_socket(at, static_cast<IpVersion>(version)));
}

static int make_enet_socket(lua_State *L)
{
    const Arguments a = {L, "make_enet_socket"};
    const uint16_t at = port(a);
    const auto peers_max = static_cast<uint16_t>(whole(a, 2, "peers_max", 2, star_peers_max));
    SocketBox &box = push_socket(L);
    return push_made(L, box, tern::make_enet_socket(at, peers_max));
}

static int make_discovery_socket(lua_State *L)
{
    const uint16_t at = port({L, "make_discovery_socket"});
    SocketBox &box = push_socket(L);
    return push_made(L, box, tern::make_discovery_socket(at));
}

static void destroy(SocketBox &box)
{
    if (box.network)
        drop(box.network);
    else
        tern::destroy_socket(box.socket);
    box = {};
}

static int destroy_socket(lua_State *L)
{
    destroy(*static_cast<SocketBox *>(handle({L, "destroy_socket"}, 1, Handle::socket)));
    return 0;
}

int collect_socket(lua_State *L)
{
    if (auto *box = static_cast<SocketBox *>(find_handle(L, 1, Handle::socket))) destroy(*box);
    return 0;
}

static int local_address(lua_State *L)
{
    const Socket *s = socket({L, "local_address"}, 1);
    lua_pushstring(L, to_text(s->local_address()).text);
    return 1;
}

static int socket_stats(lua_State *L)
{
    const Arguments a = {L, "socket_stats"};
    const SocketStats stats = socket(a, 1)->stats();
    return push_filled(a, 2,
                       {{"sent_datagrams", stats.sent_datagrams},
                        {"sent_bytes", stats.sent_bytes},
                        {"received_datagrams", stats.received_datagrams},
                        {"received_bytes", stats.received_bytes},
                        {"send_failures", stats.send_failures},
                        {"oversized", stats.oversized}});
}

// Takes over the inner socket. The script's handle of it behaves as if the socket was destroyed.
static int impaired_socket(lua_State *L)
{
    const Arguments a = {L, "impaired_socket"};
    socket(a, 1);
    auto &inner = *static_cast<SocketBox *>(handle(a, 1, Handle::socket));
    if (inner.network) refuse(a, 1, "socket", "a socket of the real network");
    const Impairment worse = impairment(table(a, 2, "impairment"));
    const uint64_t seed = is_given(a, 3) ? whole(a, 3, "seed", 0, exact_max) : 1;
    SocketBox &box = push_socket(L);
    socket(a, 1);
    box.socket = make_impaired_socket(inner.socket, worse, seed);
    inner.socket = nullptr;
    return 1;
}

// --- Addresses and random seeds ---

static int parse_address(lua_State *L)
{
    const ParsedAddress parsed = tern::parse_address(text({L, "parse_address"}, 1, "text"));
    if (parsed.error) {
        lua_pushnil(L);
        lua_pushstring(L, parsed.error);
        return 2;
    }
    lua_pushstring(L, to_text(parsed.address).text);
    push_whole(L, parsed.address.port);
    return 2;
}

static int random_seed(lua_State *L)
{
    uint64_t seed = 0;
#ifdef _WIN32
    std::random_device system;
    const uint64_t high = system();
    seed = high << 32 | system();
#else
    if (getentropy(&seed, sizeof seed) != 0) fail({L, "random_seed"}, "the system gave no chance");
#endif
    push_count(L, seed % exact_max);
    return 1;
}

const luaL_Reg socket_functions[] = {{"make_udp_socket", make_udp_socket},
                                     {"make_enet_socket", make_enet_socket},
                                     {"make_discovery_socket", make_discovery_socket},
                                     {"destroy_socket", destroy_socket},
                                     {"local_address", local_address},
                                     {"socket_stats", socket_stats},
                                     {"impaired_socket", impaired_socket},
                                     {"parse_address", parse_address},
                                     {"random_seed", random_seed},
                                     {nullptr, nullptr}};

}
