#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "evolution/sampler_state.hpp"
#include "measure/measurement.hpp"

/// A naive simulation of the same physics, kept apart from the library on purpose: one spin per int, one
/// realization at a time, sites in standard order, its own generator, counters, thresholds and bins. Only the
/// containers TemperingState and Accumulators are the library's, so that results can be compared with ==.
/// Slow: some 20 ns per spin and sweep.
namespace psflip::reference {

/// What is simulated; slots ascend in temperature.
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
    bool replica_lanes =
        false;                ///< the (replica, slot) pairs of a realization are the lanes of words; share 1
    bool site_lanes = false;  ///< 128 boxes of a lattice are; share 1
    int demon_sites = 0;      ///< maximum number of sites of a demon; 0: no demons
    bool swendsen_wang = false;
    int wolff_clusters = 0;  ///< Wolff: clusters of a sweep; 0: another update

    int sites() const { return dimension == 3 ? L * L * L : L * L; }
    int degree() const { return 2 * dimension; }
    /// The seed for the three-dimensional glass with periodic boundaries and Metropolis, without field and
    /// absent bonds; else the seed mixed with L and the model.
    std::uint64_t random_key() const;
    bool magnetisation = false;  ///< is asked for

    /// What is measured: overlaps in glasses; magnetisations in ferromagnets, in fields and where asked for.
    Measured measures() const {
        return {dimension,    !ferromagnet, magnetisation || ferromagnet || field != 0.0,
                field != 0.0, true,         p_absent > 0.0 || open};
    }
    bool replicon() const { return !ferromagnet && field != 0.0 && replicas > 1; }
    int slots() const { return static_cast<int>(temperatures.size()); }
    int pairs() const { return replicas * (replicas - 1) / 2; }
};

/// How long, and when exchanges and measurements happen. Sweeps of the run count from the end of
/// thermalization.
struct Schedule {
    std::int64_t thermalize_sweeps = 0;
    std::int64_t sweeps_per_swap = 1;
    std::int64_t run_first = 0, run_last = 0;  ///< measurements of the run's sweeps (first, last]
    std::int64_t run_sweeps = 1;               ///< run.sweeps: sets the grid of blocks
    std::int64_t measure_every = 1;
    int blocks = 1;
    int histogram_bins = 50;
};

/// The end of a simulation.
struct Result {
    std::vector<std::int8_t> spins;      ///< (realization, replica, slot, z, y, x), +1 or -1
    std::vector<std::int32_t> energies;  ///< (replica, slot, realization): Eb = -sum J s s
    TemperingState tempering;            ///< since the random start
    Accumulators sums{};
    std::vector<std::int32_t> magnetisations{};  ///< as energies: M = sum s; only in a field
};

/// Philox4x32-10 on plain arrays: counter words 0..3, key words 0..1.
std::array<std::uint32_t, 4> philox_words(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key);

/// round(2^32 exp(-x)), not above 2^32.
std::uint64_t threshold(double x);

/// int8 (realization, direction, z, y, x), without z in two dimensions: +1, -1, or 0 where a bond is absent.
std::vector<std::int8_t> couplings(const World& world);

/// Blocks of the run as pairs (lower, upper], ascending.
struct Bin {
    std::int64_t lower, upper;
    bool operator==(const Bin&) const = default;
};
std::vector<Bin> block_bins(const Schedule& schedule);

/// sum_x Q(x) e^{2 pi i x / L} of plane sums Q(x), ascending x: real and imaginary part.
std::array<double, 2> mode(const std::vector<long>& planes);

/// All lattices of one realization: replicas x slots.
class Realization {
  public:
    /// `number` is the global number; `bonds` int8 (direction, z, y, x) of this realization, kept by the
    /// caller.
    Realization(const World& world, std::int64_t number, const std::int8_t* bonds);

    void random_start();
    /// Metropolis or heat bath on the sites with (x+y+z)%2 == colour of all lattices.
    void half_sweep(std::int64_t sweep, int colour);
    /// Updates by demons the sites of a colour in all lattices, chain by chain.
    void demon_half_sweep(std::int64_t sweep, int colour);
    /// Updates all lattices by clusters, which are found by a search from each site.
    void cluster_sweep(std::int64_t sweep);
    void sweep(std::int64_t sweep);
    void exchange(std::int64_t completed, std::int64_t sweeps_per_swap);

    int spin(int replica, int slot, int site) const { return spins_[replica][slot][site]; }
    /// Eb = -sum J s s; with M = sum s the energy is E = Eb - h M.
    int energy(int replica, int slot) const;
    int magnetisation(int replica, int slot) const;
    /// Adds one measurement to the sums of the batch's realization `index` in one bin.
    void measure(Accumulators& sums, std::int64_t index, int bin) const;
    void store(Result& result, std::int64_t index) const;

  private:
    /// Of numbers +1 and -1 on the sites: their sum, the square of their mean, and of their modes at k_min.
    struct Moments {
        long sum = 0;
        double square = 0.0, modes[3]{};
        double modes_sum() const { return modes[0] + modes[1] + modes[2]; }
    };
    Moments moments(const std::vector<int>& values) const;
    /// The mode of the overlap of two replicas at the wave vector 2 pi n / L.
    std::array<double, 2> overlap_mode(int slot, int a, int b, const std::array<int, 3>& n) const;
    double replicon_at(int slot, const std::array<int, 3>& n) const;
    /// chi_R / N at k = 0, and its means over the axes and over the diagonals, from four replicas or more.
    std::array<double, 3> replicon(int slot) const;
    int neighbour(int site, int axis, int step) const;
    int bond(int site, int axis) const { return bonds_[axis * world_.sites() + site]; }
    int cost(int replica, int slot, int site) const;
    int drawn_demon(std::uint32_t purpose, int highest, double unit, int site, std::int64_t sweep, int slot,
                    int replica) const;
    void serve(int site, std::int64_t sweep, int slot, int replica, int& d, int& m);
    bool active(int site, int axis, std::int64_t step, int slot, int replica) const;
    std::vector<int> cluster(int seed, std::int64_t step, int slot, int replica) const;
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
};

/// Random start, thermalization, then run_last sweeps with measurements in (run_first, run_last].
Result simulate(const World& world, const Schedule& schedule, const std::vector<std::int8_t>& couplings);

}  // namespace psflip::reference
