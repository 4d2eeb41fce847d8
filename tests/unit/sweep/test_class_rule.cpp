#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "model/class_table.hpp"
#include "model/model.hpp"
#include "sweep/class_rule.hpp"

using namespace psflip;

namespace {

using Word = std::uint64_t;
constexpr Word all = ~Word{0};

/// One lane: a site with its bonds, and the smallest class that flips for either spin value.
struct Site {
    unsigned favours_up, absent;  ///< a bit for each bond
    int spin;                     ///< +1 or -1
    int v_min_down, v_min_up;
};

/// 64 sites side by side, through the rule; returns the words of new spins (bit 1: +1).
template <int Degree, bool Field, bool Absent>
Word run_rule(const std::vector<Site>& sites, std::mt19937_64& noise) {
    using Rule = ClassRule<Degree, Field, Absent>;
    Word spin = 0, near[Degree], bond[Degree], absent[Degree] = {};
    Word down[Rule::classes] = {}, up[Rule::classes] = {};
    for (int k = 0; k < Degree; ++k) near[k] = bond[k] = noise();  // an absent bond has any J
    for (std::size_t lane = 0; lane < sites.size(); ++lane) {
        const Site& site = sites[lane];
        const Word bit = Word{1} << lane;
        if (site.spin > 0) spin |= bit;
        for (int k = 0; k < Degree; ++k) {
            if (site.absent >> k & 1)
                absent[k] |= bit;
            else if (((site.favours_up >> k & 1) != 0) != (((near[k] ^ bond[k]) & bit) != 0))
                bond[k] ^= bit;
        }
        for (int v = 0; v < Rule::classes; ++v) {
            if (v >= site.v_min_down) down[v] |= bit;
            if (v >= site.v_min_up) up[v] |= bit;
        }
    }
    typename Rule::template Offset<Word> offset;
    if constexpr (Field)
        offset = Rule::offset(down, up);
    else
        offset = Rule::offset(down);
    if constexpr (Absent)
        return Rule::updated(spin, near, bond, absent, count_absent(absent), offset);
    else
        return Rule::updated(spin, near, bond, offset);
}

/// By the definition: flips iff 2u + a (or u) >= v_min of its spin.
template <int Degree, bool Absent>
bool updated_spin_is_up(const Site& site) {
    const unsigned there = ~site.absent & ((1u << Degree) - 1);
    const unsigned unsatisfied = (site.spin > 0 ? ~site.favours_up : site.favours_up) & there;
    const int u = __builtin_popcount(unsatisfied), v = Absent ? 2 * u + __builtin_popcount(site.absent) : u;
    return (v >= (site.spin > 0 ? site.v_min_up : site.v_min_down)) != (site.spin > 0);
}

/// Every state of the bonds, either spin and every v_min: all lanes that differ from the definition.
template <int Degree, bool Field, bool Absent>
long differences() {
    constexpr int classes = ClassRule<Degree, Field, Absent>::classes;
    std::mt19937_64 noise(1);
    std::vector<Site> sites;
    long different = 0;
    const auto flush = [&] {
        const Word found = run_rule<Degree, Field, Absent>(sites, noise);
        for (std::size_t lane = 0; lane < sites.size(); ++lane)
            different +=
                ((found >> lane & 1) != 0) != updated_spin_is_up<Degree, Absent>(sites[lane]) ? 1 : 0;
        sites.clear();
    };
    for (unsigned up = 0; up < 1u << Degree; ++up)
        for (unsigned absent = 0; absent < (Absent ? 1u << Degree : 1u); ++absent)
            for (int spin : {-1, +1})
                for (int down_min = 0; down_min <= classes; ++down_min)
                    for (int up_min = 0; up_min <= classes; ++up_min) {
                        if (!Field && up_min != down_min) continue;
                        sites.push_back({up, absent, spin, down_min, up_min});
                        if (sites.size() == 64) flush();
                    }
    flush();
    return different;
}

template <int Degree>
long isolated_differences() {
    using Rule = ClassRule<Degree, false, true>;
    long different = 0;
    for (int lacking = 0; lacking <= 1; ++lacking)  // all bonds absent, or all but one
        for (Word refused : {Word{0}, all})
            for (Word spin : {Word{0}, all}) {
                Word near[Degree], bond[Degree] = {}, absent[Degree], accept[Rule::classes] = {};
                for (int k = 0; k < Degree; ++k) {
                    near[k] = ~spin;  // unsatisfied if present
                    absent[k] = k < lacking ? 0 : all;
                }
                for (int v = Degree; v < Rule::classes; ++v) accept[v] = all;
                const auto absences = count_absent(absent);
                const Word found = Rule::updated(spin, near, bond, absent, absences, Rule::offset(accept),
                                                 isolated<Degree>(absences), refused);
                different += found != (lacking == 0 && refused == all ? spin : ~spin) ? 1 : 0;
            }
    return different;
}

/// Numbers at, just below and just above every threshold of a table, and at both ends.
std::vector<std::uint32_t> numbers_around(const ClassTable& table) {
    std::vector<std::uint32_t> numbers{0, 1, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFEu, 0xFFFFFFFFu};
    for (int s : {-1, +1})
        for (int c = 0; c < table.thresholds(s).count; ++c)
            for (std::uint32_t step : {0u, 1u, 0xFFFFFFFFu})
                numbers.push_back(table.thresholds(s).threshold[c] + step);
    return numbers;
}

/// Sites with every u and a, through masks R < threshold, against dE and R.
template <int Degree, bool Absent>
long table_differences(const Model& model, double beta) {
    const ClassTable table(model, beta, Absent ? Classes::with_absent : Classes::unsatisfied);
    std::mt19937_64 noise(2);
    long different = 0;
    for (std::uint32_t R : numbers_around(table))
        for (int spin : {-1, +1})
            for (int a = 0; a <= (Absent ? Degree : 0); ++a) {
                std::vector<Site> sites;
                for (int u = 0; u + a <= Degree; ++u) {
                    const unsigned there = ((1u << Degree) - 1) & ~((1u << a) - 1),
                                   unsatisfied = ((1u << u) - 1) << a;
                    const unsigned up = spin > 0 ? there & ~unsatisfied : unsatisfied;
                    sites.push_back({up, (1u << a) - 1, spin, table.v_min(R, -1), table.v_min(R, +1)});
                }
                const Word found = run_rule<Degree, true, Absent>(sites, noise);
                for (int u = 0; u + a <= Degree; ++u) {
                    const double cost = 2.0 * ((Degree - a - 2 * u) + spin * model.field), x = beta * cost;
                    const double p = model.update == Update::heat_bath ? 1 / (1 + std::exp(x)) : std::exp(-x);
                    const bool flips = (model.update == Update::metropolis && cost <= 0) ||
                                       R < std::min(std::round(4294967296.0 * p), 4294967295.0);
                    different += ((found >> u & 1) != 0) != (flips != (spin > 0)) ? 1 : 0;
                }
            }
    return different;
}

}  // namespace

TEST_CASE("class rule: every state of the bonds, spin and v_min, without absent bonds") {
    CHECK(differences<4, false, false>() == 0);
    CHECK(differences<6, false, false>() == 0);
    CHECK(differences<4, true, false>() == 0);
    CHECK(differences<6, true, false>() == 0);
}

TEST_CASE("class rule: every state of the bonds, spin and v_min, with absent bonds") {
    CHECK(differences<4, false, true>() == 0);
    CHECK(differences<6, false, true>() == 0);
    CHECK(differences<4, true, true>() == 0);
    CHECK(differences<6, true, true>() == 0);
}

TEST_CASE("class rule: isolated spins flip by half, others as ever") {
    CHECK(isolated_differences<4>() == 0);
    CHECK(isolated_differences<6>() == 0);
}

TEST_CASE("class rule: from thresholds and numbers to the flip") {
    for (Update update : {Update::metropolis, Update::heat_bath})
        for (double field : {0.0, 0.1, 1.0, 2.0, 3.5, -5.0})
            for (double temperature : {0.1, 1.0, 2.269185, 100.0}) {
                Model model;
                model.update = update;
                model.field = field;
                for (int dimension : {2, 3}) {
                    model.dimension = dimension;
                    CAPTURE(dimension);
                    CAPTURE(field);
                    CAPTURE(temperature);
                    const double beta = 1.0 / temperature;
                    if (dimension == 2) {
                        CHECK(table_differences<4, false>(model, beta) == 0);
                        CHECK(table_differences<4, true>(model, beta) == 0);
                    } else {
                        CHECK(table_differences<6, false>(model, beta) == 0);
                        CHECK(table_differences<6, true>(model, beta) == 0);
                    }
                }
            }
}
