#include "reference/cases.hpp"

namespace psflip::reference {

std::vector<Case> demon_model_cases() {
    std::vector<Case> cases;
    const auto add = [&cases](Case which, int sites) {
        which.world.demon_sites = sites;
        which.name = "demon of " + std::to_string(sites) + " sites " + which.name;
        cases.push_back(std::move(which));
    };
    const int sites[] = {16, 7, 32, 1};
    std::size_t number = 0;
    for (const Case& which : model_cases()) {
        const World& world = which.world;
        const bool has_rule = world.field != 0.0 || world.p_absent > 0.0 || world.open;
        if (world.share != 1 || !has_rule || (world.heat_bath && !world.open)) continue;
        add(which, sites[number++ % 4]);
        cases.back().world.heat_bath = false;
        if (world.p_absent < 0.5) continue;
        add(which, 16);  // spins without bonds in a field
        cases.back().world.heat_bath = false;
        cases.back().world.field = world.replicas == 2 ? 0.0 : -0.05;
        cases.back().name = "field " + cases.back().name;
    }
    return cases;
}

}  // namespace psflip::reference
