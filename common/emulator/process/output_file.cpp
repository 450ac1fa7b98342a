// SPDX-License-Identifier: MIT
#include "common/emulator/process/output_file.hpp"

#include <pthread.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "common/base/error.hpp"

namespace emulator {
namespace {

int forks = 0;

void count_forks() {
    static std::once_flag once;
    std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, [] { ++forks; }); });
}

[[noreturn]] void fail(const course::InputError& error) {
    course::remove_temporary_files();
    std::fprintf(stderr, "emulator: %s\n", error.what());
    std::_Exit(EXIT_FAILURE);
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : to_stdout_(path == "-"), forks_(forks) {
    count_forks();
    course::remove_temporary_files_on_signals();
    try {
        file_ = std::make_unique<course::AtomicFile>(path);
    } catch (const course::InputError& error) {
        fail(error);
    }
}

void OutputFile::write(std::string_view text) {
    if (forks_ == forks) {
        // A long text fills the file's buffer, which is then written at once.
        if (to_stdout_) std::fflush(stdout);
        file_->stream().write(text.data(), static_cast<std::streamsize>(text.size()));
    }
}

void OutputFile::print(const char* format, ...) {
    std::array<char, 256> piece;
    va_list arguments;
    va_start(arguments, format);
    const auto length =
        static_cast<std::size_t>(std::vsnprintf(piece.data(), piece.size(), format, arguments));
    va_end(arguments);
    if (length < piece.size()) return write({piece.data(), length});
    std::string whole(length + 1, '\0');
    va_start(arguments, format);
    std::vsnprintf(whole.data(), whole.size(), format, arguments);
    va_end(arguments);
    write({whole.data(), length});
}

void OutputFile::finish() {
    if (forks_ != forks) {
        static_cast<void>(file_.release());  // its destructor would remove the parent's file
        return;
    }
    std::fflush(stdout);  // what the program printed comes first
    try {
        file_->commit();
    } catch (const course::InputError& error) {
        fail(error);
    }
    file_.reset();
}

}  // namespace emulator
