#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace psflip::tools {

/// The command line as one string that a shell would read back as the same words.
std::string quoted_command_line(int argc, char** argv);

/// For CLI::Option::check: a number from `least` to `most`. CLI11's own ranges let nan pass.
CLI::Validator number_from(double least, double most);

/// For CLI::Option::check: a whole number, `least` or above. Those that no type holds are left to CLI11.
CLI::Validator whole_number_from(long least);

/// For CLI::Option::check: what parse_kernel takes.
CLI::Validator kernel_text();

}  // namespace psflip::tools
