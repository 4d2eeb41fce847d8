#pragma once

// Tiles of vector spins in shared memory. Tests also call this code on the host.

#include <algorithm>
#include <bit>

#include "sweep/vector/vector_lattices_cuda.cuh"
#include "sweep/vector/vector_update_cuda.cuh"
#ifdef __CUDACC__
#include "sweep/cuda/shared_memory_cuda.cuh"
#endif

namespace psflip {

/// Describes the tiles of one colour that a launch updates.
struct VectorTiles {
    unsigned edge, hits;
    unsigned colour;        ///< of the tiles
    unsigned first_colour;  ///< of the sites that each hit updates first
};

/// Maximum number of threads of a block, and the number of threads below which a block has several tiles.
inline constexpr unsigned max_tile_threads = 256, min_tile_threads = 128;

/// Describes how the tiles of a lattice lie in shared memory, and the threads that update them.
struct TileShape {
    unsigned edge, edge_bits;  ///< edge_bits: log2 of the edge
    unsigned colour;           ///< of the tiles
    unsigned of_lattice;       ///< tiles of the colour in a lattice
    QuickDivisor pairs;        ///< tiles of the colour along x
    QuickDivisor along_y;      ///< tiles along y
    QuickDivisor held_rows;    ///< rows of a plane in shared memory: edge + 2
    unsigned rows, held;       ///< rows of a tile, and rows in shared memory
    unsigned colour_numbers;   ///< sites of a colour in shared memory, rounded up to whole groups
    unsigned threads_of_tile;  ///< a power of two
    unsigned tiles_of_block, tile_bytes;

    /// numbers: of a site (VectorTile). bytes: of a number.
    TileShape(const Geometry& g, bool planar, const VectorTiles& tiles, unsigned numbers, unsigned bytes)
        : edge(tiles.edge), edge_bits(static_cast<unsigned>(std::countr_zero(edge))), colour(tiles.colour) {
        const unsigned along = g.L / edge, group = 16 / bytes;
        of_lattice = along * along * (planar ? 1 : along) / 2;
        pairs = along / 2, along_y = along, held_rows = edge + 2;
        rows = planar ? edge : edge * edge;
        held = planar ? edge + 2 : (edge + 2) * (edge + 2);
        colour_numbers = (held * (edge / 2 + 1) + group - 1) / group * group;
        threads_of_tile = std::min(max_tile_threads, rows * edge / 2 / group);
        tiles_of_block = std::min(of_lattice, std::max(1u, min_tile_threads / threads_of_tile));
        tile_bytes = 2 * numbers * colour_numbers * bytes;
    }
};

/// Holds a tile in shared memory: (colour, number, site). The numbers of a site are the components of its
/// spin, then its species or its couplings if the model has them. Sites of a colour lie row by row, with the
/// rows next to the tile. After all rows, each row has one site next to it along x: at x = -1 for rows with
/// odd x, and behind the last site for rows with even x.
template <class T, VectorTerms terms, int N>
class VectorTile {
    static constexpr bool mixed = terms == VectorTerms::species, bonds = terms == VectorTerms::bonds;
    using Field = LocalField<terms, T, N>;

  public:
    static constexpr unsigned W = 16 / sizeof(T);  ///< sites of a group, which a thread updates at once
    using Group = SideBySide<T, W>;
    static constexpr int numbers = N + (mixed ? 1 : 0) + (bonds ? 3 : 0);

    /// number: of the tile among the tiles of its colour in the lattice.
    PSFLIP_HD VectorTile(const VectorLattices<T>& of, const VectorConstants<T>& constants,
                         const TileShape& shape, unsigned state, unsigned number, unsigned char* memory)
        : of_(of),
          constants_(constants),
          shape_(shape),
          memory_(reinterpret_cast<T*>(memory)),
          state_(state) {
        const unsigned row = shape.pairs.of(number), pair = number - row * shape.pairs,
                       tile_z = shape.along_y.of(row), tile_y = row - tile_z * shape.along_y;
        const unsigned tile_x = 2 * pair + ((shape.colour + tile_y + tile_z) & 1u);
        x_ = tile_x << shape.edge_bits, y_ = tile_y << shape.edge_bits, z_ = tile_z << shape.edge_bits;
        const unsigned above = of_.realizations.of(state);
        realization_ = state - above * of_.realizations;
        replica_ = of_.slots.of(above);
        slot_ = above - replica_ * of_.slots;
        beta_ = of_.betas[slot_], width_ = of_.widths[state];
    }

    /// Copies the tile from device memory. All threads of the tile must call it. Afterwards the kernel must
    /// wait for the copies (all_copies_done), and for all threads.
    PSFLIP_HD void load(unsigned thread) const {
        const unsigned groups = shape_.edge / (2 * W), group_bits = shape_.edge_bits - log2_of_2W;
        for (unsigned i = thread; i < 2 * shape_.held * groups; i += shape_.threads_of_tile) {
            const Row row(*this, i >> group_bits);
            const unsigned group = i & (groups - 1), from = row.far + x_ / 2 + W * group,
                           to = (row.number << (shape_.edge_bits - 1)) + W * group;
            for_each_number(row.colour, [&](int k, const auto* array) {
                copy_group(array + from, at(row.colour, k) + to);
            });
        }
        for (unsigned i = thread; i < 2 * shape_.held; i += shape_.threads_of_tile) {
            const Row row(*this, i);
            const unsigned L = of_.geometry.L, x = row.odd ? (x_ == 0 ? L : x_) - 1 : x_ + shape_.edge,
                           from = row.far + (x == L ? 0u : x / 2);
            for_each_number(row.colour, [&](int k, const auto* array) {
                at(row.colour, k)[end_of_rows() + row.number] = number_of(array[from]);
            });
        }
    }
    /// Copies the spins of the tile to device memory.
    PSFLIP_HD void store(unsigned thread) const {
        for (unsigned colour = 0; colour < 2; ++colour)
            for (unsigned i = thread; i < groups_of_colour(); i += shape_.threads_of_tile) {
                const Site site(*this, colour, i);
                T* const spins =
                    of_.spins + (std::size_t{state_} * 2 + colour) * N * of_.geometry.colour_sites + site.far;
                for (int k = 0; k < N; ++k)
                    reinterpret_cast<const Group*>(at(colour, k) + site.near)
                        ->write(spins + std::size_t{of_.geometry.colour_sites} * k);
            }
    }

    /// Updates the sites of a colour in a hit, and returns the number of renewed spins.
    template <VectorUpdate update>
    PSFLIP_HD unsigned renew(unsigned thread, unsigned colour, const PhiloxRounds& key,
                             std::uint64_t sweep) const {
        unsigned renewed = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (unsigned i = thread; i < groups_of_colour(); i += shape_.threads_of_tile)
            renewed += renew_group<update>(Site(*this, colour, i), colour, key, sweep);
        return renewed;
    }

  private:
    static constexpr unsigned log2_of_2W = std::countr_zero(2 * W);

    /// Describes a row in shared memory, counted over both colours.
    struct Row {
        unsigned colour, number;  ///< of the row in its colour
        unsigned far;             ///< first site of the row of the lattice, in its colour in device memory
        bool odd;                 ///< sites of the colour have odd x

        PSFLIP_HD Row(const VectorTile& tile, unsigned i) {
            const TileShape& shape = tile.shape_;
            const Geometry& g = tile.of_.geometry;
            colour = i >= shape.held;
            number = colour ? i - shape.held : i;
            const unsigned plane = tile.of_.planar ? 0u : shape.held_rows.of(number),
                           y = tile.y_ + number - plane * shape.held_rows - 1,
                           z = tile.of_.planar ? 0u : tile.z_ + plane - 1;
            odd = ((colour + y + z) & 1u) != 0;
            far = (wrapped(z, g.L) * g.L + wrapped(y, g.L)) * g.half;
        }
        /// Returns the coordinate of a row that lies up to 1 outside of the lattice.
        PSFLIP_HD static unsigned wrapped(unsigned i, unsigned L) {
            return i == L ? 0u : (i > L ? L - 1 : i);
        }
    };
    /// Describes group number i of the tile in a colour.
    struct Site {
        unsigned near, far;  ///< first site in shared memory and in device memory
        unsigned side;       ///< in the other colour in shared memory: the site left of an even group, or
                             ///< right of an odd group
        unsigned number;     ///< of the first site in random numbers
        bool odd;

        PSFLIP_HD Site(const VectorTile& tile, unsigned colour, unsigned i) {
            const TileShape& shape = tile.shape_;
            const Geometry& g = tile.of_.geometry;
            const unsigned groups = shape.edge / (2 * W), group = i & (groups - 1),
                           row = i >> (shape.edge_bits - log2_of_2W), y = row & (shape.edge - 1),
                           z = row >> shape.edge_bits;
            const unsigned held = tile.of_.planar ? y + 1 : (z + 1) * shape.held_rows + y + 1;
            odd = ((colour + y + z) & 1u) != 0;
            near = (held << (shape.edge_bits - 1)) + W * group;
            const bool edge = odd ? group + 1 == groups : group == 0;
            side = edge ? tile.end_of_rows() + held : (odd ? near + W : near - 1);
            far = ((tile.z_ + z) * g.L + tile.y_ + y) * g.half + tile.x_ / 2 + W * group;
            number = 2 * far + (odd ? 1 : 0);
        }
    };

    /// Writes a group to shared memory.
    PSFLIP_HD static void put(const Group& from, T* to) {
#ifdef __CUDA_ARCH__
        // The compiler would make one store for each number.
        store_shared(shared_address(to), std::bit_cast<uint4>(from));
#else
        *reinterpret_cast<Group*>(to) = from;
#endif
    }
    PSFLIP_HD static void copy_group(const T* from, T* to) {
#ifdef __CUDA_ARCH__
        copy_through_l1(shared_address(to), reinterpret_cast<const uint4*>(from));
#else
        *reinterpret_cast<Group*>(to) = *reinterpret_cast<const Group*>(from);
#endif
    }
    PSFLIP_HD static void copy_group(const std::uint8_t* from, T* to) {
        const auto far = *reinterpret_cast<const SideBySide<std::uint8_t, W>*>(from);
        Group near;
        for (unsigned j = 0; j < W; ++j) near.of[j] = number_of(far.of[j]);
        put(near, to);
    }
    PSFLIP_HD static T number_of(T number) {
        return number;
    }
    PSFLIP_HD static T number_of(std::uint8_t species) {
        return T(species != 0 ? 1.0 : 0.0);
    }
    /// Calls f(number of the site, its array of the colour in device memory).
    template <class F>
    PSFLIP_HD void for_each_number(unsigned colour, const F& f) const {
        const std::size_t sites = of_.geometry.colour_sites;
        const T* const spins = of_.spins + (std::size_t{state_} * 2 + colour) * N * sites;
        for (int k = 0; k < N; ++k) f(k, spins + sites * k);
        if constexpr (mixed) f(N, of_.species + (std::size_t{realization_} * 2 + colour) * sites);
        if constexpr (bonds) {
            const unsigned directions = of_.planar ? 2 : 3;
            for (unsigned d = 0; d < directions; ++d)
                f(N + static_cast<int>(d),
                  of_.couplings + ((std::size_t{realization_} * directions + d) * 2 + colour) * sites);
        }
    }
    PSFLIP_HD T* at(unsigned colour, int number) const {
        return memory_ + (colour * numbers + static_cast<unsigned>(number)) * shape_.colour_numbers;
    }
    PSFLIP_HD unsigned end_of_rows() const {
        return shape_.held << (shape_.edge_bits - 1);
    }
    PSFLIP_HD unsigned groups_of_colour() const {
        return shape_.rows * (shape_.edge / (2 * W));
    }

    /// Adds a neighbour to the field of site j of a group.
    PSFLIP_HD void add(unsigned colour, bool up, const T (&numbers_of)[numbers], T coupling,
                       Field& field) const {
        VectorNeighbour<T, N> neighbour;
        for (int k = 0; k < N; ++k) neighbour.spin.c[k] = numbers_of[k];
        if constexpr (mixed) neighbour.species = numbers_of[N] > T(0.0);
        neighbour.coupling = coupling;
        neighbour.sign = constants_.sign(static_cast<int>(colour), up);
        field.add(neighbour);
    }
    /// Adds the neighbours along y or z, which begin at `other` in the other colour.
    template <bool up>
    PSFLIP_HD void add_side(unsigned colour, unsigned near, int direction, unsigned other,
                            Field (&fields)[W]) const {
        constexpr int read = N + (mixed ? 1 : 0);
        Group found[read], coupling{};
        for (int k = 0; k < read; ++k) found[k] = *reinterpret_cast<const Group*>(at(1 - colour, k) + other);
        if constexpr (bonds)
            coupling = *reinterpret_cast<const Group*>(at(up ? colour : 1 - colour, N + direction) +
                                                       (up ? near : other));
        for (unsigned j = 0; j < W; ++j) {
            T of_site[numbers];
            for (int k = 0; k < read; ++k) of_site[k] = found[k].of[j];
            add(colour, up, of_site, coupling.of[j], fields[j]);
        }
    }
    /// Adds the neighbours along x.
    PSFLIP_HD void add_row(unsigned colour, const Site& site, Field (&fields)[W]) const {
        constexpr int read = N + (mixed ? 1 : 0);
        const auto row = [&](int k, T(&to)[W + 1]) {
            const T* const array = at(1 - colour, k);
            const Group group = *reinterpret_cast<const Group*>(array + site.near);
            const T side = array[site.side];
            to[0] = site.odd ? group.of[0] : side;
            for (unsigned j = 1; j < W; ++j) to[j] = site.odd ? group.of[j] : group.of[j - 1];
            to[W] = site.odd ? side : group.of[W - 1];
        };
        T found[read][W + 1], down[W + 1] = {};
        for (int k = 0; k < read; ++k) row(k, found[k]);
        Group up{};
        if constexpr (bonds) {
            row(N, down);
            up = *reinterpret_cast<const Group*>(at(colour, N) + site.near);
        }
        for (unsigned j = 0; j < W; ++j) {
            T below[numbers], above[numbers];
            for (int k = 0; k < read; ++k) below[k] = found[k][j], above[k] = found[k][j + 1];
            add(colour, false, below, down[j], fields[j]);
            add(colour, true, above, up.of[j], fields[j]);
        }
    }

    template <VectorUpdate update>
    PSFLIP_HD unsigned renew_group(const Site& site, unsigned colour, const PhiloxRounds& key,
                                   std::uint64_t sweep) const {
        constexpr bool anisotropic = mixed && proposes(update, N);
        Group own[N], species{};
        for (int k = 0; k < N; ++k) own[k] = *reinterpret_cast<const Group*>(at(colour, k) + site.near);
        if constexpr (mixed) species = *reinterpret_cast<const Group*>(at(colour, N) + site.near);
        Field fields[W];
        bool is_b[W];
        for (unsigned j = 0; j < W; ++j) {
            is_b[j] = mixed && species.of[j] > T(0.0);
            fields[j] = Field(constants_, is_b[j]);
        }
        const unsigned row = shape_.edge / 2, plane = shape_.held_rows * row;
        add_row(colour, site, fields);
        add_side<false>(colour, site.near, 1, site.near - row, fields);
        add_side<true>(colour, site.near, 1, site.near + row, fields);
        if (!of_.planar) {
            add_side<false>(colour, site.near, 2, site.near - plane, fields);
            add_side<true>(colour, site.near, 2, site.near + plane, fields);
        }
        VectorSite<T, N> sites[W];
        Spin<T, N> spins[W];
        for (unsigned j = 0; j < W; ++j) {
            for (int k = 0; k < N; ++k) sites[j].spin.c[k] = own[k].of[j];
            sites[j].field = fields[j].sum(constants_, is_b[j]);
            sites[j].anisotropy = Field::anisotropy(constants_, is_b[j]);
            sites[j].beta = beta_, sites[j].width = width_;
        }
        const auto words = [&](int j) {
            if constexpr (update == VectorUpdate::over_relaxation) return RandomBlock{};
            return key.block(make_counter(Purpose::vector_update, site.number + 2 * static_cast<unsigned>(j),
                                          sweep, slot_, replica_, 0, of_.first_realization + realization_));
        };
        const unsigned renewed = update_spins<update, anisotropic>(sites, words, spins);
        for (int k = 0; k < N; ++k) {
            Group to;
            for (unsigned j = 0; j < W; ++j) to.of[j] = spins[j].c[k];
            put(to, at(colour, k) + site.near);
        }
        return renewed;
    }

    const VectorLattices<T>& of_;
    const VectorConstants<T>& constants_;
    const TileShape& shape_;
    T* memory_;
    unsigned state_, realization_, replica_, slot_;
    unsigned x_, y_, z_;  ///< of the first site of the tile
    T beta_, width_;
};

}  // namespace psflip
