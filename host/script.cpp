#include "host/script.h"
#include "host/room.h"
#include <tern/diagnostics.hpp>
#include <tern/tern.hpp>

#ifdef TERN_HAVE_LUA
#include "scripts/console.h"
#include "scripts/game.h"

namespace dedicated::script {

using namespace tern;
using scripts::NoteKind;

static void log_notes(Room &room, const Log &log)
{
    for (const scripts::Note &note : room.game->notes) {
        const bool is_bad = note.kind == NoteKind::error || note.kind == NoteKind::reload_refused;
        std::string what = note.text;
        if (what.ends_with('\n')) what.pop_back();
        log::write(log, is_bad ? LogLevel::error : LogLevel::info, text(note.kind),
                   {{"room", room.options.name}, {"text", what}});
    }
    room.game->notes.clear();
}

static std::vector<scripts::Setting> settings_of(const Room &room)
{
    const RoomOptions &own = room.options;
    std::vector<scripts::Setting> all = {{"admission", "ask_game"},
                                         {"name", room.host_name},
                                         {"timeout_ms", std::to_string(own.timeout_ms), true}};
    all.push_back(
        {"send_bytes_per_second_max", std::to_string(own.send_bytes_per_second_max), true});
    all.push_back(
        {"forward_bytes_per_second_max", std::to_string(own.forward_bytes_per_second_max), true});
    if (room.recording)
        all.push_back({"recording_bytes_max", std::to_string(recording_bytes_max), true});
    const std::vector<scripts::Setting> fallbacks = {
        {"topology", text(own.topology)},
        {"quorum", text(own.quorum)},
        {"peers_max", std::to_string(own.peers_max), true}};
    for (const scripts::Setting &setting : fallbacks)
        if (!scripts::game::has_option(*room.game, setting.key)) all.push_back(setting);
    return all;
}

// Copies to the room what the script has decided: types, topology, quorum, peers_max.
static void take_config(Room &room)
{
    const Config &config = session_config(session(room));
    auto table = std::make_shared<TypeTable>();
    table->types.assign(config.types.begin(), config.types.end());
    table->at_start.assign(config.types.size(), 0); // The script creates the first objects.
    room.types = table;
    room.options.topology = config.topology;
    room.options.quorum = config.quorum;
    room.options.peers_max = config.peers_max;
}

std::string load(Room &room, const Log &log)
{
    if (room.options.script.empty()) return "";
    const RoomOptions &own = room.options;
    const auto trust = own.script_sandboxed ? scripts::Trust::sandboxed : scripts::Trust::trusted;
    const scripts::Limits limits =
        scripts::limits(trust, own.script_memory_mib, own.script_instructions);
    const scripts::MadeGame made = scripts::game::make(own.script, trust, limits);
    if (!made.game) return made.error;
    room.game = made.game;
    const std::string error = scripts::game::make_session(*room.game, settings_of(room));
    log_notes(room, log);
    if (!error.empty()) return error;
    take_config(room);
    return "";
}

Session *session(const Room &room)
{
    return room.game ? scripts::game::session(*room.game) : nullptr;
}

void tick(Room &room, const Log &log, uint64_t now_us)
{
    if (!room.game) return;
    scripts::game::tick(*room.game, now_us);
    log_notes(room, log);
}

void stop(Room &room, const Log &log)
{
    if (!room.game) return;
    scripts::game::stop(*room.game);
    log_notes(room, log);
}

void reload(Room &room, const Log &log)
{
    if (!room.game) return;
    scripts::game::reload(*room.game);
    log_notes(room, log);
}

void close(Room &room)
{
    if (!room.game) return;
    scripts::game::destroy(room.game);
    room.game = nullptr;
    room.session = nullptr;
    room.types = std::make_shared<TypeTable>(); // The types belonged to the script.
}

ScriptStatus status(const Room &room)
{
    if (!room.game) return {};
    const scripts::Game &game = *room.game;
    return {room.options.script, game.is_frozen,       game.last_error,         game.errors,
            game.reloads,        game.refused_reloads, game.state->memory_bytes};
}

std::string console(Room &room, const std::string &line, const Log &log)
{
    if (!room.game) return "room " + room.options.name + " has no script";
    const std::string answer = scripts::console::answer(*room.game, line);
    log_notes(room, log);
    return answer;
}

}

#else

namespace dedicated::script {

std::string load(Room &room, const Log &)
{
    return room.options.script.empty() ? "" : "this tern-host was built without Lua";
}
tern::Session *session(const Room &)
{
    return nullptr;
}
void tick(Room &, const Log &, uint64_t) {}
void stop(Room &, const Log &) {}
void reload(Room &, const Log &) {}
void close(Room &) {}
ScriptStatus status(const Room &)
{
    return {};
}
std::string console(Room &, const std::string &, const Log &)
{
    return "this tern-host was built without Lua";
}

}

#endif
