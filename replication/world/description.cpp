// The text of a type table. Peers compare its digest when they join, and show the difference to
// people.
#include "base/assert.h"
#include "base/hash.h"
#include "replication/world/field.h"
#include "replication/world/number_text.h"
#include "replication/world/type_table.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

namespace tern::type_table {

static constexpr const char *kind_names[] = {
    "boolean", "int8",    "int16",      "int32", "int64",  "uint8", "uint16", "uint32",
    "uint64",  "float32", "quaternion", "peer",  "object", "text",  "bytes",  "values"};
static constexpr const char *orphan_names[] = {"to_host", "destroy", "spread", "ask_game", "hold"};
static constexpr const char *caller_names[] = {"anybody", "host", "owner"};
static constexpr const char *claim_names[] = {"always", "ask_game", "never"};

struct Text { // Cuts what does not fit.
    std::span<char> buffer;
    size_t count;
};

static void add(Text &text, std::string_view part)
{
    const size_t size = std::min(part.size(), text.buffer.size() - text.count);
    if (size > 0) std::memcpy(text.buffer.data() + text.count, part.data(), size);
    text.count += size;
}

static void add_number(Text &text, double number)
{
    char digits[number_text_bytes_max];
    add(text, {digits, write_number(digits, number)});
}

template <class T> static void add_number(Text &text, T number)
{
    char digits[32];
    const std::to_chars_result result = std::to_chars(digits, digits + sizeof(digits), number);
    add(text, {digits, static_cast<size_t>(result.ptr - digits)});
}

static void add_type(Text &text, const Type &type)
{
    add(text, "type ");
    add(text, type.name);
    if (type.objects_max > 0) {
        add(text, " objects ");
        add_number(text, type.objects_max);
        add(text, " orphan ");
        add(text, orphan_names[static_cast<size_t>(type.orphan)]);
        add(text, " claim ");
        add(text, claim_names[static_cast<size_t>(type.claim)]);
        if (type.predicted) add(text, " predicted");
        if (type.claim_cooldown_ms > 0) {
            add(text, " cooldown ");
            add_number(text, type.claim_cooldown_ms);
        }
        if (type.owned_max > 0) {
            add(text, " owned ");
            add_number(text, type.owned_max);
        }
        if (type.claims_per_second_max > 0) {
            add(text, " claims_per_second ");
            add_number(text, type.claims_per_second_max);
        }
    }
    if (type.callers != Callers::anybody) {
        add(text, " callers ");
        add(text, caller_names[static_cast<size_t>(type.callers)]);
    }
    if (type.calls_per_second_max > 0) {
        add(text, " calls_per_second ");
        add_number(text, type.calls_per_second_max);
    }
    add(text, "\n");
}

static void add_field(Text &text, const Field &field)
{
    add(text, "field ");
    add(text, field.name);
    add(text, " ");
    add(text, kind_names[static_cast<size_t>(field.kind)]);
    if (field.count != 1) {
        add(text, " count ");
        add_number(text, field.count);
    }
    if (field::has_range(field)) {
        add(text, " min ");
        add_number(text, field.min + 0.0); // -0 and 0 are the same limit.
        add(text, " max ");
        add_number(text, field.max + 0.0);
    }
    if (field.step != 0) {
        add(text, " step ");
        add_number(text, field.step);
    }
    if (field.bound != 0) {
        add(text, " bound ");
        add_number(text, field.bound);
    }
    add(text, "\n");
}

size_t describe(const TypeTable &table, std::span<char> buffer)
{
    Text text{buffer, 0};
    for (const Type &type : table.types) {
        add_type(text, type);
        for (const Field &field : type.fields)
            add_field(text, field);
    }
    return text.count;
}

uint64_t digest(const TypeTable &table)
{
    char text[description_bytes_max];
    const size_t size = describe(table, text);
    return hash::add(hash::start, std::as_bytes(std::span<const char>(text, size)));
}

// --- Differences ---

static std::string_view line_at(std::span<const char> text, size_t begin)
{
    if (begin >= text.size()) return {};
    const std::string_view rest(text.data() + begin, text.size() - begin);
    return rest.substr(0, rest.find('\n'));
}

// The line may come from a peer and contain any bytes.
static void add_quoted(Text &text, std::string_view line)
{
    static constexpr size_t shown_max = 96;
    add(text, "\"");
    for (char c : line.substr(0, shown_max)) {
        const char shown = c >= ' ' && c < 127 ? c : '?';
        add(text, {&shown, 1});
    }
    add(text, line.size() > shown_max ? "...\"" : "\"");
}

static void add_side(Text &text, const char *side, std::string_view line)
{
    add(text, side);
    if (line.empty())
        add(text, "nothing more");
    else
        add_quoted(text, line);
}

void first_difference(std::span<const char> ours, std::span<const char> theirs,
                      std::span<char> buffer)
{
    if (buffer.empty()) return;
    std::memset(buffer.data(), 0, buffer.size());
    Text text{buffer.first(buffer.size() - 1), 0};
    std::string_view type;
    for (size_t at = 0; at < ours.size() || at < theirs.size();) {
        const std::string_view our_line = line_at(ours, at);
        const std::string_view their_line = line_at(theirs, at);
        if (our_line == their_line && at < ours.size() && at < theirs.size()) {
            if (our_line.starts_with("type ")) type = our_line.substr(5);
            at += our_line.size() + 1;
            continue;
        }
        add(text, "The type tables differ");
        if (!type.empty() && !our_line.starts_with("type ") && !their_line.starts_with("type ")) {
            add(text, " in type ");
            add(text, type.substr(0, type.find(' ')));
        }
        add_side(text, ": here ", our_line);
        add_side(text, ", there ", their_line);
        add(text, ".");
        return;
    }
    const bool equal = ours.size() == theirs.size(); // Otherwise one text lacks its last line feed.
    add(text, equal ? "The type tables are equal." : "The type tables differ: one is cut short.");
}

}
