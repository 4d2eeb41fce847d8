#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "evolution/sampler_state.hpp"
#include "lattice/layout.hpp"
#include "lattice/shape.hpp"
#include "sweep/ensemble.hpp"
#include "sweep/lattice_counts.hpp"
#include "sweep/stream_part.hpp"
#include "word/simd_level.hpp"

namespace psflip {

class ThreadPool;

/// The spins, energies and walkers of a sampler in host memory, for measurements. Energies, in units of
/// Shape::energy_unit, and walkers are (column, replica, slot rounded up to whole groups of the layout,
/// lane). Absent bonds are (column, words of CouplingLayout). Energies are fresh after
/// Ensemble::compute_energies.
struct CpuView {
    SpinLayout layout;
    const std::uint64_t* spins;
    const std::int32_t* energies;
    const std::uint8_t* walkers;  ///< at each slot
    const std::uint64_t* absent;  ///< nullptr if no bond is absent
    const std::int32_t* bonds;    ///< number of bonds in the unit of energies, (column, lane)
    ThreadPool* pool;
    SimdLevel level;
    /// Set instead of `energies` if couplings are real numbers.
    const double* real_energies = nullptr;
    /// Set instead of `spins` if the lane coding only counts differences of lattices.
    LatticeCounts* lattices = nullptr;
    /// Set instead of `energies` if has_wide_energies (lattice/site_bits.hpp), in units of 1.
    const std::int64_t* wide_energies = nullptr;

    /// Returns where 128 realizations begin in energies and walkers.
    std::int64_t offset(std::int64_t column, int replica, int slot) const {
        return ((column * layout.replicas + replica) * layout.groups() * layout.group + slot) * column_bits;
    }
};

/// The spins, energies and walkers of a sampler on a GPU, for measurements. Spins have the bytes of
/// SpinLayout with group 1, as 32-bit words, 16-byte aligned. Energies, in units of Shape::energy_unit, and
/// walkers are (column, replica, slot, lane). Pointers are valid at once, contents only in the order of the
/// streams.
struct CudaView {
    const std::uint32_t* spins;
    const std::int32_t* energies;
    const std::uint8_t* walkers;
    CUstream_st* stream;            ///< for work on the whole batch; null in a view of parts
    std::vector<StreamPart> parts;  ///< one, or each part of a view of parts with its own stream
    int device;
    const std::uint32_t* absent = nullptr;  ///< absent bonds, 32-bit words of CouplingLayout, 16-byte aligned
    const std::int32_t* bonds =
        nullptr;  ///< number of bonds, (column, lane); both nullptr: no bond is absent
};

class VectorBatch;

/// The spins and walkers of a sampler of vector spins, for measurements.
struct VectorView {
    VectorBatch* batch;
    const std::vector<std::uint8_t>* walkers;  ///< (realization, replica, slot)
};

using View = std::variant<CpuView, CudaView, VectorView>;

/// What happens to the spins of a batch between two measurements. A sampler owns the ensemble.
class Sampler {
  public:
    virtual ~Sampler() = default;

    /// Advances from `first` to `target` completed sweeps: does the sweeps number first, ..., target - 1 with
    /// all moves between them and at `target`. Moves at `first` itself belong to the call before.
    /// May return before the work is done. Collective.
    virtual void advance(std::int64_t first, std::int64_t target) = 0;

    /// Returns the ensemble. Its energies belong to its spins after Ensemble::compute_energies. The call
    /// itself ends no view, but a sweep of the ensemble does.
    virtual Ensemble& ensemble() = 0;

    /// Returns everything that an exact continuation needs besides spins and sweep, and restores it.
    virtual SamplerState state() const = 0;
    virtual void set_state(const SamplerState& state) = 0;

    /// Returns the view for measurements. It is valid until the next call of a function that is not
    /// const, except ensemble(). Collective.
    virtual View view() = 0;
    /// Returns the view with the spins, also if measurements only count (CpuView::lattices).
    virtual View view_of_spins() { return view(); }
    /// Returns a view of parts if the batch is on a GPU. `alike`: spins may be turned over to save work, at
    /// each site of a realization in all replicas and temperatures, which leaves overlaps as they are.
    virtual View view_of_parts(bool /*alike*/) { return view(); }
};

/// Makes the ensemble of the setup and its sampler: sweeps, and exchange between several temperatures at all
/// multiples of sweeps_per_swap completed sweeps. Collective, as are advance and view. Errors: as
/// make_ensemble.
std::unique_ptr<Sampler> make_sampler(const BatchSetup& setup);

}  // namespace psflip
