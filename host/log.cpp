#include "host/log.h"
#include <algorithm>
#include <chrono>
#include <climits>
#include <ctime>
#include <poll.h>
#include <unistd.h>

namespace dedicated::log {

// One character: its code point and its length in bytes. length 0: not valid UTF-8.
struct Character {
    uint32_t code;
    size_t length;
};

static Character character(const std::string &text, size_t at)
{
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
    const uint8_t first = byte(0);
    if (first < 0x80) return {first, 1};
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return {0, 0};
    uint32_t code = first & (0x7fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {0, 0};
        code = code << 6 | (byte(i) & 0x3fu);
    }
    static constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < least[length] || code > 0x10ffff || surrogate) return {0, 0};
    return {code, length};
}

static bool is_harmless(uint32_t code)
{
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool line_end = code == 0x2028 || code == 0x2029;
    const bool direction = code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                           (code >= 0x2066 && code <= 0x2069);
    return !control && !line_end && !direction;
}

std::string clean(const std::string &text)
{
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const Character one = character(text, at);
        if (one.length > 0 && is_harmless(one.code))
            out.append(text, at, one.length);
        else
            out += "\xef\xbf\xbd"; // U+FFFD
        at += std::max<size_t>(one.length, 1);
    }
    return out;
}

// 2026-11-21T23:57:14.123Z
static std::string time_text(uint64_t unix_us)
{
    const auto seconds = static_cast<time_t>(unix_us / 1'000'000);
    tm parts = {};
    gmtime_r(&seconds, &parts);
    char text[64];
    const size_t size = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    char all[80];
    std::snprintf(all, sizeof all, "%.*s.%03uZ", static_cast<int>(size), text,
                  static_cast<unsigned>(unix_us / 1000 % 1000));
    return all;
}

static std::string dumped(const nlohmann::ordered_json &value)
{
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Writes a string bare if it can be read back unambiguously, else as JSON.
static std::string as_text(const nlohmann::ordered_json &value)
{
    if (!value.is_string()) return dumped(value);
    const std::string &text = value.get_ref<const std::string &>();
    const bool bare = !text.empty() && text.find_first_of(" \"=\\") == std::string::npos;
    return bare ? text : dumped(value);
}

std::string line(const Log &log, LogLevel level, const char *event, const LogFields &fields,
                 uint64_t unix_us)
{
    LogFields all = {{"time", time_text(unix_us)}, {"level", text(level)}, {"event", event}};
    for (const auto &[key, value] : fields.items())
        all[key] = value.is_string() ? LogFields(clean(value.get<std::string>())) : value;
    if (log.format == LogFormat::json) return dumped(all) + "\n";
    std::string out;
    size_t count = 0;
    for (const auto &[key, value] : all.items()) {
        const bool named = count++ >= 3;
        out += (out.empty() ? "" : " ") + (named ? key + "=" : std::string()) + as_text(value);
    }
    return out + "\n";
}

// Never blocks, because a tick must not wait for the reader of stderr. False if the reader does not
// keep up or is gone.
static bool say(const std::string &text)
{
    for (size_t at = 0; at < text.size();) {
        pollfd one = {STDERR_FILENO, POLLOUT, 0};
        if (poll(&one, 1, 0) != 1 || (one.revents & POLLOUT) == 0) return false;
        // A pipe that poll() reports as writable takes PIPE_BUF bytes without blocking (pipe(7)).
        const size_t size = std::min<size_t>(text.size() - at, PIPE_BUF);
        const ssize_t written = ::write(STDERR_FILENO, text.data() + at, size);
        if (written <= 0) return false;
        at += static_cast<size_t>(written);
    }
    return true;
}

void write(const Log &log, LogLevel level, const char *event, const LogFields &fields)
{
    if (level > log.level) return;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto unix_us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
    const auto now_us = static_cast<uint64_t>(unix_us);
    static uint64_t lost = 0; // Static, because there is one stderr.
    if (lost > 0 && say(line(log, LogLevel::warning, "log_lost", {{"lines", lost}}, now_us)))
        lost = 0;
    if (lost > 0 || !say(line(log, level, event, fields, now_us))) lost += 1;
}

}
