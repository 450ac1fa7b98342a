// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/cublas/openblas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "common/emulator/process/errors.hpp"

namespace emulator::cublas {
namespace {

void* library() {
    static void* const handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    return handle;
}

}  // namespace

bool has_openblas() { return library() != nullptr; }

void* openblas_function(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, void*> found;
    const std::lock_guard lock(mutex);
    const auto [place, is_new] = found.try_emplace(name, nullptr);
    if (is_new) place->second = dlsym(library(), name.c_str());
    if (place->second != nullptr) return place->second;
    explain("cuBLAS: this machine's OpenBLAS has no function %s", name.c_str());
    std::exit(EXIT_FAILURE);
}

}  // namespace emulator::cublas
