// SPDX-License-Identifier: MIT
#include "common/input/inputs.hpp"

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace course {

void refuse_other_n(std::int64_t asked, std::string_view path, std::int64_t found,
                    std::string_view things) {
    if (asked == 0 || asked == found) return;
    throw UsageError(text("--n ", asked, ": ", path, " has ", found, ' ', things));
}

}  // namespace course
