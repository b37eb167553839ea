// The commands of the control socket. A request is a JSON object with "command" and the keys of
// that command; an answer has "ok", and "error" if "ok" is false.
#include "common/suggestion.h"
#include "host/host.h"
#include "host/http/board.h"
#include <algorithm>
#include <tern/diagnostics.hpp>
#include <tern/host.hpp>
#include <tern/ownership.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>

using namespace tern;

namespace dedicated {

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t objects_default = 100;
constexpr uint64_t objects_listed_max = 10'000;

struct Command {
    const char *name;
    std::vector<std::string_view> keys; // The keys that it takes beside "command".
    Json (*run)(Host &host, const Json &request);
};

Json refusal(const std::string &error)
{
    return {{"ok", false}, {"error", error}};
}

// --- Reading requests ---

std::string room_names(const Host &host)
{
    std::string names;
    for (const Room &room : host.rooms)
        names += (names.empty() ? "" : ", ") + room.options.name;
    return names;
}

// The room that the request names, or the only one. If there is none, sets `error` and returns
// null.
Room *named_room(Host &host, const Json &request, std::string &error)
{
    const auto name = request.find("room");
    if (name == request.end() && host.rooms.size() == 1) return &host.rooms[0];
    if (name == request.end() || !name->is_string()) {
        error = "expected \"room\", one of " + room_names(host);
        return nullptr;
    }
    Room *room = host::find_room(host, name->get<std::string>());
    if (!room)
        error = "there is no room " + log::clean(name->get<std::string>()) + ", only " +
                room_names(host);
    return room;
}

// Like named_room(), but accepts only a room that this peer hosts now: commands can change it.
Room *hosted_room(Host &host, const Json &request, std::string &error)
{
    Room *room = named_room(host, request, error);
    if (!room || room::is_host(*room)) return room;
    error = "room " + room->options.name + " is over, or leaving";
    return nullptr;
}

// The room that the request names, or all rooms; without rooms that have no session.
std::vector<Room *> wanted_rooms(Host &host, const Json &request, std::string &error)
{
    std::vector<Room *> rooms;
    if (!request.contains("room")) {
        for (Room &room : host.rooms)
            if (room.session) rooms.push_back(&room);
    } else if (Room *room = named_room(host, request, error)) {
        if (room->session) rooms.push_back(room);
    }
    return rooms;
}

// Leaves `out` alone if the key is absent. False if its value is not a whole number from 0 to max.
bool read_number(const Json &request, const char *key, uint64_t max, uint64_t &out)
{
    const auto found = request.find(key);
    if (found == request.end()) return true;
    if (!found->is_number_unsigned() || found->get<uint64_t>() > max) return false;
    out = found->get<uint64_t>();
    return true;
}

std::string object_text(ObjectId object)
{
    const auto number = static_cast<uint64_t>(object);
    return std::to_string(number >> 32) + "." + std::to_string(number & 0xffffffff);
}

// Parses "1.17", creator and serial; none if the text is anything else.
ObjectId parsed_object(const Json &request)
{
    const auto found = request.find("object");
    if (found == request.end() || !found->is_string()) return ObjectId::none;
    const std::string text = found->get<std::string>();
    unsigned long long creator = 0, serial = 0;
    int used = 0;
    const int count = std::sscanf(text.c_str(), "%5llu.%10llu%n", &creator, &serial, &used);
    const bool whole = count == 2 && static_cast<size_t>(used) == text.size();
    if (!whole || creator > UINT16_MAX || serial > UINT32_MAX) return ObjectId::none;
    return static_cast<ObjectId>(creator << 32 | serial);
}

bool is_member(const Session *session, PeerId peer)
{
    const std::span<const PeerId> members = other_peers(session);
    return std::binary_search(members.begin(), members.end(), peer);
}

// --- Commands that show ---

// Without "since_us" the answer lists no changes and no samples.
Json show_status(Host &host, const Json &request)
{
    StatusParts parts = {};
    parts.invites = true;
    parts.since_us = UINT64_MAX;
    if (!read_number(request, "since_us", UINT64_MAX, parts.since_us))
        return refusal("expected \"since_us\", a whole number");
    host::publish(host);
    return {{"ok", true}, {"status", Json::parse(status_json(*board::latest(host.board), parts))}};
}

Json show_peers(Host &host, const Json &request)
{
    std::string error;
    Json list = Json::array();
    for (const Room *room : wanted_rooms(host, request, error)) {
        std::vector<PeerId> all(other_peers(room->session).begin(),
                                other_peers(room->session).end());
        all.push_back(local_peer(room->session));
        std::sort(all.begin(), all.end());
        for (const PeerId peer : all) {
            const Stats one = peer_stats(room->session, peer);
            list.push_back({{"room", room->options.name},
                            {"peer", static_cast<unsigned>(peer)},
                            {"name", log::clean(peer_name(room->session, peer))},
                            {"self", peer == local_peer(room->session)},
                            {"rtt_us", one.rtt_us},
                            {"sent_bytes", one.sent_bytes},
                            {"received_bytes", one.received_bytes},
                            {"sent_datagrams", one.sent_datagrams},
                            {"lost_datagrams", one.lost_datagrams},
                            {"breaches", breach_count(one)},
                            {"bridged", one.bridged}});
        }
    }
    return error.empty() ? Json{{"ok", true}, {"peers", list}} : refusal(error);
}

struct Filter {
    uint64_t owner = 0; // 0: any.
    std::string type;   // Empty: any.
    uint64_t limit = objects_default;
    uint64_t total = 0; // How many objects match.
};

void list_objects(const Room &room, Filter &filter, Json &list)
{
    const std::vector<Type> &types = room.types->types;
    for (size_t type = 0; type < types.size(); ++type) {
        if (!filter.type.empty() && filter.type != types[type].name) continue;
        for (const ObjectId object : object_ids(room.session, static_cast<TypeId>(type))) {
            if (!exists(room.session, object)) continue;
            const auto owned_by = static_cast<uint64_t>(object_owner(room.session, object));
            if (filter.owner != 0 && filter.owner != owned_by) continue;
            filter.total += 1;
            if (list.size() >= filter.limit) continue;
            list.push_back({{"room", room.options.name},
                            {"object", object_text(object)},
                            {"type", types[type].name},
                            {"owner", owned_by}});
        }
    }
}

std::string type_error(const TypeTable &table, const std::string &name)
{
    std::vector<std::string_view> names;
    for (const Type &type : table.types)
        names.push_back(type.name);
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return "";
    return "there is no type " + log::clean(name) + suggestion::did_you_mean(name, names);
}

Json show_objects(Host &host, const Json &request)
{
    Filter filter;
    if (!read_number(request, "limit", objects_listed_max, filter.limit))
        return refusal("expected \"limit\" from 0 to " + std::to_string(objects_listed_max));
    if (!read_number(request, "owner", UINT16_MAX, filter.owner))
        return refusal("expected \"owner\", the number of a peer");
    if (const auto type = request.find("type"); type != request.end()) {
        if (!type->is_string()) return refusal("expected \"type\", the name of a type");
        filter.type = type->get<std::string>();
    }
    // Rooms with scripts have their own types: the name must be known in some room.
    std::string error;
    for (const Room &room : host.rooms)
        if (error = type_error(*room.types, filter.type); error.empty()) break;
    Json list = Json::array();
    for (const Room *room : wanted_rooms(host, request, error))
        list_objects(*room, filter, list);
    if (!error.empty()) return refusal(error);
    return {{"ok", true}, {"total", filter.total}, {"objects", list}};
}

Json show_misbehaviour(Host &host, const Json &request)
{
    std::string error;
    Json list = Json::array();
    for (const Room *room : wanted_rooms(host, request, error)) {
        for (const NotedBreach &one : room->breaches)
            list.push_back({{"room", room->options.name},
                            {"seconds_ago", (host::now_us(host) - one.time_us) / 1'000'000},
                            {"peer", static_cast<unsigned>(one.peer)},
                            {"name", log::clean(one.name)},
                            {"reason", breach_names[static_cast<size_t>(one.breach)]},
                            {"text", to_text(one.breach)},
                            {"reported_by", static_cast<unsigned>(one.reporter)},
                            {"is_in", is_member(room->session, one.peer)}});
    }
    return error.empty() ? Json{{"ok", true}, {"misbehaviour", list}} : refusal(error);
}

Json show_recordings(Host &host, const Json &request)
{
    std::string error;
    Json list = Json::array();
    for (const Room *room : wanted_rooms(host, request, error))
        if (!room->recording_path.empty())
            list.push_back({{"room", room->options.name},
                            {"file", room->recording_path},
                            {"bytes", room->recording_bytes},
                            {"going_on", room->recording != nullptr}});
    if (error.empty() && host.loaded.options.record_folder.empty())
        error = "nothing is recorded: the host has no record.folder";
    return error.empty() ? Json{{"ok", true}, {"recordings", list}} : refusal(error);
}

// --- Commands that change ---

Json transfer(Host &host, const Json &request)
{
    std::string error;
    const Room *room = hosted_room(host, request, error);
    if (!room) return refusal(error);
    const ObjectId object = parsed_object(request);
    if (object == ObjectId::none)
        return refusal("expected \"object\" as \"1.17\": its creator and serial");
    uint64_t number = 0;
    if (!read_number(request, "peer", UINT16_MAX, number) || number == 0)
        return refusal("expected \"peer\", the number of a peer");
    const auto peer = static_cast<PeerId>(number);
    if (!exists(room->session, object))
        return refusal("no object " + object_text(object) + " lives in room " + room->options.name);
    if (peer != local_peer(room->session) && !is_member(room->session, peer))
        return refusal("no peer " + std::to_string(number) + " is in room " + room->options.name);
    const PeerId before = object_owner(room->session, object);
    if (before != peer && !migrate(room->session, object, peer))
        return refusal("peer " + std::to_string(number) + " has not caught up yet");
    log::write(host.log, LogLevel::info, "transfer",
               {{"room", room->options.name},
                {"object", object_text(object)},
                {"from", static_cast<unsigned>(before)},
                {"to", number}});
    return {{"ok", true},
            {"object", object_text(object)},
            {"from", static_cast<unsigned>(before)},
            {"to", number}};
}

Json kick(Host &host, const Json &request)
{
    std::string error;
    const Room *room = hosted_room(host, request, error);
    if (!room) return refusal(error);
    uint64_t number = 0;
    if (!read_number(request, "peer", UINT16_MAX, number) || number == 0)
        return refusal("expected \"peer\", the number of a peer");
    const auto peer = static_cast<PeerId>(number);
    if (peer == local_peer(room->session)) return refusal("that is the host itself; see drain");
    if (!is_member(room->session, peer))
        return refusal("no peer " + std::to_string(number) + " is in room " + room->options.name);
    const auto reason = request.find("reason");
    if (reason != request.end() && !reason->is_string())
        return refusal("expected \"reason\", a text for the log");
    const std::string called = log::clean(peer_name(room->session, peer));
    remove(room->session, peer);
    LogFields fields = {{"room", room->options.name}, {"peer", number}, {"name", called}};
    if (reason != request.end()) fields["reason"] = log::clean(reason->get<std::string>());
    log::write(host.log, LogLevel::info, "peer_kicked", fields);
    return {{"ok", true}, {"peer", number}, {"name", called}};
}

Json drain(Host &host, const Json &request)
{
    if (!request.contains("room")) {
        host::drain(host, "control");
        return {{"ok", true}, {"rooms", host.rooms.size()}};
    }
    std::string error;
    Room *room = hosted_room(host, request, error);
    if (!room) return refusal(error);
    room::drain(*room, host.log);
    host::publish(host);
    return {{"ok", true}, {"room", room->options.name}};
}

Json reload(Host &host, const Json &)
{
    const host::Reload done = host::reload(host);
    std::string error;
    for (const std::string &problem : done.problems)
        error += (error.empty() ? "nothing was changed: " : "; ") + problem;
    if (!done.done) return refusal(error);
    return {{"ok", true}, {"changed", done.changed}, {"need_a_restart", done.refused}};
}

Json change_log_level(Host &host, const Json &request)
{
    const auto level = request.find("level");
    LogLevel wanted = {};
    const bool known = level != request.end() && level->is_string() && is_log_level(*level, wanted);
    if (!known) return refusal("expected \"level\", one of error, warning, info, debug");
    host.loaded.options.log_level = wanted;
    host::apply(host);
    return {{"ok", true}, {"level", text(wanted)}};
}

Json set_open(Host &host, const Json &request, bool open)
{
    std::string error;
    const Room *room = hosted_room(host, request, error);
    if (room && room->phase != RoomPhase::open)
        error = "room " + room->options.name + " is draining";
    if (!error.empty()) return refusal(error);
    for (RoomOptions &own : host.loaded.options.rooms)
        if (own.name == room->options.name) own.open = open;
    host::apply(host);
    host::publish(host);
    log::write(host.log, LogLevel::info, "room_admission",
               {{"room", room->options.name}, {"open", open}});
    return {{"ok", true}, {"room", room->options.name}, {"open", open}};
}

Json lua(Host &host, const Json &request)
{
    std::string error;
    Room *room = hosted_room(host, request, error);
    if (!room) return refusal(error);
    const auto text = request.find("text");
    if (text == request.end() || !text->is_string())
        return refusal("expected \"text\", a line for the script's console");
    return {{"ok", true}, {"text", script::console(*room, text->get<std::string>(), host.log)}};
}

Json open_room(Host &host, const Json &request)
{
    return set_open(host, request, true);
}

Json close_room(Host &host, const Json &request)
{
    return set_open(host, request, false);
}

const std::vector<Command> &commands()
{
    static const std::vector<Command> all = {
        {"status", {"since_us"}, show_status},
        {"peers", {"room"}, show_peers},
        {"objects", {"room", "owner", "type", "limit"}, show_objects},
        {"misbehaviour", {"room"}, show_misbehaviour},
        {"record", {"room"}, show_recordings},
        {"transfer", {"room", "object", "peer"}, transfer},
        {"kick", {"room", "peer", "reason"}, kick},
        {"drain", {"room"}, drain},
        {"reload", {}, reload},
        {"log-level", {"level"}, change_log_level},
        {"open", {"room"}, open_room},
        {"close", {"room"}, close_room},
        {"lua", {"room", "text"}, lua},
    };
    return all;
}

Json answered(Host &host, const Json &request)
{
    const bool is_request =
        request.is_object() && request.contains("command") && request["command"].is_string();
    if (!is_request)
        return refusal("a request is a line with a JSON object that has a \"command\"");
    const std::string name = request["command"].get<std::string>();
    std::vector<std::string_view> names;
    for (const Command &command : commands()) {
        names.push_back(command.name);
        if (name != command.name) continue;
        for (const auto &[key, value] : request.items())
            if (key != "command" &&
                std::find(command.keys.begin(), command.keys.end(), key) == command.keys.end())
                return refusal(name + " takes no \"" + log::clean(key) + "\"" +
                               suggestion::did_you_mean(key, command.keys));
        return command.run(host, request);
    }
    return refusal("unknown command " + log::clean(name) + suggestion::did_you_mean(name, names));
}

}

std::string command_answer(Host &host, const std::string &line)
{
    const Json request = Json::parse(line, nullptr, false);
    return answered(host, request).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}
