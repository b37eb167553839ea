#include "common/line_editor.h"
#ifndef _WIN32
#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cwchar>
#include <poll.h>
#include <unistd.h>
#include <vector>
#ifdef TERN_HAVE_LIBEDIT
#include <histedit.h>
#else
struct EditLine;
struct History;
#endif

namespace line_editor {

static constexpr int key_ms_max = 20; // The longest wait between the bytes of one key.
static constexpr size_t line_bytes_max = 64 * 1024; // Limits a line without an editor.

struct LineEditor {
    const char *prompt;
    EditLine *edit = nullptr; // Null: lines are not edited.
    History *history = nullptr;
    bool is_prepared = false; // The terminal is in the editor's mode and shows the prompt.
    bool wants_completion = false, ended = false;
    std::string plain = {}; // Input without an editor, not yet returned.
};

static bool has_input()
{
    pollfd waiting = {STDIN_FILENO, POLLIN, 0};
    return poll(&waiting, 1, 0) > 0;
}

// A process in the background that reads the terminal is stopped by SIGTTIN.
static bool is_in_background()
{
    return isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) != getpgrp();
}

static Typed take_plain(LineEditor &editor)
{
    std::string &text = editor.plain;
    while (!editor.ended && text.find('\n') == std::string::npos && has_input()) {
        char bytes[4096];
        const ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes);
        editor.ended = size <= 0;
        if (size > 0) text.append(bytes, static_cast<size_t>(size));
        if (text.size() > line_bytes_max) text.clear();
    }
    const size_t end = text.find('\n');
    if (end == std::string::npos && (!editor.ended || text.empty()))
        return {editor.ended ? TypedKind::ended : TypedKind::nothing, ""};
    const std::string line = text.substr(0, end);
    text.erase(0, end == std::string::npos ? end : end + 1);
    return {TypedKind::line, line};
}

bool edits(const LineEditor &editor)
{
    return editor.edit != nullptr;
}

#ifdef TERN_HAVE_LIBEDIT

// Set by SIGCONT: the shell may have changed the terminal's mode.
static volatile sig_atomic_t was_stopped = 0;

static void note_continued(int)
{
    was_stopped = 1;
}

static LineEditor &editor_of(EditLine *edit)
{
    void *editor = nullptr;
    el_get(edit, EL_CLIENTDATA, &editor);
    return *static_cast<LineEditor *>(editor);
}

// --- Callbacks of libedit ---

static char *prompt_of(EditLine *edit)
{
    return const_cast<char *>(editor_of(edit).prompt);
}

// Handles Tab, and Ctrl-D on an empty line; true if the key was one of these.
static bool take_ours(EditLine *edit, wchar_t key)
{
    LineEditor &editor = editor_of(edit);
    const LineInfo *line = el_line(edit);
    editor.wants_completion = key == L'\t';
    const bool is_end = key == L'\x04' && line->buffer == line->lastchar;
    editor.ended = editor.ended || is_end;
    return editor.wants_completion || is_end;
}

// Reads a whole character, or none. Waits key_ms_max at most for each byte: long enough for the
// rest of a key that sends several bytes, and short enough for the tick loop.
static int read_key(EditLine *edit, wchar_t *key)
{
    mbstate_t decoded = {};
    for (;;) {
        pollfd waiting = {STDIN_FILENO, POLLIN, 0};
        if (poll(&waiting, 1, key_ms_max) <= 0) return 0;
        char byte = 0;
        const ssize_t size = read(STDIN_FILENO, &byte, 1);
        editor_of(edit).ended = size == 0 || (size < 0 && errno != EINTR);
        if (size <= 0) return 0;
        const size_t used = std::mbrtowc(key, &byte, 1, &decoded);
        if (used == static_cast<size_t>(-2)) continue; // The character has more bytes.
        if (used == static_cast<size_t>(-1)) *key = L'?';
        return take_ours(edit, *key) ? 0 : 1;
    }
}

// --- The terminal ---

static void prepare(LineEditor &editor, bool wanted)
{
    if (editor.is_prepared == wanted) return;
    editor.is_prepared = wanted;
    el_set(editor.edit, EL_UNBUFFERED, wanted ? 1 : 0);
}

LineEditor *open(const char *program, const char *prompt)
{
    LineEditor *editor = new LineEditor{.prompt = prompt};
    if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 || is_in_background())
        return editor;
    std::setlocale(LC_CTYPE, "");
    editor->edit = el_init(program, stdin, stdout, stderr);
    if (!editor->edit) return editor;
    EditLine *edit = editor->edit;
    editor->history = history_init();
    HistEvent event = {};
    history(editor->history, &event, H_SETSIZE, 200);
    el_set(edit, EL_CLIENTDATA, editor);
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_SIGNAL, 0);
    el_set(edit, EL_GETCFN, read_key);
    el_set(edit, EL_PROMPT, prompt_of);
    el_set(edit, EL_HIST, history, editor->history);
    std::signal(SIGCONT, note_continued);
    return editor;
}

void close(LineEditor *editor)
{
    if (!editor) return;
    if (editor->edit && is_in_background()) return; // Another process uses the terminal now.
    if (editor->edit) {
        hide(*editor);
        prepare(*editor, false);
        el_end(editor->edit);
        history_end(editor->history);
    }
    delete editor;
}

// --- Typing ---

static Typed taken_line(LineEditor &editor, std::string line)
{
    line.pop_back();
    HistEvent event = {};
    if (!line.empty()) history(editor.history, &event, H_ENTER, line.c_str());
    prepare(editor, false); // So that the answer is printed in the usual mode.
    return {TypedKind::line, line};
}

static Typed taken_prefix(LineEditor &editor)
{
    editor.wants_completion = false;
    const LineInfo *line = el_line(editor.edit);
    return {TypedKind::completion, std::string(line->buffer, line->cursor)};
}

Typed take(LineEditor &editor)
{
    if (is_in_background()) return {TypedKind::nothing, ""};
    if (!editor.edit) return take_plain(editor);
    if (was_stopped) {
        was_stopped = 0;
        prepare(editor, false);
    }
    if (!editor.ended) prepare(editor, true);
    for (;;) {
        if (!editor.ended && !has_input()) return {TypedKind::nothing, ""};
        int count = 0;
        // In unbuffered mode el_gets() handles one key.
        const char *typed = editor.ended ? nullptr : el_gets(editor.edit, &count);
        if (editor.ended) {
            prepare(editor, false);
            return {TypedKind::ended, ""};
        }
        if (typed && count > 0 && typed[count - 1] == '\n')
            return taken_line(editor, std::string(typed, static_cast<size_t>(count)));
        if (editor.wants_completion) return taken_prefix(editor);
    }
}

// --- Completion ---

static std::vector<std::string> lines_of(const std::string &text)
{
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

static std::string in_common(const std::vector<std::string> &all)
{
    std::string common = all[0];
    for (const std::string &one : all) {
        const auto ends = std::mismatch(common.begin(), common.end(), one.begin(), one.end()).first;
        common.erase(ends, common.end());
    }
    return common;
}

static void list(const std::vector<std::string> &all)
{
    size_t width = 0, column = 0;
    for (const std::string &one : all)
        width = std::max(width, one.size() + 2);
    for (const std::string &one : all) {
        if (column > 0 && column + width > 80) {
            std::fputs("\n", stdout);
            column = 0;
        }
        std::printf("%-*s", static_cast<int>(width), one.c_str());
        column += width;
    }
    std::fputs("\n", stdout);
}

void complete(LineEditor &editor, const std::string &candidates)
{
    if (!editor.is_prepared) return;
    const std::vector<std::string> all = lines_of(candidates);
    if (all.empty()) return el_beep(editor.edit);
    const LineInfo *line = el_line(editor.edit);
    const std::string before(line->buffer, line->cursor), common = in_common(all);
    size_t typed = std::min(before.size(), common.size());
    while (!before.ends_with(common.substr(0, typed)))
        typed -= 1;
    if (typed < common.size()) {
        hide(editor);
        el_insertstr(editor.edit, common.substr(typed).c_str());
    } else if (all.size() > 1) {
        std::fputs("\n", stdout);
        list(all);
    }
    el_set(editor.edit, EL_REFRESH);
}

void hide(LineEditor &editor)
{
    if (editor.is_prepared) std::fputs("\r\x1b[K", stdout);
}

void show(LineEditor &editor)
{
    if (editor.is_prepared && !is_in_background()) el_set(editor.edit, EL_REFRESH);
}

#else

LineEditor *open(const char *, const char *prompt)
{
    return new LineEditor{.prompt = prompt};
}
void close(LineEditor *editor)
{
    delete editor;
}
Typed take(LineEditor &editor)
{
    return is_in_background() ? Typed{TypedKind::nothing, ""} : take_plain(editor);
}
void complete(LineEditor &, const std::string &) {}
void hide(LineEditor &) {}
void show(LineEditor &) {}

#endif

}
#endif
