// Tests of programs/common/process.h: lines to and from another program.
#include "common/process.h"
#include "tern/io.hpp"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using process::Process;

// All lines until the program has ended.
std::vector<std::string> lines_of(Process &process)
{
    std::vector<std::string> all;
    for (bool ended = false; !ended; tern::sleep_us(1000)) {
        ended = process::has_ended(process);
        for (const std::string &line : process::receive(process))
            all.push_back(line);
    }
    return all;
}

TEST(Process, LinesGoBothWaysUntilItsInputIsClosed)
{
    Process process;
    ASSERT_EQ(process::start(process, {"cat"}), "");
    process::send(process, "one");
    process::send(process, std::string(100'000, 'x')); // More than a pipe holds.
    process::close_input(process);
    process::send(process, "never");
    EXPECT_EQ(lines_of(process), (std::vector<std::string>{"one", std::string(100'000, 'x')}));
    EXPECT_EQ(process.failure, "");
    EXPECT_GT(process.resident_kb, 0u);
}

TEST(Process, AFailureIsDescribed)
{
    Process process;
    ASSERT_EQ(process::start(process, {"sh", "-c", "echo words; exit 3"}), "");
    EXPECT_EQ(lines_of(process), std::vector<std::string>{"words"});
    EXPECT_EQ(process.failure, "ended with status 3");
    ASSERT_EQ(process::start(process, {"/no/such/program"}), "");
    process::wait_for_end(process);
    EXPECT_EQ(process.failure, "not been found or cannot be run (status 127)");
}

TEST(Process, OneThatIsKilledGetsNothingMore)
{
    Process process;
    ASSERT_EQ(process::start(process, {"sleep", "60"}), "");
    EXPECT_FALSE(process::has_ended(process));
    process::kill(process);
    process::wait_for_end(process);
    EXPECT_EQ(process.failure, "ended by signal 9");
    process::send(process, "nobody reads this");
    EXPECT_TRUE(process::has_ended(process));
    EXPECT_TRUE(process::receive(process).empty());
}

}
