// A hostile member sends arbitrary messages, sealed with the correct keys, to four honest members
// of a mesh or a star, the host among them. When it has gone, or was removed, the honest ones are
// all open and in the session, charge each other with nothing, show the same world, and still own
// what they have not given up. docs/security.md lists what such a member can still do; the numbers
// of items below are those of that list.
#include "fuzz/support/arena.h"
#include "fuzz/support/input.h"
#include "fuzz/support/lies.h"
#include "fuzz/targets.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/host.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "transport/connection/packet_codec.h"
#include <cstring>

namespace tern::fuzz {

namespace {

constexpr int steps_max = 96;
constexpr uint64_t tick_us = 200'000;
constexpr int settle_ticks_max = 150, stay_ticks_max = 80;

using arena::Play;

bool stays(const Arena &a, size_t who)
{
    return who != guest || !a.now.guest_left;
}

// --- The games ---

ObjectId any_object(const Session *s, uint8_t which)
{
    const TypeId type = which % 4 == 0 ? GLIDE : BALL;
    const std::span<const ObjectId> objects = object_ids(s, type);
    return objects.empty() ? ObjectId::none : objects[which / 4 % objects.size()];
}

// One thing that a game does. Honest games do not give up what check_kept() is about.
void act(Arena &a, size_t who, Input &in)
{
    const uint8_t what = input::u8(in), which = input::u8(in);
    Session *s = a.peers[who];
    if (!arena::is_in(a, who) || session_state(s) != State::open) return;
    if (what % 8 == 0) {
        create(s, what & 8 ? GLIDE : BALL, Ball{which, 0, 0});
        return;
    }
    if (what % 8 == 1) {
        call(s, PeerId::everyone, SHOUT, Shout{},
             what & 8 ? Reliability::reliable : Reliability::unreliable);
        return;
    }
    const ObjectId object = any_object(s, which);
    if (!exists(s, object) || (who < honest_count && object == a.now.locked[who])) return;
    if (what % 8 == 2) claim(s, object, what & 8 ? ClaimMode::optimistic : ClaimMode::wait);
    if (what % 8 == 3) request_owner(s, object, SHOUT, Shout{object});
    if (what % 8 == 4 && may_set(s, object)) set(s, Object<Ball>{object}, Ball{which, 1, 0});
    if (object_owner(s, object) != local_peer(s)) return;
    if (what % 8 == 5) destroy(s, object);
    if (what % 8 == 6) release_ownership(s, object);
    if (what % 8 == 7) lock(s, object, (what & 8) != 0);
}

void let_guest_leave(Arena &a, bool says_goodbye)
{
    if (a.now.guest_left) return;
    a.now.guest_left = true;
    if (says_goodbye)
        leave(a.peers[guest]);
    else
        a.now.runs[guest] = false;
}

// --- The hostile member ---

// Item 2: what it answers to the QUERY about the guest is believed in a mesh.
void note_report(Arena &a, std::span<const std::byte> message)
{
    if (message.empty()) return;
    const auto kind = static_cast<MessageKind>(message[0]);
    if (kind == MessageKind::dead || kind == MessageKind::report_object ||
        kind == MessageKind::report)
        a.now.reports_lies = true;
}

// `to` is an honest member, or all of them.
void tell(Arena &a, size_t to, StreamId stream, std::span<const std::byte> message)
{
    if (message.empty()) return;
    if (stream == StreamId::world) note_report(a, message);
    for (size_t who = 0; who < honest_count; ++who)
        if ((to == who || to == honest_count) && arena::is_in(a, hostile))
            inspect::lie(a.peers[hostile], a.now.ids[who], stream, message);
}

void send_unreliable(Arena &a, size_t to, UnreliableKind kind, std::span<const std::byte> bytes)
{
    if (bytes.empty()) return;
    std::byte frames[datagram_bytes_max];
    const size_t header = frames::write_unreliable_header(frames, kind, bytes.size());
    std::copy(bytes.begin(), bytes.end(), frames + header);
    arena::send_frames(a, to, std::span(frames).first(header + bytes.size()));
}

void attack(Arena &a, uint8_t what, Input &in)
{
    std::byte buffer[1200];
    const std::span<std::byte> room = buffer;
    const size_t one = what >> 4 & 3, to = what & 128 ? honest_count : one;
    const auto lie = [&](auto write) { return room.first(write(a, in, room)); };
    const auto raw = [&] { return std::as_bytes(input::bytes(in, input::u8(in))); };
    switch (what & 15) {
    case 10: return tell(a, to, StreamId::calls, lie(lies::write_call));
    case 11: return send_unreliable(a, one, UnreliableKind::updates, lie(lies::write_update));
    case 12: return tell(a, to, what & 64 ? StreamId::calls : StreamId::world, raw());
    case 13:
        a.now.reports_lies = true; // The frames may be any chunk.
        return arena::send_frames(a, one, raw());
    case 14: {
        const auto kind = static_cast<UnreliableKind>(input::u8(in) % 7);
        return send_unreliable(a, one, kind, raw());
    }
    default: return tell(a, to, StreamId::world, lie(lies::write_message));
    }
}

void step(Arena &a, Input &in)
{
    const uint8_t what = input::u8(in);
    switch (what & 15) {
    case 0:
    case 1:
    case 2: return arena::tick(a, (what >> 4) * 8'000u + 1'000, Play::all);
    case 3: return act(a, (what >> 4) % honest_count, in);
    case 4: return act(a, hostile, in);
    case 5: a.now.mode = what >> 4 & (deaf | mute | withholds); return;
    case 6: return let_guest_leave(a, (what & 16) != 0);
    case 15:
        for (int ticks = what >> 4; ticks >= 0; --ticks)
            arena::tick(a, tick_us, Play::all);
        return;
    default: return attack(a, what, in);
    }
}

// It goes on as its mode says. The host settles the departure of the guest all the same, within the
// time of item 7.
void stay(Arena &a)
{
    const Replica &host = inspect::replica(a.peers[0]);
    const auto is_settled = [&] {
        return !a.now.guest_left || replica::find_member(host, a.now.ids[guest]) == no_member;
    };
    for (int ticks = 0; ticks < 6 || (!is_settled() && ticks < stay_ticks_max); ++ticks)
        arena::tick(a, tick_us, Play::all);
    TERN_ASSERT(is_settled(), "the guest has not gone, %s",
                host.duties.collecting ? "reports are awaited" : "nobody is asked");
}

// How the hostile member ends, as far as the host has not removed it before.
void end_hostile(Arena &a, unsigned how)
{
    if (how == 3) stay(a);
    a.now.mode = 0;
    if (how == 1 && arena::is_in(a, hostile))
        leave(a.peers[hostile]);
    else if (how == 2 && replica::is_member(inspect::replica(a.peers[0]), a.now.ids[hostile]))
        remove(a.peers[0], a.now.ids[hostile]);
    else
        a.now.runs[hostile] = false;
}

// --- The honest ones ---

// Item 2: a liar may call an object destroyed when the guest departs from a mesh. It cannot give it
// to another owner, because the host stays.
void check_kept(const Arena &a)
{
    const bool is_mesh = session_config(a.peers[0]).topology == Topology::mesh;
    const bool may_be_dead = is_mesh && a.now.guest_left && a.now.reports_lies;
    const auto is_kept = [&](const Session *at, ObjectId object, PeerId owner) {
        return exists(at, object) ? object_owner(at, object) == owner : may_be_dead;
    };
    for (size_t who = 0; who < honest_count; ++who)
        for (size_t at = 0; at < honest_count; ++at)
            for (const ObjectId object : {a.now.kept[who], a.now.locked[who]})
                TERN_ASSERT(
                    !stays(a, who) || !stays(a, at) || is_kept(a.peers[at], object, a.now.ids[who]),
                    "%zu has lost %llx at %zu", who, static_cast<unsigned long long>(object), at);
}

bool agree(const Arena &a)
{
    const size_t others = a.now.guest_left ? honest_count - 2 : honest_count - 1;
    for (size_t who = 0; who < honest_count; ++who) {
        if (!stays(a, who)) continue;
        if (other_peers(a.peers[who]).size() != others) return false;
        if (world_digest(a.peers[who]) != world_digest(a.peers[0])) return false;
    }
    return true;
}

void report_differences(const Arena &a)
{
    for (size_t who = 0; who < honest_count; ++who)
        std::fprintf(stderr, "%zu: %s, %zu others, %llu objects, %016llx, phase %d%s\n", who,
                     state_text(a.peers[who]), other_peers(a.peers[who]).size(),
                     static_cast<unsigned long long>(session_stats(a.peers[who]).objects),
                     static_cast<unsigned long long>(world_digest(a.peers[who])),
                     static_cast<int>(inspect::replica(a.peers[who]).phase),
                     inspect::replica(a.peers[who]).duties.collecting ? ", collects" : "");
}

void settle(Arena &a, const char *when)
{
    int agreed = 0;
    for (int ticks = 0; ticks < settle_ticks_max && agreed < 2; ++ticks) {
        arena::tick(a, tick_us, Play::none);
        agreed = agree(a) ? agreed + 1 : 0;
    }
    if (agreed < 2) report_differences(a);
    TERN_ASSERT(agreed == 2, "the honest do not agree %s", when);
    for (size_t who = 0; who < honest_count; ++who)
        if (stays(a, who)) world::check(inspect::replica(a.peers[who]).world);
    check_kept(a);
}

// The honest ones can still create, change and call.
void go_on_playing(Arena &a)
{
    arena::tick(a, tick_us, Play::all);
    uint32_t honest = 0;
    for (size_t who = 0; who < honest_count; ++who) {
        if (!stays(a, who)) continue;
        honest += 1;
        TERN_ASSERT(create(a.peers[who], KEPT, Ball{7, 7, 0}) != ObjectId::none,
                    "%zu can create nothing", who);
        TERN_ASSERT(call(a.peers[who], PeerId::everyone, SHOUT, last_call), "%zu cannot call", who);
    }
    settle(a, "when they play again");
    TERN_ASSERT(a.now.calls == honest * (honest - 1), "%u calls of %u", a.now.calls,
                honest * (honest - 1));
}

}

void fuzz_hostile(std::span<const uint8_t> data)
{
    Input in = {data};
    const uint8_t how = input::u8(in);
    Arena &a = arena::fresh(how & 1 ? Topology::star : Topology::mesh);
    // The host's game lets the hostile member stay, or the host removes it for its first breach.
    if (how & 2) a.peers[0]->config.misbehaviour = Misbehaviour::ask_game;
    for (int steps = 0; steps < steps_max && !input::empty(in); ++steps)
        step(a, in);
    check_kept(a);
    end_hostile(a, how >> 2 & 3);
    settle(a, "when the hostile one has gone");
    go_on_playing(a);
}

}
