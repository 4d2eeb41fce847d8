#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "statistics/reduce/results_csv.hpp"

using namespace psflip;

namespace {

/// "a b" gives ",a,a_err,b,b_err".
std::string with_errors(const std::string& names) {
    std::istringstream words(names);
    std::string text, name;
    while (words >> name) text += "," + name + "," + name + "_err";
    return text;
}

}  // namespace

TEST_CASE("the columns of results.csv are a contract: new ones end the row") {
    const std::string head = "L,T,beta,n_realizations" + with_errors("energy specific_heat"),
                      plain = ",swap_rate,round_trips,equilibrated_fraction";
    const std::string glass = head + with_errors("q_abs q2 q4 binder chi_sg xi_over_L q_link") + plain +
                              with_errors("chi_kmin q2_spread guerra q_link_variance q2_link_correlation");
    const std::string magnetic = with_errors("m_abs m2 m4 binder_m chi_m xi_m_over_L chi_m_total"),
                      slopes = with_errors("q2_dbeta binder_dbeta xi_over_L_dbeta"),
                      magnetic_slopes =
                          with_errors("m2_dbeta binder_m_dbeta xi_m_over_L_dbeta chi_m_connected");
    CHECK(csv_header(measured_of({}, false)) == glass + slopes);
    CHECK(csv_header(measured_of({}, true)) == glass + magnetic + slopes + magnetic_slopes);
    CHECK(csv_header(measured_of({.kind = ModelKind::ferromagnet}, false)) ==
          head + magnetic + plain + magnetic_slopes);
    CHECK(csv_header(measured_of({}, false), true) ==
          glass + slopes + ",houdayer_acceptance,houdayer_cluster_size");
}

TEST_CASE("a row per temperature, the swap rate of a pair in the row of its colder slot") {
    SizeResults size;
    size.sample.L = 4;
    size.sample.temperature = {0.5, 1.25};
    size.sample.realizations = 2;
    size.equilibrated = {1, 0};
    size.swap_rate = RunningAverage(1);
    size.round_trips = RunningAverage(1);
    for (double rate : {0.25, 0.75}) {
        size.swap_rate.add([&](std::size_t) { return rate; });
        size.round_trips.add([](std::size_t) { return 6.0; });
    }
    const AverageTable averages(n_averages, AverageCurve{{0.1, NAN}, {-2.0, 0.5}});
    std::string first = "4,0.5,2,2", second = "4,1.25,0.8,2";
    std::string first_end = ",0.5,6,0.5", second_end = ",,6,0.5";
    for (const Average average : averages_of({})) {
        const bool begins = average->columns == Columns::first;
        (begins ? first : first_end) += ",0.1,nan";
        (begins ? second : second_end) += ",-2,0.5";
    }
    CHECK(csv_rows(size, averages) == first + first_end + "\n" + second + second_end + "\n");
    CHECK(csv_rows(size, averages, true) == first + first_end + ",,\n" + second + second_end + ",,\n");
    size.houdayer = HoudayerCounts(1, 2);
    size.houdayer.moves = {8, 0}, size.houdayer.clusters = {4, 0}, size.houdayer.sites = {42, 0};
    CHECK(csv_rows(size, averages, true) == first + first_end + ",0.5,10.5\n" + second + second_end + ",,\n");
    CHECK(std::ranges::count(first + first_end, ',') == std::ranges::count(csv_header({}), ','));
}

TEST_CASE("running averages") {
    RunningAverage average(2);
    CHECK(std::isnan(average.mean()[0]));
    for (double x : {1.0, 2.0, 4.0, 9.0}) average.add([&](std::size_t i) { return x + 10.0 * i; });
    CHECK(average.mean()[1] == doctest::Approx(14.0));
    CHECK(average.error()[0] == doctest::Approx(std::sqrt(38.0 / 12.0)));
    CHECK(average.samples() == 4);
}
