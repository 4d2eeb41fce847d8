#include <doctest/doctest.h>

#include <algorithm>

#include "device_memory.hpp"
#include "sweep/vector/vector_tile_cuda.cuh"
#include "vector_cases.hpp"

using namespace psflip;

namespace {

/// Makes the work of a launch, one block after the other and one thread after the other.
template <class T, VectorTerms terms, int N, VectorUpdate update>
void run_launch(const VectorLattices<T>& of, const VectorSetup& setup, const VectorTiles& tiles,
                std::uint64_t sweep, std::vector<std::uint64_t>& renewed) {
    using Tile = VectorTile<T, terms, N>;
    const VectorConstants<T> constants = setup.constants<T>();
    const TileShape shape(of.geometry, of.planar, tiles, Tile::numbers, sizeof(T));
    const PhiloxRounds key(setup.key());
    AlignedVector<unsigned char> memory(shape.tile_bytes);
    for (unsigned state = 0; state < setup.states(); ++state)
        for (unsigned number = 0; number < shape.of_lattice; ++number) {
            std::fill(memory.begin(), memory.end(), static_cast<unsigned char>(0xAA));
            const Tile tile(of, constants, shape, state, number, memory.data());
            for (unsigned t = 0; t < shape.threads_of_tile; ++t) tile.load(t);
            for (unsigned half = 0; half < 2 * tiles.hits; ++half)
                for (unsigned t = 0; t < shape.threads_of_tile; ++t) {
                    const unsigned found = tile.template renew<update>(t, (half & 1u) ^ tiles.first_colour,
                                                                       key, sweep + half / 2);
                    if (update != VectorUpdate::over_relaxation) renewed[state] += found;
                }
            for (unsigned t = 0; t < shape.threads_of_tile; ++t) tile.store(t);
        }
}

template <class T, VectorTerms terms, int N>
void check_kernel(const VectorCase& which) {
    INFO(which.name);
    const VectorSetup& setup = which.setup;
    DeviceMemory<T, N> memory(setup);
    const std::vector<double> widths = some_widths(setup);
    memory.widths.assign(widths.begin(), widths.end());
    std::vector<std::uint64_t> renewed(static_cast<std::size_t>(setup.states()));
    const auto cpu = make_vector_ensemble({.backend = "cpu", .threads = 1}, setup);
    cpu->set_spins(random_spins(setup));
    cpu->set_widths(widths);
    std::int64_t sweep = (std::int64_t{3} << 32) + 6;
    for (const VectorUpdate update : which.updates)
        for (int step = 0; step < 2; ++step, sweep += setup.hits) {
            cpu->sweep(update, sweep, setup.hits);
            const FirstColours first = first_colours(setup.tile_order, sweep / setup.hits);
            for (int half = 0; half < 2; ++half)
                with_update<N>(update, [&]<VectorUpdate one>() {
                    run_launch<T, terms, N, one>(
                        memory.view(), setup,
                        {static_cast<unsigned>(setup.tile), static_cast<unsigned>(setup.hits),
                         static_cast<unsigned>(half ^ first.tiles), static_cast<unsigned>(first.sites)},
                        static_cast<std::uint64_t>(sweep), renewed);
                });
        }
    CHECK(by_site(setup, memory.spins) == cpu->spins());
    CHECK(renewed == cpu->take_renewed());
}

template <class T>
void check_kernel_of(const VectorCase& which) {
    with_terms(which.setup.terms(), which.setup.components(),
               [&]<VectorTerms terms, int N>() { check_kernel<T, terms, N>(which); });
}

}  // namespace

TEST_CASE("the kernel of tiles has the bits of the CPU") {
    for (const VectorCase& which : tiled_cases(Precision::single)) check_kernel_of<float>(which);
    for (const VectorCase& which : tiled_cases(Precision::twofold)) check_kernel_of<double>(which);
}
