#include "attacks.h"
#include "common/suggestion.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <algorithm>

namespace bot::attacks {

using namespace tern;
using namespace intruder;

// --- Messages that break the format, or for which the sender has no authority ---

static void malformed(Intruder &i)
{
    constexpr uint64_t kinds = 24; // Two more than there are.
    for (int k = 0; k < 4; ++k) {
        BitWriter w = begin(i, static_cast<MessageKind>(below(i.random, kinds)));
        write_random(w, i, 40);
        send_to_all(i, w);
    }
}

static void forged(Intruder &i)
{
    const KnownObject *object = foreign_object(i);
    if (!object) return;
    const PeerId self = local_peer(i.session);
    BitWriter w = begin(i, MessageKind::grant);
    write_grant(w, i, *object, self);
    bits::write_bool(w, true);
    messages::write_stamp(w, object->stamp);
    write_state(w, i, object->type);
    send_to_all(i, w);
    w = begin(i, MessageKind::migrate);
    write_grant(w, i, *object, self);
    bits::write_bool(w, true);
    bits::write(w, object->tick, 32);
    write_state(w, i, object->type);
    send_to_all(i, w);
    w = begin(i, MessageKind::destroy);
    messages::write_object_id(w, object->id);
    write_grant(w, i, *object, self);
    send_to_all(i, w);
}

// Sends a VIEW in which the intruder is the only member.
static void send_view(Intruder &i)
{
    const Replica &r = replica(i);
    BitWriter w = begin(i, MessageKind::view);
    bits::write(w, r.term.view + 1, 32);
    bits::write(w, r.term.number, 16);
    bits::write(w, r.term.last_peer, 16);
    bits::write(w, 1, 16);
    bits::write_bool(w, false);
    messages::write_peer(w, local_peer(i.session));
    bits::write(w, 1, 3); // It votes, its vote is not new, and no identity follows.
    send_to_all(i, w);
}

static void poses(Intruder &i)
{
    send_view(i);
    const KnownObject *object = foreign_object(i);
    if (!object) return;
    BitWriter w = begin(i, MessageKind::claim_refused);
    messages::write_object_id(w, object->id);
    bits::write(w, 1, 8); // Dead.
    send_to_all(i, w);
    w = begin(i, MessageKind::relay);
    messages::write_object_id(w, object->id);
    messages::write_stamp(w, object->stamp + 1);
    messages::write_peer(w, local_peer(i.session));
    bits::write_varint(w, object->place);
    bits::write(w, object->tick, 32);
    write_state(w, i, object->type);
    send_to_all(i, w);
}

static void steals(Intruder &i)
{
    std::array<std::byte, datagram_bytes_max> buffer;
    const KnownObject *object = foreign_object(i);
    if (!object) return;
    const std::span<const std::byte> frame = update_frame(i, *object, buffer);
    for (const PeerId to : others(i))
        send_frames(i, to, frame);
}

// --- Objects ---

static TypeId type_with_objects(const Intruder &i)
{
    for (size_t type = 0; type < i.types.size(); ++type)
        if (i.types[type].objects_max > 0) return static_cast<TypeId>(type);
    return no_type;
}

static BitWriter begin_create(Intruder &i, TypeId type, uint32_t place)
{
    // The session's own creations are below, and it skips no serials up to here.
    constexpr uint32_t serials_of_session = 40'000'000;
    i.serial = std::max(i.serial, serials_of_session) + 1;
    BitWriter w = begin(i, MessageKind::create);
    bits::write_varint(w, i.serial);
    bits::write_varint(w, place);
    write_state(w, i, type);
    return w;
}

static void create_beyond_lease(Intruder &i, bool also_at_host)
{
    const TypeId type = type_with_objects(i);
    if (type == no_type) return;
    for (int k = 0; k < 64; ++k) {
        const auto place = static_cast<uint32_t>(i.serial % i.types[type].objects_max);
        const BitWriter w = begin_create(i, type, place);
        for (const PeerId to : others(i))
            if (also_at_host || to != host_peer(i.session)) send(i, to, w);
    }
}

static void creates(Intruder &i)
{
    create_beyond_lease(i, true);
}

static void hides(Intruder &i)
{
    create_beyond_lease(i, false);
}

static void write_range(BitWriter &w, ObjectId first, uint64_t further)
{
    bits::write_bool(w, true);
    messages::write_object_id(w, first);
    bits::write_varint(w, further);
}

// Each CREATE takes the place of the one before, which dies of it.
static void deaths(Intruder &i)
{
    const PeerId self = local_peer(i.session);
    const TypeId type = type_with_objects(i);
    if (type == no_type) return;
    const std::vector<std::byte> zero(i.types[type].size_bytes);
    for (int k = 0; k < 16; ++k) {
        const ObjectId own = create(i.session, type, zero.data(), zero.size());
        if (own != ObjectId::none && k % 2 == 0) destroy(i.session, own);
    }
    for (const ObjectId object : object_ids(i.session, type))
        if (exists(i.session, object) && object_owner(i.session, object) == self &&
            below(i.random, 2) == 0)
            destroy(i.session, object);
    for (int k = 0; k < 16; ++k) {
        i.serial += static_cast<uint32_t>(below(i.random, 4));
        send_to_all(i, begin_create(i, type, 0));
    }
    BitWriter w = begin(i, MessageKind::dead);
    for (int k = 0; k < 32; ++k) {
        i.serial += 2;
        write_range(w, object_id::make(self, i.serial), 0);
    }
    bits::write_bool(w, false);
    send_to_all(i, w);
}

static void claims(Intruder &i)
{
    for (size_t type = 0; type < i.types.size(); ++type)
        for (const ObjectId object : object_ids(i.session, static_cast<TypeId>(type))) {
            if (!exists(i.session, object)) continue;
            const bool own = object_owner(i.session, object) == local_peer(i.session);
            if (own)
                lock(i.session, object, true);
            else
                i.sent += claim(i.session, object);
        }
}

// The peers get different values of the intruder's own object.
static void differs(Intruder &i)
{
    std::array<std::byte, datagram_bytes_max> buffer;
    const TypeId type = type_with_objects(i);
    if (type == no_type) return;
    const PeerId self = local_peer(i.session);
    const std::vector<std::byte> zero(i.types[type].size_bytes);
    if (i.ticks == 0) create(i.session, type, zero.data(), zero.size());
    for (const KnownObject &object : replica(i).world.slots.all())
        if (object.life == Life::alive && object.owner == self)
            for (const PeerId to : others(i))
                send_frames(i, to, update_frame(i, object, buffer));
}

static void vanishes(Intruder &i)
{
    const TypeId type = type_with_objects(i);
    if (type == no_type) return;
    const std::vector<std::byte> zero(i.types[type].size_bytes);
    i.sent += create(i.session, type, zero.data(), zero.size()) != ObjectId::none;
}

// --- Lies about others ---

static void accuses(Intruder &i)
{
    for (const PeerId accused : others(i)) {
        if (accused == host_peer(i.session)) continue;
        BitWriter w = begin(i, MessageKind::accuse);
        messages::write_peer(w, accused);
        bits::write(w, (1 + below(i.random, 15)) << 1, breach_kinds);
        send(i, host_peer(i.session), w);
    }
}

static void ousts(Intruder &i)
{
    for (const PeerId to : others(i)) {
        BitWriter w = begin(i, MessageKind::query);
        bits::write(w, below(i.random, 1000), 32);
        for (const PeerId gone : others(i)) {
            if (gone == to) continue;
            bits::write_bool(w, true);
            messages::write_peer(w, gone);
            bits::write_bool(w, below(i.random, 2) == 0);
        }
        bits::write_bool(w, false);
        send(i, to, w);
    }
}

static BitWriter begin_report(Intruder &i, uint32_t token, uint16_t term, uint16_t last_peer)
{
    BitWriter w = begin(i, MessageKind::report);
    bits::write(w, token, 32);
    bits::write(w, term, 16);
    bits::write(w, last_peer, 16);
    for (const Type &type : i.types)
        if (type.objects_max > 0) bits::write_varint(w, 0);
    return w;
}

static void reports(Intruder &i)
{
    const uint32_t token = take_token(i);
    if (token == 0) return;
    const Replica &r = replica(i);
    for (const PeerId to : others(i)) {
        if (to != replica::successor(r)) continue;
        BitWriter w = begin_report(i, token, r.term.number_max, r.term.last_peer);
        for (const PeerId gone : others(i)) {
            if (gone == to) continue;
            bits::write_bool(w, true);
            messages::write_peer(w, gone);
            bits::write_bool(w, gone != PeerId::none && below(i.random, 4) != 0);
        }
        bits::write_bool(w, false);
        send(i, to, w);
    }
}

static void exhausts(Intruder &i)
{
    const uint32_t token = take_token(i);
    if (token == 0) return;
    BitWriter w = begin_report(i, token, UINT16_MAX, UINT16_MAX - 1);
    bits::write_bool(w, false);
    send_to_all(i, w);
}

static void buries(Intruder &i)
{
    if (take_token(i) == 0) return;
    for (const KnownObject &object : replica(i).world.slots.all()) {
        if (object.life != Life::alive || object.owner == local_peer(i.session)) continue;
        BitWriter w = begin(i, MessageKind::dead);
        write_range(w, object.id, 0);
        bits::write_bool(w, false);
        send(i, host_peer(i.session), w);
    }
}

static void dooms(Intruder &i)
{
    if (take_token(i) == 0) return;
    constexpr uint32_t further = 500'000; // The host ignores more than 524,288.
    BitWriter w = begin(i, MessageKind::dead);
    for (const PeerId creator : others(i)) {
        uint32_t last = 0; // The last serial of this creator that is known here.
        for (const KnownObject &object : replica(i).world.slots.all())
            if (object_id::creator(object.id) == creator)
                last = std::max(last, object_id::serial(object.id));
        if (creator != host_peer(i.session))
            write_range(w, object_id::make(creator, last + 1), further);
    }
    bits::write_bool(w, false);
    send(i, host_peer(i.session), w);
}

static void takes(Intruder &i)
{
    const PeerId gone = departing(i);
    const uint32_t token = take_token(i);
    if (token == 0 || gone == PeerId::none) return;
    Stamp newest = 0;
    for (const KnownObject &object : replica(i).world.slots.all())
        newest = std::max(newest, object.stamp);
    for (const KnownObject &object : replica(i).world.slots.all()) {
        if (object.life != Life::alive || object.stamp >= newest) continue;
        BitWriter w = begin(i, MessageKind::report_object);
        bits::write(w, token, 32);
        messages::write_object_id(w, object.id);
        messages::write_stamp(w, newest);
        messages::write_peer(w, gone);
        bits::write_varint(w, object.place);
        write_state(w, i, object.type);
        send(i, host_peer(i.session), w);
    }
}

static void meets(Intruder &i)
{
    constexpr uint8_t meet = 0x42;
    BitWriter w = begin(i, static_cast<MessageKind>(meet));
    bits::write(w, UINT16_MAX, 16);
    bits::write(w, UINT16_MAX, 16);
    send_to_all(i, w);
}

// --- Calls ---

static void miscalls(Intruder &i)
{
    for (int k = 0; k < 8; ++k) {
        BitWriter w = bits::writer(i.buffer);
        bits::write(w, below(i.random, 8), 3);
        bits::write(w, below(i.random, i.types.size() + 1), 8);
        write_random(w, i, 100);
        send_to_all(i, w, StreamId::calls);
    }
}

static TypeId largest_call(const Intruder &i)
{
    TypeId largest = no_type;
    for (size_t type = 0; type < i.types.size(); ++type)
        if (i.types[type].objects_max == 0 &&
            (largest == no_type || i.types[type].size_bytes > i.types[largest].size_bytes))
            largest = static_cast<TypeId>(type);
    return largest;
}

static void floods(Intruder &i)
{
    constexpr int calls_per_tick = 2000;
    const TypeId type = largest_call(i);
    if (type == no_type) return;
    alignas(16) std::byte value[struct_bytes_max] = {};
    randomise(i.session, i.types, type, ~uint64_t{0}, value, i.random);
    for (int k = 0; k < calls_per_tick; ++k) {
        const auto how = k % 2 == 0 ? Reliability::reliable : Reliability::unreliable;
        i.sent += call(i.session, PeerId::everyone, type, value, i.types[type].size_bytes, how);
    }
}

// --- Silence ---

static void stalls(Intruder &i)
{
    constexpr std::byte ping = std::byte{4};
    constexpr uint64_t interval_ticks = 10;
    if (i.ticks % interval_ticks != 0) return;
    for (const PeerId to : others(i))
        send_frames(i, to, {&ping, 1}); // It is not silent.
}

// Fills the intruder's own stream with messages that are harmless and take a minute at the pace of
// a slow intruder: ids of its own that it will never use. Its session's answer to a QUERY waits
// behind them.
static void withholds(Intruder &i)
{
    constexpr size_t all_bytes = 190'000;
    if (i.ticks % 300 != 0) return;
    for (size_t sent_bytes = 0; sent_bytes < all_bytes;) {
        BitWriter w = begin(i, MessageKind::dead);
        uint32_t serial = 0x80000000;
        for (size_t k = 0; k < dead_ranges_max; ++k)
            write_range(w, object_id::make(local_peer(i.session), serial += 2), 0);
        bits::write_bool(w, false);
        send_to_all(i, w);
        sent_bytes += bits::size_bytes(w);
    }
}

static void send_nonsense(Intruder &i, PeerId to, uint64_t bytes_max)
{
    std::array<std::byte, datagram_bytes_max> buffer;
    BitWriter w = bits::writer(buffer);
    write_random(w, i, bytes_max);
    send_frames(i, to, std::span<const std::byte>(buffer).first(bits::size_bytes(w)));
}

static void trickles(Intruder &i)
{
    constexpr uint64_t interval_ticks = 30;
    withholds(i);
    if (departing(i) == PeerId::none || i.ticks % interval_ticks != 0) return;
    const std::vector<PeerId> all = others(i);
    // In a mesh one that is not the host: the word of one member is not enough.
    const auto is_other = [&](PeerId peer) { return peer != host_peer(i.session); };
    const bool in_mesh = replica(i).rules.topology == Topology::mesh;
    const auto to = std::find_if(all.begin(), all.end(), is_other);
    send_nonsense(i, in_mesh && to != all.end() ? *to : host_peer(i.session), 20);
}

// --- Datagrams ---

static void nonsense(Intruder &i)
{
    for (int k = 0; k < 32; ++k)
        for (const PeerId to : others(i))
            send_nonsense(i, to, 600);
}

// Sends again what its session has sent, as it was or with a bit changed.
static void replays(Intruder &i)
{
    for (int k = 0; k < 64 && !i.kept.empty(); ++k) {
        std::vector<std::byte> bytes = i.kept[below(i.random, i.kept.size())];
        const size_t at = below(i.random, bytes.size());
        if (k % 2 == 0) bytes[at] ^= static_cast<std::byte>(1 << below(i.random, 8));
        send_datagram(i, i.invite.addresses[0], bytes);
    }
}

// Asks each member to forward datagrams to each other one.
static void relays(Intruder &i)
{
    constexpr std::byte bridged = static_cast<std::byte>(160 + 31);
    constexpr size_t datagram_bytes = 1000;
    for (const PeerId carrier : others(i))
        for (const PeerId to : others(i)) {
            if (to == carrier) continue;
            std::array<std::byte, datagram_bytes_max> buffer = {bridged};
            BitWriter w = bits::writer(std::span(buffer).subspan(1));
            messages::write_peer(w, local_peer(i.session));
            messages::write_peer(w, to);
            bits::write(w, 4, 8); // The type of data datagrams.
            const size_t size = 1 + bits::size_bytes(w) + datagram_bytes;
            for (int k = 0; k < 4; ++k)
                send_frames(i, carrier, std::span<const std::byte>(buffer).first(size));
        }
}

// Sends datagrams of the right types and sizes without any key, as a stranger could.
static void knocks(Intruder &i)
{
    constexpr size_t sizes[] = {144, 100, 64, 400, 24};
    for (uint32_t k = 0; k < 256; ++k) {
        const uint64_t type = below(i.random, std::size(sizes));
        std::array<std::byte, datagram_bytes_max> buffer = {static_cast<std::byte>(1 + type)};
        const auto bytes = std::span(buffer).first(sizes[type]);
        buffer[1] = std::byte{1}; // The version.
        for (std::byte &byte : bytes.subspan(4))
            byte = static_cast<std::byte>(below(i.random, 256));
        send_datagram(i, i.invite.addresses[0], bytes);
    }
}

// Occupies more connections than there can be beside those of members.
static void occupies(Intruder &i)
{
    const Config &config = session_config(i.session);
    i.sent += occupants::tick(i.occupants, config.peers_max, config, i.invite, i.now_us);
}

// --- The table ---

static constexpr Attack table[] = {
    {"malformed", "messages that are not in the format, sealed with its own key", malformed},
    {"forged", "GRANT, MIGRATE and DESTROY of objects of others, with wrong signatures", forged},
    {"poses", "messages that only the host may send, among them a VIEW without the others", poses},
    {"steals", "UPDATEs of objects of others", steals},
    {"creates", "CREATEs far beyond its lease", creates},
    {"hides", "CREATEs beyond its lease, to all but the host", hides, in_mesh_only},
    {"deaths", "creates and destroys all the time, with gaps in its serials", deaths},
    {"claims", "claims every object in each tick, and locks what it gets", claims},
    {"differs", "other values of its object for each peer", differs, in_mesh_only},
    {"vanishes", "joins, and is gone without a goodbye, again and again", vanishes, fleeting},
    {"accuses", "ACCUSEs of honest members", accuses},
    {"ousts", "QUERYs that name the host and the others as gone", ousts},
    {"reports", "REPORTs that name honest members as gone", reports},
    {"exhausts", "REPORTs that would use up all terms and peer ids", exhausts},
    {"buries", "reports in departures that the objects of others are destroyed", buries},
    {"dooms", "reports in departures that future objects of others are destroyed", dooms},
    {"takes", "reports in departures that objects of others were the departed peer's", takes},
    {"meets", "MEETs of a greater session", meets},
    {"miscalls", "calls that are none: unknown kinds and types, arguments out of range", miscalls},
    {"floods", "the largest calls there are, to everyone, as many as it can", floods},
    {"stalls", "reads nothing and acks nothing, but is not silent", stalls, deaf},
    {"withholds", "acks, but never answers the QUERY of a departure", withholds, slow},
    {"trickles", "withholds, with a malformed datagram each second of a departure", trickles, slow},
    {"nonsense", "authentic datagrams of random bytes", nonsense},
    {"replays", "its own datagrams again and again, half of them with a bit changed", replays},
    {"relays", "asks each member to forward datagrams to each other one", relays},
    {"occupies", "occupies the connections of the host with strangers that do not join", occupies},
    {"knocks", "datagrams without a key, as a stranger could send them", knocks},
};

std::span<const Attack> all()
{
    return table;
}

const Attack *find(std::string_view name)
{
    for (const Attack &attack : table)
        if (attack.name == name) return &attack;
    return nullptr;
}

std::string list()
{
    std::string text;
    for (const Attack &attack : table) {
        std::string line(attack.name);
        line.resize(std::max<size_t>(line.size() + 1, 11), ' ');
        text += "  " + line + std::string(attack.effect) +
                (has(attack, in_mesh_only) ? " (mesh only)" : "") + "\n";
    }
    return text;
}

std::string unknown(std::string_view name)
{
    std::vector<std::string_view> names = {"list"};
    for (const Attack &attack : table)
        names.push_back(attack.name);
    return "--hostile: there is no attack \"" + std::string(name) + "\"" +
           suggestion::did_you_mean(name, names) + "; --hostile list shows all";
}

}
