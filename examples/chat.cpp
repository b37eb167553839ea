// Chat and the other calls (RPCs): to everybody, to one peer, to the owner of an object, and
// requests that get a reply or fail. The network is simulated and loses every fifth datagram; each
// reliable call still arrives once, and in order.
//
//     example_chat
#include <cstdio>
#include <cstring>
#include <map>
#include <tern/calls.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
using namespace tern;

struct Line { // A line of the chat, to everybody or to one peer.
    char text[64];
    bool whispered;
};
TERN_FIELDS(Line, text, whispered);
struct Door {
    bool open;
};
TERN_FIELDS(Door, open);
struct Knock { // A call to the owner of a door.
    Object<Door> door;
};
TERN_FIELDS(Knock, door);
struct Question {
    char text[64];
};
TERN_FIELDS(Question, text);
struct Answer {
    int32_t number;
};
TERN_FIELDS(Answer, number);
const Type types[] = {
    make_type<Line>("line", {.calls_per_second_max = 5}), // More than 5 a second is a flood.
    make_type<Door>("door", {.objects_max = 4}),
    make_type<Knock>("knock"),
    make_type<Question>("question"),
    make_type<Answer>("answer"),
};

constexpr uint64_t tick_us = 16'667;
constexpr int peer_count = 3, lines_each = 10;
constexpr const char *names[] = {"nobody", "Ada", "Ben", "Cai"}; // PeerId is the index.

struct Peer {
    Session *session;
    Socket *socket;
    bool crashed;
    std::map<PeerId, int> lines_from; // Lines of each peer that came, all of them in order.
    int whispers, knocks, answers, failures;
    bool out_of_order;
};

struct World {
    SimNetwork *network;
    Peer peers[peer_count];
    uint64_t now_us;
};

static Line make_line(const char *text, bool whispered)
{
    Line line = {};
    std::snprintf(line.text, sizeof line.text, "%s", text);
    line.whispered = whispered;
    return line;
}

static void hear_line(Peer &peer, const Line &line, PeerId from)
{
    const char *me = peer_name(peer.session, local_peer(peer.session));
    if (line.whispered) {
        peer.whispers += 1;
        std::printf("%s whispers to %s: %s\n", peer_name(peer.session, from), me, line.text);
        return;
    }
    char expected[64];
    std::snprintf(expected, sizeof expected, "line %d", ++peer.lines_from[from]);
    peer.out_of_order = peer.out_of_order || std::strcmp(line.text, expected) != 0;
}

// Answers what others call, and takes the answers to our own calls.
static void hear(Peer &peer, const Event &event)
{
    Session *session = peer.session;
    const char *me = peer_name(session, local_peer(session));
    if (event.kind == EventKind::call) {
        if (const Line *line = find_arguments<Line>(session, event))
            hear_line(peer, *line, event.call.peer);
        if (const Knock *knock = find_arguments<Knock>(session, event)) {
            // A call may come before the object that it names, or after its end.
            if (!exists(session, knock->door) || !may_set(session, knock->door)) return;
            peer.knocks += 1;
            std::printf("%s opens the door for %s\n", me, peer_name(session, event.call.peer));
            set(session, knock->door, {true});
        }
        if (const Question *question = find_arguments<Question>(session, event)) {
            std::printf("%s is asked: %s\n", me, question->text);
            if (!reply(session, event.call, Answer{42})) std::printf("nobody waits for it\n");
        }
    }
    if (event.kind == EventKind::reply)
        if (const Answer *answer = find_arguments<Answer>(session, event)) {
            peer.answers += 1;
            std::printf("the host answers %s: %d\n", me, answer->number);
        }
    if (event.kind == EventKind::call_failed) {
        peer.failures += 1;
        std::printf("a call of %s failed: %s\n", me, to_text(event.call.failure));
    }
}

static void run(World &world, double seconds)
{
    const uint64_t end_us = world.now_us + static_cast<uint64_t>(seconds * 1e6);
    while (world.now_us < end_us) {
        advance(world.network, world.now_us += tick_us);
        for (Peer &peer : world.peers) {
            if (peer.crashed) continue;
            for (const Event &event : receive(peer.session, peer.socket->receive(), world.now_us))
                hear(peer, event);
            peer.socket->send(send(peer.session, world.now_us));
        }
    }
}

static bool enter(World &world)
{
    for (int i = 0; i < peer_count; ++i) {
        Peer &peer = world.peers[i];
        peer.session = make_session({.types = types, .name = names[i + 1], .timeout_ms = 2000});
        peer.socket = make_sim_socket(world.network, loopback(static_cast<uint16_t>(7777 + i)));
        if (!peer.session || !peer.socket) return false;
    }
    start(world.peers[0].session);
    const Address address = loopback(7777);
    for (int i = 1; i < peer_count; ++i) {
        join(world.peers[i].session, make_invite(world.peers[0].session, {&address, 1}));
        run(world, 2); // One after the other, so that the ids are those of `names`.
    }
    return session_state(world.peers[peer_count - 1].session) == State::open;
}

// Each peer sends its lines to all others, four a second.
static bool chatter(World &world)
{
    bool sent = true;
    for (int number = 1; number <= lines_each; ++number) {
        char text[64];
        std::snprintf(text, sizeof text, "line %d", number);
        for (Peer &peer : world.peers)
            sent = call(peer.session, PeerId::everyone, make_line(text, false)) && sent;
        run(world, 0.25);
    }
    run(world, 2);
    return sent;
}

static bool has_all_lines(const Peer &peer)
{
    for (int from = 1; from <= peer_count; ++from) {
        const bool own = PeerId(from) == local_peer(peer.session);
        const auto lines = peer.lines_from.find(PeerId(from));
        if (own != (lines == peer.lines_from.end())) return false;
        if (!own && lines->second != lines_each) return false;
    }
    return !peer.out_of_order;
}

// Calls to one peer, to the owner of an object and to the host, with answers.
static bool converse(World &world)
{
    Session *ada = world.peers[0].session, *ben = world.peers[1].session;
    Session *cai = world.peers[2].session;
    const Object<Door> door = create(cai, Door{false});
    run(world, 1);
    bool well = call(ben, PeerId{1}, make_line("Cai has built a door", true));
    well = call_owner(ben, door, Knock{door}) != CallId::none && well;
    well = request(cai, PeerId::host, Question{"what is 6 times 7?"}) != CallId::none && well;
    run(world, 1);
    return well && get(ada, door).open && world.peers[0].whispers == 1 &&
           world.peers[2].knocks == 1 && world.peers[2].answers == 1;
}

// A flood is stopped where it begins. A request to a peer that crashes fails, and never hangs.
static bool try_failures(World &world)
{
    Peer &ben = world.peers[1];
    int accepted = 0;
    for (int i = 0; i < 100; ++i)
        accepted += call(ben.session, PeerId{3}, make_line("hurry", true));
    std::printf("Ben may say %d of 100 lines at once\n", accepted);
    world.peers[2].crashed = true;
    const CallId asked = request(ben.session, PeerId{3}, Question{"are you there?"}, 1000);
    run(world, 4);
    return accepted == 5 && asked != CallId::none && ben.failures == 1;
}

int main()
{
    World world = {};
    world.network = make_sim_network({.seed = 5, .impairment = {.loss = 0.2f}});
    const bool has_begun = enter(world);
    bool well = has_begun && chatter(world);
    for (const Peer &peer : world.peers)
        well = well && has_all_lines(peer);
    std::printf("%s\n", well ? "Everybody has read all lines, in order." : "Lines are missing.");
    well = well && converse(world) && try_failures(world);
    std::printf("%s\n", well ? "Each call has had one outcome." : "The calls went wrong.");
    for (const Peer &peer : world.peers)
        destroy_session(peer.session);
    destroy_sim_network(world.network);
    return well ? 0 : 1;
}
