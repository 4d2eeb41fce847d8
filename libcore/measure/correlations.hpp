#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evolution/sampler.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// Measures the sums of a relaxation that Measurement does not have: correlation4 or correlation2,
/// two_time_overlap and two_time_link. The host adds them up as integers from counts of the backend. They are
/// sums of whole lattices, the same on all ranks that share them. remember and measure are collective.
class Correlations {
  public:
    virtual ~Correlations() = default;

    /// Keeps the spins of the next waiting time: canonical, all lattices, as Ensemble::spins.
    virtual void remember(const std::vector<std::uint64_t>& spins) = 0;
    /// Keeps the present spins as the spins of the next waiting time.
    virtual void remember_present() = 0;
    virtual int remembered() const = 0;
    /// Adds the correlations of the present spins to a bin.
    void measure(int bin);

    /// Returns accumulators in which only these sums are not empty.
    const Accumulators& sums() const { return sums_; }
    /// Takes these sums of `from`.
    void set_sums(const Accumulators& from);

  protected:
    /// measured: what the whole relaxation measures.
    Correlations(const Shape& shape, const Measured& measured, int bins);
    /// Takes the spins of this moment as the present spins until the next call. Called before all others.
    virtual void look() {}
    /// Counts differences of whole lattices into counts[k], (0 to distances; temperature; realization), which
    /// are 0 before. For k > 0 counts[k] gets the number of sites i, axes and pairs of replicas whose
    /// overlaps differ at i and at the site k further along the axis. If overlaps are not measured, it counts
    /// spins of replicas instead. counts[0] has no meaning.
    virtual void count_distances(int distances, std::int64_t* counts) = 0;
    /// Adds the numbers of sites and present bonds whose spin, or product of spins, differs from an earlier
    /// time: (sites, bonds; temperature; realization). Earlier times are numbered in the order of remember().
    virtual void count_times(int replica, int earlier, std::int64_t* counts) = 0;
    /// Returns the number of bonds that are not absent, by realization.
    virtual std::vector<std::int64_t> bonds() = 0;

    bool overlaps() const { return sums_.measured.overlaps; }

    Shape shape_;

  private:
    void measure_distances(int bin);
    void measure_waiting(int bin, int number);

    Accumulators sums_;
    std::vector<std::int64_t> bonds_;
};

/// Makes correlations for the sampler's backend; the sampler must outlive them. Slabs on GPUs are counted on
/// the CPU by `threads` threads (0: all cores this process may use). InputError for slabs in the sliced
/// order. Collective.
std::unique_ptr<Correlations> make_correlations(Sampler& sampler, const Measured& measured, int bins,
                                                int threads = 0);

}  // namespace psflip
