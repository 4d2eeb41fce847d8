#include <doctest/doctest.h>

#include <algorithm>

#include "../../messages.hpp"
#include "bench/stateful/glass.hpp"
#include "disorder/couplings.hpp"
#include "lattice/packing.hpp"
#include "naive_streams.hpp"

using namespace psflip;
using psflip::test::message_of;

namespace {

GlassSetup small_setup(const std::string& generator, const StreamLayout& layout) {
    GlassSetup setup{.generator = generator, .L = 4, .words = 3, .replicas = 2, .beta = 0.7, .seed = 11};
    setup.layout = layout;
    setup.couplings = generate_couplings({.seed = 4, .L = setup.L}, 0, 32 * setup.words, 1);
    return setup;
}

/// One spin per int, plain loops over sites, replicas and realizations.
class NaiveGlass {
  public:
    explicit NaiveGlass(const GlassSetup& setup)
        : setup_(setup),
          streams_(setup.generator, static_cast<std::size_t>(setup.words) * setup.layout.streams,
                   setup.seed) {
        const auto start = random_spins(setup.shape(), setup.seed);
        const int sites = static_cast<int>(setup.shape().sites());
        for (std::uint64_t word : start)
            for (int b = 0; b < 64; ++b) bits_.push_back(word >> b & 1 ? 1 : -1);
        CHECK(bits_.size() ==
              static_cast<std::size_t>(64 * sites * setup.shape().packs64() * setup.replicas));
    }

    void sweep() {
        for (int colour = 0; colour < 2; ++colour)
            for (int word = 0; word < setup_.words; ++word)
                for (std::uint32_t stream = 0; stream < setup_.layout.streams; ++stream)
                    update(colour, word, stream);
        ++completed_;
    }
    /// An even number of signs -1 among neighbours and bonds gives the bit 0, which is s = -1.
    void load_neighbours() {
        for (int colour = 0; colour < 2; ++colour)
            for (int replica = 0; replica < setup_.replicas; ++replica)
                for (int r = 0; r < 32 * setup_.words; ++r)
                    for (int site = 0; site < sites(); ++site) {
                        if ((site + site / setup_.L + site / setup_.L / setup_.L) % 2 != colour) continue;
                        int product = 1;
                        for (int k = 0; k < 6; ++k)
                            product *= coupling(r, site, k) * spin(replica, r, near(site, k));
                        spin(replica, r, site) = static_cast<std::int8_t>(-product);
                    }
    }
    std::vector<std::uint64_t> spins() const {
        std::vector<std::uint64_t> words(bits_.size() / 64);
        for (std::size_t i = 0; i < bits_.size(); ++i)
            words[i / 64] |= std::uint64_t{bits_[i] > 0} << (i % 64);
        return words;
    }
    std::vector<std::int32_t> energies() {
        std::vector<std::int32_t> result;
        for (int replica = 0; replica < setup_.replicas; ++replica)
            for (int r = 0; r < 32 * setup_.words; ++r) {
                int E = 0;
                for (int site = 0; site < sites(); ++site)
                    for (int k = 0; k < 6; k += 2)
                        E -= coupling(r, site, k) * spin(replica, r, site) * spin(replica, r, near(site, k));
                result.push_back(E);
            }
        return result;
    }

  private:
    int sites() const { return static_cast<int>(setup_.shape().sites()); }
    std::int8_t& spin(int replica, int r, int site) {
        const auto pack = static_cast<std::size_t>(replica * setup_.shape().packs64() + r / 64);
        return bits_[(pack * sites() + site) * 64 + r % 64];
    }
    /// Neighbour in direction +x -x +y -y +z -z.
    int near(int site, int k) const {
        const int L = setup_.L, step = k % 2 == 0 ? 1 : L - 1;
        int at[3] = {site % L, site / L % L, site / L / L};
        at[k / 2] = (at[k / 2] + step) % L;
        return at[0] + L * (at[1] + L * at[2]);
    }
    int coupling(int r, int site, int k) const {
        const int of = k % 2 == 0 ? site : near(site, k);
        return setup_.couplings[(static_cast<std::size_t>(r) * 3 + k / 2) * sites() + of];
    }
    /// x' + L (y' + L z'), y' = y - x, z' = x - y + z.
    int sliced_place(int site) const {
        const int L = setup_.L, x = site % L, y = site / L % L, z = site / L / L;
        return x + L * ((y - x + L) % L + L * ((x - y + z + L) % L));
    }
    void update(int colour, int word, std::uint32_t stream) {
        std::vector<int> of_colour;
        for (int site = 0; site < sites(); ++site)
            if ((site + site / setup_.L + site / setup_.L / setup_.L) % 2 == colour)
                of_colour.push_back(site);
        if (setup_.site_order == SiteOrder::sliced)
            std::ranges::sort(of_colour, {}, [&](int site) { return sliced_place(site); });
        const StreamLayout& layout = setup_.layout;
        for (std::size_t first = stream * layout.width; first < of_colour.size();
             first += layout.streams * layout.width)
            for (int replica = 0; replica < setup_.replicas; ++replica)
                for (std::uint32_t k = 0; k < layout.width; ++k) {
                    const int site = first + k < of_colour.size() ? of_colour[first + k] : -1;
                    const std::uint32_t number = streams_.streams[word * layout.streams + stream](
                        {setup_.seed, completed_, static_cast<std::uint32_t>(site),
                         static_cast<std::uint32_t>(replica), static_cast<std::uint32_t>(word)});
                    if (site < 0) continue;
                    for (int r = 32 * word; r < 32 * word + 32; ++r) flip(replica, r, site, number);
                }
    }
    void flip(int replica, int r, int site, std::uint32_t number) {
        int field = 0;
        for (int k = 0; k < 6; ++k) field += coupling(r, site, k) * spin(replica, r, near(site, k));
        const int dE = 2 * field * spin(replica, r, site);
        if (dE <= 0 || streams_.accepts(number, setup_.beta, dE)) spin(replica, r, site) *= -1;
    }

    GlassSetup setup_;
    NaiveStreams streams_;
    std::vector<std::int8_t> bits_;
    std::uint64_t completed_ = 0;
};

}  // namespace

TEST_CASE("the glass with every generator equals plain loops over sites and realizations") {
    for (const SiteOrder order : {SiteOrder::standard, SiteOrder::bitwise, SiteOrder::sliced})
        for (const std::string& generator : all_generators())
            for (const StreamLayout& layout : layouts_of(generator, 32)) {
                const std::string what = generator + ", " + std::to_string(layout.streams) + " streams of " +
                                         std::to_string(layout.width);
                CAPTURE(what);
                GlassSetup setup = small_setup(generator, layout);
                setup.site_order = order;
                const auto glass = make_glass(one_thread, setup);
                NaiveGlass naive(setup);
                for (const int sweeps : {1, 9}) {
                    glass->sweep(sweeps);
                    for (int i = 0; i < sweeps; ++i) naive.sweep();
                    REQUIRE(glass->spins() == naive.spins());
                    REQUIRE(glass->energies() == naive.energies());
                }
            }
}

TEST_CASE("loads of neighbours give the exclusive or of neighbours and bonds") {
    for (const SiteOrder order : {SiteOrder::standard, SiteOrder::bitwise, SiteOrder::sliced}) {
        GlassSetup setup = small_setup("philox", {32, 1});
        setup.site_order = order;
        const auto glass = make_glass(one_thread, setup);
        NaiveGlass naive(setup);
        glass->load_neighbours(2, false);
        for (int i = 0; i < 2; ++i) naive.load_neighbours();
        CHECK(glass->spins() == naive.spins());
    }
}

TEST_CASE("overlaps are sums over sites of pairs of replicas") {
    GlassSetup setup = small_setup("minstd", {5, 1});
    setup.replicas = 3;
    const auto glass = make_glass(one_thread, setup);
    glass->sweep(5);
    const auto spins = glass->spins();
    const std::size_t packs = setup.shape().packs64();
    std::vector<std::int32_t> expected;
    for (const auto& [a, b] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}})
        for (std::size_t r = 0; r < 96; ++r) {
            int q = 0;
            for (std::size_t site = 0; site < 64; ++site)
                q += ((spins[(a * packs + r / 64) * 64 + site] ^ spins[(b * packs + r / 64) * 64 + site]) >>
                          (r % 64) &
                      1)
                         ? -1
                         : 1;
            expected.push_back(q);
        }
    CHECK(glass->overlaps() == expected);
}

TEST_CASE("with psflip's counters the glass is that of share 32") {
    GlassSetup setup = small_setup("philox", {7, 1});
    setup.L = 6;
    setup.words = 4;
    setup.couplings = generate_couplings({.seed = 4, .L = setup.L}, 0, 32 * setup.words, 1);
    const auto glass = make_glass(one_thread, setup);
    const auto ensemble =
        make_ising_ensemble({one_thread, setup.shape(), {setup.beta}, setup.seed, setup.couplings});
    ensemble->set_spins(glass->spins());
    glass->sweep(20);
    ensemble->sweep(0, 20);
    CHECK(glass->spins() == ensemble->spins());
    ensemble->compute_energies();
    CHECK(glass->energies() == ensemble->energies());
}

TEST_CASE("the glass repeats itself, with any number of threads, in one go or in parts") {
    for (const std::string& generator : all_generators()) {
        CAPTURE(generator);
        const GlassSetup setup = small_setup(generator, layouts_of(generator, 32)[1]);
        const auto one = make_glass(one_thread, setup), again = make_glass(one_thread, setup),
                   three = make_glass({.backend = "cpu", .threads = 3}, setup);
        one->sweep(30);
        again->sweep(30);
        for (const int part : {1, 12, 17}) three->sweep(part);
        CHECK(one->spins() == again->spins());
        CHECK(one->spins() == three->spins());
    }
}

TEST_CASE("words and replicas with the same couplings and start have different random numbers") {
    for (const std::string& generator : all_generators()) {
        CAPTURE(generator);
        GlassSetup setup = small_setup(generator, layouts_of(generator, 32)[0]);
        setup.couplings.resize(setup.couplings.size() / setup.words);
        const auto glass = make_glass(one_thread, setup);
        glass->set_spins(std::vector<std::uint64_t>(glass->spins().size(), 0));
        glass->sweep(10);
        const auto energies = glass->energies();
        for (std::size_t word = 0; word + 1 < energies.size() / 32; ++word)
            CHECK(!std::equal(energies.begin() + word * 32, energies.begin() + word * 32 + 32,
                              energies.begin() + word * 32 + 32));
    }
}

TEST_CASE("setups of the glass that cannot be are refused") {
    const GlassSetup good = small_setup("minstd", {1, 1});
    const auto refused = [&](auto change) {
        GlassSetup setup = good;
        change(setup);
        return message_of<InputError>([&] { make_glass(one_thread, setup); });
    };
    CHECK(refused([](GlassSetup& s) { s.generator = "rand"; }).find("there are minstd, lcg32,") !=
          std::string::npos);
    CHECK(refused([](GlassSetup& s) { s.L = 5; }) == "L = 5 is not possible; use an even L from 4 to 512");
    CHECK(refused([](GlassSetup& s) { s.words = 0; }) ==
          "0 words of realizations are not possible; use 1 to 16777216");
    CHECK(refused([](GlassSetup& s) { s.replicas = 9; }) == "9 replicas are not possible; use 1 to 8");
    CHECK(refused([](GlassSetup& s) { s.beta = 0; }) == "beta = 0 is not a finite number above 0");
    CHECK(refused([](GlassSetup& s) {
              s.layout = {33, 1};
          }) ==
          "33 streams of 1 threads are not possible for 32 sites that are updated at once; use 1 to 32 "
          "streams");
    CHECK(refused([](GlassSetup& s) {
              s.layout = {1, 2};
          }) == "2 threads cannot draw side by side from one stream of minstd; use 1 to 1");
    CHECK(refused([](GlassSetup& s) { s.couplings.pop_back(); }) ==
          "18431 couplings are given, but each word of 32 realizations has 6144");
    CHECK(refused([](GlassSetup& s) { s.couplings[7] = 0; }) ==
          "a coupling is neither +1 nor -1; use these values only");
}

TEST_CASE("usual layouts are possible ones") {
    for (const std::string& generator : all_generators())
        for (const std::uint32_t sites : {32u, 108u, 4096u, 1u << 18})
            for (const bool device : {false, true}) {
                CAPTURE(generator);
                CHECK_NOTHROW(check_layout(usual_layout(generator, sites, device), generator, sites));
            }
}
