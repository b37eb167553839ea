// The functions for the simulated network.
#include "lua_bindings/binding.h"

namespace tern::lua {

static const char *const impairment_keys[] = {"latency_ms_min", "latency_ms_max", "loss",
                                              "duplicate"};
static const char *const network_keys[] = {"seed",           "datagrams_max", "latency_ms_min",
                                           "latency_ms_max", "loss",          "duplicate"};
static constexpr uint32_t latency_ms_limit = 60'000;
static constexpr uint32_t datagrams_limit = 1u << 20;

static Impairment read_impairment(const Table &t)
{
    Impairment i = {};
    i.latency_ms_min = static_cast<uint32_t>(
        whole_option(t, "latency_ms_min", i.latency_ms_min, 0, latency_ms_limit));
    i.latency_ms_max = static_cast<uint32_t>(
        whole_option(t, "latency_ms_max", i.latency_ms_max, 0, latency_ms_limit));
    i.loss = static_cast<float>(number_option(t, "loss", 0, 0, 1));
    i.duplicate = static_cast<float>(number_option(t, "duplicate", 0, 0, 1));
    if (i.latency_ms_min > i.latency_ms_max)
        fail(t.arguments, "latency_ms_min: expected at most latency_ms_max (%u), got %u",
             i.latency_ms_max, i.latency_ms_min);
    return i;
}

Impairment impairment(const Table &t)
{
    check_keys(t, words(impairment_keys));
    return read_impairment(t);
}

static SharedNetwork &network(const Arguments &a)
{
    const auto &box = *static_cast<NetworkBox *>(handle(a, 1, Handle::network));
    if (!box.shared) fail(a, "argument 1 (network): it has been destroyed");
    return *box.shared;
}

static int make_sim_network(lua_State *L)
{
    const Arguments a = {L, "make_sim_network"};
    SimConfig config = {};
    if (is_given(a, 1)) {
        const Table t = table(a, 1, "options");
        check_keys(t, words(network_keys));
        config.seed = whole_option(t, "seed", config.seed, 0, exact_max);
        config.datagrams_max = static_cast<uint32_t>(
            whole_option(t, "datagrams_max", config.datagrams_max, 1, datagrams_limit));
        config.impairment = read_impairment(t);
    }
    auto *box = static_cast<NetworkBox *>(push_userdata(L, sizeof(NetworkBox)));
    *box = {};
    push_anchor(L, static_cast<int>(Handle::network));
    lua_setmetatable(L, -2);
    box->shared = new SharedNetwork{};
    box->shared->network = tern::make_sim_network(config);
    box->shared->references = 1;
    return 1;
}

void drop(SharedNetwork *shared)
{
    shared->references -= 1;
    if (shared->references > 0) return;
    tern::destroy_sim_network(shared->network);
    delete shared;
}

static void destroy(NetworkBox &box)
{
    if (box.shared) drop(box.shared);
    box = {};
}

static int destroy_sim_network(lua_State *L)
{
    destroy(*static_cast<NetworkBox *>(handle({L, "destroy_sim_network"}, 1, Handle::network)));
    return 0;
}

int collect_network(lua_State *L)
{
    if (auto *box = static_cast<NetworkBox *>(find_handle(L, 1, Handle::network))) destroy(*box);
    return 0;
}

static int make_sim_socket(lua_State *L)
{
    const Arguments a = {L, "make_sim_socket"};
    network(a);
    const Address at = address(a, 2, "address");
    SocketBox &box = push_socket(L);
    SharedNetwork &shared = network(a);
    for (uint32_t i = 0; i < shared.address_count; ++i)
        if (shared.addresses[i] == at) refuse(a, 2, "address", "one that no other socket has");
    if (shared.address_count == sim_sockets_max)
        fail(a, "the network has %u sockets, which are all that it may have", sim_sockets_max);
    box.socket = tern::make_sim_socket(shared.network, at);
    box.network = &shared;
    shared.references += 1;
    shared.addresses[shared.address_count++] = at;
    return 1;
}

static int advance(lua_State *L)
{
    const Arguments a = {L, "advance"};
    SharedNetwork &shared = network(a);
    const uint64_t now_us = whole(a, 2, "now_us", 0, exact_max);
    if (now_us < shared.now_us)
        refuse(a, 2, "now_us", "a time not before the last one, %llu us",
               static_cast<unsigned long long>(shared.now_us));
    shared.now_us = now_us;
    tern::advance(shared.network, now_us);
    return 0;
}

static int set_impairment(lua_State *L)
{
    const Arguments a = {L, "set_impairment"};
    network(a);
    const Impairment given = impairment(table(a, 2, "impairment"));
    tern::set_impairment(network(a).network, given);
    return 0;
}

static int set_cut(lua_State *L)
{
    const Arguments a = {L, "set_cut"};
    const SharedNetwork &shared = network(a);
    const Address from = address(a, 2, "from");
    const Address to = address(a, 3, "to");
    tern::set_cut(shared.network, from, to, boolean(a, 4, "cut"));
    return 0;
}

static int network_stats(lua_State *L)
{
    const Arguments a = {L, "network_stats"};
    const SimStats stats = tern::network_stats(network(a).network);
    return push_filled(a, 2,
                       {{"sent", stats.sent},
                        {"lost", stats.lost},
                        {"duplicated", stats.duplicated},
                        {"delivered", stats.delivered}});
}

// nil: no datagram is in flight.
static int next_delivery_us(lua_State *L)
{
    const uint64_t next_us = tern::next_delivery_us(network({L, "next_delivery_us"}).network);
    if (next_us == UINT64_MAX)
        lua_pushnil(L);
    else
        push_count(L, next_us);
    return 1;
}

const luaL_Reg network_functions[] = {{"make_sim_network", make_sim_network},
                                      {"destroy_sim_network", destroy_sim_network},
                                      {"make_sim_socket", make_sim_socket},
                                      {"advance", advance},
                                      {"set_impairment", set_impairment},
                                      {"set_cut", set_cut},
                                      {"network_stats", network_stats},
                                      {"next_delivery_us", next_delivery_us},
                                      {nullptr, nullptr}};

}
