// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/cublas/call.hpp"

#include <algorithm>

#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/library_work.hpp"

namespace emulator::cublas {

void Call::require(bool holds, const char* what) {
    if (holds || status_ != CUBLAS_STATUS_SUCCESS) return;
    explain("%s: %s", function_, what);
    status_ = CUBLAS_STATUS_INVALID_VALUE;
}

void Call::require_sizes(std::initializer_list<int> sizes) {
    require(std::ranges::all_of(sizes, [](int size) { return size >= 0; }), "a size is negative");
}

void Call::require_leading(const char* name, int leading, int rows) {
    if (leading >= std::max(rows, 1) || status_ != CUBLAS_STATUS_SUCCESS) return;
    explain("%s: %s = %d is less than the %d rows of the matrix, which is stored by columns",
            function_, name, leading, rows);
    status_ = CUBLAS_STATUS_INVALID_VALUE;
}

void Call::add_columns(std::vector<LibraryRange>& ranges, const void* begin, std::size_t element,
                       int rows, int columns, int leading) {
    if (rows <= 0 || columns <= 0) return;
    const std::size_t column = static_cast<std::size_t>(rows) * element;
    if (leading == rows) {
        ranges.push_back({begin, column * static_cast<std::size_t>(columns)});
        return;
    }
    // Between columns may lie what others use at the same time.
    const std::size_t step = static_cast<std::size_t>(leading) * element;
    for (int i = 0; i < columns; ++i) {
        ranges.push_back(
            {static_cast<const char*>(begin) + static_cast<std::size_t>(i) * step, column});
    }
}

cublasStatus_t Call::run(std::function<void()> work) {
    if (handle_ == nullptr) {
        explain("%s: the handle is not initialised: call cublasCreate()", function_);
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (status_ != CUBLAS_STATUS_SUCCESS) return status_;
    const cudaError_t error = queue_library_work(function_, handle_->stream, std::move(written_),
                                                 std::move(read_), std::move(work));
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

void Call::wait() const { run_library_work(handle_->stream); }

}  // namespace emulator::cublas
