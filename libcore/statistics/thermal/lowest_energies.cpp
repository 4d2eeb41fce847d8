#include "statistics/thermal/lowest_energies.hpp"

#include <algorithm>

namespace psflip {

LowestEnergies lowest_energies(const RunSums& run) {
    if (run.lowest_energy.empty()) return {};
    const std::int64_t R = run.realizations, most = static_cast<std::int64_t>(run.lattice_bonds());
    const std::int64_t half = averaged_from(run.blocks.edges, 0.5);
    LowestEnergies lowest{std::vector<std::int64_t>(R, most), std::vector<std::int64_t>(R, 0),
                          std::vector<std::int64_t>(R, most)};
    for (std::size_t i = 0; i < run.lowest_energy.size(); ++i) {
        const std::size_t r = i % R, block = i / R / run.replicas;
        const std::int64_t E = run.lowest_energy[i];
        if (E < lowest.energy[r]) lowest.count[r] = 0;
        lowest.energy[r] = std::min(lowest.energy[r], E);
        if (E == lowest.energy[r]) lowest.count[r] += run.lowest_count[i];
        if (run.blocks.edges[block + 1] <= half) lowest.first_half[r] = std::min(lowest.first_half[r], E);
    }
    return lowest;
}

}  // namespace psflip
