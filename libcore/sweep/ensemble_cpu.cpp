#include "sweep/ensemble_cpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "lattice/packing.hpp"
#include "model/bond_energy.hpp"

namespace psflip {

CpuEnsemble::CpuEnsemble(const Shape& shape, const std::vector<double>& betas, std::uint64_t seed,
                         const std::vector<std::int8_t>& couplings, int threads, const Model& model,
                         Ranks& ranks)
    : Ensemble(shape, betas, seed, model, ranks),
      pool_(threads),
      level_(simd_level()),
      lattice_(HeldLattice::of(shape)),
      layout_(SpinLayout::of(shape, slots_per_word)),
      rule_(sweep_rule(model, ranks.maximum(has_absent_bonds(couplings) ? 1 : 0) != 0)),
      acceptance_(acceptance_table(model, rule_, betas, slots_per_word)),
      words_(shape.columns() * layout_.column_words(), 0),
      bonds_(shape.lanes(), static_cast<std::int32_t>(shape.bonds() / shape.energy_unit())),
      energies_(lanes(), 0),
      magnetisations_(rule_.field ? lanes() : 0, 0) {
    const auto packed = pack_couplings(shape, couplings);
    couplings_.assign(packed.begin(), packed.end());
    if (shape.is_slab())
        halo_ = std::make_unique<CpuHalo>(ranks, lattice_, layout_, words_.data(), shape.columns());
    if (!rule_.absent) return;
    check_absent_bonds(shape);
    const auto absent = pack_absent_bonds(shape, couplings);
    absent_.assign(absent.begin(), absent.end());
    std::vector<std::int32_t> missing = count_absent_bonds(shape, couplings);
    ranks.sum(std::span(missing));
    std::ranges::transform(missing, bonds_, bonds_.begin(), [](auto less, auto all) { return all - less; });
}

void CpuEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    const auto packed = pack_spins(shape_, layout_, canonical);
    words_.assign(packed.begin(), packed.end());
    energies_ready_ = false;
    for (int colour = 0; halo_ && colour < 2; ++colour) {
        halo_->start(colour);
        halo_->finish(colour);
    }
}

std::vector<std::uint64_t> CpuEnsemble::spins() const {
    return unpack_spins(shape_, layout_, words_.data());
}

template <class Task>
void CpuEnsemble::for_each_group(const Task& task) {
    const int groups = layout_.groups();
    pool_.for_each(shape_.columns() * shape_.replicas * groups, [&](std::int64_t i, int) {
        task(i / groups / shape_.replicas, static_cast<int>(i / groups % shape_.replicas),
             static_cast<int>(i % groups));
    });
}

void CpuEnsemble::sweep(std::int64_t first, int count) {
    energies_ready_ = false;
    if (!halo_) return sweep_planes(0, lattice_.depth, 2 * first, 2 * std::int64_t{count});
    for (std::int64_t half = 2 * first; half < 2 * (first + count); ++half) sweep_colour(half);
}

/// The planes at both ends first: they travel while the others are updated.
void CpuEnsemble::sweep_colour(std::int64_t half_sweep) {
    const auto colour = static_cast<int>(half_sweep % 2);
    const int begin = lattice_.begin, last = lattice_.end - 1;
    if (updates_ends(part_)) {
        sweep_planes(begin, begin + 1, half_sweep, 1);
        sweep_planes(last, last + 1, half_sweep, 1);
    }
    if (exchanges_halos(part_)) halo_->start(colour);
    if (updates_middle(part_)) sweep_planes(begin + 1, last, half_sweep, 1);
    if (exchanges_halos(part_)) halo_->finish(colour);
}

void CpuEnsemble::sweep_planes(int begin, int end, std::int64_t first_half_sweep, std::int64_t half_sweeps) {
    const auto sweep = rule_.plain ? kernels().sweep : kernels().class_sweep;
    const std::int64_t thresholds = std::int64_t{rule_.thresholds()} * slots_per_word;
    for_each_group([&](std::int64_t column, int replica, int group) {
        sweep({.lattice = lattice_,
               .begin = begin,
               .end = end,
               .share = shape_.share,
               .spins = words_.data() + layout_.group_offset(column, replica, group),
               .couplings = column_couplings(column),
               .key = key_,
               .first_realization = first_realization(column),
               .first_slot = static_cast<std::uint32_t>(group * slots_per_word),
               .replica = static_cast<std::uint32_t>(replica),
               .thresholds = acceptance_.thresholds.data() + group * thresholds,
               .first_half_sweep = first_half_sweep,
               .half_sweeps = half_sweeps,
               .rule = rule_,
               .absent = column_absent(column),
               .always = acceptance_.always.data()});
    });
}

/// First the unsatisfied bonds and the spins that are up, summed over the slabs.
void CpuEnsemble::compute_energies() {
    if (energies_ready_) return;
    const auto sites = static_cast<std::int32_t>(shape_.sites());
    const int unit = shape_.energy_unit();
    for_each_group([&](std::int64_t column, int replica, int group) {
        const std::uint64_t* spins = words_.data() + layout_.group_offset(column, replica, group);
        kernels().energy({.lattice = lattice_,
                          .spins = spins,
                          .couplings = column_couplings(column),
                          .unsatisfied = energy(column, replica, group * slots_per_word),
                          .dimension = shape_.dimension,
                          .absent = column_absent(column)});
        if (rule_.field)
            kernels().up({.lattice = lattice_,
                          .spins = spins,
                          .up = magnetisation(column, replica, group * slots_per_word)});
    });
    ranks().sum(std::span(energies_));
    ranks().sum(std::span(magnetisations_));
    for_each_group([&](std::int64_t column, int replica, int group) {
        const std::int32_t* const bonds = bonds_.data() + column * column_bits;
        std::int32_t* out = energy(column, replica, group * slots_per_word);
        for (int lane = 0; lane < slots_per_word * column_bits; ++lane)
            out[lane] = bond_energy(static_cast<std::uint32_t>(out[lane]), bonds[lane % column_bits], unit);
        if (!rule_.field) return;
        out = magnetisation(column, replica, group * slots_per_word);
        for (int lane = 0; lane < slots_per_word * column_bits; ++lane)
            out[lane] = signed_sum(static_cast<std::uint32_t>(out[lane]), sites);
    });
    energies_ready_ = true;
}

std::vector<std::int32_t> CpuEnsemble::of_realizations(const std::vector<std::int32_t>& lanes) const {
    if (lanes.empty()) return {};
    std::vector<std::int32_t> out(shape_.realizations * shape_.replicas * shape_.temperatures);
    auto to = out.begin();
    for (int replica = 0; replica < shape_.replicas; ++replica)
        for (int t = 0; t < shape_.temperatures; ++t)
            for (std::int64_t r = 0; r < shape_.realizations; ++r)
                *to++ = lanes[lane_offset(r / column_bits, replica, t) + r % column_bits];
    return out;
}

std::string CpuEnsemble::description() const {
    const std::string order = lattice_.order == SiteOrder::standard
                                  ? std::string()
                                  : fmt::format(", {} site order", psflip::name(lattice_.order));
    return fmt::format("cpu {}, {} thread{}{}", name(level_), threads(), threads() == 1 ? "" : "s", order);
}

}  // namespace psflip
