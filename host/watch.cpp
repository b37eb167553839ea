#include "host/watch.h"
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include <algorithm>

namespace dedicated::watch {

namespace {

constexpr uint64_t sample_interval_us = 1'000'000;
// A caller that asks once a second is sometimes a little early.
constexpr uint64_t sample_tolerance_us = 50'000;

void note_change(Watch &watch, const tern::Event &event, uint64_t now_us)
{
    OwnershipChange change = {};
    change.at_us = now_us;
    change.object = static_cast<uint64_t>(object_of(event));
    const auto owner = static_cast<uint16_t>(peer_of(event));
    if (event.kind == tern::EventKind::object_created) {
        change.kind = ChangeKind::created;
        change.type = event.object.type;
        change.to = owner;
    } else if (event.kind == tern::EventKind::object_destroyed) {
        change.kind = ChangeKind::destroyed;
        change.type = event.object.type;
        change.from = owner;
    } else if (event.owner.owner != event.owner.previous) {
        change.kind = ChangeKind::moved;
        change.type = event.owner.type;
        change.from = static_cast<uint16_t>(event.owner.previous);
        change.to = owner;
    } else { // The object was granted to its owner again.
        return;
    }
    watch.changes.push_back(change);
}

template <class T> void keep_last(std::vector<T> &items, size_t count_max)
{
    if (items.size() > count_max)
        items.erase(items.begin(), items.end() - static_cast<std::ptrdiff_t>(count_max));
}

// The counters of a new connection to the same peer start at zero.
void add_risen(uint64_t &total, uint64_t now, uint64_t before)
{
    total += now >= before ? now - before : now;
}

void add_traffic(Traffic &traffic, const tern::Stats &now, const tern::Stats &before)
{
    add_risen(traffic.sent_datagrams, now.sent_datagrams, before.sent_datagrams);
    add_risen(traffic.sent_bytes, now.sent_bytes, before.sent_bytes);
    add_risen(traffic.received_datagrams, now.received_datagrams, before.received_datagrams);
    add_risen(traffic.received_bytes, now.received_bytes, before.received_bytes);
    add_risen(traffic.lost_datagrams, now.lost_datagrams, before.lost_datagrams);
}

// Merges the old list with other_peers(); both are ascending.
void count_peers(Watch &watch, const tern::Session *session, uint64_t now_us)
{
    std::vector<CountedPeer> counted;
    const std::span<const tern::PeerId> present = tern::other_peers(session);
    counted.reserve(present.size());
    size_t at = 0;
    for (const tern::PeerId id : present) {
        while (at < watch.peers.size() && watch.peers[at].id < id)
            ++at;
        const bool known = at < watch.peers.size() && watch.peers[at].id == id;
        CountedPeer peer = known ? watch.peers[at] : CountedPeer{id, now_us, {}};
        const tern::Stats now = tern::peer_stats(session, id);
        add_traffic(watch.traffic, now, peer.stats);
        peer.stats = now;
        counted.push_back(peer);
    }
    watch.peers = std::move(counted);
}

void note_rtt(RttStatus &rtt, uint32_t rtt_us)
{
    const auto bound = std::lower_bound(rtt_bounds_us.begin(), rtt_bounds_us.end(), rtt_us);
    rtt.histogram[static_cast<size_t>(bound - rtt_bounds_us.begin())] += 1;
    rtt.count += 1;
    rtt.sum_us += rtt_us;
}

void take_sample(Watch &watch, const RoomStatus &room, uint64_t now_us)
{
    Sample sample = {};
    sample.at_us = now_us;
    sample.sent_bytes = watch.traffic.sent_bytes;
    sample.received_bytes = watch.traffic.received_bytes;
    sample.sent_datagrams = watch.traffic.sent_datagrams;
    sample.lost_datagrams = watch.traffic.lost_datagrams;
    sample.peers = static_cast<uint32_t>(room.peers.size());
    sample.objects = static_cast<uint32_t>(room.stats.objects);
    sample.migrations = room.stats.migrations;
    std::vector<uint32_t> rtts;
    for (const CountedPeer &peer : watch.peers)
        if (peer.stats.rtt_us > 0) rtts.push_back(peer.stats.rtt_us);
    for (const uint32_t rtt_us : rtts)
        note_rtt(watch.rtt, rtt_us);
    if (!rtts.empty()) {
        const auto middle = rtts.begin() + static_cast<std::ptrdiff_t>(rtts.size() / 2);
        std::nth_element(rtts.begin(), middle, rtts.end());
        sample.rtt_us_median = *middle;
        sample.rtt_us_max = *std::max_element(middle, rtts.end());
    }
    for (const TypeStatus &type : room.types) {
        sample.type_sent_bits.push_back(type.stats.sent_bits);
        sample.type_received_bits.push_back(type.stats.received_bits);
    }
    // Samples keep to a grid of one second, so that late calls do not lower their rate. Seconds
    // without a call have no sample.
    const uint64_t next_us = watch.next_sample_us + sample_interval_us;
    watch.next_sample_us = next_us > now_us ? next_us : now_us + sample_interval_us;
    watch.samples.push_back(std::move(sample));
    keep_last(watch.samples, samples_max);
}

PeerStatus peer_status(const Watch &watch, const tern::Session *session, tern::PeerId id,
                       const CountedPeer *counted)
{
    PeerStatus peer = {};
    peer.id = static_cast<uint16_t>(id);
    peer.name = tern::peer_name(session, id);
    peer.is_self = !counted;
    peer.is_host = id == tern::host_peer(session);
    peer.joined_us = counted ? counted->joined_us : watch.opened_us;
    if (counted) peer.stats = counted->stats;
    return peer;
}

// Fills room.peers with this host and the others, ascending by id.
void fill_peers(RoomStatus &room, const Watch &watch, const tern::Session *session)
{
    const tern::PeerId self = tern::local_peer(session);
    bool has_self = self == tern::PeerId::none; // Not a member yet.
    room.peers.reserve(watch.peers.size() + 1);
    for (const CountedPeer &counted : watch.peers) {
        if (!has_self && self < counted.id) {
            room.peers.push_back(peer_status(watch, session, self, nullptr));
            has_self = true;
        }
        room.peers.push_back(peer_status(watch, session, counted.id, &counted));
    }
    if (!has_self) room.peers.push_back(peer_status(watch, session, self, nullptr));
}

void fill_types(RoomStatus &room, const tern::Session *session, std::span<const tern::Type> types)
{
    std::vector<uint64_t> owned(room.peers.back().id + size_t{1}); // Indexed by PeerId.
    for (size_t i = 0; i < types.size(); ++i) {
        const auto type = static_cast<tern::TypeId>(i);
        TypeStatus status = {};
        status.name = types[i].name;
        status.stats = tern::type_stats(session, type);
        // object_ids() lists what the game has destroyed until the next receive().
        for (const tern::ObjectId object : tern::object_ids(session, type)) {
            if (!tern::exists(session, object)) continue;
            status.objects += 1;
            const auto owner = static_cast<uint16_t>(tern::object_owner(session, object));
            if (owner < owned.size()) owned[owner] += 1; // Else its owner has just left.
        }
        room.types.push_back(std::move(status));
    }
    for (PeerStatus &peer : room.peers)
        peer.owned = owned[peer.id];
}

}

void note_events(Watch &watch, const tern::Session *, std::span<const tern::Event> events,
                 uint64_t now_us)
{
    if (watch.opened_us == 0) watch.opened_us = now_us;
    for (const tern::Event &event : events) {
        watch.joined += event.kind == tern::EventKind::peer_joined;
        watch.left += event.kind == tern::EventKind::peer_left;
        if (event.kind == tern::EventKind::misbehaved)
            watch.misbehaved[static_cast<size_t>(event.misbehaved.breach)] += 1;
        if (event.kind == tern::EventKind::object_created ||
            event.kind == tern::EventKind::object_destroyed ||
            event.kind == tern::EventKind::owner_changed)
            note_change(watch, event, now_us);
    }
    keep_last(watch.changes, changes_max);
}

RoomStatus status(Watch &watch, const tern::Session *session, std::span<const tern::Type> types,
                  uint64_t now_us)
{
    if (watch.opened_us == 0) watch.opened_us = now_us;
    count_peers(watch, session, now_us);
    RoomStatus room = {};
    room.state = to_text(tern::session_state(session));
    room.state_text = tern::state_text(session);
    room.self = static_cast<uint16_t>(tern::local_peer(session));
    room.host = static_cast<uint16_t>(tern::host_peer(session));
    room.digest = tern::world_digest(session);
    room.opened_us = watch.opened_us;
    room.stats = tern::session_stats(session);
    fill_peers(room, watch, session);
    fill_types(room, session, types);
    if (now_us + sample_tolerance_us >= watch.next_sample_us) take_sample(watch, room, now_us);
    room.traffic = watch.traffic;
    room.rtt = watch.rtt;
    room.changes = watch.changes;
    room.samples = watch.samples;
    room.joined = watch.joined;
    room.misbehaved = watch.misbehaved;
    room.left = watch.left;
    return room;
}

}
