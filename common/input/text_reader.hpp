// SPDX-License-Identifier: MIT
// Reads a text file of numbers line by line, by one rule for all chapters. Every error in a line is
// an InputError that starts with `file:line: `.
#pragma once

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace course {

//     TextReader reader(path);
//     while (reader.next_row("key value")) reader.real(0, "key");
// Semicolons separate the fields of a line that has one, else commas, else blanks and tabs; blanks
// around a field are no part of it, and neither are quotes, in which a separator may stand. Two
// commas have an empty field between them.
// Blank lines and comments are skipped: from `#` to the end of the line, and lines that begin
// with `%`. A byte-order mark and \r at the end of a line are nothing. Compressed files and UTF-16
// are refused by name.
//
// A text is limited, so that one without an end is refused: to a quarter of the free memory, since
// its numbers need up to some bytes per character. A pipe or a device, whose length is not known,
// is limited to kMostBytesOfPipe, too.
class TextReader {
  public:
    static constexpr std::int64_t kMostBytesOfPipe = std::int64_t{1} << 26;

    // Errors: InputError if the file is missing, is a directory, is too long, or cannot be
    // read.
    explicit TextReader(std::string path);

    // Reads the next line that holds a field. False at the end.
    // Errors: InputError if the file has no such line, is too long, is compressed, and for a
    // failure to read.
    bool next_line();

    // Reads the next row of a table whose columns `layout` names ("mass x y z vx vy vz"). A row of
    // names before the first row of a layout is skipped; if all names of the layout are among them,
    // in capitals or not, its columns are taken in the order of the layout. Errors: also for a row
    // with another number of fields.
    bool next_row(std::string_view layout);

    // Whether the fields of the line are words: a header row.
    bool is_names() const;
    // The next call of next_line() or next_row() gives the line that was just read once more.
    void unread() noexcept { unread_ = true; }

    // The first line as it stands, and the text of the comments before the first field.
    const std::string& first_line() const noexcept { return first_line_; }
    const std::string& comments() const noexcept { return comments_; }
    // What fail() adds in brackets: "read as ..., because ...".
    void explain_format(std::string format) { format_ = std::move(format); }

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
    void look_at_first_line();
    void keep_comment(std::string_view comment);
    void split();
    void choose_columns(const std::vector<std::string>& names);
    std::string_view field(std::size_t index, std::string_view name) const;

    std::string path_;
    std::ifstream file_;
    std::string line_, first_line_, comments_, format_;
    std::vector<std::string_view> fields_;
    std::string layout_;  // of the rows before
    std::size_t row_fields_ = 0;  // of each of these rows
    bool by_name_ = false;  // the header row names all columns of the layout:
    std::vector<std::size_t> columns_;  // where they stand
    std::int64_t line_number_ = 0;
    std::int64_t bytes_ = 0, most_bytes_ = 0;  // read so far, and the limit
    bool is_file_ = false;  // neither a pipe nor a device
    bool any_line_ = false, unread_ = false;
};

}  // namespace course
