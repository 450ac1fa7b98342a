// SPDX-License-Identifier: MIT
// Matrices in shared memory as the descriptors of wgmma describe them. PTX ISA, "Matrix
// Descriptor Format", "Strides" and "Swizzling Modes".
#pragma once

#include <cstdint>

namespace emulator {

// Of elements of 16 bits. The 8 elements of a chunk of 16 bytes lie side by side: along k, or along
// m or n if the matrix is transposed.
class SharedMatrix {
  public:
    SharedMatrix(std::uint64_t descriptor, bool is_transposed);

    bool is_transposed() const { return is_transposed_; }
    // The rule that the descriptor breaks, or nullptr.
    const char* broken_rule() const;
    // Where the chunk lies whose first element is at (line, k): a row of A or a column of B.
    const char* chunk(int line, int k) const;
    // Copies the elements of `lines` lines from `first` on, with k = 0 to 15: line by line.
    void read(int first, int lines, std::uint16_t* elements) const;

  private:
    const char* start_;
    std::uint64_t leading_;  // bytes
    std::uint64_t stride_;
    unsigned swizzle_bits_;  // how many bits of an address change, from bit 4 on: 0 to 3
    unsigned base_offset_;
    bool is_transposed_;
};

}  // namespace emulator
