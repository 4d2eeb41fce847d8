#include <doctest/doctest.h>

#include "base/aligned.hpp"
#include "sweep/vector/vector_lattices_cuda.cuh"
#include "sweep/vector/vector_layout.hpp"
#include "vector_cases.hpp"

using namespace psflip;

namespace {

/// Metropolis sweeps on the host with the places, neighbours and words of the device.
template <int W, class T, VectorTerms terms, int N>
std::vector<double> swept_by_places(const VectorSetup& setup, int sweeps) {
    const auto start = by_colour<T>(setup, random_spins(setup), N);
    AlignedVector<T> spins(start.begin(), start.end());
    const auto by_species = by_colour<std::uint8_t>(setup, species_of_all(setup));
    const auto by_bonds = by_colour<T>(setup, setup.couplings);
    const AlignedVector<std::uint8_t> species(by_species.begin(), by_species.end());
    const AlignedVector<T> couplings(by_bonds.begin(), by_bonds.end());
    const std::vector<T> betas(setup.betas.begin(), setup.betas.end()),
        widths(static_cast<std::size_t>(setup.states()), T(2));
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
                for (unsigned i = 0; i < lattices.geometry.colour_sites; i += W) {
                    const VectorPlace<T, terms, N, W> place(lattices, state, colour, i);
                    Spin<T, N> spins_of[W];
                    bool species_of[W];
                    LocalField<terms, T, N> fields[W];
                    place.read_spins(spins_of);
                    place.read_species(species_of);
                    for (int j = 0; j < W; ++j) fields[j] = LocalField<terms, T, N>(constants, species_of[j]);
                    place.add_neighbours(constants, false, fields);
                    for (int j = 0; j < W; ++j) {
                        const VectorSite<T, N> site{spins_of[j], fields[j].sum(constants, species_of[j]),
                                                    fields[j].anisotropy(constants, species_of[j]),
                                                    place.beta(), place.width()};
                        const RandomBlock block =
                            place.words(setup.key(), static_cast<std::uint64_t>(sweep), j);
                        spins_of[j] =
                            updated<VectorUpdate::metropolis, terms == VectorTerms::species>(site, block.word)
                                .spin;
                    }
                    place.write_spins(spins_of);
                }
    return by_site(setup, spins);
}

template <int W, class T>
std::vector<double> swept(const VectorSetup& setup, int sweeps) {
    std::vector<double> found;
    with_terms(setup.terms(), setup.components(),
               [&]<VectorTerms terms, int N>() { found = swept_by_places<W, T, terms, N>(setup, sweeps); });
    return found;
}

}  // namespace

TEST_CASE("sites, neighbours and words of the device equal the CPU backend") {
    for (Precision precision : {Precision::single, Precision::twofold})
        for (const VectorCase& which : vector_cases(precision)) {
            INFO(which.name);
            const auto ensemble = make_vector_ensemble({.backend = "cpu", .threads = 1}, which.setup);
            ensemble->set_spins(random_spins(which.setup));
            ensemble->sweep(VectorUpdate::metropolis, 0, 2);
            const bool single = precision == Precision::single;
            CHECK((single ? swept<1, float>(which.setup, 2) : swept<1, double>(which.setup, 2)) ==
                  ensemble->spins());
            if (which.setup.L % 4 == 0)
                CHECK((single ? swept<2, float>(which.setup, 2) : swept<2, double>(which.setup, 2)) ==
                      ensemble->spins());
            if (which.setup.L % 8 == 0 && single) CHECK(swept<4, float>(which.setup, 2) == ensemble->spins());
        }
}
