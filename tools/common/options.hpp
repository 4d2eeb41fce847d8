#pragma once

// Declares and parses the options of a program. Only options.cpp includes CLI11, because CLI11 compiles
// slowly.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "io/output/file_names.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace psflip::tools {

/// Returns the command line as one string that a shell would read back as the same words.
std::string quoted_command_line(int argc, char** argv);

/// Checks the text of one value of an option.
struct ValueCheck {
    /// Returns why the check refuses the text, or an empty string if the check accepts the text.
    std::function<std::string(const std::string&)> refusal;
    std::string help{};  ///< text that --help prints after the type
};

/// Accepts numbers from `least` to `most`. For a `double`, use number_from.
ValueCheck in_range(int least, int most);
ValueCheck in_range(std::int64_t least, std::int64_t most);
ValueCheck in_range(std::uint64_t least, std::uint64_t most);

/// Accepts only these values.
ValueCheck one_of(std::initializer_list<const char*> values);
ValueCheck one_of(std::initializer_list<int> values);

/// Accepts numbers from `least` to `most`. Unlike in_range, it refuses nan.
ValueCheck number_from(double least, double most);

/// Accepts whole numbers from `least` on. Parsing refuses numbers beyond the type.
ValueCheck whole_number_from(long least);

/// Accepts what parse_kernel accepts.
ValueCheck kernel_text();

/// Refers to a declared option. All functions return the option, so that calls can be chained. Copies refer
/// to the same option.
class Option {
  public:
    Option check(const ValueCheck& check) const;
    /// Refuses command lines that have this option but not the option `name`, which was declared before.
    Option needs(const std::string& name) const;
    /// Refuses command lines that have both this option and the option `name`, which was declared before.
    Option excludes(const std::string& name) const;
    Option type_name(const std::string& name) const;
    /// Sets the default that --help shows.
    Option default_str(const std::string& text) const;
    /// Splits each argument into several values.
    Option delimiter(char separator) const;

  private:
    friend class ProgramOptions;
    explicit Option(CLI::Option* option) : option_(option) {}

    CLI::Option* option_;
};

/// Declares and parses the command line of one program. Functions that declare an option return it.
class ProgramOptions {
  public:
    ProgramOptions(const std::string& program, const std::string& purpose, const std::string& version);
    ~ProgramOptions();

    /// Declares an option that is required, except with --validate.
    template <class T>
    Option required(const std::string& name, T& variable, const std::string& help) {
        required_.push_back({name, ""});
        return add(name, &variable, help + " (required)");
    }
    /// Declares an option that is required unless `instead` is given, and excludes `instead`, which was
    /// declared before.
    template <class T>
    Option required_unless(const std::string& instead, const std::string& name, T& variable,
                           const std::string& help) {
        required_.push_back({name, instead});
        return add(name, &variable, help + " (required unless " + instead + " is given)").excludes(instead);
    }
    /// Declares an option with the present value of the variable as default.
    template <class T>
    Option optional(const std::string& name, T& variable, const std::string& help) {
        return add(name, &variable, help);
    }
    /// Declares a switch, which sets the variable to true.
    Option flag(const std::string& name, bool& variable, const std::string& help);
    /// Records that the values of an option name inputs.
    Option input(Option option);
    /// Records that an option names a text file with the paths of inputs, one per line.
    Option input_list(Option option);
    /// Records that an option names an output of this kind (io/schema.hpp or text_kind). If the value is a
    /// link, the program locks and writes the target of the link.
    Option output(Option option, const std::string& kind);
    /// Records that the file at --out is of this kind if the option `with` is given.
    void writes(const std::string& kind, const std::string& with) { out_kinds_.push_back({kind, with}); }
    /// Hides an option from --help, because it has no effect in this program. Every program accepts the
    /// shared options, and warns if an option without effect is given.
    Option without_effect(Option option);
    /// Returns the given options that have no effect.
    std::vector<std::string> given_without_effect() const;
    /// Records that the program works as one rank if the option `name` is given.
    void one_rank(const std::string& name) { one_rank_.push_back(name); }

    struct Output {
        NamedFile file;
        std::string kind;
    };
    const std::vector<std::string>& one_rank() const { return one_rank_; }

    /// Sets the variables of all options. Returns false after --help and --version, which it prints if
    /// `prints`. Errors: InputError for a bad command line.
    bool parse(int argc, char** argv, bool prints);

    /// Returns whether the command line has the option. Call it after parse.
    bool is_given(const std::string& name) const;
    /// Checks that no required option is missing. Call it after parse. Errors: InputError.
    void check_required() const;
    /// Returns the given input files, including the files in lists. Call it after parse. Errors: as
    /// read_path_list.
    std::vector<NamedFile> inputs() const;
    std::vector<Output> outputs() const;

  private:
    using Variable =
        std::variant<std::string*, int*, std::int64_t*, std::uint64_t*, double*, std::vector<std::string>*,
                     std::vector<int>*, std::vector<std::uint64_t>*, std::vector<double>*>;
    struct RequiredOption {
        std::string name, instead;
    };
    struct OutputOption {
        CLI::Option* option;
        std::string kind;
    };
    struct OutKind {
        std::string kind, with;
    };

    Option add(const std::string& name, Variable variable, const std::string& help);

    std::unique_ptr<CLI::App> app_;
    std::vector<RequiredOption> required_;
    std::vector<std::string> one_rank_;
    std::vector<CLI::Option*> inputs_, input_lists_, without_effect_;
    std::vector<OutputOption> outputs_;
    std::vector<OutKind> out_kinds_;
};

}  // namespace psflip::tools
