// Writes the update of Ising models as a table: classes of bonds, and thresholds of random numbers.
#pragma once

#include <array>
#include <cstdint>

namespace psflip {

struct Model;

/// Says what the numbers of the classes count.
enum class Classes {
    unsatisfied,  ///< u = 0..degree unsatisfied bonds; no bond is absent
    with_absent   ///< v = 2u + a = 0..2 degree, u unsatisfied and a absent bonds
};

/// Holds every update of an Ising model at one temperature. The bonds of a site give a class v (2u if no bond
/// is absent). Flipping spin s costs dE(v, s) = 2 (degree - v) + 2 h s, which falls with v. Each class has a
/// threshold t(v, s) for the 32-bit random number R, and the spin flips iff R < t(v, s):
///  Metropolis: round(2^32 exp(-beta dE)), at most 2^32 - 1; classes of dE <= 0 have none and always flip;
///  heat bath: round(2^32 / (1 + exp(beta dE))), at most 2^32 - 1.
/// Thresholds ascend with v. So the spin flips iff v >= v_min(R, s), the number of thresholds of s that are
/// at most R.
class ClassTable {
  public:
    static constexpr int max_classes = 13;

    /// Holds the thresholds of one spin value for the classes 0, ..., count - 1, ascending.
    struct List {
        std::array<std::uint32_t, max_classes> threshold{};
        int count = 0;
        bool operator==(const List&) const = default;
    };

    /// beta: 1 / (k_B T). Errors: InputError as check_model, and unless beta is finite and at least 0.
    ClassTable(const Model& model, double beta, Classes classes);

    /// Returns the number of classes: degree + 1, or 2 degree + 1 with absent bonds.
    int classes() const { return classes_; }
    /// Returns the thresholds of spin s = +1 or -1. The reference is valid as long as the table.
    const List& thresholds(int s) const { return list_[s > 0]; }
    /// Returns the smallest class that flips, 0 to classes().
    int v_min(std::uint32_t R, int s) const;
    /// Returns whether a spin without bonds (a = degree) flips iff R < 2^31, whatever the table says. It does
    /// so under Metropolis without a field. By the table it would flip in every sweep, in all replicas alike.
    bool isolated_by_half() const { return isolated_by_half_; }

  private:
    int classes_;
    std::array<List, 2> list_;  ///< of spin -1, of spin +1
    bool isolated_by_half_;
};

/// An isolated spin without field under Metropolis flips iff R is below this threshold.
inline constexpr std::uint32_t isolated_threshold = 0x80000000u;

/// Returns dE of flipping a spin s of class v = 2u + a.
double flip_cost(const Model& model, int v, int s);

/// Returns round(2^32 / (1 + exp(x))), at most 2^32 - 1, without overflow for any x.
std::uint32_t heat_bath_threshold(double x);

}  // namespace psflip
