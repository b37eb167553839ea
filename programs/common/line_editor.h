// Reads lines from stdin. At a terminal, and if built with libedit, with editing, history and
// completion; otherwise plainly. No function here blocks for longer than a key takes to arrive.
#pragma once
#include <string>

namespace line_editor {

struct LineEditor;

enum class TypedKind : uint8_t {
    nothing,    // No complete line yet.
    line,       // `text` is the line without its end.
    completion, // The user wants a completion of `text`, the line up to the cursor: see complete().
    ended       // End of input.
};
struct Typed {
    TypedKind kind;
    std::string text;
};

// The prompt is shown only if lines are edited. It must outlive the editor.
LineEditor *open(const char *program, const char *prompt);
void close(LineEditor *editor); // Restores the terminal.

// Whether lines are edited: stdin and stdout were a terminal, with this process in the foreground,
// when the editor was opened.
bool edits(const LineEditor &editor);
Typed take(LineEditor &editor); // The next line or event; `nothing` if there is none.
// Answers TypedKind::completion. `candidates` has one candidate a line, each including the part
// that was typed. Inserts what all have in common, or lists them if that adds nothing.
void complete(LineEditor &editor, const std::string &candidates);

// Call hide() before and show() after other output to the terminal, so that it does not mix with
// the edited line.
void hide(LineEditor &editor);
void show(LineEditor &editor);

}
