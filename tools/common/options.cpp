#include "common/options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cctype>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "io/path_list.hpp"
#include "sweep/kernel_request.hpp"

namespace psflip::tools {
namespace {

bool plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_-./=:,+%@", c);
}

std::string quoted(const std::string& word) {
    bool is_plain = !word.empty();
    for (char c : word) is_plain = is_plain && plain(c);
    if (is_plain) return word;
    std::string result = "'";
    for (char c : word) {
        if (c == '\'')
            result += "'\\''";
        else
            result += c;
    }
    return result + "'";
}

ValueCheck check_of(const CLI::Validator& validator) {
    return {[validator](const std::string& text) { return validator(text); }, validator.get_description()};
}

/// Lets several values follow one --set, unless the program has positional arguments, which would be taken as
/// values.
void settle_overrides(CLI::App& app) {
    bool positionals = false;
    for (const CLI::Option* option : app.get_options()) positionals = positionals || option->get_positional();
    if (CLI::Option* set = app.get_option_no_throw("--set")) set->allow_extra_args(!positionals);
}

/// Returns a text like "did you mean --threads? " for each unknown option that is similar to a known one.
std::string meant(const CLI::App& app) {
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options())
        known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
    std::string text;
    for (const std::string& word : app.remaining()) {
        if (!word.starts_with("--")) continue;
        const std::string near = nearest_name(word.substr(2, word.find('=') - 2), known);
        if (!near.empty()) text += fmt::format("did you mean --{}? ", near);
    }
    return text;
}

}  // namespace

std::string quoted_command_line(int argc, char** argv) {
    std::string line;
    for (int i = 0; i < argc; ++i) line += (i ? " " : "") + quoted(argv[i]);
    return line;
}

ValueCheck number_from(double least, double most) {
    const auto check = [=](const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool number = !text.empty() && *end == '\0';
        if (number && value >= least && value <= most) return std::string();
        return fmt::format("{} is not a number from {:g} to {:g}", text, least, most);
    };
    return {check, fmt::format("FLOAT in [{:g} - {:g}]", least, most)};
}

ValueCheck whole_number_from(long least) {
    const auto check = [=](const std::string& text) {
        char* end = nullptr;
        const long value = std::strtol(text.c_str(), &end, 10);
        const bool number = end != text.c_str() && *end == '\0';
        if (number && value >= least) return std::string();
        return fmt::format("'{}' is not a whole number from {} on", text, least);
    };
    return {check, fmt::format("from {}", least)};
}

ValueCheck kernel_text() {
    const auto check = [](const std::string& text) {
        try {
            return parse_kernel(text), std::string();
        } catch (const InputError& error) {
            return std::string(error.what());
        }
    };
    return {check, "KERNEL"};
}

ValueCheck in_range(int least, int most) {
    return check_of(CLI::Range(least, most));
}
ValueCheck in_range(std::int64_t least, std::int64_t most) {
    return check_of(CLI::Range(least, most));
}
ValueCheck in_range(std::uint64_t least, std::uint64_t most) {
    return check_of(CLI::Range(least, most));
}
ValueCheck one_of(std::initializer_list<const char*> values) {
    return check_of(CLI::IsMember(values));
}
ValueCheck one_of(std::initializer_list<int> values) {
    return check_of(CLI::IsMember(values));
}

Option Option::check(const ValueCheck& check) const {
    return Option(option_->check(check.refusal, check.help));
}
Option Option::needs(const std::string& name) const {
    return Option(option_->needs(name));
}
Option Option::excludes(const std::string& name) const {
    return Option(option_->excludes(name));
}
Option Option::type_name(const std::string& name) const {
    return Option(option_->type_name(name));
}
Option Option::default_str(const std::string& text) const {
    return Option(option_->default_str(text));
}
Option Option::delimiter(char separator) const {
    return Option(option_->delimiter(separator));
}

ProgramOptions::ProgramOptions(const std::string& program, const std::string& purpose,
                               const std::string& version)
    : app_(std::make_unique<CLI::App>(purpose, program)) {
    app_->option_defaults()->always_capture_default();
    app_->set_version_flag("--version", version);
}

ProgramOptions::~ProgramOptions() = default;

Option ProgramOptions::add(const std::string& name, Variable variable, const std::string& help) {
    return std::visit([&](auto* value) { return Option(app_->add_option(name, *value, help)); }, variable);
}

Option ProgramOptions::flag(const std::string& name, bool& variable, const std::string& help) {
    return Option(app_->add_flag(name, variable, help));
}

Option ProgramOptions::without_effect(Option option) {
    without_effect_.push_back(option.option_);
    return option;
}

std::vector<std::string> ProgramOptions::given_without_effect() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : without_effect_)
        if (option->count() > 0) names.push_back(option->get_name());
    return names;
}

Option ProgramOptions::input(Option option) {
    inputs_.push_back(option.option_);
    return option.type_name(option.option_->get_items_expected_max() > 1 ? "FILE ..." : "FILE");
}

Option ProgramOptions::input_list(Option option) {
    input_lists_.push_back(option.option_);
    return option.type_name("LIST");
}

Option ProgramOptions::output(Option option, const std::string& kind) {
    outputs_.push_back({option.option_, kind});
    return Option(option.type_name("FILE").option_->transform(link_target));
}

bool ProgramOptions::parse(int argc, char** argv, bool prints) try {
    settle_overrides(*app_);
    app_->parse(argc, argv);
    return true;
} catch (const CLI::ExtrasError& error) {
    throw InputError(fmt::format("{} ({}see {} --help)", error.what(), meant(*app_), app_->get_name()));
} catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
        throw InputError(fmt::format("{} (see {} --help)", error.what(), app_->get_name()));
    for (CLI::Option* option : without_effect_) option->group("");  // not in --help
    if (prints) app_->exit(error);
    return false;
}

bool ProgramOptions::is_given(const std::string& name) const {
    return app_->count(name) > 0;
}

void ProgramOptions::check_required() const {
    for (const auto& [name, instead] : required_)
        if (!is_given(name) && (instead.empty() || !is_given(instead)))
            throw InputError(name + " is required");
}

std::vector<NamedFile> ProgramOptions::inputs() const {
    std::vector<NamedFile> files;
    for (const CLI::Option* option : inputs_)
        for (const std::string& path : option->results()) files.push_back({option->get_name(), path});
    for (const CLI::Option* option : input_lists_)
        for (const std::string& list : option->results()) {
            files.push_back({option->get_name(), list});
            for (const std::string& path : read_path_list(list))
                files.push_back({option->get_name() + " " + list, path});
        }
    return files;
}

std::vector<ProgramOptions::Output> ProgramOptions::outputs() const {
    std::vector<Output> files;
    for (const auto& [option, kind] : outputs_)
        for (const std::string& path : option->results()) {
            files.push_back({{option->get_name(), path}, kind});
            if (option->get_name() != "--out") continue;
            for (const auto& [other_kind, with] : out_kinds_)
                if (is_given(with)) files.back().kind = other_kind;
        }
    return files;
}

}  // namespace psflip::tools
