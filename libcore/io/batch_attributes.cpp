#include "io/batch_attributes.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "config/keys.hpp"
#include "config/limits.hpp"
#include "io/datasets.hpp"
#include "io/schema.hpp"

namespace psflip {

void write_batch_attributes(OutputFile& file, std::int64_t first_realization, std::int64_t realizations,
                            int L, const std::string& physics, const std::string& couplings_origin) {
    file.attribute(schema::first_realization, first_realization);
    file.attribute(schema::realizations, realizations);
    file.attribute(schema::size, std::int64_t{L});
    file.attribute(schema::physics, physics);
    if (!couplings_origin.empty()) file.attribute(schema::couplings_origin, couplings_origin);
}

BatchAttributes read_batch_attributes(const InputFile& file) {
    const Key& L = *find_key("lattice.L");
    BatchAttributes batch{
        file.integer_attribute(schema::first_realization, 0, limits::realizations - 1),
        file.integer_attribute(schema::realizations, 1, limits::realizations),
        static_cast<int>(file.integer_attribute(schema::size, static_cast<std::int64_t>(L.low),
                                                static_cast<std::int64_t>(L.high))),
        file.text_attribute(schema::physics)};
    if (batch.first_realization + batch.realizations > limits::realizations)
        throw InputError(fmt::format("{}: {} = {} and {} = {} reach beyond the last possible realization {}",
                                     file.path(), schema::first_realization, batch.first_realization,
                                     schema::realizations, batch.realizations, limits::realizations - 1));
    return batch;
}

std::string read_couplings_hash(const InputFile& file) {
    std::string hash = file.text_attribute(schema::couplings_hash);
    if (hash.size() == 16 && hash.find_first_not_of("0123456789abcdef") == std::string::npos) return hash;
    throw InputError(
        fmt::format("{}: root attribute {} is damaged: it does not hold 16 hex digits; copy the file again "
                    "or make it anew",
                    file.path(), schema::couplings_hash));
}

std::vector<double> read_temperatures(const InputFile& file) {
    const Key& key = *find_key("temperatures");
    file.require_shape(schema::temperatures, {-1});
    const std::int64_t count = file.shape(schema::temperatures)[0];
    if (count < 1 || count > limits::temperatures)
        throw InputError(fmt::format("{}: dataset {} holds {} temperatures, but 1 to {} are possible",
                                     file.path(), schema::temperatures, count, limits::temperatures));
    return read_ascending<double>(file, schema::temperatures, {key.low, key.high});
}

}  // namespace psflip
