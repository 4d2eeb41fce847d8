#include <doctest/doctest.h>

#include <algorithm>

#include "base/large_array.hpp"

using namespace psflip;

TEST_CASE("arrays of zeros of any size, in large pages or not") {
    ThreadPool several(3);
    for (const std::size_t n : {0, 1, 1000, 262144, 2000003}) {
        auto zeros = n % 2 == 0 ? large_zeros<double>(n) : large_zeros<double>(n, several);
        REQUIRE(zeros.size() == n);
        CHECK(std::ranges::count(zeros, 0.0) == static_cast<std::ptrdiff_t>(n));
        std::ranges::fill(zeros, 1.5);
        zeros.push_back(2.5);
        CHECK(std::ranges::count(zeros, 1.5) == static_cast<std::ptrdiff_t>(n));
    }
    advise_large_pages(nullptr, 0);
}
