#include "common/crash_report.h"
#include "tern/handlers.hpp"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

namespace {

std::string text_of(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CrashReport, CompletesTheRecordingAndNamesAllThatIsKnown)
{
    char folder[] = "/tmp/tern-report-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    const std::string path = std::string(folder) + "/a.rec";
    std::FILE *file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    std::fputs("taken ", file);
    tern::Crash crash = {};
    crash.file = "base/flat.h";
    crash.line = 77;
    crash.text = "n < 4: n is 5";
    crash.function = "receive";
    crash.message = "UPDATE";
    crash.object = tern::ObjectId{3ull << 32 | 17};
    crash.local_peer = tern::PeerId{2};
    crash.tick = 1042;
    const char rest[] = "rest";
    crash.recording = std::as_bytes(std::span(rest, 4));
    testing::internal::CaptureStderr();
    crash_report::write(crash, path.c_str(), file);
    const std::string printed = testing::internal::GetCapturedStderr();
    std::fclose(file);
    EXPECT_EQ(text_of(path), "taken rest");
    EXPECT_NE(printed.find(path + " ends with the failure"), std::string::npos) << printed;
    EXPECT_NE(printed.find(path + ".crash"), std::string::npos) << printed;
    const std::string report = text_of(path + ".crash");
    for (const char *part :
         {"base/flat.h:77", "n < 4: n is 5", "receive", "UPDATE", "3.17", "1042"})
        EXPECT_NE(report.find(part), std::string::npos) << report;
    std::filesystem::remove_all(folder);
}

}
