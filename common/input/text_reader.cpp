// SPDX-License-Identifier: MIT
#include "common/input/text_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ranges>
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

std::string_view without_quotes(std::string_view field) {
    const bool quoted =
        field.size() > 1 && (field[0] == '"' || field[0] == '\'') && field.front() == field.back();
    return quoted ? field.substr(1, field.size() - 2) : field;
}

char separator_of(std::string_view line) {
    for (const char separator : {';', ','}) {
        if (line.find(separator) != std::string_view::npos) return separator;
    }
    return ' ';
}

std::string in_small_letters(std::string_view name) {
    std::string result(name);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

template <typename T>
T within(const TextReader& reader, std::string_view name, std::string_view field,
         const ParsedNumber<T>& number, T minimum, T maximum) {
    if (!number) {
        const bool has_comma = field.find(',') != std::string_view::npos;
        reader.fail(text(name, " ", in_quotes(field), " ", describe(number.fault),
                         has_comma ? "; write decimals with a point" : ""));
    }
    if (number.value < minimum) {
        reader.fail(text(name, " ", in_quotes(field), " is below ", minimum));
    }
    if (number.value > maximum) {
        reader.fail(text(name, " ", in_quotes(field), " is above ", maximum));
    }
    return number.value;
}

}  // namespace

TextReader::TextReader(std::string path) : path_(std::move(path)) {
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

// What a file is that holds no text, by its first bytes.
void TextReader::look_at_first_line() {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    struct Kind {
        std::string_view bytes;
        std::string_view cure;
    };
    constexpr Kind kKinds[] = {
        {"\x1f\x8b", "is compressed by gzip: unpack it first, with gunzip"},
        {"BZh", "is compressed by bzip2: unpack it first, with bunzip2"},
        {"\xfd\x37zXZ", "is compressed by xz: unpack it first, with unxz"},
        {"\x28\xb5\x2f\xfd", "is compressed by zstd: unpack it first, with unzstd"},
        {"PK\x03\x04", "is a zip archive: unpack it first, with unzip"},
        {"\xff\xfe", "is UTF-16 text: save it as UTF-8"},
        {"\xfe\xff", "is UTF-16 text: save it as UTF-8"}};
    for (const Kind& kind : kKinds) {
        if (line_.starts_with(kind.bytes)) throw InputError(text(path_, ": ", kind.cure));
    }
    if (line_.starts_with(kByteOrderMark)) line_.erase(0, kByteOrderMark.size());
    first_line_ = line_;
}

bool TextReader::next_line() {
    if (std::exchange(unread_, false)) return true;
    errno = 0;
    while (read_line()) {
        ++line_number_;
        if (line_number_ == 1) look_at_first_line();
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

void TextReader::keep_comment(std::string_view comment) {
    constexpr std::size_t kMost = 4096;
    if (any_line_ || comments_.size() > kMost) return;
    comments_ += comment;
    comments_ += '\n';
}

void TextReader::split() {
    fields_.clear();
    std::string_view line = line_;
    const std::size_t end = line.starts_with('%') ? 0 : line.find('#');
    if (end != std::string_view::npos) keep_comment(line.substr(end));
    line = trimmed(line.substr(0, end));
    if (line.empty()) return;
    const char separator = separator_of(line);
    while (true) {
        // What stands in quotes may have a separator.
        const std::size_t quote = line.starts_with('"') ? line.find('"', 1) : 0;
        const std::size_t after = quote == std::string_view::npos ? 0 : quote;
        const std::size_t length =
            separator == ' ' ? line.find_first_of(kBlanks, after) : line.find(separator, after);
        fields_.push_back(without_quotes(trimmed(line.substr(0, length))));
        if (length == std::string_view::npos) return;
        line = trimmed(line.substr(length + 1));
    }
}

bool TextReader::is_names() const {
    const auto begins_a_word = [](std::string_view field) {
        const auto c = static_cast<unsigned char>(field[0]);
        return std::isalpha(c) != 0 || c == '_' || c >= 0x80;
    };
    const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    const auto first = std::ranges::find_if(fields_, [](auto field) { return !field.empty(); });
    return first != fields_.end() && begins_a_word(*first) &&
           std::ranges::none_of(fields_, [&](std::string_view field) {
               const NumberFault fault = parse_real(field).fault;
               const bool is_number =
                   fault != NumberFault::kNotANumber && fault != NumberFault::kEmpty;
               return is_number || std::ranges::any_of(field, is_control);
           });
}

bool TextReader::next_row(std::string_view layout) {
    const bool first = layout != layout_;
    if (!next_line()) return false;
    if (first) {
        layout_ = layout;
        std::vector<std::string> names;
        if (is_names()) {
            for (const std::string_view field : fields_) names.push_back(in_small_letters(field));
            if (!next_line()) fail("the file ends after its header row");
        }
        choose_columns(names);
    }
    // Spreadsheets end rows with a separator.
    if (fields_.size() == row_fields_ + 1 && fields_.back().empty()) fields_.pop_back();
    if (by_name_ && fields_.size() != row_fields_) {
        fail(text(fields_.size(), fields_.size() == 1 ? " field" : " fields",
                  " where the header row names ", row_fields_, "; the line is ",
                  in_quotes(trimmed(line_))));
    }
    if (!by_name_) {
        expect_fields(row_fields_, layout);
        return true;
    }
    std::vector<std::string_view> chosen;
    for (const std::size_t column : columns_) chosen.push_back(fields_[column]);
    fields_ = std::move(chosen);
    return true;
}

void TextReader::choose_columns(const std::vector<std::string>& names) {
    columns_.clear();
    row_fields_ = 0;
    for (const auto name : std::views::split(layout_, ' ')) {
        ++row_fields_;
        const auto found =
            std::ranges::find(names, in_small_letters(std::string_view(name.begin(), name.end())));
        if (found != names.end()) columns_.push_back(found - names.begin());
    }
    by_name_ = columns_.size() == row_fields_;
    if (by_name_) row_fields_ = names.size();
}

void TextReader::expect_fields(std::size_t count, std::string_view layout) const {
    if (fields_.size() == count) return;
    fail(text(fields_.size(), fields_.size() == 1 ? " field where " : " fields where ", count,
              count == 1 ? " is" : " are", " expected: ", layout, "; the line is ",
              in_quotes(trimmed(line_))));
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
    throw InputError(text(path_, ":", line_number_, ": ", message,
                          format_.empty() ? "" : text(" (", format_, ')')));
}

}  // namespace course
