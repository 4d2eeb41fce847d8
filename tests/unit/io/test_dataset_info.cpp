#include "io/dataset_info.hpp"

#include <stdexcept>

#include "io/file.hpp"
#include "unit/io/scratch.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

DatasetInfo of_spins(const std::string& name) {
    constexpr DatasetRow rows[] = {{"/spins", "1", "Up or down.", "z, y, x"}};
    return row_named(rows, name);
}

}  // namespace

TEST_CASE("a dataset gets unit, doc and axes from its table, written at once or in rows") {
    const Scratch scratch;
    const std::vector<std::int64_t> spins{1, 0};
    for (const bool in_rows : {false, true}) {
        OutputFile out(scratch.path("state.h5"), "state", {}, of_spins);
        if (in_rows)
            out.create<std::int64_t>("/spins", {2, 1, 1});
        else
            out.write("/spins", {2, 1, 1}, spins);
        out.commit();
        const InputFile in(scratch.path("state.h5"), "state");
        CHECK(in.text_attribute("/spins@unit") == "1");
        CHECK(in.text_attribute("/spins@doc") == "Up or down.");
        CHECK(in.text_attribute("/spins@axes") == "z, y, x");
    }
}

TEST_CASE("a dataset that no table has cannot be written") {
    const Scratch scratch;
    OutputFile out(scratch.path("state.h5"), "state", {}, of_spins);
    CHECK_THROWS_AS(out.write("/spin", {1}, std::vector<double>{1.0}), std::logic_error);
    CHECK_THROWS_AS(out.create<double>("/group/spins", {1}), std::logic_error);
}
