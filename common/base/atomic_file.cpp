// SPDX-License-Identifier: MIT
#include "common/base/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace course {

namespace {

// The paths that a signal handler must remove. A handler may neither lock nor allocate, so this is
// a fixed table of atomic pointers. A file owns the text that its slot points to.
constexpr int kSlots = 16;
std::array<std::atomic<const char*>, kSlots> g_temporary_paths{};
static_assert(std::atomic<const char*>::is_always_lock_free);

extern "C" void remove_and_reraise(int signal) {
    remove_temporary_files();
    // SA_RESETHAND restored the default action: the parent sees a process ended by the signal.
    raise(signal);
}

// A slot for `path`, or -1 if all are taken: only then does a signal leave the file behind.
int take_slot(const char* path) {
    for (int slot = 0; slot < kSlots; ++slot) {
        const char* empty = nullptr;
        if (g_temporary_paths[static_cast<std::size_t>(slot)].compare_exchange_strong(empty,
                                                                                      path)) {
            return slot;
        }
    }
    return -1;
}

void free_slot(int slot) {
    if (slot >= 0) g_temporary_paths[static_cast<std::size_t>(slot)].store(nullptr);
}

[[noreturn]] void fail_to_write(const std::string& path, int error) {
    throw InputError(text(path, ": cannot be written: ", std::strerror(error)));
}

// The file at the end of a chain of symbolic links, which need not exist, so that the rename
// replaces the file and not the link. Errors: InputError for links that form a loop.
std::string resolved(const std::string& path) {
    constexpr int kMostLinks = 40;  // as in Linux
    std::filesystem::path file = path;
    std::error_code error;
    for (int links = 0; std::filesystem::is_symlink(file, error); ++links) {
        if (links == kMostLinks) fail_to_write(path, ELOOP);
        const std::filesystem::path target = std::filesystem::read_symlink(file, error);
        if (error) fail_to_write(path, error.value());
        file = file.parent_path() / target;  // an absolute target replaces the folder
    }
    return file.string();
}

}  // namespace

struct AtomicFile::Implementation {
    // Buffered writes to a file descriptor. They remember the first error, because std::ofstream
    // loses errno and the user must read "No space left on device".
    class DescriptorBuffer : public std::streambuf {
      public:
        explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor), buffer_(1 << 16) {
            setp(buffer_.data(), buffer_.data() + buffer_.size());
        }

        int error() const { return error_; }

        bool flush() {
            const char* begin = pbase();
            while (error_ == 0 && begin < pptr()) {
                const ssize_t written =
                    write(descriptor_, begin, static_cast<std::size_t>(pptr() - begin));
                if (written >= 0) {
                    begin += written;
                } else if (errno != EINTR) {
                    error_ = errno;
                }
            }
            setp(buffer_.data(), buffer_.data() + buffer_.size());
            return error_ == 0;
        }

      protected:
        int_type overflow(int_type c) override {
            if (!flush()) return traits_type::eof();
            if (!traits_type::eq_int_type(c, traits_type::eof())) {
                *pptr() = traits_type::to_char_type(c);
                pbump(1);
            }
            return traits_type::not_eof(c);
        }

        int sync() override { return flush() ? 0 : -1; }

      private:
        int descriptor_;
        int error_ = 0;
        std::vector<char> buffer_;
    };

    std::string path;  // as named by the user, for messages
    std::string target;  // after following symbolic links
    std::string temporary;  // empty: written directly
    int descriptor = -1;
    int slot = -1;
    std::unique_ptr<DescriptorBuffer> buffer;
    std::unique_ptr<std::ostream> stream;

    ~Implementation() {
        if (descriptor > STDERR_FILENO) close(descriptor);
        if (!temporary.empty()) unlink(temporary.c_str());
        free_slot(slot);
    }

    // Beside the target, because a rename cannot leave a file system. Opened exclusively under our
    // own name instead of by mkstemp, so that the file gets the usual permissions of the umask.
    void open_temporary() {
        for (int attempt = 0; attempt < 1000; ++attempt) {
            temporary = text(target, ".", getpid(), ".", attempt, ".partial");
            // The signal handler knows the file before it exists, so no signal can leave it behind.
            slot = take_slot(temporary.c_str());
            descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (descriptor >= 0) return;
            const int error = errno;
            free_slot(std::exchange(slot, -1));
            temporary.clear();
            if (error != EEXIST) fail_to_write(path, error);
        }
        fail_to_write(path, EEXIST);
    }
};

AtomicFile::AtomicFile(std::string path) : implementation_(std::make_unique<Implementation>()) {
    Implementation& file = *implementation_;
    file.path = std::move(path);
    struct stat status {};
    if (file.path == "-") {
        file.descriptor = STDOUT_FILENO;
    } else if (file.path.empty()) {
        throw InputError("an output file needs a name");
    } else if (stat(file.path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
        fail_to_write(file.path, EISDIR);
    } else if (stat(file.path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        file.descriptor = open(file.path.c_str(), O_WRONLY | O_CLOEXEC);
        if (file.descriptor < 0) fail_to_write(file.path, errno);
    } else {
        file.target = resolved(file.path);
        // A rename would replace a read-only file without looking at its permissions.
        if (access(file.target.c_str(), F_OK) == 0 && access(file.target.c_str(), W_OK) != 0) {
            fail_to_write(file.path, errno);
        }
        file.open_temporary();
    }
    file.buffer = std::make_unique<Implementation::DescriptorBuffer>(file.descriptor);
    file.stream = std::make_unique<std::ostream>(file.buffer.get());
}

AtomicFile::~AtomicFile() = default;

std::ostream& AtomicFile::stream() { return *implementation_->stream; }

const std::string& AtomicFile::path() const { return implementation_->path; }

void AtomicFile::commit() {
    Implementation& file = *implementation_;
    file.buffer->flush();
    if (file.buffer->error() != 0) fail_to_write(file.path, file.buffer->error());
    if (!file.stream->good()) {
        throw InputError(file.path + ": cannot be written: a value could not be formatted");
    }
    // Some file systems report a full disk only here.
    if (file.descriptor > STDERR_FILENO && close(std::exchange(file.descriptor, -1)) != 0) {
        fail_to_write(file.path, errno);
    }
    if (!file.temporary.empty()) {
        if (std::rename(file.temporary.c_str(), file.target.c_str()) != 0) {
            fail_to_write(file.path, errno);
        }
        free_slot(std::exchange(file.slot, -1));
        file.temporary.clear();
    }
}

void remove_temporary_files() {
    for (const std::atomic<const char*>& path : g_temporary_paths) {
        if (const char* name = path.load()) unlink(name);
    }
}

void remove_temporary_files_on_signals() {
    struct sigaction action {};
    action.sa_handler = remove_and_reraise;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (const int signal :
         {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        struct sigaction present {};
        sigaction(signal, nullptr, &present);
        // The parent process may ignore it (nohup, a background job), or the program handle it.
        if (present.sa_handler == SIG_DFL) sigaction(signal, &action, nullptr);
    }
}

}  // namespace course
