// Configs, sized structs, memory, admission and sockets.
#include "tests/c_interface/suite.h"
#include <stdlib.h>

static Pair pair;

void test_configs(void)
{
    char text[TERN_PROBLEM_TEXT_MAX];
    tern_session *session = NULL;
    tern_config config = pair_config(&pair);
    memset(&pair, 0, sizeof pair);
    CHECK(tern_config_problem(&config, text) == TERN_OK && strcmp(text, "") == 0);
    config.peers_max = 1;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG);
    CHECK(strstr(text, "peers_max") != NULL);
    CHECK(tern_session_bytes(&config) == 0 && strcmp(pair.function, "session_bytes") == 0);
    CHECK(tern_make_session(&config, &session) == TERN_BAD_CONFIG && session == NULL);
    CHECK(pair.misuses == 2 && strstr(pair.wrong, "peers_max") != NULL);
    CHECK(strcmp(pair.function, "make_session") == 0);
    config = pair_config(&pair);
    config.struct_size = 0;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG);
    CHECK(strstr(text, ".struct_size = sizeof(tern_config)") != NULL);
    CHECK(strstr(text, "misuse.handle is not called") != NULL);
    config = pair_config(&pair);
    config.type_bytes = 0;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG);
    CHECK(strstr(text, "type_bytes is 0: write .type_bytes = sizeof(tern_type)") != NULL);
    config = pair_config(&pair);
    config.field_bytes = 13;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG);
    CHECK(strstr(text, "field_bytes is 13: write .field_bytes = sizeof(tern_field)") != NULL);
    config = pair_config(&pair);
    config.type_count = 0;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG);
    CHECK(strstr(text, "types is set, and type_count is 0") != NULL);
    config.types = NULL;
    CHECK(tern_config_problem(&config, text) == TERN_OK);
    config = pair_config(&pair);
    config.types = NULL;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG && strstr(text, "types") != NULL);
    CHECK(tern_config_problem(NULL, text) == TERN_BAD_CONFIG);
    tern_type wrong = types[SHIP];
    wrong.field_count = 65;
    config = pair_config(&pair);
    config.types = &wrong;
    config.type_count = 1;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG);
    CHECK(strstr(text, "types[0] (ship)") != NULL);
    wrong.field_count = 0;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG);
    CHECK(strstr(text, "types[0] (ship): fields is set, and field_count is 0") != NULL);
    wrong.fields = NULL; // A type without fields: its objects only exist, its calls only arrive.
    CHECK(tern_config_problem(&config, text) == TERN_OK);
    wrong.field_count = 2;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG);
    CHECK(strstr(text, "field_count is above 0, and fields is null") != NULL);
    for (int i = 0; i > -14; --i)
        CHECK(strlen(tern_result_text((tern_result)i)) > 10);
    CHECK(strstr(tern_result_text(TERN_BAD_TEXT), "1.2.3.4:7777") != NULL);
    for (int i = TERN_REFUSAL_NONE; i <= TERN_REFUSAL_QUOTA; ++i)
        CHECK(strlen(tern_claim_refusal_text((tern_claim_refusal)i)) > 5);
    CHECK(strcmp(tern_version(), TERN_VERSION) == 0);
}

static void ignore_crash(void *user, const tern_crash *crash)
{
    (void)user;
    (void)crash;
}

// A program that was compiled before members were added, and one that knows more of them.
void test_sized_structs(void)
{
    tern_session *session = NULL;
    const size_t known = offsetof(tern_config, send_bytes_per_second_max);
    tern_config older = pair_config(&pair);
    older.struct_size = (uint32_t)(known + 7) / 8 * 8;
    memset((char *)&older + older.struct_size, 0xff, sizeof older - older.struct_size);
    CHECK(tern_make_session(&older, &session) == TERN_OK);
    CHECK(tern_session_config(session)->crash.handle == NULL);
    tern_destroy_session(session);

    struct {
        tern_config known;
        uint64_t unknown[4];
    } newer;
    memset(&newer, 0, sizeof newer);
    newer.known = pair_config(&pair);
    newer.known.struct_size = sizeof newer;
    newer.known.crash.handle = ignore_crash;
    struct {
        tern_type known;
        uint64_t unknown[2];
    } newer_types[TYPES];
    memset(newer_types, 0, sizeof newer_types);
    for (int i = 0; i < TYPES; ++i)
        newer_types[i].known = types[i];
    newer.known.type_bytes = sizeof newer_types[0];
    newer.known.types = &newer_types[0].known;
    CHECK(tern_make_session(&newer.known, &session) == TERN_OK);
    CHECK(tern_session_config(session)->crash.handle == ignore_crash);
    CHECK(tern_start(session) == TERN_OK);
    const Hit hit = {TERN_NO_OBJECT, 1};
    CHECK(tern_call(session, TERN_HOST, HIT, &hit, sizeof hit, TERN_RELIABLE) == TERN_OK);

    tern_session_stats stats;
    memset(&stats, 0xff, sizeof stats);
    stats.struct_size = offsetof(tern_session_stats, owned);
    CHECK(tern_get_session_stats(session, &stats) == TERN_OK);
    CHECK(stats.objects == 0 && stats.owned == UINT64_MAX);
    stats.struct_size = sizeof stats;
    CHECK(tern_get_session_stats(session, &stats) == TERN_OK && stats.owned == 0);
    tern_destroy_session(session);
}

typedef struct Memory {
    size_t bytes, blocks;
    size_t blocks_max;
} Memory;

static void *allocate(void *user, size_t size_bytes)
{
    Memory *memory = (Memory *)user;
    if (memory->blocks == memory->blocks_max) return NULL;
    memory->bytes += size_bytes;
    memory->blocks += 1;
    return calloc(1, size_bytes);
}

static void release(void *user, void *block)
{
    ((Memory *)user)->blocks -= 1;
    free(block);
}

static void ignore_misuse(void *user, const tern_misuse *misuse)
{
    (void)user;
    (void)misuse;
}

void test_memory(void)
{
    Memory memory = {0, 0, 100};
    tern_session *session = NULL;
    tern_config config = pair_config(&pair);
    config.log.line = NULL;
    config.misuse.handle = ignore_misuse;
    config.allocator.allocate = allocate;
    config.allocator.release = release;
    config.allocator.user = &memory;
    const size_t bytes = tern_session_bytes(&config);
    CHECK(bytes > 10000 && memory.blocks == 0);
    memory.bytes = 0;
    CHECK(tern_make_session(&config, &session) == TERN_OK);
    CHECK(memory.bytes == bytes && memory.blocks > 0);
    const size_t blocks = memory.blocks;
    tern_destroy_session(session);
    CHECK(memory.blocks == 0);
    for (memory.blocks_max = 0; memory.blocks_max < blocks; ++memory.blocks_max) {
        CHECK(tern_make_session(&config, &session) == TERN_NO_MEMORY && session == NULL);
        CHECK(memory.blocks == 0);
    }
    char text[TERN_PROBLEM_TEXT_MAX];
    config.allocator.release = NULL; // What is allocated could not be released.
    memory.bytes = 0;
    CHECK(tern_config_problem(&config, text) == TERN_BAD_CONFIG);
    CHECK(strstr(text, "allocate") != NULL && memory.bytes == 0);
}

void test_admission(void)
{
    tern_invite invite;
    const char payload[] = "level 3";
    tern_address address;
    tern_config config = pair_config(&pair);
    config.admission = TERN_ADMIT_ASK_GAME;
    if (!make_pair(&pair, &config)) return;
    tern_parse_address("127.0.0.1:1", &address);
    CHECK(tern_start(pair.sessions[0]) == TERN_OK);
    CHECK(tern_make_invite(pair.sessions[0], &address, 1, &invite) == TERN_OK);
    CHECK(tern_parse_invite("tern1-nonsense", NULL) != NULL);
    CHECK(tern_join(pair.sessions[1], &invite, payload, sizeof payload) == TERN_OK);
    const tern_event *asked = await(&pair, 0, TERN_EVENT_JOIN_ASKED);
    CHECK(asked != NULL);
    if (!asked) return;
    CHECK(strcmp(asked->of.newcomer.name, "ada") == 0);
    CHECK(asked->of.newcomer.payload_bytes == sizeof payload);
    CHECK(memcmp(asked->of.newcomer.payload, payload, sizeof payload) == 0);
    CHECK(tern_admit(pair.sessions[0], 99) == TERN_GONE);
    CHECK(tern_refuse(pair.sessions[0], asked->of.newcomer.peer, "not today") == TERN_OK);
    for (int i = 0; i < 50; ++i)
        tick(&pair);
    CHECK(tern_session_state(pair.sessions[1]) == TERN_STATE_REFUSED_BY_GAME);
    CHECK(strstr(tern_state_text(pair.sessions[1]), "not today") != NULL);
    CHECK(strstr(pair.log, "not today") != NULL);
    end_pair(&pair);
}

void test_sockets(void)
{
    tern_socket *one = NULL, *other = NULL;
    char text[TERN_ADDRESS_TEXT_MAX];
    CHECK(tern_make_udp_socket(0, false, &one) == TERN_OK);
    CHECK(tern_make_udp_socket(tern_socket_port(one), false, &other) == TERN_PORT_IN_USE);
    CHECK(other == NULL);
    CHECK(tern_make_udp_socket(0, false, &other) == TERN_OK);
    tern_address address;
    CHECK(tern_parse_address("nowhere", &address) == TERN_BAD_TEXT);
    CHECK(tern_parse_address("127.0.0.1:7777", &address) == TERN_OK && address.port == 7777);
    const tern_address same = tern_loopback(7777, false), ipv6 = tern_loopback(7777, true);
    CHECK(memcmp(&same, &address, sizeof same) == 0 && memcmp(&same, &ipv6, sizeof same) != 0);
    tern_address local[4];
    const size_t found = tern_local_addresses(7777, local, 4);
    CHECK(found >= 1 && found <= 4 && local[found - 1].port == 7777);
    CHECK(tern_local_addresses(7777, local, 0) == 0);
    CHECK(tern_local_addresses(7777, NULL, 4) == 0);
    tern_address_text(&address, text);
    CHECK(strcmp(text, "127.0.0.1:7777") == 0);
    address.port = tern_socket_port(other);
    const tern_datagram datagram = {address, "hello", 5};
    const tern_datagram *received = NULL;
    const uint64_t end_us = tern_clock_us() + 5000000;
    size_t count = 0;
    tern_socket_send(one, &datagram, 1);
    while (count == 0 && tern_clock_us() < end_us) {
        tern_sleep_us(100);
        count = tern_socket_receive(other, &received);
    }
    CHECK(count == 1);
    if (count == 1) {
        CHECK(received->size_bytes == 5 && memcmp(received->bytes, "hello", 5) == 0);
        CHECK(received->address.port == tern_socket_port(one));
    }
    tern_destroy_socket(one);
    tern_destroy_socket(other);
    tern_destroy_socket(NULL);
    tern_address_text(NULL, text);
    CHECK(strcmp(text, "") == 0);
    tern_address_text(&address, NULL);
    tern_socket_send(NULL, NULL, 1);
    CHECK(tern_socket_receive(NULL, &received) == 0 && received == NULL);
    CHECK(tern_make_udp_socket(0, false, NULL) == TERN_MISUSE);
    CHECK(tern_parse_address(NULL, &address) == TERN_BAD_TEXT);
    CHECK(strcmp(tern_state_name(TERN_STATE_CUT_OFF), "cut_off") == 0);
    CHECK(strcmp(tern_state_name(TERN_STATE_OVERFLOW), "overflow") == 0);
    CHECK(strcmp(tern_state_name((tern_state)(TERN_STATE_OVERFLOW + 1)), "") == 0);
}
