#include "sweep/vector/vector_setup.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "disorder/vector_disorder.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

void check_sizes(const VectorSetup& s) {
    if (s.L < 2 || s.L > 1024 || s.L % 2 != 0)
        throw InputError(fmt::format("L = {} is not an even number from 2 to 1024", s.L));
    if (s.replicas < 1 || s.replicas > max_replicas)
        throw InputError(fmt::format("{} replicas; 1 to {} are possible", s.replicas, max_replicas));
    if (s.slots() < 1 || s.slots() > max_temperatures)
        throw InputError(fmt::format("{} temperatures; 1 to {} are possible", s.slots(), max_temperatures));
    if (s.realizations < 1 || s.first_realization < 0 || s.first_realization > max_packs - s.realizations)
        throw InputError(fmt::format("{} realizations from number {} on are not within 0 to {}",
                                     s.realizations, s.first_realization, max_packs - 1));
    check_betas(s.betas);
}

void check_couplings(const VectorSetup& s) {
    const auto* heisenberg = std::get_if<Heisenberg>(&s.model);
    if (s.couplings.empty()) {
        if (!heisenberg) throw InputError("the Gaussian glass needs couplings; draw_disorder makes them");
        return;
    }
    if (static_cast<std::int64_t>(s.couplings.size()) != s.realizations * s.dimension() * s.sites())
        throw InputError(fmt::format("{} couplings for {} realizations of {} bonds", s.couplings.size(),
                                     s.realizations, s.dimension() * s.sites()));
    for (double J : s.couplings)
        if (!(std::abs(J) <= largest_real_coupling))
            throw InputError(fmt::format("a coupling of {}; couplings are between -8 and 8", J));
    if (heisenberg &&
        (!s.species.empty() || heisenberg->dm_pattern != DmPattern::none || heisenberg->has_anisotropy()))
        throw InputError("couplings of bonds go with one species and without dm and anisotropy only");
}

void check_species(const VectorSetup& s) {
    const auto* heisenberg = std::get_if<Heisenberg>(&s.model);
    if (s.species.empty()) {
        if (heisenberg && heisenberg->concentration > 0.0)
            throw InputError("a model of two species needs the species of sites; draw_disorder makes them");
        return;
    }
    if (!heisenberg) throw InputError("Ising spins with couplings of bonds have no species");
    if (static_cast<std::int64_t>(s.species.size()) != s.realizations * s.sites())
        throw InputError(fmt::format("{} species for {} realizations of {} sites", s.species.size(),
                                     s.realizations, s.sites()));
    for (std::uint8_t b : s.species)
        if (b > 1) throw InputError(fmt::format("species {} of a site is neither 0 nor 1", b));
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

int VectorSetup::dimension() const {
    return std::visit([](const auto& of) { return of.dimension; }, model);
}

bool VectorSetup::open() const {
    const auto* heisenberg = std::get_if<Heisenberg>(&model);
    return heisenberg && heisenberg->boundary == Boundary::open;
}

bool VectorSetup::has_anisotropy() const {
    const auto* heisenberg = std::get_if<Heisenberg>(&model);
    return heisenberg && heisenberg->has_anisotropy();
}

std::uint64_t VectorSetup::key() const {
    return std::visit([&](const auto& of) { return of.random_key(seed, L); }, model);
}

VectorTerms VectorSetup::terms() const {
    if (!couplings.empty()) return VectorTerms::bonds;
    const Heisenberg& of = std::get<Heisenberg>(model);
    const bool plain =
        species.empty() && of.dm_pattern == DmPattern::none && !of.has_anisotropy() && of.field == 0.0;
    return plain ? VectorTerms::exchange : VectorTerms::species;
}

template <class T>
VectorConstants<T> VectorSetup::constants() const {
    VectorConstants<T> to{};
    const auto* of = std::get_if<Heisenberg>(&model);
    if (!of) {
        to.field = static_cast<T>(std::get<GaussianGlass>(model).field);
        return to;
    }
    const auto axis = of->dm_pattern == DmPattern::none ? std::array<double, 3>{} : of->dm_direction();
    for (int i = 0; i < 3; ++i) {
        to.exchange[i] = static_cast<T>(of->exchange[i]);
        to.dm[i] = static_cast<T>(of->dm[i]);
        to.axis[i] = static_cast<T>(axis[i]);
    }
    for (int i = 0; i < 2; ++i) {
        to.anisotropy[i] = static_cast<T>(of->anisotropy[i]);
        to.moment[i] = static_cast<T>(of->moment[i]);
    }
    to.field = static_cast<T>(of->field);
    to.alternating = of->dm_pattern == DmPattern::alternating;
    return to;
}
template VectorConstants<float> VectorSetup::constants() const;
template VectorConstants<double> VectorSetup::constants() const;

VectorUnits VectorSetup::units() const {
    const auto* heisenberg = std::get_if<Heisenberg>(&model);
    const double field =
        heisenberg ? std::abs(heisenberg->field) : std::abs(std::get<GaussianGlass>(model).field);
    if (!couplings.empty()) return VectorUnits(dimension() * largest_real_coupling + field);
    return VectorUnits(heisenberg->largest_energy());
}

void check_betas(const std::vector<double>& betas) {
    for (double beta : betas)
        if (!(beta > 0.0) || !std::isfinite(beta))
            throw InputError(fmt::format("beta = {} is not a finite number above 0", beta));
}

void check_setup(const VectorSetup& setup) {
    std::visit([](const auto& model) { check_model(model); }, setup.model);
    check_sizes(setup);
    check_couplings(setup);
    check_species(setup);
    if (setup.precision == Precision::fast && setup.components() == 1)
        throw InputError("precision fast is for vector spins; use float or double");
}

void check_update(const VectorSetup& setup, VectorUpdate update) {
    if (setup.components() == 1 && (update == VectorUpdate::cone || update == VectorUpdate::over_relaxation))
        throw InputError(
            fmt::format("Ising spins have no update {}; use metropolis or heat-bath", name(update)));
    if (setup.has_anisotropy() &&
        (update == VectorUpdate::heat_bath || update == VectorUpdate::over_relaxation))
        throw InputError(
            fmt::format("update {} needs an energy that is linear in each spin, which anisotropy is "
                        "not; set anisotropy to 0, or use metropolis or cone",
                        name(update)));
}

void draw_disorder(VectorSetup& setup) {
    const DisorderPart part{setup.key(), setup.L, setup.dimension(), setup.first_realization,
                            setup.realizations};
    const auto* heisenberg = std::get_if<Heisenberg>(&setup.model);
    if (!heisenberg)
        setup.couplings = draw_gaussian_couplings(part);
    else if (heisenberg->concentration > 0.0)
        setup.species = draw_species(part, heisenberg->concentration);
}

std::vector<double> random_spins(const VectorSetup& setup) {
    const std::int64_t sites = setup.sites();
    const int components = setup.components();
    std::vector<double> spins(static_cast<std::size_t>(setup.states() * components * sites));
    for (std::int64_t state = 0; state < setup.states(); ++state)
        for (std::int64_t site = 0; site < sites; ++site) {
            const RandomBlock block = philox(
                make_counter(Purpose::vector_start, static_cast<std::uint32_t>(site), 0,
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

}  // namespace psflip
