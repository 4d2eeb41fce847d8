#include "disorder/occupation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "config/config.hpp"
#include "disorder/drawn_law.hpp"
#include "disorder/vector_disorder.hpp"
#include "io/datasets.hpp"
#include "io/file.hpp"
#include "io/hash.hpp"
#include "io/schema.hpp"
#include "model/model.hpp"
#include "random/purposes.hpp"

namespace psflip {
namespace {

DrawnLaw drawn_law(const OccupationLaw& law) {
    return {law.seed, law.text, law.L, law.model.dimension, ModelKind::heisenberg};
}

Extents occupation_extents(const OccupationLaw& law, std::int64_t count) {
    Extents extents{count};
    extents.insert(extents.end(), static_cast<std::size_t>(law.model.dimension), law.L);
    return extents;
}

DatasetTable occupation_table(int dimension) {
    return [dimension](const std::string& name) {
        constexpr DatasetRow rows[] = {
            {schema::occupation, "1", "Species of the sites: 0 for a, 1 for b.", "realization, z, y, x"}};
        return in_dimensions(row_named(rows, name), dimension);
    };
}

std::vector<std::uint8_t> drawn_species(const OccupationLaw& law, std::int64_t first, std::int64_t count) {
    return draw_species({random_key(law.model, law.seed, law.L), law.L, law.model.dimension, first, count},
                        law.model.concentration);
}

void check_shape_of(const InputFile& file, const OccupationLaw& law) {
    if (!file.has(schema::occupation))
        throw InputError(
            fmt::format("{}: the file has no dataset {}, which vector spins need; make the file with "
                        "gen-disorder and this configuration",
                        file.path(), schema::occupation));
    check_disorder_shape(file, schema::occupation, occupation_extents(law, 1), law.model.dimension);
}

bool ends_are_drawn(const OccupationLaw& law, const Occupation& found) {
    for (const std::int64_t local : {std::int64_t{0}, found.count - 1})
        if (!std::ranges::equal(drawn_species(law, found.first + local, 1),
                                std::span(found.species)
                                    .subspan(static_cast<std::size_t>(local * law.sites()),
                                             static_cast<std::size_t>(law.sites()))))
            return false;
    return true;
}

/// Returns the origin as couplings_origin does: the fraction of species b, with a warning if it does not fit
/// model.concentration.
std::string species_by_hand(const std::string& path, const OccupationLaw& law,
                            const std::vector<std::uint8_t>& species) {
    const auto sites = static_cast<double>(species.size()),
               b = static_cast<double>(std::ranges::count(species, 1));
    const double concentration = law.model.concentration;
    const double deviation = std::sqrt(sites * concentration * (1.0 - concentration));
    std::string text = fmt::format("by hand, {:.4g}% of the sites are b", 100.0 * b / sites);
    if (std::fabs(b - sites * concentration) <= max_deviations * deviation) {
        spdlog::info("{}: species {}; files made from them say so", path, text);
        return text;
    }
    text += fmt::format(" where model.concentration is {}", concentration);
    spdlog::warn("{}: species {}; give the model.concentration that they have; files made from them say so",
                 path, text);
    return text;
}

}  // namespace

OccupationLaw occupation_law(const Parameters& parameters) {
    return {parameters.seed, parameters.model, parameters.model_yaml(), parameters.L};
}

void check_existing_occupation(const std::string& path, const OccupationLaw& law, std::int64_t first,
                               std::int64_t count) {
    check_existing_law(path, drawn_law(law), schema::occupation, first, count, "vector spins");
}

void write_occupation(const std::string& path, const OccupationLaw& law, std::int64_t first,
                      std::int64_t count, const Provenance& provenance, int threads) {
    check_realizations(first, count);
    OutputFile file(path, schema::disorder, provenance, occupation_table(law.model.dimension), threads);
    write_drawn_law(file, drawn_law(law), first, count);
    file.write(schema::occupation, occupation_extents(law, count), drawn_species(law, first, count));
    file.commit();
}

Occupation read_occupation(const std::string& path, const OccupationLaw& law, int threads) {
    const InputFile file(path, schema::disorder, threads);
    Occupation found;
    found.first = file.integer_attribute(schema::first_realization, 0, max_packs - 1);
    check_shape_of(file, law);
    check_told_law(file, drawn_law(law), "species");
    const Extents extents = file.shape(schema::occupation);
    found.count = extents[0];
    check_realizations(found.first, found.count);
    found.species = read_in_range<std::uint8_t>(file, schema::occupation, extents, {0, 1});
    found.hash = occupation_hash(found.species);
    if (!ends_are_drawn(law, found)) {
        found.origin = species_by_hand(path, law, found.species);
    }
    return found;
}

std::string occupation_hash(const std::vector<std::uint8_t>& species) {
    Hasher hash;
    hash.add(species.data(), species.size());
    return hash.hex();
}

}  // namespace psflip
