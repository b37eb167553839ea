// An announcer and a finder exchange datagrams without a network, and once over a socket.
#include "tern/discovery.h"
#include "tests/c_interface/suite.h"

static tern_announcer *announcer_of(const tern_address *address)
{
    tern_announcer *announcer = NULL;
    tern_announcement announcement = {.struct_size = sizeof announcement,
                                      .game = "ships",
                                      .name = "Ada's",
                                      .address = *address,
                                      .open = true};
    CHECK(tern_make_announcer(&announcement, &announcer) == TERN_OK);
    return announcer;
}

static tern_finder *finder_of(const char *game, const tern_config *config)
{
    tern_finder *finder = NULL;
    tern_finder_config about = {.struct_size = sizeof about, .game = game, .config = config};
    CHECK(tern_make_finder(&about, &finder) == TERN_OK);
    return finder;
}

// Carries a query of the finder to the announcer, and the answer back. Gives the number of answers.
static size_t ask(tern_finder *finder, tern_announcer *announcer, const tern_session *session,
                  const tern_address *host, uint64_t now_us)
{
    const tern_datagram *queries = NULL, *answers = NULL, *none = NULL;
    size_t count = tern_find(finder, NULL, 0, now_us, &queries);
    CHECK(count == 1 && queries->address.port == TERN_DISCOVERY_PORT);
    if (count != 1) return 0;
    count = tern_announce(announcer, session, queries, count, now_us, &answers);
    if (count == 1) {
        tern_datagram answer = *answers;
        answer.address = *host;
        CHECK(tern_find(finder, &answer, 1, now_us, &none) == 0);
        CHECK(none == NULL);
    }
    return count;
}

static void check_found(const tern_finder *finder, tern_session *newcomer, tern_fit fit)
{
    const tern_found_session *found = NULL;
    CHECK(tern_found_sessions(finder, &found) == 1);
    CHECK(strcmp(found->game, "ships") == 0 && strcmp(found->name, "Ada's") == 0);
    CHECK(found->players == 1 && found->peers_max == 4);
    CHECK(found->fit == fit);
    CHECK(found->open && found->invite.address_count == 1);
    CHECK(found->last_seen_us == 0);
    if (newcomer) CHECK(tern_join(newcomer, &found->invite, NULL, 0) == TERN_OK);
}

static void test_exchange(Pair *pair, const tern_address *host)
{
    const tern_found_session *found = NULL;
    tern_config config = pair_config(pair);
    tern_announcer *announcer = announcer_of(host);
    tern_finder *finder = finder_of("ships", &config);
    CHECK(ask(finder, announcer, pair->sessions[0], host, 0) == 0); // It is not open.
    CHECK(tern_found_sessions(finder, &found) == 0);
    tern_destroy_finder(finder);

    CHECK(tern_start(pair->sessions[0]) == TERN_OK);
    finder = finder_of("ships", &config);
    CHECK(ask(finder, announcer, pair->sessions[0], host, 0) == 1);
    check_found(finder, pair->sessions[1], TERN_FITS);
    CHECK(await(pair, 1, TERN_EVENT_CAUGHT_UP) != NULL);
    CHECK(tern_finder_bad_datagrams(finder) == 0);
    CHECK(tern_announcer_bad_datagrams(announcer) == 0);
    tern_find(finder, NULL, 0, TERN_FOUND_AGE_MS_MAX * 1000 + 1, NULL);
    CHECK(tern_found_sessions(finder, NULL) == 0);
    tern_destroy_finder(finder);
    tern_destroy_announcer(announcer);
}

static void test_fits(Pair *pair, const tern_address *host)
{
    tern_finder *finder;
    tern_config config = pair_config(pair);
    tern_announcer *announcer = announcer_of(host);
    CHECK(tern_start(pair->sessions[0]) == TERN_OK);
    config.peers_max = 5;
    finder = finder_of(NULL, &config);
    CHECK(ask(finder, announcer, pair->sessions[0], host, 0) == 1);
    check_found(finder, NULL, TERN_FIT_OTHER_LIMITS);
    tern_destroy_finder(finder);
    finder = finder_of("boats", NULL);
    CHECK(ask(finder, announcer, pair->sessions[0], host, 0) == 0);
    tern_destroy_finder(finder);
    tern_destroy_announcer(announcer);
    CHECK(strcmp(tern_fit_text(TERN_FIT_FULL), "it is full") == 0);
}

static void test_garbage(Pair *pair, const tern_address *host)
{
    const tern_datagram garbage = {*host, "no query", 8};
    tern_announcer *announcer = announcer_of(host);
    tern_finder *finder = finder_of(NULL, NULL);
    CHECK(tern_announce(announcer, pair->sessions[0], &garbage, 1, 0, NULL) == 0);
    CHECK(tern_announcer_bad_datagrams(announcer) == 1);
    tern_find(finder, &garbage, 1, 0, NULL);
    CHECK(tern_finder_bad_datagrams(finder) == 1);
    tern_destroy_finder(finder);
    tern_destroy_announcer(announcer);
}

static void test_bad_config(Pair *pair)
{
    tern_config config = pair_config(pair);
    const tern_finder_config about = {.struct_size = sizeof about, .config = &config};
    tern_finder *finder = NULL;
    config.peers_max = 1;
    CHECK(tern_make_finder(&about, &finder) == TERN_BAD_CONFIG);
    CHECK(finder == NULL && pair->misuses == 1);
    tern_destroy_finder(NULL);
    tern_destroy_announcer(NULL);
}

static void test_discovery_socket(void)
{
    tern_socket *socket = NULL;
    CHECK(tern_make_discovery_socket(0, NULL) == TERN_MISUSE);
    if (tern_make_discovery_socket(0, &socket) != TERN_OK) return; // There is no network here.
    CHECK(tern_socket_port(socket) != 0);
    tern_destroy_socket(socket);
}

void test_discovery(void)
{
    Pair pair;
    tern_address host;
    CHECK(tern_parse_address("127.0.0.1:1", &host) == TERN_OK); // Peer 0 of the pair has it.
    if (make_pair(&pair, NULL)) {
        test_garbage(&pair, &host);
        test_exchange(&pair, &host);
        end_pair(&pair);
    }
    if (make_pair(&pair, NULL)) {
        test_fits(&pair, &host);
        test_bad_config(&pair);
        end_pair(&pair);
    }
    test_discovery_socket();
}
