// The functions that announce and find sessions on the local network.
#include "lua_bindings/binding.h"
#include "tern/diagnostics.hpp"
#include "tern/invites.hpp"

namespace tern::lua {

static const char *const announcer_keys[] = {"game", "name", "address", "open"};
static const char *const finder_keys[] = {"game", "port", "session"};
static const char *const fit_names[] = {"fits", "full", "other_limits", "other_types",
                                        "other_version"};

// --- Announcers ---

static Announcer *announcer(const Arguments &a)
{
    const auto &box = *static_cast<AnnouncerBox *>(handle(a, 1, Handle::announcer));
    if (!box.announcer) fail(a, "argument 1 (announcer): it has been destroyed");
    return box.announcer;
}

static int make_announcer(lua_State *L)
{
    const Arguments a = {L, "make_announcer"};
    const Table t = table(a, 1, "options");
    check_keys(t, words(announcer_keys));
    lua_newtable(L);
    const int holder = lua_gettop(L);
    Announcement announcement = {};
    announcement.game = kept_text(t, "game", holder, "");
    announcement.name = kept_text(t, "name", holder, "");
    announcement.open = boolean_option(t, "open", false);
    const char *address = kept_text(t, "address", holder, "");
    const ParsedAddress parsed = parse_address(address);
    if (parsed.error || parsed.address.port == 0)
        fail(a, "address: expected the game socket's local_address(), got \"%.60s\"", address);
    announcement.address = parsed.address;
    auto *box = static_cast<AnnouncerBox *>(push_userdata(L, sizeof(AnnouncerBox)));
    *box = {};
    push_anchor(L, static_cast<int>(Handle::announcer));
    lua_setmetatable(L, -2);
    box->announcer = tern::make_announcer(announcement);
    return 1;
}

static void destroy(AnnouncerBox &box)
{
    if (box.announcer) tern::destroy_announcer(box.announcer);
    box = {};
}

static int destroy_announcer(lua_State *L)
{
    destroy(*static_cast<AnnouncerBox *>(handle({L, "destroy_announcer"}, 1, Handle::announcer)));
    return 0;
}

int collect_announcer(lua_State *L)
{
    if (auto *box = static_cast<AnnouncerBox *>(find_handle(L, 1, Handle::announcer)))
        destroy(*box);
    return 0;
}

static int announce(lua_State *L)
{
    const Arguments a = {L, "announce"};
    Announcer *teller = announcer(a);
    auto &box = *static_cast<SessionBox *>(handle(a, 2, Handle::session));
    if (!box.session) fail(a, "argument 2 (session): it has been destroyed");
    Socket *by = socket(a, 3);
    auto &teller_box = *static_cast<AnnouncerBox *>(handle(a, 1, Handle::announcer));
    const uint64_t now_us = time_us(a, 4, teller_box.now_us);
    by->send(tern::announce(teller, box.session, by->receive(), now_us));
    return 0;
}

// --- Finders ---

static Finder *finder(const Arguments &a)
{
    const auto &box = *static_cast<FinderBox *>(handle(a, 1, Handle::finder));
    if (!box.finder) fail(a, "argument 1 (finder): it has been destroyed");
    return box.finder;
}

static int make_finder(lua_State *L)
{
    const Arguments a = {L, "make_finder"};
    const Table t = table(a, 1, "options");
    check_keys(t, words(finder_keys));
    lua_newtable(L);
    FinderConfig config = {};
    config.game = kept_text(t, "game", lua_gettop(L), "");
    config.port = static_cast<uint16_t>(whole_option(t, "port", discovery_port, 1, UINT16_MAX));
    auto *made = static_cast<FinderBox *>(push_userdata(L, sizeof(FinderBox)));
    *made = {};
    push_anchor(L, static_cast<int>(Handle::finder));
    lua_setmetatable(L, -2);
    if (push_option(t, "session")) {
        const auto *box = static_cast<SessionBox *>(find_handle(L, -1, Handle::session));
        if (!box || !box->session)
            refuse_option(t, "session", -1, "the session that would join, not destroyed");
        config.config = &session_config(box->session);
        lua_pop(L, 1);
    }
    made->finder = tern::make_finder(config);
    return 1;
}

static void destroy(FinderBox &box)
{
    if (box.finder) tern::destroy_finder(box.finder);
    box = {};
}

static int destroy_finder(lua_State *L)
{
    destroy(*static_cast<FinderBox *>(handle({L, "destroy_finder"}, 1, Handle::finder)));
    return 0;
}

int collect_finder(lua_State *L)
{
    if (auto *box = static_cast<FinderBox *>(find_handle(L, 1, Handle::finder))) destroy(*box);
    return 0;
}

static int find(lua_State *L)
{
    const Arguments a = {L, "find"};
    Finder *looker = finder(a);
    Socket *by = socket(a, 2);
    auto &box = *static_cast<FinderBox *>(handle(a, 1, Handle::finder));
    const uint64_t now_us = time_us(a, 3, box.now_us);
    by->send(tern::find(looker, by->receive(), now_us));
    return 0;
}

static void push_found(lua_State *L, const FoundSession found) // Takes a copy: see binding.h.
{
    lua_createtable(L, 0, 10);
    lua_pushstring(L, found.game);
    lua_setfield(L, -2, "game");
    lua_pushstring(L, found.name);
    lua_setfield(L, -2, "name");
    fill(L, "players", found.players);
    fill(L, "peers_max", found.peers_max);
    lua_pushstring(L, fit_names[static_cast<int>(found.fit)]);
    lua_setfield(L, -2, "fit");
    lua_pushstring(L, tern::to_text(found.fit));
    lua_setfield(L, -2, "fit_text");
    lua_pushboolean(L, found.open);
    lua_setfield(L, -2, "open");
    push_hex(L, found.invite.session);
    lua_setfield(L, -2, "session");
    if (found.open) {
        lua_pushstring(L, to_text(found.invite).text);
        lua_setfield(L, -2, "invite");
    }
    fill(L, "last_seen_us", found.last_seen_us);
}

static int found(lua_State *L)
{
    const Arguments a = {L, "found"};
    finder(a);
    lua_newtable(L);
    for (size_t i = 0; i < tern::found_sessions(finder(a)).size(); ++i) {
        push_found(L, tern::found_sessions(finder(a))[i]);
        lua_rawseti(L, -2, static_cast<int>(i + 1));
    }
    return 1;
}

// Takes an announcer or a finder.
static int bad_datagrams(lua_State *L)
{
    const Arguments a = {L, "bad_datagrams"};
    if (find_handle(L, 1, Handle::announcer))
        push_count(L, tern::bad_datagrams(announcer(a)));
    else if (find_handle(L, 1, Handle::finder))
        push_count(L, tern::bad_datagrams(finder(a)));
    else
        refuse(a, 1, "of", "an announcer or a finder");
    return 1;
}

const luaL_Reg discovery_functions[] = {{"make_announcer", make_announcer},
                                        {"destroy_announcer", destroy_announcer},
                                        {"announce", announce},
                                        {"make_finder", make_finder},
                                        {"destroy_finder", destroy_finder},
                                        {"find", find},
                                        {"found", found},
                                        {"bad_datagrams", bad_datagrams},
                                        {nullptr, nullptr}};

}
