// SPDX-License-Identifier: MIT
// What a run leaves behind: the files that were asked for, and a summary to read.
#pragma once

#include <memory>
#include <ostream>
#include <string_view>
#include <vector>

#include "common/base/atomic_file.hpp"
#include "common/harness/problem.hpp"
#include "common/harness/results.hpp"
#include "common/harness/stage_command_line.hpp"

namespace course {

// Opened before any work is done for them, so that a file that cannot be written is refused early.
// Nothing appears under the files' names before write. Rank 0 alone has files. All ranks call
// write(), because a problem may run the stage again for its output.
class OutputFiles {
  public:
    // Errors: InputError.
    OutputFiles(const StageOptions& options, const std::vector<FurtherFile>& further_files,
                bool is_first_rank);

    // Errors: InputError; what the problem throws.
    void write(Problem& problem, Backend& backend, const Results& results);

  private:
    using File = std::unique_ptr<AtomicFile>;  // nullptr: not asked for

    const std::vector<FurtherFile>& further_files_;
    bool only_takes_part_;  // in the run that writes the output
    File output_;
    std::vector<File> further_;  // one for each of further_files_
    File csv_;
    File json_;
};

// Writes --save-result. Errors: InputError.
void write_result(AtomicFile& file, Problem& problem);

// Errors: InputError for a file, other than "-", that cannot be written.
void refuse_unwritable(const std::string& path);

// The table that a person reads. The results have at least one row.
void print_summary(std::ostream& out, const Results& results, std::string_view stage_name);

}  // namespace course
