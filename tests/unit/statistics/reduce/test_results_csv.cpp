#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "statistics/reduce/results_csv.hpp"

using namespace psflip;

TEST_CASE("the columns of results.csv are a contract: new ones end the row") {
    CHECK(csv_header({}).starts_with(
        "L,T,beta,n_realizations,energy,energy_err,specific_heat,specific_heat_err,q_abs,q_abs_err,q2,q2_err,"
        "q4,q4_err,binder,binder_err,chi_sg,chi_sg_err,xi_over_L,xi_over_L_err,q_link,q_link_err,swap_rate,"
        "round_trips,equilibrated_fraction,chi_kmin,chi_kmin_err,q2_spread,q2_spread_err,guerra,guerra_err,"
        "q_link_variance,q_link_variance_err,q2_link_correlation,q2_link_correlation_err,q2_dbeta,q2_dbeta_"
        "err,"
        "binder_dbeta,binder_dbeta_err,xi_over_L_dbeta,xi_over_L_dbeta_err"));
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
}

TEST_CASE("running averages") {
    RunningAverage average(2);
    CHECK(std::isnan(average.mean()[0]));
    for (double x : {1.0, 2.0, 4.0, 9.0}) average.add([&](std::size_t i) { return x + 10.0 * i; });
    CHECK(average.mean()[1] == doctest::Approx(14.0));
    CHECK(average.error()[0] == doctest::Approx(std::sqrt(38.0 / 12.0)));
    CHECK(average.samples() == 4);
}
