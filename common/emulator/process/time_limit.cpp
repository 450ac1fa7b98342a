// SPDX-License-Identifier: MIT
#include "common/emulator/process/time_limit.hpp"

#include <pthread.h>
#include <ucontext.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

#include "common/emulator/process/settings.hpp"

extern "C" char __executable_start, etext;

namespace emulator {

// One OS thread that runs blocks.
struct WatchedThread {
    pthread_t handle;
    clockid_t clock;
    // Odd while a block runs.
    std::atomic<std::uint64_t> round = 0;
    std::atomic<double> limit = 0;
    // Used by the watcher only: since when it sees this round.
    std::uint64_t seen_round = 0;
    double seen_at = 0;
};

namespace {

int time_signal() { return SIGRTMIN + 4; }

struct Watcher {
    std::mutex mutex;
    std::vector<WatchedThread*> threads;
    bool runs = false;
};

Watcher& watcher() {
    static auto* one = new Watcher;  // its thread outlives static storage
    return *one;
}

// Processor time: a block that waits, or shares a busy machine, is not endless.
double used_seconds(const WatchedThread& thread) {
    timespec time{};
    if (::clock_gettime(thread.clock, &time) != 0) return 0;
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

const void* interrupted_code(const void* context) {
    [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(machine.pc);
#else
    return &__executable_start;
#endif
}

TimeHandler time_handler = nullptr;

void on_time_signal(int, siginfo_t*, void* context) {
    const void* code = interrupted_code(context);
    time_handler(code >= &__executable_start && code < &etext);
}

void watch() {
    Watcher& own = watcher();
    constexpr auto kInterval = std::chrono::milliseconds(50);
    for (;;) {
        std::this_thread::sleep_for(kInterval);
        const std::lock_guard lock(own.mutex);
        for (WatchedThread* thread : own.threads) {
            const std::uint64_t round = thread->round.load(std::memory_order_relaxed);
            if (round != thread->seen_round) {
                thread->seen_round = round;
                thread->seen_at = used_seconds(*thread);
            } else if (round % 2 == 1 && used_seconds(*thread) - thread->seen_at > thread->limit) {
                ::pthread_kill(thread->handle, time_signal());
            }
        }
    }
}

void start_watching(Watcher& own) {
    own.runs = true;
    struct sigaction action {};
    action.sa_sigaction = on_time_signal;
    // SA_NODEFER: the handler does not return when it ends the block.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    ::sigaction(time_signal(), &action, nullptr);
    // The watcher must not receive the program's signals.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);
    std::thread(watch).detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Registered while the OS thread lives.
class Registration {
  public:
    Registration() {
        thread_->handle = ::pthread_self();
        ::pthread_getcpuclockid(thread_->handle, &thread_->clock);
        Watcher& own = watcher();
        const std::lock_guard lock(own.mutex);
        own.threads.push_back(thread_);
        if (!own.runs) start_watching(own);
    }
    ~Registration() {
        Watcher& own = watcher();
        const std::lock_guard lock(own.mutex);
        std::erase(own.threads, thread_);
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    WatchedThread* thread() { return thread_; }

  private:
    WatchedThread* thread_ = new WatchedThread;  // static destructors may still run kernels
};

}  // namespace

void install_time_handler(TimeHandler handler) { time_handler = handler; }

BlockWatch::BlockWatch() : thread_(nullptr) {
    if (settings().time_limit <= 0) return;
    thread_local Registration registration;
    thread_ = registration.thread();
    thread_->limit.store(settings().time_limit, std::memory_order_relaxed);
    thread_->round.fetch_add(1, std::memory_order_relaxed);
}

BlockWatch::~BlockWatch() {
    if (thread_ != nullptr) thread_->round.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace emulator
