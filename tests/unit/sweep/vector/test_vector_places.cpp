#include <doctest/doctest.h>

#include "device_memory.hpp"
#include "vector_cases.hpp"

using namespace psflip;

namespace {

/// Makes half a Metropolis sweep of the own planes on the host with the places, neighbours and words of the
/// device.
template <int W, class T, VectorTerms terms, int N>
void sweep_by_places(DeviceMemory<T, N>& memory, unsigned colour, std::uint64_t sweep) {
    const VectorSetup& setup = memory.setup;
    const VectorLattices<T> lattices = memory.view();
    const VectorConstants<T> constants = setup.constants<T>();
    const unsigned plane = lattices.geometry.plane,
                   first = plane * static_cast<unsigned>(setup.halo_planes()),
                   end = first + plane * static_cast<unsigned>(setup.own_planes());
    for (unsigned state = 0; state < setup.states(); ++state)
        for (unsigned i = first; i < end; i += W) {
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
                                            fields[j].anisotropy(constants, species_of[j]), place.beta(),
                                            place.width()};
                const RandomBlock block = place.words(PhiloxRounds(setup.key()), sweep, j);
                spins_of[j] =
                    updated<VectorUpdate::metropolis, terms == VectorTerms::species>(site, block.word).spin;
            }
            place.write_spins(spins_of);
        }
}

/// Returns the spins after Metropolis sweeps of whole lattices, or of slabs with these numbers of planes.
template <int W, class T, VectorTerms terms, int N>
std::vector<double> swept_by_places(const VectorSetup& setup, int sweeps, const std::vector<int>& planes) {
    std::vector<DeviceMemory<T, N>> slabs;
    int first = 0;
    for (const int count : planes) slabs.emplace_back(slab_of(setup, first, count)), first += count;
    if (planes.empty()) slabs.emplace_back(setup);
    std::vector<double> whole(static_cast<std::size_t>(setup.states() * N * setup.sites()));
    const auto exchange = [&] {
        for (auto& slab : slabs) {
            const std::vector<double> own = by_site(slab.setup, slab.spins);
            const std::int64_t own_sites = slab.setup.own_sites(),
                               begin = std::int64_t{setup.L} * setup.L * slab.setup.first_plane;
            for (std::int64_t lattice = 0; lattice < setup.states() * N; ++lattice)
                std::copy_n(own.begin() + lattice * own_sites, own_sites,
                            whole.begin() + lattice * setup.sites() + begin);
        }
        for (auto& slab : slabs) slab.take_halos(whole);
    };
    exchange();
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (unsigned colour = 0; colour < 2; ++colour) {
            for (auto& slab : slabs)
                sweep_by_places<W, T, terms, N>(slab, colour, static_cast<std::uint64_t>(sweep));
            exchange();
        }
    return whole;
}

template <int W, class T>
std::vector<double> swept(const VectorSetup& setup, int sweeps, const std::vector<int>& planes = {}) {
    std::vector<double> found;
    with_terms(setup.terms(), setup.components(), [&]<VectorTerms terms, int N>() {
        found = swept_by_places<W, T, terms, N>(setup, sweeps, planes);
    });
    return found;
}

}  // namespace

TEST_CASE("sites, neighbours and words of the device equal the CPU backend, whole and in slabs") {
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
            if (which.setup.dimension() == 2 || which.setup.L < 6) continue;
            const std::vector<int> planes{2, which.setup.L - 4, 2};
            CHECK((single ? swept<1, float>(which.setup, 2, planes)
                          : swept<1, double>(which.setup, 2, planes)) == ensemble->spins());
        }
}

TEST_CASE("as many states fit in a number of bytes as their spins and disorder allow") {
    const auto bytes_of = [](const VectorSetup& setup, std::int64_t states, std::int64_t number) {
        const std::int64_t species = setup.terms() == VectorTerms::species,
                           couplings = setup.terms() == VectorTerms::bonds ? setup.dimension() * number : 0;
        return setup.sites() * (states * setup.components() * number +
                                std::min(states, setup.realizations) * (species + couplings));
    };
    for (const VectorCase& one : vector_cases(Precision::single))
        for (const std::int64_t number : {4, 8}) {
            INFO(one.name, ", ", number);
            for (std::int64_t states = 1; states <= 3 * one.setup.realizations; ++states) {
                const std::int64_t bytes = bytes_of(one.setup, states, number);
                CHECK(one.setup.states_in(bytes, number) == states);
                CHECK(one.setup.states_in(bytes - 1, number) == states - 1);
            }
        }
}
