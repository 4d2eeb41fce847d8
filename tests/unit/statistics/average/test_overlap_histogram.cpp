#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "measure/moments.hpp"
#include "statistics/average/overlap_histogram.hpp"

using namespace psflip;

namespace {

using Values = std::vector<double>;

std::int64_t sites_of(int L) {
    return std::int64_t{L} * L * L;
}

/// Counts in the bins of a run of what was measured at each value Q = -N, -N + 2, ..., N.
Values counts_of(const Values& measured, int L, int bins) {
    const std::int64_t N = sites_of(L);
    Values counts(bins, 0.0);
    for (std::int64_t v = 0; v <= N; ++v) counts[histogram_bin(2 * v - N, N, bins)] += measured[v];
    return counts;
}

/// The definition of the header, value by value; widths to `width`.
Values by_definition(const Values& counts, int L, Values& width) {
    const std::int64_t N = sites_of(L), bins = std::ssize(counts);
    Values number(bins, 0.0), p(N + 1), mass(bins, 0.0), density;
    double all = 0.0;
    for (double count : counts) all += count;
    const auto bin_of = [&](std::int64_t v) { return histogram_bin(2 * v - N, N, static_cast<int>(bins)); };
    for (std::int64_t v = 0; v <= N; ++v) number[bin_of(v)] += 1.0;
    for (std::int64_t v = 0; v <= N; ++v) p[v] = counts[bin_of(v)] / (number[bin_of(v)] * all);
    width.assign(bins, 0.0);
    for (std::int64_t v = 0; v <= N; ++v)
        for (std::int64_t b = 0; b < bins; ++b) {
            // inside: b / bins < v / N < (b + 1) / bins
            const std::int64_t from_lower = v * bins - b * N, to_upper = (b + 1) * N - v * bins;
            if (from_lower < 0 || to_upper < 0) continue;
            const bool inner_edge = (from_lower == 0 && b > 0) || (to_upper == 0 && b + 1 < bins);
            const double part = inner_edge ? 0.5 : 1.0;
            mass[b] += part * 0.5 * (p[v] + p[N - v]);
            width[b] += part * 2.0 / static_cast<double>(N);
        }
    for (std::int64_t b = 0; b < bins; ++b) density.push_back(width[b] > 0.0 ? mass[b] / width[b] : NAN);
    return density;
}

Values density_of(const OverlapHistogram& histogram, const Values& counts) {
    Values density(histogram.bins());
    histogram.density(counts, density);
    return density;
}

struct Case {
    int L, bins;
};
const Case cases[] = {{4, 50}, {6, 50}, {10, 50}, {4, 49}, {6, 49}, {10, 49},   {4, 1},
                      {6, 1},  {10, 1}, {4, 64},  {6, 54}, {4, 65}, {4, 10000}, {6, 10000}};

}  // namespace

TEST_CASE("a uniform distribution over the values of q has the same density everywhere") {
    for (const auto [L, bins] : cases) {
        CAPTURE(L);
        CAPTURE(bins);
        const double N = static_cast<double>(sites_of(L));
        const OverlapHistogram histogram(std::int64_t{L} * L * L, bins, true);
        const Values density = density_of(histogram, counts_of(Values(sites_of(L) + 1, 3.0), L, bins));
        double holding = 0.0;
        for (int b = 0; b < bins; ++b) {
            CHECK(std::isnan(density[b]) == (histogram.width()[b] == 0.0));
            if (std::isnan(density[b])) continue;
            CHECK(density[b] == doctest::Approx(0.5 * N / (N + 1.0)).epsilon(1e-13));
            holding += histogram.width()[b];
        }
        CHECK(holding == doctest::Approx(2.0 * (N + 1.0) / N).epsilon(1e-13));
    }
}

TEST_CASE("the densities follow the definition, are symmetric to the last bit and have integral 1") {
    std::mt19937 random(4);
    for (const auto [L, bins] : cases) {
        CAPTURE(L);
        CAPTURE(bins);
        Values measured(sites_of(L) + 1), width;
        for (double& count : measured) count = static_cast<double>(random() % 1000);
        const Values counts = counts_of(measured, L, bins);
        const OverlapHistogram histogram(std::int64_t{L} * L * L, bins, true);
        const Values density = density_of(histogram, counts), expected = by_definition(counts, L, width);
        double integral = 0.0;
        for (int b = 0; b < bins; ++b) {
            CHECK(histogram.width()[b] == doctest::Approx(width[b]).epsilon(1e-13));
            CHECK(histogram.width()[b] == histogram.width()[bins - 1 - b]);
            CHECK(std::isnan(density[b]) == std::isnan(expected[b]));
            if (std::isnan(density[b])) continue;
            CHECK(density[b] == doctest::Approx(expected[b]).epsilon(1e-12));
            CHECK(density[b] == density[bins - 1 - b]);
            integral += density[b] * width[b];
        }
        CHECK(integral == doctest::Approx(1.0).epsilon(1e-13));
    }
}

TEST_CASE("all measurements at one value") {
    // N = 64 and 32 bins: every even value lies on an edge; q = 1 in the last bin, which holds three values.
    const OverlapHistogram histogram(std::int64_t{4} * 4 * 4, 32, true);
    Values measured(65, 0.0);
    measured[64] = 7.0;
    Values density = density_of(histogram, counts_of(measured, 4, 32));
    CHECK(histogram.width()[0] == doctest::Approx(2.5 / 32.0));
    CHECK(histogram.width()[1] == doctest::Approx(2.0 / 32.0));
    CHECK(density[31] == doctest::Approx(0.5 * (2.5 / 3.0) / (2.5 / 32.0)));
    CHECK(density[30] == doctest::Approx(0.5 * (0.5 / 3.0) / (2.0 / 32.0)));
    CHECK(density[0] == density[31]);
    CHECK(density[15] == 0.0);
    // q = 0 on the middle edge: spread over the two values of its bin, half of the lower one to the left.
    measured[64] = 0.0;
    measured[32] = 5.0;
    density = density_of(histogram, counts_of(measured, 4, 32));
    CHECK(density[15] == doctest::Approx(0.5 * (0.75 + 0.25) / (2.0 / 32.0)));
    CHECK(density[16] == density[15]);
    CHECK(density[17] == 0.0);
    // More bins than values: one value in its bin, nothing is spread.
    const OverlapHistogram fine(std::int64_t{4} * 4 * 4, 1000, true);
    measured.assign(65, 0.0);
    measured[1] = 2.0;
    density = density_of(fine, counts_of(measured, 4, 1000));
    const int bin = histogram_bin(2 - 64, 64, 1000);
    CHECK(density[bin] == doctest::Approx(0.5 * 32.0));
    CHECK(density[999 - bin] == density[bin]);
    CHECK(density[0] == 0.0);
    CHECK(std::isnan(density[1]));
    CHECK(fine.counts_in(bin));
    CHECK(!fine.counts_in(1));
}

TEST_CASE("link overlaps have values 4 / (3 N) apart and no symmetry") {
    // L = 4: 97 values in 32 bins, every third on the lower edge of a bin, the last bin has one more.
    const OverlapHistogram histogram(96, 32, false);
    Values counts(32, 0.0);
    for (int link = -192; link <= 192; link += 4) counts[histogram_bin(link, 192, 32)] += 1.0;
    CHECK(counts[0] == 3.0);
    CHECK(counts[31] == 4.0);
    double sum = 0.0;
    for (int b = 0; b < 32; ++b) {
        CHECK(density_of(histogram, counts)[b] == doctest::Approx(1.0 / (97.0 * 2.0 / 96.0)));
        sum += histogram.width()[b];
    }
    CHECK(sum == doctest::Approx(97.0 * 2.0 / 96.0));
    // All links equal: the two largest values and half of the one on the edge below.
    counts.assign(32, 0.0);
    counts[31] = 8.0;
    const Values density = density_of(histogram, counts);
    CHECK(density[0] == 0.0);
    CHECK(density[31] == doctest::Approx(3.5 / 4.0 / (3.5 * 2.0 / 96.0)));
    CHECK(density[30] == doctest::Approx(0.5 / 4.0 / (3.0 * 2.0 / 96.0)));
}

TEST_CASE("no counts, no density") {
    const OverlapHistogram histogram(std::int64_t{4} * 4 * 4, 50, true);
    for (double x : density_of(histogram, Values(50, 0.0))) CHECK(std::isnan(x));
    CHECK(OverlapHistogram().bins() == 0);
}
