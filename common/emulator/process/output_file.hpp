// SPDX-License-Identifier: MIT
// A file that the engine writes because a setting names it, such as EMULATOR_TRACE. It is complete
// or absent: it is written beside its target and renamed when the program ends.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/atomic_file.hpp"

namespace emulator {

// "-" is standard output, where what the program printed before a write() comes first. The
// constructor and finish() end the program with one line if the file cannot be written. In a
// process that a fork() made later, nothing is written: the file is its parent's.
class OutputFile {
  public:
    explicit OutputFile(const std::string& path);

    void write(std::string_view text);
    [[gnu::format(printf, 2, 3)]] void print(const char* format, ...);
    // Call it once, at the end.
    void finish();

  private:
    std::unique_ptr<course::AtomicFile> file_;
    bool to_stdout_;
    int forks_;  // by which this process came to be, when the file was opened
};

}  // namespace emulator
