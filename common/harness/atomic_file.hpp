// SPDX-License-Identifier: MIT
// An output file that is complete or absent: written beside its target and renamed at the end.
#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace course {

// "-" is stdout; a device or a pipe is written directly, since it cannot be renamed over.
// Destroyed without commit: the temporary file is removed and the target stays as it was.
class AtomicFile {
  public:
    // Errors: InputError for a directory, a missing or unwritable folder, a read-only file: at
    // once, before any work is done for it.
    explicit AtomicFile(std::string path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    std::ostream& stream();
    const std::string& path() const;

    // Flushes and renames. Errors: InputError where any write failed (a full disk), and then the
    // target stays as it was.
    void commit();

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the temporary files before they end the
// process. Called by run_problem; a process-wide setting, so not by the class itself.
void remove_temporary_files_on_signals();

}  // namespace course
