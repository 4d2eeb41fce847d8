// The first sweeps of 4 x 4 lattices against the exact distribution of all 2^16 states, which each update of
// a site changes as its definition says.

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "disorder/couplings.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"

using namespace psflip;

namespace {

constexpr int L = 4, N = 16, sweeps = 10;
using Bonds = std::vector<std::int8_t>;  ///< (direction, y, x)

int spin(unsigned state, int site) {
    return (state >> site & 1) != 0 ? 1 : -1;
}

int neighbour(int site, int direction, int sign) {
    const int x = site % L, y = site / L;
    return direction == 0 ? (x + sign + L) % L + L * y : x + (y + sign + L) % L * L;
}

int local_field(const Bonds& bonds, unsigned state, int site) {
    int field = 0;
    for (int direction = 0; direction < 2; ++direction) {
        const int before = neighbour(site, direction, -1);
        field += bonds[direction * N + site] * spin(state, neighbour(site, direction, 1)) +
                 bonds[direction * N + before] * spin(state, before);
    }
    return field;
}

/// Probabilities of all states, changed by one update after the other.
class Distribution {
  public:
    Distribution(const Bonds& bonds, double beta, Update update)
        : bonds_(bonds), beta_(beta), update_(update), p_(1 << N, 0.0) {}

    void start_up() { p_.back() = 1.0; }
    void start_at_random() { p_.assign(p_.size(), 1.0 / static_cast<double>(p_.size())); }

    /// Red sites, whose x + y is even, then black ones.
    void sweep() {
        for (int colour = 0; colour < 2; ++colour)
            for (int site = 0; site < N; ++site)
                if ((site % L + site / L) % 2 == colour) update(site);
    }

    template <class F>
    double mean(F f) const {
        double sum = 0.0;
        for (unsigned state = 0; state < p_.size(); ++state) sum += p_[state] * f(state);
        return sum;
    }

    double energy(unsigned state) const {
        int energy = 0;
        for (int site = 0; site < N; ++site) energy -= spin(state, site) * local_field(bonds_, state, site);
        return energy / 2.0;
    }

  private:
    double flips(unsigned state, int site) const {
        const double rise = 2.0 * spin(state, site) * local_field(bonds_, state, site);
        if (update_ == Update::heat_bath) return 1.0 / (1.0 + std::exp(beta_ * rise));
        return rise <= 0.0 ? 1.0 : std::exp(-beta_ * rise);
    }
    void update(int site) {
        for (unsigned down = 0; down < p_.size(); ++down) {
            if ((down >> site & 1) != 0) continue;
            const unsigned up = down | 1u << site;
            const double rises = p_[down] * flips(down, site), falls = p_[up] * flips(up, site);
            p_[down] += falls - rises;
            p_[up] += rises - falls;
        }
    }

    Bonds bonds_;
    double beta_;
    Update update_;
    std::vector<double> p_;
};

/// Mean of many copies, with its error.
struct Estimate {
    double sum = 0.0, squares = 0.0;
    std::int64_t count = 0;

    void add(double value) {
        sum += value;
        squares += value * value;
        ++count;
    }
    double mean() const { return sum / static_cast<double>(count); }
    double error() const {
        const double m = mean(), n = static_cast<double>(count);
        return std::sqrt((squares / n - m * m) / (n - 1));
    }
};

struct Quench {
    const char* name;
    Model model;
    double temperature;
    bool up;  ///< the start
};

/// All copies have the same bonds, and a number for every spin.
void check_case(const Quench& c, const Bonds& bonds) {
    constexpr std::int64_t copies = 8192;
    const Shape shape{L, 4, 1, copies, 0, 1, 2};
    Bonds all;
    for (std::int64_t r = 0; r < copies; ++r) all.insert(all.end(), bonds.begin(), bonds.end());
    const auto sampler =
        make_ising_sampler({{"cpu", 2, 0}, shape, {1.0 / c.temperature}, 99, all, 0, c.model});
    Distribution exact(bonds, 1.0 / c.temperature, c.model.update);
    if (c.up) {
        exact.start_up();
        sampler->ensemble().set_spins(std::vector<std::uint64_t>(shape.spin_words(), ~std::uint64_t{0}));
    } else {
        exact.start_at_random();
        sampler->ensemble().set_spins(random_spins(shape, sampler->ensemble().key()));
    }
    const auto magnetisation = [](unsigned state) { return 2.0 * std::popcount(state) - N; };
    for (int t = 1; t <= sweeps; ++t) {
        sampler->advance(t - 1, t);
        exact.sweep();
        const std::vector<std::uint64_t> words = sampler->ensemble().spins();
        Estimate e, m, m2;
        for (std::size_t lattice = 0; lattice < words.size() / N; ++lattice)
            for (int bit = 0; bit < 64; ++bit) {
                unsigned state = 0;
                for (int site = 0; site < N; ++site)
                    state |= static_cast<unsigned>(words[lattice * N + site] >> bit & 1) << site;
                e.add(exact.energy(state));
                m.add(magnetisation(state));
                m2.add(magnetisation(state) * magnetisation(state));
            }
        const auto compare = [&](const char* what, const Estimate& found, double wanted) {
            INFO(c.name << ", t = " << t << ": " << what << " " << found.mean() << " +- " << found.error()
                        << ", exact " << wanted);
            CHECK(std::fabs(found.mean() - wanted) < 4.5 * found.error());
        };
        compare("E", e, exact.mean([&](unsigned s) { return exact.energy(s); }));
        compare("M", m, exact.mean(magnetisation));
        compare("M^2", m2, exact.mean([&](unsigned s) { return magnetisation(s) * magnetisation(s); }));
    }
}

}  // namespace

TEST_CASE("energy and magnetisation of the first ten sweeps agree with the exact distribution") {
    const Model ferromagnet{.kind = ModelKind::ferromagnet, .dimension = 2}, glass{.dimension = 2};
    Model heat_bath = glass;
    heat_bath.update = Update::heat_bath;
    check_case({"ferromagnet from spins up", ferromagnet, 2.5, true}, Bonds(2 * N, 1));
    check_case({"ferromagnet from random spins", ferromagnet, 2.0, false}, Bonds(2 * N, 1));
    check_case({"glass", glass, 0.8, false}, generate_couplings({3, glass, L}, 5, 1, 1));
    check_case({"glass from spins up", glass, 1.2, true}, generate_couplings({3, glass, L}, 6, 1, 1));
    check_case({"glass with heat bath", heat_bath, 0.8, false},
               generate_couplings({3, heat_bath, L}, 7, 1, 1));
}
