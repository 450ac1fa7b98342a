// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/written.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "common/emulator/process/pages.hpp"

namespace emulator::counting {

WrittenBytes::~WrittenBytes() {
    if (bits_ != nullptr) ::munmap(bits_, mapped_bytes());
}

void WrittenBytes::cover(std::uintptr_t begin, std::size_t bytes) {
    if (bits_ != nullptr) ::munmap(bits_, mapped_bytes());
    bits_ = nullptr;
    begin_ = begin;
    bytes_ = bytes;
    void* memory = ::mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        begin_ = bytes_ = 0;
        throw std::bad_alloc();
    }
    bits_ = static_cast<unsigned char*>(memory);
    ::madvise(memory, mapped_bytes(), MADV_DONTDUMP);
}

// Up to kStep bits.
void WrittenBytes::put(std::size_t index, std::size_t count, std::uint64_t bits) {
    unsigned char* const place = bits_ + index / 8;
    const std::uint64_t mask = low_bits(count) << index % 8;
    std::uint64_t old;
    std::memcpy(&old, place, sizeof old);
    old = (old & ~mask) | (bits << index % 8 & mask);
    std::memcpy(place, &old, sizeof old);
}

void WrittenBytes::fill(std::size_t index, std::size_t count, bool value) {
    const std::uint64_t bits = value ? ~std::uint64_t{0} : 0;
    const std::size_t before = std::min(count, (8 - index % 8) % 8);
    put(index, before, bits);
    index += before;
    count -= before;
    std::memset(bits_ + index / 8, value ? 0xff : 0, count / 8);
    put(index + count / 8 * 8, count % 8, bits);
}

void WrittenBytes::set(std::uintptr_t address, std::size_t bytes) {
    if (bytes <= kStep) return put(address - begin_, bytes, low_bits(kStep));
    fill(address - begin_, bytes, true);
}

void WrittenBytes::set_shared(std::uintptr_t address, std::size_t bytes) {
    std::size_t index = address - begin_;
    while (bytes > 0) {
        const std::size_t count = std::min(bytes, 8 - index % 8);
        const auto mask = static_cast<unsigned char>(low_bits(count) << index % 8);
        __atomic_fetch_or(bits_ + index / 8, mask, __ATOMIC_RELAXED);
        index += count;
        bytes -= count;
    }
}

void WrittenBytes::clear(std::uintptr_t address, std::size_t bytes) {
    if (!covers(address)) return;
    const std::size_t first = address - begin_;
    const std::size_t end = first + bytes;
    const std::size_t page_bits = kPageBytes * 8;
    const std::size_t first_page = (first + page_bits - 1) / page_bits;
    const std::size_t end_page = end / page_bits;
    if (first_page >= end_page) return fill(first, bytes, false);
    fill(first, first_page * page_bits - first, false);
    ::madvise(bits_ + first_page * kPageBytes, (end_page - first_page) * kPageBytes, MADV_DONTNEED);
    fill(end_page * page_bits, end - end_page * page_bits, false);
}

void WrittenBytes::copy(std::uintptr_t destination, std::uintptr_t source, std::size_t bytes) {
    if (has_all(source, bytes)) return set(destination, bytes);
    for (std::size_t done = 0; done < bytes; done += kStep) {
        put(destination + done - begin_, std::min<std::size_t>(kStep, bytes - done),
            bits_at(source + done - begin_));
    }
}

}  // namespace emulator::counting
