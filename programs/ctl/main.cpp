// tern-ctl: controls a running tern-host. See --help.
#include "client.h"
#include "common/command_line.h"
#include "common/line_editor.h"
#include "common/option_checks.h"
#include "common/suggestion.h"
#include "tables.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <unistd.h>

using ctl::Json;

namespace {

enum ExitStatus : int { exit_done = 0, exit_refused = 1, exit_usage = 2, exit_no_host = 3 };

struct Wish {
    std::string socket = ctl::default_socket();
    bool json = false, watch = false;
    std::string room, type, object, level, save_file, text, reason;
    uint64_t owner = 0, limit = 100, peer = 0;
};

void print(const std::string &text)
{
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

int refused(const std::string &why)
{
    std::fprintf(stderr, "tern-ctl: %s\n", why.c_str());
    return exit_refused;
}

// --- Requests ---

Json request_of(const std::string &command, const Wish &wish)
{
    Json request = {{"command", command == "invite" ? "status" : command}};
    if (!wish.room.empty() && command != "invite") request["room"] = wish.room;
    if (command == "objects") {
        request["limit"] = wish.limit;
        if (wish.owner > 0) request["owner"] = wish.owner;
        if (!wish.type.empty()) request["type"] = wish.type;
    }
    if (command == "transfer") request["object"] = wish.object;
    if (command == "transfer" || command == "kick") request["peer"] = wish.peer;
    if (command == "kick" && !wish.reason.empty()) request["reason"] = wish.reason;
    if (command == "lua") request["text"] = wish.text;
    if (command == "log-level") request["level"] = wish.level;
    return request;
}

// --- Commands with several requests or with files ---

// Shows the status each second, until a signal or until the host ends.
int watch(int descriptor, const Wish &wish)
{
    command_line::heed_signals();
    const bool screen = isatty(STDOUT_FILENO) != 0 && !wish.json;
    Json before = Json::object();
    while (!command_line::ended()) {
        const ctl::Answer answer = ctl::ask(descriptor, request_of("status", wish));
        if (!answer.error.empty()) return command_line::ended() ? exit_done : exit_no_host;
        const Json status = ctl::status_of(answer.body, "");
        const std::string text =
            wish.json ? answer.body.dump() + "\n" : ctl::status_text(status, before);
        print((screen ? "\x1b[H\x1b[2J" : "") + text);
        before = status;
        const timespec second = {1, 0};
        nanosleep(&second, nullptr); // A signal ends the pause early.
    }
    return exit_done;
}

// Copies the first `bytes` of a recording, which may still grow. Returns an empty string, or the
// error.
std::string copy(const std::string &from, const std::string &to, uint64_t bytes)
{
    const int in = open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (in < 0) return from + ": " + std::strerror(errno);
    const int out = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    std::string error = out < 0 ? to + ": " + std::strerror(errno) : "";
    std::vector<char> block(1 << 20);
    while (error.empty() && bytes > 0) {
        const ssize_t size = read(in, block.data(), std::min<uint64_t>(block.size(), bytes));
        if (size <= 0)
            error = from + " is shorter than the host said";
        else if (write(out, block.data(), static_cast<size_t>(size)) != size)
            error = to + ": " + std::strerror(errno);
        else
            bytes -= static_cast<uint64_t>(size);
    }
    close(in);
    if (out >= 0 && close(out) != 0 && error.empty()) error = to + ": " + std::strerror(errno);
    if (out >= 0 && !error.empty()) unlink(to.c_str());
    return error;
}

int save_recording(const std::vector<ctl::ListedRecording> &recordings, const std::string &file)
{
    if (recordings.size() != 1)
        return refused("there are " + std::to_string(recordings.size()) +
                       " recordings: say which by --room");
    const uint64_t bytes = recordings[0].bytes;
    const std::string error = copy(recordings[0].file, file, bytes);
    if (!error.empty()) return refused(error);
    print(file + ": " + ctl::bytes_text(static_cast<double>(bytes)) +
          ", which hold the keys of the room\n");
    return exit_done;
}

// Opens a new connection for each line: the host closes idle ones while the user thinks.
ctl::Answer ask_lua(const Wish &wish)
{
    const int descriptor = ctl::connect_to(wish.socket);
    if (descriptor < 0) return {{}, std::strerror(errno)};
    const ctl::Answer answer = ctl::ask(descriptor, request_of("lua", wish));
    close(descriptor);
    return answer;
}

void wait_for_input()
{
    pollfd waiting = {STDIN_FILENO, POLLIN, 0};
    poll(&waiting, 1, 1000);
    // In the background poll() may report input that is for another process: do not spin.
    const timespec moment = {0, 5'000'000};
    nanosleep(&moment, nullptr);
}

// Runs the lines of stdin on the script's console, until the end of input.
int talk(line_editor::LineEditor &editor, Wish wish)
{
    using line_editor::TypedKind;
    const bool is_terminal = isatty(STDIN_FILENO) != 0;
    const char *prompt = is_terminal && !line_editor::edits(editor) ? "> " : "";
    if (is_terminal) print("The console of the script; :help, ?prefix, end by Ctrl-D\n");
    for (print(prompt);;) {
        const line_editor::Typed typed = line_editor::take(editor);
        if (typed.kind == TypedKind::ended) return exit_done;
        if (typed.kind == TypedKind::nothing) {
            wait_for_input();
            continue;
        }
        const bool is_line = typed.kind == TypedKind::line;
        wish.text = (is_line ? "" : "?") + typed.text;
        const ctl::Answer answer = ask_lua(wish);
        if (!answer.error.empty()) return exit_no_host;
        if (!answer.body["ok"].get<bool>()) return refused(ctl::refusal_text(answer.body));
        if (is_line)
            print(ctl::answer_text("lua", answer.body) + prompt);
        else
            line_editor::complete(editor, ctl::console_text(answer.body));
    }
}

int run(const std::string &command, const Wish &wish)
{
    const int descriptor = ctl::connect_to(wish.socket);
    if (descriptor < 0) {
        const bool absent = errno == ENOENT || errno == ECONNREFUSED;
        std::fprintf(stderr, "tern-ctl: %s at %s: %s\n",
                     absent ? "no host" : "the host cannot be asked", wish.socket.c_str(),
                     std::strerror(errno));
        return exit_no_host;
    }
    if (wish.watch) return watch(descriptor, wish);
    if (command == "lua" && wish.text.empty()) {
        close(descriptor);
        line_editor::LineEditor *editor = line_editor::open("tern-ctl", "> ");
        const int status = talk(*editor, wish);
        line_editor::close(editor);
        return status;
    }
    const ctl::Answer answer = ctl::ask(descriptor, request_of(command, wish));
    close(descriptor);
    if (!answer.error.empty()) {
        std::fprintf(stderr, "tern-ctl: %s: %s\n", wish.socket.c_str(), answer.error.c_str());
        return exit_no_host;
    }
    const bool ok = answer.body["ok"].get<bool>();
    if (ok && command == "invite") {
        const Json wanted = ctl::status_of(answer.body, wish.room);
        if (wanted["rooms"].empty()) return refused("there is no room " + wish.room);
        print(wish.json ? answer.body.dump() + "\n" : ctl::invites_text(wanted));
        return exit_done;
    }
    if (wish.json) print(answer.body.dump() + "\n");
    if (!ok) return refused(ctl::refusal_text(answer.body));
    if (!wish.save_file.empty())
        return save_recording(ctl::listed_recordings(answer.body), wish.save_file);
    if (!wish.json) print(ctl::answer_text(command, answer.body));
    return exit_done;
}

// --- The command line ---

CLI::App *add(CLI::App &app, const char *name, const char *help)
{
    CLI::App *command = app.add_subcommand(name, help);
    command->fallthrough(); // Allows --json and --socket after the command.
    return command;
}

void add_commands(CLI::App &app, Wish &wish)
{
    const auto room = [&wish](CLI::App *command) {
        command->add_option("--room", wish.room, "Of this room; else of all, or the only one");
    };
    const auto one = [&wish](CLI::App *command) {
        command->add_option("ROOM,--room", wish.room, "This room");
    };
    const auto peer = option_checks::whole_number(1, 65'534);
    CLI::App *status = add(app, "status", "The host and its rooms");
    status->add_flag("--watch", wish.watch, "Again each second");
    room(add(app, "invite", "The invites of the rooms, or of the only one: who has one can join"));
    room(add(app, "peers", "Who is in the rooms"));
    CLI::App *objects = add(app, "objects", "Which objects live, and who owns them");
    room(objects);
    objects->add_option("--owner", wish.owner, "Only this peer's")->check(peer);
    objects->add_option("--type", wish.type, "Only of this type");
    objects->add_option("--limit", wish.limit, "So many at most")
        ->check(option_checks::whole_number(0, 10'000))
        ->capture_default_str();
    CLI::App *transfer = add(app, "transfer", "Give an object to a peer");
    room(transfer);
    transfer->add_option("OBJECT", wish.object, "As 1.17: creator and serial")->required();
    transfer->add_option("PEER", wish.peer, "Its number")->required()->check(peer);
    CLI::App *kick = add(app, "kick", "Put a peer out, for as long as the room is open");
    room(kick);
    kick->add_option("PEER", wish.peer, "Its number")->required()->check(peer);
    kick->add_option("--reason", wish.reason, "For the log of the host");
    room(add(app, "misbehaviour", "Who broke the rules of the protocol, and how"));
    one(add(app, "drain", "Give all objects to the peers and end: the host, or one room"));
    CLI::App *record = add(app, "record", "Where the recordings lie, and how long they are");
    room(record);
    record->add_subcommand("save", "Copy what there is so far")
        ->fallthrough()
        ->add_option("FILE", wish.save_file, "A new file")
        ->required();
    add(app, "reload", "Read the configuration again, as SIGHUP does");
    add(app, "log-level", "Change what is logged, until the next reload")
        ->add_option("LEVEL", wish.level)
        ->required()
        ->check(option_checks::one_of("error, warning, info, debug"));
    CLI::App *lua =
        add(app, "lua", "A line for the console of a room's script; none: those of stdin");
    room(lua);
    lua->add_option("LINE", wish.text, "As 'game.state', ':stats', '?tern.'");
    one(add(app, "open", "Let newcomers into a room, until the next reload"));
    one(add(app, "close", "Let no newcomers in, until the next reload"));
}

int unknown_command(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands({}))
        names.push_back(command->get_name());
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::vector<std::string> words = app.remaining();
    const std::string what =
        words.empty() ? "expected a command"
                      : "unknown command " + words[0] + suggestion::did_you_mean(words[0], views);
    std::fprintf(stderr, "tern-ctl: %s\nTry tern-ctl --help.\n", what.c_str());
    return exit_usage;
}

}

int main(int argc, char **argv)
{
    Wish wish;
    CLI::App app("Asks and tells a running tern-host, through its control socket.", "tern-ctl");
    app.footer("Exit status: 0 done, 1 refused (stderr says why), 2 bad usage, 3 no host there,\n"
               "or one that does not answer.\n"
               "\n"
               "Examples:\n"
               "  tern-ctl status --watch\n"
               "  tern-ctl objects --owner 3 --limit 20\n"
               "  tern-ctl transfer 1.17 3\n"
               "  tern-ctl --json peers | jq '.peers[].name'\n"
               "  tern-ctl record save trouble.rec   (tern-sim replays it; it holds keys)");
    app.add_option("--socket", wish.socket,
                   "Of the host; TERN_HOST_CONTROL_SOCKET, else tern-host.sock in "
                   "$XDG_RUNTIME_DIR, else /run/tern/host.sock")
        ->capture_default_str();
    app.add_flag("--json", wish.json, "Print the answer as it came: a line of JSON");
    add_commands(app, wish);
    app.allow_extras();
    if (const auto status = command_line::read(app, argc, argv)) return *status;
    const std::vector<CLI::App *> given = app.get_subcommands();
    if (given.empty() || !app.remaining().empty()) return unknown_command(app);
    return run(given[0]->get_name(), wish);
}
