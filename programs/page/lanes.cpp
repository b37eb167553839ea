#include "lanes.h"
#include <algorithm>

namespace page::lanes {

// A datagram that has not arrived after this time was dropped while it was on its way.
static constexpr uint64_t datagram_us_max = 1'500'000;

static double ms(uint64_t time_us)
{
    return static_cast<double>(time_us) / 1000;
}

static uint64_t hash(std::span<const std::byte> bytes) // FNV-1a.
{
    uint64_t hash = 14695981039346656037u;
    for (const std::byte byte : bytes)
        hash = (hash ^ static_cast<uint64_t>(byte)) * 1099511628211u;
    return hash;
}

static LineKind kind_of(MessageKind kind)
{
    switch (kind) {
    case MessageKind::create: return LineKind::create;
    case MessageKind::migrate: return LineKind::migrate;
    case MessageKind::destroy:
    case MessageKind::dead: return LineKind::destroy;
    case MessageKind::claim:
    case MessageKind::claim_refused:
    case MessageKind::grant:
    case MessageKind::lock:
    case MessageKind::unlock:
    case MessageKind::release: return LineKind::claim;
    default: return LineKind::membership;
    }
}

static void add(Lanes &lanes, const Line &line, const OpenLine &open)
{
    if (line.end == LineEnd::in_flight) {
        lanes.open.push_back(open);
        lanes.open.back().line = lanes.forgotten + lanes.lines.size();
    }
    lanes.lines.push_back(line);
}

static Line *line_of(Lanes &lanes, const OpenLine &open)
{
    return open.line < lanes.forgotten ? nullptr : &lanes.lines[open.line - lanes.forgotten];
}

static void end(Lanes &lanes, const OpenLine &wanted, uint32_t to, LineEnd how, uint64_t now_us)
{
    for (OpenLine &open : lanes.open) {
        if (open.key != wanted.key || open.number != wanted.number || open.object != wanted.object)
            continue;
        Line *line = line_of(lanes, open);
        if (line && line->to != to) continue;
        if (line) {
            line->end_ms = ms(now_us);
            line->end = how;
        }
        open = lanes.open.back();
        lanes.open.pop_back();
        return;
    }
}

void add_sent(Lanes &lanes, uint32_t from, uint32_t to, const Datagram &datagram, bool is_lost,
              uint64_t now_us)
{
    Line line = {};
    line.sent_ms = ms(now_us);
    line.from = from;
    line.to = to;
    line.size_bytes = static_cast<uint32_t>(datagram.bytes.size());
    if (is_lost) {
        line.end = LineEnd::lost;
        line.end_ms = line.sent_ms;
    }
    add(lanes, line, {hash(datagram.bytes), 0, ObjectId::none, 0});
}

void add_received(Lanes &lanes, uint32_t to, const Datagram &datagram, uint64_t now_us)
{
    end(lanes, {hash(datagram.bytes), 0, ObjectId::none, 0}, to, LineEnd::received, now_us);
}

// Datagrams are sealed. Those that arrive in one tick are taken together, so all of a sender are
// marked if one has changed something.
void mark_updates(Lanes &lanes, uint32_t from, uint32_t to, uint64_t now_us)
{
    for (Line &line : lanes.lines)
        if (line.kind == LineKind::datagram && line.end == LineEnd::received && line.from == from &&
            line.to == to && line.end_ms == ms(now_us))
            line.kind = LineKind::update;
}

void add_note(Lanes &lanes, uint32_t lane, uint32_t other, const Note &note, uint64_t now_us)
{
    const OpenLine open = {note.key, note.number, note.object, 0};
    if (note.kind == NoteKind::received) {
        const bool is_used = note.verdict == 0; // Verdict::ok.
        end(lanes, open, lane, is_used ? LineEnd::received : LineEnd::ignored, now_us);
    }
    if (note.kind != NoteKind::queued) return;
    Line line = {};
    line.sent_ms = ms(now_us);
    line.object = static_cast<double>(note.object);
    line.from = lane;
    line.to = other;
    line.kind = kind_of(note.message);
    add(lanes, line, open);
}

void close(Lanes &lanes, uint32_t lane, uint64_t now_us)
{
    std::erase_if(lanes.open, [&](const OpenLine &open) {
        Line *line = line_of(lanes, open);
        if (line && line->to != lane) return false;
        if (line) {
            line->end = LineEnd::lost;
            line->end_ms = ms(now_us);
        }
        return true;
    });
}

void forget(Lanes &lanes, uint64_t now_us)
{
    const double oldest_ms = ms(now_us) - ms(line_age_us_max);
    size_t count = 0;
    while (count < lanes.lines.size() && lanes.lines[count].sent_ms < oldest_ms)
        count += 1;
    lanes.lines.erase(lanes.lines.begin(), lanes.lines.begin() + static_cast<ptrdiff_t>(count));
    lanes.forgotten += count;
    std::erase_if(lanes.open, [&](const OpenLine &open) {
        Line *line = line_of(lanes, open);
        if (!line) return true;
        const bool is_over =
            line->kind == LineKind::datagram && line->sent_ms < ms(now_us) - ms(datagram_us_max);
        if (is_over) line->end = LineEnd::lost;
        if (is_over) line->end_ms = line->sent_ms;
        return is_over;
    });
}

}
