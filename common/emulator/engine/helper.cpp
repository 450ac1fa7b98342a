// SPDX-License-Identifier: MIT
#include "common/emulator/engine/helper.hpp"

#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace emulator {
namespace {

// Blocks run on fibers, so the thread's own stack holds little more than the executable's
// thread-local storage, with all __shared__ variables.
constexpr std::size_t kStackBytes = std::size_t{4} << 20;

// A cooperative grid has a thread for each block, and may fill the GPU. To make them anew at each
// launch would take longer than the blocks.
constexpr std::size_t kMaxIdleHelpers = 512;

std::mutex idle_mutex;

// Never destroyed: the threads outlive static storage.
std::vector<std::unique_ptr<Helper>>& idle_helpers() {
    static auto* helpers = new std::vector<std::unique_ptr<Helper>>;
    return *helpers;
}

}  // namespace

struct Helper::State {
    std::mutex mutex;
    std::condition_variable changed;
    std::function<void()> job;
    bool busy = false;
    bool ended = false;
};

std::unique_ptr<Helper> Helper::take() {
    {
        const std::lock_guard lock(idle_mutex);
        if (!idle_helpers().empty()) {
            std::unique_ptr<Helper> helper = std::move(idle_helpers().back());
            idle_helpers().pop_back();
            return helper;
        }
    }
    std::unique_ptr<Helper> helper(new Helper);
    helper->state_ = std::make_shared<State>();
    auto* for_thread = new std::shared_ptr<State>(helper->state_);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, thread_main, for_thread);
    pthread_attr_destroy(&attributes);
    if (error == 0) return helper;
    delete for_thread;
    return nullptr;
}

void Helper::give_back(std::unique_ptr<Helper> helper) {
    const std::lock_guard lock(idle_mutex);
    if (idle_helpers().size() < kMaxIdleHelpers) idle_helpers().push_back(std::move(helper));
}

Helper::~Helper() {
    const std::lock_guard lock(state_->mutex);
    state_->ended = true;
    state_->changed.notify_all();
}

void Helper::start(std::function<void()> job) {
    const std::lock_guard lock(state_->mutex);
    state_->job = std::move(job);
    state_->busy = true;
    state_->changed.notify_all();
}

void Helper::wait() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return !state_->busy; });
}

void* Helper::thread_main(void* argument) {
    const std::unique_ptr<std::shared_ptr<State>> owner(
        static_cast<std::shared_ptr<State>*>(argument));
    State& state = **owner;
    std::unique_lock lock(state.mutex);
    for (;;) {
        state.changed.wait(lock, [&] { return state.busy || state.ended; });
        if (!state.busy) return nullptr;
        lock.unlock();
        state.job();
        lock.lock();
        state.job = nullptr;
        state.busy = false;
        state.changed.notify_all();
    }
}

}  // namespace emulator
