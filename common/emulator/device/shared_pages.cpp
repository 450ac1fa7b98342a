// SPDX-License-Identifier: MIT
#include "common/emulator/device/shared_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace emulator {
namespace {

char* map_file(int file, std::size_t bytes, char* where) {
    const int flags = MAP_SHARED | (where != nullptr ? MAP_FIXED : 0);
    void* const memory = ::mmap(where, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

bool write_all(int file, const char* data, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t count = ::pwrite(file, data + done, bytes - done, static_cast<off_t>(done));
        if (count <= 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

bool make_file(std::size_t bytes, SharedPages& shared) {
    shared.process = ::getpid();
    shared.bytes = bytes;
    shared.file = ::memfd_create("emulator", MFD_CLOEXEC);
    return shared.file >= 0 && ::ftruncate(shared.file, static_cast<off_t>(bytes)) == 0;
}

}  // namespace

bool share_pages(char* pages, std::size_t bytes, SharedPages& shared) {
    if (make_file(bytes, shared) && write_all(shared.file, pages, bytes) &&
        map_file(shared.file, bytes, pages) != nullptr) {
        return true;
    }
    close_shared_pages(shared);
    return false;
}

char* make_shared_pages(std::size_t bytes, SharedPages& shared) {
    char* pages = nullptr;
    if (make_file(bytes, shared)) pages = map_file(shared.file, bytes, nullptr);
    if (pages == nullptr) close_shared_pages(shared);
    return pages;
}

char* open_shared_pages(const SharedPages& shared, char* where) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", shared.process, shared.file);
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    // The number may belong to another file by now.
    struct stat status {};
    char* pages = nullptr;
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        static_cast<std::uint64_t>(status.st_size) == shared.bytes) {
        pages = map_file(file, shared.bytes, where);
    }
    ::close(file);
    return pages;
}

void close_shared_pages(SharedPages& shared) {
    if (shared.file >= 0) ::close(shared.file);
    shared.file = -1;
}

}  // namespace emulator
