#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "bench/benchmark_cases.hpp"
#include "bench/benchmark_file.hpp"
#include "unit/run/temporary_folder.hpp"

using namespace psflip;

namespace {

BenchmarkResult some_result() {
    BenchmarkResult r;
    r.setup = {.series = "sizes",
               .L = 12,
               .share = 32,
               .replicas = 3,
               .temperatures = 5,
               .columns = 7,
               .realizations = 9,
               .lanes = Lanes::replicas,
               .model = "field3d",
               .site_order = SiteOrder::sliced,
               .production = true};
    r.backend = "cuda";
    r.kernel = "streaming";
    r.device = "cuda \"A\\B\", streaming kernel";
    r.ps_per_flip = 0.0625;
    r.spread = 0.25;
    return r;
}

}  // namespace

TEST_CASE("timings come back from JSON") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.json");
    std::ofstream(path) << rows_json({benchmark_row(some_result()), benchmark_row(some_result())});
    const auto back = read_benchmark_json(path);
    REQUIRE(back.size() == 2);
    const BenchmarkResult &r = back[1], expected = some_result();
    CHECK(same_work(r.setup, expected.setup));
    CHECK(r.setup.series == expected.setup.series);
    CHECK(r.backend == expected.backend);
    CHECK(r.kernel == expected.kernel);
    CHECK(r.device == expected.device);
    CHECK(r.threads == expected.threads);
    CHECK(r.ps_per_flip == expected.ps_per_flip);
    CHECK(r.spread == expected.spread);
    std::ofstream(path) << rows_json({});
    CHECK(read_benchmark_json(path).empty());
}

TEST_CASE("unknown names in timings are refused with file and line") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.json");
    for (const std::string field : {"lanes", "site_order"}) {
        std::ofstream(path) << fmt::format(
            R"([{{"L": 8, "share": 1, "replicas": 1, "temperatures": 1, "columns": 1, "backend": "cpu",
                "ps_per_flip": 1.5, "{}": "nosuch"}}])",
            field);
        std::string message;
        try {
            read_benchmark_json(path);
        } catch (const InputError& error) {
            message = error.what();
        }
        CHECK_MESSAGE(message.starts_with(path + ":1: " + field + ": "), message);
    }
}

TEST_CASE("CSV quotes texts with commas") {
    CHECK(benchmark_row(some_result()).csv_values() ==
          "sizes,cuda,12,32,3,5,7,9,replicas,field3d,0,true,streaming,sliced,0.0625,0.25,"
          "\"cuda \"\"A\\B\"\", streaming kernel\"\n");
    CHECK(rows_csv({benchmark_row(some_result())}).starts_with("series,backend,L,share,"));
}

TEST_CASE("batches fill the processors and fit into memory") {
    BenchmarkCase setup{.L = 8, .replicas = 2, .temperatures = 24};
    CHECK(filling_columns(setup, 1) == 2);
    CHECK(filling_columns(setup, 132) == 198);
    for (const BenchmarkCase& c : sweep_sizes_cases(132)) {
        CAPTURE(c.series);
        CAPTURE(c.L);
        const double sites = 1.0 * c.L * c.L * c.L, gibibytes = 1.0 / (1 << 30);
        CHECK(c.columns >= 1);
        if (c.columns > 1) {
            CHECK(16 * sites * c.replicas * c.temperatures * c.columns * gibibytes <= 2);
            CHECK(3 * 128 * sites * c.columns * gibibytes <= 2);
        }
        if (c.series != "columns" && c.L <= 32) CHECK(c.columns * c.replicas % 132 == 0);
    }
}

TEST_CASE("the sweep over codings has both of them, whose work differs") {
    const auto cases = sweep_lanes_cases();
    CHECK(cases.size() == 84);
    std::set<std::tuple<Lanes, int, int, int>> seen;
    for (const BenchmarkCase& c : cases) {
        CHECK(c.production);
        CHECK(c.share == 1);
        CHECK(c.series == "lanes");
        CHECK(seen.emplace(c.lanes, c.L, c.temperatures, c.realizations).second);
        CHECK_NOTHROW(check_shape(shape_of(c)));
    }
    CHECK(seen.count({Lanes::replicas, 48, 56, 1}) == 1);
    CHECK(seen.count({Lanes::realizations, 8, 24, 256}) == 1);
}

TEST_CASE("the sweep over sizes has the whole table and both curves") {
    std::set<std::tuple<std::string, int, int, int>> seen;
    for (const BenchmarkCase& c : sweep_sizes_cases(132)) {
        CHECK(c.production);
        CHECK(c.replicas == (c.L > 64 ? 4 : 2));
        CHECK(c.temperatures == (c.L > 64 ? 1 : 24));
        CHECK(seen.emplace(c.series, c.L, c.share, c.series == "columns" ? c.columns : 0).second);
    }
    for (int L : {8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256})
        for (int share : {1, 32, 64, 128}) CHECK(seen.count({"table", L, share, 0}) == 1);
    for (int L = 8; L <= 64; L += 2) CHECK(seen.count({"sizes", L, 128, 0}) == 1);
    for (int L : {4, 8, 16})
        for (int columns = 1; columns <= 256; columns *= 2)
            CHECK(seen.count({"columns", L, 128, columns}) == 1);
    CHECK(seen.count({"columns", 64, 128, 8}) == 1);
    CHECK(seen.count({"columns", 64, 128, 256}) == 0);
}
