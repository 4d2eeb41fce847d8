#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "exact_averages.hpp"

using namespace psflip;
using reference::World;

namespace {

constexpr int copies = 100, sweeps_before = 30, sweeps_measured = 60, sweeps_between = 3, sweeps_per_swap = 2;

struct NamedWorld {
    std::string name;
    World world;
};

World world_of(int dimension, int L, std::vector<double> temperatures) {
    World world;
    world.seed = 20261122;
    world.L = L;
    world.dimension = dimension;
    world.replicas = 2;
    world.temperatures = std::move(temperatures);
    world.share = 1;
    return world;
}

bool has_isolated_site(const World& world, const std::vector<std::int8_t>& bonds) {
    const int N = world.sites(), L = world.L;
    std::vector<bool> held(N, false);
    for (int site = 0; site < N; ++site) {
        const int next[2] = {site / L * L + (site + 1) % L, (site + L) % N};
        for (int axis = 0; axis < 2; ++axis)
            if (bonds[axis * N + site] != 0) held[site] = held[next[axis]] = true;
    }
    return std::find(held.begin(), held.end(), false) != held.end();
}

std::vector<NamedWorld> worlds() {
    std::vector<NamedWorld> all;
    const std::vector<double> temperatures{1.0, 1.7};
    for (bool heat_bath : {false, true}) {
        const auto add = [&](const char* name, World world) {
            world.heat_bath = heat_bath;
            all.push_back({std::string(name) + (heat_bath ? ", heat bath" : ", Metropolis"), world});
        };
        World world = world_of(2, 4, temperatures);
        add("glass", world);
        world.field = 0.4;
        add("glass in a field", world);
        world.field = -1.3;
        world.p_absent = 0.3;
        add("diluted glass in a field", world);
        world = world_of(2, 4, temperatures);
        world.p_absent = 0.5;
        add("diluted glass with an isolated spin", world);
        world = world_of(2, 4, temperatures);
        world.open = true;
        add("glass with open boundaries", world);
        world = world_of(2, 4, {2.0, 3.0});
        world.ferromagnet = true;
        world.field = 0.1;
        add("ferromagnet in a field", world);
        world = world_of(3, 2, {2.0, 3.0});
        world.field = 0.7;
        world.p_absent = 0.2;
        add("three-dimensional glass, diluted, in a field", world);
    }
    return all;
}

/// E, M, M^2 of both replicas and q^2 at each temperature, averaged over the sweeps of one copy: a simulation
/// of the same bonds with the numbers of another realization.
std::vector<double> measured(const World& world, const std::vector<std::int8_t>& bonds, int copy) {
    reference::Realization lattices(world, copy, bonds.data());
    lattices.random_start();
    std::vector<double> sums(world.slots() * exact::n_observables, 0.0);
    for (int s = 1; s <= sweeps_before + sweeps_measured; ++s) {
        lattices.sweep(s - 1);
        if (s % sweeps_per_swap == 0) lattices.exchange(s, sweeps_per_swap);
        if (s <= sweeps_before || s % sweeps_between != 0) continue;
        for (int slot = 0; slot < world.slots(); ++slot) {
            double* sum = sums.data() + slot * exact::n_observables;
            for (int replica : {0, 1}) {
                const double M = lattices.magnetisation(replica, slot);
                sum[0] += 0.5 * (lattices.energy(replica, slot) - world.field * M);
                sum[1] += 0.5 * M;
                sum[2] += 0.5 * M * M;
            }
            double q = 0;
            for (int site = 0; site < world.sites(); ++site)
                q += static_cast<double>(lattices.spin(0, slot, site) * lattices.spin(1, slot, site)) /
                     world.sites();
            sum[3] += q * q;
        }
    }
    for (double& sum : sums) sum *= static_cast<double>(sweeps_between) / sweeps_measured;
    return sums;
}

}  // namespace

TEST_CASE("the naive reference has the exact averages of small lattices") {
    double total = 0, degrees = 0;
    for (auto& [name, world] : worlds()) {
        std::vector<std::int8_t> bonds = couplings(world);
        while (name.find("isolated") != std::string::npos && !has_isolated_site(world, bonds)) {
            ++world.first_realization;
            bonds = couplings(world);
        }
        std::vector<double> expected;
        for (double temperature : world.temperatures)
            for (double value : exact::averages(world, bonds, temperature)) expected.push_back(value);
        std::vector<std::vector<double>> rows;
        for (int copy = 0; copy < copies; ++copy) rows.push_back(measured(world, bonds, copy));
        const double found = exact::chi_squared(rows, expected), of = static_cast<double>(expected.size());
        CHECK_MESSAGE(found < exact::chi_squared_point(of, 3.7), name, ": chi^2 ", found, " of ", of);
        total += found;
        degrees += of;
    }
    MESSAGE("chi^2 ", total, " of ", degrees);
    CHECK(total > exact::chi_squared_point(degrees, -3.09));  // 0.1%
    CHECK(total < exact::chi_squared_point(degrees, 3.09));   // 99.9%
}

TEST_CASE("without bonds, in a field, m = tanh(beta h)") {
    for (bool heat_bath : {false, true}) {
        World world = world_of(2, 4, {0.8, 1.5, 4.0});
        world.field = 0.6;
        world.heat_bath = heat_bath;
        const std::vector<std::int8_t> none(2 * world.sites(), 0);
        std::vector<std::vector<double>> rows;
        for (int copy = 0; copy < copies; ++copy) {
            const std::vector<double> all = measured(world, none, copy);
            rows.push_back({});
            for (int slot = 0; slot < world.slots(); ++slot)
                rows.back().push_back(all[slot * exact::n_observables + 1] / world.sites());
        }
        std::vector<double> expected;
        for (double temperature : world.temperatures)
            expected.push_back(std::tanh(world.field / temperature));
        const double found = exact::chi_squared(rows, expected);
        CHECK(found > exact::chi_squared_point(3, -3.09));
        CHECK(found < exact::chi_squared_point(3, 3.09));
    }
}

TEST_CASE("without bonds and field, spins flip independently of one another and of replicas") {
    World world = world_of(2, 4, {0.5, 1.0});
    const std::vector<std::int8_t> none(2 * world.sites(), 0);
    std::vector<std::vector<double>> rows;
    for (int copy = 0; copy < copies; ++copy) {
        const std::vector<double> all = measured(world, none, copy);
        rows.push_back(
            {all[2] / world.sites(), all[3] * world.sites(), all[6] / world.sites(), all[7] * world.sites()});
    }
    const double found = exact::chi_squared(rows, {1, 1, 1, 1});
    CHECK(found < exact::chi_squared_point(4, 3.09));
}
