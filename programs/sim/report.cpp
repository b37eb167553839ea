#include "report.h"
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sim {

static const auto program_start = std::chrono::steady_clock::now();

double wall_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - program_start).count();
}

namespace report {

static void add_value(Report &report, std::string_view name, const nlohmann::json &value)
{
    using nlohmann::json;
    if (!report._text.empty()) report._text += ",";
    report._text += json(name).dump() + ":";
    report._text += value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void add(Report &report, std::string_view name, bool value)
{
    add_value(report, name, value);
}

void add(Report &report, std::string_view name, uint64_t value)
{
    add_value(report, name, value);
}

// Three decimals are enough for seconds and ratios.
void add(Report &report, std::string_view name, double value)
{
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.3f", value);
    add_json(report, name, digits);
}

void add(Report &report, std::string_view name, const std::string &value)
{
    add_value(report, name, value);
}

void add_json(Report &report, std::string_view name, const std::string &json)
{
    if (!report._text.empty()) report._text += ",";
    report._text += nlohmann::json(name).dump() + ":" + json;
}

std::string text(const Report &report)
{
    return "{" + report._text + "}";
}

int finish(Report &report, bool ok)
{
    progress::clear();
    std::printf("%s\n", text(report).c_str());
    std::fflush(stdout);
    return ok ? 0 : 1;
}

std::string hex(uint64_t value)
{
    char digits[20];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
    return digits;
}

}

namespace progress {

static double shown_s = 0;
static bool line_there = false;

void show(const std::string &text)
{
    static const bool terminal = isatty(STDERR_FILENO) == 1;
    const double now_s = wall_s();
    if (!terminal || now_s < 2 || now_s - shown_s < 0.2) return;
    shown_s = now_s;
    line_there = true;
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

void clear()
{
    if (line_there) std::fputs("\r\033[K", stderr);
    line_there = false;
}

}
}
