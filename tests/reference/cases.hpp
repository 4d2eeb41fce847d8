#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/reference.hpp"
#include "sweep/ensemble.hpp"

/// The list of simulations that every backend must reproduce bit for bit, and the library run that is
/// compared with the naive reference. Used by tests/unit (CPU levels) and tests/gpu.
namespace psflip::reference {

struct Case {
    std::string name;
    World world;
    Schedule schedule;
};

/// Shares 1, 32, 64, 128 at L = 4 ... 32; one and several columns, last column and last pack not full, first
/// realizations that are not multiples of 128, 1 to 64 temperatures, 1 to 8 replicas. The naive reference
/// needs some seconds for all. case_coverage.hpp requires all sizes at all shares.
std::vector<Case> equality_cases();

/// All other Ising models in two and three dimensions, each at every share: L = 4 ... 16 in three, 4 ... 64
/// in two, and a square with rows longer than a chunk of the sweep. case_coverage.hpp requires these sizes,
/// and all combinations of field, absent bonds and heat bath.
std::vector<Case> model_cases();

/// Lanes = replicas: one to many realizations, words of a site from 1 to 16, full and not, pairs of slots in
/// neighbouring words, rows shorter and longer than a register; the first model and all others.
std::vector<Case> replica_cases();

/// Lanes = sites: several realizations, replicas and temperatures, two and three dimensions; plain rules,
/// fields and heat baths.
std::vector<Case> site_cases();

/// Glasses and ferromagnets with demons: chains of part of a plane, of a plane and of several planes. Lanes
/// are realizations or sites.
std::vector<Case> demon_cases();
/// Models in fields, with absent bonds and with open boundaries, with demons.
std::vector<Case> demon_model_cases();

/// Ferromagnets with cluster updates, also with absent bonds, open boundaries and lanes = sites.
std::vector<Case> cluster_cases();
/// Glasses and ferromagnets with demons and lanes = replicas.
std::vector<Case> replica_demon_cases();

/// The few of them that are cheap but touch every kind of code: for repetitions with threads, batches,
/// sanitizers.
std::vector<Case> small_cases();

/// simulate() of a case, with the couplings of the contract; results are kept, so that several tests may ask.
const Result& expected(const Case& which);

/// How lattices are held: in which order, and in how many slabs, each with a rank that is a thread.
struct Division {
    SiteOrder order = SiteOrder::standard;
    int slabs = 0;  ///< 0: whole
};

/// The same simulation through make_ising_sampler and make_measurement. Throws std::logic_error where ranks
/// end with unequal energies, tempering or sums.
Result run_library(const Case& which, const BackendChoice& choice, const Division& division = {});

/// Like run_library, but with the state (spins, TemperingState, Accumulators) moved into new objects after
/// `cut` sweeps, which may be divided in another way.
Result run_library_in_two(const Case& which, const BackendChoice& choice, std::int64_t cut,
                          const Division& before = {}, const Division& after = {});

/// The realizations [first, first + count) of a result (count of measurements and attempts unchanged).
Result part(const Result& whole, const World& world, std::int64_t first, std::int64_t count);
/// The case of these realizations alone.
Case part(const Case& whole, std::int64_t first, std::int64_t count);

/// Empty where equal, else what differs first: "spins: realization 3, replica 0, slot 2, site 17: 1, expected
/// -1".
std::string difference(const Case& which, const Result& found, const Result& wanted);

/// Spins (realization, replica, slot, site) as +1, -1 from the canonical words (replica, slot, pack64, z, y,
/// x).
std::vector<std::int8_t> spins_of_words(const World& world, const std::vector<std::uint64_t>& canonical);
/// And back, bits beyond the last realization 0.
std::vector<std::uint64_t> words_of_spins(const World& world, const std::vector<std::int8_t>& spins);

/// The library's description of the same things.
Model model_of(const World& world);
Shape shape_of(const World& world);
/// Of one slab.
Shape shape_of(const World& world, const Division& division, int rank);
std::vector<double> betas_of(const World& world);

/// Returns the instruction sets of this processor, lowest first: "scalar", "avx2", "avx512". With
/// PSFLIP_TEST_SIMD=best in the environment, only the last one.
std::vector<std::string> simd_levels();
/// Sets PSFLIP_SIMD while it lives.
class ForceSimd {
  public:
    explicit ForceSimd(const std::string& level);
    ~ForceSimd();
    ForceSimd(const ForceSimd&) = delete;

  private:
    std::string before_;
    bool was_set_;
};

/// FNV-1a 64 over little-endian bytes.
class Hash {
  public:
    void add(const void* data, std::size_t bytes);
    template <class T>
    void add(const std::vector<T>& values) {
        add(values.data(), values.size() * sizeof(T));
    }
    std::string text() const;  ///< 16 hex digits

  private:
    std::uint64_t state_ = 14695981039346656037ull;
};

}  // namespace psflip::reference
