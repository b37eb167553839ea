#include "child.h"
#include "cuts.h"
#include "picture.h"
#include <algorithm>

namespace demo::child {

static constexpr uint64_t report_interval_us = 100'000;
static constexpr uint64_t lag_us_max = 100'000; // What is later than this is not caught up with.

struct Life {
    Peer peer;
    Task task;
    Inbox inbox;
    Play play;   // Until it is here, nobody plays.
    bool opened; // As told to the parent.
    bool finishing;
    uint64_t reported_us;
};

static int fail(Life &life, const std::string &text)
{
    pipes::write_message(life.task.to_parent, MessageKind::failed, text.data(), text.size());
    peer::destroy_peer(life.peer);
    return 1;
}

// Empty, or what is wrong.
static std::string enter(Life &life, const Options &options)
{
    Peer &peer = life.peer;
    if (life.task.index > 0) {
        const ParsedInvite parsed = parse_invite(life.task.invite.c_str());
        if (parsed.error) return std::string("the invite: ") + parsed.error;
        join(peer.session, parsed.invite);
        return "";
    }
    start(peer.session);
    const Address address = peer::own_address(peer, options.socket);
    const InviteText text = to_text(make_invite(peer.session, {&address, 1}));
    pipes::write_message(life.task.to_parent, MessageKind::invite, text.text,
                         std::strlen(text.text));
    return "";
}

static void take_orders(Life &life)
{
    for (;;) {
        const Message message = pipes::next_message(life.inbox);
        if (message.kind == MessageKind::none) return;
        if (message.kind == MessageKind::play) life.play = pipes::value<Play>(message);
        if (message.kind == MessageKind::finish) life.finishing = true;
    }
}

static void report(Life &life, uint64_t now_us)
{
    if (!life.opened && session_state(life.peer.session) == State::open) {
        life.opened = true;
        pipes::write_message(life.task.to_parent, MessageKind::opened, nullptr, 0);
    }
    if (now_us - life.reported_us < report_interval_us) return;
    life.reported_us = now_us;
    pipes::write_message(life.task.to_parent, MessageKind::progress, peer::progress(life.peer));
    if (life.task.draws)
        pipes::write_messages(life.task.to_parent, MessageKind::picture, picture::dots(life.peer));
}

static int testify(Life &life)
{
    const Progress progress = peer::progress(life.peer);
    pipes::write_message(life.task.to_parent, MessageKind::progress, progress);
    const std::string missing = peer::missing(life.peer);
    pipes::write_message(life.task.to_parent, MessageKind::missing, missing.data(), missing.size());
    pipes::write_messages(life.task.to_parent, MessageKind::world, peer::world(life.peer));
    peer::destroy_peer(life.peer);
    return 0;
}

// Waits for the parent's word on whom it has no path to.
static void take_cuts(Life &life)
{
    pipes::write_message(life.task.to_parent, MessageKind::port,
                         life.peer.socket->local_address().port);
    while (!life.inbox.ended) {
        const Message message = pipes::next_message(life.inbox);
        if (message.kind == MessageKind::cuts) {
            life.peer.socket =
                cuts::make_cut_socket(life.peer.socket, pipes::values<uint16_t>(message));
            return;
        }
        sleep_us(1000);
    }
}

int run(const Options &options, const Task &task)
{
    const std::string name = task.index == 0 ? "host" : "peer " + std::to_string(task.index + 1);
    PeerSetup setup = peer::setup(options, task.index);
    setup.name = name.c_str();
    Life life = {};
    life.task = task;
    life.inbox.descriptor = task.from_parent;
    MadePeer made = peer::make_peer(setup);
    if (!made.error.empty()) return fail(life, made.error);
    life.peer = std::move(made.peer);
    if (options.cut_pairs > 0 && task.index > 0) take_cuts(life);
    const std::string wrong = enter(life, options);
    if (!wrong.empty()) return fail(life, wrong);

    const uint64_t tick_us = 1'000'000 / options.hz;
    uint64_t next_us = clock_us();
    while (!life.inbox.ended) {
        take_orders(life);
        const uint64_t now_us = clock_us();
        peer::tick(life.peer, now_us >= life.play.from_us && now_us < life.play.until_us);
        const State now = session_state(life.peer.session);
        if (peer::is_over(now))
            return fail(life,
                        std::string(peer::state_name(now)) + ": " + state_text(life.peer.session));
        if (life.finishing) return testify(life);
        report(life, now_us);
        next_us = std::max(next_us + tick_us, clock_us() - lag_us_max);
        const uint64_t after_us = clock_us();
        if (next_us > after_us) sleep_us(next_us - after_us);
    }
    peer::destroy_peer(life.peer);
    return 1; // The parent has gone.
}

}
