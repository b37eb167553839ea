// Objects, claims, calls and misuse.
#include "tests/c_interface/suite.h"

static Pair pair;

static Ship ship_at(float x)
{
    Ship ship;
    memset(&ship, 0, sizeof ship);
    ship.x = x;
    ship.hp = 100;
    strcpy(ship.name, "Tern");
    return ship;
}

// Opens the pair. The host then owns this ship, and the guest knows it. TERN_NO_OBJECT: it failed.
static tern_object open_with(const Ship *ship)
{
    tern_object id = TERN_NO_OBJECT;
    if (!open_pair(&pair)) return id;
    CHECK(tern_create(pair.sessions[0], SHIP, ship, sizeof *ship, &id) == TERN_OK);
    CHECK(await(&pair, 1, TERN_EVENT_OBJECT_CREATED) != NULL);
    return id;
}

void test_objects(void)
{
    if (!open_pair(&pair)) return;
    tern_session *const host = pair.sessions[0], *const guest = pair.sessions[1];
    CHECK(tern_local_peer(host) == 1 && tern_host_peer(guest) == 1);
    const tern_peer *others = NULL;
    CHECK(tern_other_peers(host, &others) == 1 && others[0] == tern_local_peer(guest));
    CHECK(strcmp(tern_peer_name(host, others[0]), "ada") == 0);

    Ship ship = ship_at(5);
    tern_object id = TERN_NO_OBJECT;
    CHECK(tern_create(host, SHIP, &ship, sizeof ship, &id) == TERN_OK && id != TERN_NO_OBJECT);
    const tern_event *event = await(&pair, 1, TERN_EVENT_OBJECT_CREATED);
    CHECK(event && event->of.object.id == id && event->of.object.owner == 1);
    CHECK(event && event->of.object.type == SHIP);
    const Ship *there = (const Ship *)tern_get(guest, id, sizeof ship);
    CHECK(there && there->x == 5 && there->hp == 100 && strcmp(there->name, "Tern") == 0);

    ship.hp = 90;
    CHECK(tern_set(host, id, &ship, sizeof ship) == TERN_OK);
    event = await(&pair, 1, TERN_EVENT_OBJECT_CHANGED);
    CHECK(event && event->of.object.id == id && event->of.object.changed_fields == 2);
    CHECK(tern_world_digest(host) == tern_world_digest(guest));
    Ship shown;
    CHECK(tern_sample(guest, id, pair.now_us, &shown, sizeof shown) == TERN_OK && shown.hp == 90);
    const tern_object *ids = NULL;
    CHECK(tern_object_ids(guest, SHIP, &ids) == 1 && ids[0] == id);
    CHECK(((const Ship *)tern_object_values(guest, SHIP, sizeof ship))->hp == 90);

    CHECK(tern_set_priority(host, id, 2, 0) == TERN_OK);
    CHECK(await(&pair, 1, TERN_EVENT_OBJECT_HIDDEN) != NULL && tern_is_hidden(guest, id));
    CHECK(tern_set_priority(host, id, 9, 0) == TERN_GONE);
    tern_explanation explanation = {.struct_size = sizeof explanation};
    CHECK(tern_explain(host, id, 2, &explanation) == TERN_OK);
    CHECK(explanation.why == TERN_WHY_HIDDEN && explanation.owner == 1);
    CHECK(strlen(tern_why_text(explanation.why)) > 5);
    char text[TERN_OBJECT_TEXT_MAX];
    tern_object_text(((tern_object)65533 << 32) + UINT32_MAX, text);
    CHECK(strcmp(text, "65533.4294967295") == 0);
    tern_object_text(1, NULL); // Nothing is written.
    tern_peer_stats stats = {.struct_size = sizeof stats};
    CHECK(tern_get_peer_stats(host, 2, &stats) == TERN_OK && stats.sent_datagrams > 0);

    CHECK(tern_destroy(host, id) == TERN_OK);
    event = await(&pair, 1, TERN_EVENT_OBJECT_DESTROYED);
    CHECK(event && event->of.object.id == id && tern_find_value(guest, id, NULL));
    tern_type_id type = TERN_NO_TYPE;
    CHECK(tern_find_value(guest, id, &type) && type == tern_object_type(guest, id));
    tick(&pair);
    CHECK(!tern_exists(guest, id));
    CHECK(!tern_find_value(guest, id, &type) && type == TERN_NO_TYPE);
    CHECK(tern_leave(guest) == TERN_OK);
    CHECK(await(&pair, 0, TERN_EVENT_PEER_LEFT) != NULL);
    CHECK(strstr(pair.log, "Peer 2 (ada) has joined.\n") != NULL);
    CHECK(strstr(pair.log, "Peer 2 has left.\n") != NULL);
    CHECK(pair.misuses == 0);
    end_pair(&pair);
}

void test_many_objects(void)
{
    if (!open_pair(&pair)) return;
    tern_session *const host = pair.sessions[0];
    enum { COUNT = 20 };
    Ship ships[COUNT], copies[COUNT];
    tern_object ids[COUNT];
    for (int i = 0; i < COUNT; ++i)
        ships[i] = ship_at((float)i);
    CHECK(tern_create_many(host, SHIP, ships, sizeof ships, ids, COUNT) == COUNT);
    for (int i = 0; i < COUNT; ++i)
        ships[i].hp = i;
    CHECK(tern_set_many(host, SHIP, ids, COUNT, ships, sizeof ships) == COUNT);
    CHECK(tern_get_many(host, SHIP, ids, COUNT, copies, sizeof copies) == COUNT);
    CHECK(copies[7].x == 7 && copies[7].hp == 7);

    tern_object changed[COUNT];
    CHECK(await(&pair, 1, TERN_EVENT_OBJECT_CREATED) != NULL);
    CHECK(tern_changed_objects(pair.sessions[1], SHIP, changed, COUNT) == COUNT);
    CHECK(tern_changed_objects(host, SHIP, changed, COUNT) == 0); // Its own changes do not count.
    tick(&pair);
    CHECK(tern_changed_objects(pair.sessions[1], SHIP, changed, COUNT) == 0);
    ships[3].x = ships[5].x = 50;
    CHECK(tern_set_many(host, SHIP, ids, COUNT, ships, sizeof ships) == COUNT);
    CHECK(await(&pair, 1, TERN_EVENT_OBJECT_CHANGED) != NULL);
    CHECK(tern_changed_objects(pair.sessions[1], SHIP, changed, 1) == 2);
    CHECK(changed[0] == ids[3] || changed[0] == ids[5]);
    CHECK(tern_changed_objects(pair.sessions[1], SHIP, changed, COUNT) == 2);
    CHECK(changed[0] + changed[1] == ids[3] + ids[5]);
    CHECK(tern_get_many(pair.sessions[1], SHIP, changed, 2, copies, 2 * sizeof *copies) == 2);
    CHECK(copies[0].x == 50 && copies[1].x == 50);
    for (int i = 0; i < 20; ++i)
        tick(&pair);
    CHECK(tern_claim_many(pair.sessions[1], ids, COUNT, TERN_CLAIM_WAIT) == COUNT);
    CHECK(await(&pair, 1, TERN_EVENT_CLAIM_GRANTED) != NULL);
    CHECK(tern_destroy_many(pair.sessions[1], ids, COUNT) == COUNT);
    CHECK(pair.misuses == 0);
    Ship ship = ship_at(0);
    tern_object id = TERN_NO_OBJECT;
    tern_result result = TERN_OK;
    for (int i = 0; i < 100 && result == TERN_OK; ++i)
        result = tern_create(host, SHIP, &ship, sizeof ship, &id);
    CHECK(result == TERN_NO_ROOM && id == TERN_NO_OBJECT && pair.misuses == 0);
    CHECK(tern_creations_left(host, SHIP) == 0);
    end_pair(&pair);
}

void test_claims(void)
{
    Ship ship = ship_at(1);
    tern_object id = open_with(&ship);
    if (id == TERN_NO_OBJECT) return;
    tern_session *const host = pair.sessions[0], *const guest = pair.sessions[1];
    const uint64_t stamp = tern_object_stamp(guest, id);
    CHECK(!tern_may_set(guest, id));
    CHECK(tern_claim(guest, id, TERN_CLAIM_OPTIMISTIC) == TERN_OK && tern_is_claiming(guest, id));
    ship.x = 2;
    CHECK(tern_may_set(guest, id) && tern_set(guest, id, &ship, sizeof ship) == TERN_OK);
    const tern_event *event = await(&pair, 1, TERN_EVENT_CLAIM_GRANTED);
    CHECK(event && event->of.claim.object == id && event->of.claim.claimer == 2);
    CHECK(event && event->of.claim.type == SHIP);
    CHECK(tern_object_owner(guest, id) == 2 && tern_object_stamp(guest, id) > stamp);
    for (int i = 0; i < 10; ++i)
        tick(&pair);
    CHECK(tern_object_owner(host, id) == 2);
    CHECK(((const Ship *)tern_get(host, id, sizeof ship))->x == 2);

    CHECK(tern_lock(guest, id, true) == TERN_OK);
    for (int i = 0; i < 10; ++i)
        tick(&pair);
    CHECK(tern_claim(host, id, TERN_CLAIM_WAIT) == TERN_OK);
    event = await(&pair, 0, TERN_EVENT_CLAIM_REFUSED);
    CHECK(event && event->of.claim.refusal == TERN_REFUSAL_LOCKED);
    CHECK(tern_migrate(host, id, 1) == TERN_OK);
    event = await(&pair, 1, TERN_EVENT_OWNER_CHANGED);
    CHECK(event && event->of.owner.owner == 1 && event->of.owner.previous == 2);
    CHECK(tern_migrate(host, id, 77) == TERN_GONE);
    CHECK(pair.misuses == 0);
    end_pair(&pair);
}

void test_calls(void)
{
    Ship ship = ship_at(1);
    tern_object id = open_with(&ship);
    if (id == TERN_NO_OBJECT) return;
    tern_session *const host = pair.sessions[0], *const guest = pair.sessions[1];
    tern_call_id call = TERN_NO_CALL;
    Hit hit;
    memset(&hit, 0, sizeof hit);
    hit.ship = id;
    hit.damage = 10;
    CHECK(tern_call(guest, TERN_EVERYONE, HIT, &hit, sizeof hit, TERN_UNRELIABLE) == TERN_OK);
    const tern_event *event = await(&pair, 0, TERN_EVENT_CALL);
    CHECK(event && event->of.call.peer == 2 && event->of.call.type == HIT);
    CHECK(event && event->of.call.argument_bytes == sizeof hit);
    CHECK(event && ((const Hit *)event->of.call.arguments)->damage == 10);
    CHECK(event && event->of.call.id == TERN_NO_CALL);

    CHECK(tern_request_owner(guest, id, HIT, &hit, sizeof hit, 1000, &call) == TERN_OK);
    event = await(&pair, 0, TERN_EVENT_CALL);
    CHECK(event && event->of.call.object == id && event->of.call.id == call);
    if (event) {
        hit.damage = 90;
        CHECK(tern_reply(host, 2, event->of.call.id, HIT, &hit, sizeof hit) == TERN_OK);
    }
    event = await(&pair, 1, TERN_EVENT_REPLY);
    CHECK(event && event->of.call.id == call);
    CHECK(event && ((const Hit *)event->of.call.arguments)->damage == 90);

    CHECK(tern_call(guest, 9, HIT, &hit, sizeof hit, TERN_RELIABLE) == TERN_GONE);
    CHECK(tern_call(guest, TERN_HOST, HIT, &hit, sizeof hit, TERN_RELIABLE) == TERN_OK);
    CHECK(tern_call(guest, TERN_HOST, HIT, &hit, sizeof hit, TERN_RELIABLE) == TERN_NOT_ALLOWED);
    for (int i = 0; i < 150; ++i)
        tick(&pair);
    CHECK(tern_request(guest, 1, HIT, &hit, sizeof hit, 300, &call) == TERN_OK);
    event = await(&pair, 1, TERN_EVENT_CALL_FAILED);
    CHECK(event && event->of.call.id == call);
    CHECK(event && event->of.call.failure == TERN_FAILURE_NO_REPLY);
    CHECK(strlen(tern_call_failure_text(TERN_FAILURE_NO_REPLY)) > 5);
    CHECK(pair.misuses == 0);
    end_pair(&pair);
}

void test_misuse(void)
{
    Ship ship = ship_at(1);
    tern_object id = open_with(&ship);
    if (id == TERN_NO_OBJECT) return;
    tern_session *const host = pair.sessions[0], *const guest = pair.sessions[1];
    CHECK(tern_set(guest, id, &ship, sizeof ship) == TERN_MISUSE);
    CHECK(pair.misuses == 1 && strcmp(pair.function, "set") == 0);
    CHECK(strstr(pair.wrong, "belongs to peer 1") != NULL);
    CHECK(tern_set(host, id, &ship, 3) == TERN_MISUSE && pair.misuses == 2);
    CHECK(tern_get(host, id, 3) == NULL && pair.misuses == 3);
    CHECK(tern_create(host, 7, &ship, sizeof ship, &id) == TERN_MISUSE && id == TERN_NO_OBJECT);
    CHECK(tern_create(host, SHIP, NULL, sizeof ship, &id) == TERN_MISUSE);
    CHECK(tern_start(host) == TERN_MISUSE && pair.misuses == 6);
    CHECK(tern_receive(host, NULL, 0, 1) == TERN_MISUSE && pair.misuses == 7);
    tern_session_stats stats = {.struct_size = sizeof stats};
    CHECK(tern_get_session_stats(host, &stats) == TERN_OK && stats.objects == 1);
    CHECK(tern_claim_many(guest, &id, 1, TERN_CLAIM_WAIT) == 0);
    end_pair(&pair);
}
