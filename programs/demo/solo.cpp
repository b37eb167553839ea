#include "solo.h"
#include "common/command_line.h"
#include "local.h"
#include "picture.h"
#include <algorithm>
#include <cstdio>
#include <string>

namespace demo::solo {

static constexpr uint64_t second_us = 1'000'000;
static constexpr uint16_t peers_max = 16;

struct Solo {
    Peer peer;
    Local local;
    bool draws;
    Progress shown;
    uint64_t shown_us;
    std::string invite; // At the host: what others join with.
};

// Empty, or what is wrong with an option.
static std::string become_host(Solo &solo, const Options &options)
{
    Address address = peer::own_address(solo.peer, options.socket);
    if (!options.address.empty()) {
        const ParsedAddress parsed = parse_address(options.address.c_str());
        if (parsed.error)
            return "--address: \"" + options.address + "\" is no address: " + parsed.error +
                   "; expected one like 192.0.2.1:7777";
        address = parsed.address;
    }
    start(solo.peer.session);
    solo.invite = std::string("tern-demo --socket ") + socket_name(options.socket) +
                  " --topology " + topology_name(options.topology) + " --join " +
                  to_text(make_invite(solo.peer.session, {&address, 1})).text;
    std::printf("Others join with\n\n  %s\n\n", solo.invite.c_str());
    if (options.address.empty() && options.announce.empty())
        std::printf("from this machine only; --address makes an invite for others.\n");
    std::fflush(stdout);
    return "";
}

static std::string become_guest(Solo &solo, const Options &options, const PeerSetup &setup)
{
    if (options.find) {
        const FoundInvite found = local::search(options, setup);
        if (found.error.empty()) join(solo.peer.session, found.invite);
        return found.error;
    }
    const ParsedInvite parsed = parse_invite(options.invite.c_str());
    if (parsed.error)
        return std::string("--join: \"") + options.invite + "\" is no invite: " + parsed.error;
    join(solo.peer.session, parsed.invite);
    return "";
}

static void show(Solo &solo, const Options &options, uint64_t now_us)
{
    const uint64_t interval_us = solo.draws ? second_us / 4 : second_us;
    if (now_us - solo.shown_us < interval_us) return;
    PictureRow row = {peer::progress(solo.peer), solo.shown,
                      static_cast<double>(now_us - solo.shown_us) / second_us, ""};
    if (solo.draws) {
        const std::string title = std::string("tern-demo  ") + socket_name(options.socket) +
                                  "  Ctrl-C leaves  " + state_text(solo.peer.session);
        picture::show({title, picture::dots(solo.peer), {row}, solo.invite});
    } else {
        std::printf("demo: peer %u %s members=%u objects=%llu owned=%llu migrations=%llu rtt=%ums "
                    "bridged=%u digest=%016llx\n",
                    static_cast<unsigned>(row.now.self), peer::state_name(row.now.state),
                    row.now.members, static_cast<unsigned long long>(row.now.objects),
                    static_cast<unsigned long long>(row.now.owned),
                    static_cast<unsigned long long>(row.now.migrations), row.now.rtt_us / 1000,
                    row.now.bridged, static_cast<unsigned long long>(row.now.digest));
        std::fflush(stdout);
    }
    solo.shown = row.now;
    solo.shown_us = now_us;
}

static void run_until_over(Solo &solo, const Options &options)
{
    Session *session = solo.peer.session;
    const uint64_t begun_us = clock_us(), tick_us = second_us / options.hz;
    uint64_t next_us = begun_us;
    while (!peer::is_over(session_state(session))) {
        const uint64_t now_us = clock_us();
        const bool time_over =
            options.seconds_given && now_us - begun_us >= options.seconds * second_us;
        const State present = session_state(session);
        if ((command_line::ended() || time_over) && present != State::leaving) leave(session);
        peer::tick(solo.peer, true);
        local::tick(solo.local, solo.peer);
        show(solo, options, now_us);
        next_us = std::max(next_us + tick_us, now_us);
        const uint64_t after_us = clock_us();
        if (next_us > after_us) sleep_us(next_us - after_us);
    }
}

int run(const Options &options)
{
    // Guests on several machines should not all do the same.
    const auto chance = static_cast<uint32_t>(clock_us() % 1'000'000);
    PeerSetup setup = peer::setup(options, options.port >= 0 ? 0 : 1 + chance);
    setup.port = static_cast<uint16_t>(std::max(0, options.port));
    setup.peers_max = peers_max;
    setup.cubes_max = objects_limit;
    setup.timeout_ms = 5000;
    setup.name = options.port >= 0 ? "host" : "guest";
    MadePeer made = peer::make_peer(setup);
    if (!made.error.empty()) {
        std::fprintf(stderr, "tern-demo: %s\n", made.error.c_str());
        return 1;
    }
    Solo solo = {};
    solo.peer = std::move(made.peer);
    solo.shown_us = clock_us();
    std::string wrong =
        options.port >= 0 ? become_host(solo, options) : become_guest(solo, options, setup);
    if (wrong.empty()) {
        MadeLocal local = local::make_local(options, solo.peer);
        solo.local = local.local;
        wrong = local.error;
    }
    if (!wrong.empty()) {
        std::fprintf(stderr, "tern-demo: %s\n", wrong.c_str());
        peer::destroy_peer(solo.peer);
        return options.find ? 1 : 2; // To find nobody is no mistake.
    }
    command_line::heed_signals();
    solo.draws = picture::possible();
    if (solo.draws) picture::begin();
    run_until_over(solo, options);
    picture::end();
    const State last = session_state(solo.peer.session);
    std::printf("demo: %s: %s\n", peer::state_name(last), state_text(solo.peer.session));
    local::destroy_local(solo.local);
    peer::destroy_peer(solo.peer);
    return last == State::left ? 0 : 1;
}

}
