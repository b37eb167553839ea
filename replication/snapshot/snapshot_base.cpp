// Chooses the base of a snapshot, and learns from the outcomes of packets which ones count.
#include "replication/snapshot/snapshot_plan.h"
#include <algorithm>
#include <bit>

namespace tern::snapshots {

// Above the first loss only acked snapshots serve as bases. Below it the snapshots form one, two or
// three interleaved chains, each snapshot built upon the previous one of its chain. A snapshot that
// overtakes its base is as useless as one whose base is lost, so reordering counts like loss.
// docs/decisions.md, "Snapshots".
static constexpr uint32_t loss_for_acked = loss_one / 10, loss_for_one_baseline = loss_one / 2000,
                          loss_for_three_baselines = loss_one / 40;
static constexpr uint32_t loss_at_first = loss_one / 100, loss_window = 128;

// Changes have numbers of 15 bits and at most one a tick, so a number repeats after twice this many
// ticks.
static bool is_recent(const Snapshot &snapshot, uint32_t tick)
{
    return tick - snapshot.tick < snapshot_base_ticks_max;
}

// Whether it is not known yet if the snapshot counts.
static bool is_undecided(const Snapshot &snapshot)
{
    return snapshot.decode_state == DecodeState::in_flight ||
           snapshot.decode_state == DecodeState::arrived;
}

// The newest snapshot that counts and is recent. 0: none.
static uint32_t newest_usable(std::span<const Snapshot> kept, uint32_t number, uint32_t tick)
{
    for (uint32_t at = number - 1; at != 0 && number - at <= snapshot_reach; --at) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.number != at || snapshot.decode_state != DecodeState::usable) continue;
        if (is_recent(snapshot, tick)) return at;
    }
    return 0;
}

// Whether the snapshot or one of its ancestors may be lost: it is not acked, but a newer one is.
static bool is_doubtful(std::span<const Snapshot> kept, uint32_t number, uint32_t arrived_number)
{
    for (uint32_t at = number; at != 0;) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.number != at || snapshot.decode_state == DecodeState::useless) return true;
        if (snapshot.decode_state == DecodeState::usable) return false;
        if (snapshot.decode_state == DecodeState::in_flight && at < arrived_number) return true;
        at = snapshot.base;
    }
    return false;
}

struct InterleavedBaselines {
    uint32_t count;
    // Ticks in a row that go to the same chain. With two, two chains build on 1 and 3 ticks before;
    // alternating ticks would build on 2 and 2, which costs more.
    uint32_t stride;
};

// States that may repeat are sent rarely, and each chain knows only those that it has sent itself.
// docs/decisions.md, "Error bounds".
static constexpr uint32_t loss_for_one_baseline_of_repeats = loss_one / 64;

static InterleavedBaselines baselines_for(const Snapshots &s, uint32_t loss)
{
    if (s.trail_count > 0) return {loss < loss_for_one_baseline_of_repeats ? 1u : 2u, 1};
    return {loss < loss_for_one_baseline ? 1u : loss < loss_for_three_baselines ? 2u : 3u, 2};
}

static bool is_on_baseline(const Snapshot &snapshot, uint32_t send_index,
                           const InterleavedBaselines &baselines)
{
    const uint32_t steps = send_index / baselines.stride - snapshot.send_index / baselines.stride;
    return steps % baselines.count == 0;
}

uint32_t send_index_of(const SnapshotPeer &p, uint32_t tick)
{
    return p.send_index + (p.sent_tick != tick ? 1 : 0);
}

// The newest snapshot of this tick, else of the chain that has the turn. If that chain is broken,
// it continues from the newest usable snapshot of any other chain.
static uint32_t newest_on_baseline(std::span<const Snapshot> kept, uint32_t number, uint32_t tick,
                                   uint32_t send_index, uint32_t arrived_number,
                                   const InterleavedBaselines &baselines)
{
    uint32_t newest = 0; // The newest that can serve as a base.
    bool is_broken = false;
    for (uint32_t at = number - 1; at != 0 && number - at <= snapshot_reach; --at) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.number != at) continue;
        if (snapshot.tick == tick) return snapshot.decode_state != DecodeState::useless ? at : 0;
        const bool serves = !is_doubtful(kept, at, arrived_number) && is_recent(snapshot, tick);
        const bool is_own = is_on_baseline(snapshot, send_index, baselines);
        if (serves && is_own && !is_broken) return at;
        is_broken |= is_own;
        if (serves && newest == 0) newest = at;
        if (is_broken && newest != 0) return newest;
    }
    return newest;
}

// A path that reorders shows it by late acks only in part: a snapshot on which an earlier arrival
// was built is refused, and counts as lost. docs/decisions.md, "Snapshots".
static uint32_t loss_of(const SnapshotPeer &p)
{
    return (p.loss == 0 ? loss_at_first : p.loss) + 4 * p.reordered;
}

uint32_t choose_base(const Snapshots &s, uint32_t peer, uint32_t group, uint32_t number,
                     uint32_t tick)
{
    const SnapshotPeer &p = s.peers[peer];
    const std::span<const Snapshot> kept = stream(s.sent, stream_of(s, peer, group));
    const uint32_t loss = loss_of(p);
    const uint32_t usable = newest_usable(kept, number, tick);
    if (loss > loss_for_acked) return usable;
    const uint32_t send_index = send_index_of(p, tick);
    const uint32_t baseline = newest_on_baseline(kept, number, tick, send_index, p.arrived_number,
                                                 baselines_for(s, loss));
    const bool of_this_tick = baseline != 0 && kept[baseline % snapshots_kept].tick == tick;
    return of_this_tick ? baseline : std::max(baseline, usable);
}

bool awaits_ack(const Snapshots &s, uint32_t peer, uint32_t group, uint32_t tick)
{
    const SnapshotPeer &p = s.peers[peer];
    if (loss_of(p) <= loss_for_acked) return false;
    const std::span<const Snapshot> kept = stream(s.sent, stream_of(s, peer, group));
    bool any = false;
    for (uint32_t at = p.sent_number; at != 0 && p.sent_number - at < snapshot_reach; --at) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.number != at || !is_recent(snapshot, tick)) continue;
        if (snapshot.decode_state == DecodeState::usable) return false;
        any = any || is_undecided(snapshot);
    }
    return any;
}

// --- Outcomes ---

// Null: it is no longer kept. A group that is not in the newest messages still has the record of an
// older one, which does not count either: whatever is built on it must become useless.
static Snapshot *kept_at(Snapshots &s, uint32_t peer, uint32_t group, uint32_t number)
{
    if (number == 0 || s.peers[peer].sent_number - number >= snapshots_kept) return nullptr;
    Snapshot &snapshot = stream(s.sent, stream_of(s, peer, group))[number % snapshots_kept];
    return snapshot.number == number ? &snapshot : nullptr;
}

static void set_state(Snapshots &s, uint32_t peer, SentMessage message, DecodeState state)
{
    for (uint32_t left = message.groups; left != 0; left &= left - 1) {
        const auto group = static_cast<uint32_t>(std::countr_zero(left));
        Snapshot *snapshot = kept_at(s, peer, group, message.number);
        if (snapshot) snapshot->decode_state = state;
    }
}

// A message counts when it is acked and the bases of all its groups count; it is useless when one
// of them is.
static void settle_message(Snapshots &s, uint32_t peer, SentMessage message, DecodeState state)
{
    bool count = true, are_useless = false;
    for (uint32_t left = message.groups; left != 0; left &= left - 1) {
        const auto group = static_cast<uint32_t>(std::countr_zero(left));
        const Snapshot *snapshot = kept_at(s, peer, group, message.number);
        if (snapshot && snapshot->base == 0) continue;
        const Snapshot *base = snapshot ? kept_at(s, peer, group, snapshot->base) : nullptr;
        count = count && base && base->decode_state == DecodeState::usable;
        are_useless = are_useless || !base || base->decode_state == DecodeState::useless;
    }
    if (are_useless)
        set_state(s, peer, message, DecodeState::useless);
    else if (count && state == DecodeState::arrived)
        set_state(s, peer, message, DecodeState::usable);
}

// Goes from the oldest on, because each depends on its bases.
void settle(Snapshots &s, uint32_t peer)
{
    SnapshotPeer &p = s.peers[peer];
    const uint32_t last = p.sent_number;
    const uint32_t first = last < snapshots_kept ? 1 : last - snapshots_kept + 1;
    bool all = true;
    for (uint32_t number = std::max(first, p.settled_number + 1); number <= last; ++number) {
        for (uint32_t group = 0; group < s.group_count; ++group) {
            const Snapshot *snapshot = kept_at(s, peer, group, number);
            if (!snapshot || !is_undecided(*snapshot)) continue;
            const bool is_first = (snapshot->groups & ((1u << group) - 1)) == 0;
            if (is_first)
                settle_message(s, peer, {number, snapshot->groups}, snapshot->decode_state);
            all = all && !is_undecided(*snapshot);
        }
        if (all) p.settled_number = number;
        if (number == UINT32_MAX) return;
    }
}

SentMessage last_message(const Snapshots &s, uint32_t peer)
{
    const SnapshotPeer &p = s.peers[peer];
    return {p.sent_number, p.sent_groups};
}

DecodeState decode_state_of(Snapshots &s, uint32_t peer, SentMessage message)
{
    const auto group = static_cast<uint32_t>(std::countr_zero(message.groups));
    const Snapshot *snapshot = kept_at(s, peer, group, message.number);
    return snapshot ? snapshot->decode_state : DecodeState::useless;
}

void on_packet_outcome(Snapshots &s, uint32_t peer, SentMessage message, bool acked)
{
    SnapshotPeer &p = s.peers[peer];
    if (p.loss == 0) p.loss = loss_at_first;
    p.loss = p.loss - p.loss / loss_window + (acked ? 0 : loss_one / loss_window);
    p.loss = std::max<uint32_t>(p.loss, 1);
    const bool is_overtaken = acked && message.number < p.arrived_number;
    p.reordered =
        p.reordered - p.reordered / loss_window + (is_overtaken ? loss_one / loss_window : 0);
    if (acked) p.arrived_number = std::max(p.arrived_number, message.number);
    if (decode_state_of(s, peer, message) != DecodeState::in_flight) return;
    set_state(s, peer, message, acked ? DecodeState::arrived : DecodeState::useless);
    settle(s, peer);
}

void lose_all(Snapshots &s, uint32_t peer)
{
    if (s.entry_count == 0) return;
    for (uint32_t group = 0; group < s.group_count; ++group)
        for (Snapshot &snapshot : stream(s.sent, stream_of(s, peer, group)))
            if (is_undecided(snapshot)) snapshot.decode_state = DecodeState::useless;
}

}
