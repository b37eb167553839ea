// Each trial runs a host and a newcomer that must be refused, in this process, and prints the text
// that results.
#include "peer.h"
#include "tern/diagnostics.hpp"
#include "tern/host.hpp"
#include "tern/invites.hpp"

namespace demo {

namespace {

// The table of the cubes as a newer game might have it, with a finer velocity.
constexpr Field other_fields[] = {
    fields_of<Cube>[0],
    { "velocity", FieldKind::float32, offsetof(Cube, velocity), 2, -32, 32, 1.0 / 32 },
    fields_of<Cube>[2],
    fields_of<Cube>[3]};
constexpr Type other_types[] = {
    {"cube", sizeof(Cube), other_fields, objects_limit + 200, Orphan::to_host, ClaimPolicy::always},
    types[1]};

struct Trial {
    const char *name;             // The value of --trial.
    State expected = State::idle; // The newcomer's last state.
    const char *words = "";       // state_text() must contain them.
    std::span<const Type> newcomer_types = types;
    Admission admission = Admission::always;
    uint32_t join_timeout_ms = 10'000;
    bool is_full = false;       // Another newcomer takes the last place first.
    uint8_t secret_change = 0;  // XORed into the first byte of the invite's secret.
    bool is_other_host = false; // The invite is another host's, with the address of this one.
    bool is_port = false;       // Two sockets on one port instead.
};

constexpr Trial trials[] = {
    {.name = "other-types",
     .expected = State::refused_types,
     .words = "cube: here \"field velocity",
     .newcomer_types = other_types},
    {.name = "wrong-invite",
     .expected = State::unreachable,
     .join_timeout_ms = 3000,
     .is_other_host = true},
    {.name = "wrong-secret", .expected = State::refused_secret, .secret_change = 1},
    {.name = "full", .expected = State::refused_full, .is_full = true},
    {.name = "refused-by-game",
     .expected = State::refused_by_game,
     .words = "friends of Ada",
     .admission = Admission::ask_game},
    {.name = "port-in-use", .is_port = true},
};

// Runs all peers until this one is in, its session has ended, or the time is over.
State join_and_wait(std::span<Peer> peers, const Peer &newcomer, const Invite &invite)
{
    join(newcomer.session, invite);
    const uint64_t deadline_us = clock_us() + 15'000'000;
    for (; clock_us() < deadline_us && session_state(newcomer.session) == State::joining;
         sleep_us(5000))
        for (Peer &peer : peers) {
            peer::tick(peer, false);
            for (const Event &event : session_events(peer.session))
                if (event.kind == EventKind::join_asked)
                    refuse(peer.session, event.newcomer.peer,
                           "this room is for friends of Ada only");
        }
    return session_state(newcomer.session);
}

// Whether an invite with a changed character, and one that is cut short, are rejected.
bool is_text_checked(const Invite &invite)
{
    InviteText text = to_text(invite);
    bool is_checked = true;
    for (const char change : {text.text[40] == 'A' ? 'B' : 'A', '\0'}) {
        text.text[40] = change;
        const ParsedInvite parsed = parse_invite(text.text);
        is_checked = is_checked && parsed.error;
        std::printf("trial: %s invite: %s\n", change ? "a mangled" : "a cut",
                    parsed.error ? parsed.error : "accepted");
    }
    return is_checked;
}

// The second peer is another newcomer, or another host; the third one must be refused.
bool is_refused(const Options &options, const Trial &trial, std::span<Peer> peers)
{
    start(peers[0].session);
    Invite invite = peer::local_invite(peers[0], options);
    if (trial.is_other_host) {
        const Address address = invite.addresses[0];
        start(peers[1].session);
        invite = peer::local_invite(peers[1], options);
        invite.addresses[0] = address;
        if (!is_text_checked(invite)) return false;
    }
    if (trial.is_full && join_and_wait(peers, peers[1], invite) != State::open) return false;
    invite.secret[0] ^= trial.secret_change;
    const State last = join_and_wait(peers, peers[2], invite);
    const std::string sentence = state_text(peers[2].session);
    std::printf("trial: the newcomer: %s\n", sentence.c_str());
    return last == trial.expected && sentence.find(trial.words) != std::string::npos;
}

bool is_as_expected(Options options, const Trial &trial)
{
    Peer peers[3] = {};
    std::string wrong;
    for (uint32_t i = 0; i < 3 && wrong.empty(); ++i) {
        Config config = peer::make_config(options);
        config.name = i == 0 ? "host" : "newcomer";
        config.types = i == 2 ? trial.newcomer_types : types;
        config.admission = trial.admission;
        config.join_timeout_ms = trial.join_timeout_ms;
        if (trial.is_full) config.peers_max = 2;
        wrong = peer::open(peers[i], options, config, i);
        if (trial.is_port && wrong.empty()) options.port = peers[0].socket->local_address().port;
    }
    if (!wrong.empty()) std::printf("trial: %s\n", wrong.c_str());
    const bool is_expected =
        trial.is_port ? wrong.find(to_text(SocketError::port_in_use)) != std::string::npos
                      : wrong.empty() && is_refused(options, trial, peers);
    for (Peer &peer : peers)
        peer::close(peer);
    return is_expected;
}

}

int run_trials(const Options &options)
{
    Options clean = options;
    clean.impaired = false;
    int status = 0;
    for (const Trial &trial : trials) {
        if (options.trial != "all" && options.trial != trial.name) continue;
        std::printf("trial: %s\n", trial.name);
        const bool is_expected = is_as_expected(clean, trial);
        std::printf("trial: %srefused as expected\n", is_expected ? "" : "NOT ");
        if (!is_expected) status = 1;
    }
    return status;
}

}
