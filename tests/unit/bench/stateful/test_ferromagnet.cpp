#include <doctest/doctest.h>

#include "../../messages.hpp"
#include "bench/stateful/ferromagnet.hpp"
#include "naive_streams.hpp"

using namespace psflip;
using psflip::test::message_of;

namespace {

/// Plain loops over sites.
class NaiveFerromagnet {
  public:
    NaiveFerromagnet(const FerromagnetSetup& setup, std::vector<std::int8_t> spins)
        : setup_(setup),
          spins_(std::move(spins)),
          streams_(setup.generator, setup.layout.streams, setup.seed) {}

    void sweep() {
        if (setup_.order == UpdateOrder::sequential)
            for (int site = 0; site < sites(); ++site) update_if_needed(site);
        else
            for (int phase = 0; phase < (setup_.order == UpdateOrder::checkerboard ? 2 : 4); ++phase)
                for (std::uint32_t stream = 0; stream < setup_.layout.streams; ++stream)
                    update(phase, stream);
        ++completed_;
    }
    const std::vector<std::int8_t>& spins() const { return spins_; }
    std::int64_t energy() const {
        std::int64_t twice = 0;  // every bond from both ends
        for (int site = 0; site < sites(); ++site) twice -= spins_[site] * field(site);
        return twice / 2;
    }

  private:
    int sites() const { return static_cast<int>(spins_.size()); }
    int at(int site, int axis) const {
        for (int a = 0; a < axis; ++a) site /= setup_.L;
        return site % setup_.L;
    }
    int field(int site) const {
        int sum = 0, stride = 1;
        for (int axis = 0; axis < setup_.dimension; ++axis, stride *= setup_.L) {
            const int x = at(site, axis), base = site - x * stride;
            sum += spins_[base + (x + 1) % setup_.L * stride] +
                   spins_[base + (x + setup_.L - 1) % setup_.L * stride];
        }
        return sum;
    }
    std::uint32_t number(std::uint32_t stream, int site) {
        return streams_.streams[stream]({setup_.seed, completed_, static_cast<std::uint32_t>(site), 0, 0});
    }
    void update_if_needed(int site) {
        const int dE = 2 * spins_[site] * field(site);
        if (dE <= 0 || streams_.accepts(number(0, site), setup_.beta, dE)) spins_[site] *= -1;
    }
    /// Whether the site belongs to a phase; of the double checkerboard by tiles of 16.
    bool is_in(int site, int phase) const {
        const int odd = (at(site, 0) + at(site, 1) + at(site, 2)) % 2;
        if (setup_.order == UpdateOrder::checkerboard) return odd == phase;
        return 2 * ((at(site, 0) / 16 + at(site, 1) / 16) % 2) + odd == phase;
    }
    std::vector<int> sites_of(int phase) const {
        std::vector<int> of_phase;
        if (setup_.order == UpdateOrder::checkerboard) {
            for (int site = 0; site < sites(); ++site)
                if (is_in(site, phase)) of_phase.push_back(site);
            return of_phase;
        }
        for (int row = 0; row < setup_.L; row += 16)  // tile by tile
            for (int column = 0; column < setup_.L; column += 16)
                for (int y = row; y < row + 16; ++y)
                    for (int x = column; x < column + 16; ++x)
                        if (is_in(x + setup_.L * y, phase)) of_phase.push_back(x + setup_.L * y);
        return of_phase;
    }
    void update(int phase, std::uint32_t stream) {
        const std::vector<int> of_phase = sites_of(phase);
        const std::size_t bits = setup_.packed ? 32 : 1, units = of_phase.size() / bits;
        const StreamLayout& layout = setup_.layout;
        for (std::size_t first = stream * layout.width; first < units; first += layout.streams * layout.width)
            for (std::size_t bit = 0; bit < bits; ++bit)
                for (std::uint32_t k = 0; k < layout.width; ++k) {
                    const int site = first + k < units ? of_phase[(first + k) * bits + bit] : -1;
                    const std::uint32_t drawn = number(stream, site);
                    if (site < 0) continue;
                    const int dE = 2 * spins_[site] * field(site);
                    if (dE <= 0 || streams_.accepts(drawn, setup_.beta, dE)) spins_[site] *= -1;
                }
    }

    FerromagnetSetup setup_;
    std::vector<std::int8_t> spins_;
    NaiveStreams streams_;
    std::uint64_t completed_ = 0;
};

void check_equal(const FerromagnetSetup& setup) {
    const std::string what = setup.generator + ", " + name(setup.order) + ", " +
                             std::to_string(setup.layout.streams) + " streams of " +
                             std::to_string(setup.layout.width);
    CAPTURE(what);
    const auto lattice = make_ferromagnet(one_thread, setup);
    NaiveFerromagnet naive(setup, lattice->spins());
    REQUIRE(lattice->energy() == naive.energy());
    for (const int sweeps : {1, 7}) {
        lattice->sweep(sweeps);
        for (int i = 0; i < sweeps; ++i) naive.sweep();
        REQUIRE(lattice->spins() == naive.spins());
        REQUIRE(lattice->energy() == naive.energy());
    }
}

}  // namespace

TEST_CASE("the ferromagnet with every generator equals plain loops: sites one after the other") {
    for (const std::string& generator : all_generators()) {
        check_equal({.generator = generator, .L = 10, .order = UpdateOrder::sequential, .seed = 5});
        check_equal({.generator = generator,
                     .dimension = 3,
                     .L = 4,
                     .order = UpdateOrder::sequential,
                     .beta = 0.2,
                     .seed = 5});
    }
}

TEST_CASE(
    "the ferromagnet with every generator equals plain loops: the checkerboard in two and three dimensions") {
    for (const std::string& generator : all_generators()) {
        for (const StreamLayout& layout : layouts_of(generator, 50))
            if (layout.width < 300)
                check_equal({.generator = generator, .L = 10, .seed = 6, .layout = layout});
        const StreamLayout layout = layouts_of(generator, 32)[1];
        check_equal(
            {.generator = generator, .dimension = 3, .L = 4, .beta = 0.2, .seed = 6, .layout = layout});
    }
}

TEST_CASE("the ferromagnet with some generators equals plain loops: the double checkerboard") {
    for (const std::string generator : {"lcg32-sequence", "xorshift64star", "fibonacci521", "philox"}) {
        const auto order = UpdateOrder::double_checkerboard;
        const StreamLayout layout = usual_layout(generator, sites_of_phase(64, 2, order), true);
        check_equal({.generator = generator, .L = 64, .order = order, .seed = 12345, .layout = layout});
    }
}

TEST_CASE(
    "the ferromagnet with every generator equals plain loops: packed spins in two and three dimensions") {
    for (const std::string& generator : all_generators())
        for (const StreamLayout& layout : layouts_of(generator, 64))
            check_equal({.generator = generator, .L = 64, .packed = true, .seed = 6, .layout = layout});
    check_equal({.generator = "mt19937", .L = 128, .packed = true, .seed = 6, .layout = {100, 1}});
    for (const std::string generator : {"minstd", "fibonacci521"})
        check_equal({.generator = generator,
                     .dimension = 3,
                     .L = 64,
                     .packed = true,
                     .beta = 0.22,
                     .seed = 6,
                     .layout = layouts_of(generator, 100)[1]});
}

TEST_CASE("with psflip's counters packed spins equal spins in integers") {
    for (const int dimension : {2, 3}) {
        FerromagnetSetup setup{
            .generator = "philox", .dimension = dimension, .L = 64, .beta = 0.2, .seed = 3};
        const auto integers = make_ferromagnet(one_thread, setup);
        setup.packed = true;
        setup.layout = {7, 1};
        const auto bits = make_ferromagnet(one_thread, setup);
        CHECK(integers->spins() == bits->spins());
        for (const int sweeps : {1, 4}) {
            CHECK(integers->sweep_with_energies(sweeps) == bits->sweep_with_energies(sweeps));
            CHECK(integers->spins() == bits->spins());
        }
    }
}

TEST_CASE("the ferromagnet repeats itself with any number of threads") {
    for (const std::string& generator : all_generators()) {
        CAPTURE(generator);
        const FerromagnetSetup setup{
            .generator = generator,
            .L = 32,
            .seed = 9,
            .layout = usual_layout(generator, sites_of_phase(32, 2, UpdateOrder::checkerboard), true)};
        const auto one = make_ferromagnet(one_thread, setup), again = make_ferromagnet(one_thread, setup),
                   three = make_ferromagnet({.backend = "cpu", .threads = 3}, setup);
        one->sweep(20);
        again->sweep(20);
        for (const int part : {3, 17}) three->sweep(part);
        CHECK(one->spins() == again->spins());
        CHECK(one->spins() == three->spins());
        CHECK(one->energy() == three->energy());
    }
}

TEST_CASE("spins that are set are there, and the energy is theirs") {
    const auto lattice = make_ferromagnet(one_thread, {.generator = "minstd", .L = 6});
    CHECK(lattice->energy() > -72);
    lattice->set_spins(std::vector<std::int8_t>(36, 1));
    CHECK(lattice->energy() == -72);
    std::vector<std::int8_t> spins(36, 1);
    spins[7] = -1;
    lattice->set_spins(spins);
    CHECK(lattice->energy() == -64);
    CHECK(lattice->spins() == spins);
    CHECK(message_of<InputError>([&] { lattice->set_spins({1}); }) ==
          "1 spins are given, but the lattice has 36");
}

TEST_CASE("setups of the ferromagnet that cannot be are refused") {
    const auto refused = [](const FerromagnetSetup& setup) {
        return message_of<InputError>([&] { make_ferromagnet(one_thread, setup); });
    };
    CHECK(refused({.generator = "minstd", .dimension = 4, .L = 4}) == "dimension = 4 is not 2 or 3");
    CHECK(refused({.generator = "minstd", .L = 7}) ==
          "L = 7 in 2 dimensions is not possible; use an even L from 4 to 4096");
    CHECK(refused({.generator = "minstd", .dimension = 3, .L = 1024}) ==
          "L = 1024 in 3 dimensions is not possible; use an even L from 4 to 512");
    CHECK(refused({.generator = "minstd", .L = 48, .order = UpdateOrder::double_checkerboard}) ==
          "L = 48 in 2 dimensions does not suit the double checkerboard; use a multiple of 32 in two "
          "dimensions");
    CHECK(refused({.generator = "minstd", .L = 8, .beta = -1}) == "beta = -1 is not a finite number above 0");
    CHECK(refused({.generator = "minstd", .L = 8, .order = UpdateOrder::sequential, .layout = {2, 1}}) ==
          "the sequential order needs one stream of width 1");
    CHECK(refused({.generator = "minstd", .L = 96, .packed = true}) ==
          "L = 96 in 2 dimensions does not suit packed spins; use a multiple of 64 up to 16384");
    CHECK(refused({.generator = "minstd", .L = 64, .packed = true, .order = UpdateOrder::sequential}) ==
          "packed spins need the checkerboard order");
    CHECK(refused({.generator = "fibonacci521", .L = 64, .layout = {1, 354}}) ==
          "354 threads cannot draw side by side from one stream of fibonacci521; use 1 to 353");
}
