#include "trials.h"
#include "peer.h"
#include <cstdio>
#include <cstring>

namespace demo::trials {

static constexpr uint64_t trial_us_max = 15'000'000;

// The cubes' table as a newer game might have it: the velocity is finer.
static constexpr Field other_fields[] = {
    cube_fields[0],
    {"velocity", FieldKind::float32, offsetof(Cube, velocity), 2, -32, 32, 1.0 / 32},
    cube_fields[2],
    cube_fields[3]};
static constexpr Type other_types[] = {
    {"cube", sizeof(Cube), other_fields, objects_limit + 200, Orphan::to_host, ClaimPolicy::always},
    types[1]};

// --- Two or more sessions in this process, on sockets of their own ---

struct Side {
    Socket *socket = nullptr;
    Session *session = nullptr;
};

static Config usual_config()
{
    Config config = {};
    config.types = types;
    config.name = "newcomer";
    config.timeout_ms = 3000;
    config.join_timeout_ms = 10'000;
    return config;
}

static Side make_side(const Options &options, const Config &config)
{
    const MadeSocket made = peer::make_socket(options.socket, 0, config.peers_max);
    if (!made.socket) {
        std::printf("trial: no socket: %s\n", to_text(made.error));
        return {};
    }
    return {made.socket, make_session(config)};
}

static void destroy_side(Side &side)
{
    if (side.session) destroy_session(side.session);
    if (side.socket) destroy_socket(side.socket);
    side = {};
}

static Invite invite_of(const Side &side, const Options &options)
{
    const IpVersion version = options.socket == SocketKind::udp6 ? IpVersion::v6 : IpVersion::v4;
    const Address address = loopback(side.socket->local_address().port, version);
    return make_invite(side.session, {&address, 1});
}

static void tick(Side &side)
{
    const std::span<const Event> events = receive(side.session, side.socket->receive(), clock_us());
    for (const Event &event : events)
        if (event.kind == EventKind::join_asked)
            refuse(side.session, event.peer, "this room is for friends of Ada only");
    side.socket->send(send(side.session, clock_us()));
}

// Until the newcomer has come to an end or in, or the time is over.
static void run_until_settled(std::span<Side> sides, const Side &newcomer)
{
    const uint64_t deadline_us = clock_us() + trial_us_max;
    while (clock_us() < deadline_us && session_state(newcomer.session) == State::joining) {
        for (Side &side : sides)
            tick(side);
        sleep_us(5000);
    }
}

// --- The trials ---

struct Outcome {
    bool as_expected;
    std::string found; // The state, or the error.
};

struct Attempt {
    Config host, newcomer;
    State expected;
    const char *named[2]; // What the sentence must contain.
};

static Outcome judge(const Side &newcomer, const Attempt &attempt)
{
    const State found = session_state(newcomer.session);
    const char *sentence = state_text(newcomer.session);
    std::printf("trial: the newcomer is told: %s\n", sentence);
    Outcome outcome = {found == attempt.expected, peer::state_name(found)};
    for (const char *word : attempt.named)
        if (word && !std::strstr(sentence, word)) outcome.as_expected = false;
    return outcome;
}

static Attempt usual_attempt(State expected)
{
    Attempt attempt = {usual_config(), usual_config(), expected, {}};
    attempt.host.name = "host";
    return attempt;
}

enum class Change : uint8_t { none, secret, other_host };

static Outcome attempt_join(const Options &options, const Attempt &attempt, Change change)
{
    Side sides[3] = {make_side(options, attempt.host), make_side(options, attempt.newcomer), {}};
    Side &host = sides[0], &newcomer = sides[1];
    if (!host.session || !newcomer.session) return {false, "no socket"};
    start(host.session);
    Invite invite = invite_of(host, options);
    size_t count = 2;
    if (change == Change::secret) invite.secret[0] ^= 1;
    if (change == Change::other_host) { // Its invite, with the address of the first.
        sides[2] = make_side(options, attempt.host);
        if (!sides[2].session) return {false, "no socket"};
        start(sides[2].session);
        const Address address = invite.addresses[0];
        invite = invite_of(sides[2], options);
        invite.addresses[0] = address;
        count = 3;
    }
    join(newcomer.session, invite);
    run_until_settled({sides, count}, newcomer);
    const Outcome outcome = judge(newcomer, attempt);
    for (Side &side : sides)
        destroy_side(side);
    return outcome;
}

static Outcome try_other_types(const Options &options)
{
    Attempt attempt = usual_attempt(State::refused_types);
    attempt.newcomer.types = other_types;
    attempt.named[0] = "cube";
    attempt.named[1] = "velocity";
    return attempt_join(options, attempt, Change::none);
}

static Outcome try_wrong_secret(const Options &options)
{
    return attempt_join(options, usual_attempt(State::refused_secret), Change::secret);
}

static Outcome try_refused_by_game(const Options &options)
{
    Attempt attempt = usual_attempt(State::refused_by_game);
    attempt.host.admission = Admission::ask_game;
    attempt.named[0] = "friends of Ada";
    return attempt_join(options, attempt, Change::none);
}

// First as text with a character changed, then the invite of a host that is not there.
static Outcome try_wrong_invite(const Options &options)
{
    Side host = make_side(options, usual_config());
    if (!host.session) return {false, "no socket"};
    start(host.session);
    InviteText text = to_text(invite_of(host, options));
    destroy_side(host);
    text.text[40] = text.text[40] == 'A' ? 'B' : 'A';
    const ParsedInvite mangled = parse_invite(text.text);
    std::printf("trial: a mangled invite: %s\n", mangled.error ? mangled.error : "taken for one");
    text.text[40] = '\0';
    const ParsedInvite cut = parse_invite(text.text);
    std::printf("trial: an invite cut short: %s\n", cut.error ? cut.error : "taken for one");
    if (!mangled.error || !cut.error) return {false, "a mangled invite was taken for one"};
    Attempt attempt = usual_attempt(State::unreachable);
    attempt.newcomer.join_timeout_ms = 3000;
    return attempt_join(options, attempt, Change::other_host);
}

static Outcome try_full(const Options &options)
{
    Attempt attempt = usual_attempt(State::refused_full);
    attempt.host.peers_max = attempt.newcomer.peers_max = 2;
    Side sides[3] = {make_side(options, attempt.host), make_side(options, attempt.newcomer),
                     make_side(options, attempt.newcomer)};
    for (const Side &side : sides)
        if (!side.session) return {false, "no socket"};
    start(sides[0].session);
    const Invite invite = invite_of(sides[0], options);
    join(sides[1].session, invite);
    run_until_settled({sides, 2}, sides[1]);
    if (session_state(sides[1].session) != State::open)
        return {false, std::string("the first newcomer: ") +
                           peer::state_name(session_state(sides[1].session))};
    join(sides[2].session, invite);
    run_until_settled(sides, sides[2]);
    const Outcome outcome = judge(sides[2], attempt);
    for (Side &side : sides)
        destroy_side(side);
    return outcome;
}

static Outcome try_port_in_use(const Options &options)
{
    const MadeSocket first = peer::make_socket(options.socket, 0, 4);
    if (!first.socket) return {false, to_text(first.error)};
    const uint16_t port = first.socket->local_address().port;
    const MadeSocket second = peer::make_socket(options.socket, port, 4);
    std::printf("trial: a second %s socket on port %u: %s\n", socket_name(options.socket), port,
                second.socket ? "made" : to_text(second.error));
    destroy_socket(first.socket);
    if (second.socket) destroy_socket(second.socket);
    const bool as_expected = !second.socket && second.error == SocketError::port_in_use;
    return {as_expected, as_expected ? "port_in_use" : "another result"};
}

struct Trial {
    const char *name;
    Outcome (*run)(const Options &options);
};

static constexpr Trial all[] = {
    {"other-types", try_other_types},         {"wrong-invite", try_wrong_invite},
    {"wrong-secret", try_wrong_secret},       {"full", try_full},
    {"refused-by-game", try_refused_by_game}, {"port-in-use", try_port_in_use},
};

int run(const Options &options)
{
    bool as_expected = true;
    for (const Trial &trial : all) {
        if (options.trial != "all" && options.trial != trial.name) continue;
        std::printf("trial: %s\n", trial.name);
        std::fflush(stdout);
        const Outcome outcome = trial.run(options);
        as_expected = as_expected && outcome.as_expected;
        std::printf("trial: %s (%s)\n",
                    outcome.as_expected ? "refused as expected" : "NOT refused as expected",
                    outcome.found.c_str());
    }
    return as_expected ? 0 : 1;
}

}
