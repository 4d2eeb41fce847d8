#include "bench/sites_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "bench/autocorrelation.hpp"
#include "bench/median_time.hpp"
#include "bench/slab_benchmark.hpp"

namespace psflip {
namespace {

BenchRow sites_row(const std::string& series, const LargeLattice& lattice) {
    const LargeLatticeSetup& setup = lattice.setup();
    BenchRow row(series);
    row.add("model", std::string(name(setup.model.kind)))
        .add("dimension", setup.model.dimension)
        .add("L", setup.L)
        .add("beta", setup.beta)
        .add("tile", setup.tile)
        .add("hits", setup.hits)
        .add("tile_order", name(setup.tile_order))
        .add("update", name(setup.model.update))
        .add("demon_sites", setup.model.demon_sites)
        .add("wolff_clusters", setup.model.wolff_clusters)
        .add("device", lattice.device());
    return row;
}

/// Sums of powers over the steps of a block, or over all steps.
struct Powers {
    double n = 0, e = 0, e2 = 0, m2 = 0, m4 = 0;
    void add(double energy, double m) {
        n += 1;
        e += energy;
        e2 += energy * energy;
        m2 += m * m;
        m4 += m * m * m * m;
    }
    void add(const Powers& other, double sign) {
        n += sign * other.n;
        e += sign * other.e;
        e2 += sign * other.e2;
        m2 += sign * other.m2;
        m4 += sign * other.m4;
    }
};

/// Computes averages from a series. Energies are relative to the energy of the first step, so that squares
/// keep their digits.
class Moments {
  public:
    Moments(const LargeLatticeSetup& setup, double sites, const std::vector<LatticeSums>& series, int blocks)
        : beta2_(setup.beta * setup.beta), sites_(sites), blocks_(static_cast<std::size_t>(blocks)) {
        offset_ = series.front().bonds;
        for (std::size_t i = 0; i < series.size(); ++i) {
            const auto energy = static_cast<double>(series[i].bonds - offset_);
            blocks_[i * blocks_.size() / series.size()].add(
                energy, static_cast<double>(series[i].magnetisation) / sites);
        }
        for (const Powers& block : blocks_) all_.add(block, 1);
    }
    /// Returns value(sums) and its jackknife error.
    template <class Value>
    void add_to(BenchRow& row, const std::string& name, const Value& value) const {
        const double found = value(all_);
        double squares = 0;
        for (const Powers& block : blocks_) {
            Powers rest = all_;
            rest.add(block, -1);
            squares += std::pow(value(rest) - found, 2);
        }
        const auto n = static_cast<double>(blocks_.size());
        row.add(name, found).add(name + "_error", std::sqrt(squares * (n - 1) / n));
    }
    void add_all(BenchRow& row) const {
        add_to(row, "e",
               [&](const Powers& p) { return (static_cast<double>(offset_) + p.e / p.n) / sites_; });
        add_to(row, "C",
               [&](const Powers& p) { return beta2_ * (p.e2 / p.n - p.e / p.n * (p.e / p.n)) / sites_; });
        add_to(row, "m2", [](const Powers& p) { return p.m2 / p.n; });
        add_to(row, "m4", [](const Powers& p) { return p.m4 / p.n; });
    }

  private:
    double beta2_, sites_;
    std::int64_t offset_ = 0;
    std::vector<Powers> blocks_;
    Powers all_;
};

void add_times(BenchRow& row, const LargeLatticeSetup& setup, const std::vector<LatticeSums>& series) {
    std::vector<double> energy, m2;
    for (const LatticeSums& sums : series) {
        energy.push_back(static_cast<double>(sums.bonds - series.front().bonds));
        m2.push_back(std::pow(static_cast<double>(sums.magnetisation), 2));
    }
    for (const auto& [name, values] : {std::pair{"tau_e", &energy}, {"tau_m2", &m2}}) {
        const AutocorrelationTime found = autocorrelation_time(*values);
        row.add(name, setup.hits * found.tau).add(std::string(name) + "_error", setup.hits * found.error);
    }
}

}  // namespace

BenchRow time_sites(const BackendChoice& choice, const LargeLatticeSetup& setup,
                    const BenchmarkTiming& timing, Ranks& ranks) {
    const auto lattice = make_large_lattice(choice_of_rank(choice, ranks), setup, ranks);
    double messages = 0;
    const MedianTime plain = median_time(
        [&](int steps) {
            const std::int64_t sent = ranks.sent_messages();
            lattice->advance(steps);
            lattice->synchronize();
            messages = static_cast<double>(ranks.sent_messages() - sent) / steps;
        },
        timing, ranks);
    const MedianTime with_sums =
        median_time([&](int steps) { lattice->advance_with_sums(steps); }, timing, ranks);
    const auto ps = [&](const MedianTime& time) { return time.seconds / setup.flips_of_step() * 1e12; };
    BenchRow row = sites_row("flips", *lattice)
                       .add("slabs", ranks.size())
                       .add("halo", choice.halo)
                       .add("messages_per_step", messages)
                       .add("ps_per_flip", ps(plain))
                       .add("spread", plain.spread)
                       .add("ps_per_flip_with_sums", ps(with_sums));
    if (setup.model.update != Update::swendsen_wang) return row;
    ClusterSums sums;
    lattice->sum_clusters(&sums);
    const MedianTime with_clusters = median_time(
        [&](int steps) {
            for (int i = 0; i < steps; ++i) lattice->advance(1);
        },
        timing, ranks);
    return row.add("ps_per_flip_with_clusters", ps(with_clusters));
}

BenchRow time_sites_batch(const BackendChoice& choice, const LargeLatticeSetup& setup,
                          const SitesBatchCase& batch, const BenchmarkTiming& timing) {
    std::vector<LargeLatticeSetup> setups;
    for (int i = 0; i < batch.lattices(); ++i) {
        setups.push_back(setup);
        const int pair = i / batch.temperatures;
        setups.back().slot = static_cast<std::uint32_t>(i % batch.temperatures);
        setups.back().replica = static_cast<std::uint32_t>(pair % batch.replicas);
        setups.back().realization = static_cast<std::uint32_t>(pair / batch.replicas);
    }
    const auto lattices = make_large_lattices(choice, setups);
    const auto advance = [&](int steps) {
        if (!batch.apart) return lattices.front()->advance_all(lattices, steps);
        for (const auto& lattice : lattices) lattice->advance(steps);
    };
    constexpr int together = 10;
    const MedianTime plain = median_time(
        [&](int blocks) {
            for (int i = 0; i < blocks; ++i) advance(together);
            for (const auto& lattice : lattices) lattice->synchronize();
        },
        timing);
    const MedianTime with_sums = median_time(
        [&](int blocks) {
            for (int i = 0; i < blocks; ++i) {
                advance(together);
                if (!batch.apart) {
                    lattices.front()->sums_of_all(lattices);
                    continue;
                }
                for (const auto& lattice : lattices) lattice->sums();
            }
        },
        timing);
    const double flips = together * batch.lattices() * setup.flips_of_step();
    return sites_row("flips", *lattices.front())
        .add("realizations", batch.realizations)
        .add("replicas", batch.replicas)
        .add("temperatures", batch.temperatures)
        .add("slabs", 1)
        .add("ps_per_flip", plain.seconds / flips * 1e12)
        .add("spread", plain.spread)
        .add("ps_per_flip_with_sums", with_sums.seconds / flips * 1e12);
}

BenchRow measure_sites(const BackendChoice& choice, const LargeLatticeSetup& setup, const SitesSeries& length,
                       std::vector<LatticeSums>* series) {
    if (length.measured < 2 * length.blocks || length.blocks < 2)
        throw InputError(fmt::format("{} steps in {} blocks are too few; use at least 2 blocks of 2 steps",
                                     length.measured, length.blocks));
    const auto lattice = make_large_lattice(choice, setup);
    lattice->advance(length.thermalize);
    const std::vector<LatticeSums> found = lattice->advance_with_sums(length.measured);
    BenchRow row = sites_row("averages", *lattice);
    row.add("thermalize", length.thermalize).add("measured", length.measured);
    Moments(setup, static_cast<double>(lattice->lanes().sites()), found, length.blocks).add_all(row);
    add_times(row, setup, found);
    if (series) *series = found;
    return row;
}

}  // namespace psflip
