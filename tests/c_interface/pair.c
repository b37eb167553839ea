#include "tests/c_interface/suite.h"

static const tern_field ship_fields[] = {
    {.name = "x",
     .kind = TERN_FLOAT32,
     .offset_bytes = offsetof(Ship, x),
     .min = -100,
     .max = 100,
     .step = 0.01},
    {.name = "hp", .kind = TERN_INT32, .offset_bytes = offsetof(Ship, hp)},
    {.name = "target", .kind = TERN_OBJECT, .offset_bytes = offsetof(Ship, target)},
    {.name = "name", .kind = TERN_TEXT, .offset_bytes = offsetof(Ship, name), .count = 12},
};

static const tern_field hit_fields[] = {
    {.name = "ship", .kind = TERN_OBJECT, .offset_bytes = offsetof(Hit, ship)},
    {.name = "damage", .kind = TERN_UINT8, .offset_bytes = offsetof(Hit, damage)},
};

const tern_type types[TYPES] = {
    {.name = "ship",
     .size_bytes = sizeof(Ship),
     .fields = ship_fields,
     .field_count = 4,
     .objects_max = 64},
    {.name = "hit",
     .size_bytes = sizeof(Hit),
     .fields = hit_fields,
     .field_count = 2,
     .calls_per_second_max = 3},
};

static void take_misuse(void *user, const tern_misuse *misuse)
{
    Pair *pair = (Pair *)user;
    pair->misuses += 1;
    snprintf(pair->function, sizeof pair->function, "%s", misuse->function);
    snprintf(pair->wrong, sizeof pair->wrong, "%s", misuse->wrong);
}

static void take_line(void *user, const char *line)
{
    Pair *pair = (Pair *)user;
    const size_t used = strlen(pair->log);
    snprintf(pair->log + used, sizeof pair->log - used, "%s\n", line);
}

tern_config pair_config(Pair *pair)
{
    const tern_config config = {.struct_size = sizeof config,
                                .type_bytes = sizeof(tern_type),
                                .field_bytes = sizeof(tern_field),
                                .types = types,
                                .type_count = TYPES,
                                .peers_max = 4,
                                .name = "ada",
                                .misuse = {take_misuse, pair},
                                .log = {take_line, pair}};
    return config;
}

bool make_pair(Pair *pair, const tern_config *config)
{
    const tern_config usual = pair_config(pair);
    memset(pair, 0, sizeof *pair);
    for (int i = 0; i < 2; ++i) {
        const tern_result result = tern_make_session(config ? config : &usual, &pair->sessions[i]);
        CHECK(result == TERN_OK);
        if (result != TERN_OK) return false;
    }
    return true;
}

static tern_address address_of(int peer)
{
    tern_address address;
    tern_parse_address(peer == 0 ? "127.0.0.1:1" : "127.0.0.1:2", &address);
    return address;
}

static void carry(Pair *pair, int from, const tern_datagram *sent, size_t count)
{
    Inbox *inbox = &pair->inboxes[1 - from];
    for (size_t i = 0; i < count && inbox->count < DATAGRAMS; ++i) {
        tern_datagram *datagram = &inbox->datagrams[inbox->count];
        memcpy(inbox->bytes[inbox->count], sent[i].bytes, sent[i].size_bytes);
        datagram->address = address_of(from);
        datagram->bytes = inbox->bytes[inbox->count];
        datagram->size_bytes = sent[i].size_bytes;
        inbox->count += 1;
    }
}

void tick(Pair *pair)
{
    pair->now_us += 10000;
    for (int i = 0; i < 2; ++i) {
        const tern_event *events = NULL;
        Inbox *inbox = &pair->inboxes[i];
        tern_receive(pair->sessions[i], inbox->datagrams, inbox->count, pair->now_us);
        inbox->count = 0;
        const size_t count = tern_events(pair->sessions[i], &events);
        pair->event_counts[i] = count < EVENTS ? count : (size_t)EVENTS;
        memcpy(pair->events[i], events, pair->event_counts[i] * sizeof *events);
    }
    for (int i = 0; i < 2; ++i) {
        const tern_datagram *datagrams = NULL;
        const size_t count = tern_send(pair->sessions[i], pair->now_us, &datagrams);
        carry(pair, i, datagrams, count);
    }
}

const tern_event *await(Pair *pair, int peer, tern_event_kind kind)
{
    for (int ticks = 0; ticks < 300; ++ticks) {
        tick(pair);
        for (size_t i = 0; i < pair->event_counts[peer]; ++i)
            if (pair->events[peer][i].kind == kind) return &pair->events[peer][i];
    }
    return NULL;
}

bool open_pair(Pair *pair)
{
    tern_invite invite;
    char text[TERN_INVITE_TEXT_MAX];
    const tern_address address = address_of(0);
    if (!make_pair(pair, NULL)) return false;
    CHECK(tern_start(pair->sessions[0]) == TERN_OK);
    CHECK(tern_make_invite(pair->sessions[0], &address, 1, &invite) == TERN_OK);
    tern_invite_text(&invite, text);
    CHECK(tern_parse_invite(text, &invite) == NULL);
    CHECK(tern_join(pair->sessions[1], &invite, NULL, 0) == TERN_OK);
    CHECK(await(pair, 1, TERN_EVENT_CAUGHT_UP) != NULL);
    if (tern_session_state(pair->sessions[1]) == TERN_STATE_OPEN) return true;
    end_pair(pair);
    return false;
}

void end_pair(Pair *pair)
{
    for (int i = 0; i < 2; ++i)
        tern_destroy_session(pair->sessions[i]);
}
