// SPDX-License-Identifier: MIT
// A stage's result as raw bytes: one process saves it, and another one, which does not trust the
// first, judges it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace course {

// Either writes or reads. Both use the same calls in the same order, so a chapter names the parts
// of its result once. Errors when reading: InputError if the file is too short, has a list of
// another size, or holds a flag that is neither 0 nor 1.
class ResultFile {
  public:
    explicit ResultFile(std::ostream& out) : out_(&out) {}
    // Reads the whole file. Errors: InputError.
    explicit ResultFile(const std::string& path);

    // A list whose size follows from the input.
    template <typename T>
    void list(std::span<T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::uint64_t count = values.size();
        bytes(&count, sizeof count);
        if (count != values.size()) refuse_size(count, values.size());
        bytes(values.data(), values.size_bytes());
    }
    template <typename T>
    void list(std::vector<T>& values) {
        list(std::span<T>(values));
    }

    // A list whose size is part of the result.
    template <typename T>
    void sized_list(std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::uint64_t count = values.size();
        bytes(&count, sizeof count);
        // The rest of the file bounds what is allocated.
        if (out_ == nullptr && count > rest() / sizeof(T)) refuse_end();
        values.resize(static_cast<std::size_t>(count));
        bytes(values.data(), values.size() * sizeof(T));
    }

    void number(std::integral auto& value) { bytes(&value, sizeof value); }
    void flag(bool& value);

    // After the last part. Errors: InputError if a file that is read has more.
    void finish() const;

  private:
    void bytes(void* data, std::size_t size);
    std::size_t rest() const { return text_.size() - place_; }
    [[noreturn]] void refuse_size(std::uint64_t found, std::uint64_t wanted) const;
    [[noreturn]] void refuse_end() const;

    std::ostream* out_ = nullptr;  // nullptr: reading
    std::string path_;
    std::string text_;
    std::size_t place_ = 0;
};

}  // namespace course
