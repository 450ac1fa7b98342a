// SPDX-License-Identifier: MIT
// Pages that several processes use: cudaIpcGetMemHandle() and its relatives. They belong to a file
// without a name, which other processes of the user open by way of /proc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator {

// What another process needs to find the pages.
struct SharedPages {
    std::int32_t process = 0;
    std::int32_t file = -1;  // its number in that process
    std::uint64_t bytes = 0;
};

// Makes mapped pages shared, and keeps what they hold. False if the system refuses.
bool share_pages(char* pages, std::size_t bytes, SharedPages& shared);
// New pages, which hold zeros, at an address that the system chooses; nullptr if it refuses.
char* make_shared_pages(std::size_t bytes, SharedPages& shared);

// Maps another process' pages: at `where`, or where the system chooses (nullptr). Returns nullptr
// if they do not exist any more.
char* open_shared_pages(const SharedPages& shared, char* where);

// This process no longer offers them.
void close_shared_pages(SharedPages& shared);

}  // namespace emulator
