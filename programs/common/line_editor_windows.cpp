// The console of Windows lets the user edit a line before a program sees it.
#ifdef _WIN32
#include "common/line_editor.h"
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

namespace line_editor {

static constexpr size_t line_bytes_max = 64 * 1024; // Longer lines are dropped.

// The thread that reads stdin cannot be stopped, so it shares this with the editor.
struct Lines {
    std::mutex guard;
    std::deque<std::string> all;
    bool ended = false;
};

struct LineEditor {
    std::shared_ptr<Lines> lines;
};

static void read_lines(const std::shared_ptr<Lines> &lines)
{
    for (std::string line; std::getline(std::cin, line);) {
        if (line.ends_with('\r')) line.pop_back();
        const std::lock_guard guarded(lines->guard);
        if (line.size() <= line_bytes_max) lines->all.push_back(line);
    }
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
