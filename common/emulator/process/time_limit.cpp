// SPDX-License-Identifier: MIT
#include "common/emulator/process/time_limit.hpp"

#include <pthread.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
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
    // The account of time for which it works (account_of); 0: for none.
    std::atomic<std::uint64_t> account = 0;
    // That of the last grid: tiny grids are seldom seen at work, though they follow one another.
    std::atomic<std::uint64_t> recent = 0;
    // Of a block, in seconds.
    std::atomic<double> limit = 0;
    // Used by the watcher only: since when it sees this round, and the time that it has seen.
    std::uint64_t seen_round = 0;
    double round_began_at = 0;
    double seen_at = 0;
};

namespace {

int time_signal() { return SIGRTMIN + 4; }

using SteadyClock = std::chrono::steady_clock;

// Seconds of processor time.
struct AccountTime {
    double total = 0;
    double of_interval = 0;
    double limit = 0;  // of a block
    int idle_looks = 0;  // since it was last seen
};

struct Watcher {
    std::mutex mutex;
    std::vector<WatchedThread*> threads;
    bool runs = false;
    // Used by the watcher only.
    std::map<std::uint64_t, AccountTime> accounts;
    SteadyClock::time_point looked_at;
};

// A launch's own grid has an account, and so have the grids that device code launches in it.
constexpr std::uint64_t account_of(std::uint64_t launch, bool by_device) {
    return launch << 1 | static_cast<std::uint64_t>(by_device);
}
constexpr bool is_of_device(std::uint64_t account) { return (account & 1) != 0; }

// An account of grids that device code launched, whose time is used up; 0: none.
constinit std::atomic<std::uint64_t> overdue_account = 0;
// Seconds that all kernels of the program have used.
constinit std::atomic<double> program_seconds = 0;
constinit thread_local int uninterruptible = 0;
// Set by the handler, which may interrupt the thread anywhere.
constinit thread_local volatile std::sig_atomic_t overdue_in_library = 0;

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
    if (uninterruptible > 0) {
        overdue_in_library = 1;
        return;
    }
    const void* code = interrupted_code(context);
    const bool in_program = code >= &__executable_start && code < &etext;
    if (!in_program) {
        overdue_in_library = 1;
    } else {
        // The handler may leave without returning, so nothing would restore the mask. Until here
        // the signal is blocked: another one would find this function in place of the C library.
        sigset_t own;
        ::sigemptyset(&own);
        ::sigaddset(&own, time_signal());
        ::pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
    }
    time_handler(in_program);
}

// Adds the processor time since the last look to the accounts for which it was used. Several
// threads do not use an account's time faster than one.
void charge_accounts(Watcher& own, double elapsed) {
    double program_used = 0;
    for (WatchedThread* thread : own.threads) {
        const double now = used_seconds(*thread);
        const double used = now - std::exchange(thread->seen_at, now);
        const std::uint64_t running = thread->account.load(std::memory_order_relaxed);
        const std::uint64_t recent = thread->recent.exchange(running, std::memory_order_relaxed);
        // Between its launches, the host's time is its own.
        const std::uint64_t account = running != 0 || !is_of_device(recent) ? running : recent;
        if (account == 0) continue;
        AccountTime& time = own.accounts[account];
        time.idle_looks = 0;
        time.of_interval += used;
        if (running != 0) program_used += used;
        time.limit = thread->limit.load(std::memory_order_relaxed);
    }
    std::uint64_t overdue = 0;
    for (auto& [account, time] : own.accounts) {
        time.total += std::min(std::exchange(time.of_interval, 0), elapsed);
        const bool is_used_up = time.total > time.limit * kLaunchTimeFactor;
        if (time.idle_looks == 0 && is_of_device(account) && is_used_up) overdue = account;
    }
    program_seconds.fetch_add(std::min(program_used, elapsed), std::memory_order_relaxed);
    overdue_account.store(overdue, std::memory_order_relaxed);
    for (auto entry = own.accounts.begin(); entry != own.accounts.end();) {
        constexpr int kMostIdleLooks = 100;
        const bool ended = entry->second.idle_looks++ > kMostIdleLooks;
        entry = ended ? own.accounts.erase(entry) : std::next(entry);
    }
}

// Returns whether some thread was told to end its block.
bool end_overdue_blocks(Watcher& own) {
    bool some_are_overdue = false;
    for (WatchedThread* thread : own.threads) {
        const std::uint64_t round = thread->round.load(std::memory_order_relaxed);
        if (round != thread->seen_round) {
            thread->seen_round = round;
            thread->round_began_at = thread->seen_at;
        }
        if (round % 2 == 0) continue;
        const double used = thread->seen_at - thread->round_began_at;
        if (used <= thread->limit.load(std::memory_order_relaxed)) continue;
        some_are_overdue = true;
        ::pthread_kill(thread->handle, time_signal());
    }
    return some_are_overdue;
}

void watch() {
    Watcher& own = watcher();
    constexpr auto kInterval = std::chrono::milliseconds(50);
    // A block that mostly calls libraries is seldom interrupted in its own code.
    constexpr auto kShortInterval = std::chrono::milliseconds(2);
    own.looked_at = SteadyClock::now();
    for (auto interval = kInterval;;) {
        std::this_thread::sleep_for(interval);
        const std::lock_guard lock(own.mutex);
        const auto now = SteadyClock::now();
        const std::chrono::duration<double> elapsed = now - std::exchange(own.looked_at, now);
        charge_accounts(own, elapsed.count());
        interval = end_overdue_blocks(own) ? kShortInterval : kInterval;
    }
}

void start_watching(Watcher& own) {
    own.runs = true;
    struct sigaction action {};
    action.sa_sigaction = on_time_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
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
        thread_->seen_at = used_seconds(*thread_);
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

// The calling OS thread, whose limit is set; nullptr if there is no limit.
WatchedThread* watched_thread() {
    const double limit = settings().time_limit;
    if (limit <= 0) return nullptr;
    thread_local Registration registration;
    registration.thread()->limit.store(limit, std::memory_order_relaxed);
    return registration.thread();
}

bool program_is_overdue() {
    const double limit = settings().time_limit * kProgramTimeFactor;
    return limit > 0 && program_seconds.load(std::memory_order_relaxed) > limit;
}

std::string describe(const char* what, double seconds, const char* advice) {
    char text[240];
    std::snprintf(text, sizeof text,
                  "%s for %g s%s EMULATOR_TIME_LIMIT=SECONDS allows more, 0 removes the limit",
                  what, seconds, advice);
    return text;
}

}  // namespace

void install_time_handler(TimeHandler handler) { time_handler = handler; }

BlockWatch::BlockWatch() : thread_(watched_thread()) {
    overdue_in_library = 0;
    if (thread_ != nullptr) thread_->round.fetch_add(1, std::memory_order_relaxed);
}

BlockWatch::~BlockWatch() {
    if (thread_ != nullptr) thread_->round.fetch_add(1, std::memory_order_relaxed);
}

bool block_is_overdue() { return overdue_in_library != 0; }

LaunchWatch::LaunchWatch(std::uint64_t launch, bool by_device) : thread_(watched_thread()) {
    if (thread_ == nullptr) return;
    const std::uint64_t account = account_of(launch, by_device);
    outer_ = thread_->account.exchange(account, std::memory_order_relaxed);
    thread_->recent.store(account, std::memory_order_relaxed);
}

LaunchWatch::~LaunchWatch() {
    if (thread_ != nullptr) thread_->account.store(outer_, std::memory_order_relaxed);
}

bool launch_is_overdue(std::uint64_t launch, bool by_device) {
    return program_is_overdue() ||
           overdue_account.load(std::memory_order_relaxed) == account_of(launch, by_device);
}

std::string describe_overdue_block() {
    return describe("the block has run", settings().time_limit, ": an endless loop?");
}

std::string describe_overdue_launch() {
    const double limit = settings().time_limit;
    if (program_is_overdue()) {
        return describe("the program's kernels have run", limit * kProgramTimeFactor,
                        ": does the host launch them in an endless loop?");
    }
    return describe("the grids that device code has launched have run", limit * kLaunchTimeFactor,
                    ": do their launches never end?");
}

Uninterruptible::Uninterruptible() { ++uninterruptible; }
Uninterruptible::~Uninterruptible() { --uninterruptible; }

}  // namespace emulator
