#include "option_checks.h"
#include <cctype>
#include <cstdlib>

namespace option_checks {

static std::string quoted(const std::string &text)
{
    return "\"" + text + "\"";
}

CLI::Validator whole_number(uint64_t min, uint64_t max)
{
    const auto check = [min, max](const std::string &text) -> std::string {
        const std::string expected = quoted(text) + " is not a whole number from " +
                                     std::to_string(min) + " to " + std::to_string(max);
        if (text.empty() || text.size() > 20) return expected;
        for (char digit : text)
            if (!std::isdigit(static_cast<unsigned char>(digit))) return expected;
        errno = 0;
        const uint64_t value = std::strtoull(text.c_str(), nullptr, 10);
        return errno == 0 && value >= min && value <= max ? "" : expected;
    };
    return {check, std::to_string(min) + " to " + std::to_string(max)};
}

CLI::Validator percent(double max)
{
    const auto check = [max](const std::string &text) -> std::string {
        char *end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (end != text.c_str() && *end == '\0' && value >= 0 && value <= max) return "";
        return quoted(text) + " is not a number of percent from 0 to " +
               std::to_string(static_cast<int>(max));
    };
    return {check, "percent, 0 to " + std::to_string(static_cast<int>(max))};
}

CLI::Validator one_of(const std::string &names)
{
    const auto check = [names](const std::string &text) -> std::string {
        const bool single = text.find(',') == std::string::npos && !text.empty();
        if (single && (", " + names + ",").find(", " + text + ",") != std::string::npos) return "";
        return quoted(text) + " is not one of " + names;
    };
    return {check, names};
}

}
