// SPDX-License-Identifier: MIT
// Reads a text file of numbers line by line. Every error in a line is an InputError that starts
// with `file:line: `.
#pragma once

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace course {

// kEither: commas in a line that has a comma, blanks in other lines.
enum class Separator { kBlanks, kCommas, kEither };

//     TextReader reader(path);
//     while (reader.next_line()) { reader.expect_fields(2, "key value"); reader.real(0, "key"); }
// Skips blank lines and comments (from `#` to the end of the line). Accepts \n and \r\n.
//
// A text is limited, so that one without an end is refused: to a quarter of the free memory, since
// its numbers need up to some bytes per character. A pipe or a device, whose length is not known,
// is limited to kMostBytesOfPipe, too.
class TextReader {
  public:
    static constexpr std::int64_t kMostBytesOfPipe = std::int64_t{1} << 26;

    // Errors: InputError if the file is missing, is a directory, is too long, or cannot be
    // read.
    explicit TextReader(std::string path, Separator separator = Separator::kBlanks);

    // Reads the next line that holds a field. False at the end.
    // Errors: InputError if the file has no such line, is too long, and for a failure to read.
    bool next_line();

    std::int64_t line_number() const noexcept { return line_number_; }  // counted from 1
    const std::string& path() const noexcept { return path_; }
    const std::vector<std::string_view>& fields() const noexcept { return fields_; }

    // Refuses a line that has not `count` fields. `layout` names them ("mass x y z vx vy vz").
    void expect_fields(std::size_t count, std::string_view layout) const;

    // Field `index` (from 0) as a finite number in [minimum, maximum]; `name` is for the message.
    double real(std::size_t index, std::string_view name,
                double minimum = std::numeric_limits<double>::lowest(),
                double maximum = std::numeric_limits<double>::max()) const;
    std::int64_t integer(std::size_t index, std::string_view name,
                         std::int64_t minimum = std::numeric_limits<std::int64_t>::min(),
                         std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) const;

    // Throws InputError `file:line: message` for the last line that was read.
    [[noreturn]] void fail(const std::string& message) const;

  private:
    bool read_line();
    [[noreturn]] void refuse_length() const;
    void split();
    std::string_view field(std::size_t index, std::string_view name) const;

    std::string path_;
    Separator separator_;
    std::ifstream file_;
    std::string line_;
    std::vector<std::string_view> fields_;
    std::int64_t line_number_ = 0;
    std::int64_t bytes_ = 0, most_bytes_ = 0;  // read so far, and the limit
    bool is_file_ = false;  // neither a pipe nor a device
    bool any_line_ = false;
};

}  // namespace course
