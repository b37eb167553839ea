#include "programs/find/list.h"
#include "tern/invites.hpp"
#include "tern/tern.hpp"
#include <cstdio>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tern;

static FoundSession some(const char *name)
{
    FoundSession found = {};
    std::snprintf(found.name, sizeof found.name, "%s", name);
    std::snprintf(found.game, sizeof found.game, "ships");
    found.players = 3;
    found.peers_max = 16;
    found.types_digest = 0xabc;
    found.open = true;
    found.invite.session = 0x1234;
    found.invite.address_count = 1;
    found.invite.addresses[0] = parse_address("192.0.2.1:7777").address;
    return found;
}

TEST(FindList, NamesFromTheNetworkCannotMoveTheCursor)
{
    EXPECT_EQ(find_list::printable("Ada's 3rd, \xc3\xbc \xe2\x82\xac \xf0\x9f\x9a\x80"),
              "Ada's 3rd, \xc3\xbc \xe2\x82\xac \xf0\x9f\x9a\x80");
    EXPECT_EQ(find_list::printable("a\x1b[2Jb\rc\x7f\n"), "a?[2Jb?c??");
    EXPECT_EQ(find_list::printable("\xc2\x9b"
                                   "2J"),
              "??2J"); // CSI as one C1 character.
    EXPECT_EQ(find_list::printable("\x9b\xff\xc0\xaf"), "????");
    EXPECT_EQ(find_list::printable("cut \xe2\x82"), "cut ??");
}

TEST(FindList, TheTableHasALineForEachSessionAndItsColumnsStandBelowEachOther)
{
    FoundSession sessions[] = {some("Ada's"), some("J\xc3\xbcrg"), some("old")};
    sessions[1].open = false;
    sessions[1].invite = {};
    sessions[2].fit = Fit::other_version;
    EXPECT_EQ(
        find_list::table(sessions),
        "NAME                      GAME              PLAYERS  STATUS         ADDRESS\n"
        "Ada's                     ships             3/16     open           192.0.2.1:7777\n"
        "J\xc3\xbcrg                      ships             3/16     by invite      -\n"
        "old                       ships             3/16     other version  192.0.2.1:7777\n");
}

TEST(FindList, TheLineOfJsonHasTheInviteOfWhatIsOpenAlone)
{
    FoundSession sessions[] = {some("Ada \"the first\""), some("\xe0\x80\x80")};
    sessions[1].open = false;
    sessions[1].fit = Fit::full;
    sessions[1].invite.address_count = 0;
    const std::string line = find_list::json(sessions);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const nlohmann::json all = nlohmann::json::parse(line);
    ASSERT_EQ(all["sessions"].size(), 2u);
    const nlohmann::json &open = all["sessions"][0], &closed = all["sessions"][1];
    EXPECT_EQ(open["name"], "Ada \"the first\"");
    EXPECT_EQ(open["status"], "open");
    EXPECT_EQ(open["session"], "0000000000001234");
    EXPECT_EQ(open["types"], "0000000000000abc");
    EXPECT_EQ(open["addresses"][0], "192.0.2.1:7777");
    EXPECT_EQ(parse_invite(open["invite"].get<std::string>().c_str()).error, nullptr);
    EXPECT_EQ(closed["status"], "full");
    EXPECT_FALSE(closed.contains("invite"));
    EXPECT_EQ(find_list::json({}), "{\"sessions\":[]}");
}
