#include "disorder/drawn_law.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "disorder/couplings.hpp"
#include "io/existing_file.hpp"
#include "io/schema.hpp"
#include "random/purposes.hpp"

namespace psflip {
namespace {

/// Returns the properties in which two equal files agree.
std::string identity_lines(std::int64_t L, std::uint64_t seed, const std::string& text, std::int64_t first,
                           std::int64_t count) {
    return fmt::format("L: {}\nseed: {}\nmodel: {}\nfirst_realization: {}\nrealizations: {}\n", L, seed, text,
                       first, count);
}

}  // namespace

void write_drawn_law(OutputFile& file, const DrawnLaw& law, std::int64_t first, std::int64_t count) {
    file.attribute(schema::first_realization, first);
    file.attribute(schema::realizations, count);
    file.attribute(schema::size, std::int64_t{law.L});
    file.attribute(schema::seed, law.seed);
    file.attribute(schema::model, std::string(name(law.kind)));
    if (law.dimension != 3) file.attribute(schema::dimension, std::int64_t{law.dimension});
    file.attribute(schema::law, law.text);
}

void check_existing_law(const std::string& path, const DrawnLaw& law, const char* dataset, std::int64_t first,
                        std::int64_t count, const char* what) {
    check_existing_file(path, schema::disorder, [&](const InputFile& file) {
        if (!file.has_attribute(schema::seed) || !file.has_attribute(schema::law))
            return fmt::format("its disorder was not drawn by gen-disorder for {}", what);
        return other_lines(
            identity_lines(file.integer_attribute(schema::size, 1, max_sites),
                           file.unsigned_attribute(schema::seed), file.text_attribute(schema::law),
                           file.integer_attribute(schema::first_realization, 0, max_packs - 1),
                           file.has(dataset) ? file.shape(dataset).at(0) : 0),
            identity_lines(law.L, law.seed, law.text, first, count));
    });
}

void check_told_law(const InputFile& file, const DrawnLaw& law, const char* what) {
    const std::string remedy = fmt::format(
        "give the configuration that the {} were drawn with, or draw others with gen-disorder", what);
    if (file.has_attribute(schema::seed) && file.unsigned_attribute(schema::seed) != law.seed)
        throw InputError(fmt::format("{} has seed = {}, but the configuration has seed = {}; {}", file.path(),
                                     file.unsigned_attribute(schema::seed), law.seed, remedy));
    if (file.has_attribute(schema::law) && file.text_attribute(schema::law) != law.text)
        throw InputError(fmt::format("{} was drawn for the model {}, but the configuration has {}; {}",
                                     file.path(), file.text_attribute(schema::law), law.text, remedy));
}

void check_disorder_shape(const InputFile& file, const char* dataset, const Extents& wanted, int dimension) {
    const Extents found = file.shape(dataset);
    const std::span others = std::span(wanted).subspan(1);
    if (!found.empty() && found[0] > 0 && std::ranges::equal(std::span(found).subspan(1), others)) return;
    throw InputError(
        fmt::format("{}: dataset {} has shape ({}) instead of (R, {}): realization (at least one), {}{}y, x",
                    file.path(), dataset, fmt::join(found, ", "), fmt::join(others, ", "),
                    std::ssize(others) > dimension ? "direction, " : "", dimension == 3 ? "z, " : ""));
}

void check_realizations(std::int64_t first, std::int64_t count) {
    check_first_realization(first, 1);
    if (count < 1 || first > max_packs - count)
        throw InputError(fmt::format("{} realizations from number {} on are not within 0 to {}", count, first,
                                     max_packs - 1));
}

}  // namespace psflip
