#include "fuzz/support/arena.h"
#include "fuzz/support/endpoints.h"
#include "migration/messages.h"
#include "session/membership.h"
#include "transport/connection/aead.h"
#include "transport/connection/frames.h"
#include "transport/little_endian.h"
#include <cstring>
#include <sodium.h>

namespace tern::fuzz::arena {

namespace {

constexpr size_t mails_max = 256;

const Field ball_fields[] = {{"x", FieldKind::int32, offsetof(Ball, x)},
                             {"y", FieldKind::int16, offsetof(Ball, y), 1, -100, 100}};
const Field shout_fields[] = {{"at", FieldKind::object, offsetof(Shout, at)}};
const Type arena_types[] = {
    {"ball", sizeof(Ball), ball_fields, 8},
    {"kept", sizeof(Ball), ball_fields, 8, Orphan::to_host, ClaimPolicy::never},
    {"shout", sizeof(Shout), shout_fields}};

// --- The honest sessions ---

void play(Arena &a, size_t who)
{
    Session *s = a.honest[who];
    if (session_state(s) != State::open || !exists(s, a.kept[who])) return;
    set(s, a.kept[who], Ball{a.played, static_cast<int16_t>(who), 0});
}

void post(Arena &a, size_t from, const Datagram &datagram)
{
    if (datagram.address == numbered_address(honest_count)) {
        if (datagram.bytes[0] != std::byte{4}) return;
        const uint64_t number = little_endian::load32(&datagram.bytes[5]);
        a.lanes[from].heard_end = std::max(a.lanes[from].heard_end, number + 1);
        return;
    }
    const size_t to = 1 - from;
    if (!(datagram.address == numbered_address(to)) || a.mail_count[to] == mails_max) return;
    Mail &mail = a.mails[to][a.mail_count[to]];
    mail.size_bytes = datagram.bytes.size();
    std::memcpy(mail.bytes, datagram.bytes.data(), mail.size_bytes);
    a.mail_count[to] += 1;
}

void hear(Arena &a, size_t who)
{
    Datagram datagrams[mails_max];
    const size_t count = a.mail_count[who];
    for (size_t i = 0; i < count; ++i)
        datagrams[i] = {numbered_address(1 - who),
                        std::span(a.mails[who][i].bytes).first(a.mails[who][i].size_bytes)};
    receive(a.honest[who], std::span(datagrams, count), a.now_us);
    a.mail_count[who] = 0;
}

// --- The hostile member joins as any other would ---

void shake_hands(Arena &a, size_t with)
{
    Session *s = a.honest[with];
    const uint8_t(&secret)[32] = a.honest[0]->invite.secret;
    NoiseHandshake h = noise::initiate(handshake::prologue(a.honest[0]->invite.session).bytes,
                                       a.keys, noise::make_key_pair(), s->keys.public_key);
    const Offer offer = {handshake::ciphers_everywhere, 0,
                         session::incarnation_of(a.signing_public)};
    const Initiation initiation =
        handshake::write_initiation(h, static_cast<uint32_t>(100 + with), offer,
                                    handshake::mac_keys(s->keys.public_key))
            .message;
    const Datagram question = {numbered_address(honest_count),
                               std::as_bytes(std::span(&initiation, 1))};
    receive(s, std::span(&question, 1), a.now_us);
    for (const Datagram &datagram : send(s, a.now_us)) {
        const Read<Response> read =
            handshake::read_response(datagram.bytes, handshake::mac_keys(a.keys.public_key));
        if (read.reading != Reading::ok) {
            post(a, with, datagram);
            continue;
        }
        const bool ok = handshake::open_response(h, secret, read.message, offer).ok;
        TERN_ASSERT(ok, "no response from %zu", with);
        a.lanes[with] = {};
        a.lanes[with].keys = noise::split(h);
        a.lanes[with].remote_id = handshake::id(read.message.sender_id);
        return;
    }
    TERN_ASSERT(false, "%zu does not answer", with);
}

void ask_to_join(Arena &a)
{
    std::byte buffer[256];
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(JoinMessage::join), 8);
    bits::write(w, type_table::digest(a.honest[0]->types), 64);
    bits::write(w, a.honest[0]->config.peers_max, 16);
    bits::write(w, static_cast<uint64_t>(a.honest[0]->config.quorum), 8);
    bits::write(w, static_cast<uint64_t>(a.honest[0]->config.topology), 8);
    bits::write_bytes(w, std::as_bytes(std::span(a.signing_public)));
    bits::write(w, 0, 8);  // The name is empty,
    bits::write(w, 0, 16); // and so is the payload.
    send_message(a, 0, StreamId::world, std::span(buffer).first(bits::size_bytes(w)));
}

void say_caught_up(Arena &a)
{
    const auto kind = static_cast<std::byte>(MessageKind::caught_up);
    send_message(a, 0, StreamId::world, std::span(&kind, 1));
}

// We read the grant for us from the host's memory, and announce it as an owner would.
void take_lent(Arena &a)
{
    Replica &host = *a.honest[0]->replica;
    migrate(a.honest[0], a.lent, a.hostile);
    tick(a, 33'333);
    const Grant *grant = nullptr;
    for (const Grant &g : host.grants.all())
        if (g.references > 0 && g.owner == a.hostile) grant = &g;
    TERN_ASSERT(grant, "no grant for %u", static_cast<unsigned>(a.hostile));
    std::byte buffer[1024];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::migrate);
    messages::write_grant(w, *grant);
    bits::write(w, 1, 1);
    bits::write(w, 1, 32); // The tick of the value, which survives the transfer.
    messages::write_state(w, host, TrafficKind::grant, world::find_alive(host.world, a.lent), 1);
    for (size_t to = 0; to < honest_count; ++to)
        send_message(a, to, StreamId::world, std::span(buffer).first(bits::size_bytes(w)));
}

void make_honest(Arena &a)
{
    Config config;
    config.types = arena_types;
    config.peers_max = 3;
    config.timeout_ms = 2000;
    for (size_t i = 0; i < honest_count; ++i) {
        a.mails[i].resize(mails_max);
        a.honest[i] = make_session(config);
        receive(a.honest[i], {}, a.now_us);
    }
    const Address host = numbered_address(0);
    start(a.honest[0]);
    join(a.honest[1], make_invite(a.honest[0], std::span(&host, 1)));
    for (int ticks = 0; session_state(a.honest[1]) != State::open; ++ticks) {
        TERN_ASSERT(ticks < 100, "the honest do not find each other: %s", state_text(a.honest[1]));
        tick(a, 33'333);
    }
    for (size_t i = 0; i < honest_count; ++i)
        a.kept[i] = create(a.honest[i], KEPT, Ball{0, 0, 0});
    a.lent = create(a.honest[0], BALL, Ball{5, 5, 0});
}

void join_hostile(Arena &a)
{
    a.keys = noise::make_key_pair();
    crypto_sign_keypair(a.signing_public, a.signing_secret);
    shake_hands(a, 0);
    ask_to_join(a);
    for (int i = 0; i < 3; ++i)
        tick(a, 33'333);
    a.hostile = other_peers(a.honest[0]).back();
    shake_hands(a, 1);
    const std::byte ping{static_cast<uint8_t>(FrameKind::ping)};
    send_frames(a, 1, std::span(&ping, 1));
    say_caught_up(a);
    for (int i = 0; i < 6; ++i) {
        tick(a, 33'333);
        send_ack(a, 0);
        send_ack(a, 1);
    }
    take_lent(a);
    for (int i = 0; i < 3; ++i)
        tick(a, 33'333);
    for (Session *s : a.honest)
        TERN_ASSERT(other_peers(s).size() == 2 && object_owner(s, a.lent) == a.hostile,
                    "the hostile member is not in: %zu", other_peers(s).size());
}

// --- The same initial state for each input ---

void save(Arena &a, void *at, size_t size_bytes)
{
    auto *bytes = static_cast<std::byte *>(at);
    a.saved.push_back({bytes, {bytes, bytes + size_bytes}});
}

// Saves all memory that an input can change. An input cannot open connections, so the two existing
// ones suffice. Memory that is written before it is read is left out.
void save_all(Arena &a)
{
    for (Session *s : a.honest) {
        auto *endpoint = reinterpret_cast<std::byte *>(s->endpoint);
        auto *first = reinterpret_cast<std::byte *>(&endpoint::at(*s->endpoint, 0));
        auto *second = reinterpret_cast<std::byte *>(&endpoint::at(*s->endpoint, 1));
        TERN_ASSERT(endpoint < first && first < second, "connections lie elsewhere, %p",
                    static_cast<void *>(first));
        save(a, endpoint,
             static_cast<size_t>(second - endpoint) + static_cast<size_t>(second - first));
        save(a, s, sizeof *s);
        save(a, s->replica, s->replica->block_bytes);
        auto *memory = static_cast<std::byte *>(s->memory);
        save(a, memory, static_cast<size_t>(s->calls.memory.data() - memory));
    }
    save(a, a.lanes, sizeof a.lanes);
    save(a, &a.now_us, sizeof a.now_us);
    save(a, &a.played, sizeof a.played);
}

Arena made()
{
    Arena a = {};
    seed_chance(1);
    a.now_us = 1'000'000;
    make_honest(a);
    join_hostile(a);
    return a;
}

}

Arena &fresh()
{
    static Arena a = made();
    if (a.saved.empty()) {
        a.mail_count[0] = a.mail_count[1] = 0; // Lost datagrams are retransmitted.
        save_all(a);
    }
    for (const Saved &saved : a.saved)
        std::memcpy(saved.at, saved.bytes.data(), saved.bytes.size());
    a.mail_count[0] = a.mail_count[1] = 0;
    seed_chance(2);
    return a;
}

void send_frames(Arena &a, size_t to, std::span<const std::byte> frames)
{
    Lane &lane = a.lanes[to];
    std::byte bytes[datagram_bytes_max];
    const size_t size = data_header_bytes + frames.size() + tag_bytes;
    TERN_ASSERT(size <= sizeof bytes, "%zu bytes of frames", frames.size());
    bytes[0] = std::byte{4};
    little_endian::store32(&bytes[1], lane.remote_id);
    little_endian::store32(&bytes[5], static_cast<uint32_t>(lane.number));
    std::copy(frames.begin(), frames.end(), bytes + data_header_bytes);
    aead::seal(aead::key(lane.keys.send), lane.number, std::span(bytes).first(size));
    lane.number += 1;
    const Datagram datagram = {numbered_address(honest_count), std::span(bytes).first(size)};
    receive(a.honest[to], std::span(&datagram, 1), a.now_us);
}

void send_message(Arena &a, size_t to, StreamId stream, std::span<const std::byte> message)
{
    if (message.empty()) return;
    std::byte frames[datagram_bytes_max];
    const size_t length_bytes = message.size() < 128 ? 1 : 2;
    const size_t size = length_bytes + message.size();
    uint64_t &offset = a.lanes[to].offsets[static_cast<size_t>(stream)];
    size_t at = frames::write_chunk_header(frames, stream, offset, size);
    offset += size;
    if (length_bytes == 2) frames[at++] = static_cast<std::byte>((message.size() & 127) | 128);
    frames[at++] = static_cast<std::byte>(message.size() >> (length_bytes == 2 ? 7 : 0));
    std::copy(message.begin(), message.end(), frames + at);
    send_frames(a, to, std::span(frames).first(at + message.size()));
}

void send_ack(Arena &a, size_t to)
{
    const uint64_t end = a.lanes[to].heard_end;
    if (end == 0) return;
    Ack ack = {};
    ack.largest_low = static_cast<uint32_t>(end - 1);
    ack.bitmap_count = static_cast<uint8_t>(std::min<uint64_t>((end - 1) / 8, 64));
    std::memset(ack.bitmap, 0xff, ack.bitmap_count);
    std::byte frames[ack_header_bytes + ack_bitmap_bytes_max];
    send_frames(a, to, std::span(frames).first(frames::write_ack(frames, ack)));
}

void tick(Arena &a, uint64_t duration_us)
{
    a.now_us += duration_us;
    a.played += 1;
    for (size_t i = 0; i < honest_count; ++i) {
        hear(a, i);
        play(a, i);
    }
    for (size_t i = 0; i < honest_count; ++i)
        for (const Datagram &datagram : send(a.honest[i], a.now_us))
            post(a, i, datagram);
}

}
