#include "host/log.h"
#include <gtest/gtest.h>

using namespace dedicated;

namespace {

constexpr uint64_t moment_us = 1'795'305'434'123'456; // 2026-11-21T23:57:14.123Z

std::string line(LogFormat format, const LogFields &fields)
{
    return log::line({format, LogLevel::info}, LogLevel::warning, "peer_joined", fields, moment_us);
}

}

TEST(LogTest, AnEventIsALineOfText)
{
    EXPECT_EQ(line(LogFormat::text, {{"room", "main"}, {"peer", 3}, {"name", "a \"b\""}}),
              "2026-11-21T23:57:14.123Z warning peer_joined room=main peer=3 "
              "name=\"a \\\"b\\\"\"\n");
    EXPECT_EQ(line(LogFormat::text, {{"name", ""}, {"of", "a=b"}, {"list", {"x", "y"}}}),
              "2026-11-21T23:57:14.123Z warning peer_joined name=\"\" of=\"a=b\" "
              "list=[\"x\",\"y\"]\n");
}

TEST(LogTest, AnEventIsALineOfJson)
{
    EXPECT_EQ(line(LogFormat::json, {{"room", "main"}, {"peer", 3}, {"open", true}}),
              "{\"time\":\"2026-11-21T23:57:14.123Z\",\"level\":\"warning\",\"event\":"
              "\"peer_joined\",\"room\":\"main\",\"peer\":3,\"open\":true}\n");
    const std::string bad = line(LogFormat::json, {{"name", "\xff\n\x1b"}});
    EXPECT_EQ(nlohmann::json::parse(bad)["name"], "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(LogTest, WhatOthersSayIsCleaned)
{
    const std::string bad = "\xef\xbf\xbd";
    EXPECT_EQ(log::clean("Zo\u00eb \u6f22\U0001f600~"), "Zo\u00eb \u6f22\U0001f600~");
    for (const char *one : {"\n", "\x1b", "\x7f", "\u0085", "\u009b", "\u2028", "\u202e", "\u2066",
                            "\u200f", "\xff", "\x80", "\xc3"})
        EXPECT_EQ(log::clean(one), bad) << one;
    // Invalid UTF-8: overlong forms, a surrogate, a code point beyond Unicode, a truncated
    // sequence.
    EXPECT_EQ(log::clean("\xc0\xaf"), bad + bad);
    EXPECT_EQ(log::clean("\xe0\x80\xaf"), bad + bad + bad);
    EXPECT_EQ(log::clean("\xed\xa0\x80"), bad + bad + bad);
    EXPECT_EQ(log::clean("\xf4\x90\x80\x80"), bad + bad + bad + bad);
    EXPECT_EQ(log::clean("a\xe6\xbc"), "a" + bad + bad);
    EXPECT_EQ(log::clean(""), "");
}
