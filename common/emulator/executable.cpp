// SPDX-License-Identifier: MIT
#include "executable.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

namespace emulator {
namespace {

// The prefix that qualifiers.hpp gives the sections of __shared__ variables.
constexpr std::string_view kSharedSection = "emulator_shared";

struct Image {
    std::uintptr_t base = 0;  // added to the file's addresses
    std::uintptr_t tls_address = 0;  // of the thread-local template, as the file has it
};

Image find_image() {
    Image image;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            auto* found = static_cast<Image*>(result);
            found->base = info->dlpi_addr;
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const ElfW(Phdr)& header = info->dlpi_phdr[i];
                if (header.p_type == PT_TLS) found->tls_address = header.p_vaddr;
            }
            return 1;  // the first entry is the executable
        },
        &image);
    return image;
}

char* find_tls_block() {
    void* block = nullptr;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<void**>(result) = info->dlpi_tls_data;
            return 1;
        },
        &block);
    return static_cast<char*>(block);
}

// The sections of the file, read when asked for; an unreadable or odd file has none.
class ElfFile {
  public:
    ElfFile() {
        const int descriptor = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) return;
        struct stat status {};
        if (::fstat(descriptor, &status) == 0) {
            bytes_ = static_cast<std::size_t>(status.st_size);
            void* file = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
            if (file != MAP_FAILED) file_ = static_cast<const char*>(file);
        }
        ::close(descriptor);
        if (file_ == nullptr || bytes_ < sizeof(ElfW(Ehdr))) return;
        const auto& header = at<ElfW(Ehdr)>(0);
        if (header.e_shoff == 0 || header.e_shoff + header.e_shnum * sizeof(ElfW(Shdr)) > bytes_) {
            return;
        }
        sections_ = {&at<ElfW(Shdr)>(header.e_shoff), header.e_shnum};
        names_ = sections_[header.e_shstrndx].sh_offset;
    }
    ~ElfFile() {
        if (file_ != nullptr) ::munmap(const_cast<char*>(file_), bytes_);
    }
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    std::span<const ElfW(Shdr)> sections() const { return sections_; }
    std::string_view section_name(const ElfW(Shdr) & section) const {
        return &at<char>(names_ + section.sh_name);
    }
    template <class T>
    const T& at(std::size_t offset) const {
        return *reinterpret_cast<const T*>(file_ + offset);
    }

  private:
    const char* file_ = nullptr;
    std::size_t bytes_ = 0;
    std::span<const ElfW(Shdr)> sections_;
    std::size_t names_ = 0;
};

struct TlsRange {
    std::size_t offset;
    std::size_t bytes;
};

std::vector<TlsRange> find_shared_sections() {
    const Image image = find_image();
    const ElfFile file;
    std::vector<TlsRange> ranges;
    for (const ElfW(Shdr) & section : file.sections()) {
        if ((section.sh_flags & SHF_TLS) != 0 &&
            file.section_name(section).starts_with(kSharedSection)) {
            ranges.push_back({section.sh_addr - image.tls_address, section.sh_size});
        }
    }
    return ranges;
}

std::string demangle(const char* symbol) {
    int status = 0;
    char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = status == 0 ? text : symbol;
    std::free(text);
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    for (auto at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed)) {
        name.erase(at, kUnnamed.size());
    }
    // Keep the name alone: no parameters, no return type (which a template's symbol carries).
    if (const auto parameters = name.find('('); parameters != std::string::npos) {
        name.resize(parameters);
    }
    if (const auto result = name.find(' ');
        result != std::string::npos && result < name.find('<')) {
        name.erase(0, result + 1);
    }
    return name;
}

}  // namespace

std::vector<SharedRange> static_shared_ranges() {
    // Never destroyed: static destructors may still run kernels.
    static const auto* sections = new std::vector<TlsRange>(find_shared_sections());
    std::vector<SharedRange> ranges;
    char* block = find_tls_block();
    for (const TlsRange& section : *sections) {
        ranges.push_back({block + section.offset, section.bytes});
    }
    return ranges;
}

std::string function_name(const void* address) {
    const ElfFile file;
    const auto wanted = reinterpret_cast<std::uintptr_t>(address) - find_image().base;
    for (const ElfW(Shdr) & section : file.sections()) {
        if (section.sh_type != SHT_SYMTAB) continue;
        const ElfW(Shdr)& strings = file.sections()[section.sh_link];
        for (std::size_t offset = 0; offset < section.sh_size; offset += sizeof(ElfW(Sym))) {
            const auto& symbol = file.at<ElfW(Sym)>(section.sh_offset + offset);
            if ((symbol.st_info & 0xf) == STT_FUNC && symbol.st_value == wanted) {
                return demangle(&file.at<char>(strings.sh_offset + symbol.st_name));
            }
        }
    }
    return "a kernel";
}

}  // namespace emulator
