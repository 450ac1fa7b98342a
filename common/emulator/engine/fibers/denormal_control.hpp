// SPDX-License-Identifier: MIT
// The floating-point control word, whose bits say what denormals are.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace emulator {

// While it lives, denormal operands and results are zero, or they are kept. The word belongs to the
// processor, not to a fiber: the threads of a block share it.
class DenormalControl {
  public:
    explicit DenormalControl(bool flush) : before_(read()) {
        write(flush ? before_ | kFlushBits : before_ & ~kFlushBits);
    }
    ~DenormalControl() { write(before_); }
    DenormalControl(const DenormalControl&) = delete;
    DenormalControl& operator=(const DenormalControl&) = delete;

#if defined(__x86_64__)
    using Word = unsigned;
    static constexpr Word kFlushBits = 0x8040;  // flush to zero, denormals are zero
    static Word read() { return _mm_getcsr(); }
    static void write(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
    using Word = std::uint64_t;
    static constexpr Word kFlushBits = 1u << 24;  // FPCR.FZ
    static Word read() {
        Word word;
        asm volatile("mrs %0, fpcr" : "=r"(word));
        return word;
    }
    static void write(Word word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else  // no such bits are known: denormals are always kept
    using Word = unsigned;
    static constexpr Word kFlushBits = 0;
    static Word read() { return 0; }
    static void write(Word) {}
#endif

  private:
    Word before_;
};

}  // namespace emulator
