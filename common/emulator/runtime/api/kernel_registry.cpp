// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/api/kernel_registry.hpp"

#include <mutex>
#include <unordered_map>

#include "common/emulator/process/errors.hpp"

namespace emulator {
namespace {

struct Registry {
    std::mutex mutex;
    std::unordered_map<const void*, KernelMaker> makers;
};

Registry& registry() {
    static auto* kernels = new Registry;  // never destroyed: static destructors may launch
    return *kernels;
}

}  // namespace

void register_kernel(const void* address, KernelMaker maker) {
    const std::lock_guard lock(registry().mutex);
    registry().makers[address] = maker;
}

std::shared_ptr<const KernelCall> make_registered_call(const char* function, const void* address,
                                                       void** arguments) {
    KernelMaker maker{};
    {
        const std::lock_guard lock(registry().mutex);
        const auto found = registry().makers.find(address);
        if (found != registry().makers.end()) maker = found->second;
    }
    if (maker.make == nullptr) {
        explain(
            "%s: %p is not a kernel that the CPU engine knows by its address: write "
            "(void*)kernel, with the kernel's name, where the address is taken",
            function, address);
        return nullptr;
    }
    if (maker.parameters > 0 && arguments == nullptr) {
        explain("%s: the kernel has %d parameters, but the pointer to its arguments is null",
                function, maker.parameters);
        return nullptr;
    }
    return std::shared_ptr<const KernelCall>(maker.make(address, arguments));
}

}  // namespace emulator
