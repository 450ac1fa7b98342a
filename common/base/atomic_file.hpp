// SPDX-License-Identifier: MIT
// An output file that is complete or absent: written beside its target and renamed at the end.
#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace course {

// "-" is stdout. A device or a pipe is written directly, because a rename would replace it. Without
// commit, the destructor removes the temporary file and does not touch the target.
class AtomicFile {
  public:
    // Errors: InputError for a directory, a missing or unwritable folder, and a read-only file.
    // They are found here, before any work is done for the file.
    explicit AtomicFile(std::string path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    std::ostream& stream();
    const std::string& path() const;

    // Flushes and renames. Errors: InputError if any write failed (a full disk); the target is then
    // unchanged.
    void commit();

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

// From now on SIGINT, SIGTERM, SIGHUP, SIGPIPE and the signals of a crash remove the temporary
// files before they end the process. A signal that the program handles or ignores is left alone.
// Not the class calls it, because the setting is the whole process'.
void remove_temporary_files_on_signals();

// Removes the temporary files at once. Only for a process that is about to die: the files cannot be
// committed any more. A signal handler may call it.
void remove_temporary_files();

}  // namespace course
