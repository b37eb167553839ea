// A thread pool for loops: for_each() divides the iterations among the threads and its caller.
#include "tern/io.hpp"
#include "tern/limits.hpp"
#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>

namespace tern {

// `mutex` guards all members but the threads.
struct Workers {
    std::unique_ptr<pthread_t[]> threads;
    uint32_t thread_count = 0;
    std::mutex mutex;
    std::condition_variable begun, ended;
    uint64_t round = 0; // Count of calls of for_each(); a new value wakes the threads.
    bool over = false;  // The threads must end.
    void (*run)(void *context, uint32_t i) = nullptr;
    void *context = nullptr;
    uint32_t next = 0, count = 0; // Iterations from `next` on are not taken yet.
    uint32_t busy = 0;            // Threads that work on this round.
};

// Runs iterations until none is left. They are few and long, so taking the lock for each is cheap.
static void take_parts(Workers &w, std::unique_lock<std::mutex> &lock)
{
    while (w.next < w.count) {
        const uint32_t part = w.next++;
        const auto run = w.run;
        void *const context = w.context;
        lock.unlock();
        run(context, part);
        lock.lock();
    }
}

static void *run_worker(void *argument)
{
    Workers &w = *static_cast<Workers *>(argument);
    std::unique_lock lock(w.mutex);
    for (uint64_t seen = 0;;) {
        w.begun.wait(lock, [&] { return w.over || w.round != seen; });
        if (w.over) return nullptr;
        seen = w.round;
        w.busy += 1;
        take_parts(w, lock);
        w.busy -= 1;
        if (w.busy == 0) w.ended.notify_one();
    }
}

static void for_each(void *user, uint32_t count, void (*run)(void *context, uint32_t i),
                     void *context)
{
    Workers &w = *static_cast<Workers *>(user);
    std::unique_lock lock(w.mutex);
    w.run = run;
    w.context = context;
    w.next = 0;
    w.count = count;
    w.round += 1;
    w.begun.notify_all();
    take_parts(w, lock);
    w.ended.wait(lock, [&] { return w.busy == 0; }); // A thread that wakes later finds no work.
}

Workers *make_workers(uint32_t threads)
{
    if (threads == 0) return nullptr;
    auto *workers = new (std::nothrow) Workers;
    if (!workers) return nullptr;
    workers->threads.reset(new (std::nothrow) pthread_t[threads]);
    while (workers->threads && workers->thread_count < threads) {
        pthread_t &thread = workers->threads[workers->thread_count];
        if (pthread_create(&thread, nullptr, run_worker, workers) != 0) break;
        workers->thread_count += 1;
    }
    if (workers->thread_count == threads) return workers;
    destroy_workers(workers);
    return nullptr;
}

Parallel make_parallel(Workers *workers)
{
    if (!workers) return {};
    return {for_each, workers, std::min(workers->thread_count + 1, send_parts_max)};
}

void destroy_workers(Workers *workers)
{
    if (!workers) return;
    {
        const std::unique_lock lock(workers->mutex);
        workers->over = true;
        workers->begun.notify_all();
    }
    for (uint32_t i = 0; i < workers->thread_count; ++i)
        pthread_join(workers->threads[i], nullptr);
    delete workers;
}

}
