#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "model/class_table.hpp"
#include "model/model.hpp"
#include "model/thresholds.hpp"

using namespace psflip;

namespace {

/// Calls visit(model, classes, table, beta) for many models and temperatures.
template <class Visit>
void for_tables(Visit visit) {
    for (int dimension : {2, 3})
        for (Update update : {Update::metropolis, Update::heat_bath})
            for (double field : {0.0, 0.05, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, -0.7, -2.0})
                for (double temperature : {0.05, 0.1, 0.2, 0.5, 1.0, 1.1019, 2.269185, 4.5, 20.0, 100.0})
                    for (Classes classes : {Classes::unsatisfied, Classes::with_absent}) {
                        Model model;
                        model.dimension = dimension;
                        model.update = update;
                        model.field = field;
                        visit(model, classes, ClassTable(model, 1.0 / temperature, classes),
                              1.0 / temperature);
                    }
}

int class_v(Classes classes, int c) {
    return classes == Classes::with_absent ? c : 2 * c;
}

}  // namespace

TEST_CASE("thresholds follow the contract and ascend with the class") {
    for_tables([](const Model& model, Classes classes, const ClassTable& table, double beta) {
        CHECK(table.classes() == (classes == Classes::with_absent ? 2 : 1) * model.degree() + 1);
        for (int s : {-1, +1}) {
            const ClassTable::List& list = table.thresholds(s);
            int always = 0;
            for (int c = 0; c < table.classes(); ++c) {
                const double cost = 2 * (model.degree() - class_v(classes, c)) + 2 * model.field * s;
                if (model.update == Update::metropolis && cost <= 0) {
                    ++always;
                    continue;
                }
                REQUIRE(c < list.count);
                const long double p = model.update == Update::metropolis
                                          ? std::exp(-static_cast<long double>(beta) * cost)
                                          : 1 / (1 + std::exp(static_cast<long double>(beta) * cost));
                const long double exact = std::min(4294967296.0L * p, 4294967295.0L);
                CHECK(std::abs(static_cast<long double>(list.threshold[c]) - exact) <= 0.50001L);
                if (c > 0) CHECK(list.threshold[c] >= list.threshold[c - 1]);
            }
            CHECK(list.count + always == table.classes());
        }
    });
}

TEST_CASE("v_min counts the thresholds that R is not below: the flip by class is the flip by threshold") {
    for_tables([](const Model&, Classes, const ClassTable& table, double) {
        for (int s : {-1, +1}) {
            const ClassTable::List& list = table.thresholds(s);
            for (int of = 0; of < list.count; ++of)
                for (std::uint32_t step : {0xFFFFFFFFu, 0u, 1u}) {
                    const std::uint32_t R = list.threshold[of] + step;
                    for (int c = 0; c < table.classes(); ++c) {
                        const bool below = c >= list.count || R < list.threshold[c];
                        REQUIRE((c >= table.v_min(R, s)) == below);
                    }
                }
        }
    });
}

TEST_CASE("without field and absent bonds the table is that of the plain rule") {
    for (double temperature : {0.2, 1.0, 3.0}) {
        const Thresholds plain = metropolis_thresholds(1.0 / temperature);
        Model model;
        const ClassTable cubic(model, 1.0 / temperature, Classes::unsatisfied);
        model.dimension = 2;
        const ClassTable square(model, 1.0 / temperature, Classes::unsatisfied);
        for (int s : {-1, +1}) {
            CHECK(cubic.thresholds(s) == ClassTable::List{{plain.c12, plain.c8, plain.c4}, 3});
            CHECK(square.thresholds(s) == ClassTable::List{{plain.c8, plain.c4}, 2});
        }
    }
}

TEST_CASE("isolated spins flip by half under Metropolis without field alone; heat bath does it by itself") {
    Model model;
    CHECK(ClassTable(model, 1.0, Classes::with_absent).isolated_by_half());
    model.field = 0.5;
    CHECK_FALSE(ClassTable(model, 1.0, Classes::with_absent).isolated_by_half());
    model.update = Update::demon;
    CHECK_THROWS_AS(ClassTable(model, 1.0, Classes::with_absent), InputError);
    model = Model{};
    model.update = Update::heat_bath;
    const ClassTable table(model, 1.0, Classes::with_absent);
    CHECK_FALSE(table.isolated_by_half());
    for (int s : {-1, +1}) CHECK(table.thresholds(s).threshold[model.degree()] == isolated_threshold);
}

TEST_CASE("heat bath thresholds do not overflow") {
    CHECK(heat_bath_threshold(0.0) == 0x80000000u);
    CHECK(heat_bath_threshold(1e6) == 0u);
    CHECK(heat_bath_threshold(-1e6) == 0xFFFFFFFFu);
    CHECK(heat_bath_threshold(-40.0) == 0xFFFFFFFFu);
    for (double x : {0.1, 1.0, 5.0, 15.0})
        CHECK(std::int64_t{heat_bath_threshold(x)} + heat_bath_threshold(-x) == 4294967296);
}

TEST_CASE("tables that cannot be are refused") {
    CHECK_THROWS_AS(ClassTable(Model{}, -1.0, Classes::unsatisfied), InputError);
    CHECK_THROWS_AS(ClassTable(Model{}, std::nan(""), Classes::unsatisfied), InputError);
    Model model;
    model.dimension = 4;
    CHECK_THROWS_AS(ClassTable(model, 1.0, Classes::unsatisfied), InputError);
}
