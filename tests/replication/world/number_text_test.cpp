#include "base/random.h"
#include "replication/world/number_text.h"
#include <bit>
#include <charconv>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>

using namespace tern;

namespace {

std::string written(double number)
{
    char text[number_text_bytes_max];
    return {text, write_number(text, number)};
}

std::string printed(double number)
{
    char text[number_text_bytes_max];
    return {text, print_number(text, number)};
}

}

TEST(NumberText, NumbersAreAsShortAsTheyCanBe)
{
    EXPECT_EQ(written(0.01), "0.01");
    EXPECT_EQ(written(-500), "-500");
    EXPECT_EQ(written(1e6), "1e+06");
    EXPECT_EQ(written(0.1f), "0.10000000149011612");
    EXPECT_EQ(written(18446744073709551615.0), "18446744073709551616");
}

TEST(NumberText, HasAPointInEveryLocale)
{
    char text[][number_text_bytes_max] = {"0,01", "-1\u066b5e-05", "0.25", "12", "nan", "-inf"};
    const std::string_view expected[] = {"0.01", "-1.5e-05", "0.25", "12", "nan", "-inf"};
    for (size_t i = 0; i < std::size(text); ++i) {
        const size_t count = use_point(text[i]);
        EXPECT_EQ(std::string_view(text[i], count), expected[i]);
        EXPECT_EQ(text[i][count], 0);
    }
}

TEST(NumberText, PrintedNumbersAreThoseOfTheStandardLibrary)
{
#ifndef __cpp_lib_to_chars
    GTEST_SKIP() << "the standard library writes none";
#endif
    Random random = random::from_seed(7);
    for (int i = 0; i < 20'000; ++i) {
        const uint64_t drawn = random::next(random);
        const double any = std::bit_cast<double>(drawn);
        const double step = static_cast<double>(drawn % 100'000) / std::pow(10, drawn >> 60);
        const auto whole = static_cast<double>(drawn >> drawn % 64);
        for (const double number : {any, step, whole, -step}) {
            if (!std::isfinite(number)) continue;
            ASSERT_EQ(printed(number), written(number));
        }
    }
    for (const double number :
         {0.0, 1e22, 1e23, 123456789012345680.0, 5e-324, std::numeric_limits<double>::max()})
        EXPECT_EQ(printed(number), written(number));
}
