#include "statistics/file_datasets.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "measure/sums.hpp"
#include "run/run_file.hpp"
#include "statistics/average/disorder_average.hpp"

using namespace psflip;

namespace {

/// Complete, a sentence, nothing left to be filled in.
void check_complete(const DatasetInfo& info) {
    CAPTURE(info.doc);
    CHECK_FALSE(info.unit.empty());
    CHECK_FALSE(info.axes.empty());
    CHECK(info.doc.ends_with("."));
    CHECK((info.unit + info.doc + info.axes).find_first_of("{}") == std::string::npos);
}

}  // namespace

TEST_CASE("all sums, observables and averages have unit, doc and axes in files") {
    for (const SumInfo& sum : sum_table)
        for (const bool field : {false, true})
            check_complete(run_dataset(std::string("/blocks/") + sum.name, 2, field));
    for (const ObservableInfo& observable : observable_table)
        for (const char* group : {"/mean/", "/error/"})
            check_complete(observables_dataset(std::string(group) + observable.name));
    for (const AverageInfo& average : average_table)
        for (const char* ending : {"", "_err", "_passing", "_passing_err", "_err_shared"}) {
            const DatasetInfo info = reduced_dataset(std::string("/L128/") + average.name + ending);
            check_complete(info);
            CHECK(info.unit == average.unit);
            CHECK(info.axes == "temperature");
        }
}

TEST_CASE("rules make units, sentences and axes of what tables have") {
    CHECK(run_dataset("/blocks/walker_slot").axes == "block, replica, walker, realization");
    CHECK(run_dataset("/blocks/energy").doc == "Sum, over the measurements of each block, of E, the energy.");
    CHECK(run_dataset("/blocks/energy", 3, true).doc.find("of the bonds") != std::string::npos);
    CHECK(run_dataset("/histogram/link", 2, false).doc.find("link/(2N)") != std::string::npos);
    CHECK(run_dataset("/spins", 2, false).axes == "replica, temperature, pack64, y, x");
    CHECK(run_dataset("/blocks/link").axes == "block, replica pair, temperature, realization");
    CHECK(observables_dataset("/shared/energy").unit == "J^2");
    CHECK(observables_dataset("/shared/q2").unit == "1");
    CHECK(observables_dataset("/tempering/swap_rate").axes == "temperature pair, realization");
    CHECK(observables_dataset("/mean/q2").doc == "Mean over the sweeps that run.discard leaves: <q^2>.");
    CHECK(reduced_dataset("/L4/jackknife/energy").axes == "group, temperature");
    CHECK(reduced_dataset("/L16/paired_energy_z").unit == "sigma");
    CHECK(reduced_dataset("/L16/log2_energy_err").unit == "J");
}

TEST_CASE("names that no file has") {
    for (const char* name : {"", "/", "/L", "/L4", "/L/energy", "/L4/", "/Lx/energy", "energy", "/energy",
                             "/L4/energies", "/L4/jackknife/energy_err"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(reduced_dataset(name), std::logic_error);
        CHECK_THROWS_AS(run_dataset(name), std::logic_error);
        CHECK_THROWS_AS(observables_dataset(name), std::logic_error);
    }
}
