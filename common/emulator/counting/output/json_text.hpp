// SPDX-License-Identifier: MIT
// The parts of JSON texts.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace emulator::counting {

inline std::string quoted_text(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", c);
            result += escape;
        } else {
            result += c;
        }
    }
    return result += '"';
}

using Texts = std::vector<std::string>;

inline std::string join(const Texts& texts, const char* separator) {
    std::string result;
    for (const std::string& text : texts) {
        if (!result.empty()) result += separator;
        result += text;
    }
    return result;
}

inline std::string object(const Texts& members, const char* separator = ", ") {
    std::string result = "{";
    result += join(members, separator);
    return result += "}";
}

inline std::string member_json(std::string_view key, std::string_view json) {
    std::string result = quoted_text(key);
    result += ": ";
    return result += json;
}

inline std::string member(std::string_view key, std::uint64_t value) {
    return member_json(key, std::to_string(value));
}

inline std::string member(std::string_view key, std::string_view value) {
    return member_json(key, quoted_text(value));
}

inline std::string list(const Texts& elements, const char* separator) {
    std::string result = "[";
    if (!elements.empty() && *separator == ',') result += separator + 1;
    result += join(elements, separator);
    return result += "]";
}

}  // namespace emulator::counting
