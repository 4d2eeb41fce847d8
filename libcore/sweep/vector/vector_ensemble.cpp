#include "sweep/vector/vector_ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "random/purposes.hpp"

namespace psflip {

std::array<double, 3> VectorSums::total(bool staggered) const {
    std::array<double, 3> sum{};
    for (int sublattice = 0; sublattice < 2; ++sublattice)
        for (int species = 0; species < 2; ++species)
            for (int k = 0; k < 3; ++k)
                sum[k] += (staggered && sublattice == 1 ? -1.0 : 1.0) * magnetisation[sublattice][species][k];
    return sum;
}

VectorEnsemble::VectorEnsemble(const VectorSetup& setup, Ranks& ranks)
    : setup_(setup), units_(setup.units()), ranks_(&ranks) {}

std::vector<std::uint64_t> VectorEnsemble::spin_words() const {
    return words_of_numbers(setup_, spins());
}

std::vector<std::uint64_t> VectorEnsemble::take_renewed() {
    std::vector<std::uint64_t> renewed = take_own_renewed();
    ranks_->sum(std::span(reinterpret_cast<std::int64_t*>(renewed.data()), renewed.size()));
    return renewed;
}

std::vector<std::int64_t> VectorEnsemble::integer_sums() const {
    std::vector<std::int64_t> integers = own_sums();
    ranks_->sum(std::span(integers));
    return integers;
}

std::vector<VectorSums> VectorEnsemble::sums() const {
    const std::vector<std::int64_t> integers = integer_sums();
    std::vector<VectorSums> sums;
    for (std::size_t state = 0; state < integers.size(); state += vector_sums)
        sums.push_back(sums_of(integers.data() + state));
    return sums;
}

void VectorEnsemble::set_widths(const std::vector<double>& widths) {
    if (static_cast<std::int64_t>(widths.size()) != setup_.states())
        throw InputError(
            fmt::format("{} widths of cones are given for {} states", widths.size(), setup_.states()));
    for (double width : widths)
        if (!(width >= min_width && width <= 2.0))
            throw InputError(
                fmt::format("a cone cannot have the width {}; use a width from {} to 2", width, min_width));
    put_widths(widths);
}

void VectorEnsemble::set_betas(const std::vector<double>& betas) {
    if (betas.size() != setup_.betas.size())
        throw InputError(
            fmt::format("{} temperatures are given for {} slots", betas.size(), setup_.betas.size()));
    check_betas(betas);
    setup_.betas = betas;
    put_betas(betas);
}

void VectorEnsemble::set_field(double field) {
    const double largest = std::abs(setup_.model.field);
    if (!(std::abs(field) <= largest))
        throw InputError(fmt::format("a field of {} is too large: with model.field = {} it can be at most {}",
                                     field, largest, largest));
    put_field(field);
}

void VectorEnsemble::sweep(VectorUpdate update, std::int64_t first, int count) {
    check_update(setup_, update);
    if (first < 0 || count < 0 || first > max_sweeps - count)
        throw InputError(
            fmt::format("{} sweeps from number {} on are not within 0 to {}", count, first, max_sweeps - 1));
    if (first % setup_.hits != 0 || count % setup_.hits != 0)
        throw std::invalid_argument(
            fmt::format("sweeps {} to {} are not whole steps of {} hits", first, first + count, setup_.hits));
    run_sweeps(update, first, count);
}

void VectorEnsemble::make_houdayer_move(const HoudayerMove& move) {
    if (setup_.components() != 1 || setup_.open() || !ranks_->alone())
        throw std::logic_error("this ensemble has no Houdayer moves");
    std::vector<StatePair> pairs;
    const auto state = [&](int replica, int slot, std::int64_t realization) {
        return static_cast<std::uint32_t>(
            (std::int64_t{replica} * setup_.slots() + slot) * setup_.realizations + realization);
    };
    for (const auto& [first, second] : move.pairs)
        for (int slot = 0; slot < move.slots; ++slot)
            for (std::int64_t r = 0; r < setup_.realizations; ++r)
                pairs.push_back({state(first, slot, r), state(second, slot, r)});
    swap_clusters(pairs, move.completed);
}

std::uint32_t VectorEnsemble::first_of_cluster(const StatePair& pair, std::int64_t completed,
                                               std::uint64_t key) const {
    return houdayer_site(
        key, completed, static_cast<std::uint32_t>(setup_.first_realization + setup_.realization(pair.first)),
        static_cast<std::uint32_t>(setup_.replica(pair.first)),
        static_cast<std::uint32_t>(setup_.slot(pair.first)), static_cast<std::uint64_t>(setup_.sites()));
}

double VectorEnsemble::energy_of(const std::int64_t* integers) const {
    const auto energy = [&](int i) { return static_cast<double>(integers[i]) * units_.energy.unit(); };
    return VectorSums{energy(0), energy(1), energy(2), energy(3), {}}.energy();
}

VectorSums VectorEnsemble::sums_of(const std::int64_t* integers) const {
    const auto energy = [&](int i) { return static_cast<double>(integers[i]) * units_.energy.unit(); };
    VectorSums sums{energy(0), energy(1), energy(2), energy(3), {}};
    for (int sublattice = 0; sublattice < 2; ++sublattice)
        for (int species = 0; species < 2; ++species)
            for (int k = 0; k < 3; ++k)
                sums.magnetisation[sublattice][species][k] =
                    static_cast<double>(integers[magnetisation_sum(sublattice, species, k)]) *
                    units_.magnetisation.unit();
    return sums;
}

void VectorEnsemble::check_spins(const std::vector<double>& spins) const {
    const std::int64_t wanted = setup_.states() * setup_.components() * setup_.own_sites();
    if (static_cast<std::int64_t>(spins.size()) != wanted)
        throw InputError(fmt::format("{} numbers are given, but the spins have {}", spins.size(), wanted));
}

VectorSetup slab_of_rank(VectorSetup whole, const Ranks& ranks) {
    if (ranks.alone()) return whole;
    if (whole.dimension() != 3)
        throw InputError(
            "vector spins and Gaussian couplings in two dimensions are not cut into slabs; use one rank");
    const SlabPlanes planes = planes_of_rank(whole.L, ranks.rank(), ranks.size());
    return slab_of(std::move(whole), planes.first, planes.count);
}

std::unique_ptr<VectorEnsemble> make_vector_ensemble(const BackendChoice& choice, const VectorSetup& setup,
                                                     Ranks& ranks) {
    check_setup(setup);
    if (ranks.alone() == setup.is_slab())
        throw std::logic_error("several ranks need slabs of vector spins, and one rank needs whole lattices");
    if (choose_backend(choice) == Backend::cpu) {
        if (setup.precision == Precision::fast)
            throw InputError(
                "dynamics.precision = fast needs a GPU; use a GPU, or the precision float or double");
        return make_vector_ensemble_cpu(setup, choice.threads, ranks);
    }
#if PSFLIP_HAVE_CUDA
    return make_vector_ensemble_cuda(setup, choice.device, max_sites_of_thread, ranks, choice.halo);
#else
    return nullptr;  // choose_backend gives the CPU
#endif
}

}  // namespace psflip
