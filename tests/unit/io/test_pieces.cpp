#include <doctest/doctest.h>

#include "io/datasets.hpp"

using namespace psflip;

TEST_CASE("pieces cover an array in the order of its elements, large planes in whole chunks of rows") {
    const Extents cases[] = {{2, 3, 1, 8, 8}, {1, 2, 1, 3072, 3072}, {1, 1, 1, 2, 4096, 4096}};
    for (const Extents& extents : cases)
        for (const std::int64_t most : {std::int64_t{64}, std::int64_t{1} << 22}) {
            std::int64_t next = 0;
            for_each_piece(extents, 8, most, [&](const Box& box, std::int64_t first) {
                CHECK(first == next);
                std::int64_t at = 0, size = 1;
                for (std::size_t i = 0; i < extents.size(); ++i) {
                    at = at * extents[i] + box.first[i];
                    size *= box.count[i];
                }
                CHECK(at == first);
                const std::int64_t L = extents.back(), rows = (std::int64_t{1} << 17) / L;
                CHECK(size <= std::max(most, L > 8 ? (rows + 1) * L : most));
                next += size;
            });
            std::int64_t all = 1;
            for (const std::int64_t extent : extents) all *= extent;
            CHECK(next == all);
        }
}
