#include "measure/measurement_cpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <stdexcept>

#include "base/thread_pool.hpp"
#include "measure/moments.hpp"
#include "measure/replicon.hpp"

namespace psflip {

CpuMeasurement::Scratch::Scratch(const SpinLayout& layout, int dimension, int replicon_pairs)
    : planes(plane_families(dimension, replicon_pairs > 0) * layout.L * slots_per_word * column_bits),
      links(slots_per_word * column_bits),
      moments(1),
      modes(slots_per_word * replicon_pairs * mode_doubles(dimension)) {}

CpuMeasurement::CpuMeasurement(Sampler& sampler, const Measured& measured, int bins, int histogram_bins)
    : sampler_(sampler),
      view_(std::get<CpuView>(sampler.view())),
      shape_(sampler.ensemble().shape()),
      lattice_(HeldLattice::of(shape_)),
      fourier_(fourier_table(shape_.L)),
      up_(measured.magnetisation && !view_.lattices ? view_.layout.group_words() : 0, ~std::uint64_t{0}),
      has_replicon_(measures_replicon(measured, shape_.replicas)),
      sums_(empty_accumulators(shape_, measured, bins, histogram_bins)) {
    sampler.sum_clusters(runs_with::clusters(measured));
    if (measured.overlaps)
        for (const auto& [a, b] : replica_pairs(shape_.replicas)) compared_.push_back({a, b});
    pairs_ = static_cast<int>(compared_.size());
    for (int replica = 0; measured.magnetisation && replica < shape_.replicas; ++replica)
        compared_.push_back({replica, -1});
    if (view_.lattices || compared_.empty()) return;
    differences_.assign(view_.pool->threads(), AlignedVector<std::uint64_t>(view_.layout.group_words()));
    scratch_.assign(shape_.is_slab() ? shape_.columns() * view_.layout.groups() : view_.pool->threads(),
                    Scratch(view_.layout, shape_.dimension, has_replicon_ ? pairs_ : 0));
}

void CpuMeasurement::set_accumulators(const Accumulators& accumulators) {
    const Measured measured = sums_.measured;
    sums_ = accumulators;
    sums_.restrict_to(measured);
    sampler_.sum_clusters(runs_with::clusters(sums_.measured));
}

void CpuMeasurement::measure(int bin) {
    sampler_.ensemble().compute_energies();
    view_ = std::get<CpuView>(sampler_.view());
    const std::int64_t stacks = shape_.columns() * shape_.replicas;
    view_.pool->for_each(stacks, [&](std::int64_t i, int) {
        add_energies(i / shape_.replicas, static_cast<int>(i % shape_.replicas), bin);
    });
    if (shape_.is_slab())
        add_counts_of_slabs(bin);
    else if (view_.lattices)
        add_counts_of_lattices(bin);
    else
        for_each_group([&](std::int64_t, std::int64_t column, int group, int thread) {
            Scratch& scratch = scratch_[thread];
            for (int number = 0; number < std::ssize(compared_); ++number) {
                count_differences(column, number, group, thread, scratch);
                add_counts(column, number, group, bin, scratch);
            }
            if (has_replicon_) add_replicon(column, group, bin, scratch);
        });
    ++sums_.count[bin];
}

template <class Task>
void CpuMeasurement::for_each_group(const Task& task) {
    const int groups = view_.layout.groups();
    view_.pool->for_each(scratch_.empty() ? 0 : shape_.columns() * groups, [&](std::int64_t i, int thread) {
        task(i, i / groups, static_cast<int>(i % groups), thread);
    });
}

/// Sums counts over the slabs before moments are made of them: every group has its scratch.
void CpuMeasurement::add_counts_of_slabs(int bin) {
    Ranks& ranks = sampler_.ensemble().ranks();
    for (int number = 0; number < std::ssize(compared_); ++number) {
        for_each_group([&](std::int64_t i, std::int64_t column, int group, int thread) {
            count_differences(column, number, group, thread, scratch_[i]);
        });
        for (Scratch& scratch : scratch_) {
            ranks.sum(std::span(scratch.planes));
            if (number < pairs_) ranks.sum(std::span(scratch.links));
        }
        for_each_group([&](std::int64_t i, std::int64_t column, int group, int) {
            add_counts(column, number, group, bin, scratch_[i]);
        });
    }
    if (has_replicon_)
        for_each_group([&](std::int64_t i, std::int64_t column, int group, int) {
            add_replicon(column, group, bin, scratch_[i]);
        });
}

CpuMeasurement::Lanes CpuMeasurement::lanes_of(std::int64_t column, int slot, int bin, int components,
                                               int component) const {
    return {column, slot, used_lanes(column), index(bin, components, component, slot, column)};
}

void CpuMeasurement::add_energies(std::int64_t column, int replica, int bin) {
    auto& energy = sums_.integers[int(Sum::energy)];
    auto& energy2 = sums_.reals[int(Sum::energy2)];
    std::int64_t* walker_slot =
        sums_.integers[int(Sum::walker_slot)].data() + index(bin, shape_.replicas, replica, 0, column);
    for (int slot = 0; slot < shape_.temperatures; ++slot) {
        const std::uint8_t* walker = view_.walkers + view_.offset(column, replica, slot);
        for (int lane = 0; lane < used_lanes(column); ++lane)
            walker_slot[walker[lane] * shape_.realizations + lane] += slot;
        if (view_.real_energies) {
            add_real_energies(lanes_of(column, slot, bin, shape_.replicas, replica), replica);
            continue;
        }
        const std::int64_t at = index(bin, shape_.replicas, replica, slot, column);
        for (int lane = 0; lane < used_lanes(column); ++lane) {
            const std::int64_t Eb = integer_energy(column, replica, slot, lane);
            energy[at + lane] += Eb;
            energy2[at + lane] += static_cast<double>(Eb) * static_cast<double>(Eb);
        }
    }
    if (sums_.measured.lowest_energies()) note_lowest(column, replica, bin);
    if (runs_with::clusters(sums_.measured)) add_clusters(column, replica, bin);
}

void CpuMeasurement::add_clusters(std::int64_t column, int replica, int bin) {
    if (!view_.clusters) throw std::logic_error("no sweep before this measurement has summed its clusters");
    const auto sites = static_cast<double>(shape_.sites());
    for (int slot = 0; slot < shape_.temperatures; ++slot) {
        const ClusterSums* const clusters = view_.clusters + view_.offset(column, replica, slot);
        const std::int64_t at = index(bin, shape_.replicas, replica, slot, column);
        for (int lane = 0; lane < used_lanes(column); ++lane) {
            sums_.reals[int(Sum::magnetisation2_improved)][at + lane] += clusters[lane].square(sites);
            sums_.reals[int(Sum::magnetisation_kmin_improved)][at + lane] += clusters[lane].kmin(sites);
        }
    }
}

void CpuMeasurement::add_real_energies(const Lanes& lanes, int replica) {
    for (int lane = 0; lane < lanes.used; ++lane) {
        const double E = energy(lanes, replica, lane);
        sums_.reals[int(Sum::energy)][lanes.at + lane] += E;
        sums_.reals[int(Sum::energy2)][lanes.at + lane] += E * E;
    }
}

void CpuMeasurement::note_lowest(std::int64_t column, int replica, int bin) {
    const std::int64_t at =
        (std::int64_t{bin} * shape_.replicas + replica) * shape_.realizations + column * column_bits;
    for (int lane = 0; lane < used_lanes(column); ++lane) {
        std::int64_t& lowest = sums_.lowest_energy[at + lane];
        std::int64_t& count = sums_.lowest_count[at + lane];
        const std::int64_t Eb = integer_energy(column, replica, 0, lane);
        count = Eb < lowest ? 1 : count + (Eb == lowest);
        lowest = std::min(lowest, Eb);
    }
}

void CpuMeasurement::count_differences(std::int64_t column, int number, int group, int thread,
                                       Scratch& scratch) {
    const auto [a, b] = compared_[number];
    const SpinLayout& layout = view_.layout;
    const std::int64_t column_bonds = CouplingLayout::of(shape_).column_words();
    const bool is_pair = b >= 0;
    overlap_kernels(view_.level)
        .count({.lattice = lattice_,
                .a = view_.spins + layout.group_offset(column, a, group),
                .b = is_pair ? view_.spins + layout.group_offset(column, b, group) : up_.data(),
                .difference = differences_[thread].data(),
                .planes = scratch.planes.data(),
                .links = is_pair ? scratch.links.data() : nullptr,
                .dimension = shape_.dimension,
                .absent = view_.absent ? view_.absent + column * column_bonds : nullptr,
                .diagonals = is_pair && has_replicon_});
}

void CpuMeasurement::add_counts(std::int64_t column, int number, int group, int bin, Scratch& scratch) {
    for (int i = 0; i < slots_per_word && group * slots_per_word + i < shape_.temperatures; ++i) {
        const Lanes lanes = lanes_of(column, number, group * slots_per_word + i, bin);
        std::int64_t unequal[column_bits];
        std::transform(scratch.links.data() + i * column_bits, scratch.links.data() + (i + 1) * column_bits,
                       unequal, [](std::int32_t links) { return static_cast<std::uint32_t>(links); });
        add_compared(lanes, number, moments_of(lanes.slot, scratch), unequal);
        if (!has_replicon_ || number >= pairs_) continue;
        const std::size_t at = static_cast<std::size_t>(i * pairs_ + number) * mode_doubles(shape_.dimension);
        overlap_kernels(view_.level)
            .modes({shape_.L, fourier_.data(), scratch.planes.data() + i * column_bits,
                    scratch.modes.data() + at, shape_.dimension});
    }
}

CpuMeasurement::Lanes CpuMeasurement::lanes_of(std::int64_t column, int number, int slot, int bin) const {
    if (number < pairs_) return lanes_of(column, slot, bin, pairs_, number);
    return lanes_of(column, slot, bin, shape_.replicas, compared_[number].a);
}

void CpuMeasurement::add_compared(const Lanes& lanes, int number, const LaneMoments& m,
                                  const std::int64_t* unequal) {
    const auto [a, b] = compared_[number];
    const MomentSums& sums = number < pairs_ ? overlap_sums : magnetisation_sums;
    add_moments(lanes, sums, m);
    if (number < pairs_) {
        count(sums_.histogram, lanes, shape_.sites(), [&](int lane) { return m.overlap[lane]; });
        add_links(lanes, unequal, m);
    } else if (sums_.measured.field) {
        add_energy_magnetisation(lanes, a, m);
    }
    add_products(lanes, sums, a, b, m);
}

void CpuMeasurement::add_replicon(std::int64_t column, int group, int bin, Scratch& scratch) {
    const std::size_t slot_modes = pairs_ * mode_doubles(shape_.dimension);
    for (int i = 0; i < slots_per_word && group * slots_per_word + i < shape_.temperatures; ++i)
        add_replicon_of(lanes_of(column, group * slots_per_word + i, bin, 1, 0),
                        scratch.modes.data() + i * slot_modes);
}

void CpuMeasurement::add_replicon_of(const Lanes& lanes, const double* modes) {
    alignas(64) double replicon[3][column_bits];
    overlap_kernels(view_.level).replicon({shape_.L, shape_.replicas, modes, replicon[0], shape_.dimension});
    for (int k = 0; k < 3; ++k) {
        double* const sum = sums_.reals[int(replicon_sum(k))].data() + lanes.at;
        for (int lane = 0; lane < lanes.used; ++lane) sum[lane] += replicon[k][lane];
    }
}

const LaneMoments& CpuMeasurement::moments_of(int slot, Scratch& scratch) {
    const std::int32_t* planes = scratch.planes.data() + slot % slots_per_word * column_bits;
    overlap_kernels(view_.level)
        .moments({shape_.L, fourier_.data(), planes, scratch.moments.data(), shape_.dimension});
    return scratch.moments[0];
}

void CpuMeasurement::add_moments(const Lanes& lanes, const MomentSums& sums, const LaneMoments& m) {
    std::int64_t* value = sums_.integers[int(sums.value)].data() + lanes.at;
    std::int64_t* size = sums_.integers[int(sums.abs)].data() + lanes.at;
    for (int lane = 0; lane < lanes.used; ++lane) value[lane] += m.overlap[lane];
    for (int lane = 0; lane < lanes.used; ++lane) size[lane] += std::abs(m.overlap[lane]);
    const auto add = [&](Sum sum, const double* from) {
        double* to = sums_.reals[int(sum)].data() + lanes.at;
        for (int lane = 0; lane < lanes.used; ++lane) to[lane] += from[lane];
    };
    add(sums.square, m.overlap2);
    add(sums.fourth, m.overlap4);
    for (int axis = 0; axis < shape_.dimension; ++axis) add(sums.kmin(axis), m.kmin[axis]);
}

template <class Value>
void CpuMeasurement::count(std::vector<std::uint32_t>& histogram, const Lanes& lanes, std::int64_t limit,
                           Value value) {
    const int bins = sums_.histogram_bins;
    std::uint32_t* first =
        histogram.data() + std::int64_t{lanes.slot} * bins * shape_.realizations + lanes.column * column_bits;
    for (int lane = 0; lane < lanes.used; ++lane)
        ++first[histogram_bin(value(lane), limit, bins) * shape_.realizations + lane];
}

void CpuMeasurement::add_links(const Lanes& lanes, const std::int64_t* unequal, const LaneMoments& m) {
    const std::int32_t* bonds = view_.bonds + lanes.column * column_bits;
    const std::int64_t unit = shape_.energy_unit();
    const auto value = [&](int lane) {
        return (view_.lattices ? shape_.bonds() : unit * bonds[lane]) - 2 * unequal[lane];
    };
    std::int64_t* sum = sums_.integers[int(Sum::link)].data() + lanes.at;
    for (int lane = 0; lane < lanes.used; ++lane) sum[lane] += value(lane);
    if (!sums_.measured.link_histogram()) return;
    double* link2 = sums_.reals[int(Sum::link2)].data() + lanes.at;
    double* overlap2_link = sums_.reals[int(Sum::overlap2_link)].data() + lanes.at;
    for (int lane = 0; lane < lanes.used; ++lane) {
        const auto link = static_cast<double>(value(lane));
        link2[lane] += link * link;
        overlap2_link[lane] += m.overlap2[lane] * link;
    }
    count(sums_.link_histogram, lanes, shape_.dimension * shape_.sites(), value);
}

double CpuMeasurement::energy(const Lanes& lanes, int replica, int lane) const {
    if (view_.real_energies)
        return view_.real_energies[view_.offset(lanes.column, replica, lanes.slot) + lane];
    return static_cast<double>(integer_energy(lanes.column, replica, lanes.slot, lane));
}

void CpuMeasurement::add_products(const Lanes& lanes, const MomentSums& sums, int a, int b,
                                  const LaneMoments& m) {
    if (sums_.reals[int(sums.square_energy)].empty()) return;
    double* const square = sums_.reals[int(sums.square_energy)].data() + lanes.at;
    double* const fourth = sums_.reals[int(sums.fourth_energy)].data() + lanes.at;
    double* const kmin = sums_.reals[int(sums.kmin_energy)].data() + lanes.at;
    for (int lane = 0; lane < lanes.used; ++lane) {
        const double E = energy(lanes, a, lane) + (b < 0 ? 0.0 : energy(lanes, b, lane));
        double axes = m.kmin[0][lane];
        for (int axis = 1; axis < shape_.dimension; ++axis) axes += m.kmin[axis][lane];
        square[lane] += m.overlap2[lane] * E;
        fourth[lane] += m.overlap4[lane] * E;
        kmin[lane] += axes * E;
    }
}

void CpuMeasurement::add_energy_magnetisation(const Lanes& lanes, int replica, const LaneMoments& m) {
    double* sum = sums_.reals[int(Sum::energy_magnetisation)].data() + lanes.at;
    for (int lane = 0; lane < lanes.used; ++lane)
        sum[lane] += energy(lanes, replica, lane) * static_cast<double>(m.overlap[lane]);
}

}  // namespace psflip
