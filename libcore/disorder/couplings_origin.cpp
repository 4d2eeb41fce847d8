// Compares given couplings with the model of a study (couplings_origin in couplings.hpp).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "base/log.hpp"
#include "config/limits.hpp"
#include "disorder/couplings.hpp"
#include "disorder/drawn_law.hpp"
#include "disorder/model_attributes.hpp"
#include "io/schema.hpp"

namespace psflip {
namespace {

template <class T>
void check_attribute(const std::string& path, const char* name, const std::optional<T>& told, const char* key,
                     T wanted) {
    if (!told || *told == wanted) return;
    throw InputError(
        fmt::format("{} has {} = {}, but the configuration has {} = {}; give the configuration that the "
                    "couplings were drawn with, draw others with gen-disorder, or remove the attribute, so "
                    "that they count as couplings by hand",
                    path, name, *told, key, wanted));
}

void check_told_model(const std::string& path, const Disorder& disorder, const CouplingsLaw& law) {
    if (!disorder.model) return;
    const std::string different = model_difference(*disorder.model, law.model);
    if (different.empty()) return;
    throw InputError(fmt::format(
        "{} was drawn for another model: {}; give the configuration that the couplings were drawn with, or "
        "draw others with gen-disorder",
        path, different));
}

/// The deviation of a count from its expected value.
struct Comparison {
    double fraction = 0.0;
    bool fits = true;          ///< within max_deviations standard deviations
    std::string deviations{};  ///< empty if the probability is 0 or 1
};

Comparison compare(std::int64_t count, std::int64_t all, double probability) {
    if (all == 0) return {};
    const double bonds = static_cast<double>(all), found = static_cast<double>(count);
    const double excess = std::fabs(found - bonds * probability);
    const double deviation = std::sqrt(bonds * probability * (1.0 - probability));
    return {found / bonds, excess <= max_deviations * deviation,
            deviation > 0.0 ? fmt::format(" ({:.3g} standard deviations)", excess / deviation) : ""};
}

/// Returns the number of bonds that the model allows: all bonds, except across an open boundary.
std::int64_t possible_bonds(const Disorder& disorder, const Model& model) {
    const std::int64_t of_direction = disorder.count * disorder.sites(), across = of_direction / disorder.L;
    std::int64_t possible = disorder.dimension * of_direction;
    for (std::size_t direction = 0; direction < static_cast<std::size_t>(disorder.dimension); ++direction)
        if (model.boundary == Boundary::open ||
            (disorder.bonds.present[direction] > 0 && disorder.bonds.across[direction] == 0))
            possible -= across;
    return possible;
}

/// Checks that the couplings are possible in this model. Errors: InputError.
void check_couplings_of_model(const std::string& path, const Disorder& disorder, const Model& model) {
    const BondCounts& bonds = disorder.bonds;
    if (model.kind == ModelKind::ferromagnet && bonds.negative > 0)
        throw InputError(fmt::format(
            "{}: {} of {} bonds are -1, but model.kind is ferromagnet, whose bonds are all +1; use "
            "model.kind: edwards-anderson with the model.p_ferro that the couplings have",
            path, bonds.negative, bonds.all_present()));
    if (model.boundary == Boundary::open && bonds.all_across() > 0)
        throw InputError(fmt::format(
            "{}: {} bonds lead from the last sites of a direction to the first ones, but model.boundary is "
            "open; use model.boundary: periodic, or write 0 for these bonds (index L - 1 along x in "
            "direction 0, along y in direction 1, along z in direction 2)",
            path, bonds.all_across()));
    if (model.boundary == Boundary::open || bonds.all_present() == 0 || bonds.all_across() > 0) return;
    const std::int64_t boundary = disorder.count * disorder.dimension * disorder.sites() / disorder.L;
    if (compare(0, boundary, 1.0 - model.p_absent).fits) return;
    throw InputError(fmt::format(
        "{}: no bond leads from the last sites of any direction to the first ones, but model.boundary is "
        "periodic; use model.boundary: open, or give these bonds",
        path));
}

/// Checks that no two realizations of a share group have equal couplings, in the planes that are in memory.
/// Errors: InputError.
void check_different(const std::string& path, const Disorder& disorder, int share) {
    const std::int64_t size = std::ssize(disorder.couplings) / disorder.count;
    if (size < disorder.dimension * disorder.sites()) return;
    std::unordered_map<std::string_view, std::int64_t> seen;
    for (std::int64_t r = 0; r < disorder.count; ++r) {
        if ((disorder.first + r) % share == 0) seen.clear();
        const auto* begin = reinterpret_cast<const char*>(disorder.couplings.data() + r * size);
        const auto [first, added] = seen.emplace(std::string_view(begin, static_cast<std::size_t>(size)), r);
        if (!added)
            throw InputError(
                fmt::format("{}: realizations {} and {} have the same couplings; with multispin.share = {} "
                            "they get the same random numbers and become copies of each other; use "
                            "multispin.share: 1, or replicas for more runs of one realization",
                            path, first->second, r, share));
    }
}

/// Checks that realizations that share random numbers do not become copies of each other. Errors: InputError.
void check_shared(const std::string& path, const Disorder& disorder, double absent, int share) {
    const BondCounts& bonds = disorder.bonds;
    const double most = limits::max_absent_with_share(disorder.dimension);
    std::string why;
    if (absent > most)
        why = fmt::format("{:.4g}% of the bonds are absent, and above {:.4g}% they do not percolate",
                          100.0 * absent, 100.0 * most);
    else if (bonds.positive == 0 || bonds.negative == 0)
        why = fmt::format("all bonds are {}, without disorder", bonds.positive == 0 ? -1 : 1);
    if (!why.empty())
        throw InputError(
            fmt::format("{}: {}; the realizations that share random numbers (multispin.share = "
                        "{}) become copies of each other; use multispin.share: 1",
                        path, why, share));
    check_different(path, disorder, share);
}

}  // namespace

std::string couplings_origin(const std::string& path, const Disorder& disorder, const CouplingsLaw& law,
                             int share) {
    check_attribute(path, schema::seed, disorder.seed, "seed", law.seed);
    check_attribute(path, schema::p_ferro, disorder.p_ferro, "model.p_ferro", law.model.p_ferro);
    check_told_model(path, disorder, law);
    if (disorder.drawn) return {};
    check_couplings_of_model(path, disorder, law.model);
    const BondCounts& bonds = disorder.bonds;
    const std::int64_t possible = possible_bonds(disorder, law.model), present = bonds.all_present();
    const double p_ferro = law.model.kind == ModelKind::ferromagnet ? 1.0 : law.model.p_ferro;
    const Comparison positive = compare(bonds.positive, present, p_ferro),
                     absent = compare(possible - present, possible, law.model.p_absent);
    if (share > 1) check_shared(path, disorder, absent.fraction, share);

    std::string found = present == 0
                            ? "without any bond"
                            : fmt::format("{:.4g}% of the couplings are +1", 100.0 * positive.fraction);
    std::vector<std::string> remedies;
    if (!positive.fits) {
        found += fmt::format(" where model.p_ferro is {}{}", p_ferro, positive.deviations);
        remedies.emplace_back("model.p_ferro");
    }
    if (!absent.fits) {
        if (present > 0) found += fmt::format(", {:.4g}% of the bonds are absent", 100.0 * absent.fraction);
        found += fmt::format(" where model.p_absent is {}{}", law.model.p_absent, absent.deviations);
        remedies.emplace_back("model.p_absent");
    }
    if (const std::string open = bonds.open_directions();
        law.model.boundary == Boundary::periodic && !open.empty())
        found += ", no bond crosses the boundary along " + open;
    if (remedies.empty())
        spdlog::info("{}: these are couplings by hand, {}; files made from them say so", path, found);
    else
        spdlog::warn(
            "{}: these are couplings by hand, and {}; give the {} that they have; files made from them say "
            "so",
            path, found, fmt::join(remedies, " and "));
    return "by hand, " + found;
}

}  // namespace psflip
