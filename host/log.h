// The log: one event a line, on stderr, as text or as JSON. docs/use/host.md lists the events.
#pragma once
#include "host/options/options_table.h"
#include <nlohmann/json.hpp>

namespace dedicated {

struct Log {
    LogFormat format = LogFormat::text;
    LogLevel level = LogLevel::info;
};

using LogFields = nlohmann::ordered_json; // An object, in the order in which it is shown.

namespace log {

void write(const Log &log, LogLevel level, const char *event,
           const LogFields &fields = LogFields::object());
// What write() writes; unix_us: the time.
std::string line(const Log &log, LogLevel level, const char *event, const LogFields &fields,
                 uint64_t unix_us);
// Of what others say, such as names: U+FFFD for what is no UTF-8, a control character, or turns
// the direction of text.
std::string clean(const std::string &text);

}
}
