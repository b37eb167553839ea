// The NATs of a simulation: which datagrams they accept, and which address they show (RFC 4787, 4
// and 5).
#include "sim/network/wire.h"

namespace tern::wire {

// True if the NAT of `to` filters datagrams of `from`. Datagrams from and to peers that are not
// members pass, as through a forwarded port: otherwise nobody could join at a member behind a NAT.
static bool is_filtered(const Wire &wire, uint16_t from, uint16_t to)
{
    return wire.nats[to] != Nat::none && wire.members[from] && wire.members[to];
}

AddressNumber shown_address(Wire &wire, uint64_t now_us, uint16_t from, uint16_t to)
{
    Route &r = route(wire, from, to);
    r.sent_us = now_us;
    if (wire.nats[from] != Nat::symmetric) return wire.addresses[from];
    const size_t next = first_mapped + wire.mapped.size();
    if (r.mapped == 0) {
        if (next >= first_shared) return wire.addresses[from]; // No address is left.
        r.mapped = static_cast<AddressNumber>(next);
        wire.mapped.push_back({from, to});
    }
    return r.mapped;
}

uint16_t place_at(const Wire &wire, uint64_t now_us, uint16_t from, AddressNumber number)
{
    if (number >= first_mapped && number < first_shared) {
        const size_t i = number - size_t{first_mapped};
        if (i >= wire.mapped.size() || wire.mapped[i].to != from) return no_place;
        const uint16_t place = wire.mapped[i].from;
        return wire.nats[place] == Nat::symmetric && route(wire, place, from).mapped == number
                   ? place
                   : no_place;
    }
    if (number >= wire.place_of_address.size()) return no_place;
    const uint16_t place = wire.place_of_address[number];
    if (place == no_place || !is_filtered(wire, from, place)) return place;
    const uint64_t sent_us = route(wire, place, from).sent_us;
    const bool open = sent_us != 0 && now_us - sent_us < nat_time_us;
    return open && wire.nats[place] == Nat::restricted ? place : no_place;
}

void set_nat(Wire &wire, uint16_t place, Nat nat)
{
    wire.nats[place] = nat;
    for (uint16_t other = 0; other < wire.places; ++other) {
        route(wire, place, other).sent_us = 0;
        route(wire, place, other).mapped = 0;
    }
}

}
