// The explorer's peers begin with these types and limits of their game, keys and ids.
#pragma once
#include "migration/replica.h"
#include "sim/explorer/peer_steps.h"
#include <cstring>
#include <sodium.h>

namespace tern::peer_steps {

inline constexpr Field mark_fields[] = {
    {"tenure", FieldKind::uint64, offsetof(Mark, tenure)},
    {"odds", FieldKind::uint32, offsetof(Mark, odds)},
    {"evens", FieldKind::uint32, offsetof(Mark, evens)},
    {"writer", FieldKind::peer, offsetof(Mark, writer)},
    {"odd", FieldKind::boolean, offsetof(Mark, odd)},
};

// The tables of the one type, for each objects_max from 1 to cluster_places_max.
struct Tables {
    Type types[cluster_places_max];
    TypeTable tables[cluster_places_max];
};

inline Tables make_tables(const char *name, Orphan orphan)
{
    Tables made;
    for (uint32_t i = 0; i < cluster_places_max; ++i)
        made.types[i] = {name, sizeof(Mark), mark_fields, i + 1, orphan};
    return made;
}

inline const TypeTable &table(bool mortal, uint32_t objects_max)
{
    static Tables kept = make_tables("kept", Orphan::to_host);
    static Tables dying = make_tables("mortal", Orphan::destroy);
    Tables &tables = mortal ? dying : kept;
    TypeTable &table = tables.tables[objects_max - 1];
    if (table.types.empty()) table = type_table::make({&tables.types[objects_max - 1], 1});
    return table;
}

// The limits are as small as possible, because every step copies a block.
inline ReplicaLimits limits(uint32_t peers, Quorum quorum, Topology topology)
{
    return {
        static_cast<uint16_t>(peers), 40, 12, 2 * cluster_objects_max, 8, 8, quorum, 0, topology};
}

struct Keys {
    uint8_t public_key[32], secret_key[64];
};

inline Keys keys(PeerPlace place)
{
    uint8_t seed[32] = {};
    seed[0] = static_cast<uint8_t>(place + 1);
    Keys keys;
    crypto_sign_seed_keypair(keys.public_key, keys.secret_key, seed);
    return keys;
}

inline Identity identity(PeerPlace place)
{
    Identity identity = {};
    std::memcpy(identity.signing_key, keys(place).public_key, 32);
    identity.key[0] = static_cast<uint8_t>(place + 1);
    return identity;
}

inline PeerId peer(PeerPlace place)
{
    return static_cast<PeerId>(place + 1);
}

inline PeerPlace place_of(PeerId peer)
{
    return static_cast<PeerPlace>(static_cast<unsigned>(peer) - 1);
}

}
