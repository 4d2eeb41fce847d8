// Declares what the spins of a vector model are made from, and how they are swept.
#pragma once

#include <cstdint>
#include <vector>

#include "config/sections.hpp"
#include "lattice/shape.hpp"
#include "model/model.hpp"
#include "sweep/vector/local_field.hpp"

namespace psflip {

/// Names two states by their numbers.
struct StatePair {
    std::uint32_t first, second;
};

/// GPUs leave out tests for very small and very large numbers (usual_root and others in model/real.hpp). All
/// backends give equal bits within these limits, if local fields are at most 1e6 J.
inline constexpr double min_beta = 1e-6, max_beta = 1e6;  ///< 1 / (k_B T)
inline constexpr double min_width = 0x1p-20;              ///< of a cone: 1 - cosine of the largest angle

/// The largest L of vector spins.
constexpr int max_vector_L(int dimension) {
    return dimension == 3 ? 1024 : 4096;
}

/// Describes a batch of lattices of vector spins, or of Ising spins with real couplings: realizations x
/// replicas x temperatures. A state is one of these lattices. Its number is (replica * slots + slot) *
/// realizations + realization.
struct VectorSetup {
    ModelSection model{};           ///< heisenberg(...) or gaussian_glass(...)
    int L = 0;                      ///< even, 2 to max_vector_L
    std::int64_t realizations = 1;  ///< in this batch
    std::int64_t first_realization = 0;
    int replicas = 1;             ///< 1..8
    std::vector<double> betas{};  ///< (slot): 1 / (k_B T), min_beta to max_beta, 1..64 numbers
    std::uint64_t seed = 0;
    Precision precision = Precision::single;  ///< fast needs vectors and a GPU
    /// Edge of the tiles of a double checkerboard (0: no tiles), updates of a tile in a step, and order of
    /// the tiles, as LargeLatticeSetup. Tiles need periodic boundaries and no slabs. The edge is a power of
    /// two from limits::min_vector_tile to limits::max_tile, and L is an even multiple of it.
    int tile = 0, hits = 1;
    TileOrder tile_order = TileOrder::fixed;
    /// A slab holds these planes of every lattice, all planes if slab_planes is 0. Both numbers are even.
    int first_plane = 0, slab_planes = 0;
    /// Species of the sites, 0 (a) or 1 (b), (realization, z, y, x); empty: all a. A slab has species and
    /// couplings of its halo planes, own planes and halo planes (held_planes).
    std::vector<std::uint8_t> species{};
    /// J of each bond from a site to its neighbour one step up, (realization, direction, z, y, x), without z
    /// in two dimensions. |J| <= 8. These values replace J of the model. Values for bonds across open
    /// boundaries do not count. Gaussian models need this array. Models of vector spins may have it if they
    /// have one species, no Dzyaloshinskii-Moriya vectors and no anisotropy.
    std::vector<double> couplings{};

    /// Returns the components of a spin: 3, or 1 for Ising spins.
    int components() const { return model.has_vectors() ? 3 : 1; }
    int dimension() const { return model.dimension; }
    bool open() const { return model.boundary == Boundary::open; }
    int slots() const { return static_cast<int>(betas.size()); }
    int depth() const { return dimension() == 3 ? L : 1; }
    std::int64_t sites() const { return std::int64_t{L} * L * depth(); }
    bool is_slab() const { return slab_planes > 0; }
    int own_planes() const { return is_slab() ? slab_planes : depth(); }
    int halo_planes() const { return is_slab() ? halo_depth : 0; }
    int held_planes() const { return own_planes() + 2 * halo_planes(); }
    std::int64_t own_sites() const { return std::int64_t{L} * L * own_planes(); }
    std::int64_t held_sites() const { return std::int64_t{L} * L * held_planes(); }
    /// Returns z of the first plane in memory. It is below 0 if this plane is a halo of the lowest slab.
    int lowest_plane() const { return first_plane - halo_planes(); }
    std::int64_t states() const { return realizations * replicas * slots(); }
    /// Return the number of 64-bit words of Ising spins: of a site and all realizations, and of all own
    /// sites.
    std::int64_t packs64() const { return (realizations + 63) / 64; }
    std::size_t spin_words() const {
        return static_cast<std::size_t>(std::int64_t{replicas} * slots() * packs64() * own_sites());
    }
    /// Returns the number of consecutive states whose spins and disorder fit in `bytes`, if a number takes
    /// `bytes_of_number`. All states of a realization have the same disorder.
    std::int64_t states_in(std::int64_t bytes, std::int64_t bytes_of_number) const;
    std::int64_t realization(std::int64_t state) const { return state % realizations; }
    int slot(std::int64_t state) const { return static_cast<int>(state / realizations % slots()); }
    int replica(std::int64_t state) const { return static_cast<int>(state / realizations / slots()); }
    /// Returns the key of the random numbers.
    std::uint64_t key() const { return random_key(model, seed, L); }
    VectorTerms terms() const;
    template <class T>
    VectorConstants<T> constants() const;
    VectorUnits units() const;
};

/// Says how the spins of a study are swept.
struct VectorProgram {
    VectorUpdate update = VectorUpdate::metropolis;
    int over_relaxation = 0;  ///< sweeps of over-relaxation after each sweep of the update
    /// Cones are tuned whenever the number of completed sweeps is a multiple of tuning_period, up to this
    /// number.
    std::int64_t tuned_until = 0;
};

/// Checks that all sizes, temperatures and arrays are as VectorSetup says. Values of the model and of
/// disorder files are checked when they are read. Errors: InputError.
void check_setup(const VectorSetup& setup);
/// Checks that all numbers are from min_beta to max_beta. Errors: InputError.
void check_betas(const std::vector<double>& betas);
/// Checks that the model has the update. Errors: InputError, with a remedy, for heat_bath and over_relaxation
/// with anisotropy, and for cone and over_relaxation of Ising spins.
void check_update(const VectorSetup& setup, VectorUpdate update);
/// Returns the name in configurations and files: metropolis, cone, heat-bath or over-relaxation.
const char* name(VectorUpdate update);

/// Returns the setup of a slab of whole lattices: planes first, ..., first + count - 1.
VectorSetup slab_of(VectorSetup setup, int first, int count);

/// Draws species and couplings of whole lattices from the distributions of the model and stores them in the
/// setup.
void draw_disorder(VectorSetup& setup);

/// Returns spins at infinite temperature, (replica, slot, realization, component, z, y, x) of the own planes,
/// from random numbers of purpose vector_start, in the precision of the setup.
std::vector<double> random_spins(const VectorSetup& setup);

/// Convert Ising spins of the own planes between numbers +1 and -1, (replica, slot, realization, z, y, x),
/// and canonical words (lattice/packing.hpp).
std::vector<std::uint64_t> words_of_numbers(const VectorSetup& setup, const std::vector<double>& numbers);
std::vector<double> numbers_of_words(const VectorSetup& setup, const std::vector<std::uint64_t>& words);

}  // namespace psflip
