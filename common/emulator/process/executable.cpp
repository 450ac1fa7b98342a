// SPDX-License-Identifier: MIT
#include "common/emulator/process/executable.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
    std::size_t tls_bytes = 0;
};

Image find_image() {
    Image image;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            auto* found = static_cast<Image*>(result);
            found->base = info->dlpi_addr;
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const ElfW(Phdr)& header = info->dlpi_phdr[i];
                if (header.p_type != PT_TLS) continue;
                found->tls_address = header.p_vaddr;
                found->tls_bytes = header.p_memsz;
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

// The sections of the file, read on demand; an unreadable or malformed file has none.
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

    // Calls visit(symbol, its mangled name) for each symbol.
    template <class Visit>
    void for_each_symbol(Visit visit) const {
        for (const ElfW(Shdr) & section : sections_) {
            if (section.sh_type != SHT_SYMTAB) continue;
            const std::size_t names = sections_[section.sh_link].sh_offset;
            for (std::size_t offset = 0; offset < section.sh_size; offset += sizeof(ElfW(Sym))) {
                const auto& symbol = at<ElfW(Sym)>(section.sh_offset + offset);
                visit(symbol, &at<char>(names + symbol.st_name));
            }
        }
    }

  private:
    const char* file_ = nullptr;
    std::size_t bytes_ = 0;
    std::span<const ElfW(Shdr)> sections_;
    std::size_t names_ = 0;
};

// The tags that qualifiers.hpp gives variables, in the form that mangled names have.
constexpr std::string_view kSharedTag = "B6shared";
constexpr std::string_view kRedzoneTag = "B7redzone";
constexpr std::string_view kConstantTag = "B8constant";

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
    // Template arguments may contain either too: "kernel<(Mode)1>".
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char letter = name[i];
        if (letter == '(' && depth == 0) {
            name.resize(i);
        } else if (letter == ' ' && depth == 0) {
            begin = i + 1;
        } else if (letter == '<' || letter == '(' || letter == '{') {
            ++depth;
        } else if (letter == '>' || letter == ')' || letter == '}') {
            --depth;
        }
    }
    return name.substr(begin);
}

// "kernel<float>(float*)::tile[abi:shared]" is tile.
std::string variable_name(const char* symbol) {
    int status = 0;
    char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = status == 0 ? text : symbol;
    std::free(text);
    name.resize(std::min(name.size(), name.find("[abi:")));
    if (const auto scope = name.rfind("::"); scope != std::string::npos) name.erase(0, scope + 2);
    return name;
}

template <class Wanted>
std::vector<Variable> find_variables(unsigned type, std::uintptr_t base, Wanted wanted) {
    const ElfFile file;
    std::vector<Variable> variables;
    file.for_each_symbol([&](const ElfW(Sym) & symbol, const char* name) {
        if ((symbol.st_info & 0xf) != type || symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF ||
            !wanted(std::string_view(name))) {
            return;
        }
        variables.push_back({variable_name(name), base + symbol.st_value, symbol.st_size,
                             std::string_view(name).find(kConstantTag) != std::string_view::npos});
    });
    std::sort(variables.begin(), variables.end(),
              [](const Variable& a, const Variable& b) { return a.address < b.address; });
    return variables;
}

std::vector<Section> find_data_sections() {
    const ElfFile file;
    std::vector<Section> sections;
    for (const ElfW(Shdr) & section : file.sections()) {
        if ((section.sh_flags & SHF_ALLOC) == 0 || (section.sh_flags & SHF_TLS) != 0 ||
            section.sh_size == 0) {
            continue;
        }
        sections.push_back({find_image().base + section.sh_addr, section.sh_size,
                            (section.sh_flags & SHF_WRITE) != 0});
    }
    return sections;
}

// The shared variables of a stripped file, which has no symbols: those in sections of their own.
std::vector<Variable> find_shared_sections() {
    const Image image = find_image();
    const ElfFile file;
    std::vector<Variable> found;
    for (const ElfW(Shdr) & section : file.sections()) {
        if ((section.sh_flags & SHF_TLS) != 0 &&
            file.section_name(section).starts_with(kSharedSection)) {
            found.push_back({"", section.sh_addr - image.tls_address, section.sh_size, false});
        }
    }
    return found;
}

}  // namespace

// None of these is ever destroyed: static destructors may still run kernels.
const std::vector<Variable>& shared_variables() {
    static const auto* all =
        new std::vector<Variable>(find_variables(STT_TLS, 0, [](std::string_view name) {
            return name.find(kSharedTag) != std::string_view::npos;
        }));
    return *all;
}

const std::vector<Variable>& thread_variables() {
    static const auto* all =
        new std::vector<Variable>(find_variables(STT_TLS, 0, [](std::string_view name) {
            return name.find(kSharedTag) == std::string_view::npos &&
                   name.find(kRedzoneTag) == std::string_view::npos;
        }));
    return *all;
}

const std::vector<Variable>& data_variables() {
    static const auto* all = new std::vector<Variable>(find_variables(
        STT_OBJECT, find_image().base,
        [](std::string_view name) { return name.find(kRedzoneTag) == std::string_view::npos; }));
    return *all;
}

const std::vector<Section>& data_sections() {
    static const auto* all = new std::vector<Section>(find_data_sections());
    return *all;
}

SharedRange thread_local_block() { return {find_tls_block(), find_image().tls_bytes}; }

std::vector<SharedRange> static_shared_ranges() {
    static const auto* variables = new std::vector<Variable>(
        shared_variables().empty() ? find_shared_sections() : shared_variables());
    std::vector<SharedRange> ranges;
    char* block = find_tls_block();
    for (const Variable& variable : *variables) {
        ranges.push_back({block + variable.address, variable.bytes});
    }
    return ranges;
}

std::string mangled_function_name(const void* address) {
    const ElfFile file;
    const auto wanted = reinterpret_cast<std::uintptr_t>(address) - find_image().base;
    const char* found = nullptr;
    file.for_each_symbol([&](const ElfW(Sym) & symbol, const char* name) {
        if (found == nullptr && (symbol.st_info & 0xf) == STT_FUNC &&
            (symbol.st_value == wanted || wanted - symbol.st_value < symbol.st_size)) {
            found = name;
        }
    });
    return found != nullptr ? found : "";
}

std::string function_name(const void* address) {
    const std::string found = mangled_function_name(address);
    return found.empty() ? "a kernel" : demangle(found.c_str());
}

}  // namespace emulator
