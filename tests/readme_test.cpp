// The README shows examples/hello.cpp and the loop of examples/ships.cpp unchanged, and all its
// links lead to existing files.
#include "doc_blocks.h"
#include <gtest/gtest.h>

using documents::content;

// The code block of README that shows the file; empty if there is none.
static std::string shown_of(const std::string &path)
{
    const std::string readme = content("README.md");
    const std::string mark = "<!-- " + path + " -->\n```cpp\n";
    const size_t found = readme.find(mark);
    if (found == std::string::npos) return "";
    const size_t start = found + mark.size();
    return readme.substr(start, readme.find("```\n", start) - start);
}

TEST(Readme, ItsExampleIsTheOneThatIsBuiltAndRun)
{
    const std::string shown = shown_of("examples/hello.cpp");
    EXPECT_FALSE(shown.empty());
    EXPECT_EQ(shown, content("examples/hello.cpp"));
}

TEST(Readme, ItsLoopWithSocketsIsThatOfShips)
{
    const std::string shown = shown_of("examples/ships.cpp");
    EXPECT_NE(shown.find("leave("), std::string::npos);
    EXPECT_NE(content("examples/ships.cpp").find(shown), std::string::npos);
}

TEST(Readme, TheFilesThatItLinksToAreThere)
{
    const std::string readme = content("README.md");
    size_t links = 0;
    for (size_t at = readme.find("]("); at != std::string::npos; at = readme.find("](", at + 1)) {
        std::string path = readme.substr(at + 2, readme.find(')', at) - at - 2);
        if (path.rfind("http", 0) == 0) continue;
        path = path.substr(0, path.find('#'));
        EXPECT_FALSE(content(path).empty()) << path;
        links += 1;
    }
    EXPECT_GE(links, 6u);
}
