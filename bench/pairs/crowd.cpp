#include "bench/pairs/crowd.h"
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sodium.h>

using namespace tern;

namespace bench {

void FreeReplica::operator()(Replica *r) const
{
    std::free(r);
}

static const Field exact_fields[] = {{"position", FieldKind::float32, offsetof(Body, position), 3},
                                     {"rotation", FieldKind::quaternion, offsetof(Body, rotation)},
                                     {"health", FieldKind::int32, offsetof(Body, health)}};

// Two kilometres in steps of a centimetre, and rotations to about half a degree.
static const Field quantised_fields[] = {
    {"position", FieldKind::float32, offsetof(Body, position), 3, -1000, 1000, 0.01},
    {"rotation", FieldKind::quaternion, offsetof(Body, rotation), 1, 0, 0, 0.005},
    {"health", FieldKind::int32, offsetof(Body, health), 1, 0, 65'535}};

namespace crowd {

static PeerId peer(size_t i)
{
    return static_cast<PeerId>(i + 1);
}

// --- Construction ---

// The limits that a session derives from its config.
static ReplicaLimits limits(const Type &type)
{
    const uint32_t slots = world::capacity(type);
    ReplicaLimits limits = {};
    limits.peers_max = receivers_count + 1;
    limits.unacked_max = 4096;
    limits.grants_max = 3 * slots + 256;
    limits.dead_max = slots + 4096;
    limits.packets_max = 512;
    limits.updates_max = 16 * 1024;
    return limits;
}

static void make_replica(Crowd &crowd)
{
    const ReplicaLimits with = limits(crowd.type);
    void *memory = std::calloc(1, replica::size_bytes(crowd.types, with));
    if (!memory) std::abort();
    crowd.replicas.emplace_back(replica::place(memory, crowd.types, with));
}

static bool deliver(Crowd &crowd, size_t from, size_t to, std::span<const std::byte> message,
                    const Identity &identity, const uint8_t *signing_secret)
{
    Replica &r = *crowd.replicas[to];
    const Verdict verdict = r.phase == Phase::outside
                                ? replica::welcome(r, 1, signing_secret, identity, message)
                                : replica::receive(r, peer(from), message);
    if (verdict != Verdict::ok && verdict != Verdict::ignored) {
        std::fprintf(stderr, "tern-bench: replica %zu takes no message: verdict %u\n", to,
                     static_cast<unsigned>(verdict));
        std::exit(1);
    }
    replica::end_receive(r);
    replica::begin_receive(r);
    crowd.delivered[from][to] += 1;
    replica::messages_acked(*crowd.replicas[from], peer(to), crowd.delivered[from][to]);
    return true;
}

struct Member {
    Identity identity;
    uint8_t signing_secret[64];
};

static Member make_member(size_t i)
{
    Member member = {};
    crypto_sign_keypair(member.identity.signing_key, member.signing_secret);
    member.identity.key[0] = static_cast<uint8_t>(i + 1);
    return member;
}

// Delivers messages until no replica has one left.
static void flow(Crowd &crowd, const std::vector<Member> &members)
{
    std::vector<std::byte> buffer(16 * 1024);
    for (bool any = true; any;) {
        any = false;
        for (size_t from = 0; from < crowd.replicas.size(); ++from) {
            Replica &r = *crowd.replicas[from];
            replica::end_receive(r);
            replica::begin_receive(r);
            replica::begin_send(r);
            for (size_t to = 0; to < crowd.replicas.size(); ++to) {
                // A member other than the host can reach the newcomer only after its welcome.
                if (to == from || !replica::is_member(r, peer(to))) continue;
                if (crowd.replicas[to]->phase == Phase::outside && from != 0) continue;
                while (const size_t size = replica::next_message(r, peer(to), buffer))
                    any = deliver(crowd, from, to, std::span(buffer).first(size),
                                  members[to].identity, members[to].signing_secret);
            }
            replica::end_send(r);
        }
    }
}

static void create_objects(Crowd &crowd, uint32_t object_count)
{
    Replica &owner = *crowd.replicas[0];
    crowd.bodies.resize(object_count);
    for (size_t i = 0; i < object_count; ++i) {
        Body &body = crowd.bodies[i];
        const auto place = static_cast<float>(i % 1000);
        body = {{place / 2, place / 3, place / 4}, {0, 0, 0, 1}, static_cast<int32_t>(i)};
        const ObjectId id = replica::create(owner, 0, &body);
        crowd.slots.push_back(world::find_alive(owner.world, id));
    }
}

std::unique_ptr<Crowd> make(Precision precision, uint32_t object_count)
{
    if (sodium_init() < 0) std::abort();
    auto made = std::make_unique<Crowd>();
    Crowd &crowd = *made;
    const std::span<const Field> fields =
        precision == Precision::exact ? std::span<const Field>(exact_fields) : quantised_fields;
    // The owner creates all of them at once, and has at least half of an equal share of the places.
    crowd.type = {"body", sizeof(Body), fields, 2 * object_count * (receivers_count + 1)};
    crowd.types = type_table::make(std::span(&crowd.type, 1));
    crowd.update_room = std::make_unique<UpdateRoom>(crowd.types);
    crowd.delivered.assign(receivers_count + 1, std::vector<uint32_t>(receivers_count + 1));
    std::vector<Member> members;
    for (size_t i = 0; i <= receivers_count; ++i) {
        make_replica(crowd);
        members.push_back(make_member(i));
    }
    Replica &owner = *crowd.replicas[0];
    crowd.traffic.resize(charges::row_count(crowd.types));
    crowd.charge_runs.resize(charges::run_count(crowd.types));
    crowd.charges = charges::make(crowd.types, crowd.traffic, crowd.charge_runs);
    owner.charges = &crowd.charges;
    replica::start(owner, 1, members[0].signing_secret, members[0].identity);
    for (size_t i = 1; i <= receivers_count; ++i) {
        replica::admit(owner, replica::next_peer_id(owner), members[i].identity);
        flow(crowd, members);
    }
    create_objects(crowd, object_count);
    flow(crowd, members);
    for (Pipe &pipe : crowd.pipes)
        pipe.packets.resize(packets_in_tick_max);
    if (!is_equal(crowd)) {
        std::fprintf(stderr, "tern-bench: the replicas did not take all objects\n");
        std::exit(1);
    }
    return made;
}

// --- A tick ---

void move(Crowd &crowd, size_t first, size_t stride)
{
    crowd.tick += 1;
    for (size_t i = first; i < crowd.bodies.size(); i += stride) {
        Body &body = crowd.bodies[i];
        for (size_t k = 0; k < 3; ++k) {
            body.position[k] += 0.37f + 0.11f * static_cast<float>(k);
            if (body.position[k] > 900) body.position[k] -= 1800;
        }
        const float angle = 0.13f * static_cast<float>(crowd.tick) + static_cast<float>(i);
        body.rotation[0] = std::sin(angle) * 0.6f;
        body.rotation[1] = std::sin(angle) * 0.8f;
        body.rotation[3] = std::cos(angle);
        body.health = (body.health + 7) % 60'000;
    }
}

void set(Crowd &crowd, size_t first, size_t stride)
{
    Replica &owner = *crowd.replicas[0];
    for (size_t i = first; i < crowd.slots.size(); i += stride)
        replica::set(owner, crowd.slots[i], &crowd.bodies[i]);
}

void write(Crowd &crowd)
{
    Replica &owner = *crowd.replicas[0];
    replica::begin_send(owner);
    for (size_t i = 0; i < receivers_count; ++i) {
        Pipe &pipe = crowd.pipes[i];
        pipe.count = 0;
        pipe.first_packet = crowd.next_packet;
        while (replica::has_updates(owner, peer(i + 1)) && pipe.count < packets_in_tick_max) {
            PipedPacket &packet = pipe.packets[pipe.count];
            packet.size_bytes =
                replica::write_updates(owner, peer(i + 1), crowd.next_packet, packet.bytes);
            if (packet.size_bytes == 0) break;
            crowd.next_packet += 1;
            pipe.count += 1;
        }
    }
    replica::end_send(owner);
}

uint64_t receive(Crowd &crowd)
{
    uint64_t changed = 0;
    for (size_t i = 0; i < receivers_count; ++i) {
        Replica &r = *crowd.replicas[i + 1];
        const Pipe &pipe = crowd.pipes[i];
        ReadUpdates &read = crowd.update_room->read;
        replica::begin_receive(r);
        for (size_t k = 0; k < pipe.count; ++k) {
            const std::span<const std::byte> message(pipe.packets[k].bytes,
                                                     pipe.packets[k].size_bytes);
            // A session also checks a packet whole before it applies any part of it.
            publish::clear(read);
            if (publish::read(read, r.world, *r.types, peer(0), message))
                replica::receive_updates(r, peer(0), read);
        }
        changed += r.log.events.count;
        replica::end_receive(r);
    }
    return changed;
}

void report_packet_outcomes(Crowd &crowd)
{
    Replica &owner = *crowd.replicas[0];
    replica::begin_receive(owner);
    for (size_t i = 0; i < receivers_count; ++i)
        for (size_t k = 0; k < crowd.pipes[i].count; ++k)
            replica::on_packet_outcome(owner, peer(i + 1), crowd.pipes[i].first_packet + k, true);
    replica::end_receive(owner);
}

uint64_t idle(Crowd &crowd)
{
    Replica &owner = *crowd.replicas[0];
    std::byte buffer[updates_bytes_max];
    uint64_t due = 0;
    replica::begin_receive(owner);
    replica::end_receive(owner);
    replica::begin_send(owner);
    for (size_t i = 0; i < receivers_count; ++i) {
        due += replica::next_message(owner, peer(i + 1), buffer) > 0;
        due += replica::has_updates(owner, peer(i + 1));
    }
    replica::end_send(owner);
    return due;
}

uint64_t piped_bytes(const Crowd &crowd)
{
    uint64_t bytes = 0;
    for (const Pipe &pipe : crowd.pipes)
        for (size_t i = 0; i < pipe.count; ++i)
            bytes += pipe.packets[i].size_bytes + packet_overhead_bytes;
    return bytes;
}

bool is_equal(const Crowd &crowd)
{
    const uint64_t digest = world::digest(crowd.replicas[0]->world, crowd.types);
    for (size_t i = 1; i <= receivers_count; ++i)
        if (world::digest(crowd.replicas[i]->world, crowd.types) != digest) return false;
    return true;
}

}
}
