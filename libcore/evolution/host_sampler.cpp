#include "evolution/host_sampler.hpp"

namespace psflip {

HostSampler::HostSampler(std::unique_ptr<HostEnsemble> ensemble, int sweeps_per_swap)
    : ensemble_(std::move(ensemble)) {
    auto exchange = std::make_unique<HostExchange>(*ensemble_, sweeps_per_swap);
    walkers_ = exchange->walkers();
    add_exchange(std::move(exchange));
}

View HostSampler::view() {
    LatticeCounts* const counts = ensemble_->lattice_counts();
    return view_with(counts ? nullptr : ensemble_->column_spins(), counts);
}

CpuView HostSampler::view_with(const std::uint64_t* spins, LatticeCounts* counts) {
    return CpuView{.layout = ensemble_->layout(),
                   .spins = spins,
                   .energies = ensemble_->energy(0, 0, 0),
                   .walkers = walkers_,
                   .absent = ensemble_->column_absent(0),
                   .bonds = ensemble_->bonds(),
                   .pool = &ensemble_->pool(),
                   .level = ensemble_->level(),
                   .lattices = counts,
                   .wide_energies = ensemble_->wide_energies()};
}

}  // namespace psflip
