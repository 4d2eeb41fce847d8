#include "sweep/ensemble_cpu.hpp"

#include <fmt/format.h>

#include "lattice/packing.hpp"
#include "model/thresholds.hpp"

namespace psflip {

CpuEnsemble::CpuEnsemble(const Shape& shape, const std::vector<double>& betas, std::uint64_t seed,
                         const std::vector<std::int8_t>& couplings, int threads)
    : Ensemble(shape, betas, seed),
      pool_(threads),
      level_(simd_level()),
      layout_{shape.L, shape.replicas, shape.temperatures, slots_per_word},
      words_(shape.columns() * layout_.column_words(), 0),
      thresholds_(layout_.groups() * 3 * slots_per_word, 0),
      energies_(lanes(), 0) {
    const auto packed = pack_couplings(shape, couplings);
    couplings_.assign(packed.begin(), packed.end());
    for (int slot = 0; slot < shape.temperatures; ++slot) {
        const Thresholds t = metropolis_thresholds(betas[slot]);
        std::uint32_t* group =
            thresholds_.data() + slot / slots_per_word * 3 * slots_per_word + slot % slots_per_word;
        group[0] = t.c4;
        group[slots_per_word] = t.c8;
        group[2 * slots_per_word] = t.c12;
    }
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
    for_each_group([&](std::int64_t column, int replica, int group) {
        kernels().sweep({.L = shape_.L,
                         .share = shape_.share,
                         .spins = words_.data() + layout_.group_offset(column, replica, group),
                         .couplings = column_couplings(column),
                         .seed = seed_,
                         .first_realization = first_realization(column),
                         .first_slot = static_cast<std::uint32_t>(group * slots_per_word),
                         .replica = static_cast<std::uint32_t>(replica),
                         .thresholds = thresholds_.data() + group * 3 * slots_per_word,
                         .first_sweep = first,
                         .count = count});
    });
}

void CpuEnsemble::compute_energies() {
    if (energies_ready_) return;
    const auto bonds = static_cast<std::int32_t>(3 * shape_.sites());
    for_each_group([&](std::int64_t column, int replica, int group) {
        std::int32_t* out = energy(column, replica, group * slots_per_word);
        kernels().energy({.L = shape_.L,
                          .spins = words_.data() + layout_.group_offset(column, replica, group),
                          .couplings = column_couplings(column),
                          .unsatisfied = out});
        for (int lane = 0; lane < slots_per_word * column_bits; ++lane) out[lane] = 2 * out[lane] - bonds;
    });
    energies_ready_ = true;
}

std::vector<std::int32_t> CpuEnsemble::energies() const {
    std::vector<std::int32_t> out(shape_.realizations * shape_.replicas * shape_.temperatures);
    auto to = out.begin();
    for (int replica = 0; replica < shape_.replicas; ++replica)
        for (int t = 0; t < shape_.temperatures; ++t)
            for (std::int64_t r = 0; r < shape_.realizations; ++r)
                *to++ = energies_[lane_offset(r / column_bits, replica, t) + r % column_bits];
    return out;
}

std::string CpuEnsemble::description() const {
    return fmt::format("cpu {}, {} thread{}", name(level_), threads(), threads() == 1 ? "" : "s");
}

}  // namespace psflip
