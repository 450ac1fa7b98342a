// SPDX-License-Identifier: MIT
// A list on the host for loops with SIMD on all cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace course {

// `size` elements that are not initialised. They begin at a cache line, which is as long as the
// longest vector. The core that writes a page first gets it in the memory next to it, so each core
// should write its own part first.
template <typename T>
class AlignedList {
    static_assert(std::is_trivial_v<T>, "elements are not initialised");

  public:
    static constexpr std::size_t kAlignment = 64;

    explicit AlignedList(std::int64_t size)
        : elements_(static_cast<T*>(::operator new (static_cast<std::size_t>(size) * sizeof(T),
                                                    std::align_val_t{kAlignment}))) {}

    T* data() { return elements_.get(); }
    const T* data() const { return elements_.get(); }

  private:
    struct Release {
        void operator()(T* elements) const {
            ::operator delete (elements, std::align_val_t{kAlignment});
        }
    };
    std::unique_ptr<T, Release> elements_;
};

}  // namespace course
