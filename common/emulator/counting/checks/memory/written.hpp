// SPDX-License-Identifier: MIT
// Which bytes of an address range were written: one bit per byte. Memory for the bits is committed
// when it is touched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/emulator/counting/record/written_bits.hpp"

namespace emulator::counting {

class WrittenBytes {
  public:
    WrittenBytes() = default;
    ~WrittenBytes();
    WrittenBytes(const WrittenBytes&) = delete;
    WrittenBytes& operator=(const WrittenBytes&) = delete;

    // Throws std::bad_alloc.
    void cover(std::uintptr_t begin, std::size_t bytes);
    // For written_bits_at(): the index of a byte is its distance from the range's begin.
    const unsigned char* bits() const { return bits_; }
    bool covers(std::uintptr_t address) const { return address - begin_ < bytes_; }

    // Only for a range that it covers.
    bool has_all(std::uintptr_t address, std::size_t bytes) const;
    bool has_any(std::uintptr_t address, unsigned bytes) const {  // kStep at most
        return (bits_at(address - begin_) & low_bits(bytes)) != 0;
    }
    void set(std::uintptr_t address, std::size_t bytes);
    // The same while other OS threads may do it too.
    void set_shared(std::uintptr_t address, std::size_t bytes);
    // Gives whole pages back to the system.
    void clear(std::uintptr_t address, std::size_t bytes);
    // What is unwritten at the source becomes unwritten at the destination.
    void copy(std::uintptr_t destination, std::uintptr_t source, std::size_t bytes);

  private:
    static constexpr unsigned kStep = kWrittenStep;

    std::uint64_t bits_at(std::size_t index) const { return written_bits_at(bits_, index); }
    void put(std::size_t index, std::size_t count, std::uint64_t bits);
    void fill(std::size_t index, std::size_t count, bool value);
    std::size_t mapped_bytes() const { return bytes_ / 8 + sizeof(std::uint64_t); }

    unsigned char* bits_ = nullptr;
    std::uintptr_t begin_ = 0;
    std::size_t bytes_ = 0;
};

inline bool WrittenBytes::has_all(std::uintptr_t address, std::size_t bytes) const {
    std::size_t index = address - begin_;
    for (; bytes >= kStep; bytes -= kStep, index += kStep) {
        if (!all_are_written(bits_, index, kStep)) return false;
    }
    return all_are_written(bits_, index, bytes);
}

}  // namespace emulator::counting
