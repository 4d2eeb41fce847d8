#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evolution/sampler.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// Measures the sums of a relaxation that Measurement does not have: correlation4 or correlation2,
/// two_time_overlap and two_time_link (measure/sums.hpp). The host adds up the counts of the backend as
/// integers. Sums are over whole lattices and equal on all ranks that share the lattices. remember,
/// remember_present and measure are collective.
class Correlations {
  public:
    virtual ~Correlations() = default;

    /// Stores spins of all lattices as the spins of the next waiting time, in the form that runs hold
    /// (lattice/site_bits.hpp).
    virtual void remember(const std::vector<std::uint64_t>& held) = 0;
    /// Stores the present spins as the spins of the next waiting time.
    virtual void remember_present() = 0;
    /// Returns the number of waiting times whose spins are stored.
    virtual int remembered() const = 0;
    /// Adds the correlations of the present spins to a bin.
    void measure(int bin);

    /// Returns the accumulators, in host memory. All sums except the correlations are empty.
    const Accumulators& sums() const { return sums_; }
    /// Takes over the sums of correlations from `from`.
    void set_sums(const Accumulators& from);

  protected:
    /// measured: everything that the relaxation measures.
    Correlations(const Shape& shape, const Measured& measured, int bins);
    /// Makes the spins of the sampler available to the functions below, until the next call of look().
    /// measure() calls look() first.
    virtual void look() {}
    /// Counts pairs of sites at distance k whose overlaps differ, into counts[k], (0 to distances;
    /// temperature; realization). The counts are 0 before the call, and cover whole lattices also if the
    /// rank has a slab. Let j be the site k further along an axis than site i. For k > 0, counts[k]
    /// gets the number of triples (i, axis, pair of replicas) whose overlaps at i and j differ. If overlaps
    /// are not measured, spins of each replica replace overlaps of pairs. counts[0] has no meaning.
    virtual void count_distances(int distances, std::int64_t* counts) = 0;
    /// Compares the spins that a replica has now with its spins at an earlier time. Adds the number of sites
    /// whose spins differ, and the number of bonds whose products of two spins differ: (sites, bonds;
    /// temperature; realization). earlier: index of the earlier time in the order of remember().
    virtual void count_times(int replica, int earlier, std::int64_t* counts) = 0;
    /// Returns the number of bonds of whole lattices without absent bonds, (realization).
    virtual std::vector<std::int64_t> bonds() = 0;

    bool overlaps() const { return sums_.measured.overlaps; }

    Shape shape_;

  private:
    void measure_distances(int bin);
    void measure_waiting(int bin, int number);

    Accumulators sums_;
    std::vector<std::int64_t> bonds_;
};

/// Makes the correlations on the sampler's backend. The sampler must outlive them. Collective.
std::unique_ptr<Correlations> make_correlations(Sampler& sampler, const Measured& measured, int bins);

}  // namespace psflip
