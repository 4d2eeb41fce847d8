#pragma once

#include "base/aligned.hpp"
#include "sweep/vector/vector_lattices_cuda.cuh"
#include "sweep/vector/vector_layout.hpp"

namespace psflip {

/// Holds a slab, or whole lattices, as in the memory of a device.
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

}  // namespace psflip
