#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "reference/reference.hpp"

namespace psflip::reference {

std::vector<Bin> block_bins(const Schedule& schedule) {
    // The first stretch: halves of run_sweeps as long as every block of it can hold a measurement.
    std::int64_t stretch = schedule.run_sweeps;
    while (stretch % 2 == 0 && stretch / 2 >= schedule.blocks * schedule.measure_every) stretch /= 2;
    // All blocks from 0 on, stretch by stretch, each twice as long as what was before it is doubled.
    std::vector<Bin> bins;
    std::int64_t before = 0, end = stretch;
    while (before < schedule.run_last) {
        for (int i = 0; i < schedule.blocks; ++i) {
            const Bin bin{end * i / schedule.blocks, end * (i + 1) / schedule.blocks};
            if (bin.upper > before && bin.upper > schedule.run_first)
                bins.push_back({std::max(bin.lower, before), bin.upper});
        }
        before = end;
        end *= 2;
    }
    return bins;
}

namespace {

/// Place in an array (bin, component, slot, realization).
std::size_t place(const Accumulators& sums, int bin, int component, int components, int slot,
                  std::int64_t index) {
    return ((static_cast<std::size_t>(bin) * components + component) * sums.temperatures + slot) *
               sums.realizations +
           index;
}

double mode_squared(const std::vector<long>& planes, double sites) {
    const auto [re, im] = mode(planes);
    return (re * re + im * im) / (sites * sites);
}

}  // namespace

std::array<double, 2> mode(const std::vector<long>& planes) {
    const std::vector<double> table = fourier_table(static_cast<int>(planes.size()));
    double re = 0.0, im = 0.0;
    for (std::size_t x = 0; x < planes.size(); ++x) {
        re += table[x] * static_cast<double>(planes[x]);
        im += table[planes.size() + x] * static_cast<double>(planes[x]);
    }
    return {re, im};
}

Realization::Moments Realization::moments(const std::vector<int>& values) const {
    const int L = world_.L, N = world_.sites();
    Moments m;
    std::vector<long> planes[3] = {std::vector<long>(L), std::vector<long>(L), std::vector<long>(L)};
    for (int site = 0; site < N; ++site) {
        m.sum += values[site];
        planes[0][site % L] += values[site];
        planes[1][site / L % L] += values[site];
        planes[2][site / L / L] += values[site];
    }
    const double mean = static_cast<double>(m.sum) / N;
    m.square = mean * mean;
    for (int axis = 0; axis < world_.dimension; ++axis) m.modes[axis] = mode_squared(planes[axis], N);
    return m;
}

void Realization::measure(Accumulators& sums, std::int64_t index, int bin) const {
    const int N = world_.sites();
    const auto integer = [&](Sum sum, int bin, int component, int slot) -> std::int64_t& {
        return sums
            .integers[static_cast<int>(sum)][place(sums, bin, component, sums.components(sum), slot, index)];
    };
    const auto real = [&](Sum sum, int bin, int component, int slot) -> double& {
        return sums
            .reals[static_cast<int>(sum)][place(sums, bin, component, sums.components(sum), slot, index)];
    };
    for (int replica = 0; replica < world_.replicas && world_.field == 0.0; ++replica) {
        const std::size_t at =
            (static_cast<std::size_t>(bin) * world_.replicas + replica) * sums.realizations + index;
        const std::int64_t E = energy(replica, 0);
        if (E < sums.lowest_energy[at]) sums.lowest_count[at] = 0;
        sums.lowest_energy[at] = std::min(sums.lowest_energy[at], E);
        sums.lowest_count[at] += E == sums.lowest_energy[at] ? 1 : 0;
    }
    for (int slot = 0; slot < world_.slots(); ++slot) {
        for (int replica = 0; replica < world_.replicas; ++replica)
            integer(Sum::walker_slot, bin, replica, walker_[replica][slot]) += slot;
        for (int replica = 0; replica < world_.replicas; ++replica) {
            const std::int64_t E = energy(replica, slot);
            integer(Sum::energy, bin, replica, slot) += E;
            real(Sum::energy2, bin, replica, slot) += static_cast<double>(E) * static_cast<double>(E);
            if (!world_.measures().magnetisation) continue;
            std::vector<int> spins(N);
            for (int site = 0; site < N; ++site) spins[site] = spin(replica, slot, site);
            const Moments m = moments(spins);
            if (world_.swendsen_wang) {
                real(Sum::magnetisation2_improved, bin, replica, slot) += improved_[replica][slot].square;
                real(Sum::magnetisation_kmin_improved, bin, replica, slot) += improved_[replica][slot].modes;
            }
            integer(Sum::magnetisation, bin, replica, slot) += m.sum;
            integer(Sum::magnetisation_abs, bin, replica, slot) += std::labs(m.sum);
            real(Sum::magnetisation2, bin, replica, slot) += m.square;
            real(Sum::magnetisation4, bin, replica, slot) += m.square * m.square;
            real(Sum::magnetisation_kmin_x, bin, replica, slot) += m.modes[0];
            real(Sum::magnetisation_kmin_y, bin, replica, slot) += m.modes[1];
            if (world_.dimension == 3) real(Sum::magnetisation_kmin_z, bin, replica, slot) += m.modes[2];
            if (world_.field != 0.0) {
                real(Sum::energy_magnetisation, bin, replica, slot) +=
                    static_cast<double>(E) * static_cast<double>(m.sum);
                continue;
            }
            real(Sum::magnetisation2_energy, bin, replica, slot) += m.square * static_cast<double>(E);
            real(Sum::magnetisation4_energy, bin, replica, slot) +=
                m.square * m.square * static_cast<double>(E);
            real(Sum::magnetisation_kmin_energy, bin, replica, slot) +=
                m.modes_sum() * static_cast<double>(E);
        }
        int pair = 0;
        for (int a = 0; a < world_.replicas && !world_.ferromagnet; ++a)
            for (int b = a + 1; b < world_.replicas; ++b, ++pair) {
                std::vector<int> overlaps(N);
                long link = 0;
                for (int site = 0; site < N; ++site)
                    overlaps[site] = spin(a, slot, site) * spin(b, slot, site);
                for (int site = 0; site < N; ++site)
                    for (int axis = 0; axis < world_.dimension; ++axis)
                        if (bond(site, axis) != 0)
                            link += overlaps[site] * overlaps[neighbours_[site][2 * axis]];
                const Moments q = moments(overlaps);
                integer(Sum::overlap, bin, pair, slot) += q.sum;
                integer(Sum::overlap_abs, bin, pair, slot) += std::labs(q.sum);
                integer(Sum::link, bin, pair, slot) += link;
                real(Sum::overlap2, bin, pair, slot) += q.square;
                real(Sum::overlap4, bin, pair, slot) += q.square * q.square;
                real(Sum::kmin_x, bin, pair, slot) += q.modes[0];
                real(Sum::kmin_y, bin, pair, slot) += q.modes[1];
                if (world_.dimension == 3) real(Sum::kmin_z, bin, pair, slot) += q.modes[2];
                real(Sum::link2, bin, pair, slot) += static_cast<double>(link) * static_cast<double>(link);
                real(Sum::overlap2_link, bin, pair, slot) += q.square * static_cast<double>(link);
                if (world_.field == 0.0) {
                    const auto E = static_cast<double>(energy(a, slot) + energy(b, slot));
                    real(Sum::overlap2_energy, bin, pair, slot) += q.square * E;
                    real(Sum::overlap4_energy, bin, pair, slot) += q.square * q.square * E;
                    real(Sum::kmin_energy, bin, pair, slot) += q.modes_sum() * E;
                }
                const auto count = [&](std::vector<std::uint32_t>& histogram, long value, long most) {
                    const long column = std::min<long>((value + most) * sums.histogram_bins / (2 * most),
                                                       sums.histogram_bins - 1);
                    ++histogram[(static_cast<std::size_t>(slot) * sums.histogram_bins + column) *
                                    sums.realizations +
                                index];
                };
                count(sums.histogram, q.sum, N);
                count(sums.link_histogram, link, long{world_.dimension} * N);
            }
        if (!world_.replicon()) continue;
        const std::array<double, 3> of_modes = replicon(slot);
        for (int k = 0; k < 3; ++k) real(replicon_sum(k), bin, 0, slot) += of_modes[k];
    }
}

namespace {

Accumulators zero_sums(const World& world, int bins, int histogram_bins) {
    Accumulators sums;
    sums.measured = world.measures();
    sums.bins = bins;
    sums.replicas = world.replicas;
    sums.temperatures = world.slots();
    sums.histogram_bins = histogram_bins;
    sums.realizations = world.realizations;
    const std::size_t per_component = static_cast<std::size_t>(bins) * world.slots() * world.realizations;
    for (const SumInfo& row : sum_table) {
        if (row.of({.components = 3, .overlap_tensor = true}) && !row.of({})) continue;  // of vector spins
        const auto i = static_cast<int>(row.sum);
        const std::string name = row.name;
        const bool of_magnetisation = name.find("magnetisation") != std::string::npos,
                   of_energy = name.rfind("energy", 0) == 0, of_walkers = name == "walker_slot";
        if (of_magnetisation ? !sums.measured.magnetisation : world.ferromagnet && !of_energy && !of_walkers)
            continue;
        if (name.ends_with("_improved") && !world.swendsen_wang) continue;
        if (world.dimension == 2 && name.ends_with("kmin_z")) continue;
        if (world.field != 0.0 && name.ends_with("_energy")) continue;
        if (world.field == 0.0 && (name == "energy_magnetisation" || name.rfind("replicon", 0) == 0))
            continue;
        const std::size_t size = per_component * sums.components(row.sum);
        if (row.values.integer)
            sums.integers[i].assign(size, 0);
        else
            sums.reals[i].assign(size, 0.0);
    }
    sums.count.assign(bins, 0);
    const std::size_t slots = world.slots();
    if (!world.ferromagnet) sums.histogram.assign(slots * histogram_bins * world.realizations, 0);
    sums.link_histogram = sums.histogram;
    if (world.field != 0.0) return sums;
    sums.lowest_energy.assign(static_cast<std::size_t>(bins) * world.replicas * world.realizations,
                              world.dimension * world.sites());
    sums.lowest_count.assign(sums.lowest_energy.size(), 0);
    return sums;
}

Result empty_result(const World& world, int bins, int histogram_bins) {
    const std::size_t replicas = world.realizations * world.replicas, T = world.slots();
    Result result;
    result.spins.assign(replicas * T * world.sites(), 0);
    result.energies.assign(replicas * T, 0);
    if (world.field != 0.0) result.magnetisations.assign(replicas * T, 0);
    result.tempering.walker.assign(replicas * T, 0);
    result.tempering.last_end.assign(replicas * T, 0);
    result.tempering.accepted.assign(replicas * (T - 1), 0);
    result.tempering.attempted.assign(T - 1, 0);
    result.tempering.round_trips.assign(replicas, 0);
    result.sums = zero_sums(world, bins, histogram_bins);
    return result;
}

}  // namespace

Result simulate(const World& world, const Schedule& schedule, const std::vector<std::int8_t>& couplings) {
    const std::vector<Bin> bins = block_bins(schedule);
    Result result = empty_result(world, static_cast<int>(bins.size()), schedule.histogram_bins);
    for (std::int64_t index = 0; index < world.realizations; ++index) {
        Realization realization(world, world.first_realization + index,
                                couplings.data() + index * world.dimension * world.sites());
        realization.random_start();
        for (std::int64_t s = 0; s < schedule.thermalize_sweeps + schedule.run_last; ++s) {
            realization.sweep(s);
            const std::int64_t completed = s + 1, in_run = completed - schedule.thermalize_sweeps;
            if (completed % schedule.sweeps_per_swap == 0)
                realization.exchange(completed, schedule.sweeps_per_swap);
            if (in_run <= schedule.run_first || in_run % schedule.measure_every != 0) continue;
            for (int b = 0; b < static_cast<int>(bins.size()); ++b) {
                if (in_run <= bins[b].lower || in_run > bins[b].upper) continue;
                realization.measure(result.sums, index, b);
                if (index == 0) ++result.sums.count[b];
            }
        }
        realization.store(result, index);
    }
    return result;
}

}  // namespace psflip::reference
