// A world and a publisher in one block of memory, as a peer holds them; copying the bytes copies
// both.
#pragma once
#include "replication/update/publish.h"
#include <cstring>
#include <vector>

namespace tern {

struct PeerState {
    World world;
    Publisher publisher;
    SendScratch scratch;
};

struct BlockLimits {
    uint32_t peer_count = 1;
    uint32_t packets_max = 16;
    uint32_t objects_max = 64;
    uint32_t dead_max = 256;
};

struct Block {
    struct alignas(16) Chunk {
        std::byte bytes[16];
    };
    std::vector<Chunk> chunks;

    PeerState &peer() { return *reinterpret_cast<PeerState *>(chunks.data()); }
    const PeerState &peer() const { return *reinterpret_cast<const PeerState *>(chunks.data()); }
    World &world() { return peer().world; }
    const World &world() const { return peer().world; }
    Publisher &publisher() { return peer().publisher; }
    SendScratch &scratch() { return peer().scratch; }
    EncodeCache &cache() { return scratch().cache; }
    SnapshotScratch &snapshots() { return scratch().snapshots; }
    size_t state_bytes = 0;
    // The state as bytes, without the statistics.
    std::span<const std::byte> bytes() const
    {
        return std::as_bytes(std::span(chunks)).first(state_bytes);
    }
};

// Places all parts of a peer, and returns how many of the bytes are state.
inline size_t place_peer(flat::Builder &builder, PeerState &peer, const TypeTable &types,
                         const BlockLimits &limits)
{
    uint32_t slots = 0;
    for (const Type &type : types.types)
        slots += world::capacity(type);
    world::place(builder, peer.world, types, limits.dead_max);
    publish::place(builder, peer.publisher, types,
                   {slots, limits.peer_count, limits.packets_max, limits.objects_max});
    const size_t state_bytes = builder.used_bytes;
    flat::place(builder, peer.world.received, types.types.size(), types.types.size());
    encode_cache::place(builder, peer.scratch.cache, types);
    snapshots::place(builder, peer.scratch.snapshots, types);
    publish::place(builder, peer.scratch.send_order, slots);
    return state_bytes;
}

inline Block make_block(const TypeTable &types, const BlockLimits &limits = {})
{
    PeerState stand_in = {};
    flat::Builder builder = {nullptr, sizeof(PeerState)};
    place_peer(builder, stand_in, types, limits);
    Block block;
    block.chunks.resize(builder.used_bytes / sizeof(Block::Chunk) + 1);
    std::memset(block.chunks.data(), 0, block.chunks.size() * sizeof(Block::Chunk));
    builder = {reinterpret_cast<std::byte *>(block.chunks.data()), sizeof(PeerState)};
    block.state_bytes = place_peer(builder, block.peer(), types, limits);
    block.world().tick = 1;
    return block;
}

}
