// SPDX-License-Identifier: MIT
#include "common/harness/result_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace course {

ResultFile::ResultFile(const std::string& path) : path_(path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw InputError(text(path, ": ", std::strerror(errno)));
    // A pipe or a device may have no end.
    if (!std::filesystem::is_regular_file(path)) throw InputError(path + ": is not a regular file");
    text_.assign(std::istreambuf_iterator<char>(in), {});
}

void ResultFile::flag(bool& value) {
    std::uint8_t byte = value ? 1 : 0;
    number(byte);
    if (byte > 1) throw InputError(text(path_, ": a flag is ", int{byte}, ", not 0 or 1"));
    value = byte == 1;
}

void ResultFile::finish() const {
    if (out_ == nullptr && rest() > 0) {
        throw InputError(text(path_, ": ", rest(), " bytes more than the result has"));
    }
}

void ResultFile::bytes(void* data, std::size_t size) {
    if (size == 0) return;
    if (out_ != nullptr) {
        out_->write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
        return;
    }
    if (size > rest()) refuse_end();
    std::memcpy(data, text_.data() + place_, size);
    place_ += size;
}

void ResultFile::refuse_size(std::uint64_t found, std::uint64_t wanted) const {
    throw InputError(text(path_, ": a list of ", found, " elements; the input asks for ", wanted));
}

void ResultFile::refuse_end() const { throw InputError(path_ + ": ends too early"); }

}  // namespace course
