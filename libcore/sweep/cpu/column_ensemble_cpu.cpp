#include "sweep/cpu/column_ensemble_cpu.hpp"

#include <algorithm>
#include <utility>

#include "lattice/packing.hpp"

namespace psflip {

ColumnEnsemble::ColumnEnsemble(const BatchSetup& setup)
    : HostEnsemble(setup),
      acceptance_(acceptance_table(model_, rule(), betas_, slots_per_word)),
      words_(shape_.columns() * layout().column_words(), 0) {
    const auto packed = pack_couplings(shape_, setup.couplings);
    couplings_.assign(packed.begin(), packed.end());
    if (shape_.is_slab())
        halo_ = std::make_unique<CpuHalo>(ranks(), lattice(), layout(), words_.data(), shape_.columns());
}

void ColumnEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    const auto packed = pack_spins(shape_, layout(), canonical);
    words_.assign(packed.begin(), packed.end());
    spins_changed();
    if (halo_) halo_->fill();
}

std::vector<std::uint64_t> ColumnEnsemble::spins() const {
    return unpack_spins(shape_, layout(), words_.data());
}

void ColumnEnsemble::sweep(std::int64_t first, int count) {
    spins_changed();
    if (!halo_) return sweep_planes(0, lattice().depth, 2 * first, 2 * std::int64_t{count});
    for (std::int64_t half = 2 * first; half < 2 * (first + count); ++half)
        sweep_slab(*halo_, half, [&](int begin, int end) { sweep_planes(begin, end, half, 1); });
}

void ColumnEnsemble::put_betas(const std::vector<double>& betas) {
    betas_ = betas;
    acceptance_ = acceptance_table(model_, rule(), betas, slots_per_word);
}

void ColumnEnsemble::sweep_planes(int begin, int end, std::int64_t first_half_sweep,
                                  std::int64_t half_sweeps) {
    const auto sweep = rule().has_demons() ? kernels().demon_sweep
                       : rule().plain      ? kernels().sweep
                                           : kernels().class_sweep;
    const std::int64_t thresholds = std::int64_t{rule().thresholds()} * slots_per_word;
    for_each_group([&](std::int64_t column, int replica, int group) {
        sweep({.lattice = lattice(),
               .begin = begin,
               .end = end,
               .share = shape_.share,
               .spins = words_.data() + layout().group_offset(column, replica, group),
               .couplings = column_couplings(column),
               .key = key_,
               .first_realization = first_realization(column),
               .first_slot = static_cast<std::uint32_t>(group * slots_per_word),
               .replica = static_cast<std::uint32_t>(replica),
               .thresholds = acceptance_.thresholds.data() + group * thresholds,
               .first_half_sweep = first_half_sweep,
               .half_sweeps = half_sweeps,
               .rule = rule(),
               .absent = column_absent(column),
               .always = acceptance_.always.data()});
    });
}

void ColumnEnsemble::count_lattices() {
    for_each_group([&](std::int64_t column, int replica, int group) {
        const std::uint64_t* spins = words_.data() + layout().group_offset(column, replica, group);
        kernels().energy({.lattice = lattice(),
                          .spins = spins,
                          .couplings = column_couplings(column),
                          .unsatisfied = energy(column, replica, group * slots_per_word),
                          .dimension = shape_.dimension,
                          .absent = column_absent(column)});
        if (rule().field)
            kernels().up({.lattice = lattice(),
                          .spins = spins,
                          .up = magnetisation(column, replica, group * slots_per_word)});
    });
}

/// d = (a ^ b) & mask, a ^= d, b ^= d.
void ColumnEnsemble::swap_spins(std::int64_t column, int replica, int pair, const std::uint64_t (&mask)[2]) {
    typedef std::uint64_t Column __attribute__((vector_size(16), may_alias));  // 128 realizations
    const auto words = [&](int slot) {
        return reinterpret_cast<Column*>(words_.data() + layout().offset(column, replica, slot, 0));
    };
    Column* a = words(pair);
    Column* b = words(pair + 1);
    const Column accepted = {mask[0], mask[1]};
    const int group = layout().group;
    for (std::int64_t i = 0; i < layout().sites() * group; i += group) {
        const Column change = (a[i] ^ b[i]) & accepted;
        a[i] ^= change;
        b[i] ^= change;
    }
}

void ColumnEnsemble::move_clusters(const HoudayerMove& move) {
    spins_changed();
    const int groups = (move.slots + slots_per_word - 1) / slots_per_word;
    const auto pairs = std::ssize(move.pairs);
    const std::int64_t words = layout().group_words(), rows = layout().sites() / shape_.L;
    houdayer_memory_.resize(pool().threads());
    pool().for_each(shape_.columns() * pairs * groups, [&](std::int64_t i, int thread) {
        HoudayerMemory& memory = houdayer_memory_[thread];
        memory.words.resize(2 * words);
        memory.open.resize(rows);
        const std::int64_t column = i / groups / pairs;
        const auto [first, second] = move.pairs[i / groups % pairs];
        const auto group = static_cast<int>(i % groups);
        std::uint32_t starts[slots_per_word * column_bits];
        for (int slot = 0; slot < slots_per_word; ++slot)
            for (int lane = 0; lane < column_bits; ++lane) {
                std::uint32_t& start = starts[slot * column_bits + lane];
                start = lane % shape_.share == 0
                            ? houdayer_site(key_, move.completed,
                                            (first_realization(column) + static_cast<std::uint32_t>(lane)) /
                                                static_cast<std::uint32_t>(shape_.share),
                                            static_cast<std::uint32_t>(first),
                                            static_cast<std::uint32_t>(group * slots_per_word + slot),
                                            static_cast<std::uint64_t>(shape_.sites()))
                            : (&start)[-1];
            }
        kernels().houdayer({.lattice = lattice(),
                            .first = words_.data() + layout().group_offset(column, first, group),
                            .second = words_.data() + layout().group_offset(column, second, group),
                            .slots = std::min(slots_per_word, move.slots - group * slots_per_word),
                            .starts = starts,
                            .differs = memory.words.data(),
                            .cluster = memory.words.data() + words,
                            .open = memory.open.data(),
                            .dimension = shape_.dimension,
                            .absent = column_absent(column)});
    });
}

}  // namespace psflip
