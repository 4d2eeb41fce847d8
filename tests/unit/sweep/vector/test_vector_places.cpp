#include <doctest/doctest.h>

#include "sweep/vector/vector_lattices_cuda.cuh"
#include "sweep/vector/vector_layout.hpp"
#include "vector_cases.hpp"

using namespace psflip;

namespace {

/// Metropolis sweeps on the host with the places, neighbours and words of the device.
template <class T, VectorTerms terms, int N>
std::vector<double> swept_by_places(const VectorSetup& setup, int sweeps) {
    const VectorLayout layout(setup);
    const std::vector<double> start = random_spins(setup);
    std::vector<T> spins(start.size());
    layout.for_each_spin_number(start.size(), [&](std::size_t canonical, std::size_t held) {
        spins[held] = static_cast<T>(start[canonical]);
    });
    const auto species = layout.by_colour<std::uint8_t>(species_of_all(setup));
    const auto couplings = layout.by_colour<T>(setup.couplings);
    const std::vector<T> betas(setup.betas.begin(), setup.betas.end()), widths(betas.size(), T(2));
    const VectorLattices<T> lattices{make_slab(setup.L, setup.depth()),
                                     static_cast<unsigned>(setup.realizations),
                                     static_cast<unsigned>(setup.slots()),
                                     static_cast<unsigned>(setup.first_realization),
                                     setup.open(),
                                     setup.dimension() == 2,
                                     spins.data(),
                                     species.data(),
                                     couplings.data(),
                                     betas.data(),
                                     widths.data()};
    const VectorConstants<T> constants = setup.constants<T>();
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (unsigned colour = 0; colour < 2; ++colour)
            for (unsigned state = 0; state < setup.states(); ++state)
                for (unsigned i = 0; i < lattices.geometry.colour_sites; ++i) {
                    const VectorPlace<T, terms, N> place(lattices, state, colour, i);
                    const LocalField<terms, T, N> field = place.field(constants, false);
                    const VectorSite<T, N> site{place.spin(), field.sum(constants, place.species()),
                                                field.anisotropy(constants, place.species()), place.beta(),
                                                place.width()};
                    const RandomBlock block = place.words(setup.key(), static_cast<std::uint64_t>(sweep));
                    const auto outcome =
                        updated<VectorUpdate::metropolis, terms == VectorTerms::species>(site, block.word);
                    for (int k = 0; k < N; ++k) *place.own(k) = outcome.spin.c[k];
                }
    std::vector<double> found(start.size());
    layout.for_each_spin_number(found.size(), [&](std::size_t canonical, std::size_t held) {
        found[canonical] = static_cast<double>(spins[held]);
    });
    return found;
}

template <class T>
std::vector<double> swept(const VectorSetup& setup, int sweeps) {
    if (setup.components() == 1) return swept_by_places<T, VectorTerms::bonds, 1>(setup, sweeps);
    switch (setup.terms()) {
        case VectorTerms::exchange:
            return swept_by_places<T, VectorTerms::exchange, 3>(setup, sweeps);
        case VectorTerms::species:
            return swept_by_places<T, VectorTerms::species, 3>(setup, sweeps);
        default:
            return swept_by_places<T, VectorTerms::bonds, 3>(setup, sweeps);
    }
}

}  // namespace

TEST_CASE("sites, neighbours and words of the device are those of the CPU backend") {
    for (Precision precision : {Precision::single, Precision::twofold})
        for (const VectorCase& which : vector_cases(precision)) {
            INFO(which.name);
            const auto ensemble = make_vector_ensemble({.backend = "cpu", .threads = 1}, which.setup);
            ensemble->set_spins(random_spins(which.setup));
            ensemble->sweep(VectorUpdate::metropolis, 0, 2);
            const auto found =
                precision == Precision::single ? swept<float>(which.setup, 2) : swept<double>(which.setup, 2);
            CHECK(found == ensemble->spins());
        }
}
