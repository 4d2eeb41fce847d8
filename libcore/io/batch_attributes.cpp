#include "io/batch_attributes.hpp"

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

}  // namespace psflip
