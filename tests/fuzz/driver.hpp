#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace psflip::fuzz {

/// Gives the random numbers that decide one case. They are a function of seed and case number alone
/// (SplitMix64, Steele et al. 2014).
class Random {
  public:
    Random(std::uint64_t seed, std::int64_t number);
    std::uint64_t word();
    /// Returns a number from 0 to n - 1; n > 0.
    std::size_t below(std::size_t n) { return word() % n; }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template <class List>
    const auto& pick(const List& list) {
        return list[below(std::size(list))];
    }
    /// Returns a size from 1 to `most`. Small sizes are more probable: each further octave has 2/3 of the
    /// chance.
    std::size_t size(std::size_t most);

  private:
    std::uint64_t state_;
};

/// Reports a case that did not end as it must; what() says how it ended.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Defines the cases of a driver. Every function may use `folder`, which the driver makes and removes at the
/// end.
class Target {
  public:
    virtual ~Target() = default;
    virtual std::string name() const = 0;
    /// Makes files that all cases share, once, in a separate process.
    virtual void prepare(const std::string& folder) { (void)folder; }
    /// Is called in each process that runs cases, before its first case.
    virtual void start(const std::string& folder) = 0;
    /// Runs one case. Throws Failure, or the exception that the library should not have thrown. The inputs of
    /// the case are files of `folder` whose names begin with "case"; --keep keeps them.
    virtual void run(Random& random) = 0;
};

/// Checks that an error message is one line of printable UTF-8 of at most 4000 bytes and contains `name`, the
/// name of the file or option. Throws Failure if not.
void check_message(const std::string& message, const std::string& name);

/// Runs the cases of a driver in a separate, watched process. A case fails if it crashes, throws, or takes
/// more than 10 s of processor time, 120 s of wall time or 2 GiB of memory. The process then starts again at
/// the next case. Prints each failed case with the command that repeats it, and at the end
/// "NAME: N cases, N failed, N per second (seed S)". Returns 0 if no case failed, else 1.
/// Options: --seed S; --first CASE; --cases N and --seconds T (the driver ends at the first of both limits);
/// --only CASE (in this process, for a debugger); --keep FOLDER (for the inputs of failed cases).
int run_driver(int argc, char** argv, Target& target);

}  // namespace psflip::fuzz
