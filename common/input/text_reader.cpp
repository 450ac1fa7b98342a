// SPDX-License-Identifier: MIT
#include "common/input/text_reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "common/base/error.hpp"
#include "common/base/host_memory.hpp"
#include "common/base/text.hpp"
#include "common/input/numbers.hpp"

namespace course {

namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

template <typename T>
T within(const TextReader& reader, std::string_view name, std::string_view field,
         const ParsedNumber<T>& number, T minimum, T maximum) {
    if (!number) reader.fail(text(name, " ", in_quotes(field), " ", describe(number.fault)));
    if (number.value < minimum) {
        reader.fail(text(name, " ", in_quotes(field), " is below ", minimum));
    }
    if (number.value > maximum) {
        reader.fail(text(name, " ", in_quotes(field), " is above ", maximum));
    }
    return number.value;
}

}  // namespace

TextReader::TextReader(std::string path, Separator separator)
    : path_(std::move(path)), separator_(separator) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path_, ignored)) throw InputError(path_ + ": is a directory");
    errno = 0;
    file_.open(path_);
    if (!file_) throw InputError(text(path_, ": cannot be read: ", std::strerror(errno)));
    is_file_ = std::filesystem::is_regular_file(path_, ignored);
    most_bytes_ = available_host_bytes() / 4;
    if (!is_file_) most_bytes_ = std::min(most_bytes_, kMostBytesOfPipe);
    const std::uintmax_t size = is_file_ ? std::filesystem::file_size(path_, ignored) : 0;
    if (!ignored && size > static_cast<std::uintmax_t>(most_bytes_)) refuse_length();
}

void TextReader::refuse_length() const {
    throw InputError(
        text(path_, ": the text is longer than ", most_bytes_ >> 20,
             is_file_ ? " MiB, a quarter of the free memory"
                      : " MiB, the limit of a pipe or a device: if it has an end, store it in a "
                        "file"));
}

// Reads into line_, in parts: a line may have no end.
bool TextReader::read_line() {
    std::array<char, 4096> part;
    line_.clear();
    while (true) {
        file_.getline(part.data(), part.size());
        const std::streamsize got = file_.gcount();
        const bool complete = file_.good();  // then `got` counts the line's end too
        line_.append(part.data(), static_cast<std::size_t>(complete ? got - 1 : got));
        bytes_ += got;
        if (bytes_ > most_bytes_) refuse_length();
        if (complete) return true;
        if (file_.bad()) return false;
        if (file_.eof()) return !line_.empty();
        file_.clear();  // the part is full, and the line goes on
    }
}

bool TextReader::next_line() {
    errno = 0;
    while (read_line()) {
        ++line_number_;
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        if (line_number_ == 1 && line_.starts_with(kByteOrderMark)) {
            line_.erase(0, kByteOrderMark.size());
        }
        split();
        if (!fields_.empty()) {
            any_line_ = true;
            return true;
        }
    }
    if (file_.bad()) throw InputError(text(path_, ": cannot be read: ", std::strerror(errno)));
    if (!any_line_) throw InputError(path_ + ": holds no data");
    return false;
}

void TextReader::split() {
    fields_.clear();
    const std::string_view line = trimmed(std::string_view(line_).substr(0, line_.find('#')));
    if (line.empty()) return;
    const bool commas =
        separator_ == Separator::kCommas ||
        (separator_ == Separator::kEither && line.find(',') != std::string_view::npos);
    const std::string_view separators = commas ? "," : kBlanks;
    std::size_t begin = 0;
    while (begin != std::string_view::npos) {
        const std::size_t end = line.find_first_of(separators, begin);
        fields_.push_back(trimmed(line.substr(begin, end - begin)));
        if (end == std::string_view::npos) break;
        // A run of blanks is one separator; two commas have an empty field between them.
        begin = commas ? end + 1 : line.find_first_not_of(kBlanks, end);
    }
}

void TextReader::expect_fields(std::size_t count, std::string_view layout) const {
    if (fields_.size() != count) {
        fail(text(fields_.size(), fields_.size() == 1 ? " field where " : " fields where ", count,
                  count == 1 ? " is" : " are", " expected: ", layout));
    }
}

std::string_view TextReader::field(std::size_t index, std::string_view name) const {
    if (index >= fields_.size()) {
        fail(text(name, " is missing: the line has ", fields_.size(),
                  fields_.size() == 1 ? " field" : " fields"));
    }
    return fields_[index];
}

double TextReader::real(std::size_t index, std::string_view name, double minimum,
                        double maximum) const {
    const std::string_view value = field(index, name);
    return within(*this, name, value, parse_real(value), minimum, maximum);
}

std::int64_t TextReader::integer(std::size_t index, std::string_view name, std::int64_t minimum,
                                 std::int64_t maximum) const {
    const std::string_view value = field(index, name);
    return within(*this, name, value, parse_integer(value), minimum, maximum);
}

void TextReader::fail(const std::string& message) const {
    throw InputError(text(path_, ":", line_number_, ": ", message));
}

}  // namespace course
