#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "evolution/sampler_state.hpp"
#include "measure/measurement.hpp"

/// Simulates the physics of the library in a naive way, with separate code on purpose: one spin per int, one
/// realization at a time, sites in standard order. Generator, counters, thresholds and bins are separate,
/// too. Only the containers TemperingState and Accumulators are from the library, so that results can be
/// compared with ==. A sweep takes about 20 ns per spin.
namespace psflip::reference {

/// Says what is simulated. Temperatures ascend.
struct World {
    std::uint64_t seed = 1;
    int L = 4;
    int replicas = 1;
    std::vector<double> temperatures{1.0};
    int share = 128;
    std::int64_t first_realization = 0;
    std::int64_t realizations = 1;
    double p_ferro = 0.5;
    int dimension = 3;
    double field = 0.0;
    double p_absent = 0.0;
    bool ferromagnet = false, open = false, heat_bath = false;
    bool replica_lanes = false;  ///< lanes are the (replica, slot) pairs of a realization; share 1
    bool site_lanes = false;     ///< lanes are the 128 subdomains of a lattice; share 1
    int demon_sites = 0;         ///< maximum number of sites of a demon; 0: no demons
    bool swendsen_wang = false;  ///< whether the update is Swendsen-Wang
    int wolff_clusters = 0;      ///< Wolff: clusters of a sweep; 0: another update

    int sites() const { return dimension == 3 ? L * L * L : L * L; }
    int degree() const { return 2 * dimension; }
    /// Returns the Philox key. It is the seed for the three-dimensional glass with periodic boundaries and
    /// Metropolis, without field and absent bonds. For other models, the seed is mixed with L and the model.
    std::uint64_t random_key() const;
    bool magnetisation = false;  ///< magnetisations are measured in every model

    /// Returns what is measured: overlaps in glasses; magnetisations in ferromagnets, in fields, and if
    /// `magnetisation` is set.
    Measured measures() const {
        return {.dimension = dimension,
                .overlaps = !ferromagnet,
                .magnetisation = magnetisation || ferromagnet || field != 0.0,
                .field = field != 0.0,
                .absent_bonds = p_absent > 0.0 || open,
                .clusters = swendsen_wang};
    }
    bool replicon() const { return !ferromagnet && field != 0.0 && replicas > 1; }
    int slots() const { return static_cast<int>(temperatures.size()); }
    int pairs() const { return replicas * (replicas - 1) / 2; }
};

/// Says how long a simulation is, and when exchanges and measurements happen. Sweeps of the run count from
/// the end of thermalization.
struct Schedule {
    std::int64_t thermalize_sweeps = 0;
    std::int64_t sweeps_per_swap = 1;
    std::int64_t run_first = 0, run_last = 0;  ///< measurements are in (run_first, run_last]
    std::int64_t run_sweeps = 1;               ///< run.sweeps: sets the grid of blocks
    std::int64_t measure_every = 1;
    int blocks = 1;
    int histogram_bins = 50;
};

/// Holds what a simulation leaves.
struct Result {
    std::vector<std::int8_t> spins;      ///< (realization, replica, slot, z, y, x), +1 or -1
    std::vector<std::int32_t> energies;  ///< (replica, slot, realization): Eb = -sum J s s
    TemperingState tempering;            ///< counts since the random start
    Accumulators sums{};
    std::vector<std::int32_t> magnetisations{};  ///< M = sum s, with the axes of energies; only in a field
};

/// Computes Philox4x32-10 on plain arrays: counter words 0 to 3, key words 0 and 1.
std::array<std::uint32_t, 4> philox_words(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key);

/// Returns round(2^32 exp(-x)), but at most 2^32.
std::uint64_t threshold(double x);

/// Returns the couplings, int8 (realization, direction, z, y, x), without z in two dimensions: +1, -1, or 0
/// for an absent bond.
std::vector<std::int8_t> couplings(const World& world);

/// Holds one block of the run: its sweeps are (lower, upper]. block_bins returns all blocks, ascending.
struct Bin {
    std::int64_t lower, upper;
    bool operator==(const Bin&) const = default;
};
std::vector<Bin> block_bins(const Schedule& schedule);

/// Returns real and imaginary part of sum_x Q(x) e^{2 pi i x / L}. `planes` are the plane sums Q(x), in the
/// order of x.
std::array<double, 2> mode(const std::vector<long>& planes);

/// Holds all lattices of one realization: replicas x slots.
class Realization {
  public:
    /// `number` is the number of the realization in the study. `bonds` are its couplings, int8 (direction, z,
    /// y, x), which the caller keeps.
    Realization(const World& world, std::int64_t number, const std::int8_t* bonds);

    void random_start();
    /// Updates the sites with (x + y + z) % 2 == colour in all lattices, by Metropolis or heat bath.
    void half_sweep(std::int64_t sweep, int colour);
    /// Updates the sites of a colour in all lattices with demons, chain by chain.
    void demon_half_sweep(std::int64_t sweep, int colour);
    /// Updates all lattices by clusters, which are found by a search from each site.
    void cluster_sweep(std::int64_t sweep);
    void sweep(std::int64_t sweep);
    void exchange(std::int64_t completed, std::int64_t sweeps_per_swap);

    int spin(int replica, int slot, int site) const { return spins_[replica][slot][site]; }
    /// Returns Eb = -sum J s s. In a field, the energy is E = Eb - h M with M = sum s.
    int energy(int replica, int slot) const;
    int magnetisation(int replica, int slot) const;
    /// Adds one measurement of this realization, which has the index `index` in the batch, to one bin of the
    /// sums.
    void measure(Accumulators& sums, std::int64_t index, int bin) const;
    void store(Result& result, std::int64_t index) const;

  private:
    /// Holds, for numbers +1 and -1 on the sites, their sum, the square of their mean, and the squares of
    /// their modes at k_min.
    struct Moments {
        long sum = 0;
        double square = 0.0, modes[3]{};
        double modes_sum() const { return modes[0] + modes[1] + modes[2]; }
    };
    Moments moments(const std::vector<int>& values) const;
    /// Returns the mode of the overlap of two replicas at the wave vector 2 pi n / L.
    std::array<double, 2> overlap_mode(int slot, int a, int b, const std::array<int, 3>& n) const;
    double replicon_at(int slot, const std::array<int, 3>& n) const;
    /// Returns chi_R / N at k = 0, its mean over wave vectors along the axes, and its mean over wave vectors
    /// along the diagonals. Needs four replicas or more.
    std::array<double, 3> replicon(int slot) const;
    int neighbour(int site, int axis, int step) const;
    int bond(int site, int axis) const { return bonds_[axis * world_.sites() + site]; }
    int cost(int replica, int slot, int site) const;
    int drawn_demon(std::uint32_t purpose, int highest, double unit, int site, std::int64_t sweep, int slot,
                    int replica) const;
    void serve(int site, std::int64_t sweep, int slot, int replica, int& d, int& m);
    bool active(int site, int axis, std::int64_t step, int slot, int replica) const;
    std::vector<int> cluster(int seed, std::int64_t step, int slot, int replica) const;
    void add_cluster(const std::vector<int>& sites, unsigned __int128& square,
                     unsigned __int128& modes) const;
    void swendsen_wang(std::int64_t sweep, int slot, int replica);
    void wolff(std::int64_t step, int slot, int replica);
    std::uint32_t metropolis_number(int site, std::int64_t sweep, int slot, int replica) const;
    std::array<std::uint32_t, 4> block(std::uint32_t purpose, int site, std::int64_t sweep, int slot_field,
                                       int replica, int digit, std::int64_t pack) const;
    void note_ends(int replica);
    std::uint64_t flip_limit(double beta, int spin, int bonds_field, bool isolated) const;
    bool isolated(int site) const;

    World world_;
    std::uint64_t key_;
    std::int64_t number_;
    const std::int8_t* bonds_;
    std::vector<std::array<int, 6>> neighbours_;
    std::vector<bool> isolated_;                         // site
    std::vector<std::vector<std::uint64_t>> limits_;     // slot; see half_sweep
    std::vector<std::vector<std::vector<int>>> spins_;   // replica, slot, site
    std::vector<std::vector<int>> walker_, last_end_;    // replica, slot or walker
    std::vector<std::vector<std::int64_t>> accepted_;    // replica, pair
    std::vector<std::int64_t> attempted_, round_trips_;  // pair; replica
    /// Holds the improved estimators of the last sweep of Swendsen-Wang.
    struct Improved {
        double square = 0.0, modes = 0.0;
    };
    std::vector<std::vector<Improved>> improved_;  // replica, slot
};

/// Simulates from a random start: thermalization, then run_last sweeps with measurements in (run_first,
/// run_last].
Result simulate(const World& world, const Schedule& schedule, const std::vector<std::int8_t>& couplings);

}  // namespace psflip::reference
