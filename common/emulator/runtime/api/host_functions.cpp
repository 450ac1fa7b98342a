// SPDX-License-Identifier: MIT
// Functions of the host in a stream. A stream runs when the host waits for it. But a program may
// wait for such a function without a call of CUDA: for a condition variable, or for a flag. Then a
// thread of the engine runs the stream.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/stream.hpp"
#include "common/emulator/runtime/work.hpp"

namespace emulator {
namespace {

// Without a call of CUDA for so long, the program waits for something else.
constexpr std::chrono::milliseconds kPatience(50);

// All under the runtime's lock.
struct Expected {
    std::vector<Progress> functions;
    std::condition_variable_any added;
    bool ended = false;  // the program
};

Expected& expected() {
    static auto* one = new Expected;  // never destroyed: the thread may still use it
    return *one;
}

void run_when_idle() {
    Expected& own = expected();
    std::unique_lock lock(runtime_mutex());
    while (!own.ended) {
        std::erase_if(own.functions, is_done);
        if (own.functions.empty()) {
            own.added.wait(lock);
            continue;
        }
        const std::uint64_t calls = all_api_calls;
        own.added.wait_for(lock, kPatience);
        if (own.ended || calls != all_api_calls) continue;
        const Progress next = own.functions.front();
        if (is_done(next)) continue;
        const ApiCall call;
        if (run_until(*next.stream, next.sequence) != cudaSuccess) own.functions.clear();
    }
}

// The stream's last work is a function of the host. It runs after a while in which the program
// calls nothing of CUDA.
void expect_last_of(Stream& stream) {
    Expected& own = expected();
    own.functions.push_back({stream.shared_from_this(), stream.queued});
    static const bool started = [] {
        std::thread(run_when_idle).detach();
        std::atexit([] {
            const std::lock_guard lock(runtime_mutex());
            expected().ended = true;
        });
        return true;
    }();
    static_cast<void>(started);
    own.added.notify_one();
}

cudaError_t queue_function(Stream& stream, cudaHostFn_t function, void* user_data) {
    const std::uint64_t queued = stream.queued;
    const cudaError_t error = queue_work(stream, std::make_shared<HostWork>(function, user_data));
    // During a capture nothing is queued.
    if (stream.queued != queued && stream.has_work()) expect_last_of(stream);
    return error;
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* user_data) {
    return host_call("cudaLaunchHostFunc", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (function == nullptr) return cudaErrorInvalidValue;
        return queue_function(*stream, function, user_data);
    });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback,
                                  void* user_data, unsigned flags) {
    return host_call("cudaStreamAddCallback", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
        const cudaError_t error = refuse_in_capture(*stream);
        if (error != cudaSuccess) return error;
        struct Call {
            cudaStream_t stream;
            cudaStreamCallback_t function;
            void* user_data;
        };
        auto* call = new Call{handle, callback, user_data};
        return queue_function(
            *stream,
            [](void* data) {
                const std::unique_ptr<Call> own(static_cast<Call*>(data));
                own->function(own->stream, cudaSuccess, own->user_data);
            },
            call);
    });
}
