// SPDX-License-Identifier: MIT
// Communicators: their beginning, their end, and what they can be asked.
#include "common/emulator/libraries/nccl/communicators.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/process/time_limit.hpp"

namespace emulator::nccl {
namespace {

thread_local std::string last_refusal;

// Whether all processes come, within the time limit.
bool all_come() {
    using Clock = std::chrono::steady_clock;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    const double limit = settings().time_limit * kLaunchTimeFactor;
    const auto begin = Clock::now();
    for (int done = 0;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done != 0) return true;
        const std::chrono::duration<double> waited = Clock::now() - begin;
        if (limit > 0 && waited.count() > limit) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

// Whether all processes gave what a communicator needs. Each learns it.
std::string what_is_wrong(const ncclUniqueId& id, int rank) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<ncclUniqueId> ids(size);
    std::vector<int> ranks(size);
    MPI_Allgather(&id, sizeof id, MPI_BYTE, ids.data(), sizeof id, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<bool> taken(size);
    for (int process = 0; process < size; ++process) {
        if (std::memcmp(&ids[process], &ids[0], sizeof id) != 0) {
            return "rank " + std::to_string(ranks[process]) + " has another id than rank " +
                   std::to_string(ranks[0]) + ": rank 0 makes it, and MPI_Bcast() passes it on";
        }
        if (taken[ranks[process]]) return "two are rank " + std::to_string(ranks[process]);
        taken[ranks[process]] = true;
    }
    return "";
}

ncclResult_t make(ncclComm_t* result, int ranks, const ncclUniqueId& id, int rank) {
    auto made = std::make_unique<ncclComm>();
    made->rank = rank;
    made->size = ranks;
    made->device = current_device();
    if (ranks > 1) {
        if (!all_come()) return refuse(nullptr, "ncclCommInitRank: not all ranks call it");
        if (const std::string wrong = what_is_wrong(id, rank); !wrong.empty()) {
            return refuse(nullptr, "ncclCommInitRank: " + wrong);
        }
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &made->headers);
        MPI_Comm_dup(made->headers, &made->data);
        made->board = std::make_unique<Board>(made->headers, rank, ranks);
        made->sent.resize(ranks);
        made->received.resize(ranks);
    }
    *result = made.release();
    return ncclSuccess;
}

}  // namespace

std::string text_of_call(const char* function, const char* file, int line) {
    return std::string(function) + ", " + file + ":" + std::to_string(line) + ": ";
}

ncclResult_t refuse(ncclComm* communicator, const std::string& why) {
    const std::string rank = communicator != nullptr && communicator->size > 1
                                 ? "rank " + std::to_string(communicator->rank) + ": "
                                 : "";
    last_refusal = rank + why;
    explain("%s", last_refusal.c_str());
    return ncclInvalidArgument;
}

}  // namespace emulator::nccl

using namespace emulator::nccl;

ncclResult_t ncclGetVersion(int* version) {
    if (version == nullptr) return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    if (id == nullptr) return ncclInvalidArgument;
    static int made = 0;
    *id = {};
    char host[64] = {};
    ::gethostname(host, sizeof host - 1);
    std::snprintf(id->internal, sizeof id->internal, "%s %ld %d", host,
                  static_cast<long>(::getpid()), ++made);
    return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank) {
    if (communicator == nullptr) return ncclInvalidArgument;
    if (ranks < 1 || rank < 0 || rank >= ranks) {
        return refuse(nullptr, "ncclCommInitRank: rank " + std::to_string(rank) + " of " +
                                   std::to_string(ranks));
    }
    int is_ready = 0;
    int processes = 1;
    MPI_Initialized(&is_ready);
    if (is_ready != 0) MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (ranks > 1 && ranks != processes) {
        return refuse(nullptr, "ncclCommInitRank: " + std::to_string(ranks) + " ranks, but " +
                                   (is_ready != 0 ? "MPI has started " + std::to_string(processes)
                                                  : "MPI_Init() was not called") +
                                   ": on the CPU engine, a communicator has all processes");
    }
    return make(communicator, ranks, id, rank);
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
    return communicator == nullptr ? ncclInvalidArgument : ncclSuccess;
}

// What the ranks share stays until the process ends: freeing it would wait for all of them.
ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
    if (communicator == nullptr) return ncclInvalidArgument;
    if (communicator->board != nullptr) {
        communicator->board->leave("has destroyed its communicator");
    }
    communicator->error = ncclInvalidUsage;
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
    if (communicator == nullptr) return ncclInvalidArgument;
    if (communicator->board != nullptr) communicator->board->leave("has aborted its communicator");
    communicator->error = ncclInvalidUsage;
    return ncclSuccess;
}

ncclResult_t ncclMemAlloc(void** memory, std::size_t size) {
    if (memory == nullptr) return ncclInvalidArgument;
    return cudaMalloc(memory, size) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclMemFree(void* memory) {
    return cudaFree(memory) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclCommRegister(ncclComm_t communicator, void* buffer, std::size_t size,
                              void** handle) {
    if (communicator == nullptr || handle == nullptr) return ncclInvalidArgument;
    emulator::Allocation memory{};
    if (!emulator::find_allocation(buffer, memory) || memory.kind != emulator::MemoryKind::device ||
        static_cast<char*>(buffer) + size > memory.begin + memory.bytes) {
        return refuse(communicator, "ncclCommRegister: " + std::to_string(size) +
                                        " bytes that are not all in one piece of device memory");
    }
    *handle = buffer;
    return ncclSuccess;
}

ncclResult_t ncclCommDeregister(ncclComm_t communicator, void* handle) {
    return communicator == nullptr || handle == nullptr ? ncclInvalidArgument : ncclSuccess;
}

ncclResult_t ncclCommCount(ncclComm_t communicator, int* count) {
    if (communicator == nullptr || count == nullptr) return ncclInvalidArgument;
    *count = communicator->size;
    return ncclSuccess;
}

ncclResult_t ncclCommUserRank(ncclComm_t communicator, int* rank) {
    if (communicator == nullptr || rank == nullptr) return ncclInvalidArgument;
    *rank = communicator->rank;
    return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(ncclComm_t communicator, int* device) {
    if (communicator == nullptr || device == nullptr) return ncclInvalidArgument;
    *device = communicator->device;
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error) {
    if (communicator == nullptr || error == nullptr) return ncclInvalidArgument;
    *error = communicator->error;
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess:
            return "no error";
        case ncclUnhandledCudaError:
            return "unhandled cuda error";
        case ncclSystemError:
            return "unhandled system error";
        case ncclInternalError:
            return "internal error";
        case ncclInvalidArgument:
            return "invalid argument";
        case ncclInvalidUsage:
            return "invalid usage";
        case ncclRemoteError:
            return "remote process exited or there was a network error";
        case ncclInProgress:
            return "NCCL operation in progress";
        default:
            return "unknown result code";
    }
}

const char* ncclGetLastError(ncclComm_t) { return last_refusal.c_str(); }
