#include "sweep/cpu/column_ensemble_cpu.hpp"

#include <algorithm>
#include <utility>

#include "lattice/packing.hpp"
#include "sweep/clusters/cluster_cpu.hpp"

namespace psflip {

ColumnEnsemble::ColumnEnsemble(const BatchSetup& setup)
    : HostEnsemble(setup),
      acceptance_(acceptance_table(model_, rule(), betas_, slots_per_word)),
      words_(shape_.columns() * layout().column_words(), 0) {
    const auto packed = pack_couplings(shape_, setup.couplings);
    couplings_.assign(packed.begin(), packed.end());
    if (shape_.is_slab())
        halo_ = std::make_unique<CpuHalo>(ranks(), lattice(), layout(), words_.data(), shape_.columns());
    if (!rule().has_clusters()) return;
    cluster_lattice_.emplace(shape_.dimension, shape_.L);
    if (!rule().absent) return;
    const std::int64_t sites = shape_.sites(), all = shape_.realizations * shape_.dimension;
    present_.assign(static_cast<std::size_t>(all), SiteBits(cluster_lattice_->words()));
    pool().for_each(all, [&](std::int64_t i, int) {
        std::uint64_t* const present = present_[i].data();
        for (std::int64_t site = 0; site < sites; ++site)
            present[site / 64] |= std::uint64_t{setup.couplings[i * sites + site] != 0} << site % 64;
    });
}

ColumnEnsemble::ClusterSpins::ClusterSpins(const ClusterLattice& lattice, std::int64_t realizations)
    : lattices(static_cast<std::size_t>(std::min<std::int64_t>(64, realizations)), SiteBits(lattice.words())),
      memory(lattice) {}

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
    if (rule().has_clusters()) return sweep_by_clusters(first, count);
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

void ColumnEnsemble::sweep_by_clusters(std::int64_t first, int count) {
    const ClusterLattice& lattice = *cluster_lattice_;
    const ClusterKernels& kernels = kernels_of<ClusterKernels>(level());
    const int L = shape_.L, slots = shape_.temperatures, halves = column_bits / 64;
    // Calls f(words of the sites, index of their first word) for 64 sites after the other.
    const auto for_each_block = [&](std::uint64_t* from, const auto& f) {
        std::uint64_t* at[64];
        std::int64_t site = 0;
        for (int z = 0; z < HostEnsemble::lattice().depth; ++z)
            for (int y = 0; y < L; ++y)
                for (int x = 0; x < L; ++x) {
                    at[site % 64] = from + HostEnsemble::lattice().index(x, y, z) * slots_per_word * halves;
                    if (++site % 64 == 0) f(at, 64, site / 64 - 1);
                }
        if (site % 64 != 0) f(at, site % 64, site / 64);
    };
    const bool summed = sums_clusters_now();
    cluster_spins_.resize(pool().threads());
    pool().for_each(shape_.columns() * shape_.replicas * slots * halves, [&](std::int64_t i, int thread) {
        const auto half = static_cast<int>(i % halves), slot = static_cast<int>(i / halves % slots),
                   replica = static_cast<int>(i / halves / slots % shape_.replicas);
        const std::int64_t column = i / halves / slots / shape_.replicas,
                           realization = column * column_bits + half * 64;
        const std::int64_t lattices = std::min<std::int64_t>(64, shape_.realizations - realization);
        if (lattices <= 0) return;
        auto& memory = cluster_spins_[thread];
        if (!memory) memory.emplace(lattice, shape_.realizations);
        std::uint64_t* const words = words_.data() + layout().offset(column, replica, slot, 0) + half;
        for_each_block(words, [&](std::uint64_t* const(&at)[64], std::int64_t n, std::int64_t word) {
            std::uint64_t block[64] = {};
            for (std::int64_t k = 0; k < n; ++k) block[k] = *at[k];
            kernels.transpose(block);
            for (std::size_t k = 0; k < memory->lattices.size(); ++k)
                memory->lattices[k].data()[word] = block[k];
        });
        for (std::int64_t r = 0; r < lattices; ++r) {
            const std::uint64_t* present[3] = {};
            for (int d = 0; rule().absent && d < shape_.dimension; ++d)
                present[d] = present_[(realization + r) * shape_.dimension + d].data();
            sweep_clusters(
                kernels,
                {.lattice = lattice,
                 .rule = rule(),
                 .step = {.key = key_,
                          .step = 0,
                          .slot = static_cast<std::uint32_t>(slot),
                          .replica = static_cast<std::uint32_t>(replica),
                          .realization =
                              static_cast<std::uint32_t>(shape_.first_realization + realization + r)},
                 .threshold = acceptance_.thresholds[slot],
                 .spins = memory->lattices[r].data(),
                 .present = rule().absent ? present : nullptr,
                 .first = first,
                 .count = count,
                 .sums = summed ? &cluster_sums_of(column, replica, slot, half * 64 + r) : nullptr},
                memory->memory, caller_alone());
        }
        for_each_block(words, [&](std::uint64_t* const(&at)[64], std::int64_t n, std::int64_t word) {
            std::uint64_t block[64] = {};  // lanes without a realization are 0
            for (std::size_t k = 0; k < memory->lattices.size(); ++k)
                block[k] = memory->lattices[k].data()[word];
            kernels.transpose(block);
            for (std::int64_t k = 0; k < n; ++k) *at[k] = block[k];
        });
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

void ColumnEnsemble::make_houdayer_move(const HoudayerMove& move) {
    spins_changed();
    const int groups = (move.slots + slots_per_word - 1) / slots_per_word;
    const auto pairs = std::ssize(move.pairs);
    const std::int64_t words = layout().group_words(), rows = layout().sites() / shape_.L;
    houdayer_memory_.resize(pool().threads());
    moved_clusters_.resize(count_offset(shape_.columns(), 0, 0));
    moved_sites_.resize(moved_clusters_.size());
    pool().for_each(shape_.columns() * pairs * groups, [&](std::int64_t i, int thread) {
        HoudayerMemory& memory = houdayer_memory_[thread];
        memory.words.resize(2 * words);
        memory.open.resize(rows);
        const std::int64_t column = i / groups / pairs;
        const std::int64_t pair = i / groups % pairs;
        const auto [first, second] = move.pairs[pair];
        const auto group = static_cast<int>(i % groups);
        const std::int64_t counts = count_offset(column, pair, group * slots_per_word);
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
                            .clusters = moved_clusters_.data() + counts,
                            .sites = moved_sites_.data() + counts,
                            .dimension = shape_.dimension,
                            .absent = column_absent(column)});
    });
}

HoudayerCounts ColumnEnsemble::houdayer_counts() const {
    HoudayerCounts counts(shape_.realizations, shape_.temperatures);
    const int pairs = moved_sites_.empty() ? 0 : shape_.replicas / 2;
    std::size_t to = 0;
    for (std::int64_t r = 0; r < shape_.realizations; ++r)
        for (int slot = 0; slot < shape_.temperatures; ++slot, ++to)
            for (int pair = 0; pair < pairs; ++pair) {
                const std::int64_t from = count_offset(r / column_bits, pair, slot) + r % column_bits;
                counts.clusters[to] += moved_clusters_[from];
                counts.sites[to] += moved_sites_[from];
            }
    return counts;
}

}  // namespace psflip
