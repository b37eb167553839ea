// The log: one event a line, on stderr, as text or as JSON. docs/use/host.md lists the events.
#pragma once
#include "host/options/options_table.h"
#include <nlohmann/json.hpp>

namespace dedicated {

struct Log {
    LogFormat format = LogFormat::text;
    LogLevel level = LogLevel::info;
};

using LogFields = nlohmann::ordered_json; // An object; its members are written in this order.

namespace log {

void write(const Log &log, LogLevel level, const char *event,
           const LogFields &fields = LogFields::object());
// The line that write() writes. unix_us is the time, in microseconds since the Unix epoch.
std::string line(const Log &log, LogLevel level, const char *event, const LogFields &fields,
                 uint64_t unix_us);
// Makes text from outside, such as the name of a peer, safe to print: replaces invalid UTF-8,
// control characters and characters that change the text direction with U+FFFD.
std::string clean(const std::string &text);

}
}
