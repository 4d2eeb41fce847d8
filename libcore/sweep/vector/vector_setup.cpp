#include "sweep/vector/vector_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "disorder/vector_disorder.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

void check_sizes(const VectorSetup& s) {
    if (const int most = max_vector_L(s.dimension()); s.L < 2 || s.L > most || s.L % 2 != 0)
        throw InputError(fmt::format("L = {} is not an even number from 2 to {}", s.L, most));
    if (s.replicas < 1 || s.replicas > max_replicas)
        throw InputError(fmt::format("{} replicas are not possible; use 1 to {}", s.replicas, max_replicas));
    if (s.slots() < 1 || s.slots() > max_temperatures)
        throw InputError(
            fmt::format("{} temperatures are not possible; use 1 to {}", s.slots(), max_temperatures));
    if (s.realizations < 1 || s.first_realization < 0 || s.first_realization > max_packs - s.realizations)
        throw InputError(fmt::format("{} realizations from number {} on are not within 0 to {}",
                                     s.realizations, s.first_realization, max_packs - 1));
    check_betas(s.betas);
}

void check_disorder(const VectorSetup& s) {
    const ModelSection& model = s.model;
    const auto couplings = static_cast<std::int64_t>(s.couplings.size()),
               species = static_cast<std::int64_t>(s.species.size());
    if (model.gaussian() && couplings == 0)
        throw InputError("the Gaussian glass needs couplings; draw_disorder makes them");
    if (couplings != 0 && couplings != s.realizations * s.dimension() * s.held_sites())
        throw InputError(fmt::format("{} couplings are given for {} realizations of {} bonds", couplings,
                                     s.realizations, s.dimension() * s.held_sites()));
    if (couplings != 0 && model.has_vectors() && (species != 0 || model.has_dm() || model.has_anisotropy()))
        throw InputError("couplings for each bond need one species, no dm and no anisotropy");
    if (model.has_vectors() && model.concentration > 0.0 && species == 0)
        throw InputError("a model of two species needs the species of sites; draw_disorder makes them");
    if (model.gaussian() && species != 0)
        throw InputError("Ising spins with couplings of bonds have no species");
    if (species != 0 && species != s.realizations * s.held_sites())
        throw InputError(fmt::format("{} species are given for {} realizations of {} sites", species,
                                     s.realizations, s.held_sites()));
}

void check_tiles(const VectorSetup& s) {
    if (s.hits < 1)
        throw InputError(fmt::format("{} hits of a tile are not possible; use at least 1", s.hits));
    if (s.tile == 0) {
        if (s.hits == 1 && s.tile_order == TileOrder::fixed) return;
        throw InputError(
            "hits and an order of tiles need tiles; use 1 hit and the order fixed without tiles");
    }
    std::string possible;
    bool found = false;
    for (int tile = limits::min_vector_tile; tile <= limits::max_tile(s.dimension()); tile *= 2) {
        if (s.L % (2 * tile) != 0) continue;
        found = found || tile == s.tile;
        possible += (possible.empty() ? "" : ", ") + std::to_string(tile);
    }
    if (!found)
        throw InputError(fmt::format(
            "tiles of edge {} do not suit vector spins with L = {}, of which L is an even multiple; {}",
            s.tile, s.L, possible.empty() ? "use no tiles" : "use " + possible));
    if (s.open()) throw InputError("tiles of vector spins need periodic boundaries; use no tiles");
    if (s.is_slab()) throw InputError("tiles of vector spins need one rank; use one rank, or no tiles");
}

/// Returns the planes that a slab holds of each lattice (z, y, x) of an array.
template <class T>
std::vector<T> held_planes_of(const VectorSetup& slab, const std::vector<T>& whole) {
    std::vector<T> held;
    const std::int64_t plane = std::int64_t{slab.L} * slab.L, sites = slab.sites();
    held.reserve(whole.size() / static_cast<std::size_t>(sites) *
                 static_cast<std::size_t>(slab.held_sites()));
    for (std::int64_t lattice = 0; lattice < std::ssize(whole); lattice += sites)
        for (int w = 0; w < slab.held_planes(); ++w) {
            const int z = wrapped(slab.lowest_plane() + w, slab.L);
            const auto from = whole.begin() + lattice + z * plane;
            held.insert(held.end(), from, from + plane);
        }
    return held;
}

template <class R>
void random_spin(const RandomBlock& block, int components, std::int64_t sites, double* to) {
    if (components == 1) {
        *to = RealTraits<R>::bit31(block.word[0]) ? 1.0 : -1.0;
        return;
    }
    const Spin<R, 3> spin = uniform_direction<R>(block.word[0], block.word[1]);
    for (int k = 0; k < 3; ++k) to[k * sites] = static_cast<double>(spin.c[k]);
}

}  // namespace

const char* name(VectorUpdate update) {
    switch (update) {
        case VectorUpdate::cone:
            return "cone";
        case VectorUpdate::heat_bath:
            return "heat-bath";
        case VectorUpdate::over_relaxation:
            return "over-relaxation";
        default:
            return "metropolis";
    }
}

VectorTerms VectorSetup::terms() const {
    if (!couplings.empty()) return VectorTerms::bonds;
    const bool plain = species.empty() && !model.has_dm() && !model.has_anisotropy() && model.field == 0.0;
    return plain ? VectorTerms::exchange : VectorTerms::species;
}

std::int64_t VectorSetup::states_in(std::int64_t bytes, std::int64_t bytes_of_number) const {
    const std::int64_t spins = components() * bytes_of_number,
                       disorder = terms() == VectorTerms::bonds ? dimension() * bytes_of_number
                                                                : terms() == VectorTerms::species,
                       of_site = bytes / held_sites();
    if (of_site < realizations * (spins + disorder)) return of_site / (spins + disorder);
    return (of_site - realizations * disorder) / spins;
}

template <class T>
VectorConstants<T> VectorSetup::constants() const {
    VectorConstants<T> to{};
    to.field = static_cast<T>(model.field);
    if (model.gaussian()) return to;
    const auto axis = model.has_dm() ? dm_direction(model) : std::array<double, 3>{};
    const auto put = [](const auto& from, auto& array) {
        std::ranges::transform(from, array, [](double x) { return static_cast<T>(x); });
    };
    put(model.exchange, to.exchange), put(model.dm, to.dm), put(axis, to.axis);
    put(model.anisotropy, to.anisotropy), put(model.moments, to.moment);
    to.alternating = model.dm_pattern == DmPattern::alternating;
    return to;
}
template VectorConstants<float> VectorSetup::constants() const;
template VectorConstants<double> VectorSetup::constants() const;

VectorUnits VectorSetup::units() const {
    if (couplings.empty()) return VectorUnits(max_site_energy(model));
    return VectorUnits(dimension() * max_real_coupling + std::abs(model.field));
}

void check_betas(const std::vector<double>& betas) {
    for (double beta : betas)
        if (!(beta >= min_beta && beta <= max_beta))
            throw InputError(
                fmt::format("beta = {} is not a number from {} to {}", beta, min_beta, max_beta));
}

void check_setup(const VectorSetup& setup) {
    check_sizes(setup);
    check_disorder(setup);
    check_tiles(setup);
    if (setup.precision == Precision::fast && setup.components() == 1)
        throw InputError("precision fast needs vector spins; use float or double");
}

void check_update(const VectorSetup& setup, VectorUpdate update) {
    if (setup.components() == 1 && (update == VectorUpdate::cone || update == VectorUpdate::over_relaxation))
        throw InputError(
            fmt::format("Ising spins have no update {}; use metropolis or heat-bath", name(update)));
    if (setup.model.has_anisotropy() &&
        (update == VectorUpdate::heat_bath || update == VectorUpdate::over_relaxation))
        throw InputError(
            fmt::format("update {} needs an energy that is linear in each spin, which anisotropy is "
                        "not; set anisotropy to 0, or use metropolis or cone",
                        name(update)));
}

VectorSetup slab_of(VectorSetup setup, int first, int count) {
    setup.first_plane = first, setup.slab_planes = count;
    setup.species = held_planes_of(setup, setup.species);
    setup.couplings = held_planes_of(setup, setup.couplings);
    return setup;
}

void draw_disorder(VectorSetup& setup) {
    const DisorderPart part{setup.key(), setup.L, setup.dimension(), setup.first_realization,
                            setup.realizations};
    if (setup.model.gaussian())
        setup.couplings = draw_gaussian_couplings(part);
    else if (setup.model.concentration > 0.0)
        setup.species = draw_species(part, setup.model.concentration);
}

std::vector<double> random_spins(const VectorSetup& setup) {
    const std::int64_t sites = setup.own_sites(), first = std::int64_t{setup.L} * setup.L * setup.first_plane;
    const int components = setup.components();
    std::vector<double> spins(static_cast<std::size_t>(setup.states() * components * sites));
    for (std::int64_t state = 0; state < setup.states(); ++state)
        for (std::int64_t site = 0; site < sites; ++site) {
            const RandomBlock block = philox(
                make_counter(Purpose::vector_start, static_cast<std::uint32_t>(first + site), 0,
                             static_cast<std::uint32_t>(setup.slot(state)),
                             static_cast<std::uint32_t>(setup.replica(state)), 0,
                             static_cast<std::uint32_t>(setup.first_realization + setup.realization(state))),
                setup.key());
            double* to = spins.data() + state * components * sites + site;
            if (setup.precision == Precision::twofold)
                random_spin<double>(block, components, sites, to);
            else
                random_spin<float>(block, components, sites, to);
        }
    return spins;
}

namespace {

/// Calls f(number, word, bit) for all Ising spins of the own planes.
template <class F>
void for_each_bit(const VectorSetup& setup, F f) {
    const std::int64_t sites = setup.own_sites(), packs = setup.packs64();
    std::size_t number = 0;
    for (std::int64_t state = 0; state < setup.states(); ++state) {
        const std::int64_t r = setup.realization(state), lattice = state / setup.realizations;
        for (std::int64_t site = 0; site < sites; ++site)
            f(number++, static_cast<std::size_t>((lattice * packs + r / 64) * sites + site),
              static_cast<int>(r % 64));
    }
}

}  // namespace

std::vector<std::uint64_t> words_of_numbers(const VectorSetup& setup, const std::vector<double>& numbers) {
    std::vector<std::uint64_t> words(setup.spin_words());
    for_each_bit(setup, [&](std::size_t number, std::size_t word, int bit) {
        words[word] |= std::uint64_t{numbers[number] > 0.0} << bit;
    });
    return words;
}

std::vector<double> numbers_of_words(const VectorSetup& setup, const std::vector<std::uint64_t>& words) {
    std::vector<double> numbers(static_cast<std::size_t>(setup.states() * setup.own_sites()));
    for_each_bit(setup, [&](std::size_t number, std::size_t word, int bit) {
        numbers[number] = (words[word] >> bit & 1u) != 0 ? 1.0 : -1.0;
    });
    return numbers;
}

}  // namespace psflip
