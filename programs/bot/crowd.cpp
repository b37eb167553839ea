#include "crowd.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

using namespace tern;

namespace bot {

namespace {

constexpr uint64_t publish_interval_us = 200'000;
constexpr uint64_t rtt_interval_us = 1'000'000;
constexpr uint64_t goodbye_us_max = 5'000'000; // A bot that takes longer to leave is dropped.

struct Seat {
    Player player;
    uint64_t join_us, next_tick_us;
    uint64_t leave_us; // When it leaves; 0: not decided yet.
    bool joined;       // join() was called.
    bool given_up;     // Leaving took too long.
};

struct Worker {
    const Options *options;
    std::vector<Seat> seats;
    uint64_t late_ticks = 0, worst_late_us = 0, longest_tick_us = 0;
    uint64_t rtts_us = 0; // When round trips were last sampled.
    RoundTrips rtts, rtts_now;
    std::mutex mutex;
    Census census = {};  // Guarded by the mutex.
    std::jthread thread; // The last member, so that it is joined before the others are destroyed.
};

}

struct Crowd {
    std::atomic<Phase> phase = Phase::playing;
    std::vector<std::unique_ptr<Worker>> workers;
    ~Crowd()
    {
        phase = Phase::over;
        for (auto &worker : workers)
            worker->thread.join();
    }
};

namespace crowd {

// --- One worker, in its thread ---

static bool is_done(const Seat &seat)
{
    return player::has_ended(seat.player) || seat.given_up;
}

static void tick_seat(Worker &worker, Seat &seat, Phase phase, uint64_t now_us)
{
    const uint64_t interval_us = 1'000'000 / worker.options->hz;
    const uint64_t late_us = now_us - seat.next_tick_us;
    worker.worst_late_us = std::max(worker.worst_late_us, late_us);
    if (late_us > interval_us) worker.late_ticks += 1;
    // Missed ticks are skipped.
    seat.next_tick_us =
        late_us > interval_us ? now_us + interval_us : seat.next_tick_us + interval_us;
    if (phase == Phase::leaving && seat.leave_us == 0)
        seat.leave_us =
            now_us + seat.player.number * uint64_t{1'000'000} / worker.options->join_per_second;
    const bool leaves = seat.leave_us != 0 && now_us >= seat.leave_us;
    if (leaves && now_us >= seat.leave_us + goodbye_us_max) seat.given_up = true;
    const Wish wish = leaves ? Wish::leave : phase == Phase::playing ? Wish::play : Wish::rest;
    player::tick(seat.player, wish, now_us);
    worker.longest_tick_us = std::max(worker.longest_tick_us, clock_us() - now_us);
}

// Ticks the seats that are due. Returns when the next one is.
static uint64_t tick_all(Worker &worker, Phase phase)
{
    uint64_t next_us = clock_us() + publish_interval_us;
    for (Seat &seat : worker.seats) {
        const uint64_t now_us = clock_us();
        if (is_done(seat)) continue;
        if (!seat.joined && phase == Phase::playing && now_us >= seat.join_us) {
            seat.joined = true;
            seat.next_tick_us = now_us;
            player::join(seat.player);
        }
        if (seat.joined && now_us >= seat.next_tick_us) tick_seat(worker, seat, phase, now_us);
        next_us = std::min(next_us, seat.joined ? seat.next_tick_us : seat.join_us);
    }
    return next_us;
}

static void sample_round_trips(Worker &worker, uint64_t now_us)
{
    if (now_us < worker.rtts_us + rtt_interval_us) return;
    worker.rtts_us = now_us;
    worker.rtts_now = {};
    for (const Seat &seat : worker.seats) {
        if (is_done(seat) || session_state(seat.player.session) != State::open) continue;
        for (PeerId peer : other_peers(seat.player.session))
            if (const uint32_t rtt_us = peer_stats(seat.player.session, peer).rtt_us; rtt_us > 0)
                add(worker.rtts_now, rtt_us);
    }
    add(worker.rtts, worker.rtts_now);
}

static void count_end(Census &s, const Seat &seat)
{
    const Player &p = seat.player;
    const State end = p.session ? session_state(p.session) : State::unreachable;
    if (end == State::left || seat.given_up) {
        s.left += 1;
        return;
    }
    (p.was_open ? s.lost : s.failed) += 1;
    s.ends[p.session ? state_text(p.session) : p.socket_error] += 1;
    if (!p.was_open && p.session && end == State::unreachable) s.unreachable += 1;
    if (end == State::refused_types) s.types_refused = true;
}

static void add_world(Census &s, const Player &p, Phase phase)
{
    if (s.host == PeerId::none) s.host = host_peer(p.session);
    const SessionStats session = session_stats(p.session);
    s.owned += session.owned;
    for (PeerId peer : other_peers(p.session))
        s.lost_datagrams += peer_stats(p.session, peer).lost_datagrams;
    s.awaiting += p.awaiting.size();
    if (phase != Phase::resting) return;
    if (s.digests.empty()) s.objects = session.objects;
    s.digests[world_digest(p.session)] += 1;
}

static void add_left(std::map<PeerId, uint64_t> &all, const std::map<PeerId, uint64_t> &some)
{
    for (const auto &[peer, us] : some)
        all[peer] = std::max(all[peer], us);
}

static void add_seat(Census &s, const Seat &seat, Phase phase)
{
    const Player &p = seat.player;
    add(s.tally, p.tally);
    add(s.charges, p.charges);
    add_left(s.left_us, p.left_us);
    const SocketStats socket = p.socket ? p.socket->stats() : SocketStats{};
    s.sockets.sent_datagrams += socket.sent_datagrams;
    s.sockets.sent_bytes += socket.sent_bytes;
    s.sockets.received_datagrams += socket.received_datagrams;
    s.sockets.received_bytes += socket.received_bytes;
    s.sockets.send_failures += socket.send_failures;
    if (is_done(seat)) return count_end(s, seat);
    if (!seat.joined) {
        s.waiting += 1;
        return;
    }
    const State present = session_state(p.session);
    (present == State::open || present == State::leaving ? s.open : s.joining) += 1;
    if (present == State::open) add_world(s, p, phase);
}

static void publish(Worker &worker, Phase phase)
{
    Census s = {};
    for (const Seat &seat : worker.seats)
        add_seat(s, seat, phase);
    s.late_ticks = worker.late_ticks;
    s.worst_late_us = worker.worst_late_us;
    s.longest_tick_us = worker.longest_tick_us;
    s.rtts = worker.rtts;
    s.rtts_now = worker.rtts_now;
    const std::lock_guard lock(worker.mutex);
    worker.census = std::move(s);
}

static void work(Worker &worker, const std::atomic<Phase> &phase)
{
    uint64_t published_us = 0;
    for (Phase present = phase; present != Phase::over; present = phase) {
        const uint64_t next_us = tick_all(worker, present);
        const uint64_t now_us = clock_us();
        sample_round_trips(worker, now_us);
        if (now_us >= published_us + publish_interval_us) {
            published_us = now_us;
            publish(worker, present);
        }
        if (next_us > now_us) sleep_us(std::min<uint64_t>(next_us - now_us, publish_interval_us));
    }
    for (Seat &seat : worker.seats)
        player::destroy_player(seat.player);
}

// --- The crowd ---

std::shared_ptr<Crowd> make(const Options &options)
{
    auto crowd = std::make_shared<Crowd>();
    const uint32_t processors = std::max(1u, std::thread::hardware_concurrency());
    const uint32_t jobs = std::min(options.jobs > 0 ? options.jobs : processors, options.count);
    for (uint32_t i = 0; i < jobs; ++i) {
        auto worker = std::make_unique<Worker>();
        worker->options = &options;
        worker->census.waiting = options.count / jobs + (i < options.count % jobs ? 1 : 0);
        crowd->workers.push_back(std::move(worker));
    }
    for (uint32_t i = 0; i < options.count; ++i) {
        Seat seat = {};
        seat.player = player::make_player(options, i + 1);
        seat.join_us = i * uint64_t{1'000'000} / options.join_per_second;
        crowd->workers[i % jobs]->seats.push_back(std::move(seat));
    }
    const uint64_t now_us = clock_us(); // After making the sessions, which takes a while.
    for (auto &worker : crowd->workers)
        for (Seat &seat : worker->seats)
            seat.join_us += now_us;
    for (auto &worker : crowd->workers)
        worker->thread =
            std::jthread([&worker = *worker, &phase = crowd->phase] { work(worker, phase); });
    return crowd;
}

void enter(Crowd &crowd, Phase phase)
{
    crowd.phase = phase;
}

static void add(Census &sum, const Census &other)
{
    sum.waiting += other.waiting;
    sum.joining += other.joining;
    sum.open += other.open;
    sum.left += other.left;
    sum.failed += other.failed;
    sum.lost += other.lost;
    sum.unreachable += other.unreachable;
    sum.types_refused = sum.types_refused || other.types_refused;
    for (const auto &[text, count] : other.ends)
        sum.ends[text] += count;
    bot::add(sum.tally, other.tally);
    sum.sockets.sent_datagrams += other.sockets.sent_datagrams;
    sum.sockets.sent_bytes += other.sockets.sent_bytes;
    sum.sockets.received_datagrams += other.sockets.received_datagrams;
    sum.sockets.received_bytes += other.sockets.received_bytes;
    sum.sockets.send_failures += other.sockets.send_failures;
    sum.lost_datagrams += other.lost_datagrams;
    sum.late_ticks += other.late_ticks;
    sum.worst_late_us = std::max(sum.worst_late_us, other.worst_late_us);
    sum.longest_tick_us = std::max(sum.longest_tick_us, other.longest_tick_us);
    bot::add(sum.charges, other.charges);
    add_left(sum.left_us, other.left_us);
    bot::add(sum.rtts, other.rtts);
    bot::add(sum.rtts_now, other.rtts_now);
    if (sum.host == PeerId::none) sum.host = other.host;
    sum.owned += other.owned;
    sum.awaiting += other.awaiting;
    if (sum.digests.empty()) sum.objects = other.objects;
    for (const auto &[digest, count] : other.digests)
        sum.digests[digest] += count;
}

Census census(Crowd &crowd)
{
    Census sum = {};
    for (const auto &worker : crowd.workers) {
        const std::lock_guard lock(worker->mutex);
        add(sum, worker->census);
    }
    return sum;
}

}
}
