// Every fuzz target on its committed corpus, on pieces of that, and on bytes of chance.
#include "base/random.h"
#include "fuzz/targets.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <vector>

using namespace tern;
using namespace tern::fuzz;

namespace {

using Bytes = std::vector<uint8_t>;

// In order of their names, so that a run is like the last.
std::vector<Bytes> corpus(const Target &target)
{
    namespace fs = std::filesystem;
    std::vector<fs::path> paths;
    const fs::path folder = fs::path(TERN_SOURCE_DIR) / "fuzz" / "corpus" / target.name;
    if (!fs::exists(folder)) return {};
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<Bytes> inputs;
    for (const fs::path &path : paths) {
        std::ifstream stream(path, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(stream),
                            std::istreambuf_iterator<char>());
    }
    return inputs;
}

struct Replay : testing::TestWithParam<Target> {};

// A piece of one input behind a piece of another, with some bytes changed.
Bytes spliced(Random &random, const std::vector<Bytes> &inputs, size_t bytes_max)
{
    Bytes out;
    for (int part = 0; part < 2; ++part) {
        const Bytes &from = inputs[random::below(random, inputs.size())];
        const size_t count = random::below(random, from.size() + 1);
        const auto begin =
            from.begin() + static_cast<ptrdiff_t>(random::below(random, from.size() - count + 1));
        out.insert(out.end(), begin, begin + static_cast<ptrdiff_t>(count));
    }
    for (uint64_t i = random::below(random, 4); i > 0 && !out.empty(); --i)
        out[random::below(random, out.size())] = static_cast<uint8_t>(random::next(random));
    out.resize(std::min(out.size(), bytes_max));
    return out;
}

}

TEST_P(Replay, CorpusHolds)
{
    const std::vector<Bytes> inputs = corpus(GetParam());
    EXPECT_FALSE(inputs.empty()) << "fuzz/corpus/" << GetParam().name << " is empty";
    for (const Bytes &bytes : inputs)
        GetParam().run(bytes);
    std::printf("%zu inputs\n", inputs.size());
}

TEST_P(Replay, PiecesOfTheCorpusHold)
{
    const std::vector<Bytes> inputs = corpus(GetParam());
    if (inputs.empty()) return;
    Random random = random::from_seed(1);
    for (int i = 0; i < GetParam().tries / 2; ++i)
        GetParam().run(spliced(random, inputs, GetParam().bytes_max));
}

TEST_P(Replay, BytesOfChanceHold)
{
    Random random = random::from_seed(2);
    for (int i = 0; i < GetParam().tries; ++i) {
        Bytes bytes(random::below(random, GetParam().bytes_max + 1));
        // Small numbers are commands more often than large ones.
        const uint64_t bound = i % 2 == 0 ? 256 : 16;
        for (uint8_t &byte : bytes)
            byte = static_cast<uint8_t>(random::below(random, bound));
        GetParam().run(bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(targets),
                         [](const auto &one) { return std::string(one.param.name); });
