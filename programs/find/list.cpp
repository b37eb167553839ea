#include "list.h"
#include "tern/invites.hpp"
#include "tern/tern.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace tern;

namespace find_list {

// The length of the UTF-8 character at `at`; 0 if it is invalid or a control character.
static size_t character_bytes(const char *at)
{
    const auto byte = [at](size_t i) { return static_cast<uint8_t>(at[i]); };
    if (byte(0) >= 0x20 && byte(0) < 0x7f) return 1;
    const size_t size = byte(0) >= 0xf0 && byte(0) < 0xf5   ? 4
                        : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                        : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                                                            : 0;
    for (size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0; // Also at the final zero.
    const bool is_control = size == 2 && byte(0) == 0xc2 && byte(1) < 0xa0;
    return is_control ? 0 : size;
}

std::string printable(const char *name)
{
    std::string out;
    while (*name) {
        const size_t size = character_bytes(name);
        if (size == 0)
            out += '?';
        else
            out.append(name, size);
        name += std::max<size_t>(size, 1);
    }
    return out;
}

static const char *status(const FoundSession &session)
{
    switch (session.fit) {
    case Fit::fits: return session.open ? "open" : "by invite";
    case Fit::full: return "full";
    case Fit::other_limits: return "other limits";
    case Fit::other_types: return "other types";
    case Fit::other_version: return "other version";
    }
    return "";
}

static std::string padded(std::string text, size_t columns)
{
    const auto continues = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; };
    const auto width = text.size() - static_cast<size_t>(std::ranges::count_if(text, continues));
    text.append(width < columns ? columns - width : 0, ' ');
    return text + "  ";
}

std::string table(std::span<const FoundSession> sessions)
{
    std::string out = padded("NAME", 24) + padded("GAME", 16) + padded("PLAYERS", 7) +
                      padded("STATUS", 13) + "ADDRESS\n";
    for (const FoundSession &session : sessions) {
        const std::string players =
            std::to_string(session.players) + "/" + std::to_string(session.peers_max);
        out += padded(printable(session.name), 24) + padded(printable(session.game), 16) +
               padded(players, 7) + padded(status(session), 13);
        out += session.open ? to_text(session.invite.addresses[0]).text : "-";
        out += '\n';
    }
    return out;
}

static std::string hexadecimal(uint64_t value)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

std::string json(std::span<const FoundSession> sessions)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const FoundSession &session : sessions) {
        nlohmann::ordered_json one = {{"session", hexadecimal(session.invite.session)},
                                      {"name", printable(session.name)},
                                      {"game", printable(session.game)},
                                      {"players", session.players},
                                      {"peers_max", session.peers_max},
                                      {"status", status(session)},
                                      {"types", hexadecimal(session.types_digest)}};
        one["addresses"] = nlohmann::ordered_json::array();
        for (size_t i = 0; i < session.invite.address_count; ++i)
            one["addresses"].push_back(to_text(session.invite.addresses[i]).text);
        if (session.open) one["invite"] = to_text(session.invite).text;
        list.push_back(one);
    }
    const nlohmann::ordered_json all = {{"sessions", list}};
    return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}
