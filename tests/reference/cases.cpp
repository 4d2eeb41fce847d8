#include "reference/cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "reference/case_coverage.hpp"

namespace psflip::reference {

namespace {

/// count temperatures from `cold` to `hot`, geometric, in steps of 0.001: the same numbers with any libm.
std::vector<double> ladder(int count, double cold = 0.6, double hot = 2.0) {
    std::vector<double> temperatures;
    for (int t = 0; t < count; ++t)
        temperatures.push_back(
            count == 1
                ? cold
                : std::round(1000 * cold * std::pow(hot / cold, static_cast<double>(t) / (count - 1))) /
                      1000);
    return temperatures;
}

Case make(int L, int share, std::int64_t first, std::int64_t realizations, int replicas,
          std::vector<double> temperatures, std::int64_t thermalize, std::int64_t run, std::int64_t swap) {
    Case c;
    c.world = {
        0x9E3779B97F4A7C15ull + L, L, replicas, std::move(temperatures), share, first, realizations, 0.5};
    c.schedule = {thermalize, swap, 0, run, run, swap, run / swap >= 4 ? 4 : 1, L == 4 ? 50 : 13};
    c.name = "L=" + std::to_string(L) + " share=" + std::to_string(share) +
             " first=" + std::to_string(first) + " realizations=" + std::to_string(realizations) +
             " replicas=" + std::to_string(replicas) + " temperatures=" + std::to_string(c.world.slots());
    return c;
}

/// The first: all kinds of rules; of each the parts that a World takes from it.
std::vector<World> models() {
    std::vector<World> worlds;
    const auto add = [&](double p_ferro, double field, double p_absent, bool open, bool heat_bath) {
        World world;
        world.p_ferro = p_ferro;
        world.field = field;
        world.p_absent = p_absent;
        world.open = open;
        world.heat_bath = heat_bath;
        worlds.push_back(world);
    };
    add(0.5, 0.0, 0.0, false, false);
    add(0.7, 0.3, 0.0, false, false);
    add(0.5, 0.0, 0.4, false, false);
    add(0.5, -2.0, 0.3, false, false);
    add(0.6, 0.0, 0.0, true, false);
    add(0.5, 0.0, 0.8, false, false);  // isolated spins
    add(0.5, 0.0, 0.0, false, true);
    add(0.5, 0.45, 0.0, true, true);
    add(0.8, 0.0, 0.5, true, true);
    add(0.5, -0.7, 0.0, false, true);
    worlds.push_back(worlds[0]);
    worlds.back().ferromagnet = true;
    worlds.push_back(worlds[1]);  // in a field
    worlds.back().ferromagnet = true;
    worlds.back().p_absent = 0.2;
    for (std::size_t i = 0; i < worlds.size(); i += 2) worlds[i].magnetisation = true;
    return worlds;
}

Case with_model(Case c, const World& model, int dimension) {
    World& world = c.world;
    world.dimension = dimension;
    world.p_ferro = model.p_ferro;
    world.field = model.field;
    world.p_absent = model.p_absent;
    world.ferromagnet = model.ferromagnet;
    world.open = model.open;
    world.heat_bath = model.heat_bath;
    world.magnetisation = model.magnetisation;
    char text[120];
    std::snprintf(text, sizeof text, "%dd%s p=%g h=%g absent=%g%s%s ", dimension,
                  world.ferromagnet ? " ferromagnet" : "", world.p_ferro, world.field, world.p_absent,
                  world.open ? " open" : "", world.heat_bath ? " heat bath" : "");
    c.name = text + c.name;
    return c;
}

}  // namespace

std::vector<Case> model_cases() {
    std::vector<Case> cases;
    for (int share : {1, 32, 64, 128}) {
        const std::int64_t first = share == 1 ? 32 : 3 * share;
        int number = 0;
        for (const World& model : models()) {
            const int size = number++ % 3;  // of the larger lattices
            const bool replicon = model.field != 0.0 && !model.ferromagnet;
            if (number > 1) {
                cases.push_back(
                    with_model(make(4, share, first, 70, replicon ? 5 : 2, ladder(5), 4, 8, 2), model, 3));
                cases.push_back(
                    with_model(make(6 + 2 * size, share, 0, 33, 1, ladder(3), 0, 3, 1), model, 3));
            }
            cases.push_back(with_model(make(4, share, 0, 200, 1, ladder(6), 0, 8, 1), model, 2));
            cases.push_back(with_model(
                make(8, share, first, 70, replicon ? 4 : 2, ladder(5, 0.5, 4.0), 4, 8, 2), model, 2));
            cases.push_back(with_model(make(10 + 6 * size, share, 0, 130, 1, ladder(3), 0, 3, 1), model, 2));
        }
        cases.push_back(with_model(make(16, share, 0, 33, 1, ladder(2), 0, 2, 1), models()[3], 3));
        cases.push_back(with_model(make(24, share, 0, 32, 4, ladder(1), 0, 1, 1), models()[1], 3));
        cases.push_back(with_model(make(64, share, 0, 32, 1, ladder(2), 0, 2, 1), models()[0], 2));
        cases.push_back(with_model(make(64, share, 0, 32, 1, ladder(2), 0, 2, 1), models()[8], 2));
        cases.push_back(with_model(make(262, share, 0, 32, 1, ladder(1), 0, 1, 1), models()[0], 2));
    }
    require_distinct_names(cases);
    require_sizes(cases, 3, {4, 6, 8, 10, 16});
    require_sizes(cases, 2, {4, 8, 10, 16, 22, 64, 262});
    require_rules(cases);
    return cases;
}

namespace {

Case with_replica_lanes(Case c) {
    c.world.replica_lanes = true;
    c.name = "lanes=replicas " + c.name;
    return c;
}

}  // namespace

std::vector<Case> replica_cases() {
    std::vector<Case> cases;
    const auto add = [&](int L, std::int64_t realizations, int replicas, int temperatures, std::int64_t run) {
        cases.push_back(with_replica_lanes(
            make(L, 1, 32, realizations, replicas, ladder(temperatures, 0.4, 3.0), 2, run, 2)));
    };
    add(4, 1, 1, 1, 4);
    add(4, 70, 2, 24, 8);
    add(4, 3, 1, 40, 12);  // slots 31 and 32 in two words
    add(4, 2, 3, 33, 8);   // 4 words, 99 lanes
    add(4, 1, 8, 64, 4);   // 16 words
    add(6, 5, 4, 20, 6);   // 3 words
    add(6, 1, 5, 48, 4);   // 8 words, 240 lanes
    add(8, 130, 1, 3, 4);
    add(8, 3, 6, 37, 4);   // 7 words
    add(10, 2, 2, 16, 4);  // one full word
    add(12, 1, 2, 24, 4);
    add(16, 1, 2, 24, 2);  // rows are one register of 512 bits
    add(16, 1, 2, 40, 2);
    add(32, 1, 2, 3, 2);
    int number = 0;
    for (const World& model : models()) {
        const int size = number++ % 3;
        const bool replicon = model.field != 0.0 && !model.ferromagnet;
        const auto world = [&](int L, std::int64_t realizations, int replicas, int temperatures,
                               int dimension) {
            cases.push_back(with_replica_lanes(
                with_model(make(L, 1, 0, realizations, replicas, ladder(temperatures, 0.5, 4.0), 2, 6, 2),
                           model, dimension)));
        };
        if (number > 1) world(4, 3, replicon ? 5 : 2, 13, 3);
        world(6 + 2 * size, 2, 1, 36 + 7 * size, 3);
        world(4, 40, replicon ? 4 : 2, 20, 2);
        world(8 + 6 * size, 2, 1, 5 + 20 * size, 2);
    }
    require_distinct_names(cases);
    return cases;
}

std::vector<Case> replica_demon_cases() {
    std::vector<Case> cases;
    const auto add = [&](int L, std::int64_t realizations, int replicas, int temperatures, int dimension,
                         int sites, bool ferromagnet = false) {
        cases.push_back(with_replica_lanes(with_model(
            make(L, 1, 32, realizations, replicas, ladder(temperatures, 0.4, 3.0), 2, L > 20 ? 2 : 6, 2),
            World{.ferromagnet = ferromagnet}, dimension)));
        cases.back().world.demon_sites = sites;
        cases.back().name = "demon of " + std::to_string(sites) + " sites " + cases.back().name;
    };
    add(4, 40, 2, 24, 3, 16);
    add(4, 2, 3, 33, 3, 256);  // one chain for each h
    add(4, 1, 8, 64, 3, 1);    // 16 words
    add(6, 5, 4, 20, 3, 3, true);
    add(8, 1, 5, 48, 3, 16);  // 8 words
    add(10, 2, 6, 37, 3, 8);  // 7 words; segments of 4, 4 and 2 rows
    add(12, 1, 2, 24, 3, 32);
    add(18, 1, 1, 5, 3, 100);  // layers of 4 planes, the last of 2
    add(34, 1, 2, 24, 3, 16, true);
    add(4, 40, 2, 20, 2, 3);
    add(10, 2, 1, 40, 2, 256, true);
    add(22, 2, 3, 17, 2, 16);
    add(262, 1, 1, 33, 2, 16);  // rows of many registers
    require_distinct_names(cases);
    return cases;
}

std::vector<Case> site_cases() {
    std::vector<Case> cases;
    const auto add = [&](const World& model, int dimension, std::int64_t first, std::int64_t realizations,
                         int replicas, int temperatures, std::int64_t run) {
        cases.push_back(with_model(make(dimension == 3 ? 32 : 64, 1, first, realizations, replicas,
                                        ladder(temperatures, 2.0, 2.05), 1, run, 1),
                                   model, dimension));  // so close that many exchanges are accepted
        cases.back().world.site_lanes = true;
        cases.back().name = "lanes=sites " + cases.back().name;
    };
    const std::vector<World> all = models();
    World ferromagnet = all[0];
    ferromagnet.ferromagnet = true;
    add(all[0], 2, 32, 2, 2, 3, 8);
    add(all[0], 3, 0, 1, 2, 2, 2);
    add(ferromagnet, 2, 0, 1, 1, 4, 4);
    add(all[1], 2, 0, 1, 4, 2, 4);
    add(all[6], 2, 0, 1, 2, 2, 4);
    require_distinct_names(cases);
    return cases;
}

std::vector<Case> demon_cases() {
    std::vector<Case> cases;
    const auto add = [&](Case c, int dimension, int sites, bool ferromagnet = false) {
        cases.push_back(with_model(std::move(c), World{.ferromagnet = ferromagnet}, dimension));
        cases.back().world.demon_sites = sites;
        cases.back().name = "demon of " + std::to_string(sites) + " sites " + cases.back().name;
    };
    for (const int sites : {1, 32}) add(make(4, 1, 32, 70, 2, ladder(5), 4, 8, 2), 3, sites);
    add(make(4, 1, 0, 33, 1, ladder(3), 0, 4, 1), 3, 256, true);
    add(make(8, 1, 0, 130, 2, ladder(3), 2, 4, 2), 3, 16);
    add(make(10, 1, 32, 32, 1, ladder(2), 0, 3, 1), 3, 32, true);
    add(make(12, 1, 0, 64, 1, ladder(7, 0.3, 50.0), 0, 3, 1), 3, 7);
    for (const int L : {16, 18, 34}) add(make(L, 1, 0, 32, 1, ladder(2), 0, 2, 1), 3, L == 16 ? 16 : 32);
    add(make(8, 1, 32, 70, 2, ladder(5, 0.5, 4.0), 4, 8, 2), 2, 3);
    add(make(22, 1, 0, 130, 1, ladder(3), 0, 3, 1), 2, 16, true);
    add(make(262, 1, 0, 32, 1, ladder(1), 0, 1, 1), 2, 16, true);
    const auto add_sites = [&](Case c, int dimension, int sites, bool ferromagnet) {
        add(std::move(c), dimension, sites, ferromagnet);
        cases.back().world.site_lanes = true;
        cases.back().name = "lanes=sites " + cases.back().name;
    };
    add_sites(make(64, 1, 32, 2, 2, ladder(3, 2.0, 2.05), 1, 6, 1), 2, 16, false);
    add_sites(make(64, 1, 0, 1, 1, ladder(2), 0, 2, 1), 2, 1, true);
    add_sites(make(64, 1, 64, 1, 1, ladder(1), 0, 2, 1), 2, 3, false);
    add_sites(make(320, 1, 0, 1, 1, ladder(1, 2.3), 0, 2, 1), 2, 8, true);  // subdomains of 8 + 8 + 4 rows
    add_sites(make(32, 1, 0, 1, 2, ladder(2, 2.0, 2.05), 1, 3, 1), 3, 16, false);
    add_sites(make(32, 1, 32, 1, 1, ladder(1), 0, 2, 1), 3, 10, true);
    add_sites(make(96, 1, 0, 1, 1, ladder(1), 0, 1, 1), 3, 192, false);  // of 8 + 4 planes
    require_distinct_names(cases);
    return cases;
}

std::vector<Case> small_cases() {
    std::vector<Case> cases;
    for (int share : {1, 32, 64, 128}) {
        const std::int64_t first = share == 1 ? 32 : 3 * share;
        cases.push_back(make(4, share, first, 200, 3, ladder(5), 6, 24, 2));
        cases.push_back(
            make(6, share, 0, 128, 2, ladder(4, 0.3, 5.0), 4, 9, 3));  // measures between exchanges
    }
    return cases;
}

std::vector<Case> equality_cases() {
    std::vector<Case> cases = small_cases();
    for (int share : {1, 32, 64, 128}) {
        const int step = share == 1 ? 32 : share;
        cases.push_back(make(4, share, 0, 32, 2, ladder(16), 0, 16, 1));
        cases.push_back(
            make(4, share, 5 * step, 33, 1, ladder(3, 1.0, 1.1), 0, 60, 1));  // close: round trips
        cases.push_back(make(8, share, 0, 64, 2, ladder(5), 4, 8, 2));
        cases.push_back(make(8, share, 7 * step, 200, 1, ladder(4), 2, 4, 2));
        cases.push_back(make(10, share, step, 129, 1, ladder(3), 2, 4, 2));
        cases.push_back(make(12, share, 0, 200, 2, ladder(1), 0, 2, 1));
        cases.push_back(make(16, share, 0, 130, 1, ladder(3), 0, 2, 1));
        cases.push_back(make(20, share, 0, 32, 2, ladder(2), 0, 2, 1));
        cases.push_back(make(32, share, step, 64, 1, ladder(1), 0, 2, 1));
    }
    cases.push_back(make(4, 128, 128, 32, 8, ladder(64, 0.2, 4.0), 0, 3, 1));
    cases.push_back(make(4, 1, 0, 32, 8, ladder(64, 0.2, 4.0), 0, 3, 1));
    cases.push_back(make(4, 128, 0, 64, 1, {0.01, 0.1, 50.0, 1e6}, 0, 12, 1));
    cases.push_back(make(4, 1, 0, 64, 1, {0.01, 0.1, 50.0, 1e6}, 0, 12, 1));
    require_distinct_names(cases);
    require_sizes(cases, 3, {4, 6, 8, 10, 12, 16, 20, 32});
    return cases;
}

const Result& expected(const Case& which) {
    static std::map<std::string, Result> known;
    auto found = known.find(which.name);
    if (found == known.end())
        found =
            known.emplace(which.name, simulate(which.world, which.schedule, couplings(which.world))).first;
    return found->second;
}

namespace {

template <class T>
std::vector<T> columns(const std::vector<T>& values, std::int64_t all, std::int64_t first,
                       std::int64_t count) {
    std::vector<T> chosen;
    for (std::size_t row = 0; row < values.size() / all; ++row)
        for (std::int64_t r = first; r < first + count; ++r) chosen.push_back(values[row * all + r]);
    return chosen;
}

template <class T>
std::vector<T> rows(const std::vector<T>& values, std::int64_t all, std::int64_t first, std::int64_t count) {
    const std::size_t width = values.size() / all;
    return {values.begin() + first * width, values.begin() + (first + count) * width};
}

}  // namespace

Result part(const Result& whole, const World& world, std::int64_t first, std::int64_t count) {
    const std::int64_t all = world.realizations;
    Result cut = whole;
    cut.spins = rows(whole.spins, all, first, count);
    cut.energies = columns(whole.energies, all, first, count);
    cut.magnetisations = columns(whole.magnetisations, all, first, count);
    cut.tempering.walker = rows(whole.tempering.walker, all, first, count);
    cut.tempering.last_end = rows(whole.tempering.last_end, all, first, count);
    cut.tempering.accepted = rows(whole.tempering.accepted, all, first, count);
    cut.tempering.round_trips = rows(whole.tempering.round_trips, all, first, count);
    cut.sums.realizations = count;
    for (auto& values : cut.sums.integers) values = columns(values, all, first, count);
    for (auto& values : cut.sums.reals) values = columns(values, all, first, count);
    cut.sums.histogram = columns(whole.sums.histogram, all, first, count);
    cut.sums.link_histogram = columns(whole.sums.link_histogram, all, first, count);
    cut.sums.lowest_energy = columns(whole.sums.lowest_energy, all, first, count);
    cut.sums.lowest_count = columns(whole.sums.lowest_count, all, first, count);
    return cut;
}

Case part(const Case& whole, std::int64_t first, std::int64_t count) {
    Case cut = whole;
    cut.world.first_realization += first;
    cut.world.realizations = count;
    cut.name += " part " + std::to_string(first) + "+" + std::to_string(count);
    return cut;
}

}  // namespace psflip::reference
