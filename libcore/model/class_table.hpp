#pragma once

// Computes the acceptance thresholds of the Metropolis and heat-bath updates of Ising spins. Field, update,
// absent bonds and dimension change this table. Demons have other thresholds (model/demons.hpp) and no table.

#include <array>
#include <cstdint>

namespace psflip {

struct Model;

/// Selects what the class number of a site counts.
enum class Classes {
    unsatisfied,  ///< u = 0..degree unsatisfied bonds; no bond is absent
    with_absent   ///< v = 2u + a = 0..2 degree, for u unsatisfied and a absent bonds
};

/// Describes the Metropolis or heat-bath update of an Ising model at one temperature by thresholds. A site
/// has u unsatisfied and a absent bonds. Its class c is u (Classes::unsatisfied) or 2u + a (with_absent). Let
/// v = 2u + a in both cases. Flipping spin s costs dE = 2 (degree - v) + 2 h s, which falls with v. Each
/// class has a threshold for each s. The spin flips iff the 32-bit random number R is below this threshold:
/// - Metropolis: round(2^32 exp(-beta dE)), at most 2^32 - 1. Classes with dE <= 0 always flip and have no
///   threshold.
/// - heat bath: round(2^32 / (1 + exp(beta dE))), at most 2^32 - 1.
///
/// Thresholds ascend with the class. So the spin flips iff c >= v_min(R, s), the number of thresholds of s
/// that are at most R.
class ClassTable {
  public:
    static constexpr int max_classes = 13;

    /// Holds the thresholds of one spin value for the classes 0, ..., count - 1, ascending.
    struct List {
        std::array<std::uint32_t, max_classes> threshold{};
        int count = 0;
        bool operator==(const List&) const = default;
    };

    /// Makes the table for inverse temperature beta. Errors: InputError as check_model, for demons (see
    /// model/demons.hpp), and if beta is negative or not finite.
    ClassTable(const Model& model, double beta, Classes classes);

    /// Returns the number of classes: degree + 1 without absent bonds, else 2 degree + 1.
    int classes() const { return classes_; }
    /// Returns the thresholds of s = +1 or -1.
    const List& thresholds(int s) const { return list_[s > 0]; }
    /// Returns the lowest class in which spin s flips for the random number R, from 0 to classes(). classes()
    /// means that spin s flips in no class.
    int v_min(std::uint32_t R, int s) const;
    /// Returns whether a spin without bonds (a = degree) flips iff R < isolated_threshold, instead of by the
    /// table. This is so for Metropolis without a field. By the table, such a spin would flip in every sweep
    /// and in all replicas.
    bool isolated_by_half() const { return isolated_by_half_; }

  private:
    int classes_;
    std::array<List, 2> list_;  ///< for spin -1, for spin +1
    bool isolated_by_half_;
};

/// An isolated spin without field flips under Metropolis iff R is below this threshold, so with probability
/// 1/2.
inline constexpr std::uint32_t isolated_threshold = 0x80000000u;

/// Returns the energy cost dE of flipping a spin s of class v = 2u + a.
double flip_cost(const Model& model, int v, int s);

/// Returns round(2^32 / (1 + exp(x))), at most 2^32 - 1, without overflow for any x.
std::uint32_t heat_bath_threshold(double x);

}  // namespace psflip
