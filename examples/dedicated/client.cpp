// A player of the treasure hunt in room.lua: joins a dedicated host by its invite, finds three
// treasures and leaves.
//
//     example_dedicated <invite>
#include <algorithm>
#include <cstdio>
#include <tern/calls.hpp>
#include <tern/diagnostics.hpp>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/tern.hpp>
using namespace tern;

// These types must be as in room.lua, in this order. A peer with others is refused.
struct Board {
    uint16_t found;
    PeerId finder;
};
TERN_FIELDS(Board, found, finder);
struct Dig {
    uint8_t x, y;
};
TERN_FIELDS(Dig, field(x, range(0, 99)), field(y, range(0, 99)));
struct Answer {
    uint16_t steps;
};
TERN_FIELDS(Answer, steps);
const Type types[] = {
    make_type<Board>("board", {.objects_max = 1, .claim = ClaimPolicy::never}),
    make_type<Dig>("dig", {.calls_per_second_max = 20}),
    make_type<Answer>("answer"),
};
constexpr int wanted = 3;
constexpr uint64_t time_max_us = 60'000'000;

struct Hunt {
    CallId asked;    // The dig that awaits its answer.
    int answers;     // How many came for this treasure.
    int steps[2];    // The first two of these answers.
    int found, digs; // The sums over all treasures.
};

// The distances from two corners are x + y and x + 99 - y, so both numbers are known.
static Dig next_dig(const Hunt &hunt)
{
    if (hunt.answers == 0) return {0, 0};
    if (hunt.answers == 1) return {0, 99};
    const int x = (hunt.steps[0] + hunt.steps[1] - 99) / 2, y = hunt.steps[0] - x;
    return {static_cast<uint8_t>(std::clamp(x, 0, 99)), static_cast<uint8_t>(std::clamp(y, 0, 99))};
}

static void take(Hunt &hunt, int steps)
{
    hunt.digs += 1;
    if (hunt.answers < 2) hunt.steps[hunt.answers] = steps;
    hunt.answers += 1;
    // Another player may have found it meanwhile: after a third answer the hunt begins again.
    if (steps == 0) hunt.found += 1;
    if (steps == 0 || hunt.answers == 3) hunt.answers = 0;
}

static void hear(const Session *session, Hunt &hunt, const Event &event)
{
    const bool is_outcome = event.kind == EventKind::reply || event.kind == EventKind::call_failed;
    if (event.kind == EventKind::caught_up)
        std::printf("peer %u is in the room\n", static_cast<unsigned>(event.peer));
    if (!is_outcome || event.call.id != hunt.asked) return;
    hunt.asked = CallId::none;
    if (event.kind == EventKind::call_failed)
        std::printf("no answer: %s\n", to_text(event.call.failure));
    else if (const Answer *answer = find_arguments<Answer>(session, event))
        take(hunt, answer->steps);
}

int main(int argc, char **argv)
{
    const ParsedInvite parsed = parse_invite(argc > 1 ? argv[1] : "");
    const MadeSocket made = make_udp_socket(0);
    if (parsed.error || !made.socket) {
        std::fprintf(stderr, "%s\n", parsed.error ? parsed.error : to_text(made.error));
        return 2;
    }
    Session *session = make_session(
        {.types = types, .peers_max = 64, .topology = Topology::star, .name = "digger"});
    if (!session || !join(session, parsed.invite)) return 2;

    Hunt hunt = {};
    int on_board = 0; // The treasures that all players have found.
    const uint64_t end_us = clock_us() + time_max_us;
    while (session_state(session) <= State::leaving) {
        const uint64_t now_us = clock_us();
        for (const Event &event : receive(session, made.socket->receive(), now_us))
            hear(session, hunt, event);
        if (session_state(session) == State::open) {
            // None, if the limit of calls is reached: then the next tick tries again.
            if (hunt.asked == CallId::none && hunt.found < wanted)
                hunt.asked = request(session, PeerId::host, next_dig(hunt));
            for (const Board &board : object_values<Board>(session))
                on_board = board.found;
            if (hunt.found == wanted && on_board >= wanted) leave(session);
        }
        made.socket->send(send(session, now_us));
        if (now_us > end_us) break;
        sleep_us(5'000);
    }
    std::printf("%d treasures after %d digs; the board has %d\n", hunt.found, hunt.digs, on_board);
    std::printf("%s\n", state_text(session)); // Why the session has ended.
    const bool well = session_state(session) == State::left && hunt.found == wanted;
    destroy_session(session);
    destroy_socket(made.socket);
    return well ? 0 : 1;
}
