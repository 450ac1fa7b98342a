// SPDX-License-Identifier: MIT
// What a communicator of NCCL is on the CPU engine, and the operations that wait in its streams.
#pragma once

#include <mpi.h>
#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/emulator/libraries/nccl/board.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator::nccl {

enum class Kind : std::int32_t {
    all_reduce,
    reduce,
    broadcast,
    all_gather,
    reduce_scatter,
    send,
    receive
};

constexpr bool is_message(Kind kind) { return kind == Kind::send || kind == Kind::receive; }
constexpr bool is_reduction(Kind kind) {
    return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter;
}

// What the ranks tell each other before the data: they must agree on it.
struct Header {
    Kind kind;
    std::int32_t type;  // ncclDataType_t
    std::int32_t operation;  // ncclRedOp_t; -1: it does not reduce
    std::int32_t other;  // the root or the peer; -1: none
    std::uint64_t count;  // elements; those of one rank, where each has a part
    std::uint64_t number;  // of the communicator's collectives or, of a message, between the two
    std::int32_t line;
    char file[60];  // the end of its path
};

struct Operation {
    Header header;
    const char* send;
    char* receive;

    std::size_t bytes() const;  // of `count` elements
};

std::size_t element_bytes(std::int32_t type);
const char* name_of(Kind kind);
// "ncclAllReduce of 4 ncclFloat32 with ncclSum (call 3, my.cu:17)".
std::string describe(const Header& header);

}  // namespace emulator::nccl

struct ncclComm {
    int rank = 0;
    int size = 1;
    int device = 0;
    // Of its own, so that its messages meet no others; not used by one rank alone.
    MPI_Comm headers = MPI_COMM_NULL;
    MPI_Comm data = MPI_COMM_NULL;
    std::unique_ptr<emulator::nccl::Board> board;
    std::uint64_t calls = 0;  // of collectives that have run
    std::vector<std::uint64_t> sent;  // messages to each rank
    std::vector<std::uint64_t> received;
    emulator::Progress last;  // NCCL runs a communicator's operations in the order of their calls
    std::atomic<ncclResult_t> error = ncclSuccess;  // any thread may ask for it
};
