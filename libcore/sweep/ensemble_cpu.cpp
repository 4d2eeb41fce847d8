#include "sweep/ensemble_cpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lattice/packing.hpp"

namespace psflip {

CpuEnsemble::CpuEnsemble(const Shape& shape, const std::vector<double>& betas, std::uint64_t seed,
                         const std::vector<std::int8_t>& couplings, int threads, const Model& model)
    : Ensemble(shape, betas, seed, model),
      pool_(threads),
      level_(simd_level()),
      layout_{shape.L, shape.replicas, shape.temperatures, slots_per_word, shape.depth()},
      rule_(sweep_rule(model, has_absent_bonds(couplings))),
      acceptance_(acceptance_table(model, rule_, betas, slots_per_word)),
      words_(shape.columns() * layout_.column_words(), 0),
      bonds_(shape.lanes(), static_cast<std::int32_t>(shape.dimension * shape.sites())),
      energies_(lanes(), 0),
      magnetisations_(rule_.field ? lanes() : 0, 0) {
    const auto packed = pack_couplings(shape, couplings);
    couplings_.assign(packed.begin(), packed.end());
    if (!rule_.absent) return;
    const auto absent = pack_absent_bonds(shape, couplings);
    absent_.assign(absent.begin(), absent.end());
    count_bonds(couplings);
}

void CpuEnsemble::count_bonds(const std::vector<std::int8_t>& couplings) {
    const std::int64_t each = shape_.dimension * shape_.sites();
    for (std::int64_t r = 0; r < shape_.realizations; ++r)
        bonds_[r] -= static_cast<std::int32_t>(
            std::count(couplings.begin() + r * each, couplings.begin() + (r + 1) * each, std::int8_t{0}));
}

void CpuEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    const auto packed = pack_spins(shape_, layout_, canonical);
    words_.assign(packed.begin(), packed.end());
    energies_ready_ = false;
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
    const auto sweep = rule_.plain ? kernels().sweep : kernels().class_sweep;
    const std::int64_t thresholds = std::int64_t{rule_.thresholds()} * slots_per_word;
    for_each_group([&](std::int64_t column, int replica, int group) {
        sweep({.L = shape_.L,
               .share = shape_.share,
               .spins = words_.data() + layout_.group_offset(column, replica, group),
               .couplings = column_couplings(column),
               .key = key_,
               .first_realization = first_realization(column),
               .first_slot = static_cast<std::uint32_t>(group * slots_per_word),
               .replica = static_cast<std::uint32_t>(replica),
               .thresholds = acceptance_.thresholds.data() + group * thresholds,
               .first_sweep = first,
               .count = count,
               .rule = rule_,
               .absent = column_absent(column),
               .always = acceptance_.always.data()});
    });
}

void CpuEnsemble::compute_energies() {
    if (energies_ready_) return;
    const auto sites = static_cast<std::int32_t>(shape_.sites());
    for_each_group([&](std::int64_t column, int replica, int group) {
        const std::uint64_t* spins = words_.data() + layout_.group_offset(column, replica, group);
        const std::int32_t* bonds = bonds_.data() + column * column_bits;
        std::int32_t* out = energy(column, replica, group * slots_per_word);
        kernels().energy({.L = shape_.L,
                          .spins = spins,
                          .couplings = column_couplings(column),
                          .unsatisfied = out,
                          .dimension = shape_.dimension,
                          .absent = column_absent(column)});
        for (int lane = 0; lane < slots_per_word * column_bits; ++lane)
            out[lane] = 2 * out[lane] - bonds[lane % column_bits];
        if (!rule_.field) return;
        out = magnetisation(column, replica, group * slots_per_word);
        kernels().up({.sites = shape_.sites(), .spins = spins, .up = out});
        for (int lane = 0; lane < slots_per_word * column_bits; ++lane) out[lane] = 2 * out[lane] - sites;
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
    return fmt::format("cpu {}, {} thread{}", name(level_), threads(), threads() == 1 ? "" : "s");
}

}  // namespace psflip
