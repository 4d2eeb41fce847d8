#include <doctest/doctest.h>

#include <memory>

#include "reference/cases.hpp"
#include "unit/model/exact_averages.hpp"

using namespace psflip;

namespace {

/// Energy per site of the periodic L x L ferromagnet, by tests/physics/kaufman.py.
struct Known {
    int L;
    std::vector<double> temperatures, energies;
};

const Known known[] = {
    {8,
     {1.7, 2.0, 2.269185, 2.6, 3.5},
     {-1.898142861043092, -1.7456831702931994, -1.491589467389289, -1.1189710274636722, -0.6649053811961507}},
    {16,
     {1.7, 2.0, 2.269185, 2.6, 3.5},
     {-1.8981729339362396, -1.7455306689909187, -1.4530653237259865, -1.0391100111424196,
      -0.6601329131616208}}};

/// Means of the energies per site, (realization, temperature): realizations are independent copies.
std::vector<std::vector<double>> measured(const Known& of, Update update) {
    constexpr int thermalization = 2000, measurements = 2000, sweeps_between = 5;
    reference::World world;
    world.seed = 20261122;
    world.L = of.L;
    world.dimension = 2;
    world.ferromagnet = true;
    world.heat_bath = update == Update::heat_bath;
    world.share = 1;
    world.realizations = 128;
    world.temperatures = of.temperatures;
    const auto ensemble = make_ising_ensemble({{"cpu", 0},
                                               reference::shape_of(world),
                                               reference::betas_of(world),
                                               world.seed,
                                               couplings(world),
                                               0,
                                               reference::model_of(world)});
    ensemble->sweep(0, thermalization);  // all spins were -1
    std::vector<std::vector<double>> rows(world.realizations, std::vector<double>(world.slots(), 0.0));
    for (int i = 0; i < measurements; ++i) {
        ensemble->sweep(thermalization + i * sweeps_between, sweeps_between);
        ensemble->compute_energies();
        const std::vector<std::int32_t> E = ensemble->energies();
        for (int t = 0; t < world.slots(); ++t)
            for (std::int64_t r = 0; r < world.realizations; ++r)
                rows[r][t] +=
                    static_cast<double>(E[t * world.realizations + r]) / measurements / world.sites();
    }
    return rows;
}

}  // namespace

TEST_CASE("the two-dimensional ferromagnet has Kaufman's energies") {
    double total = 0, degrees = 0;
    for (Update update : {Update::metropolis, Update::heat_bath})
        for (const Known& of : known) {
            const double found = exact::chi_squared(measured(of, update), of.energies);
            const auto values = static_cast<double>(of.energies.size());
            MESSAGE("L = ", of.L, ", ", std::string(name(update)), ": chi^2 ", found, " of ", values);
            CHECK(found < exact::chi_squared_point(values, 3.7));
            total += found;
            degrees += values;
        }
    CHECK(total > exact::chi_squared_point(degrees, -3.09));  // 0.1%
    CHECK(total < exact::chi_squared_point(degrees, 3.09));   // 99.9%
}
