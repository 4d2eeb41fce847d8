// Declares the interface of everything that changes spins between two measurements. Measurements read spins,
// energies and walkers in place, through the views of a sampler.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "evolution/sampler_state.hpp"
#include "lattice/layout.hpp"
#include "lattice/shape.hpp"
#include "sweep/clusters/cluster_sums.hpp"
#include "sweep/ensemble.hpp"
#include "sweep/lattice_counts.hpp"
#include "sweep/stream_part.hpp"
#include "word/simd_level.hpp"

namespace psflip {

class ThreadPool;

/// Gives measurements access to the spins, energies and walkers of a sampler in host memory. The arrays
/// belong to the sampler; Sampler::view says how long they are valid.
/// Energies and walkers are (column, replica, slot, lane), with the slots padded to whole groups of `layout`.
/// Energies are the energies of the bonds, Eb = -sum J s s, of whole lattices. If lattices are cut into
/// slabs, every rank has these energies. They are in units of Shape::energy_unit (1 or 2), and up to date
/// once Ensemble::compute_energies has been called. Absent bonds are words of CouplingLayout.
struct CpuView {
    SpinLayout layout;
    /// Words of SpinLayout.
    const std::uint64_t* spins;
    const std::int32_t* energies;
    const std::uint8_t* walkers;  ///< number of the walker at each slot, 0 to temperatures - 1
    const std::uint64_t* absent;  ///< nullptr if no bond is absent
    /// Number of present bonds of the whole lattice, divided by Shape::energy_unit (1 or 2), (column, lane).
    const std::int32_t* bonds;
    ThreadPool* pool;
    SimdLevel level;
    /// Set instead of `energies` if couplings are real numbers: Eb in units of J, with the same axes.
    const double* real_energies = nullptr;
    /// Set instead of `spins` if whole lattices have Lanes::sites. The ensemble then counts overlaps itself.
    LatticeCounts* lattices = nullptr;
    /// Set instead of `energies` if has_wide_energies (lattice/site_bits.hpp): Eb in units of J, with the
    /// same axes.
    const std::int64_t* wide_energies = nullptr;
    /// Sums of the clusters of the last sweep of Sampler::advance, with the axes of energies. They belong to
    /// the slot of this sweep. Null without sum_clusters.
    const ClusterSums* clusters = nullptr;

    /// Returns the index in energies and walkers at which the 128 realizations of a column begin.
    std::int64_t offset(std::int64_t column, int replica, int slot) const {
        return ((column * layout.replicas + replica) * layout.groups() * layout.group + slot) * column_bits;
    }
};

/// Gives measurements access to the spins, energies and walkers of a sampler in the memory of a GPU. The
/// arrays belong to the sampler; Sampler::view says how long the pointers are valid. Earlier work may still
/// be changing the arrays, so read them only in the streams given here.
/// Spins are 32-bit words (column, replica, slot, site in site order, lane / 32), 16-byte aligned. Bit lane %
/// 32 is realization 128 column + lane of the batch, and a set bit is spin +1. A slab has its halo planes,
/// too. Energies and walkers are (column, replica, slot, lane). Energies are Eb of whole lattices as in
/// CpuView, in units of Shape::energy_unit.
struct CudaView {
    const std::uint32_t* spins;
    const std::int32_t* energies;
    const std::uint8_t* walkers;
    CUstream_st* stream;            ///< stream for work on the whole batch; null in a view of batch slices
    std::vector<StreamPart> parts;  ///< the whole batch, or each batch slice with its own stream
    /// CUDA device number.
    int device;
    const std::uint32_t* absent = nullptr;  ///< absent bonds, 32-bit words of CouplingLayout, 16-byte aligned
    /// As CpuView::bonds. `absent` and `bonds` are nullptr if no bond is absent.
    const std::int32_t* bonds = nullptr;
    const ClusterSums* clusters = nullptr;  ///< as CpuView::clusters, in device memory
};

class VectorBatch;

/// Gives measurements access to the spins and walkers of a sampler of vector spins. Both belong to the
/// sampler.
struct VectorView {
    VectorBatch* batch;
    const std::vector<std::uint8_t>* walkers;  ///< (realization, replica, slot)
};

using View = std::variant<CpuView, CudaView, VectorView>;

/// Changes the spins of a batch between two measurements. A sampler owns its ensemble.
class Sampler {
  public:
    virtual ~Sampler() = default;

    /// Advances from `first` to `target` completed sweeps: does the sweeps numbered first, ..., target -
    /// 1, with all moves between them and at `target`. Moves at `first` itself belong to the previous call.
    /// May return before the work on the device is done; Ensemble::synchronize waits for it. Collective.
    virtual void advance(std::int64_t first, std::int64_t target) = 0;

    /// Sets whether advance() sums the clusters of its last sweep, before the moves that follow this sweep.
    /// The views then have these sums. Only the update swendsen-wang has clusters to sum.
    virtual void sum_clusters(bool /*summed*/) {}

    /// Returns the ensemble. Its energies are up to date once Ensemble::compute_energies has been called.
    /// ensemble() itself does not invalidate a view, but a sweep or compute_energies of the ensemble does.
    /// Call compute_energies before view(): on a GPU, compute_energies may change the spins to which a view
    /// points. In the gauge of the kernel, some signs are reversed (sweep/gauge.hpp).
    virtual Ensemble& ensemble() = 0;

    /// state() returns everything that an exact continuation needs besides spins and sweep number. It waits
    /// for the device, and all ranks get the same state. set_state() restores a state; set the spins of the
    /// ensemble before. Both are collective, because ranks add up the accepted proposals of vector spins.
    /// Errors of set_state(): std::logic_error if `state` lacks a StateGroup that a move of the sampler
    /// needs.
    virtual SamplerState state() const = 0;
    virtual void set_state(const SamplerState& state) = 0;

    /// Returns the view for measurements. It is valid until the next call of a function of the sampler that
    /// is not const, except ensemble(). Collective.
    virtual View view() = 0;
    /// Returns a view of batch slices with their own streams if the batch is on a GPU, otherwise view(). Do
    /// not use the slices after the next view() or after other work on the stream of the ensemble.
    /// Collective, and valid as view(). alike: true allows spins in the gauge of the kernel. Signs are then
    /// reversed at the same sites in all replicas and temperatures of a realization. This saves work and
    /// changes magnetisations, but no overlaps.
    virtual View view_of_parts(bool /*alike*/) { return view(); }
};

/// Makes the ensemble of the setup and its sampler, which sweeps and makes moves:
/// - exchanges of neighbouring temperatures, whenever the number of completed sweeps is a multiple of
///   sweeps_per_swap; none if sweeps_per_swap is 0;
/// - Houdayer moves of Ising spins, if houdayer.every is above 0;
/// - tuning of the cones of vector spins with the update cone, up to program.tuned_until sweeps.
///
/// The ranks must outlive the sampler. All else of the setup is copied. On a GPU, make_sampler may time plans
/// of kernels first (make_device_sampler). Collective. Errors: as make_ensemble.
std::unique_ptr<Sampler> make_sampler(const BatchSetup& setup);

}  // namespace psflip
