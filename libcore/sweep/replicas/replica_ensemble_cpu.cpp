#include "sweep/replicas/replica_ensemble_cpu.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "sweep/demon_rule.hpp"
#include "sweep/replicas/replica_packing.hpp"

namespace psflip {

ReplicaEnsemble::ReplicaEnsemble(const BatchSetup& setup)
    : HostEnsemble(setup),
      replicas_(ReplicaLayout::of(shape_)),
      acceptance_(acceptance_table(model_, rule(), betas_, shape_.temperatures)),
      tables_(replicas_, acceptance_, own_thresholds(rule())),
      words_(shape_.realizations * replicas_.lattice_words(), 0),
      bonds_(pack_replica_bonds(shape_, setup.couplings, -1, pool())),
      swaps_(shape_.realizations * replicas_.lanes(), 0) {
    if (rule().absent) absences_ = pack_replica_bonds(shape_, setup.couplings, 0, pool());
    if (shape_.is_slab()) halo_.emplace(ranks(), replica_plane_memory(shape_, words_.data()));
}

void ReplicaEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    pack_replica_spins(shape_, canonical, words_.data(), pool());
    spins_changed();
    if (halo_) halo_->fill();
}

std::vector<std::uint64_t> ReplicaEnsemble::spins() const {
    return unpack_replica_spins(shape_, words_.data(), pool());
}

void ReplicaEnsemble::fill_columns(std::uint64_t* columns) {
    replica_spins_to_columns(shape_, words_.data(), layout().group, columns, pool());
}

void ReplicaEnsemble::put_betas(const std::vector<double>& betas) {
    betas_ = betas;
    acceptance_ = acceptance_table(model_, rule(), betas, shape_.temperatures);
    tables_ = ReplicaTables(replicas_, acceptance_, own_thresholds(rule()));
}

/// Sweeps each realization in one go if there are as many as threads, else, and in slabs, colour by colour.
void ReplicaEnsemble::sweep(std::int64_t first, int count) {
    spins_changed();
    if (!halo_ && shape_.realizations >= threads()) {
        pool().for_each(shape_.realizations, [&](std::int64_t realization, int) {
            sweep_rows(realization, 0, rows_of(0, shape_.held_planes()), 2 * first, 2 * std::int64_t{count});
        });
        return;
    }
    for (std::int64_t half = 2 * first; half < 2 * (first + count); ++half) {
        const auto planes = [&](int begin, int end) { sweep_planes(begin, end, half); };
        halo_ ? sweep_slab(*halo_, half, planes) : planes(lattice().begin, lattice().end);
    }
}

int ReplicaEnsemble::rows_of(int begin, int end) const {
    if (!rule().has_demons()) return shape_.L * (end - begin);
    return DemonChains::of(shape_.L, end - begin, rule().demon_sites).bundles();
}

void ReplicaEnsemble::sweep_planes(int begin, int end, std::int64_t half_sweep) {
    const int rows = rows_of(begin, end), first = shape_.L * begin;
    if (rows == 0) return;
    const std::int64_t pieces = shape_.realizations >= threads() ? 1 : std::min(rows, 2 * threads());
    pool().for_each(shape_.realizations * pieces, [&](std::int64_t task, int) {
        const std::int64_t piece = task % pieces;
        sweep_rows(task / pieces, first + static_cast<int>(piece * rows / pieces),
                   first + static_cast<int>((piece + 1) * rows / pieces), half_sweep, 1);
    });
}

void ReplicaEnsemble::sweep_rows(std::int64_t realization, int begin, int end, std::int64_t first_half_sweep,
                                 std::int64_t half_sweeps) {
    const auto sweep = rule().has_demons() ? replica_kernels().demon_sweep
                       : rule().plain      ? replica_kernels().sweep
                                           : replica_kernels().class_sweep;
    sweep({.layout = replicas_,
           .lattice = lattice(),
           .begin = begin,
           .end = end,
           .spins = spins_of(realization),
           .bonds = bonds_of(realization),
           .absent = absences_of(realization),
           .key = key_,
           .realization = static_cast<std::uint32_t>(shape_.first_realization + realization),
           .tables = &tables_,
           .always = acceptance_.always.data(),
           .first_half_sweep = first_half_sweep,
           .half_sweeps = half_sweeps,
           .rule = rule()});
}

void ReplicaEnsemble::count_lattices() {
    pool().for_each(shape_.realizations, [&](std::int64_t realization, int) {
        std::vector<std::int32_t> counts(32 * replicas_.words());
        ReplicaCountTask task{.layout = replicas_,
                              .lattice = lattice(),
                              .spins = spins_of(realization),
                              .bonds = bonds_of(realization),
                              .absent = absences_of(realization),
                              .counts = counts.data()};
        const auto put = [&](std::int32_t* to) {
            const std::int64_t column = realization / column_bits;
            for (int lane = 0; lane < replicas_.lanes(); ++lane)
                to[lane_offset(column, lane / shape_.temperatures, lane % shape_.temperatures) +
                   realization % column_bits] = counts[lane];
        };
        replica_kernels().unsatisfied(task);
        put(energy(0, 0, 0));
        if (!rule().field) return;
        replica_kernels().up(task);
        put(magnetisation(0, 0, 0));
    });
}

void ReplicaEnsemble::swap_spins(std::int64_t column, int replica, int pair, const std::uint64_t (&mask)[2]) {
    const std::int64_t first = column * column_bits,
                       used = std::min<std::int64_t>(column_bits, shape_.realizations - first);
    for (std::int64_t i = 0; i < used; ++i)
        if ((mask[i / 64] >> i % 64 & 1) != 0)
            swaps_[(first + i) * replicas_.lanes() + replica * shape_.temperatures + pair] = 1;
}

void ReplicaEnsemble::end_swaps() {
    pool().for_each(shape_.realizations, [&](std::int64_t realization, int) {
        std::uint8_t* const swaps = swaps_.data() + realization * replicas_.lanes();
        std::uint32_t mask[ReplicaLayout::max_words] = {};
        for (int lane = 0; lane < replicas_.lanes(); ++lane)
            mask[lane / 32] |= std::uint32_t{swaps[lane]} << lane % 32;
        std::fill_n(swaps, replicas_.lanes(), std::uint8_t{0});
        replica_kernels().exchange({.layout = replicas_, .spins = spins_of(realization), .mask = mask});
    });
    spins_exchanged();
}

void ReplicaEnsemble::make_houdayer_move(const HoudayerMove& move) {
    spins_changed();
    constexpr int together = ReplicaHoudayerTask::realizations_at_once;
    houdayer_memory_.resize(static_cast<std::size_t>(pool().threads()));
    pool().for_each((shape_.realizations + together - 1) / together, [&](std::int64_t i, int thread) {
        HoudayerMemory& memory = houdayer_memory_[static_cast<std::size_t>(thread)];
        memory.words.resize(static_cast<std::size_t>(16 * shape_.sites()));
        memory.open.resize(static_cast<std::size_t>(shape_.sites() / shape_.L));
        const std::int64_t first = together * i;
        replica_kernels().houdayer(
            {.layout = replicas_,
             .move = move,
             .key = key_,
             .first_realization = static_cast<std::uint32_t>(shape_.first_realization + first),
             .realizations = static_cast<int>(std::min<std::int64_t>(together, shape_.realizations - first)),
             .spins = spins_of(first),
             .words = memory.words.data(),
             .open = memory.open.data(),
             .clusters = houdayer_counts_.clusters.data() + first * shape_.temperatures,
             .sites = houdayer_counts_.sites.data() + first * shape_.temperatures});
    });
}

std::string ReplicaEnsemble::description() const {
    return HostEnsemble::description() + ", lanes = replicas";
}

}  // namespace psflip
