// Dynamic values are written into a field and read from it.
#include "tern/values.h"
#include "tests/c_interface/suite.h"

typedef struct Note {
    uint8_t about[40];
} Note;

// Starts to write the first field of a note.
static tern_value_writer writer_of(Note *note)
{
    tern_value_writer writer;
    memset(note, 0xee, sizeof *note);
    tern_write_value(&writer, note->about, sizeof note->about);
    return writer;
}

static tern_value next(tern_value_reader *reader, tern_value_kind kind)
{
    tern_value value;
    CHECK(tern_next_value(reader, &value) == kind);
    CHECK(value.kind == kind);
    return value;
}

static void check_string(tern_value_reader *reader, const char *text)
{
    const tern_value value = next(reader, TERN_VALUE_STRING);
    CHECK(value.string_bytes == strlen(text));
    CHECK(memcmp(value.string, text, value.string_bytes) == 0);
}

static void test_round_trip(void)
{
    Note note;
    tern_value_reader reader;
    tern_value_writer writer = writer_of(&note);
    tern_begin_table(&writer, 3); // {"red", true, {}, size = -3, [false] = 0.5}
    tern_put_string(&writer, "red", 3);
    tern_put_boolean(&writer, true);
    tern_begin_table(&writer, 0);
    tern_end_table(&writer);
    tern_put_string(&writer, "size", 4);
    tern_put_integer(&writer, -3);
    tern_put_boolean(&writer, false);
    tern_put_number(&writer, 0.5);
    tern_end_table(&writer);
    CHECK(tern_writer_error(&writer) == TERN_VALUE_OK);
    CHECK(tern_finish_value(&writer) == TERN_VALUE_OK);
    CHECK(note.about[sizeof note.about - 1] == 0);

    tern_read_value(&reader, note.about, sizeof note.about);
    CHECK(next(&reader, TERN_VALUE_TABLE).array_count == 3);
    check_string(&reader, "red");
    CHECK(next(&reader, TERN_VALUE_BOOLEAN).boolean);
    CHECK(next(&reader, TERN_VALUE_TABLE).array_count == 0);
    next(&reader, TERN_VALUE_END);
    CHECK(!next(&reader, TERN_VALUE_BOOLEAN).boolean);
    {
        const tern_value half = next(&reader, TERN_VALUE_NUMBER);
        CHECK(half.number >= 0.5 && half.number <= 0.5 && !half.is_integer);
    }
    check_string(&reader, "size");
    {
        const tern_value size = next(&reader, TERN_VALUE_NUMBER);
        CHECK(size.is_integer && (int)size.number == -3);
    }
    next(&reader, TERN_VALUE_END);
    next(&reader, TERN_VALUE_END);
    next(&reader, TERN_VALUE_END);
}

static void test_nil(void)
{
    Note note;
    tern_value_reader reader;
    tern_value_writer writer = writer_of(&note);
    tern_put_nil(&writer);
    CHECK(tern_finish_value(&writer) == TERN_VALUE_OK);
    CHECK(note.about[0] == 0);
    tern_read_value(&reader, note.about, sizeof note.about);
    next(&reader, TERN_VALUE_NIL);
    next(&reader, TERN_VALUE_END);
    memset(&note, 0xff, sizeof note); // Malformed.
    tern_read_value(&reader, note.about, sizeof note.about);
    next(&reader, TERN_VALUE_NIL);
    tern_read_value(&reader, NULL, 0);
    next(&reader, TERN_VALUE_NIL);
}

// The first error stays, and the field then is nil.
static void check_error(tern_value_writer *writer, const Note *note, tern_value_error error)
{
    CHECK(tern_writer_error(writer) == error);
    tern_put_integer(writer, INT64_MAX);
    CHECK(tern_finish_value(writer) == error);
    CHECK(strlen(tern_value_error_text(error)) > 10);
    for (size_t i = 0; i < sizeof note->about; ++i)
        CHECK(note->about[i] == 0);
}

static void test_errors(void)
{
    Note note;
    tern_value_writer writer = writer_of(&note);
    tern_put_string(&writer, "This string is longer than all of the field.", 44);
    check_error(&writer, &note, TERN_VALUE_TOO_LONG);

    writer = writer_of(&note);
    tern_begin_table(&writer, TERN_VALUES_COUNT_MAX + 1);
    check_error(&writer, &note, TERN_VALUE_TOO_MANY);

    writer = writer_of(&note);
    for (int depth = 0; depth <= TERN_VALUES_DEPTH_MAX; ++depth)
        tern_begin_table(&writer, 1);
    check_error(&writer, &note, TERN_VALUE_TOO_DEEP);

    writer = writer_of(&note);
    tern_put_integer(&writer, TERN_VALUES_INTEGER_MAX + 1);
    check_error(&writer, &note, TERN_VALUE_INTEGER);

    writer = writer_of(&note);
    tern_begin_table(&writer, 1);
    tern_put_nil(&writer);
    check_error(&writer, &note, TERN_VALUE_NIL_IN_TABLE);

    writer = writer_of(&note);
    tern_begin_table(&writer, 0);
    tern_put_integer(&writer, 1);
    check_error(&writer, &note, TERN_VALUE_KEY);

    writer = writer_of(&note);
    tern_begin_table(&writer, 0);
    for (int depth = 0; depth < 2; ++depth) {
        tern_put_string(&writer, "key", 3);
        tern_put_boolean(&writer, true);
    }
    tern_end_table(&writer);
    check_error(&writer, &note, TERN_VALUE_TWICE);

    writer = writer_of(&note);
    tern_end_table(&writer);
    check_error(&writer, &note, TERN_VALUE_SHAPE);
}

void test_values(void)
{
    test_round_trip();
    test_nil();
    test_errors();
}
