#include "disorder/real_couplings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.hpp"
#include "base/log.hpp"
#include "disorder/couplings.hpp"
#include "disorder/drawn_law.hpp"
#include "io/datasets.hpp"
#include "io/file.hpp"
#include "io/hash.hpp"
#include "io/schema.hpp"
#include "random/purposes.hpp"

namespace psflip {
namespace {

constexpr const char* glass = "Gaussian couplings";

DrawnLaw drawn(const GaussianLaw& law) {
    return {law.seed, law.text, law.L, law.model.dimension, ModelKind::edwards_anderson};
}

Extents real_couplings_extents(const GaussianLaw& law, std::int64_t count) {
    Extents extents{count, law.model.dimension};
    extents.insert(extents.end(), static_cast<std::size_t>(law.model.dimension), law.L);
    return extents;
}

DatasetTable real_couplings_table(int dimension) {
    return [dimension](const std::string& name) {
        constexpr DatasetRow rows[] = {
            {schema::couplings, "J", "Couplings of the bonds to the neighbours one step up along each axis.",
             "realization, direction, z, y, x"}};
        return in_dimensions(row_named(rows, name), dimension);
    };
}

bool real_ends_are_drawn(const GaussianLaw& law, const RealCouplings& found) {
    const auto bonds = static_cast<std::size_t>(law.model.dimension * law.part(0, 1).sites());
    for (const std::int64_t local : {std::int64_t{0}, found.count - 1})
        if (!std::ranges::equal(
                draw_gaussian_couplings(law.part(found.first + local, 1)),
                std::span(found.couplings).subspan(static_cast<std::size_t>(local) * bonds, bonds)))
            return false;
    return true;
}

/// Returns the origin of given couplings, as couplings_origin does. The text names the moments of the present
/// bonds, the number of absent bonds (exactly 0) and directions without bonds across the boundary. If a
/// Gaussian law does not fit them, this also gives a warning.
std::string real_couplings_by_hand(const std::string& path, const GaussianLaw& law,
                                   const RealCouplings& found) {
    BondCounts bonds;
    bonds.add<double>(0, found.couplings, law.model.dimension, law.L);
    const std::int64_t all = std::ssize(found.couplings), present = bonds.all_present();
    const auto count = static_cast<double>(present);
    double sum = 0.0, squares = 0.0;
    for (const double J : found.couplings) {
        sum += J;
        squares += J * J;
    }
    std::string text = present == 0 ? "by hand, without any bond"
                                    : fmt::format("by hand, of mean {:.4g} and mean square {:.4g}",
                                                  sum / count, squares / count);
    if (present > 0 && present < all)
        text += fmt::format(", {:.4g}% of the bonds are absent",
                            100.0 - 100.0 * count / static_cast<double>(all));
    if (const std::string open = bonds.open_directions(); !open.empty())
        text += ", no bond crosses the boundary along " + open;
    const bool fits = present == all && std::fabs(sum) <= max_deviations * std::sqrt(count) &&
                      std::fabs(squares - count) <= max_deviations * std::sqrt(2.0 * count);
    if (fits)
        spdlog::info("{}: couplings {}; files made from them say so", path, text);
    else
        spdlog::warn(
            "{}: couplings {}, where model.couplings = gaussian has mean 0, mean square 1, every bond and "
            "periodic boundaries; files made from them say so",
            path, text);
    return text;
}

}  // namespace

GaussianLaw gaussian_law(const Parameters& parameters) {
    return {parameters.seed, parameters.model, parameters.model_yaml(), parameters.L};
}

void check_existing_real_couplings(const std::string& path, const GaussianLaw& law, std::int64_t first,
                                   std::int64_t count) {
    check_existing_law(path, drawn(law), schema::couplings, first, count, glass);
}

void write_real_couplings(const std::string& path, const GaussianLaw& law, std::int64_t first,
                          std::int64_t count, const Provenance& provenance, int threads) {
    check_realizations(first, count);
    OutputFile file(path, schema::disorder, provenance, real_couplings_table(law.model.dimension), threads);
    write_drawn_law(file, drawn(law), first, count);
    file.write(schema::couplings, real_couplings_extents(law, count),
               draw_gaussian_couplings(law.part(first, count)));
    file.commit();
}

RealCouplings read_real_couplings(const std::string& path, const GaussianLaw& law, int threads) {
    const InputFile file(path, schema::disorder, threads);
    RealCouplings found;
    found.first = file.integer_attribute(schema::first_realization, 0, max_packs - 1);
    check_disorder_shape(file, schema::couplings, real_couplings_extents(law, 1), law.model.dimension);
    check_told_law(file, drawn(law), "couplings");
    const Extents extents = file.shape(schema::couplings);
    found.count = extents[0];
    check_realizations(found.first, found.count);
    found.couplings =
        read_in_range<double>(file, schema::couplings, extents, {-max_real_coupling, max_real_coupling});
    found.hash = real_couplings_hash(found.couplings);
    if (!real_ends_are_drawn(law, found)) found.origin = real_couplings_by_hand(path, law, found);
    return found;
}

std::string real_couplings_hash(const std::vector<double>& couplings) {
    Hasher hash;
    hash.add(couplings.data(), couplings.size() * sizeof(double));
    return hash.hex();
}

}  // namespace psflip
