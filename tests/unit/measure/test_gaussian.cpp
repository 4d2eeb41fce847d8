#include <doctest/doctest.h>

#include "evolution/sampler_state.hpp"
#include "gaussian_batch.hpp"
#include "reference/cases.hpp"

using namespace psflip;
using namespace psflip::reference;

TEST_CASE("Gaussian couplings give the same bits with all instruction sets and numbers of threads") {
    for (int dimension : {2, 3})
        for (const VectorUpdate update : {VectorUpdate::metropolis, VectorUpdate::heat_bath})
            for (const Precision precision : {Precision::single, Precision::twofold}) {
                const VectorSetup setup = gaussian_setup(dimension, precision);
                const GaussianFound wanted = gaussian_run({.backend = "cpu", .threads = 1}, setup, update);
                for (const std::string& level : simd_levels()) {
                    CAPTURE(level);
                    const ForceSimd force(level);
                    CHECK(gaussian_run({.backend = "cpu", .threads = 3}, setup, update) == wanted);
                }
                std::int64_t exchanged = 0;
                for (const std::int64_t n : tempering_of(wanted.state).accepted) exchanged += n;
                CHECK(exchanged > 1000);
                CHECK(wanted.sums.integers[static_cast<int>(Sum::energy)].empty());
                CHECK(wanted.sums.lowest_energy.empty());
            }
}

TEST_CASE("energies of Gaussian couplings follow from the spins") {
    const VectorSetup setup = gaussian_setup(3, Precision::twofold);
    const GaussianFound found =
        gaussian_run({.backend = "cpu", .threads = 1}, setup, VectorUpdate::metropolis);
    const auto spin = [&](std::int64_t state, std::int64_t site) {
        const std::int64_t r = state % setup.realizations, lattice = state / setup.realizations;
        const std::uint64_t word =
            found.spins.bits[static_cast<std::size_t>((lattice * 3 + r / 64) * 64 + site)];
        return (word >> (r % 64) & 1u) != 0 ? 1.0 : -1.0;
    };
    VectorBatch batch(gaussian_batch({.backend = "cpu", .threads = 1}, setup, VectorUpdate::metropolis));
    batch.set_held_spins(found.spins);
    REQUIRE(batch.held_spins() == found.spins);
    batch.compute_energies();
    for (const std::int64_t state : {0, 129, 130, 2599}) {
        double energy = 0.0;
        for (std::int64_t site = 0; site < 64; ++site)
            for (int d = 0; d < 3; ++d) {
                const std::int64_t stride = d == 0 ? 1 : d == 1 ? 4 : 16, at = site / stride % 4;
                const std::int64_t bond = (state % setup.realizations * 3 + d) * 64 + site;
                energy -= setup.couplings[static_cast<std::size_t>(bond)] * spin(state, site) *
                          spin(state, site + ((at + 1) % 4 - at) * stride);
            }
        CHECK(batch.energy_of(state) == doctest::Approx(energy).epsilon(1e-8));
    }
}
