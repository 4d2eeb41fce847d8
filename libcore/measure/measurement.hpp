// Declares the sums of a batch and the interface of the backend that adds measurements to them.
// measure/sums.hpp has the formula of each sum.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "evolution/sampler.hpp"
#include "measure/sums.hpp"

namespace psflip {

/// Holds sums over the measurements of each bin, by the formulas of sum_table (measure/sums.hpp). Sums are
/// raw integers if possible. Arrays are row-major, in host memory, without padding realizations. All ranks
/// hold sums over whole lattices.
/// kmin = (re re + im im) / (N N) with re = sum_x cos(2 pi x / L) Q(x) and im = sum_x sin(2 pi x / L) Q(x).
/// Q(x) is the overlap of plane x, and terms are added in ascending x. In two dimensions a plane is a row or
/// column of sites. A magnetisation is the overlap with a lattice whose spins are all +1. In walker_slot, the
/// axis `temperature` is the index of the walker instead. A walker is a configuration, and exchanges move it
/// through the temperatures (TemperingState). Doubles are added in the order of measurement, without fused
/// multiply-add, so all backends agree bit for bit.
struct Accumulators {
    Measured measured;
    int bins = 0, replicas = 0, temperatures = 0, histogram_bins = 0;
    std::int64_t realizations = 0;
    /// Each array is (bin, component, temperature, realization), or empty if it is not measured. SumInfo::per
    /// says what the components are.
    std::vector<std::int64_t> integers[n_sums];
    std::vector<double> reals[n_sums];  ///< of the sums that are not integers, see is_integer
    std::vector<std::int64_t> count;    ///< (bin): number of measurements
    /// (temperature, histogram bin, realization): number of measurements of all pairs of replicas in bin
    /// floor((Q + N) histogram_bins / (2N)), at most histogram_bins - 1.
    std::vector<std::uint32_t> histogram;
    /// (temperature, histogram bin, realization): number of measurements in bin floor((link + dN)
    /// histogram_bins / (2dN)), at most histogram_bins - 1, with d the dimension.
    std::vector<std::uint32_t> link_histogram;
    /// (bin, replica, realization): the lowest energy at the coldest temperature, in units of J, and the
    /// number of measurements that had it. Without measurements, the energy is +dN, for N sites in d
    /// dimensions.
    std::vector<std::int64_t> lowest_energy, lowest_count;

    /// Returns the number of components of a sum.
    int components(Sum sum) const { return components_of(info(sum).per, replicas, measured); }
    bool operator==(const Accumulators&) const = default;

    /// Keeps only the sums that `measured` and `also` both have, and empties the others. Relaxations need few
    /// sums.
    void restrict_to(const Measured& also);
};

/// Returns accumulators with arrays of zeros for all measured sums, and empty arrays for the others.
/// lowest_energy is +dN. The threads of the pool fill large arrays with zeros.
Accumulators empty_accumulators(const Shape& shape, const Measured& measured, int bins, int histogram_bins,
                                ThreadPool& pool = caller_alone());

/// Adds measurements of the present spins and energies to accumulators in the memory of the backend. The
/// sampler must outlive the measurement.
class Measurement {
  public:
    virtual ~Measurement() = default;

    /// Measures all lattices once and adds the result to the histograms and to `bin`, which must be in [0,
    /// bins) and is not checked. Computes the energies first unless they are up to date. On a GPU the
    /// work is queued in the streams of the ensemble; accumulators() waits for it. Views of the sampler
    /// become invalid. Collective.
    virtual void measure(int bin) = 0;

    /// The run calls this function after it has stored the spins of the last measurement as a snapshot. No
    /// sweep lies between the measurement and this call. Collective.
    virtual void snapshot_taken() {}
    /// The run calls this function with each earlier snapshot, in order, when a simulation begins or resumes.
    /// Relaxations compare later spins with these snapshots. The default ignores the snapshots. Collective.
    virtual void add_snapshot(const Spins& /*held*/) {}

    /// Returns a copy of the accumulators in host memory, equal on all ranks, after all measurements are
    /// done. Views of the sampler become invalid. Collective.
    virtual Accumulators accumulators() const = 0;
    /// Returns the accumulators at the end of a run. Nothing can be measured afterwards. Accumulators in host
    /// memory are moved, not copied. For accumulators on a GPU, the threads of the pool fill new host arrays
    /// with zeros, and then the GPU copies its accumulators there. Collective.
    virtual Accumulators take(ThreadPool& pool) = 0;
    /// Restores accumulators. Later measurements add only to the sums that `accumulators` has. Errors:
    /// InputError if a measurement on a GPU gets accumulators of another shape. A measurement on the CPU does
    /// not check the shape.
    virtual void set_accumulators(const Accumulators& accumulators) = 0;
};

/// Makes the measurement for the backend of the sampler: CPU, GPU or vector spins. The sampler must outlive
/// the measurement. magnetisation: measures magnetisations also in models for which measured_of does not ask
/// for them. Collective. Errors: InputError for a glass in a field with two or three replicas, because the
/// replicon susceptibility needs four. EnvironmentError if device memory does not suffice.
std::unique_ptr<Measurement> make_measurement(Sampler& sampler, int bins, int histogram_bins,
                                              bool magnetisation = false);

/// Make the measurement of one backend. For vector spins, energies and magnetisations come from the backend's
/// sums, and the modes at the smallest wave vectors from the spins on the host. Components are rounded to
/// fixed point and added as integers (FixedPoint), so every backend gives the same bits. The stored sums are
/// real numbers.
std::unique_ptr<Measurement> make_vector_measurement(Sampler& sampler, const Measured& measured, int bins);
std::unique_ptr<Measurement> make_cuda_measurement(Sampler& sampler, const Measured& measured, int bins,
                                                   int histogram_bins);

/// Returns L values cos(2 pi x / L), x = 0, ..., L - 1, then L values of sin. The host computes them once for
/// all backends.
std::vector<double> fourier_table(int L);

}  // namespace psflip
