// Lines of stdin: at a terminal with editing, history and completion, where libedit is built in;
// else as they come. Nothing here waits.
#pragma once
#include <string>

namespace line_editor {

struct LineEditor;

enum class TypedKind : uint8_t {
    nothing,    // Yet.
    line,       // `text` without its end.
    completion, // Is asked for: `text` is what stands before the cursor. See complete().
    ended       // Nothing comes any more.
};
struct Typed {
    TypedKind kind;
    std::string text;
};

// The prompt is shown where lines are edited. It is not copied.
LineEditor *open(const char *program, const char *prompt);
void close(LineEditor *editor); // Gives the terminal back as it was.

bool edits(const LineEditor &editor); // At a terminal, in the foreground when it was opened.
Typed take(LineEditor &editor);       // The next of what has been typed.
// What may stand there, one in a line, each with what was typed of it: inserts what they have in
// common, or shows them.
void complete(LineEditor &editor, const std::string &candidates);

// Around what others print while a line is edited: it gives way, and comes again.
void hide(LineEditor &editor);
void show(LineEditor &editor);

}
