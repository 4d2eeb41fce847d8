#include "sweep/host_ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lattice/packing.hpp"
#include "model/bond_energy.hpp"

namespace psflip {

HostEnsemble::HostEnsemble(const BatchSetup& setup)
    : IsingEnsemble(setup),
      pool_(setup.choice.threads),
      level_(simd_level()),
      lattice_(HeldLattice::of(shape_)),
      layout_(SpinLayout::of(shape_, slots_per_word)),
      rule_(sweep_rule(model_, ranks().maximum(has_absent_bonds(setup.couplings) ? 1 : 0) != 0)),
      bonds_(shape_.lanes(), static_cast<std::int32_t>(shape_.bonds() / shape_.energy_unit())),
      energies_(lanes(), 0),
      magnetisations_(rule_.field ? lanes() : 0, 0) {
    if (!rule_.absent) return;
    check_absent_bonds(shape_);
    const auto absent = pack_absent_bonds(shape_, setup.couplings);
    absent_.assign(absent.begin(), absent.end());
    std::vector<std::int32_t> missing = count_absent_bonds(shape_, setup.couplings);
    ranks().sum(std::span(missing));
    std::ranges::transform(missing, bonds_, bonds_.begin(), [](auto less, auto all) { return all - less; });
}

bool HostEnsemble::sums_clusters_now() {
    if (!sums_clusters_ || !rule_.swendsen_wang) return false;
    cluster_sums_.resize(static_cast<std::size_t>(lanes()));
    return true;
}

/// First sums the unsatisfied bonds and the spins that are up over the slabs.
void HostEnsemble::compute_energies() {
    if (energies_ready_) return;
    count_lattices();
    ranks().sum(std::span(energies_));
    ranks().sum(std::span(magnetisations_));
    const auto sites = static_cast<std::int32_t>(shape_.sites());
    const int unit = shape_.energy_unit();
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

const std::uint64_t* HostEnsemble::column_spins() {
    if (columns_.empty()) columns_.assign(shape_.columns() * layout_.column_words(), 0);
    if (!columns_ready_) fill_columns(columns_.data());
    columns_ready_ = true;
    return columns_.data();
}

std::vector<std::int32_t> HostEnsemble::of_realizations(const std::vector<std::int32_t>& lanes) const {
    if (lanes.empty()) return {};
    std::vector<std::int32_t> out(shape_.realizations * shape_.replicas * shape_.temperatures);
    auto to = out.begin();
    for (int replica = 0; replica < shape_.replicas; ++replica)
        for (int t = 0; t < shape_.temperatures; ++t)
            for (std::int64_t r = 0; r < shape_.realizations; ++r)
                *to++ = lanes[lane_offset(r / column_bits, replica, t) + r % column_bits];
    return out;
}

std::string HostEnsemble::description() const {
    const std::string order = lattice_.order == SiteOrder::standard
                                  ? std::string()
                                  : fmt::format(", {} site order", psflip::name(lattice_.order));
    return fmt::format("cpu {}, {} thread{}{}", name(level_), threads(), threads() == 1 ? "" : "s", order);
}

}  // namespace psflip
