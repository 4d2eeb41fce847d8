#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "statistics/average/disorder_average.hpp"

namespace psflip {

/// Disorder averages of observables, in the order of Definition::of.
using Means = std::span<const double>;

/// Where an average is taken: a lattice at a temperature.
struct LatticeAt {
    int L, dimension, components;
    double temperature;

    LatticeAt(const DisorderSample& sample, std::size_t t)
        : L(sample.L),
          dimension(sample.measured.dimension),
          components(sample.measured.components),
          temperature(sample.temperature[t]) {}
    double sites() const { return std::pow(L, dimension); }
};

/// An average at each temperature as a function of the disorder averages of observables; a multiple of the
/// average where it is one.
struct Definition {
    std::vector<Observable> of;
    double (*function)(Means means, const LatticeAt& at);
    /// Of a function of two averages whose shared noise is known; `pair` of shared_pairs is theirs.
    std::pair<double, double> (*gradient)(double first, double second, const LatticeAt& at) = nullptr;
    int pair = 0;

    bool linear() const { return of.size() == 1; }
};

/// The formula of each average.
Definition definition_of(Average average);

}  // namespace psflip
