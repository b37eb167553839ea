// The tests of the C headers share a check, a type table, and two peers without a network.
#ifndef SUITE_H
#define SUITE_H

#include "tern/interest.h"
#include "tern/many.h"
#include "tern/tern.h"
#include <stdio.h>
#include <string.h>

extern int failures;
void check(bool holds, const char *text, const char *file, int line);
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

typedef struct Ship {
    float x;
    int32_t hp;
    tern_object target;
    char name[12];
} Ship;

typedef struct Hit {
    tern_object ship;
    uint8_t damage;
} Hit;

enum { SHIP = 0, HIT = 1, TYPES = 2 };
extern const tern_type types[TYPES];

enum { DATAGRAMS = 64, EVENTS = 32 };

typedef struct Inbox {
    tern_datagram datagrams[DATAGRAMS];
    unsigned char bytes[DATAGRAMS][1500];
    size_t count;
} Inbox;

// Two peers. Datagrams arrive in the next tick.
typedef struct Pair {
    tern_session *sessions[2];
    Inbox inboxes[2];
    uint64_t now_us;
    // The events of the last tick with events of this kind, or of all kinds, of each peer.
    tern_event events[2][EVENTS];
    size_t event_counts[2];
    // Reports and lines of both peers.
    int misuses;
    char function[64], wrong[256], log[2048];
} Pair;

tern_config pair_config(Pair *pair);
bool make_pair(Pair *pair, const tern_config *config); // Two sessions, neither started nor joining.
bool open_pair(Pair *pair); // Peer 0 starts, peer 1 joins it. False: it does not, and both ended.
void tick(Pair *pair);
// Ticks until the peer gets an event of this kind, at most 300 times. NULL: it does not get one.
const tern_event *await(Pair *pair, int peer, tern_event_kind kind);
void end_pair(Pair *pair);

void test_configs(void);
void test_sized_structs(void);
void test_memory(void);
void test_objects(void);
void test_many_objects(void);
void test_claims(void);
void test_calls(void);
void test_misuse(void);
void test_admission(void);
void test_sockets(void);
void test_values(void);
void test_discovery(void);

#endif
