// The path of a connection is its address: a real one, or a bridged one, which names a relay that
// forwards the pair's sealed datagrams. Keys and packet numbers do not depend on it. A path is used
// once a challenge over it has been answered. Rules: docs/membership.md, "Paths"; formats:
// docs/wire_format.md, "Bridges".
#include "session/bridge.h"
#include "session/journal.h"
#include "session/peer_links.h"
#include "session/traffic.h"
#include "transport/little_endian.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstring>

namespace tern::session {

static constexpr size_t ids_bytes = 4; // Sender and receiver, before a bridged datagram.
static constexpr size_t nonce_bytes = 8;
static constexpr size_t address_bytes = 18;            // IP, port.
static constexpr uint64_t send_address_us = 5'000'000; // Between two messages about a relayed pair.
// Challenges go to the same address so many times in a row, because a change of the address voids
// the answers that are still on their way.
static constexpr uint32_t same_address_challenges = 5;
static constexpr uint64_t bridge_bits = 0xffff; // The relay in a nonce; see PathCandidates::nonce.

static bool is_direct(const Session &s, ConnectionIndex index)
{
    return !address::is_bridged(connection::address(endpoint::at(*s.endpoint, index)));
}

// The ids before a bridged datagram.
static PeerId load_from(std::span<const std::byte> bridged)
{
    return static_cast<PeerId>(little_endian::load16(&bridged[0]));
}

static PeerId load_to(std::span<const std::byte> bridged)
{
    return static_cast<PeerId>(little_endian::load16(&bridged[2]));
}

// --- Relay candidates ---

// Judges our side only: whether `via` reaches `to`, only the answer to a challenge shows.
static bool can_bridge(const Session &s, PeerId via, PeerId to)
{
    const ConnectionIndex index = via == to ? no_connection : link_to(s, via);
    if (index == no_connection || !is_direct(s, index)) return false;
    const Connection &c = endpoint::at(*s.endpoint, index);
    const uint64_t silent_us = s.now_us - connection::last_received_us(c);
    return connection::state(c) == ConnectionState::open &&
           silent_us < s.config.timeout_ms * 1000ull * 3 / 8;
}

// The candidate of this turn: the host first, then the others in order. none: there is none.
static PeerId bridge_to(const Session &s, PeerId to, uint32_t turn)
{
    const PeerId host = replica::host(*s.replica);
    PeerId found[targets_max];
    uint32_t count = 0;
    if (can_bridge(s, host, to)) found[count++] = host;
    for (const Member &member : s.replica->members.all())
        if (member.id != PeerId::none && member.id != host && count < targets_max &&
            can_bridge(s, member.id, to))
            found[count++] = member.id;
    return count == 0 ? PeerId::none : found[turn % count];
}

static bool in_doubt(const Session &s, ConnectionIndex index)
{
    const Connection &c = endpoint::at(*s.endpoint, index);
    if (connection::in_doubt(c, s.now_us)) return true;
    const Address address = connection::address(c);
    return address::is_bridged(address) &&
           !can_bridge(s, address::via(address), s.connections.links[index].peer);
}

PeerId bridge_or_self(const Session &s, PeerId to)
{
    const ConnectionIndex index = link_to(s, to);
    if (index == no_connection || is_direct(s, index)) return to;
    return address::via(connection::address(endpoint::at(*s.endpoint, index)));
}

void try_relay_candidate(Session &s, ConnectionIndex index)
{
    PeerLink &p = peer_link(s, index);
    const uint64_t wait_us =
        relay_candidate_after_us + p.candidates.relay_candidate_count * next_relay_candidate_us;
    if (s.now_us - p.since_us < wait_us) return;
    const MemberSlot slot = replica::find_member(*s.replica, p.peer);
    if (slot == no_member) return;
    LinkOutage &outage = s.connections.outages[slot];
    const PeerId via = bridge_to(s, p.peer, outage.relay_turn);
    if (via == PeerId::none) return;
    p.candidates.relay_candidate_count += 1;
    outage.relay_turn += 1; // The next attempt goes on from there.
    endpoint::add_relay_candidate(*s.endpoint, index, address::bridged(via, p.peer), s.now_us);
}

// --- The queue ---

static void push(Session &s, BridgedDatagram d, std::span<const std::byte> bytes)
{
    Bridge &bridge = s.bridge;
    if (bridge.count == bridged_max || bridged_memory_bytes - bridge.used_bytes < bytes.size())
        return;
    d.first = bridge.used_bytes;
    d.size_bytes = static_cast<uint32_t>(bytes.size());
    std::memcpy(bridge.memory + d.first, bytes.data(), bytes.size());
    bridge.used_bytes += d.size_bytes;
    bridge.datagrams[bridge.count] = d;
    bridge.count += 1;
}

void queue_bridged(Session &s)
{
    DatagramBuffer &datagram_buffer = s.connections.datagram_buffer;
    const size_t count = datagram_buffer.count;
    datagram_buffer.count = 0;
    for (size_t i = 0; i < count; ++i) {
        const Datagram d = datagram_buffer.datagrams[i];
        if (address::is_bridged(d.address)) {
            push(s, {address::via(d.address), {}, s.replica->self, address::to(d.address), 0, 0},
                 d.bytes);
            s.bridge.own_bytes += d.bytes.size();
            continue;
        }
        if (datagram_buffer.count < i)
            std::memcpy(endpoint::place(datagram_buffer).data(), d.bytes.data(), d.bytes.size());
        endpoint::push(datagram_buffer, d.address, d.bytes.size());
    }
}

static uint32_t next_of(const Session &s, PeerId carrier, uint32_t next)
{
    while (next < s.bridge.count && s.bridge.datagrams[next].carrier != carrier)
        ++next;
    return next;
}

bool has_bridged(const Session &s, PeerId carrier, uint32_t next)
{
    return next_of(s, carrier, next) < s.bridge.count;
}

// Each message: sender u16, receiver u16, the datagram.
uint32_t add_bridged(Session &s, PeerId carrier, Packet &packet, uint32_t next)
{
    for (next = next_of(s, carrier, next); next < s.bridge.count;
         next = next_of(s, carrier, next + 1)) {
        const BridgedDatagram &d = s.bridge.datagrams[next];
        const std::span<std::byte> room = connection::unreliable_room(packet);
        if (room.size() < ids_bytes + d.size_bytes) return next;
        little_endian::store16(&room[0], static_cast<uint16_t>(d.from));
        little_endian::store16(&room[2], static_cast<uint16_t>(d.to));
        std::memcpy(&room[ids_bytes], s.bridge.memory + d.first, d.size_bytes);
        connection::add_unreliable(packet, UnreliableKind::bridged, ids_bytes + d.size_bytes);
        charge_bytes(s, TrafficKind::path, ids_bytes);
        if (d.from == s.replica->self)
            s.bridge.carried_own_bytes += d.size_bytes; // It was charged when it was written.
        else
            charge_bytes(s, d.from == d.to ? TrafficKind::path : TrafficKind::forwarded,
                         d.size_bytes);
    }
    return next;
}

void clear_bridged(Session &s)
{
    s.bridge.count = s.bridge.used_bytes = 0;
}

// --- Forwarding ---

// Null: one of the two is no member.
static RelayedPair *relayed_pair(const Session &s, PeerId from, PeerId to)
{
    const MemberSlot a = replica::find_member(*s.replica, from);
    const MemberSlot b = replica::find_member(*s.replica, to);
    if (a == no_member || b == no_member) return nullptr;
    RelayedPair &pair = s.bridge.pairs[size_t{a} * s.config.peers_max + b];
    if (pair.from != from || pair.to != to)
        pair = {from, to, pace::make(s.config.bridge_bytes_per_second_max, s.now_us), 0};
    return &pair;
}

// False: the pair has used up its budget in this direction, or there is none.
static bool take_budget(RelayedPair *pair, size_t size_bytes, uint64_t now_us)
{
    if (!pair || pace::available_bytes(pair->pace, now_us) < size_bytes) return false;
    pace::spend(pair->pace, size_bytes, now_us);
    return true;
}

static bool can_forward(const Session &s, PeerId to)
{
    const ConnectionIndex index = link_to(s, to);
    return index != no_connection && is_direct(s, index) &&
           connection::state(endpoint::at(*s.endpoint, index)) == ConnectionState::open;
}

// Both ends of a relayed pair may move at the same time. While there is no host, their relay is the
// only one that can name the new address of one to the other.
static void send_address(Session &s, RelayedPair &pair)
{
    if (pair.address_us != 0 && s.now_us - pair.address_us < send_address_us) return;
    const Address address = direct_address(s, link_to(s, pair.from));
    if (address.port == 0) return;
    pair.address_us = s.now_us;
    std::byte bytes[address_bytes];
    std::memcpy(bytes, address.ip, sizeof address.ip);
    little_endian::store16(bytes + sizeof address.ip, address.port);
    push(s, {pair.to, {}, pair.from, pair.from, 0, 0}, bytes);
}

static void forward(Session &s, PeerId from, PeerId to, std::span<const std::byte> bytes)
{
    RelayedPair *pair = relayed_pair(s, from, to);
    if (!can_forward(s, to) || !take_budget(pair, bytes.size(), s.now_us)) {
        s.bridge.not_forwarded += 1;
        return;
    }
    s.bridge.forwarded_datagrams += 1;
    s.bridge.forwarded_bytes += bytes.size();
    push(s, {to, {}, from, to, 0, 0}, bytes);
    send_address(s, *pair);
}

// Notes the address of `about` if `by` is the relay of our path to it. A challenge tries it before
// it is used.
static void take_address(Session &s, PeerId by, PeerId about, std::span<const std::byte> bytes)
{
    const ConnectionIndex index = link_to(s, about);
    if (index == no_connection || bridge_or_self(s, about) != by || by == about) return;
    Address address = {};
    std::memcpy(address.ip, bytes.data(), sizeof address.ip);
    address.port = little_endian::load16(&bytes[sizeof address.ip]);
    if (!address::is_bridged(address)) peer_link(s, index).candidates.relayed = address;
}

// Accepts a member's own datagram for another member, which we forward, and a datagram for us that
// the member has forwarded, or the address of the sender of such datagrams. A message that came
// through a relay is ignored: there is one hop only.
static void take_bridged(Session &s, PeerId by, std::span<const std::byte> message,
                         const Address &source)
{
    const PeerId from = load_from(message), to = load_to(message);
    const PeerId self = s.replica->self;
    if (address::is_bridged(source) || from == self) return;
    const std::span<const std::byte> bytes = message.subspan(ids_bytes);
    if (from == to)
        take_address(s, by, from, bytes);
    else if (to == self && from != by)
        push(s, {PeerId::none, by, from, to, 0, 0}, bytes);
    else if (to != self && from == by)
        forward(s, from, to, bytes);
}

// --- Challenges ---

bool is_path_message(const UnreliableMessage &message)
{
    const size_t size_bytes = message.bytes.size();
    if (message.kind != UnreliableKind::bridged) return size_bytes == nonce_bytes;
    if (size_bytes <= ids_bytes || size_bytes > ids_bytes + bridged_datagram_bytes_max)
        return false;
    return load_from(message.bytes) != load_to(message.bytes) ||
           size_bytes == ids_bytes + address_bytes;
}

void note_source(Session &s, ConnectionIndex index, const Address &from, uint64_t number)
{
    PathCandidates &candidates = peer_link(s, index).candidates;
    if (number < candidates.next_number) return; // Late: the sender may have moved since.
    candidates.next_number = number + 1;
    if (address::is_bridged(from)) return;
    const bool is_present = from == connection::address(endpoint::at(*s.endpoint, index));
    candidates.observed = is_present ? Address{} : from;
    candidates.observed_again = !is_present;
    candidates.observed_us = s.now_us;
}

static void take_answer(Session &s, ConnectionIndex index, uint64_t nonce)
{
    PeerLink &p = peer_link(s, index);
    PathCandidates &candidates = p.candidates;
    if (candidates.nonce == 0 || (nonce ^ candidates.nonce) > bridge_bits) return;
    Connection &c = endpoint::at(*s.endpoint, index);
    const auto via = static_cast<PeerId>(nonce & bridge_bits);
    if (via == PeerId::none) {
        const Address present = connection::address(c);
        if (!address::is_bridged(present) && present != candidates.direct)
            candidates.former = present;
        connection::redirect(c, candidates.direct, s.now_us);
        s.connections.members_rest_until_us = 0; // The address is reported.
        candidates.nonce = 0;
        candidates.direct_count = 0;
        candidates.observed = {};
    } else if (in_doubt(s, index)) {
        connection::redirect(c, address::bridged(via, p.peer), s.now_us);
        candidates.direct_count = 0;
    } else {
        return;
    }
    connection::end_doubt(c, s.now_us);
}

void take_path_message(Session &s, ConnectionIndex index, const UnreliableMessage &message,
                       const Address &from)
{
    PeerLink &p = peer_link(s, index);
    if (message.kind == UnreliableKind::bridged)
        return take_bridged(s, p.peer, message.bytes, from);
    const uint64_t nonce = little_endian::load64(&message.bytes[0]);
    if (message.kind == UnreliableKind::answer) return take_answer(s, index, nonce);
    if (p.candidates.answer_count == answers_due_max) return;
    p.candidates.answers[p.candidates.answer_count] = {from, nonce};
    p.candidates.answer_count += 1;
}

static void send_out_of_band(Session &s, ConnectionIndex index, const Address &to,
                             UnreliableKind kind, uint64_t nonce)
{
    const std::span<std::byte> datagram = endpoint::place(s.connections.datagram_buffer);
    if (datagram.empty()) return;
    std::byte content[nonce_bytes];
    little_endian::store64(content, nonce);
    const OutOfBandPacket packet = connection::out_of_band_packet(
        endpoint::at(*s.endpoint, index), datagram, kind, content, s.now_us);
    if (packet.bytes.empty()) return;
    if (s.records.journal) note_packet(s, index, NoteKind::sealed, packet.number);
    charge_bytes(s, TrafficKind::path, nonce_bytes);
    endpoint::push(s.connections.datagram_buffer, to, packet.bytes.size());
}

// Answers on the path of the challenge and on our own: the former may work in one direction only.
static void send_answers(Session &s, ConnectionIndex index)
{
    PathCandidates &candidates = peer_link(s, index).candidates;
    const Address present = connection::address(endpoint::at(*s.endpoint, index));
    for (uint32_t i = 0; i < candidates.answer_count; ++i) {
        const Address to = candidates.answers[i].to;
        send_out_of_band(s, index, to, UnreliableKind::answer, candidates.answers[i].nonce);
        if (to != present)
            send_out_of_band(s, index, present, UnreliableKind::answer,
                             candidates.answers[i].nonce);
    }
    candidates.answer_count = 0;
}

// The direct address to challenge. Port 0: none is known, or not now. In doubt, that is the present
// address and the one before by turns: both ends may have moved, and one of them back again. If
// packets came from another address lately, that is a better candidate than the roster's address,
// and is challenged when the next packet comes from there.
static Address better_address(const Session &s, const PeerLink &p, const Address &present)
{
    const PathCandidates &candidates = p.candidates;
    if (candidates.observed_again) return candidates.observed;
    if (!address::is_bridged(present)) {
        const bool tries_former = candidates.direct_count / same_address_challenges % 2 == 1;
        return tries_former && candidates.former.port != 0 ? candidates.former : present;
    }
    if (candidates.observed.port != 0 && s.now_us - candidates.observed_us < challenge_us_max)
        return {};
    if (candidates.relayed.port != 0 && candidates.direct_count % 2 == 1) return candidates.relayed;
    const MemberSlot slot = replica::find_member(*s.replica, p.peer);
    const Address known_address =
        slot == no_member ? Address{} : s.replica->members[slot].identity.address;
    return known_address.port != 0 ? known_address : candidates.direct;
}

static uint64_t direct_interval_us(const PathCandidates &candidates, bool bridged)
{
    if (candidates.observed_again) return challenge_us;
    if (!bridged) return doubt_challenge_us;
    return std::min(challenge_us << std::min(candidates.direct_count, 10u), challenge_us_max);
}

static void challenge(Session &s, ConnectionIndex index, const Address &to, PeerId via)
{
    PathCandidates &candidates = peer_link(s, index).candidates;
    if (candidates.nonce == 0) {
        uint8_t drawn[nonce_bytes];
        endpoint::draw(*s.endpoint, drawn);
        candidates.nonce = little_endian::load64(std::as_bytes(std::span(drawn)).data());
        candidates.nonce = (candidates.nonce | 1ull << 63) & ~bridge_bits;
    }
    send_out_of_band(s, index, to, UnreliableKind::challenge,
                     candidates.nonce | static_cast<uint64_t>(via));
}

static void challenge_direct(Session &s, ConnectionIndex index, bool doubt)
{
    PeerLink &p = peer_link(s, index);
    PathCandidates &candidates = p.candidates;
    const Address present = connection::address(endpoint::at(*s.endpoint, index));
    const bool bridged = address::is_bridged(present);
    if (!bridged && !doubt && !candidates.observed_again) return;
    if (candidates.direct_us != 0 &&
        s.now_us - candidates.direct_us < direct_interval_us(candidates, bridged))
        return;
    const Address to = better_address(s, p, present);
    if (to.port == 0) return;
    if (to != candidates.direct)
        candidates.nonce = 0; // Answers to challenges of another address prove nothing.
    candidates.direct = to;
    candidates.direct_us = std::max<uint64_t>(s.now_us, 1);
    candidates.direct_count += 1;
    candidates.observed_again = false;
    challenge(s, index, to, PeerId::none);
}

static void challenge_relay_candidate(Session &s, ConnectionIndex index)
{
    PeerLink &p = peer_link(s, index);
    if (p.candidates.relay_candidate_us != 0 &&
        s.now_us - p.candidates.relay_candidate_us < doubt_challenge_us)
        return;
    const PeerId via = bridge_to(s, p.peer, p.candidates.relay_candidate_count);
    if (via == PeerId::none) return;
    p.candidates.relay_candidate_count += 1;
    p.candidates.relay_candidate_us = std::max<uint64_t>(s.now_us, 1);
    challenge(s, index, address::bridged(via, p.peer), via);
}

void send_path_messages(Session &s, ConnectionIndex index)
{
    const PeerRole role = s.connections.links[index].role;
    if (role == PeerRole::join_target || role == PeerRole::member) send_answers(s, index);
    if (role != PeerRole::member) return;
    const bool doubt = in_doubt(s, index);
    challenge_direct(s, index, doubt);
    if (doubt) challenge_relay_candidate(s, index);
}

}
