#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "evolution/sampler.hpp"
#include "measure/sums.hpp"

namespace psflip {

/// Sums over the measurements of each bin, by the formulas of sum_table, in raw integer units if possible.
/// kmin = (re re + im im) / (N N) with re = sum_x cos(2 pi x / L) Q(x) and im with sin; Q(x) is the sum over
/// plane x, and x ascends. In two dimensions a plane is a row or column of sites. Magnetisations are overlaps
/// with a lattice whose spins are all up. The temperature axis of walker_slot is the number of the walker
/// (TemperingState). Doubles are added in the order of measurement, without contraction, so all backends
/// agree bit for bit.
struct Accumulators {
    Measured measured;
    int bins = 0, replicas = 0, temperatures = 0, histogram_bins = 0;
    std::int64_t realizations = 0;
    /// Each (bin, component, temperature, realization); components as SumInfo::per says.
    std::vector<std::int64_t> integers[n_sums];
    std::vector<double> reals[n_sums];  ///< of those that are not integers
    std::vector<std::int64_t> count;    ///< (bin): measurements
    /// (temperature, histogram bin, realization): counts of all pairs in bin floor((Q + N) histogram_bins
    /// / (2N)), which is capped at histogram_bins - 1.
    std::vector<std::uint32_t> histogram;
    /// (temperature, histogram bin, realization): counts of floor((link + dN) histogram_bins / (2dN)), d
    /// the dimension.
    std::vector<std::uint32_t> link_histogram;
    /// (bin, replica, realization): the lowest energy at the coldest temperature, or +dN without
    /// measurements, and how many measurements had it.
    std::vector<std::int64_t> lowest_energy, lowest_count;

    int components(Sum sum) const { return components_of(info(sum).per, replicas, measured); }
    bool operator==(const Accumulators&) const = default;

    /// Empties the sums that `also` does not have, because relaxations need few sums.
    void restrict_to(const Measured& also);
};

/// Returns accumulators with arrays of zeros for all measured sums, and empty arrays otherwise. lowest_energy
/// is +dN.
Accumulators empty_accumulators(const Shape& shape, const Measured& measured, int bins, int histogram_bins,
                                ThreadPool& pool = caller_alone());

/// Adds measurements of the current spins and energies to accumulators in the backend's memory.
class Measurement {
  public:
    virtual ~Measurement() = default;

    /// Measures all lattices once, brings their energies up to date for it, and adds the result to `bin` and
    /// to the histograms. Collective.
    virtual void measure(int bin) = 0;

    /// Called when the spins of the last measurement, which are the present spins, have become a snapshot.
    virtual void snapshot_taken() {}
    /// Called with each earlier snapshot, in order, when a simulation begins or resumes.
    virtual void add_snapshot(const Spins& /*held*/) {}

    virtual Accumulators accumulators() const = 0;
    /// Returns the accumulators at the end, without a copy if they lie in host memory; nothing can be
    /// measured afterwards. The pool makes their memory ready.
    virtual Accumulators take(ThreadPool& pool) = 0;
    /// Restores accumulators; later measurements add to the sums that these have, and to no others.
    virtual void set_accumulators(const Accumulators& accumulators) = 0;
};

/// Makes the measurement for the kind of the sampler's view; the sampler must outlive it. Collective.
/// magnetisation: measures it also in models for which measured_of does not ask for it. Errors: InputError
/// for a glass in a field with two or three replicas.
std::unique_ptr<Measurement> make_measurement(Sampler& sampler, int bins, int histogram_bins,
                                              bool magnetisation = false);

/// Makes the measurement of one backend. For vector spins energies and magnetisations come from the backend's
/// sums, and the modes at the smallest wave vectors from the spins on the host. Sums of spins are sums of
/// integers (FixedPoint), so that every backend gives the same bits.
std::unique_ptr<Measurement> make_vector_measurement(Sampler& sampler, const Measured& measured, int bins);
std::unique_ptr<Measurement> make_cuda_measurement(Sampler& sampler, const Measured& measured, int bins,
                                                   int histogram_bins);

/// Returns cos and sin of 2 pi x / L for x = 0..L-1 (first L cosines, then L sines). The host computes them
/// once for all backends.
std::vector<double> fourier_table(int L);

}  // namespace psflip
