#include "loop.h"
#include "common/command_line.h"
#include "common/control.h"
#include "common/line_editor.h"
#include "scripts/console.h"
#include "scripts/game.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/limits.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>

using namespace tern;
using scripts::Game;

namespace peer {

static constexpr uint64_t second_us = 1'000'000;
static constexpr uint64_t leave_us_max = 3 * second_us;
static constexpr const char *equal_tables =
    "\ntern-peer: types, peers_max, quorum and topology must be the same in the scripts of all";

struct Player {
    const Options &options;
    Game *game = nullptr;
    Socket *socket = nullptr;
    std::vector<Address> addresses = {}; // Listed in the invites.
    control::Control console = {};
    line_editor::LineEditor *editor = nullptr; // Reads stdin.
    bool is_ready = false;
    uint64_t left_us = 0; // When leave() was called; 0 before.
};

static volatile sig_atomic_t hangup_seen = 0; // Windows has no SIGHUP.

#ifdef SIGHUP
static void note_hangup(int)
{
    hangup_seen = 1;
}
#endif

static int complain(int status, const std::string &what)
{
    std::fprintf(stderr, "tern-peer: %s\n", what.c_str());
    return status;
}

// --- Start ---

static std::string parse_addresses(Player &player)
{
    const uint16_t port = player.socket->local_address().port;
    for (const std::string &ip : player.options.addresses) {
        const bool bare_v6 = ip.find(':') != std::string::npos && ip[0] != '[';
        const std::string text = (bare_v6 ? "[" + ip + "]" : ip) + ":" + std::to_string(port);
        const ParsedAddress parsed = parse_address(text.c_str());
        if (parsed.error) return "--address " + ip + ": " + parsed.error;
        for (const char *any : {"0.0.0.0:1", "[::]:1"})
            if (std::ranges::equal(parsed.address.ip, parse_address(any).address.ip))
                return "--address " + ip + ": expected an IP at which others reach this peer";
        player.addresses.push_back(parsed.address);
    }
    if (player.addresses.empty() || player.addresses.size() > invite_addresses_max)
        return "--address: expected 1 to " + std::to_string(invite_addresses_max) + " IPs";
    return "";
}

static std::string open_socket(Player &player)
{
    const Options &options = player.options;
    MadeSocket made = {};
    if (options.socket == "enet")
        made = make_enet_socket(options.port, mesh_peers_max);
    else
        made =
            make_udp_socket(options.port, options.socket == "udp6" ? IpVersion::v6 : IpVersion::v4);
    if (!made.socket) return "port " + std::to_string(options.port) + ": " + to_text(made.error);
    player.socket = made.socket;
    if (options.loss_percent <= 0 && options.latency_ms == 0) return "";
    const Impairment impairment = {options.latency_ms, options.latency_ms,
                                   static_cast<float>(options.loss_percent / 100), 0};
    player.socket = make_impaired_socket(player.socket, impairment, clock_us());
    return "";
}

static void show(Player &player)
{
    Game &game = *player.game;
    if (game.notes.empty()) return;
    if (player.editor) line_editor::hide(*player.editor);
    for (const scripts::Note &note : game.notes) {
        if (note.kind == scripts::NoteKind::output)
            std::fputs(note.text.c_str(), stdout);
        else
            std::fprintf(stderr, "tern-peer: %s: %s\n", text(note.kind), note.text.c_str());
    }
    std::fflush(stdout);
    game.notes.clear();
    if (player.editor) line_editor::show(*player.editor);
}

static int begin(Player &player)
{
    const Options &options = player.options;
    ParsedInvite invite = {};
    if (!options.invite.empty()) invite = parse_invite(options.invite.c_str());
    if (invite.error) return complain(exit_usage, std::string("--join: ") + invite.error);
    const auto trust = options.sandboxed ? scripts::Trust::sandboxed : scripts::Trust::trusted;
    const scripts::MadeGame made = scripts::game::make(
        options.script, trust, scripts::limits(trust, options.memory_mib, options.instructions));
    if (!made.game) return complain(exit_script, made.error);
    player.game = made.game;
    std::vector<scripts::Setting> settings;
    if (!options.name.empty()) settings.push_back({"name", options.name});
    std::string error = scripts::game::make_session(*player.game, settings);
    show(player);
    if (!error.empty()) return complain(exit_script, options.script + ": " + error);
    error = open_socket(player);
    if (!error.empty()) return complain(exit_socket, error);
    error = parse_addresses(player);
    if (!error.empty()) return complain(exit_usage, error);
    if (!options.console.empty()) error = control::open(player.console, options.console);
    if (!error.empty()) return complain(exit_socket, "--console " + options.console + ": " + error);
    Session *session = scripts::game::session(*player.game);
    receive(session, {}, clock_us()); // Sets the session's clock.
    if (options.invite.empty())
        start(session);
    else
        join(session, invite.invite);
    player.editor = line_editor::open("tern-peer", "> ");
    return exit_left;
}

// --- The loop ---

static void say_ready(Player &player, const Session *session)
{
    player.is_ready = true;
    std::printf("tern-peer ready: udp %u peer %u invite %s\n", player.socket->local_address().port,
                static_cast<unsigned>(local_peer(session)),
                to_text(make_invite(session, player.addresses)).text);
    std::fflush(stdout);
}

static void take_orders(Player &player, uint64_t begun_us, uint64_t now_us)
{
    if (hangup_seen) {
        hangup_seen = 0;
        scripts::game::reload(*player.game);
    }
    const double passed_s = static_cast<double>(now_us - begun_us) / 1e6;
    const bool is_over = player.options.seconds > 0 && passed_s >= player.options.seconds;
    if (player.left_us > 0 || (!is_over && !command_line::ended())) return;
    player.left_us = now_us;
    scripts::game::stop(*player.game);
    Session *session = scripts::game::session(*player.game);
    if (session &&
        (session_state(session) == State::open || session_state(session) == State::joining))
        leave(session);
}

// --- The console ---

static void take_typed(Player &player)
{
    using line_editor::TypedKind;
    for (;;) {
        const line_editor::Typed typed = line_editor::take(*player.editor);
        if (typed.kind == TypedKind::nothing || typed.kind == TypedKind::ended) return;
        const bool is_line = typed.kind == TypedKind::line;
        const std::string answer =
            scripts::console::answer(*player.game, (is_line ? "" : "?") + typed.text);
        if (!is_line)
            line_editor::complete(*player.editor, answer);
        else if (!answer.empty())
            std::printf("%s\n", answer.c_str());
        std::fflush(stdout);
    }
}

static void take_console(Player &player, uint64_t now_us)
{
    take_typed(player);
    for (const control::ControlRequest &request : control::receive(player.console, now_us)) {
        const std::string answer = scripts::console::answer(*player.game, request.text);
        control::answer(player.console, request.client, answer.empty() ? "" : answer + "\n");
    }
    control::send(player.console, now_us);
}

// Returns the exit status if the program is to end.
static std::optional<int> tick(Player &player, uint64_t begun_us, uint64_t now_us)
{
    Game &game = *player.game;
    Session *session = scripts::game::session(game);
    receive(session, player.socket->receive(), now_us);
    if (!player.is_ready && session_state(session) == State::open) say_ready(player, session);
    scripts::game::tick(game, now_us);
    take_orders(player, begun_us, now_us);
    show(player);
    take_console(player, now_us);
    session = scripts::game::session(game); // The script may have destroyed it.
    if (!session) return complain(exit_ended, "the script has destroyed its session");
    player.socket->send(send(session, clock_us()));
    const State present = session_state(session);
    if (present == State::left) return exit_left;
    if (present == State::refused_types)
        return complain(exit_ended, std::string(state_text(session)) + equal_tables);
    if (present > State::left) return complain(exit_ended, state_text(session));
    if (player.left_us > 0 && now_us - player.left_us > leave_us_max)
        return complain(exit_ended, "the others have not heard the goodbye");
    return {};
}

static int play(Player &player)
{
    const uint64_t begun_us = clock_us(), period_us = second_us / player.options.hz;
    for (uint64_t due_us = begun_us;; due_us += period_us) {
        const uint64_t now_us = clock_us();
        if (now_us < due_us) sleep_us(due_us - now_us);
        // Missed ticks are skipped, not made up for.
        due_us = std::max(due_us, now_us > period_us ? now_us - period_us : 0);
        if (const std::optional<int> status = tick(player, begun_us, clock_us())) return *status;
    }
}

int run(const Options &options)
{
    command_line::heed_signals();
#ifdef SIGHUP
    std::signal(SIGHUP, note_hangup);
#endif
    Player player = {.options = options};
    int status = begin(player);
    if (status == exit_left) status = play(player);
    line_editor::close(player.editor);
    control::close(player.console);
    if (player.socket) destroy_socket(player.socket);
    scripts::game::destroy(player.game);
    return status;
}

}
