// SPDX-License-Identifier: MIT
// The operations of nccl.h: each is checked and queued in its stream, alone or with its group.
#include <nccl.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/libraries/nccl/communicators.hpp"
#include "common/emulator/libraries/nccl/exchange.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/library_work.hpp"

namespace emulator::nccl {
namespace {

struct Group {
    int depth = 0;
    ncclComm* communicator = nullptr;  // of its first operation, as the stream
    cudaStream_t stream = nullptr;
    std::vector<Operation> operations;
    bool is_mixed = false;
};
thread_local Group open_group;

ncclResult_t result_of(cudaError_t error) {
    return error == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

std::size_t parts_received(Kind kind, const ncclComm& own) {
    return kind == Kind::all_gather ? static_cast<std::size_t>(own.size) : 1;
}
std::size_t parts_sent(Kind kind, const ncclComm& own) {
    return kind == Kind::reduce_scatter ? static_cast<std::size_t>(own.size) : 1;
}

// What the group reads and writes, for the checks.
void list_memory(const ncclComm& own, const std::vector<Operation>& group,
                 std::vector<LibraryRange>& written, std::vector<LibraryRange>& read) {
    for (const Operation& operation : group) {
        const Kind kind = operation.header.kind;
        const bool is_root = operation.header.other == own.rank;
        const bool sends = kind != Kind::receive && (kind != Kind::broadcast || is_root);
        const bool receives = kind != Kind::send && (kind != Kind::reduce || is_root);
        if (sends) read.push_back({operation.send, operation.bytes() * parts_sent(kind, own)});
        const std::size_t bytes = operation.bytes();
        const char* const own_part = operation.receive + bytes * own.rank;
        if (kind == Kind::all_gather && operation.send == own_part) {
            // In place: the rank's own part is there already, and others may read it meanwhile.
            written.push_back({operation.receive, bytes * own.rank});
            written.push_back({own_part + bytes, bytes * (own.size - 1 - own.rank)});
        } else if (receives) {
            written.push_back({operation.receive, bytes * parts_received(kind, own)});
        }
    }
}

cudaError_t queue_group(ncclComm& own, cudaStream_t handle, std::vector<Operation> group) {
    const char* const function = name_of(group.front().header.kind);
    return host_call(function, [&] {
        Stream* const stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        std::vector<LibraryRange> written, read;
        list_memory(own, group, written, read);
        auto work = std::make_shared<LibraryWork>(
            function, std::move(written), std::move(read),
            [&own, operations = std::move(group)]() mutable {
                if (own.error == ncclSuccess && run_group(own, operations)) return;
                own.error = ncclInvalidUsage;
                set_sticky_error(cudaErrorLaunchFailure);
            });
        if (!work->uses_device_memory()) {
            set_sticky_error(cudaErrorIllegalAddress);
            return cudaErrorIllegalAddress;
        }
        if (own.last.stream != nullptr && !is_done(own.last) && own.last.stream.get() != stream) {
            work->after = {own.last};
        }
        const cudaError_t error = queue_work(*stream, work);
        if (error == cudaSuccess && stream->capture == nullptr) {
            own.last = {stream->shared_from_this(), stream->queued};
        }
        return error;
    });
}

// Why the engine refuses the operation; empty: it does not.
std::string reason_against(const ncclComm* own, const Header& header) {
    if (own == nullptr) return "the communicator is NULL";
    if (header.type < 0 || header.type >= ncclNumTypes) return "an unknown data type";
    if (is_reduction(header.kind)) {
        if (header.operation < 0 || header.operation >= ncclNumOps) return "an unknown reduction";
        if (header.type == ncclFloat16 || header.type >= ncclBfloat16) {
            return "the CPU engine reduces no numbers of 8 or 16 bits in floating point";
        }
        if (header.operation == ncclAvg && header.type != ncclFloat32 &&
            header.type != ncclFloat64) {
            return "the CPU engine has means of float and double only";
        }
    }
    const bool has_other =
        is_message(header.kind) || header.kind == Kind::broadcast || header.kind == Kind::reduce;
    if (has_other && (header.other < 0 || header.other >= own->size)) {
        return "there are " + std::to_string(own->size) + " ranks";
    }
    return header.count > INT_MAX ? "the CPU engine moves at most 2147483647 elements" : "";
}

ncclResult_t call(ncclComm* own, Kind kind, const void* send, void* receive, std::size_t count,
                  ncclDataType_t type, int operation, int other, cudaStream_t stream,
                  const char* file, int line) {
    Operation made{{kind, type, operation, other, count, 0, line, {}},
                   static_cast<const char*>(send),
                   static_cast<char*>(receive)};
    const char* const slash = std::strrchr(file, '/');
    std::snprintf(made.header.file, sizeof made.header.file, "%.59s",
                  slash != nullptr ? slash + 1 : file);
    if (const std::string reason = reason_against(own, made.header); !reason.empty()) {
        return refuse(own, text_of_call(name_of(kind), made.header.file, line) + reason);
    }
    if (open_group.depth == 0) return result_of(queue_group(*own, stream, {made}));
    Group& group = open_group;
    if (group.operations.empty()) {
        group.communicator = own;
        group.stream = stream;
    }
    group.is_mixed = group.is_mixed || group.communicator != own || group.stream != stream;
    group.operations.push_back(made);
    return ncclSuccess;
}

}  // namespace
}  // namespace emulator::nccl

using namespace emulator::nccl;

ncclResult_t ncclGroupStart() {
    ++open_group.depth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    if (open_group.depth == 0) return refuse(nullptr, "ncclGroupEnd: there is no ncclGroupStart()");
    if (--open_group.depth > 0) return ncclSuccess;
    const Group group = std::exchange(open_group, {});
    if (group.operations.empty()) return ncclSuccess;
    if (group.is_mixed) {
        return refuse(group.communicator,
                      "ncclGroupEnd: the CPU engine's groups have one communicator and one stream");
    }
    return result_of(queue_group(*group.communicator, group.stream, group.operations));
}

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream,
                           const char* file, int line) {
    return call(communicator, Kind::all_reduce, send, receive, count, type, operation, -1, stream,
                file, line);
}

ncclResult_t ncclReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t operation, int root, ncclComm_t communicator,
                        cudaStream_t stream, const char* file, int line) {
    return call(communicator, Kind::reduce, send, receive, count, type, operation, root, stream,
                file, line);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t communicator, cudaStream_t stream, const char* file,
                           int line) {
    return call(communicator, Kind::broadcast, send, receive, count, type, -1, root, stream, file,
                line);
}

ncclResult_t ncclBcast(void* buffer, std::size_t count, ncclDataType_t type, int root,
                       ncclComm_t communicator, cudaStream_t stream, const char* file, int line) {
    return ncclBroadcast(buffer, buffer, count, type, root, communicator, stream, file, line);
}

ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream, const char* file,
                           int line) {
    return call(communicator, Kind::all_gather, send, receive, count, type, -1, -1, stream, file,
                line);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, std::size_t count,
                               ncclDataType_t type, ncclRedOp_t operation, ncclComm_t communicator,
                               cudaStream_t stream, const char* file, int line) {
    return call(communicator, Kind::reduce_scatter, send, receive, count, type, operation, -1,
                stream, file, line);
}

ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream, const char* file, int line) {
    return call(communicator, Kind::send, send, nullptr, count, type, -1, peer, stream, file, line);
}

ncclResult_t ncclRecv(void* receive, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream, const char* file, int line) {
    return call(communicator, Kind::receive, nullptr, receive, count, type, -1, peer, stream, file,
                line);
}
