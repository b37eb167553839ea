// The console of Windows lets the user edit a line before a program sees it.
#ifdef _WIN32
#include "common/line_editor.h"
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <windows.h>

namespace line_editor {

static constexpr size_t line_bytes_max = 64 * 1024; // Longer lines are dropped.
static constexpr size_t lines_max = 256;            // The thread waits while so many are not taken.

// The thread that reads stdin cannot be stopped, so it shares this with the editor.
struct Lines {
    std::mutex guard;
    std::deque<std::string> all;
    bool ended = false;
};

struct LineEditor {
    std::shared_ptr<Lines> lines;
};

static void add(Lines &lines, std::string line)
{
    if (line.ends_with('\r')) line.pop_back();
    for (;;) {
        {
            const std::lock_guard guarded(lines.guard);
            if (lines.all.size() < lines_max) return lines.all.push_back(std::move(line));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

// Reads with the system's function, because a program that ends would wait for the lock of
// std::cin.
static void read_lines(const std::shared_ptr<Lines> &lines)
{
    char bytes[4096];
    DWORD size = 0;
    std::string line;
    bool is_too_long = false;
    while (ReadFile(GetStdHandle(STD_INPUT_HANDLE), bytes, sizeof bytes, &size, nullptr) != 0 &&
           size > 0) {
        for (const char c : std::string(bytes, size)) {
            is_too_long = is_too_long || line.size() == line_bytes_max;
            if (c != '\n' && !is_too_long) line += c;
            if (c != '\n') continue;
            if (!is_too_long) add(*lines, std::move(line));
            line.clear();
            is_too_long = false;
        }
    }
    if (!line.empty() && !is_too_long) add(*lines, line);
    const std::lock_guard guarded(lines->guard);
    lines->ended = true;
}

LineEditor *open(const char *, const char *)
{
    auto *editor = new LineEditor{std::make_shared<Lines>()};
    std::thread(read_lines, editor->lines).detach();
    return editor;
}

void close(LineEditor *editor)
{
    delete editor;
}

bool edits(const LineEditor &)
{
    return false;
}

Typed take(LineEditor &editor)
{
    const std::lock_guard guarded(editor.lines->guard);
    std::deque<std::string> &all = editor.lines->all;
    if (all.empty()) return {editor.lines->ended ? TypedKind::ended : TypedKind::nothing, ""};
    const Typed typed = {TypedKind::line, all.front()};
    all.pop_front();
    return typed;
}

void complete(LineEditor &, const std::string &) {}

void hide(LineEditor &) {}

void show(LineEditor &) {}

}
#endif
