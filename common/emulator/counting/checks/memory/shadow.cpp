// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "common/emulator/process/pages.hpp"

namespace emulator::counting {

Shadow::~Shadow() {
    if (cells_ != nullptr) ::munmap(cells_, mapped_bytes());
}

void Shadow::cover(std::uintptr_t begin, std::size_t bytes) {
    if (begin == begin_ && bytes == bytes_) return;
    if (cells_ != nullptr) ::munmap(cells_, mapped_bytes());
    cells_ = nullptr;
    begin_ = begin;
    bytes_ = bytes;
    first_word_ = begin >> 2;
    void* memory = ::mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        begin_ = bytes_ = 0;
        throw std::bad_alloc();
    }
    cells_ = static_cast<Cell*>(memory);
    ::madvise(memory, mapped_bytes(), MADV_DONTDUMP);
}

void Shadow::forget(std::uintptr_t begin, std::size_t bytes) {
    if (!covers(begin) || bytes == 0) return;
    Cell* const end = cell(begin + bytes - 1) + 1;
    const auto first =
        (reinterpret_cast<std::uintptr_t>(cell(begin)) + kPageBytes - 1) / kPageBytes;
    const auto last = reinterpret_cast<std::uintptr_t>(end) / kPageBytes;
    auto* const pages = reinterpret_cast<Cell*>(first * kPageBytes);
    auto* const rest = reinterpret_cast<Cell*>(last * kPageBytes);
    if (first >= last) return std::fill(cell(begin), end, Cell{});
    std::fill(cell(begin), pages, Cell{});
    ::madvise(pages, (last - first) * kPageBytes, MADV_DONTNEED);
    std::fill(rest, end, Cell{});
}

// A range may begin and end inside a word.
std::size_t Shadow::mapped_bytes() const { return (bytes_ / 4 + 2) * sizeof(Cell); }

}  // namespace emulator::counting
