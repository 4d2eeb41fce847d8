#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace psflip::fuzz {

/// The numbers that decide one case: a function of seed and case alone (SplitMix64, Steele et al. 2014).
class Random {
  public:
    Random(std::uint64_t seed, std::int64_t number);
    std::uint64_t word();
    /// 0 to n - 1; n > 0.
    std::size_t below(std::size_t n) { return word() % n; }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template <class List>
    const auto& pick(const List& list) {
        return list[below(std::size(list))];
    }
    /// Mostly small, at times up to `most`: of equal chance per octave.
    std::size_t size(std::size_t most);

  private:
    std::uint64_t state_;
};

/// A case that did not end as it must; what() says how.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What is tried. Every function may use `folder`, which is the driver's own and removed at the end.
class Target {
  public:
    virtual ~Target() = default;
    virtual std::string name() const = 0;
    /// Makes files that all cases share, once, in a separate process.
    virtual void prepare(const std::string& folder) { (void)folder; }
    /// Called in each process that runs cases, before the first.
    virtual void start(const std::string& folder) = 0;
    /// One case. Throws Failure, or whatever the library throws where it must not. Its inputs are files of
    /// `folder` whose names begin with "case"; they are kept where --keep is given.
    virtual void run(Random& random) = 0;
};

/// Checks an error message: one line of printable UTF-8 of at most 4000 bytes that has `name` in it, of the
/// file or the option. Throws Failure.
void check_message(const std::string& message, const std::string& name);

/// Runs the cases of a driver in a separate, watched process. A case fails if it crashes, throws, or takes
/// more than 10 s of processor time, 120 s of wall time or 2 GiB of memory. The process then starts again at
/// the next case. Prints each failed case with the command that repeats it, and at the end
/// "NAME: N cases, N failed, N per second (seed S)". Returns 0 if no case failed, else 1.
/// Options: --seed S, --first CASE, --cases N, --seconds T (the driver ends at what comes first), --only CASE
/// (in this process, for a debugger), --keep FOLDER (for the inputs of failed cases).
int run_driver(int argc, char** argv, Target& target);

}  // namespace psflip::fuzz
