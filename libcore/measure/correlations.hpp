#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evolution/sampler.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// What a relaxation measures beside Measurement: the sums correlation4 or correlation2, two_time_overlap and
/// two_time_link, added up in host memory from counts of the backend, as integers: those of whole lattices,
/// the same on all ranks that share them. remember and measure are collective.
class Correlations {
  public:
    virtual ~Correlations() = default;

    /// The spins of the next waiting time: canonical, all lattices, as Ensemble::spins.
    virtual void remember(const std::vector<std::uint64_t>& spins) = 0;
    /// They are the present ones.
    virtual void remember_present() = 0;
    virtual int remembered() const = 0;
    /// Adds the correlations of the present spins to a bin.
    void measure(int bin);

    /// The sums; all others are empty.
    const Accumulators& sums() const { return sums_; }
    /// Takes what `from` has of them.
    void set_sums(const Accumulators& from);

  protected:
    /// measured: what all of the relaxation measures.
    Correlations(const Shape& shape, const Measured& measured, int bins);
    /// The present spins are those of this moment, until the next call. Before all that follows.
    virtual void look() {}
    /// Of whole lattices, to counts that are 0. Adds to counts[k], (0 to distances; temperature;
    /// realization), for k > 0 the number of sites i, axes and pairs of replicas for which the overlaps at i
    /// and at the site k further along the axis differ; of spins of replicas instead where overlaps are not
    /// measured. What it does to counts[0] has no meaning.
    virtual void count_distances(int distances, std::int64_t* counts) = 0;
    /// Adds the number of sites where a replica differs from what it was at an earlier time, in the order of
    /// remember(), and of bonds that are there at the two ends of which their product differs: (sites, bonds;
    /// temperature; realization).
    virtual void count_times(int replica, int earlier, std::int64_t* counts) = 0;
    /// Bonds that are there, by realization.
    virtual std::vector<std::int64_t> bonds() = 0;

    bool overlaps() const { return sums_.measured.overlaps; }

    Shape shape_;

  private:
    void measure_distances(int bin);
    void measure_waiting(int bin, int number);

    Accumulators sums_;
    std::vector<std::int64_t> bonds_;
};

/// On the sampler's backend; the sampler must outlive it. Slabs on GPUs are counted on the CPU, in
/// `threads` (0: all cores this process may use). InputError for slabs in the sliced order. Collective.
std::unique_ptr<Correlations> make_correlations(Sampler& sampler, const Measured& measured, int bins,
                                                int threads = 0);

}  // namespace psflip
