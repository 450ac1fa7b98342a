// SPDX-License-Identifier: MIT
#include "common/inputs.hpp"

#include "common/error.hpp"
#include "common/text.hpp"

namespace course {

void refuse_other_n(std::int64_t asked, std::string_view path, std::int64_t found,
                    std::string_view things) {
    if (asked == 0 || asked == found) return;
    throw UsageError(text("--n ", asked, ": ", path, " has ", found, ' ', things));
}

}  // namespace course
