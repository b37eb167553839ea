// Sends arbitrary bytes as messages on the world stream and as UPDATEs from a member to a replica.
// Forged and malformed messages change nothing, and only the host and the owner of an object can
// change its replicated state. Afterwards the replica can still send.
#include "migration/messages.h"
#include "fuzz/support/chance.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "tests/migration/group.h"
#include "tests/replication/update_room.h"
#include <cstring>

namespace tern::fuzz {

namespace {

constexpr size_t scenes_max = 6;
constexpr size_t message_bytes_max = 1200;

// A prepared replica that receives, and the member that sends to it.
struct Scene {
    test::ReplicaPointer listener;
    PeerId from;
};

struct Stage {
    Scene scenes[scenes_max];
    test::ReplicaPointer now;    // A copy of one of them, which receives the input.
    test::ReplicaPointer before; // `now` as it was before the last message.
};

test::ReplicaPointer copy_of(test::Group &group, unsigned id)
{
    return test::copy(group.at(id));
}

// Four peers, each with objects: some migrated, some destroyed, some claimed without an answer yet.
test::Group play()
{
    test::Group group = test::make_group(4);
    for (unsigned id = 1; id <= 4; ++id)
        for (unsigned type = 0; type < 4; ++type) {
            const test::Thing thing = {static_cast<int32_t>(id), static_cast<int32_t>(type)};
            replica::create(group.at(id), static_cast<TypeId>(type), &thing);
        }
    group.flow();
    const auto id = [](unsigned creator, uint32_t serial) {
        return object_id::make(test::peer(creator), serial);
    };
    replica::migrate(group.at(1), id(2, 1), test::peer(3));
    replica::migrate(group.at(1), id(3, 1), test::peer(2));
    replica::migrate(group.at(1), id(4, 1), test::peer(1));
    group.flow();
    for (unsigned peer = 1; peer <= 4; ++peer)
        replica::destroy(group.at(peer), world::find_alive(group.at(peer).world, id(peer, 4)));
    group.flow();
    replica::claim(group.at(4), id(2, 1));
    replica::claim(group.at(3), id(2, 3));
    return group;
}

// Peer 4 has left, and the host collects the reports of the others.
Scene collecting_host()
{
    test::Group group = play();
    replica::peer_gone(group.at(1), test::peer(4));
    group.settle(0);
    return {copy_of(group, 1), test::peer(2)};
}

// Peer 5 has received its welcome, but not the world sync of all members.
Scene joiner(unsigned from)
{
    test::Group group = play();
    group.flow();
    group.add();
    const PeerId id = replica::next_peer_id(group.at(1));
    replica::admit(group.at(1), id, group.identity(4));
    group.pull(0);
    group.deliver(0, 4);
    return {copy_of(group, 5), test::peer(from)};
}

Stage &stage()
{
    static Stage s = [] {
        seed_chance(1);
        test::Group group = play();
        Stage made;
        made.scenes[0] = {copy_of(group, 4), test::peer(2)}; // From a member to a member.
        made.scenes[1] = {copy_of(group, 4), test::peer(1)}; // From the host to a member.
        made.scenes[2] = {copy_of(group, 1), test::peer(2)}; // From a member to the host.
        made.scenes[3] = collecting_host();
        made.scenes[4] = joiner(1);
        made.scenes[5] = joiner(2);
        made.now = test::make_replica();
        made.before = test::make_replica();
        return made;
    }();
    return s;
}

std::span<const std::byte> state_of(const Replica &r)
{
    const auto *bytes = reinterpret_cast<const std::byte *>(&r);
    return {bytes + offsetof(Replica, session), r.sizes.state_bytes};
}

// The grant in a MIGRATE or DESTROY message, if the host has signed it and its owner is `from`;
// otherwise a grant of no objects.
Grant shown_grant(const Replica &r, PeerId from, std::span<const std::byte> message)
{
    BitReader reader = bits::reader(message);
    const MessageKind kind = messages::read_kind(reader);
    if (kind == MessageKind::destroy)
        messages::read_object_id(reader);
    else if (kind != MessageKind::migrate)
        return {};
    Grant grant;
    messages::read_grant(reader, grant);
    if (bits::failed(reader) || grant.owner != from) return {};
    const PeerId signer = stamps::parts(grant.stamp).host;
    const MemberSlot host = replica::find_member(r, signer);
    if (host == no_member || signer > replica::successor(r)) return {};
    std::byte buffer[messages::signed_bytes_max];
    const std::span<const std::byte> bytes = messages::signed_bytes(r.session, grant, buffer);
    const bool genuine = crypto_sign_verify_detached(
                             grant.signature, reinterpret_cast<const unsigned char *>(bytes.data()),
                             bytes.size(), r.members[host].identity.signing_key) == 0;
    return genuine ? grant : Grant{};
}

bool names(const Grant &grant, ObjectId object)
{
    const ObjectId *end = grant.objects + grant.object_count;
    return std::find(grant.objects, end, object) != end;
}

// Whether `from` was entitled to destroy the object.
bool may_kill(const Replica &before, PeerId from, ObjectId object, const Grant &grant)
{
    const bool tells =
        before.phase == Phase::joining || before.duties.collecting || from == replica::host(before);
    return tells || object_id::creator(object) == from || names(grant, object);
}

// Each object that was alive belongs to the sender, or is unchanged, or the sender was entitled to
// change it. The host can grant any object, but cannot change the value of one it does not own.
void check_authority(const Replica &before, const Replica &after, PeerId from, const Grant &grant)
{
    for (const KnownObject &was : before.world.slots.all()) {
        if (was.life != Life::alive || was.owner == from) continue;
        const auto id = static_cast<unsigned long long>(was.id);
        const ObjectSlot slot = world::find_alive(after.world, was.id);
        if (slot == no_slot) {
            TERN_ASSERT(may_kill(before, from, was.id, grant), "%u destroys %llx",
                        static_cast<unsigned>(from), id);
            continue;
        }
        const KnownObject &is = after.world.slots[slot];
        const bool same = is.owner == was.owner && is.stamp == was.stamp && is.tick == was.tick;
        const bool reported = before.duties.collecting && !replica::is_member(before, was.owner);
        const bool announced = is.owner == from && is.stamp > was.stamp &&
                               is.stamp == grant.stamp && names(grant, was.id);
        const bool granted =
            is.owner == before.self && is.stamp > was.stamp && from == replica::host(before);
        TERN_ASSERT(same || reported || announced || granted,
                    "%u changes %llx of %u to %u, stamp %llx to %llx", static_cast<unsigned>(from),
                    id, static_cast<unsigned>(was.owner), static_cast<unsigned>(is.owner),
                    static_cast<unsigned long long>(was.stamp),
                    static_cast<unsigned long long>(is.stamp));
    }
}

void hear(Stage &s, PeerId from, std::span<const std::byte> message, bool updates)
{
    Replica &r = *s.now;
    std::memcpy(static_cast<void *>(s.before.get()), &r, r.sizes.block_bytes);
    const Verdict verdict =
        updates ? receive_updates(r, from, message) : replica::receive(r, from, message);
    const bool nothing =
        verdict == Verdict::ignored || verdict == Verdict::forged || verdict == Verdict::malformed;
    const std::span<const std::byte> was = state_of(*s.before), is = state_of(r);
    // An UPDATE of several objects may be forged in one part only; the others have been applied.
    if (nothing && (!updates || verdict != Verdict::forged)) {
        TERN_ASSERT(std::memcmp(was.data(), is.data(), is.size()) == 0,
                    "verdict %d, and something has changed; kind %d", static_cast<int>(verdict),
                    message.empty() ? 0 : std::to_integer<int>(message[0]));
        TERN_ASSERT(s.before->log.events.count == r.log.events.count, "verdict %d, and %u events",
                    static_cast<int>(verdict), r.log.events.count);
    }
    world::check(r.world);
    check_authority(*s.before, r, from, updates ? Grant{} : shown_grant(*s.before, from, message));
}

// Ends the tick of the replica and lets it write all its messages to every member.
void speak(Replica &r)
{
    static std::byte buffer[16 * 1024];
    replica::end_receive(r);
    replica::begin_receive(r);
    replica::begin_send(r);
    for (const Member &member : r.members.all()) {
        if (member.id == PeerId::none || member.id == r.self || member.fenced) continue;
        uint32_t count = 0;
        while (replica::next_message(r, member.id, buffer) > 0)
            count += 1;
        replica::write_updates(r, member.id, 1, std::span(buffer).first(1000));
        replica::messages_acked(r, member.id, count);
    }
    replica::end_send(r);
    world::check(r.world);
}

}

void fuzz_messages(std::span<const uint8_t> data)
{
    Input in = {data};
    Stage &s = stage();
    const Scene &scene = s.scenes[input::u8(in) % scenes_max];
    std::memcpy(static_cast<void *>(s.now.get()), scene.listener.get(),
                scene.listener->sizes.block_bytes);
    while (!input::empty(in)) {
        const uint16_t head = input::u16(in);
        const std::span<const uint8_t> bytes =
            input::bytes(in, std::min<size_t>(head & 0x7ff, message_bytes_max));
        hear(s, scene.from, std::as_bytes(bytes), (head & 0x8000) != 0);
        if ((head & 0x4000) != 0) speak(*s.now);
    }
    speak(*s.now);
}

}
