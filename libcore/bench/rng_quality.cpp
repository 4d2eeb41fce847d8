#include "bench/rng_quality.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "bench/rng_timings.hpp"
#include "statistics/jackknife.hpp"

namespace psflip {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void check_sweeps(const QualitySweeps& sweeps) {
    if (sweeps.thermalize < 0 || sweeps.measured % quality_blocks != 0 ||
        sweeps.measured < 20 * quality_blocks)
        throw InputError(
            fmt::format("--thermalize {} and --sweeps {} are not possible; use a --thermalize of 0 or more, "
                        "and as --sweeps a multiple of {} from {} on",
                        sweeps.thermalize, sweeps.measured, quality_blocks, 20 * quality_blocks));
}

/// Returns -e and C from means of -e and its square.
void energy_and_heat(double beta, double sites, std::span<const double> means, std::span<double> result) {
    result[0] = means[0];
    result[1] = beta * beta * sites * (means[1] - means[0] * means[0]);
}

/// Adds a value, its error and its deviation from the exact value.
void add_estimate(BenchRow& row, const std::string& name, const Estimate& found, double exact) {
    const double off = found.value - exact;
    row.add(name, found.value)
        .add(name + "_error", found.error)
        .add(name + "_exact", exact)
        .add(name + "_off", off)
        .add(name + "_sigma", off / found.error);
}

/// Returns means of -e and its square over the sweeps of each block: (block, 2).
std::vector<double> block_means(Ferromagnet& lattice, int measured) {
    const double sites = lattice.setup().flips_of_sweep();
    const int each = measured / quality_blocks;
    std::vector<double> means;
    for (int block = 0; block < quality_blocks; ++block) {
        double first = 0.0, second = 0.0;
        for (const std::int64_t energy : lattice.sweep_with_energies(each)) {
            const double minus_e = -static_cast<double>(energy) / sites;
            first += minus_e;
            second += minus_e * minus_e;
        }
        means.insert(means.end(), {first / each, second / each});
    }
    return means;
}

/// Returns means of e and e^2 over the measured sweeps: (copy, realization, 2). A copy is a word in a
/// replica.
std::vector<double> copy_means(Glass& glass, const QualitySweeps& sweeps, int every) {
    const GlassSetup& setup = glass.setup();
    const auto sites = static_cast<double>(setup.shape().sites());
    const int measurements = sweeps.measured / every;
    std::vector<double> means(std::size_t{64} * setup.words * setup.replicas);
    for (int i = 0; i < measurements; ++i) {
        glass.sweep(every);
        const std::vector<std::int32_t> energies = glass.energies();
        for (std::size_t j = 0; j < energies.size(); ++j) {
            const double e = energies[j] / sites;
            means[2 * j] += e / measurements;
            means[2 * j + 1] += e * e / measurements;
        }
    }
    return means;
}

}  // namespace

BenchRow ferromagnet_quality(const BackendChoice& choice, const FerromagnetSetup& setup,
                             const QualitySweeps& sweeps) {
    check_sweeps(sweeps);
    const auto lattice = make_ferromagnet(choice, setup);
    lattice->sweep(sweeps.thermalize);
    const std::vector<double> means = block_means(*lattice, sweeps.measured);
    const auto found = jackknife(means, quality_blocks, 2, 2, [&](auto of, auto result) {
        energy_and_heat(setup.beta, setup.flips_of_sweep(), of, result);
    });
    const bool known = setup.dimension == 2 && setup.L >= 256 && setup.beta == quality_beta;
    BenchRow row("ferromagnet quality");
    row.add("generator", setup.generator)
        .add("device", lattice->device())
        .add("dimension", setup.dimension)
        .add("L", setup.L)
        .add("beta", setup.beta)
        .add("order", setup.packed ? "packed" : name(setup.order))
        .add("streams", setup.layout.streams)
        .add("width", setup.layout.width)
        .add("seed", setup.seed)
        .add("thermalize", sweeps.thermalize)
        .add("sweeps", sweeps.measured)
        .add("blocks", quality_blocks);
    add_estimate(row, "minus_e", found[0], known ? exact_minus_e : unknown);
    add_estimate(row, "C", found[1], known ? exact_C : unknown);
    return row;
}

BenchRow glass_quality(const BackendChoice& choice, const GlassSetup& setup, const QualitySweeps& sweeps,
                       int every) {
    check_sweeps(sweeps);
    if (every < 1 || sweeps.measured % every != 0)
        throw InputError(
            fmt::format("--every {} does not divide --sweeps {}; use a divisor", every, sweeps.measured));
    const auto glass = make_glass(choice, setup);
    glass->sweep(sweeps.thermalize);
    const std::vector<double> means = copy_means(*glass, sweeps, every);
    const int copies = setup.words * setup.replicas;
    const auto found = jackknife(means, copies, 64, 64, [&](auto of, auto result) {
        for (std::size_t r = 0; r < 32; ++r)
            energy_and_heat(setup.beta, static_cast<double>(setup.shape().sites()), of.subspan(2 * r, 2),
                            result.subspan(2 * r, 2));
    });
    std::vector<double> lists[4];  // e, e_error, C, C_error
    for (std::size_t j = 0; j < found.size(); ++j) {
        lists[j % 2 * 2].push_back(found[j].value);
        lists[j % 2 * 2 + 1].push_back(found[j].error);
    }
    BenchRow row = glass_row("glass quality", setup, glass->device());
    row.add("thermalize", sweeps.thermalize)
        .add("sweeps", sweeps.measured)
        .add("measured_every", every)
        .add("e", lists[0])
        .add("e_error", lists[1])
        .add("C", lists[2])
        .add("C_error", lists[3]);
    return row;
}

}  // namespace psflip
