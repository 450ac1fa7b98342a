// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/nccl/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/variables.hpp"
#include "common/emulator/process/errors.hpp"

namespace emulator::nccl {
namespace {

constexpr int kHeaderTag = 0;
constexpr int kFirstDataTag = 1;
constexpr std::uint64_t kDataTags = 30000;  // MPI promises 32767

// Types that are only moved need the right size; numbers that are added need their own type.
MPI_Datatype mpi_type(std::int32_t type) {
    switch (type) {
        case ncclInt8:
            return MPI_INT8_T;
        case ncclInt32:
            return MPI_INT32_T;
        case ncclUint32:
            return MPI_UINT32_T;
        case ncclInt64:
            return MPI_INT64_T;
        case ncclUint64:
            return MPI_UINT64_T;
        case ncclFloat32:
            return MPI_FLOAT;
        case ncclFloat64:
            return MPI_DOUBLE;
        default:
            return element_bytes(type) == 2 ? MPI_UINT16_T : MPI_UINT8_T;
    }
}

MPI_Op mpi_operation(std::int32_t operation) {
    return operation == ncclProd  ? MPI_PROD
           : operation == ncclMax ? MPI_MAX
           : operation == ncclMin ? MPI_MIN
                                  : MPI_SUM;
}

template <class Number>
void divide(char* values, std::uint64_t count, int by) {
    Number* const numbers = reinterpret_cast<Number*>(values);
    for (std::uint64_t i = 0; i < count; ++i) numbers[i] /= static_cast<Number>(by);
}

bool is_usable(const ncclComm& own, const Operation& operation) {
    // Only the root's input of a broadcast matters.
    const bool sends =
        operation.header.kind != Kind::broadcast || operation.header.other == own.rank;
    for (const char* pointer :
         {sends ? operation.send : nullptr, static_cast<const char*>(operation.receive)}) {
        if (pointer == nullptr || operation.header.count == 0) continue;
        if (is_stray_address(pointer)) {
            explain("%s uses %p: %s", describe(operation.header).c_str(),
                    static_cast<const void*>(pointer), describe_address(pointer).c_str());
            return false;
        }
        show_memory_of(pointer);
    }
    return true;
}

bool is_complete(MPI_Request& request) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
}

bool wait_for(ncclComm& own, const Header& header, MPI_Request request) {
    return own.board->wait(describe(header), [&] { return is_complete(request); });
}

bool agree(const Header& a, const Header& b) {
    return a.kind == b.kind && a.type == b.type && a.operation == b.operation &&
           a.other == b.other && a.count == b.count;
}

void count_bytes(std::uint64_t sent, std::uint64_t received) {
    if (host_hooks.transfer == nullptr) return;
    if (sent > 0) host_hooks.transfer(TransferKind::sent, sent);
    if (received > 0) host_hooks.transfer(TransferKind::received, received);
}

// The fewest bytes that this rank must send and receive for the collective: what a ring moves.
void count_collective(const ncclComm& own, const Operation& operation) {
    const std::uint64_t bytes = operation.bytes();
    const auto others = static_cast<std::uint64_t>(own.size - 1);
    const bool is_root = operation.header.other == own.rank;
    switch (operation.header.kind) {
        case Kind::all_reduce: {
            const std::uint64_t each = 2 * others * bytes / static_cast<std::uint64_t>(own.size);
            return count_bytes(each, each);
        }
        case Kind::reduce:
            return count_bytes(is_root ? 0 : bytes, is_root ? bytes : 0);
        case Kind::broadcast:
            return count_bytes(is_root ? bytes : 0, is_root ? 0 : bytes);
        default:
            return count_bytes(others * bytes, others * bytes);
    }
}

MPI_Request start(const ncclComm& own, const Operation& operation, std::vector<char>& part) {
    const Header& header = operation.header;
    const int count = static_cast<int>(header.count);
    const MPI_Datatype type = mpi_type(header.type);
    const MPI_Op reduction = mpi_operation(header.operation);
    const void* const in_place = MPI_IN_PLACE;
    const bool is_root = header.other == own.rank;
    MPI_Request request = MPI_REQUEST_NULL;
    switch (header.kind) {
        case Kind::all_reduce:
            MPI_Iallreduce(operation.send == operation.receive ? in_place : operation.send,
                           operation.receive, count, type, reduction, own.data, &request);
            break;
        case Kind::reduce:
            MPI_Ireduce(is_root && operation.send == operation.receive ? in_place : operation.send,
                        operation.receive, count, type, reduction, header.other, own.data,
                        &request);
            break;
        case Kind::broadcast:
            if (is_root && operation.send != operation.receive) {
                std::memmove(operation.receive, operation.send, operation.bytes());
            }
            MPI_Ibcast(operation.receive, count, type, header.other, own.data, &request);
            break;
        case Kind::all_gather: {
            const char* const place = operation.receive + operation.bytes() * own.rank;
            MPI_Iallgather(operation.send == place ? in_place : operation.send, count, type,
                           operation.receive, count, type, own.data, &request);
            break;
        }
        default:
            part.resize(operation.bytes());
            MPI_Ireduce_scatter_block(operation.send, part.data(), count, type, reduction, own.data,
                                      &request);
    }
    return request;
}

bool exchange_headers(ncclComm& own, const Header& header) {
    std::vector<Header> all(own.size);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&header, sizeof header, MPI_BYTE, all.data(), sizeof header, MPI_BYTE,
                   own.headers, &request);
    if (!wait_for(own, header, request)) return false;
    const auto other = std::find_if(all.begin(), all.end(),
                                    [&](const Header& one) { return !agree(one, all.front()); });
    if (other == all.end()) return true;
    own.board->report("rank 0 calls " + describe(all.front()) + ", but rank " +
                      std::to_string(other - all.begin()) + " calls " + describe(*other) +
                      ": all ranks must call the same, with the same count, type and root");
    return false;
}

bool run_collective(ncclComm& own, Operation& operation) {
    Header& header = operation.header;
    header.number = ++own.calls;
    if (!is_usable(own, operation)) return false;
    std::vector<char> part;
    if (own.size > 1) {
        if (!exchange_headers(own, header)) return false;
        if (!wait_for(own, header, start(own, operation, part))) return false;
        count_collective(own, operation);
    } else if (operation.send != operation.receive) {
        std::memmove(operation.receive, operation.send, operation.bytes());
    }
    if (!part.empty()) std::memcpy(operation.receive, part.data(), part.size());
    if (header.operation == ncclAvg && (header.kind != Kind::reduce || header.other == own.rank)) {
        if (header.type == ncclFloat32) divide<float>(operation.receive, header.count, own.size);
        if (header.type == ncclFloat64) divide<double>(operation.receive, header.count, own.size);
    }
    return true;
}

// A message from or to another rank, or to itself.
struct Message {
    Operation* operation;
    Header sender{};  // what the sender says
    MPI_Request header = MPI_REQUEST_NULL;
    MPI_Request data = MPI_REQUEST_NULL;
    bool has_header = false;
    bool is_done = false;
};

int data_tag(const Header& header) {
    return kFirstDataTag + static_cast<int>(header.number % kDataTags);
}

void start_message(ncclComm& own, Message& message) {
    Operation& operation = *message.operation;
    Header& header = operation.header;
    const int peer = header.other;
    if (header.kind == Kind::receive) {
        header.number = ++own.received[peer];
        MPI_Irecv(&message.sender, sizeof message.sender, MPI_BYTE, peer, kHeaderTag, own.headers,
                  &message.header);
        return;
    }
    header.number = ++own.sent[peer];
    MPI_Isend(&header, sizeof header, MPI_BYTE, peer, kHeaderTag, own.headers, &message.header);
    // Synchronous: as on GPUs, nothing is sent before the receiver is there.
    MPI_Issend(operation.send, static_cast<int>(header.count), mpi_type(header.type), peer,
               data_tag(header), own.data, &message.data);
}

// Continues it. Returns false if the two ranks do not agree.
bool advance(ncclComm& own, Message& message) {
    Operation& operation = *message.operation;
    const Header& header = operation.header;
    if (message.is_done) return true;
    if (!message.has_header) {
        if (!is_complete(message.header)) return true;
        message.has_header = true;
        if (header.kind == Kind::receive) {
            const Header& sender = message.sender;
            if (sender.count != header.count || sender.type != header.type) {
                own.board->report("rank " + std::to_string(own.rank) + " calls " +
                                  describe(header) + ", but rank " + std::to_string(header.other) +
                                  " calls " + describe(sender) +
                                  ": both must have the same count and type");
                return false;
            }
            MPI_Irecv(operation.receive, static_cast<int>(header.count), mpi_type(header.type),
                      header.other, data_tag(header), own.data, &message.data);
        }
    }
    if (!is_complete(message.data)) return true;
    message.is_done = true;
    const std::uint64_t bytes = header.other == own.rank ? 0 : operation.bytes();
    count_bytes(header.kind == Kind::send ? bytes : 0, header.kind == Kind::receive ? bytes : 0);
    return true;
}

bool run_messages(ncclComm& own, std::vector<Message>& messages) {
    for (Message& message : messages) {
        if (!is_usable(own, *message.operation)) return false;
        start_message(own, message);
    }
    for (Message& waited : messages) {
        bool agrees = true;
        const bool came = own.board->wait(describe(waited.operation->header), [&] {
            for (Message& message : messages) agrees = agrees && advance(own, message);
            return waited.is_done || !agrees;
        });
        if (!came || !agrees) return false;
    }
    return true;
}

// One rank that sends to itself: its receives match its sends in their order.
bool copy_messages(const ncclComm& own, std::vector<Message>& messages) {
    std::vector<Operation*> sends, receives;
    for (const Message& message : messages) {
        if (!is_usable(own, *message.operation)) return false;
        const bool sends_it = message.operation->header.kind == Kind::send;
        (sends_it ? sends : receives).push_back(message.operation);
    }
    for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
        if (i >= sends.size() || i >= receives.size() ||
            sends[i]->bytes() != receives[i]->bytes()) {
            const Operation& odd = i < sends.size() ? *sends[i] : *receives[i];
            explain("%s: one rank alone must send to itself what it receives in the same group",
                    describe(odd.header).c_str());
            return false;
        }
        std::memmove(receives[i]->receive, sends[i]->send, sends[i]->bytes());
    }
    return true;
}

}  // namespace

bool run_group(ncclComm& own, std::vector<Operation>& group) {
    std::vector<Message> messages;
    for (Operation& operation : group) {
        if (is_message(operation.header.kind)) {
            messages.push_back({&operation});
        } else if (!run_collective(own, operation)) {
            return false;
        }
    }
    return own.size > 1 ? run_messages(own, messages) : copy_messages(own, messages);
}

}  // namespace emulator::nccl
