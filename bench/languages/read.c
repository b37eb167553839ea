// Reads the positions of 1,000 bodies into an array of floats, as an engine does before it draws.
// The other programs of this folder do the same in their languages; ./dev engines --bench compares.
// Prints the time of one such tick in ns: "each" by tern_get() of each object, "many" by
// tern_get_many() of whole structs, "all" by tern_object_values().
#include <stdio.h>
#include <string.h>
#include <tern/many.h>
#include <tern/tern.h>

enum { bodies = 1000, ticks = 2000 };

struct body {
    float position[3];
    float rotation[4];
    int32_t health;
};

static float positions[3 * bodies];

static size_t read_each(const tern_session *session)
{
    const tern_object *ids;
    const size_t count = tern_object_ids(session, 0, &ids);
    for (size_t i = 0; i < count; ++i) {
        const struct body *body = tern_get(session, ids[i], sizeof *body);
        memcpy(positions + 3 * i, body->position, sizeof body->position);
    }
    return count;
}

static size_t read_many(const tern_session *session)
{
    static struct body read[bodies];
    const tern_object *ids;
    const size_t count = tern_object_ids(session, 0, &ids);
    tern_get_many(session, 0, ids, count, read, sizeof read);
    for (size_t i = 0; i < count; ++i)
        memcpy(positions + 3 * i, read[i].position, sizeof read[i].position);
    return count;
}

static size_t read_all(const tern_session *session)
{
    const tern_object *ids;
    const size_t count = tern_object_ids(session, 0, &ids);
    const struct body *values = tern_object_values(session, 0, sizeof *values);
    for (size_t i = 0; i < count; ++i)
        memcpy(positions + 3 * i, values[i].position, sizeof values[i].position);
    return count;
}

static int measure(const tern_session *session, const char *name,
                   size_t (*read)(const tern_session *session))
{
    const uint64_t begun_us = tern_clock_us();
    size_t count = 0;
    for (int i = 0; i < ticks; ++i)
        count += read(session);
    const uint64_t time_us = tern_clock_us() - begun_us;
    printf("%s %.0f\n", name, (double)time_us * 1000 / ticks);
    if (count == (size_t)bodies * ticks && positions[3 * 7] == 7.0f) return 0;
    fprintf(stderr, "read.c: what was read is wrong\n");
    return 1;
}

int main(void)
{
    const tern_field fields[] = {
        {.name = "position", .kind = TERN_FLOAT32, .offset_bytes = 0, .count = 3},
        {.name = "rotation", .kind = TERN_FLOAT32, .offset_bytes = 12, .count = 4},
        {.name = "health", .kind = TERN_INT32, .offset_bytes = 28, .count = 1},
    };
    const tern_type type = {.name = "body",
                            .size_bytes = sizeof(struct body),
                            .fields = fields,
                            .field_count = 3,
                            .objects_max = bodies};
    const tern_config config = {.struct_size = sizeof config,
                                .type_bytes = sizeof(tern_type),
                                .field_bytes = sizeof(tern_field),
                                .types = &type,
                                .type_count = 1};
    tern_session *session = NULL;
    if (tern_make_session(&config, &session) != TERN_OK || tern_start(session) != TERN_OK) return 1;
    for (int i = 0; i < bodies; ++i) {
        const struct body body = {{(float)i, 0, 0}, {0, 0, 0, 1}, i};
        tern_object made;
        if (tern_create(session, 0, &body, sizeof body, &made) != TERN_OK) return 1;
    }
    const int wrong = measure(session, "each", read_each) + measure(session, "many", read_many) +
                      measure(session, "all", read_all);
    tern_destroy_session(session);
    return wrong;
}
