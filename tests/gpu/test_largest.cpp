// Tests the largest lattice, whose number of bonds exceeds 31 bits, whole and as two slabs, and more columns
// of realizations than a grid has rows. The tests need a GPU of 110 GB, 100 GB of memory and some minutes.
// They run on request only (gpu_tests -ns -tc="the largest*,more columns*").

#include <doctest/doctest.h>

#include <mutex>

#include "base/device.hpp"
#include "evolution/move_sampler.hpp"
#include "simulation.hpp"
#include "slab/ranks.hpp"
#include "sweep/ensemble.hpp"

using namespace psflip;

namespace {

const Shape largest{.L = 1024, .replicas = 1, .temperatures = 1, .realizations = 1, .share = 128};
constexpr int sweeps = 3;

/// Returns the coupling of a site and direction: one in 16 is -1, the others are +1.
std::int8_t coupling(std::int64_t site, int direction) {
    std::uint64_t z = static_cast<std::uint64_t>(3 * site + direction) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return (z >> 40 & 15u) == 0 ? -1 : 1;
}

/// Returns the couplings of the held planes.
std::vector<std::int8_t> couplings_of(const Shape& shape) {
    const std::int64_t plane = std::int64_t{shape.L} * shape.L;
    std::vector<std::int8_t> all;
    all.reserve(static_cast<std::size_t>(3 * shape.held_sites()));
    for (int direction = 0; direction < 3; ++direction)
        for (int w = 0; w < shape.held_planes(); ++w) {
            const std::int64_t z = (shape.first_plane - shape.halo_planes() + w + shape.L) % shape.L;
            for (std::int64_t i = 0; i < plane; ++i) all.push_back(coupling(z * plane + i, direction));
        }
    return all;
}

/// Returns Eb by its definition.
std::int64_t energy_of(const std::vector<std::uint64_t>& spins) {
    const std::int64_t L = largest.L;
    std::int64_t energy = 0, site = 0;
    for (std::int64_t z = 0; z < L; ++z)
        for (std::int64_t y = 0; y < L; ++y)
            for (std::int64_t x = 0; x < L; ++x, ++site) {
                const std::int64_t near[3] = {(x + 1) % L + L * (y + L * z), x + L * ((y + 1) % L + L * z),
                                              x + L * (y + L * ((z + 1) % L))};
                for (int d = 0; d < 3; ++d)
                    energy -= coupling(site, d) * (((spins[site] ^ spins[near[d]]) & 1u) != 0 ? -1 : 1);
            }
    return energy;
}

/// The result of sweeps from spins that are all up: Eb before and after the sweeps, and the spins.
struct Left {
    std::int64_t before, after;
    std::vector<std::uint64_t> spins;
};

Left swept(const Shape& shape, const BackendChoice& choice, Ranks& ranks) {
    const auto ensemble = make_ising_ensemble({choice, shape, {0.4}, 1, couplings_of(shape), 0, {}, &ranks});
    MESSAGE(ensemble->description());
    const auto energy = [&] {
        ensemble->compute_energies();
        return std::int64_t{shape.energy_unit()} * ensemble->energies()[0];
    };
    ensemble->set_spins(std::vector<std::uint64_t>(static_cast<std::size_t>(shape.spin_words()), 1));
    Left left;
    left.before = energy();
    ensemble->sweep(0, sweeps);
    left.after = energy();
    left.spins = ensemble->spins();
    return left;
}

}  // namespace

TEST_CASE("the largest lattice has its energies, and two slabs have its spins" * doctest::skip()) {
    const Left whole = swept(largest, {.backend = "cuda"}, single_rank());
    CHECK(whole.before == energy_of(std::vector<std::uint64_t>(whole.spins.size(), 1)));
    CHECK(whole.before < std::int64_t{INT32_MIN});
    CHECK(whole.after == energy_of(whole.spins));
    std::mutex one_at_a_time;  // checks of doctest
    with_local_ranks(2, [&](Ranks& ranks) {
        Shape slab = largest;
        const SlabPlanes planes = planes_of_rank(slab.L, ranks.rank(), ranks.size());
        slab.first_plane = planes.first, slab.slab_planes = planes.count;
        BackendChoice choice{.backend = "cuda"};
        choice.device = cuda_available(1) ? ranks.rank() : 0;
        const Left mine = swept(slab, choice, ranks);
        const std::scoped_lock lock(one_at_a_time);
        CHECK(mine.before == whole.before);
        CHECK(mine.after == whole.after);
        CHECK(std::equal(mine.spins.begin(), mine.spins.end(),
                         whole.spins.begin() + std::int64_t{slab.first_plane} * slab.L * slab.L));
    });
}

namespace {

/// Returns the spins of the last 128 realizations from the canonical array of a batch: replica, temperature,
/// pack64, site.
std::vector<std::uint64_t> last_column(const Shape& shape, const std::vector<std::uint64_t>& spins) {
    const std::int64_t lattices = shape.replicas * shape.temperatures, column = 2 * shape.sites(),
                       all = static_cast<std::int64_t>(spins.size()) / lattices;
    std::vector<std::uint64_t> last;
    for (std::int64_t k = 1; k <= lattices; ++k)
        last.insert(last.end(), spins.begin() + k * all - column, spins.begin() + k * all);
    return last;
}

/// Returns the swept spins of the last of `columns` columns; the columns end before number `end`.
std::vector<std::uint64_t> swept_columns(std::int64_t columns, std::int64_t end, const char* backend,
                                         const char* kernel) {
    const KernelChoice choice(kernel);
    const Shape shape{.L = 4,
                      .replicas = 1,
                      .temperatures = 2,
                      .realizations = 128 * columns,
                      .first_realization = 128 * (end - columns),
                      .share = 64};
    std::vector<std::int8_t> couplings = Simulation::couplings(shape);
    const std::vector<std::int8_t> one = Simulation::couplings({.L = 4, .realizations = 128});
    std::copy(one.begin(), one.end(), couplings.end() - static_cast<std::ptrdiff_t>(one.size()));
    const auto sampler = make_ising_sampler({{.backend = backend},
                                             shape,
                                             Simulation::betas(shape.temperatures),
                                             Simulation::seed,
                                             couplings,
                                             Simulation::sweeps_per_swap});
    sampler->ensemble().set_spins(random_spins(shape, Simulation::seed));
    sampler->advance(0, 6);
    return last_column(shape, sampler->ensemble().spins());
}

}  // namespace

TEST_CASE("more columns than a grid has rows: the last has the spins that it has alone" * doctest::skip()) {
    constexpr std::int64_t columns = 65537;
    const std::vector<std::uint64_t> alone = swept_columns(1, columns, "cpu", "auto");
    for (const char* kernel : {"fused:2x2x4", "fused:1x1x1", "resident"}) {
        INFO(kernel);
        CHECK(swept_columns(columns, columns, "cuda", kernel) == alone);
    }
}
