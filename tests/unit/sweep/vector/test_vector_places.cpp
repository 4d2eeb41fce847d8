#include <doctest/doctest.h>

#include "base/aligned.hpp"
#include "sweep/vector/vector_lattices_cuda.cuh"
#include "sweep/vector/vector_layout.hpp"
#include "vector_cases.hpp"

using namespace psflip;

namespace {

/// The memory of a slab, or of whole lattices, as on the device.
template <class T, int N>
struct DeviceMemory {
    explicit DeviceMemory(const VectorSetup& of)
        : setup(of), betas(of.betas.begin(), of.betas.end()), widths(of.states(), T(2)) {
        const auto all = spins_by_colour<T>(setup, random_spins(setup));
        const auto by_species = by_colour<std::uint8_t>(setup, species_of_all(setup));
        const auto by_bonds = by_colour<T>(setup, setup.couplings);
        spins.assign(all.begin(), all.end());
        species.assign(by_species.begin(), by_species.end());
        couplings.assign(by_bonds.begin(), by_bonds.end());
    }
    VectorLattices<T> view() {
        return {make_slab(setup.L, setup.held_planes()),
                static_cast<unsigned>(setup.realizations),
                static_cast<unsigned>(setup.slots()),
                static_cast<unsigned>(setup.first_realization),
                setup.open(),
                setup.dimension() == 2,
                spins.data(),
                species.data(),
                couplings.data(),
                betas.data(),
                widths.data(),
                static_cast<unsigned>(setup.lowest_plane()),
                zeros};
    }
    /// Takes the halo planes from whole lattices, (state, component, z, y, x).
    void take_halos(const std::vector<double>& whole) {
        const std::int64_t plane = std::int64_t{setup.L} * setup.L, lattices = setup.states() * N;
        for (const int first : {0, setup.held_planes() - setup.halo_planes()})
            for_each_by_colour(
                setup, static_cast<std::size_t>(lattices * setup.halo_planes() * plane), N, first,
                setup.halo_planes(), [&](std::size_t i, std::size_t held) {
                    const auto number = static_cast<std::int64_t>(i);
                    const std::int64_t of_halo = setup.halo_planes() * plane;
                    const int z = wrapped(
                        setup.lowest_plane() + first + static_cast<int>(number % of_halo / plane), setup.L);
                    spins[held] = static_cast<T>(whole[static_cast<std::size_t>(
                        number / of_halo * setup.sites() + z * plane + number % plane)]);
                });
    }

    VectorSetup setup;
    AlignedVector<T> spins, couplings;
    AlignedVector<std::uint8_t> species;
    std::vector<T> betas, widths;
    alignas(16) T zeros[max_sites_of_place] = {};
};

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
