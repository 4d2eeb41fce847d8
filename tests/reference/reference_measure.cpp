#include <algorithm>
#include <cmath>
#include <cstdlib>

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

/// |sum_x Q(x) e^{2 pi i x / L}|^2 / N^2 of plane sums Q(x).
double mode_squared(const std::vector<long>& planes, double sites) {
    const std::vector<double> table = fourier_table(static_cast<int>(planes.size()));
    double re = 0.0, im = 0.0;
    for (std::size_t x = 0; x < planes.size(); ++x) {
        re += table[x] * static_cast<double>(planes[x]);
        im += table[planes.size() + x] * static_cast<double>(planes[x]);
    }
    return (re * re + im * im) / (sites * sites);
}

}  // namespace

void Realization::measure(Accumulators& sums, std::int64_t index, int bin) const {
    const int L = world_.L, N = world_.sites();
    const auto integer = [&](Sum sum, int bin, int component, int slot) -> std::int64_t& {
        return sums
            .integers[static_cast<int>(sum)][place(sums, bin, component, sums.components(sum), slot, index)];
    };
    const auto real = [&](Sum sum, int bin, int component, int slot) -> double& {
        return sums
            .reals[static_cast<int>(sum)][place(sums, bin, component, sums.components(sum), slot, index)];
    };
    for (int replica = 0; replica < world_.replicas; ++replica) {
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
        }
        int pair = 0;
        for (int a = 0; a < world_.replicas; ++a)
            for (int b = a + 1; b < world_.replicas; ++b, ++pair) {
                long Q = 0, link = 0;
                std::vector<long> planes[3] = {std::vector<long>(L), std::vector<long>(L),
                                               std::vector<long>(L)};
                for (int site = 0; site < N; ++site) {
                    const int overlap = spin(a, slot, site) * spin(b, slot, site);
                    Q += overlap;
                    planes[0][site % L] += overlap;
                    planes[1][site / L % L] += overlap;
                    planes[2][site / L / L] += overlap;
                    for (int axis = 0; axis < world_.dimension; ++axis) {
                        const int other = neighbours_[site][2 * axis];
                        link += overlap * spin(a, slot, other) * spin(b, slot, other);
                    }
                }
                const double q = static_cast<double>(Q) / N, q2 = q * q;
                const double modes[3] = {mode_squared(planes[0], N), mode_squared(planes[1], N),
                                         world_.dimension == 3 ? mode_squared(planes[2], N) : 0.0};
                integer(Sum::overlap, bin, pair, slot) += Q;
                integer(Sum::overlap_abs, bin, pair, slot) += std::labs(Q);
                integer(Sum::link, bin, pair, slot) += link;
                real(Sum::overlap2, bin, pair, slot) += q2;
                real(Sum::overlap4, bin, pair, slot) += q2 * q2;
                real(Sum::kmin_x, bin, pair, slot) += modes[0];
                real(Sum::kmin_y, bin, pair, slot) += modes[1];
                real(Sum::kmin_z, bin, pair, slot) += modes[2];
                real(Sum::link2, bin, pair, slot) += static_cast<double>(link) * static_cast<double>(link);
                real(Sum::overlap2_link, bin, pair, slot) += q2 * static_cast<double>(link);
                const auto count = [&](std::vector<std::uint32_t>& histogram, long value, long most) {
                    const long column = std::min<long>((value + most) * sums.histogram_bins / (2 * most),
                                                       sums.histogram_bins - 1);
                    ++histogram[(static_cast<std::size_t>(slot) * sums.histogram_bins + column) *
                                    sums.realizations +
                                index];
                };
                count(sums.histogram, Q, N);
                count(sums.link_histogram, link, long{world_.dimension} * N);
            }
    }
}

namespace {

Accumulators zero_sums(const World& world, int bins, int histogram_bins) {
    Accumulators sums;
    sums.bins = bins;
    sums.replicas = world.replicas;
    sums.pairs = world.pairs();
    sums.temperatures = world.slots();
    sums.histogram_bins = histogram_bins;
    sums.realizations = world.realizations;
    const std::size_t per_component = static_cast<std::size_t>(bins) * world.slots() * world.realizations;
    for (int i = 0; i < n_sums; ++i) {
        const std::size_t size = per_component * sums.components(static_cast<Sum>(i));
        if (sum_table[i].integer)
            sums.integers[i].assign(size, 0);
        else
            sums.reals[i].assign(size, 0.0);
    }
    sums.count.assign(bins, 0);
    sums.histogram.assign(static_cast<std::size_t>(world.slots()) * histogram_bins * world.realizations, 0);
    sums.link_histogram = sums.histogram;
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
