// SPDX-License-Identifier: MIT
// What operations are called and how large they are.
#include <array>

#include "common/emulator/libraries/nccl/communicator.hpp"

namespace emulator::nccl {
namespace {

struct Type {
    const char* name;
    std::size_t bytes;
};
// By ncclDataType_t.
constexpr std::array<Type, ncclNumTypes> kTypes = {{{"ncclInt8", 1},
                                                    {"ncclUint8", 1},
                                                    {"ncclInt32", 4},
                                                    {"ncclUint32", 4},
                                                    {"ncclInt64", 8},
                                                    {"ncclUint64", 8},
                                                    {"ncclFloat16", 2},
                                                    {"ncclFloat32", 4},
                                                    {"ncclFloat64", 8},
                                                    {"ncclBfloat16", 2},
                                                    {"ncclFloat8e4m3", 1},
                                                    {"ncclFloat8e5m2", 1}}};
constexpr std::array<const char*, ncclNumOps> kOperations = {"ncclSum", "ncclProd", "ncclMax",
                                                             "ncclMin", "ncclAvg"};

}  // namespace

std::size_t element_bytes(std::int32_t type) { return kTypes[type].bytes; }

std::size_t Operation::bytes() const { return header.count * element_bytes(header.type); }

const char* name_of(Kind kind) {
    static constexpr const char* kNames[] = {"ncclAllReduce", "ncclReduce",        "ncclBroadcast",
                                             "ncclAllGather", "ncclReduceScatter", "ncclSend",
                                             "ncclRecv"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string describe(const Header& header) {
    std::string text = std::string(name_of(header.kind)) + " of " + std::to_string(header.count) +
                       ' ' + kTypes[header.type].name;
    if (header.operation >= 0) text += std::string(" with ") + kOperations[header.operation];
    const std::string other = std::to_string(header.other);
    if (header.kind == Kind::send) {
        text += " to rank " + other;
    } else if (header.kind == Kind::receive) {
        text += " from rank " + other;
    } else if (header.other >= 0) {
        text += " with root " + other;
    }
    if (header.number > 0) text += ", number " + std::to_string(header.number) + ",";
    return text + " at " + header.file + ":" + std::to_string(header.line);
}

}  // namespace emulator::nccl
