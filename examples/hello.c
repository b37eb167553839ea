/* Ada makes a lamp. Ben, on another peer, asks for it and switches it off. In C99, over UDP. */
#include <stdio.h>
#include <tern/tern.h>

typedef struct Lamp {
    bool lit;
} Lamp;

static const tern_field fields[] = {
    {.name = "lit", .kind = TERN_BOOLEAN, .offset_bytes = offsetof(Lamp, lit)}};
static const tern_type types[] = {{.name = "lamp",
                                   .size_bytes = sizeof(Lamp),
                                   .fields = fields,
                                   .field_count = 1,
                                   .objects_max = 100}};

static void receive(tern_session *session, tern_socket *socket)
{
    const tern_datagram *datagrams = NULL;
    const size_t count = tern_socket_receive(socket, &datagrams);
    tern_receive(session, datagrams, count, tern_clock_us());
}

static void send(tern_session *session, tern_socket *socket)
{
    const tern_datagram *datagrams = NULL;
    const size_t count = tern_send(session, tern_clock_us(), &datagrams);
    tern_socket_send(socket, datagrams, count);
}

/* Plays until Ada sees that the lamp is off, or for ten seconds. Gives whether she has seen it. */
static bool play(tern_session *ada, tern_socket *ada_socket, tern_session *ben,
                 tern_socket *ben_socket, tern_object lamp)
{
    const Lamp off = {false};
    const uint64_t end_us = tern_clock_us() + 10000000;
    while (tern_clock_us() < end_us) {
        const tern_event *events = NULL;
        receive(ada, ada_socket);
        receive(ben, ben_socket);
        const size_t count = tern_events(ben, &events);
        for (size_t i = 0; i < count; ++i) {
            if (events[i].kind == TERN_EVENT_CAUGHT_UP) tern_claim(ben, lamp, TERN_CLAIM_WAIT);
            if (events[i].kind == TERN_EVENT_CLAIM_GRANTED) tern_set(ben, lamp, &off, sizeof off);
        }
        if (!((const Lamp *)tern_get(ada, lamp, sizeof(Lamp)))->lit) return true;
        send(ada, ada_socket);
        send(ben, ben_socket);
    }
    return false;
}

int main(void)
{
    const tern_config config = {.struct_size = sizeof config,
                                .type_bytes = sizeof(tern_type),
                                .field_bytes = sizeof(tern_field),
                                .types = types,
                                .type_count = 1};
    const Lamp lit = {true};
    tern_session *ada = NULL, *ben = NULL;
    tern_socket *ada_socket = NULL, *ben_socket = NULL;
    tern_object lamp = TERN_NO_OBJECT;
    tern_address address;
    tern_invite invite;
    bool is_off = false;
    tern_result result = tern_make_udp_socket(0, false, &ada_socket);
    if (result == TERN_OK) result = tern_make_udp_socket(0, false, &ben_socket);
    if (result == TERN_OK) result = tern_make_session(&config, &ada);
    if (result == TERN_OK) result = tern_make_session(&config, &ben);
    if (result == TERN_OK) result = tern_start(ada);
    if (result == TERN_OK) result = tern_parse_address("127.0.0.1:1", &address);
    address.port = tern_socket_port(ada_socket);
    if (result == TERN_OK) result = tern_make_invite(ada, &address, 1, &invite);
    if (result == TERN_OK) result = tern_join(ben, &invite, NULL, 0);
    if (result == TERN_OK) result = tern_create(ada, 0, &lit, sizeof lit, &lamp);
    if (result == TERN_OK)
        is_off = play(ada, ada_socket, ben, ben_socket, lamp);
    else
        fprintf(stderr, "%s\n", tern_result_text(result));
    puts(is_off ? "Ada sees that Ben has switched the lamp off." : "The lamp is still lit.");
    tern_destroy_session(ben);
    tern_destroy_session(ada);
    tern_destroy_socket(ben_socket);
    tern_destroy_socket(ada_socket);
    return is_off ? 0 : 1;
}
