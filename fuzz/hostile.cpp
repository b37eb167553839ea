// A hostile member sends arbitrary messages, sealed with the correct keys, to two honest sessions.
// These stay in the session, agree, keep their own objects and do not crash. docs/security.md
// describes what such a member can still do.
#include "fuzz/support/arena.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "transport/connection/frames.h"
#include <cstring>

namespace tern::fuzz {

namespace {

constexpr size_t frames_bytes_max = 1000;

// Both sessions are open and the host still counts the honest member as a member. The hostile
// member can end this, because reports that a member is unreachable are believed.
bool undisturbed(const Arena &a)
{
    for (const Session *s : a.honest)
        if (session_state(s) != State::open) return false;
    return replica::is_member(inspect::replica(a.honest[0]), local_peer(a.honest[1]));
}

void check_states(const Arena &a)
{
    const State host = session_state(a.honest[0]), member = session_state(a.honest[1]);
    // Any member can fill the tables (overflow). If it reports the other member as unreachable and
    // then disappears, the host is alone, and cut off.
    const bool apart = !replica::is_member(inspect::replica(a.honest[0]), local_peer(a.honest[1]));
    TERN_ASSERT(host == State::open || host == State::overflow || (host == State::cut_off && apart),
                "the host: %s", state_text(a.honest[0]));
    TERN_ASSERT(member == State::open || member == State::overflow || member == State::removed ||
                    (member == State::cut_off && host != State::open),
                "the member: %s", state_text(a.honest[1]));
}

void check_kept(const Arena &a)
{
    if (!undisturbed(a)) return;
    for (size_t who = 0; who < honest_count; ++who) {
        const Session *s = a.honest[who];
        const ObjectId object = a.kept[who];
        TERN_ASSERT(exists(s, object) && object_owner(s, object) == local_peer(s),
                    "%zu has lost its own", who);
        const Ball ball = get<Ball>(s, object);
        TERN_ASSERT(ball.y == static_cast<int16_t>(who) && ball.x <= a.played &&
                        ball.x + 1 >= a.played,
                    "%zu has %d, %d at tick %d", who, ball.x, ball.y, a.played);
        const Session *other = a.honest[1 - who];
        TERN_ASSERT(exists(other, object) && object_owner(other, object) == local_peer(s),
                    "%zu's is another's at the other", who);
        const Ball copy = get<Ball>(other, object);
        TERN_ASSERT(copy.y == ball.y || copy.x == 0, "%zu's copy is %d, %d", who, copy.x, copy.y);
    }
}

void check(const Arena &a)
{
    check_states(a);
    for (const Session *s : a.honest)
        world::check(inspect::replica(s).world);
    check_kept(a);
}

void step(Arena &a, Input &in)
{
    const uint8_t what = input::u8(in);
    const size_t to = what >> 7;
    const size_t size = input::u8(in) * ((what & 64) != 0 ? 4u : 1u);
    if ((what & 7) == 0) return arena::tick(a, 1'000 + size * 256);
    if ((what & 7) == 1) return arena::send_ack(a, to);
    const std::span<const std::byte> bytes =
        std::as_bytes(input::bytes(in, std::min(size, frames_bytes_max)));
    if ((what & 7) <= 3) return arena::send_message(a, to, StreamId::world, bytes);
    if ((what & 7) == 4) return arena::send_message(a, to, StreamId::calls, bytes);
    if (bytes.empty()) return;
    if ((what & 7) == 5) return arena::send_frames(a, to, bytes);
    std::byte frames[datagram_bytes_max];
    const auto kind = (what & 7) == 6   ? UnreliableKind::updates
                      : (what & 8) != 0 ? UnreliableKind::call
                                        : UnreliableKind::notice;
    const size_t header = frames::write_unreliable_header(frames, kind, bytes.size());
    std::copy(bytes.begin(), bytes.end(), frames + header);
    arena::send_frames(a, to, std::span(frames).first(header + bytes.size()));
}

// The hostile member falls silent and is removed from the view; then the honest members agree.
void settle(Arena &a)
{
    for (int i = 0; i < 16; ++i)
        arena::tick(a, 200'000);
    check(a);
    if (!undisturbed(a)) return;
    for (const Session *s : a.honest)
        TERN_ASSERT(other_peers(s).size() == 1, "%zu peers are left", other_peers(s).size());
    arena::tick(a, 20'000);
    arena::tick(a, 20'000);
    // Changes of the last ticks may still be in flight, hence the tolerance.
    const Ball ours = get<Ball>(a.honest[0], a.kept[0]), theirs = get<Ball>(a.honest[1], a.kept[0]);
    TERN_ASSERT(theirs.x + 2 >= ours.x, "the member has tick %d of %d", theirs.x, ours.x);
    for (const Object &object : inspect::replica(a.honest[0]).world.slots.all()) {
        if (object.life != Life::alive) continue;
        const Replica &other = inspect::replica(a.honest[1]);
        const ObjectSlot slot = world::find_alive(other.world, object.id);
        TERN_ASSERT(slot != no_slot && other.world.slots[slot].owner == object.owner &&
                        other.world.slots[slot].stamp == object.stamp,
                    "object %llx is another thing at the member",
                    static_cast<unsigned long long>(object.id));
    }
    TERN_ASSERT(session_stats(a.honest[0]).objects == session_stats(a.honest[1]).objects,
                "%llu objects",
                static_cast<unsigned long long>(session_stats(a.honest[0]).objects));
}

}

void fuzz_hostile(std::span<const uint8_t> data)
{
    Input in = {data};
    Arena &a = arena::fresh();
    const uint8_t how = input::u8(in);
    for (int steps = 0; steps < 40 && !input::empty(in); ++steps) {
        step(a, in);
        check_states(a);
    }
    check(a);
    // Not for every input: it takes longer than all the rest.
    if (how % 4 == 0) settle(a);
}

}
