#include "transport/sockets/local_addresses.h"
#include "transport/sockets/native_socket.h"
#include <algorithm>
#include <cstring>
#ifdef _WIN32
#include <iphlpapi.h>
#include <memory>
#include <new>
#else
#include <ifaddrs.h>
#include <net/if.h>
#endif

namespace tern {

// Returns false if the address cannot be used.
static bool read_address(const sockaddr *native, Address &address)
{
    if (!native || (native->sa_family != AF_INET && native->sa_family != AF_INET6)) return false;
    const bool is_v4 = native->sa_family == AF_INET;
    native_socket::NativeAddress copy;
    std::memcpy(&copy.v6, native, is_v4 ? sizeof copy.v4 : sizeof copy.v6);
    address = native_socket::from_native(copy);
    address.port = 0;
    return native_socket::has_no_zone(copy);
}

static void append(LocalAddresses &found, const LocalAddress &local)
{
    if (found.count == local_addresses_max) return;
    found.values[found.count] = local;
    found.count += 1;
}

#ifdef _WIN32

static void take(LocalAddresses &found, const IP_ADAPTER_ADDRESSES *first, bool of_loopback)
{
    for (const auto *it = first; it; it = it->Next) {
        const bool is_loopback = it->IfType == IF_TYPE_SOFTWARE_LOOPBACK;
        if (it->OperStatus != IfOperStatusUp || is_loopback != of_loopback) continue;
        for (const auto *each = it->FirstUnicastAddress; each; each = each->Next) {
            LocalAddress local = {};
            if (!read_address(each->Address.lpSockaddr, local.address)) continue;
            const bool is_v4 = each->Address.lpSockaddr->sa_family == AF_INET;
            local.interface_index = is_v4 ? it->IfIndex : it->Ipv6IfIndex;
            local.broadcasts = is_v4 && !is_loopback;
            append(found, local);
        }
    }
}

LocalAddresses find_local_addresses()
{
    LocalAddresses found = {};
    constexpr ULONG flags = GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST |
                            GAA_FLAG_SKIP_DNS_SERVER | GAA_FLAG_SKIP_FRIENDLY_NAME;
    // Microsoft's documentation of the function advises to start with about this size, and to try
    // again with the size that the failed call gives: an adapter may have appeared.
    ULONG size_bytes = 16 << 10;
    for (int tries = 0; tries < 3; ++tries) {
        const std::unique_ptr<std::byte[]> buffer(new (std::nothrow) std::byte[size_bytes]);
        if (!buffer) return found;
        auto *first = reinterpret_cast<IP_ADAPTER_ADDRESSES *>(buffer.get());
        const ULONG error = GetAdaptersAddresses(AF_UNSPEC, flags, nullptr, first, &size_bytes);
        if (error == ERROR_BUFFER_OVERFLOW) continue;
        if (error != NO_ERROR) return found;
        take(found, first, false);
        if (found.count == 0) take(found, first, true);
        return found;
    }
    return found;
}

#else

static void take(LocalAddresses &found, const ifaddrs *first, bool of_loopback)
{
    for (const ifaddrs *it = first; it; it = it->ifa_next) {
        const bool is_loopback = (it->ifa_flags & IFF_LOOPBACK) != 0;
        const bool carries = (it->ifa_flags & (IFF_BROADCAST | IFF_MULTICAST)) != 0 || is_loopback;
        LocalAddress local = {};
        if (!(it->ifa_flags & IFF_UP) || !carries || is_loopback != of_loopback ||
            !read_address(it->ifa_addr, local.address))
            continue;
        local.interface_index = if_nametoindex(it->ifa_name);
        local.broadcasts = (it->ifa_flags & IFF_BROADCAST) != 0;
        append(found, local);
    }
}

LocalAddresses find_local_addresses()
{
    LocalAddresses found = {};
    ifaddrs *first = nullptr;
    if (getifaddrs(&first) != 0) return found;
    take(found, first, false);
    if (found.count == 0) take(found, first, true);
    freeifaddrs(first);
    return found;
}

#endif

size_t find_local_addresses(uint16_t port, std::span<Address> addresses)
{
    const LocalAddresses found = find_local_addresses();
    const size_t count = std::min(found.count, addresses.size());
    for (size_t i = 0; i < count; ++i) {
        addresses[i] = found.values[i].address;
        addresses[i].port = port;
    }
    return count;
}

}
