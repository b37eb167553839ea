// Measures whole sessions without a network: eight of them, with datagrams handed over directly.
#include "bench/sections/sections.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/tern.hpp"
#include "tern/untyped.hpp"
#include "transport/connection/packet_codec.h"
#include <cstddef>

namespace bench {
namespace {

constexpr size_t session_count = 8;
constexpr size_t own_count = 25; // Objects of each session.
constexpr size_t stride = 10;    // Every stride-th object changes in a tick.
constexpr uint64_t tick_us = 16'667;
constexpr double ticks_per_second = 60;

struct Thing {
    float position[3];
    float velocity[3];
    int32_t health;
    uint32_t sequence;
    tern::PeerId target;
    uint16_t zero;
};
const tern::Field thing_fields[] = {
    {"position", tern::FieldKind::float32, offsetof(Thing, position), 3, -100, 100, 0.01},
    {"velocity", tern::FieldKind::float32, offsetof(Thing, velocity), 3, -10, 10, 0.01},
    {"health", tern::FieldKind::int32, offsetof(Thing, health), 1, 0, 100},
    {"sequence", tern::FieldKind::uint32, offsetof(Thing, sequence)},
    {"target", tern::FieldKind::peer, offsetof(Thing, target)}};
const tern::Type things[] = {{"thing", sizeof(Thing), thing_fields, 2 * session_count *own_count}};

// A change, the same for all contenders: position and sequence always, other fields now and then.
void move(Thing &thing, uint64_t tick)
{
    const auto step = static_cast<float>(tick % 100);
    thing.position[0] = step;
    thing.position[1] = 0.5f * step;
    thing.sequence += 1;
    if (tick % 4 == 0) thing.velocity[2] = 0.1f * step;
    if (tick % 8 == 0) thing.health = static_cast<int32_t>(tick % 101);
}

Sample sample(double cpu_ns, uint64_t ticks, uint64_t datagrams, uint64_t bytes, bool wrong)
{
    const double tick_ns = cpu_ns / static_cast<double>(ticks);
    return {{tick_ns / 1000, 1e9 / ticks_per_second / tick_ns,
             cpu_ns / static_cast<double>(datagrams),
             static_cast<double>(bytes) / static_cast<double>(datagrams)},
            datagrams,
            datagrams,
            wrong};
}

// --- The floor: changed structs are copied into a datagram per receiver, and out again ---

struct Copies {
    uint64_t ticks;
    bool sealed;
    uint64_t tick;
    std::vector<Thing> things[session_count]; // [session]: its copies of all objects.
};

Copies make_copies(uint64_t ticks, bool sealed)
{
    Copies copies = {ticks, sealed, 0, {}};
    for (std::vector<Thing> &all : copies.things)
        all.resize(session_count * own_count);
    return copies;
}

size_t pack(const Copies &copies, size_t from, std::span<std::byte> datagram)
{
    size_t size = tern::data_header_bytes;
    for (size_t i = copies.tick % stride; i < own_count; i += stride) {
        const auto index = static_cast<uint32_t>(from * own_count + i);
        std::memcpy(&datagram[size], &index, sizeof index);
        std::memcpy(&datagram[size + sizeof index], &copies.things[from][index], sizeof(Thing));
        size += sizeof index + sizeof(Thing);
    }
    return size + tern::tag_bytes;
}

void unpack(std::span<const std::byte> content, std::vector<Thing> &to)
{
    for (size_t at = 0; at < content.size(); at += sizeof(uint32_t) + sizeof(Thing)) {
        uint32_t index;
        std::memcpy(&index, &content[at], sizeof index);
        std::memcpy(&to[index], &content[at + sizeof index], sizeof(Thing));
    }
}

// Packs and unpacks one datagram, and returns its size; 0 if it could not be opened.
size_t pass(Copies &copies, size_t from, size_t to)
{
    static const tern::AeadKey key = tern::aead::key({1});
    std::byte datagram[tern::datagram_bytes_max], scratch[tern::datagram_bytes_max];
    const size_t size = pack(copies, from, datagram);
    const std::span<std::byte> whole = std::span(datagram).first(size);
    std::span<const std::byte> content =
        whole.subspan(tern::data_header_bytes, tern::aead::content_bytes(size));
    if (copies.sealed) {
        const uint64_t number = copies.tick * session_count * session_count + from;
        tern::aead::seal(key, number, whole);
        if (!tern::aead::open(key, number, whole, scratch)) return 0;
        content = std::span(scratch).first(content.size());
    }
    unpack(content, copies.things[to]);
    return size;
}

Sample run_copies(Copies &copies)
{
    uint64_t datagrams = 0, bytes = 0;
    bool wrong = false;
    const uint64_t begin_ns = cpu_clock_ns();
    for (uint64_t t = 0; t < copies.ticks; ++t) {
        copies.tick += 1;
        for (size_t from = 0; from < session_count; ++from) {
            for (size_t i = copies.tick % stride; i < own_count; i += stride)
                move(copies.things[from][from * own_count + i], copies.tick);
            for (size_t to = 0; to < session_count; ++to) {
                if (to == from) continue;
                const size_t size = pass(copies, from, to);
                wrong = wrong || size == 0;
                bytes += size;
                datagrams += 1;
            }
        }
    }
    const auto cpu_ns = static_cast<double>(cpu_clock_ns() - begin_ns);
    for (const std::vector<Thing> &all : copies.things)
        wrong = wrong ||
                std::memcmp(all.data(), copies.things[0].data(), all.size() * sizeof(Thing)) != 0;
    return sample(cpu_ns, copies.ticks, datagrams, bytes, wrong);
}

// --- tern ---

tern::Address address_of(size_t i)
{
    tern::Address address = {};
    address.ip[10] = address.ip[11] = 0xff;
    address.ip[12] = 10;
    address.ip[15] = static_cast<uint8_t>(i + 1);
    address.port = 7777;
    return address;
}

struct Mesh {
    uint64_t ticks;
    tern::Session *sessions[session_count];
    std::vector<tern::ObjectId> own[session_count];
    // The datagrams of a session's send() stay valid until its next send(), which is after all
    // receive().
    std::vector<tern::Datagram> inboxes[session_count];
    uint64_t tick, datagrams, bytes;
};

void play(Mesh &mesh, size_t i)
{
    for (size_t k = mesh.tick % stride; k < mesh.own[i].size(); k += stride) {
        Thing thing = tern::get(mesh.sessions[i], tern::Object<Thing>{mesh.own[i][k]});
        move(thing, mesh.tick);
        tern::set(mesh.sessions[i], tern::Object<Thing>{mesh.own[i][k]}, thing);
    }
}

void step(Mesh &mesh, bool playing)
{
    mesh.tick += 1;
    const uint64_t now_us = mesh.tick * tick_us;
    for (size_t i = 0; i < session_count; ++i) {
        tern::receive(mesh.sessions[i], mesh.inboxes[i], now_us);
        mesh.inboxes[i].clear();
        if (playing) play(mesh, i);
        for (const tern::Datagram &datagram : tern::send(mesh.sessions[i], now_us)) {
            const size_t to = datagram.address.ip[15] - 1u;
            mesh.inboxes[to].push_back({address_of(i), datagram.bytes});
            mesh.datagrams += 1;
            mesh.bytes += datagram.bytes.size();
        }
    }
}

void make_mesh(Mesh &mesh)
{
    tern::Config config;
    config.types = things;
    config.peers_max = session_count;
    for (tern::Session *&session : mesh.sessions)
        session = tern::make_session(config);
    tern::start(mesh.sessions[0]);
    const tern::Address host = address_of(0);
    for (size_t i = 1; i < session_count; ++i)
        tern::join(mesh.sessions[i], tern::make_invite(mesh.sessions[0], std::span(&host, 1)));
    for (int i = 0; i < 400; ++i) // Long enough for handshakes to expire as well.
        step(mesh, false);
    for (size_t i = 0; i < session_count; ++i)
        for (size_t k = 0; k < own_count; ++k)
            mesh.own[i].push_back(tern::create(mesh.sessions[i], 0, Thing{}));
    for (int i = 0; i < 60; ++i)
        step(mesh, false);
}

bool is_equal(const Mesh &mesh)
{
    for (tern::Session *session : mesh.sessions)
        if (tern::session_state(session) != tern::State::open ||
            tern::world_digest(session) != tern::world_digest(mesh.sessions[0]))
            return false;
    return true;
}

Sample run_mesh(Mesh &mesh)
{
    mesh.datagrams = mesh.bytes = 0;
    const uint64_t begin_ns = cpu_clock_ns();
    for (uint64_t t = 0; t < mesh.ticks; ++t)
        step(mesh, true);
    const auto cpu_ns = static_cast<double>(cpu_clock_ns() - begin_ns);
    const uint64_t datagrams = mesh.datagrams, bytes = mesh.bytes;
    for (int i = 0; i < 30; ++i)
        step(mesh, false);
    return sample(cpu_ns, mesh.ticks, datagrams, bytes, !is_equal(mesh));
}

}

bool measure_session(const Options &options)
{
    const uint64_t ticks = options.quick ? 60 : 600;
    Copies plain = make_copies(ticks, false);
    Copies sealed = make_copies(ticks, true);
    Mesh mesh = {};
    mesh.ticks = ticks;
    make_mesh(mesh);
    const Contender contenders[] = {
        contender<run_copies>("raw copy, as many datagrams", plain, Promise::everything),
        contender<run_copies>("raw copy, sealed and opened", sealed, Promise::everything),
        contender<run_mesh>("tern sessions", mesh, Promise::everything)};
    const Section section = {
        "session",
        "sessions: 8 in a mesh, 200 objects, a tenth changes each tick, no network",
        {{"us per tick", 1, true},
         {"x real time", 0, false},
         {"ns per datagram", 0, true},
         {"bytes", 1, false}},
        {"a tick: receive, play and send of all eight; x real time: at 60 ticks a second",
         "2 vectors of 3 floats in 0.01, int32 of 0 to 100, uint32, a peer"}};
    const bool right = measure(section, contenders, options);
    for (tern::Session *session : mesh.sessions)
        tern::destroy_session(session);
    return right;
}

}
