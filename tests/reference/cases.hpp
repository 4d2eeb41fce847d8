#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/reference.hpp"
#include "sweep/ensemble.hpp"

/// Lists the simulations that every backend must reproduce bit for bit, and runs them in the library, for
/// comparison with the naive reference (reference.hpp). tests/unit uses the cases for all instruction sets of
/// the CPU, and tests/gpu for GPUs.
namespace psflip::reference {

struct Case {
    std::string name;
    World world;
    Schedule schedule;
};

/// Returns cases of the three-dimensional glass without field: shares 1, 32, 64, 128 at L = 4 ... 32, 1 to 64
/// temperatures, 1 to 8 replicas. They have one or several columns, incomplete last columns and packs, and
/// first realizations that are not multiples of 128. The naive reference needs some seconds for all.
/// case_coverage.hpp requires all sizes at all shares.
std::vector<Case> equality_cases();

/// Returns cases of all other Ising models in two and three dimensions, each at every share: L = 4 ... 16 in
/// three dimensions, 4 ... 64 in two, and a square with rows longer than a chunk of the sweep.
/// case_coverage.hpp requires these sizes, and all combinations of field, absent bonds and heat bath.
std::vector<Case> model_cases();

/// Returns cases with lanes = replicas, for all models. They have one to many realizations, and 1 to 16 words
/// per site, of which the last may be incomplete. Neighbouring slots may lie in different words, and rows are
/// shorter or longer than a register.
std::vector<Case> replica_cases();

/// Returns cases with lanes = sites: several realizations, replicas and temperatures, two and three
/// dimensions, and the plain rule, fields or heat baths.
std::vector<Case> site_cases();

/// Returns cases of glasses and ferromagnets with demons. A chain is part of a plane, a plane or several
/// planes. Lanes are realizations or sites.
std::vector<Case> demon_cases();
/// Returns cases with demons, in fields, with absent bonds and with open boundaries.
std::vector<Case> demon_model_cases();

/// Returns cases of ferromagnets with cluster updates, also with absent bonds, open boundaries and lanes =
/// sites.
std::vector<Case> cluster_cases();
/// Returns cases of glasses and ferromagnets with demons and lanes = replicas.
std::vector<Case> replica_demon_cases();

/// Returns a few cheap cases that touch every kind of code, for repetitions with threads, batches and
/// sanitizers.
std::vector<Case> small_cases();

/// Returns simulate() of a case, with couplings() of its world. Results are kept by the name of the case.
const Result& expected(const Case& which);

/// Says how lattices are held: in which site order, and in how many slabs. Each slab has a rank that is a
/// thread.
struct Division {
    SiteOrder order = SiteOrder::standard;
    int slabs = 0;  ///< 0: whole lattices
};

/// Simulates a case with make_ising_sampler and make_measurement. Throws std::logic_error if ranks end with
/// unequal energies, tempering or sums.
Result run_library(const Case& which, const BackendChoice& choice, const Division& division = {});

/// Simulates a case as run_library does, but moves the state (spins, TemperingState, Accumulators) into new
/// objects after `cut` sweeps. The new objects may have another division.
Result run_library_in_two(const Case& which, const BackendChoice& choice, std::int64_t cut,
                          const Division& before = {}, const Division& after = {});

/// Returns the realizations [first, first + count) of a result. The counts of measurements and attempts stay.
Result part(const Result& whole, const World& world, std::int64_t first, std::int64_t count);
/// Returns the case with only the realizations [first, first + count) of `whole`.
Case part(const Case& whole, std::int64_t first, std::int64_t count);

/// Returns the first difference, such as "spins: realization 3, replica 0, slot 2, site 17: 1, expected -1",
/// or an empty string.
std::string difference(const Case& which, const Result& found, const Result& wanted);

/// Returns spins (realization, replica, slot, site) as +1 and -1, from the canonical words (replica, slot,
/// pack64, z, y, x).
std::vector<std::int8_t> spins_of_words(const World& world, const std::vector<std::uint64_t>& canonical);
/// Reverts spins_of_words. Bits beyond the last realization are 0.
std::vector<std::uint64_t> words_of_spins(const World& world, const std::vector<std::int8_t>& spins);

/// Return the library's description of a world.
Model model_of(const World& world);
Shape shape_of(const World& world);
/// Returns the shape of the slab of one rank.
Shape shape_of(const World& world, const Division& division, int rank);
std::vector<double> betas_of(const World& world);

/// Returns the instruction sets of this processor, lowest first: "scalar", "avx2", "avx512". If the
/// environment has PSFLIP_TEST_SIMD=best, returns only the last of them.
std::vector<std::string> simd_levels();
/// Sets PSFLIP_SIMD while it exists.
class ForceSimd {
  public:
    explicit ForceSimd(const std::string& level);
    ~ForceSimd();
    ForceSimd(const ForceSimd&) = delete;

  private:
    std::string before_;
    bool was_set_;
};

/// Computes the 64-bit FNV-1a hash of bytes in memory.
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
