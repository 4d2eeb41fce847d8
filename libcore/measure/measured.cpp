#include "measure/measured.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "io/file.hpp"
#include "io/schema.hpp"
#include "measure/sums.hpp"

namespace psflip {

Measured measured_of(const Model& model, bool magnetisation) {
    const bool ferromagnet = model.kind != ModelKind::edwards_anderson, field = model.field != 0.0;
    return {.dimension = model.dimension,
            .overlaps = !ferromagnet,
            .magnetisation = magnetisation || ferromagnet || field,
            .field = field,
            .absent_bonds = model.has_absent_bonds(),
            .components = model.components(),
            .staggered = model.staggered,
            .overlap_tensor = model.random_sites,
            .real_couplings = model.gaussian,
            .clusters = model.update == Update::swendsen_wang};
}

Measured measured_in(const InputFile& file, const Measured& asked) {
    Measured found = asked;
    if (asked.magnetisation && asked.overlaps && !asked.field)
        found.magnetisation =
            file.has(std::string(schema::blocks_group) + "/" + info(Sum::magnetisation).name);
    if (asked.clusters)
        found.clusters =
            file.has(std::string(schema::blocks_group) + "/" + info(Sum::magnetisation2_improved).name);
    return found;
}

Measured common(const Measured& a, const Measured& b) {
    if (a.dimension != b.dimension || a.overlaps != b.overlaps || a.field != b.field ||
        a.absent_bonds != b.absent_bonds || a.components != b.components ||
        a.real_couplings != b.real_couplings)
        throw std::invalid_argument("measurements of different models have nothing in common");
    Measured both = a;
    both.magnetisation = a.magnetisation && b.magnetisation;
    both.clusters = a.clusters && b.clusters;
    both.equilibrium = a.equilibrium && b.equilibrium;
    both.overlap_tensor = a.overlap_tensor && b.overlap_tensor;
    both.distances = std::min(a.distances, b.distances);
    both.waiting = std::min(a.waiting, b.waiting);
    return both;
}

}  // namespace psflip
