// Sends arbitrary bytes from a stranger to an endpoint. They must not open a connection, and the
// answers must not be larger than the datagram. The first byte selects what is corrected in the
// bytes, so that the search gets past the keyed checksums: anybody who knows the public keys can
// compute these.
#include "fuzz/support/endpoints.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include <cstring>

namespace tern::fuzz {

namespace {

struct Mends {
    bool mac1;     // Corrects the checksum of the datagram type that the bytes claim to be.
    bool receiver; // Sets the receiver id to that of the waiting initiation.
    bool several;  // Delivers the datagram twice, then from another address.
};

// Two endpoints: strangers send initiations to `asked`; `asks` has sent an initiation to a peer,
// and strangers send responses.
struct Setup {
    KeyPair own, asking, peer;
    MacKeys own_macs, asking_macs, peer_macs;
    Endpoint *asked, *asks;
    uint64_t now_us, asks_us; // The time of each endpoint.
    Initiation initiation;    // The initiation of `asks` that waits for a response.
    bool asked_changed, asks_changed;
};

const Address peer_address = numbered_address(1);

// Making an initiation is expensive, so it is repeated only after a datagram has changed the
// waiting handshake.
void ask(Setup &s)
{
    s.asks_us = forget_all(*s.asks, s.asks_us);
    seed_chance(2);
    endpoint::connect(*s.asks, s.peer.public_key, peer_address, s.asks_us);
    const std::span<const Datagram> sent = handshakes_due(*s.asks, s.asks_us);
    TERN_ASSERT(sent.size() == 1 && sent[0].bytes.size() == sizeof(Initiation), "%zu sent",
                sent.size());
    std::memcpy(&s.initiation, sent[0].bytes.data(), sizeof s.initiation);
    s.asks_changed = false;
}

void forget_strangers(Setup &s)
{
    s.now_us = forget_all(*s.asked, s.now_us);
    s.asked_changed = false;
}

Setup &setup()
{
    static Setup s = [] {
        Setup made = {};
        seed_chance(1);
        made.own = noise::make_key_pair();
        made.asking = noise::make_key_pair();
        made.peer = noise::make_key_pair();
        made.own_macs = handshake::mac_keys(made.own.public_key);
        made.asking_macs = handshake::mac_keys(made.asking.public_key);
        made.peer_macs = handshake::mac_keys(made.peer.public_key);
        made.asked = make_fuzz_endpoint(made.own, right_secret);
        made.asks = make_fuzz_endpoint(made.asking, right_secret);
        made.asked_changed = made.asks_changed = true;
        return made;
    }();
    if (s.asked_changed) forget_strangers(s);
    if (s.asks_changed) ask(s);
    seed_chance(1);
    return s;
}

// Returns whether the keyed checksum is correct afterwards.
bool mend(const Setup &s, Mends mends, std::span<uint8_t> bytes)
{
    if (bytes.empty()) return false;
    const auto type = static_cast<DatagramType>(bytes[0]);
    const bool is_initiation = type == DatagramType::initiation;
    const bool is_response = type == DatagramType::response;
    const bool is_refusal = type == DatagramType::version_refusal;
    if (mends.receiver && !is_initiation) {
        const size_t at = is_response ? offsetof(Response, receiver_id) : 4;
        if (bytes.size() >= at + 4) std::memcpy(&bytes[at], s.initiation.sender_id, 4);
    }
    const size_t size = is_initiation ? sizeof(Initiation)
                        : is_response ? sizeof(Response)
                                      : sizeof(VersionRefusal);
    if (!mends.mac1 || bytes.size() != size) return false;
    const size_t at = is_initiation ? offsetof(Initiation, mac1)
                      : is_response ? offsetof(Response, mac1)
                                    : offsetof(VersionRefusal, mac1);
    const MacKeys &keys = is_refusal ? s.peer_macs : is_response ? s.asking_macs : s.own_macs;
    crypto_generichash(&bytes[at], 16, bytes.data(), at, keys.mac1, sizeof keys.mac1);
    return true;
}

bool is_handled(const Arrival &arrival, size_t size_bytes)
{
    TERN_ASSERT(arrival.handling == Handling::bad || arrival.handling == Handling::handled,
                "a stranger's %zu bytes are handled as %d", size_bytes,
                static_cast<int>(arrival.handling));
    return arrival.handling == Handling::handled;
}

// The endpoint answers, if at all, to the source address, and with no more bytes than it received.
void arrive(Setup &s, const Address &from, std::span<const uint8_t> bytes)
{
    const Datagram datagram = {from, std::as_bytes(bytes)};
    if (is_handled(endpoint::receive(*s.asked, datagram, s.now_us), bytes.size()))
        s.asked_changed = true;
    TERN_ASSERT(endpoint::handshake_state(*s.asked, 0) == HandshakeState::free,
                "a stranger of %zu bytes is in", bytes.size());
    // Only initiations (type 1) are answered, and looking for answers costs more than receiving.
    if (!s.asked_changed && (bytes.empty() || bytes[0] != 1)) return;
    size_t answer_bytes = 0;
    for (const Datagram &answer : handshakes_due(*s.asked, s.now_us)) {
        s.asked_changed = true;
        TERN_ASSERT(answer.address == from, "%zu bytes are answered to another", bytes.size());
        answer_bytes += answer.bytes.size();
    }
    TERN_ASSERT(answer_bytes <= bytes.size(), "%zu bytes are answered by %zu", bytes.size(),
                answer_bytes);
}

void answer(Setup &s, const Address &from, std::span<const uint8_t> bytes)
{
    const Datagram datagram = {from, std::as_bytes(bytes)};
    if (is_handled(endpoint::receive(*s.asks, datagram, s.asks_us), bytes.size()))
        s.asks_changed = true;
    TERN_ASSERT(endpoint::handshake_state(*s.asks, 0) == HandshakeState::connecting &&
                    endpoint::handshake_state(*s.asks, 1) == HandshakeState::free,
                "an answer of %zu bytes was believed", bytes.size());
    if (!s.asks_changed) return;
    for (const Datagram &sent : handshakes_due(*s.asks, s.asks_us + 200'000))
        TERN_ASSERT(sent.address == peer_address, "%zu bytes are answered", bytes.size());
}

}

void fuzz_datagram(std::span<const uint8_t> data)
{
    Input in = {data};
    const uint8_t what = input::u8(in);
    Setup &s = setup();
    uint8_t bytes[2048];
    const size_t size = std::min(in.rest.size(), sizeof bytes);
    std::copy(in.rest.begin(), in.rest.begin() + static_cast<ptrdiff_t>(size), bytes);
    const std::span<uint8_t> datagram(bytes, size);
    const Mends mends = {(what & 1) != 0, (what & 2) != 0, (what & 4) != 0};
    // A datagram with a correct checksum spends some allowance, even if the rest is invalid.
    if (mend(s, mends, datagram)) s.asked_changed = true;
    const Address from = numbered_address(9), elsewhere = numbered_address(10);
    arrive(s, from, datagram);
    if (size > 0 && bytes[0] != 1) answer(s, from, datagram);
    if (!mends.several) return;
    arrive(s, from, datagram);
    arrive(s, elsewhere, datagram);
}

}
