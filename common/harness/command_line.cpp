// SPDX-License-Identifier: MIT
// The only file that includes CLI11, which takes ten seconds to compile.
#include "common/harness/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <utility>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/numbers.hpp"

namespace course {

// CLI11 finds flags and their texts. numbers.hpp reads the numbers, by the same rules as in files.
struct CommandLine::Implementation {
    explicit Implementation(std::string summary) : app(std::move(summary)) {}

    CLI::App app;
    std::string program;
    std::string version;
    bool version_asked = false;
    std::vector<std::function<void()>> readers;  // each sets the variable of one flag from its text

    // A flag without its value would take the next flag as one. Errors: UsageError.
    void refuse_flags_as_values() const {
        for (const CLI::Option* option : app.get_options()) {
            if (option->get_items_expected_max() == 0) continue;
            for (const std::string& value : option->results()) {
                const std::string flag = value.substr(0, value.find('='));
                if (flag.size() < 2 || flag.front() != '-') continue;
                if (app.get_option_no_throw(flag) == nullptr) continue;
                throw UsageError(text(option->get_name(), " is followed by the flag ", flag,
                                      " in place of a value (a file of this name: ./", flag, ")"));
            }
        }
    }

    // `read` takes the text of the flag. It is not called for a flag that was not given.
    void add(const std::string& name, const std::string& help, const std::string& type,
             const std::string& default_text, std::function<void(const std::string&)> read) {
        auto value = std::make_shared<std::string>();
        CLI::Option* option = app.add_option(name, *value, help);
        option->type_name(type);
        if (!default_text.empty()) option->default_str(default_text);
        readers.push_back([option, value, read = std::move(read)] {
            if (option->count() > 0) read(*value);
        });
    }
};

namespace {

constexpr std::size_t kWordsInMessage = 8;

[[noreturn]] void refuse(const std::string& name, const std::string& value,
                         const std::string& why) {
    throw UsageError(text(name, " ", in_quotes(value), " ", why));
}

// Throws UsageError unless `number` was read and lies within the range.
template <typename T>
T within(const std::string& name, const std::string& value, const ParsedNumber<T>& number,
         T minimum, T maximum) {
    if (!number) refuse(name, value, std::string(describe(number.fault)));
    if (number.value < minimum) refuse(name, value, text("is below ", minimum));
    if (number.value > maximum) refuse(name, value, text("is above ", maximum));
    return number.value;
}

}  // namespace

CommandLine::CommandLine(std::string program, std::string summary, std::string version)
    : implementation_(std::make_unique<Implementation>(std::move(summary))) {
    implementation_->program = program;
    implementation_->version = std::move(version);
    CLI::App& app = implementation_->app;
    app.name(std::move(program));
    app.set_help_flag("--help,-h", "print this and exit");
    app.add_flag("--version", implementation_->version_asked, "print the version and exit");
    app.get_formatter()->column_width(28);
    app.footer(
        "Integers may be written 1e10 or 1.5e3. Data goes to stdout, messages to stderr.\n"
        "Exit status: 0 right, 1 wrong result or file or failure, 2 bad flags, 77 no device.");
}

CommandLine::~CommandLine() = default;

void CommandLine::add_integer(const std::string& name, std::int64_t& value, const std::string& help,
                              std::int64_t minimum, std::int64_t maximum) {
    const bool valid_default = minimum <= value && value <= maximum;
    implementation_->add(name, help, "INTEGER", valid_default ? std::to_string(value) : "",
                         [=, &value](const std::string& given) {
                             value = within(name, given, parse_integer(given), minimum, maximum);
                         });
}

void CommandLine::add_integers(const std::string& name, std::vector<std::int64_t>& values,
                               const std::string& help, std::int64_t minimum,
                               std::int64_t maximum) {
    implementation_->add(name, help, "INTEGER,...", "", [=, &values](const std::string& given) {
        values.clear();
        std::size_t begin = 0;
        while (begin <= given.size()) {
            const std::size_t end = std::min(given.find(',', begin), given.size());
            const std::string part = given.substr(begin, end - begin);
            values.push_back(within(name, part, parse_integer(part), minimum, maximum));
            begin = end + 1;
        }
    });
}

void CommandLine::add_integer(const std::string& name, int& value, const std::string& help,
                              int minimum, int maximum) {
    implementation_->add(
        name, help, "INTEGER", std::to_string(value), [=, &value](const std::string& given) {
            value = static_cast<int>(
                within<std::int64_t>(name, given, parse_integer(given), minimum, maximum));
        });
}

void CommandLine::add_unsigned(const std::string& name, std::uint64_t& value,
                               const std::string& help) {
    implementation_->add(
        name, help, "INTEGER", std::to_string(value), [=, &value](const std::string& given) {
            value = within<std::uint64_t>(name, given, parse_unsigned(given), 0,
                                          std::numeric_limits<std::uint64_t>::max());
        });
}

void CommandLine::add_real(const std::string& name, double& value, const std::string& help,
                           double minimum, double maximum) {
    implementation_->add(name, help, "NUMBER", text(value), [=, &value](const std::string& given) {
        value = within(name, given, parse_real(given), minimum, maximum);
    });
}

void CommandLine::add_text(const std::string& name, std::string& value, const std::string& help) {
    implementation_->add(name, help, "TEXT", value, [=, &value](const std::string& given) {
        if (given.empty()) throw UsageError(name + " '' is empty");
        value = given;
    });
}

void CommandLine::add_flag(const std::string& name, bool& value, const std::string& help) {
    implementation_->app.add_flag(name, value, help);
}

void CommandLine::add_choice(const std::string& name, std::string& value,
                             const std::vector<std::string>& choices, const std::string& help) {
    std::string list;
    for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
    implementation_->add(
        name, text(help, ": ", list), "NAME", value, [=, &value](const std::string& given) {
            if (std::find(choices.begin(), choices.end(), given) == choices.end()) {
                refuse(name, given, "is not one of " + list);
            }
            value = given;
        });
}

std::optional<std::string> CommandLine::parse(int argc, const char* const* argv) {
    try {
        implementation_->app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return implementation_->app.help();
    } catch (const CLI::ExtrasError&) {
        implementation_->refuse_flags_as_values();
        const std::vector<std::string> words = implementation_->app.remaining();
        std::string left;
        for (std::size_t i = 0; i < std::min(words.size(), kWordsInMessage); ++i) {
            left += " " + (words[i].size() > 40 ? in_quotes(words[i]) : printable(words[i]));
        }
        if (words.size() > kWordsInMessage) left += " ...";
        throw UsageError(text("not a flag of this program:", left, " (--help lists them)"));
    } catch (const CLI::ArgumentMismatch& error) {
        // CLI11 starts its message with the flag's name.
        const std::string message = error.what();
        throw UsageError(one_line(message.substr(0, message.find(": "))) +
                         ": give it once, with one value");
    } catch (const CLI::ParseError& error) {
        throw UsageError(one_line(error.what()));
    }
    if (implementation_->version_asked) {
        return text(implementation_->program, " ", implementation_->version, "\n");
    }
    implementation_->refuse_flags_as_values();
    for (const std::function<void()>& read : implementation_->readers) read();
    return std::nullopt;
}

bool CommandLine::given(const std::string& name) const {
    return implementation_->app.count(name) > 0;
}

}  // namespace course
