// A fixture of a group in which all know an object that peer 2 has created.
#pragma once
#include "migration/messages.h"
#include "tests/migration/group.h"
#include <gtest/gtest.h>

namespace tern::test {

struct SharedObject : testing::Test {
    Group group;
    ObjectId object = ObjectId::none;

    explicit SharedObject(size_t peers = 4, Topology topology = Topology::mesh)
        : group(make_group(peers, topology))
    {
    }

    void SetUp() override
    {
        const Thing thing = {1, 2};
        object = replica::create(group.at(2), 0, &thing);
        group.flow();
    }

    // The slot of the object at this peer.
    ObjectSlot slot(unsigned at) { return world::find_alive(group.at(at).world, object); }
};

// --- Messages of a member with a modified client ---

// A report of an object without a grant's proof, with a value that its sender chose.
inline Bytes object_report(uint32_t query_token, ObjectId id, Stamp stamp, PeerId owner,
                           uint32_t place = 0)
{
    std::byte buffer[64];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::report_object);
    bits::write(w, query_token, 32);
    messages::write_object_id(w, id);
    messages::write_stamp(w, stamp);
    messages::write_peer(w, owner);
    bits::write_varint(w, place);
    bits::write(w, 0, 8);
    bits::write(w, 1, 32);
    bits::write(w, 0, 64);
    return {buffer, buffer + bits::size_bytes(w)};
}

// DEAD of an object and of the `count` next ones of its creator.
inline Bytes deaths(PeerId creator, uint32_t first, uint32_t count)
{
    std::byte buffer[64];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::dead);
    bits::write_bool(w, true);
    messages::write_object_id(w, object_id::make(creator, first));
    bits::write_varint(w, count);
    bits::write_bool(w, false);
    return Bytes(buffer, buffer + bits::size_bytes(w));
}

}
