#include "picture.h"
#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace demo::picture {

static constexpr int inner_columns = columns - 2;
// Of the terminal's 256 colours, by PeerId modulo 16.
static constexpr int colours[16] = {250, 39,  208, 46, 201, 226, 51, 196,
                                    141, 118, 213, 33, 220, 160, 87, 99};

static int colour(PeerId peer)
{
    return colours[static_cast<uint16_t>(peer) % 16];
}

// --- The screen ---

static bool begun = false;

bool possible()
{
    return isatty(STDOUT_FILENO) == 1;
}

static void put(const char *text, size_t size_bytes)
{
    while (size_bytes > 0) {
        const ssize_t written = write(STDOUT_FILENO, text, size_bytes);
        if (written <= 0) return;
        text += written;
        size_bytes -= static_cast<size_t>(written);
    }
}

void begin()
{
    static constexpr char text[] = "\x1b[?1049h\x1b[?25l\x1b[2J";
    std::fflush(stdout);
    begun = true;
    put(text, sizeof text - 1);
}

void end()
{
    static constexpr char text[] = "\x1b[0m\x1b[?25h\x1b[?1049l";
    if (begun) put(text, sizeof text - 1);
    begun = false;
}

// --- The room: two dots above each other per character ---

struct Cell {
    PeerId half[2]; // Upper and lower; none: empty.
    PeerId player;
};

static int scaled(float at, float size, int count)
{
    return std::clamp(static_cast<int>(at / size * static_cast<float>(count)), 0, count - 1);
}

static std::vector<Cell> cells(const Picture &picture, int room_lines)
{
    std::vector<Cell> cells(static_cast<size_t>(room_lines * inner_columns));
    for (const Dot &dot : picture.dots) {
        const int x = scaled(dot.position[0], room_width, inner_columns);
        const int y = scaled(dot.position[1], room_height, 2 * room_lines);
        Cell &cell = cells[static_cast<size_t>(y / 2 * inner_columns + x)];
        if (dot.type == player_type)
            cell.player = dot.owner;
        else
            cell.half[y % 2] = dot.owner;
    }
    return cells;
}

static void add_cell(std::string &out, const Cell &cell)
{
    char text[64];
    if (cell.player != PeerId::none) {
        std::snprintf(
            text, sizeof text, "\x1b[1;30;48;5;%dm%c\x1b[0m", colour(cell.player),
            "0123456789abcdefghijklmnopqrstuvwxyz"[static_cast<uint16_t>(cell.player) % 36]);
        out += text;
        return;
    }
    const PeerId upper = cell.half[0], lower = cell.half[1];
    if (upper == PeerId::none && lower == PeerId::none) {
        out += ' ';
        return;
    }
    if (upper != PeerId::none && lower != PeerId::none) // An upper half block on a background.
        std::snprintf(text, sizeof text, "\x1b[38;5;%d;48;5;%dm\xe2\x96\x80\x1b[0m", colour(upper),
                      colour(lower));
    else
        std::snprintf(text, sizeof text, "\x1b[38;5;%dm\xe2\x96%s\x1b[0m",
                      colour(upper != PeerId::none ? upper : lower),
                      upper != PeerId::none ? "\x80" : "\x84");
    out += text;
}

static void add_frame_line(std::string &out)
{
    out += '+';
    out.append(static_cast<size_t>(inner_columns), '-');
    out += "+\x1b[K\r\n";
}

static void add_room(std::string &out, const Picture &picture, int room_lines)
{
    const std::vector<Cell> all = cells(picture, room_lines);
    add_frame_line(out);
    for (int y = 0; y < room_lines; ++y) {
        out += '|';
        for (int x = 0; x < inner_columns; ++x)
            add_cell(out, all[static_cast<size_t>(y * inner_columns + x)]);
        out += "|\x1b[K\r\n";
    }
    add_frame_line(out);
}

// --- The rows ---

static double rate(uint64_t now, uint64_t before, double seconds)
{
    return seconds > 0 && now >= before ? static_cast<double>(now - before) / seconds : 0;
}

std::string row_text(const PictureRow &row)
{
    const Progress &now = row.now;
    const double loss = now.sent_datagrams == 0 ? 0
                                                : 100 * static_cast<double>(now.lost_datagrams) /
                                                      static_cast<double>(now.sent_datagrams);
    char text[120];
    std::snprintf(
        text, sizeof text, "%4u %-5s %6u %6.1f %7.1f %8.1f %7llu %4llu %5llu  %s",
        static_cast<unsigned>(now.self), now.self == now.host ? "host" : "", now.rtt_us / 1000,
        loss, rate(now.received_bytes, row.before.received_bytes, row.seconds) / 1000,
        rate(now.sent_bytes, row.before.sent_bytes, row.seconds) / 1000,
        static_cast<unsigned long long>(now.objects), static_cast<unsigned long long>(now.owned),
        static_cast<unsigned long long>(now.migrations),
        row.note.empty() ? peer::state_name(now.state) : row.note.c_str());
    return text;
}

static void add_line(std::string &out, const std::string &text)
{
    out.append(text, 0, columns);
    out += "\x1b[K\r\n";
}

std::string drawn(const Picture &picture)
{
    const size_t footer_lines = (picture.footer.size() + columns - 1) / columns;
    const int below = static_cast<int>(picture.rows.size() + footer_lines);
    const int room_lines = std::max(3, lines - 5 - below);
    std::string out = "\x1b[H";
    add_line(out, picture.title);
    add_room(out, picture, room_lines);
    add_line(out, " peer       rtt ms loss % in kB/s out kB/s objects owns moved  state");
    for (const PictureRow &row : picture.rows) {
        char start[32];
        std::snprintf(start, sizeof start, "\x1b[38;5;%dm\xe2\x96\x88\x1b[0m",
                      colour(row.now.self));
        out += start;
        add_line(out, row_text(row).substr(0, columns - 1));
    }
    out += picture.footer + "\x1b[J";
    return out;
}

void show(const Picture &picture)
{
    const std::string out = drawn(picture);
    put(out.data(), out.size());
}

std::vector<Dot> dots(const Peer &peer)
{
    std::vector<Dot> dots;
    for (const Known &known : peer::world(peer)) {
        Dot dot = {{0, 0}, known.owner, known.type};
        const float *position = known.type == cube_type
                                    ? get<Cube>(peer.session, known.object).position
                                    : get<Player>(peer.session, known.object).position;
        dot.position[0] = position[0];
        dot.position[1] = position[1];
        dots.push_back(dot);
    }
    return dots;
}

}
