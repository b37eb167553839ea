#include "host/http/http.h"
#include <charconv>
#include <string_view>

namespace dedicated {

namespace {

// Appends the families of metrics to `text`, one after the other, as the format requires.
struct Writer {
    std::string text;
    std::string_view name; // The family that is being written.
};

struct Label {
    std::string_view name, value;
};
using Labels = std::initializer_list<Label>;

void family(Writer &writer, std::string_view name, std::string_view type, std::string_view help)
{
    writer.name = name;
    writer.text += "# HELP ";
    writer.text += name;
    writer.text += ' ';
    writer.text += help;
    writer.text += "\n# TYPE ";
    writer.text += name;
    writer.text += ' ';
    writer.text += type;
    writer.text += '\n';
}

void add_escaped(std::string &text, std::string_view value)
{
    for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        if (c == '\n')
            text += "\\n";
        else
            text += c;
    }
}

void add_number(std::string &text, double value)
{
    char digits[64]; // Enough for 20 digits before the point and 6 after it.
    const auto printed =
        std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed);
    text.append(digits, printed.ptr);
}

void line(Writer &writer, std::string_view suffix, Labels labels, double value)
{
    writer.text += writer.name;
    writer.text += suffix;
    char separator = '{';
    for (const Label &label : labels) {
        writer.text += separator;
        writer.text += label.name;
        writer.text += "=\"";
        add_escaped(writer.text, label.value);
        writer.text += '"';
        separator = ',';
    }
    if (labels.size() > 0) writer.text += '}';
    writer.text += ' ';
    add_number(writer.text, value);
    writer.text += '\n';
}

template <class Number> double real(Number value)
{
    return static_cast<double>(value);
}

double seconds(uint64_t us)
{
    return real(us) / 1e6;
}

std::string text_of(double value)
{
    std::string text;
    add_number(text, value);
    return text;
}

// `room` is empty for a histogram of the whole host. The counts are not cumulative; the last one
// counts values above all bounds.
template <class Bounds, class Counts>
void histogram(Writer &writer, std::string_view room, const Bounds &bounds_us, const Counts &counts,
               uint64_t sum_us)
{
    uint64_t below = 0;
    const auto bucket = [&](const std::string &bound) {
        if (room.empty())
            line(writer, "_bucket", {{"le", bound}}, real(below));
        else
            line(writer, "_bucket", {{"room", room}, {"le", bound}}, real(below));
    };
    for (size_t i = 0; i < bounds_us.size(); ++i) {
        below += counts[i];
        bucket(text_of(seconds(bounds_us[i])));
    }
    below += counts.back();
    bucket("+Inf");
    if (room.empty()) {
        line(writer, "_sum", {}, seconds(sum_us));
        line(writer, "_count", {}, real(below));
    } else {
        line(writer, "_sum", {{"room", room}}, seconds(sum_us));
        line(writer, "_count", {{"room", room}}, real(below));
    }
}

// --- The families ---

struct HostMetric {
    std::string_view name, type, help;
    double (*value)(const HostStatus &status);
};

constexpr HostMetric host_metrics[] = {
    {"tern_ready", "gauge", "1 while newcomers are taken in some room.",
     [](const HostStatus &s) { return real(s.ready); }},
    {"tern_draining", "gauge", "1 while the host waits for its players to go.",
     [](const HostStatus &s) { return real(s.draining); }},
    {"tern_drain_left_seconds", "gauge", "The rest of the time to drain; 0 when not draining.",
     [](const HostStatus &s) { return real(s.drain_left_ms) / 1e3; }},
    {"tern_rooms", "gauge", "Sessions that this process hosts.",
     [](const HostStatus &s) { return real(s.rooms.size()); }},
    {"tern_tick_rate_hertz", "gauge", "Ticks per second that are aimed at.",
     [](const HostStatus &s) { return real(s.ticks.hz); }},
    {"tern_tick_overruns_total", "counter", "Ticks that took longer than their time.",
     [](const HostStatus &s) { return real(s.ticks.overruns); }},
    {"process_cpu_seconds_total", "counter", "Processor time used, user and system.",
     [](const HostStatus &s) { return seconds(s.cpu_us); }},
    {"process_resident_memory_bytes", "gauge", "Resident memory.",
     [](const HostStatus &s) { return real(s.resident_bytes); }},
    {"process_start_time_seconds", "gauge", "When the process began, since the Unix epoch.",
     [](const HostStatus &s) { return real(s.started_unix_s); }}};

struct RoomMetric {
    std::string_view name, type, help;
    double (*value)(const RoomStatus &room);
};

constexpr RoomMetric room_metrics[] = {
    {"tern_room_open", "gauge", "1 while the session is open.",
     [](const RoomStatus &r) { return real(r.state == "open"); }},
    {"tern_room_takes_newcomers", "gauge", "1 while players can join.",
     [](const RoomStatus &r) { return real(r.takes_newcomers); }},
    {"tern_peers", "gauge", "Members of the session, with the host.",
     [](const RoomStatus &r) { return real(r.peers.size()); }},
    {"tern_peers_limit", "gauge", "Members that the session can have, with the host.",
     [](const RoomStatus &r) { return real(r.peers_max); }},
    {"tern_peers_joined_total", "counter", "Members that have joined.",
     [](const RoomStatus &r) { return real(r.joined); }},
    {"tern_peers_left_total", "counter", "Members that have gone, for whatever reason.",
     [](const RoomStatus &r) { return real(r.left); }},
    {"tern_peers_refused_total", "counter", "Newcomers that the host has turned away.",
     [](const RoomStatus &r) { return real(r.refused); }},
    {"tern_ownership_changes_total", "counter", "Changes of owner that the host has seen.",
     [](const RoomStatus &r) { return real(r.stats.migrations); }},
    {"tern_dead_ranges", "gauge", "Ranges of serials kept to remember dead objects.",
     [](const RoomStatus &r) { return real(r.stats.dead_ranges); }},
    {"tern_bytes_sent_total", "counter", "UDP payload sent to members.",
     [](const RoomStatus &r) { return real(r.traffic.sent_bytes); }},
    {"tern_bytes_received_total", "counter", "UDP payload received from members.",
     [](const RoomStatus &r) { return real(r.traffic.received_bytes); }},
    {"tern_datagrams_sent_total", "counter", "Datagrams sent to members.",
     [](const RoomStatus &r) { return real(r.traffic.sent_datagrams); }},
    {"tern_datagrams_received_total", "counter", "Datagrams received from members.",
     [](const RoomStatus &r) { return real(r.traffic.received_datagrams); }},
    {"tern_datagrams_lost_total", "counter", "Datagrams sent that did not arrive, as far as known.",
     [](const RoomStatus &r) { return real(r.traffic.lost_datagrams); }},
    {"tern_bad_datagrams_total", "counter", "Datagrams dropped: malformed, forged or duplicate.",
     [](const RoomStatus &r) { return real(r.stats.bad_datagrams); }},
    {"tern_forwarded_datagrams_total", "counter", "Datagrams forwarded for members without a path.",
     [](const RoomStatus &r) { return real(r.stats.forwarded_datagrams); }},
    {"tern_forwarded_bytes_total", "counter", "The same in bytes.",
     [](const RoomStatus &r) { return real(r.stats.forwarded_bytes); }},
    {"tern_forward_dropped_datagrams_total", "counter", "Datagrams above the limit for forwarding.",
     [](const RoomStatus &r) { return real(r.stats.not_forwarded); }},
    {"tern_recording_bytes", "gauge", "Size of the session's recording; 0 if there is none.",
     [](const RoomStatus &r) { return real(r.recording_bytes); }},
    {"tern_script_errors_total", "counter", "Errors of the room's game script.",
     [](const RoomStatus &r) { return real(r.script.errors); }},
    {"tern_script_frozen", "gauge", "1 while the game script is frozen by an error.",
     [](const RoomStatus &r) { return real(r.script.frozen); }},
    {"tern_script_memory_bytes", "gauge", "What the game script holds.",
     [](const RoomStatus &r) { return real(r.script.memory_bytes); }}};

struct TypeMetric {
    std::string_view name, type, help;
    double (*value)(const TypeStatus &type);
};

constexpr TypeMetric type_metrics[] = {
    {"tern_type_objects", "gauge", "Objects alive, by type.",
     [](const TypeStatus &t) { return real(t.objects); }},
    {"tern_type_sent_bytes_total", "counter", "Content sent, by type of object or call.",
     [](const TypeStatus &t) { return real(t.stats.sent_bits) / 8; }},
    {"tern_type_received_bytes_total", "counter", "Content received, by type of object or call.",
     [](const TypeStatus &t) { return real(t.stats.received_bits) / 8; }},
    {"tern_type_sent_messages_total", "counter", "Messages sent, by type of object or call.",
     [](const TypeStatus &t) { return real(t.stats.sent_messages); }},
    {"tern_type_received_messages_total", "counter", "Messages received, by type.",
     [](const TypeStatus &t) { return real(t.stats.received_messages); }}};

}

std::string metrics_text(const HostStatus &status)
{
    Writer writer;
    family(writer, "tern_build_info", "gauge", "The version of the host, as a label; always 1.");
    line(writer, "", {{"version", status.version}}, 1);
    for (const HostMetric &metric : host_metrics) {
        family(writer, metric.name, metric.type, metric.help);
        line(writer, "", {}, metric.value(status));
    }
    for (const RoomMetric &metric : room_metrics) {
        family(writer, metric.name, metric.type, metric.help);
        for (const RoomStatus &room : status.rooms)
            line(writer, "", {{"room", room.name}}, metric.value(room));
    }
    family(writer, "tern_objects", "gauge", "Objects alive, owned by the host or by others.");
    for (const RoomStatus &room : status.rooms) {
        const double owned = real(room.stats.owned);
        line(writer, "", {{"room", room.name}, {"owner", "self"}}, owned);
        line(writer, "", {{"room", room.name}, {"owner", "others"}},
             real(room.stats.objects) - owned);
    }
    family(writer, "tern_misbehaved_total", "counter",
           "Members that broke the rules, each way of each member once.");
    for (const RoomStatus &room : status.rooms)
        for (size_t i = 1; i < breach_names.size(); ++i)
            line(writer, "", {{"room", room.name}, {"reason", breach_names[i]}},
                 real(room.misbehaved[i]));
    for (const TypeMetric &metric : type_metrics) {
        family(writer, metric.name, metric.type, metric.help);
        for (const RoomStatus &room : status.rooms)
            for (const TypeStatus &type : room.types)
                line(writer, "", {{"room", room.name}, {"type", type.name}}, metric.value(type));
    }
    family(writer, "tern_rtt_seconds", "histogram",
           "Round trip to each member, observed once a second.");
    for (const RoomStatus &room : status.rooms)
        histogram(writer, room.name, rtt_bounds_us, room.rtt.histogram, room.rtt.sum_us);
    family(writer, "tern_tick_duration_seconds", "histogram", "Time that a tick's work took.");
    histogram(writer, "", tick_bounds_us, status.ticks.histogram, status.ticks.sum_us);
    return std::move(writer.text);
}

}
