// SPDX-License-Identifier: MIT
// NCCL on the CPU engine: data moves by MPI between processes that mpirun has started, one for each
// rank. Names and values are those of NCCL 2.28; what is missing here, the engine lacks. Each
// operation waits in its stream as a kernel does, and may be captured. The last two arguments are
// the place of the call, for messages: leave them out.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#define NCCL_MAJOR 2
#define NCCL_MINOR 28
#define NCCL_PATCH 3
#define NCCL_SUFFIX ""
#define NCCL_VERSION_CODE 22803
#define NCCL_VERSION(X, Y, Z) \
    (((X) <= 2 && (Y) <= 8) ? (X)*1000 + (Y)*100 + (Z) : (X)*10000 + (Y)*100 + (Z))
#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_COMM_NULL NULL

using ncclComm_t = struct ncclComm*;
struct ncclUniqueId {
    char internal[NCCL_UNIQUE_ID_BYTES];
};

enum ncclResult_t {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7,
    ncclNumResults = 8
};

enum ncclRedOp_t {
    ncclSum = 0,
    ncclProd = 1,
    ncclMax = 2,
    ncclMin = 3,
    ncclAvg = 4,
    ncclNumOps = 5
};

enum ncclDataType_t {
    ncclInt8 = 0,
    ncclChar = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclInt = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6,
    ncclHalf = 6,
    ncclFloat32 = 7,
    ncclFloat = 7,
    ncclFloat64 = 8,
    ncclDouble = 8,
    ncclBfloat16 = 9,
    ncclFloat8e4m3 = 10,
    ncclFloat8e5m2 = 11,
    ncclNumTypes = 12
};

ncclResult_t ncclGetVersion(int* version);
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
// All processes of MPI_COMM_WORLD take part, with one id; MPI_Init() comes first. One rank alone
// needs no MPI.
ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommFinalize(ncclComm_t communicator);
ncclResult_t ncclCommDestroy(ncclComm_t communicator);
ncclResult_t ncclCommAbort(ncclComm_t communicator);
ncclResult_t ncclCommCount(ncclComm_t communicator, int* count);
ncclResult_t ncclCommUserRank(ncclComm_t communicator, int* rank);
ncclResult_t ncclCommCuDevice(ncclComm_t communicator, int* device);
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error);
const char* ncclGetErrorString(ncclResult_t result);
const char* ncclGetLastError(ncclComm_t communicator);

// Memory of a device as cudaMalloc() gives it. Whether it is registered changes nothing here.
ncclResult_t ncclMemAlloc(void** memory, std::size_t size);
ncclResult_t ncclMemFree(void* memory);
ncclResult_t ncclCommRegister(ncclComm_t communicator, void* buffer, std::size_t size,
                              void** handle);
ncclResult_t ncclCommDeregister(ncclComm_t communicator, void* handle);

ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream,
                           const char* file = __builtin_FILE(), int line = __builtin_LINE());
ncclResult_t ncclReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t operation, int root, ncclComm_t communicator,
                        cudaStream_t stream, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE());
ncclResult_t ncclBroadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t communicator, cudaStream_t stream,
                           const char* file = __builtin_FILE(), int line = __builtin_LINE());
ncclResult_t ncclBcast(void* buffer, std::size_t count, ncclDataType_t type, int root,
                       ncclComm_t communicator, cudaStream_t stream,
                       const char* file = __builtin_FILE(), int line = __builtin_LINE());
// `count` is that of one rank's part, here and in ncclReduceScatter().
ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream,
                           const char* file = __builtin_FILE(), int line = __builtin_LINE());
ncclResult_t ncclReduceScatter(const void* send, void* receive, std::size_t count,
                               ncclDataType_t type, ncclRedOp_t operation, ncclComm_t communicator,
                               cudaStream_t stream, const char* file = __builtin_FILE(),
                               int line = __builtin_LINE());
ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream,
                      const char* file = __builtin_FILE(), int line = __builtin_LINE());
ncclResult_t ncclRecv(void* receive, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream,
                      const char* file = __builtin_FILE(), int line = __builtin_LINE());
