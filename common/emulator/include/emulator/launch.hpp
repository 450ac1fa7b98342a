// SPDX-License-Identifier: MIT
// Kernel launches: `kernel<<<grid, block, shared, stream>>>(arguments)` becomes
// `::emulator::bind_launch(LaunchConfiguration(grid, block, shared, stream), "kernel",
// lambda)(arguments)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <emulator/thread.hpp>
#include <memory>
#include <type_traits>
#include <utility>

struct CUstream_st;

namespace emulator {

struct LaunchConfiguration {
    dim3 grid_dim;
    dim3 block_dim;
    std::size_t shared_bytes;
    CUstream_st* stream;
    bool cooperative = false;

    LaunchConfiguration(dim3 grid, dim3 block, std::size_t shared = 0,
                        CUstream_st* launch_stream = nullptr)
        : grid_dim(grid), block_dim(block), shared_bytes(shared), stream(launch_stream) {}
};

// The part of a block's state that the loop over its threads uses. It is visible to the compiler,
// so that a kernel is inlined into the loop: a thread without a barrier then costs about a function
// call.
struct ThreadLoop {
    ThreadContext* threads;  // by linear index
    const std::uint16_t* order;  // linear indices in the order in which the schedule starts them
    int next = 0;
    int count = 0;
    int live = 0;  // threads that have not returned, started or not
    int waiting = 0;  // 0 if none of them waits; those at the block's barrier count as one
    // Not std::array, whose operator would be called where accesses are counted.
    std::uint32_t live_lanes[kMaxThreadsPerBlock / kWarpSize] = {};
};

// Called when a thread returns while others wait: it may be the one that they waited for.
void release_waiters_of(ThreadLoop& loop, const ThreadContext& ended);

// For programs whose accesses are counted (g++ -fsanitize=thread).
// Sets the thread that runs next on this worker. Its built-in variables are constants in a kernel
// whose accesses are counted.
void enter_thread(ThreadContext& thread);
// All threads of a warp have returned.
void end_warp(int warp);

// Whether denormals are zero in a kernel, as under nvcc -ftz=true.
struct FlushDenormals {
    static constexpr bool kFlushes = true;
};
struct KeepDenormals {
    static constexpr bool kFlushes = false;
};

#ifdef EMULATOR_FLUSH_DENORMALS
using DenormalMode = FlushDenormals;
#else
using DenormalMode = KeepDenormals;
#endif

// A kernel with its arguments.
class KernelCall {
  public:
    // g++ 14 calls both also where accesses are counted: their writes are not the kernel's.
    EMULATOR_UNRECORDED KernelCall() = default;
    EMULATOR_UNRECORDED virtual ~KernelCall() = default;
    // In host memory also if device code launches it.
    static void* operator new(std::size_t bytes);
    static void operator delete(void* pointer);
    // Runs threads of the block until none is left to start. Each fiber of the block calls it once:
    // a thread that waits keeps its fiber, and another fiber continues the loop.
    virtual void run_threads(ThreadLoop& loop) const = 0;
    // Whether denormal operands and results are zero in it.
    virtual bool flushes_denormals() const = 0;
    // The size of the arguments. Each thread copies them to its stack.
    virtual std::size_t argument_bytes() const = 0;
    // Puts the address of each argument into an array.
    virtual void list_arguments(void** pointers) const = 0;
};

template <class Mode, class Body>
class BoundKernelCall final : public KernelCall {
  public:
    template <class... Parts>
    EMULATOR_UNRECORDED explicit BoundKernelCall(Parts&&... parts)
        : body_(std::forward<Parts>(parts)...) {}

    bool flushes_denormals() const override { return Mode::kFlushes; }
    std::size_t argument_bytes() const override { return sizeof(Body); }
    EMULATOR_UNRECORDED void run_threads(ThreadLoop& loop) const override {
        while (loop.next < loop.count) {
            ThreadContext& thread = loop.threads[loop.order[loop.next++]];
#ifdef __SANITIZE_THREAD__
            enter_thread(thread);
#else
            threadIdx = thread.thread_index;
            current_thread = &thread;
            // A signal (a fault, the time limit) finds the thread there. Without this the store may
            // move past a loop of the kernel, and after an endless loop it would never happen.
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
            body_();
#ifdef __SANITIZE_THREAD__
            current_thread = nullptr;  // what the engine does next is not the kernel's
#endif
            std::uint32_t& live_lanes = loop.live_lanes[thread.linear_index / kWarpSize];
            live_lanes &= ~(1u << thread.linear_index % kWarpSize);
            --loop.live;
#ifdef __SANITIZE_THREAD__
            if (live_lanes == 0) end_warp(thread.linear_index / kWarpSize);
#endif
            if (loop.waiting > 0) release_waiters_of(loop, thread);
        }
    }

    EMULATOR_UNRECORDED void list_arguments(void** pointers) const override {
        body_.list_arguments(pointers);
    }

  private:
    Body body_;
};

// What is known about a kernel at its launch. The address is nullptr if the name alone does not
// determine which instance of a template runs.
struct KernelIdentity {
    const char* name;
    const void* address;
};

// How to make the call of a kernel from pointers to its arguments, as cudaLaunchKernel() has them.
struct KernelMaker {
    KernelCall* (*make)(const void* address, void** arguments);
    int parameters;
};
void register_kernel(const void* address, KernelMaker maker);

// Checks and queues a launch; in device code, hands it to the device runtime. The error is also
// what cudaGetLastError() then returns.
int launch_kernel(const LaunchConfiguration& configuration, KernelIdentity kernel,
                  std::unique_ptr<KernelCall> call);

// Whether a function gets a value in registers or on the stack. If not, its caller makes the copy
// and passes the address: by the same rules of the C++ ABI, on all processors.
template <class T>
inline constexpr bool kPassedByAddress =
    !(std::is_trivially_destructible_v<T> && std::is_move_constructible_v<T> &&
      std::is_trivially_move_constructible_v<T> &&
      (!std::is_copy_constructible_v<T> || std::is_trivially_copy_constructible_v<T>));

// nvcc's launch copies an argument once, as the language says, and destroys this copy when it
// returns. A kernel gets the bytes of the copy: no constructor and no destructor runs for it.
template <class Value>
class ArgumentBytes {
  public:
    EMULATOR_UNRECORDED explicit ArgumentBytes(const Value& value) {
        __builtin_memcpy(bytes_, __builtin_addressof(value), sizeof bytes_);
    }
    // What a kernel changes is its thread's own.
    EMULATOR_UNRECORDED ArgumentBytes(const ArgumentBytes& other) {
        __builtin_memcpy(bytes_, other.bytes_, sizeof bytes_);
    }
    EMULATOR_UNRECORDED Value& value() { return *reinterpret_cast<Value*>(bytes_); }
    EMULATOR_UNRECORDED void* address() const { return const_cast<unsigned char*>(bytes_); }

  private:
    alignas(Value) unsigned char bytes_[sizeof(Value)];
};

// Any other argument.
template <class Value>
class ArgumentValue {
  public:
    template <class From>
    EMULATOR_UNRECORDED explicit ArgumentValue(From&& from) : value_(std::forward<From>(from)) {}
    EMULATOR_UNRECORDED const Value& value() const { return value_; }
    EMULATOR_UNRECORDED void* address() const {
        return const_cast<std::remove_const_t<Value>*>(__builtin_addressof(value_));
    }

  private:
    Value value_;
};

template <class Parameter>
using KeptArgument = std::conditional_t<kPassedByAddress<Parameter>, ArgumentBytes<Parameter>,
                                        ArgumentValue<Parameter>>;

// A kernel of which some arguments are passed by address, so that they need not be copied.
template <class... Parameters>
class AddressedKernel {
    template <class T>
    using Passed = std::conditional_t<kPassedByAddress<T>, T&, T>;

  public:
    explicit AddressedKernel(void (*kernel)(Parameters...))
        : kernel_(
              reinterpret_cast<void (*)(Passed<Parameters>...)>(reinterpret_cast<void*>(kernel))) {}
    EMULATOR_UNRECORDED void operator()(Passed<Parameters>... arguments) const {
        kernel_(static_cast<Passed<Parameters>>(arguments)...);
    }

  private:
    void (*kernel_)(Passed<Parameters>...);
};

// A kernel's call with its arguments. It has a tuple of its own: std::apply() would be instrumented
// where accesses are counted, and would read the arguments for every thread.
template <std::size_t, class Kept>
struct Argument {
    Kept kept;
};

template <class Kernel, class Indices, class... Kept>
class KernelBody;

template <class Kernel, std::size_t... Indices, class... Kept>
class KernelBody<Kernel, std::index_sequence<Indices...>, Kept...>
    : private Argument<Indices, Kept>... {
  public:
    template <class... Arguments>
    EMULATOR_UNRECORDED explicit KernelBody(const Kernel& kernel, Arguments&&... arguments)
        : Argument<Indices, Kept>{Kept(std::forward<Arguments>(arguments))}..., kernel_(kernel) {}

    EMULATOR_UNRECORDED void operator()() const {
        kernel_(of_thread(static_cast<const Argument<Indices, Kept>&>(*this).kept).value()...);
    }

    EMULATOR_UNRECORDED void list_arguments([[maybe_unused]] void** pointers) const {
        ((pointers[Indices] = static_cast<const Argument<Indices, Kept>&>(*this).kept.address()),
         ...);
    }

  private:
    template <class Value>
    EMULATOR_UNRECORDED static const ArgumentValue<Value>& of_thread(
        const ArgumentValue<Value>& kept) {
        return kept;
    }
    template <class Value>
    EMULATOR_UNRECORDED static ArgumentBytes<Value> of_thread(const ArgumentBytes<Value>& kept) {
        return kept;
    }

    Kernel kernel_;
};

// How a kernel of a known type is called: `Kernel` calls it, if all arguments are plain.
template <class Kernel, class... Parameters>
struct KnownKernel {
    static constexpr bool kIsPlain = !(kPassedByAddress<std::decay_t<Parameters>> || ...);
    using Caller = std::conditional_t<kIsPlain, Kernel, AddressedKernel<Parameters...>>;
    using Body = KernelBody<Caller, std::index_sequence_for<Parameters...>,
                            KeptArgument<std::decay_t<Parameters>>...>;
};

template <class Kernel, class Function>
class BoundLaunch;

// If the kernel's type is not known, the arguments are kept as they are and converted at the call.
template <class Kernel>
class BoundLaunch<Kernel, void> {
  public:
    BoundLaunch(const LaunchConfiguration& configuration, KernelIdentity identity, Kernel kernel)
        : configuration_(configuration), identity_(identity), kernel_(std::move(kernel)) {}

    // Copies the arguments now, as a launch does.
    template <class... Arguments>
    EMULATOR_UNRECORDED int operator()(Arguments&&... arguments) const {
        using Body = KernelBody<Kernel, std::index_sequence_for<Arguments...>,
                                ArgumentValue<std::decay_t<Arguments>>...>;
        // Not std::make_unique(): in device code its accesses would count as the kernel's.
        std::unique_ptr<KernelCall> call(new BoundKernelCall<DenormalMode, Body>(
            kernel_, std::forward<Arguments>(arguments)...));
        return launch_kernel(configuration_, identity_, std::move(call));
    }

  protected:
    LaunchConfiguration configuration_;
    KernelIdentity identity_;
    Kernel kernel_;
};

// A launch of a known kernel is a call of a function with the kernel's parameters.
template <class Kernel, class... Parameters>
class BoundLaunch<Kernel, void(Parameters...)> : private BoundLaunch<Kernel, void> {
    using Unknown = BoundLaunch<Kernel, void>;
    using Known = KnownKernel<Kernel, Parameters...>;

  public:
    BoundLaunch(const LaunchConfiguration& configuration, KernelIdentity identity, Kernel kernel,
                void (*function)(Parameters...))
        : Unknown(configuration, identity, std::move(kernel)), function_(function) {}

    EMULATOR_UNRECORDED int operator()(Parameters... arguments) const {
        std::unique_ptr<KernelCall> call(new BoundKernelCall<DenormalMode, typename Known::Body>(
            caller(), std::forward<Parameters>(arguments)...));
        return launch_kernel(this->configuration_, this->identity_, std::move(call));
    }

    // The others have default values, which the call of the kernel knows.
    template <class... Arguments>
    requires(sizeof...(Arguments) < sizeof...(Parameters)) EMULATOR_UNRECORDED int operator()(
        Arguments&&... arguments) const {
        return Unknown::operator()(std::forward<Arguments>(arguments)...);
    }

  private:
    EMULATOR_UNRECORDED typename Known::Caller caller() const {
        if constexpr (Known::kIsPlain) {
            return this->kernel_;
        } else {
            return typename Known::Caller(function_);
        }
    }

    void (*function_)(Parameters...);
};

// `kernel` is a lambda that calls the kernel with the arguments it is given.
template <class Kernel>
BoundLaunch<Kernel, void> bind_launch(const LaunchConfiguration& configuration, const char* name,
                                      Kernel kernel) {
    return BoundLaunch<Kernel, void>(configuration, KernelIdentity{name, nullptr},
                                     std::move(kernel));
}

template <class Function>
const void* kernel_address(Function* function) {
    return reinterpret_cast<const void*>(function);
}

template <class Kernel, class... Parameters>
auto bind_known(const LaunchConfiguration& configuration, const char* name, Kernel kernel,
                void (*function)(Parameters...)) {
    return BoundLaunch<Kernel, void(Parameters...)>(
        configuration, KernelIdentity{name, kernel_address(function)}, std::move(kernel), function);
}

// The same with `address_of`, a lambda `[](auto use) -> decltype(use(kernel)) { return use(kernel);
// }`: it gives the kernel's address, by which cudaFuncSetAttribute() knows it, unless the name
// is that of a template whose arguments are deduced.
template <class Kernel, class AddressOf>
auto bind_launch(const LaunchConfiguration& configuration, const char* name, Kernel kernel,
                 AddressOf address_of) {
    const auto use = [](auto* function) { return function; };
    if constexpr (std::is_invocable_v<AddressOf, decltype(use)>) {
        return bind_known(configuration, name, std::move(kernel), address_of(use));
    } else {
        return BoundLaunch<Kernel, void>(configuration, KernelIdentity{name, nullptr},
                                         std::move(kernel));
    }
}

}  // namespace emulator
