#pragma once

// Lattices of vector spins in device memory. Tests also call this code on the host.

#include <bit>
#include <type_traits>

#include "lattice/geometry_cuda.cuh"
#include "random/philox.hpp"
#include "sweep/vector/local_field.hpp"

namespace psflip {

/// Describes the lattices of a batch in device memory, each in checkerboard order (lattice/layout.hpp): the
/// components of the sites of colour 0 one after the other, then the components of colour 1.
template <class T>
struct VectorLattices {
    Geometry geometry;  ///< of the planes in memory: one plane in two dimensions
    QuickDivisor realizations,
        slots;  ///< a state's number is (replica * slots + slot) * realizations + realization
    unsigned first_realization;
    bool open, planar;            ///< open: open boundaries; planar: two dimensions
    T* spins;                     ///< (state, colour, component, site)
    const std::uint8_t* species;  ///< (realization, colour, site)
    const T* couplings;           ///< (realization, direction, colour, site), 0 across open boundaries
    const T* betas;               ///< (slot)
    const T* widths;              ///< (state)
    unsigned lowest = 0;          ///< z of the first plane in memory, modulo 2^32; of a slab, even
    const T* zeros = nullptr;     ///< max_sites_of_place zeros: spins across open boundaries
};

/// Maximum number of sites of a VectorPlace.
inline constexpr int max_sites_of_place = 4;

/// Holds neighbouring numbers that one instruction reads or writes.
template <class T, int W>
struct alignas(sizeof(T) * W) SideBySide {
    T of[W];

    PSFLIP_HD void write(T* to) const {
#ifdef __CUDA_ARCH__
        // The compiler would make one store for each number.
        if constexpr (sizeof(T) * W == 16)
            __stwb(reinterpret_cast<uint4*>(to), std::bit_cast<uint4>(*this));
        else if constexpr (sizeof(T) * W == 8)
            __stwb(reinterpret_cast<uint2*>(to), std::bit_cast<uint2>(*this));
        else
#endif
            *reinterpret_cast<SideBySide*>(to) = *this;
    }
};

/// Makes the compiler add 32-bit indices to this pointer. It would add 64-bit indices of all parts first.
template <class T>
PSFLIP_HD void keep_pointer([[maybe_unused]] T*& pointer) {
#ifdef __CUDA_ARCH__
    asm("" : "+l"(pointer));
#endif
}

/// Describes W consecutive sites of a row, of one colour and state, and their neighbours. W is 1, or a power
/// of two that divides L/2. The first site has number i in the colour.
template <class T, VectorTerms terms, int N, int W = 1>
class VectorPlace {
    static constexpr bool mixed = terms == VectorTerms::species, bonds = terms == VectorTerms::bonds;

  public:
    using Field = LocalField<terms, T, N>;

    PSFLIP_HD VectorPlace(const VectorLattices<T>& of, unsigned state, unsigned colour, unsigned i)
        : of_(of), colour_(colour), i_(i), state_(state) {
        const Geometry& g = of.geometry;
        // The reciprocal of 1 does not fit.
        const unsigned row = g.half == 1 ? i : corrected_quotient(i, g.half, g.half_reciprocal);
        const unsigned z = corrected_quotient(row, g.L, g.L_reciprocal), y = row - z * g.L;
        place_ = {i - row * g.half, y, z, (colour + y + z) & 1u};
        const unsigned above = of.realizations.of(state);
        realization_ = state - above * of.realizations;
        replica_ = of.slots.of(above);
        slot_ = above - replica_ * of.slots;
        beta_ = of.betas[slot_], width_ = of.widths[state];
        T* const spins = of.spins + std::size_t{state} * 2 * N * g.colour_sites;
        own_ = spins + (colour ? N * g.colour_sites : 0u);
        other_ = spins + (colour ? 0u : N * g.colour_sites);
        keep_pointer(own_), keep_pointer(other_);
        if constexpr (mixed) species_ = of.species + std::size_t{realization_} * 2 * g.colour_sites;
    }

    /// Moves all sites up by some planes.
    PSFLIP_HD void rise(unsigned planes) {
        i_ += planes * of_.geometry.plane;
        place_.z += planes;
        place_.parity ^= planes & 1u;
    }
    PSFLIP_HD T beta() const { return beta_; }
    PSFLIP_HD T width() const { return width_; }
    /// Returns a pointer to component k of the first site's spin.
    PSFLIP_HD T* own(int k) const { return own_ + i_ + std::size_t{of_.geometry.colour_sites} * k; }
    PSFLIP_HD void read_spins(Spin<T, N> (&spins)[W]) const {
        for (int k = 0; k < N; ++k) {
            T numbers[W];
            read<W>(own(k), numbers);
            for (int j = 0; j < W; ++j) spins[j].c[k] = numbers[j];
        }
    }
    PSFLIP_HD void write_spins(const Spin<T, N> (&spins)[W]) const {
        write(own(0), of_.geometry.colour_sites, spins);
    }
    /// Writes the spins to another slab, where a colour has `colour_sites` sites. The first site has number
    /// i + shift in its colour there.
    PSFLIP_HD void write_spins_to(T* slab, unsigned colour_sites, unsigned shift,
                                  const Spin<T, N> (&spins)[W]) const {
        const std::size_t array = (std::size_t{state_} * 2 + colour_) * N;
        write(slab + array * colour_sites + (i_ + shift), colour_sites, spins);
    }
    PSFLIP_HD void read_species(bool (&species)[W]) const {
        std::uint8_t numbers[W] = {};
        if constexpr (mixed) read<W>(species_ + colour_ * of_.geometry.colour_sites + i_, numbers);
        for (int j = 0; j < W; ++j) species[j] = numbers[j] != 0;
    }
    /// Returns the random words of site number j.
    PSFLIP_HD RandomBlock words(const PhiloxRounds& key, std::uint64_t sweep, int j) const {
        const Place in_lattice{place_.h, place_.y, place_.z + of_.lowest, place_.parity};
        const std::uint32_t site = standard_site(of_.geometry, in_lattice) + 2 * static_cast<unsigned>(j);
        return key.block(make_counter(Purpose::vector_update, site, sweep, slot_, replica_, 0,
                                      of_.first_realization + realization_));
    }

    /// Adds all neighbours, or only the neighbours one step up, to the local fields.
    PSFLIP_HD void add_neighbours(const VectorConstants<T>& constants, bool only_up,
                                  Field (&fields)[W]) const {
        const Geometry& g = of_.geometry;
        add_row(constants, only_up, fields);
        const bool first_row = place_.y == 0, last_row = place_.y + 1 == g.L;
        if (!only_up)
            add_side<false>(constants, 1, first_row, first_row ? i_ + g.last_row : i_ - g.half, fields);
        add_side<true>(constants, 1, last_row, last_row ? i_ - g.last_row : i_ + g.half, fields);
        if (of_.planar) return;
        // Own planes of slabs have their neighbours next to them in memory.
        const unsigned z = place_.z + of_.lowest;
        const unsigned below = place_.z == 0 ? i_ + g.last_plane : i_ - g.plane,
                       above = place_.z + 1 == g.depth ? i_ - g.last_plane : i_ + g.plane;
        if (!only_up) add_side<false>(constants, 2, z == 0, below, fields);
        add_side<true>(constants, 2, z + 1 == g.L, above, fields);
    }

  private:
    /// Writes component k of the spins to first + k * stride.
    PSFLIP_HD static void write(T* first, unsigned stride, const Spin<T, N> (&spins)[W]) {
        for (int k = 0; k < N; ++k) {
            SideBySide<T, W> numbers;
            for (int j = 0; j < W; ++j) numbers.of[j] = spins[j].c[k];
            numbers.write(first + std::size_t{stride} * k);
        }
    }
    template <int M, class U>
    PSFLIP_HD static void read(const U* from, U* to) {
#ifdef __CUDA_ARCH__
        __builtin_assume(__isGlobal(from));
#endif
        const auto numbers = *reinterpret_cast<const SideBySide<U, M>*>(from);
        for (int j = 0; j < M; ++j) to[j] = numbers.of[j];
    }
    /// Returns the couplings of bonds that start at sites of a colour.
    PSFLIP_HD const T* couplings(int direction, unsigned colour) const {
        const std::size_t array = (std::size_t{realization_} * (of_.planar ? 2 : 3) + direction) * 2 + colour;
        return of_.couplings + array * of_.geometry.colour_sites;
    }

    /// Points to the components of neighbours, each `stride` numbers behind the last.
    struct Components {
        const T* first;
        unsigned stride;
        PSFLIP_HD const T* operator()(int k) const { return first + std::size_t{stride} * k; }
    };
    /// Returns the components of site `other` of the other colour, or zeros if it lies across an open
    /// boundary. `edge`: it lies across a boundary.
    PSFLIP_HD Components components(bool edge, unsigned other) const {
        if (edge && of_.open) return {of_.zeros, 0};
        return {other_ + other, of_.geometry.colour_sites};
    }

    /// Adds a neighbour to a field.
    PSFLIP_HD void add(const VectorConstants<T>& constants, bool up, const T (&spin)[N], bool species,
                       T coupling, Field& field) const {
        VectorNeighbour<T, N> j;
        for (int k = 0; k < N; ++k) j.spin.c[k] = spin[k];
        j.species = species;
        j.coupling = coupling;
        j.sign = constants.sign(static_cast<int>(colour_), up);
        field.add(j);
    }
    /// Adds the neighbours along y or z. The first is site `other` of the other colour. `edge`: they lie
    /// across a boundary.
    template <bool up>
    PSFLIP_HD void add_side(const VectorConstants<T>& constants, int direction, bool edge, unsigned other,
                            Field (&fields)[W]) const {
        T spin[N][W], coupling[W] = {};
        std::uint8_t species[W] = {};
        const Components spins = components(edge, other);
        for (int k = 0; k < N; ++k) read<W>(spins(k), spin[k]);
        if constexpr (mixed) read<W>(species_ + (1 - colour_) * of_.geometry.colour_sites + other, species);
        if constexpr (bonds)
            read<W>(couplings(direction, up ? colour_ : 1 - colour_) + (up ? i_ : other), coupling);
        for (int j = 0; j < W; ++j) {
            T of_site[N];
            for (int k = 0; k < N; ++k) of_site[k] = spin[k][j];
            add(constants, up, of_site, species[j] != 0, coupling[j], fields[j]);
        }
    }

    /// Adds the neighbours along x. These are W + 1 consecutive sites of the other colour. The first lies one
    /// step down from the first site, and the last one step up from the last site.
    PSFLIP_HD void add_row(const VectorConstants<T>& constants, bool only_up, Field (&fields)[W]) const {
        const Geometry& g = of_.geometry;
        const bool odd = place_.parity != 0;
        const unsigned first = i_ - place_.h;
        const unsigned before = first + (place_.h == 0 ? g.half - 1 : place_.h - 1);
        const unsigned behind = first + (place_.h + W == g.half ? 0u : place_.h + W);
        const unsigned single = odd ? behind : before;
        const auto row_and = [&](const auto* array, const auto* outside, auto(&to)[W + 1]) {
            std::remove_cvref_t<decltype(to[0])> numbers[W];
            read<W>(array + i_, numbers);
            std::remove_cvref_t<decltype(to[0])> other;
            read<1>(outside, &other);
            to[0] = odd ? numbers[0] : other;
            for (int j = 1; j < W; ++j) to[j] = odd ? numbers[j] : numbers[j - 1];
            to[W] = odd ? other : numbers[W - 1];
        };
        T spin[N][W + 1];
        std::uint8_t species[W + 1] = {};
        const Components outside = components(odd ? place_.h + W == g.half : place_.h == 0, single);
        for (int k = 0; k < N; ++k) row_and(other_ + std::size_t{g.colour_sites} * k, outside(k), spin[k]);
        const auto row = [&](const auto* array, auto& to) { row_and(array, array + single, to); };
        if constexpr (mixed) row(species_ + (1 - colour_) * g.colour_sites, species);
        T down[W + 1] = {}, up[W] = {};
        if constexpr (bonds) {
            row(couplings(0, 1 - colour_), down);
            read<W>(couplings(0, colour_) + i_, up);
        }
        for (int j = 0; j < W; ++j) {
            T below[N], above[N];
            for (int k = 0; k < N; ++k) below[k] = spin[k][j], above[k] = spin[k][j + 1];
            if (!only_up) add(constants, false, below, species[j] != 0, down[j], fields[j]);
            add(constants, true, above, species[j + 1] != 0, up[j], fields[j]);
        }
    }

    const VectorLattices<T>& of_;
    unsigned colour_, i_, state_, realization_, slot_, replica_;
    Place place_;
    T beta_, width_;
    T *own_, *other_;                        ///< first site of the own and of the other colour
    const std::uint8_t* species_ = nullptr;  ///< of the realization
};

}  // namespace psflip
