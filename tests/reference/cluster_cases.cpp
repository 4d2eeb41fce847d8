#include <utility>

#include "reference/case_coverage.hpp"
#include "reference/cases.hpp"

namespace psflip::reference {

std::vector<Case> cluster_cases() {
    std::vector<Case> cases;
    const auto add = [&cases](Case which, int wolff_clusters) {
        World& world = which.world;
        world.ferromagnet = true;
        world.swendsen_wang = wolff_clusters == 0;
        world.wolff_clusters = wolff_clusters;
        world.heat_bath = false;
        for (double& temperature : world.temperatures)
            if (temperature < 40.0) temperature *= world.dimension == 2 ? 1.5 : 2.5;
        which.name =
            (world.swendsen_wang ? "swendsen-wang " : "wolff " + std::to_string(wolff_clusters) + " ") +
            which.name;
        cases.push_back(std::move(which));
    };
    int number = 0;
    for (const Case& which : model_cases()) {
        const World& world = which.world;
        if (world.share != 1 || world.field != 0.0 || world.heat_bath) continue;
        add(which, 0);
        if (world.sites() < 5000 && number++ % 2 == 0) add(which, 1 + number % 5);
    }
    for (const Case& which : site_cases()) {
        if (!which.world.ferromagnet) continue;
        add(which, 0);
        add(which, 3);
        Case other = which;
        other.world.dimension = 3;
        other.world.L = 32;
        other.name = "3d " + other.name;
        add(other, 0);
        add(other, 2);
    }
    require_distinct_names(cases);
    return cases;
}

}  // namespace psflip::reference
