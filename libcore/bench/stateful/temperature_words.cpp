#include "bench/stateful/temperature_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "bench/stateful/temperature_words_update.hpp"
#include "random/splitmix64.hpp"

namespace psflip {
namespace {

/// Returns the bits of a temperature in memory, which is also the number of words of a site.
int bits_of(TemperatureCoding coding) {
    return coding == TemperatureCoding::amsc3 ? 3 : coding == TemperatureCoding::amsc4 ? 4 : 1;
}

class TemperatureWordsCpu : public TemperatureWords {
  public:
    TemperatureWordsCpu(const TemperatureWordsSetup& setup, int threads)
        : TemperatureWords(setup, fmt::format("cpu, {} thread{}", threads, threads == 1 ? "" : "s")),
          pool_(threads),
          tables_(flip_tables(setup)),
          words_(coded_words(setup)),
          pairs_(words_of_loads(setup)) {}
    void sweep(int count) override {
        with_temperature_case(setup(), [&](auto listed, auto coding, auto probability) {
            using G = typename decltype(listed)::G;
            StreamSet<G> streams(temperature_streams(setup()) * setup().realizations, {setup().seed, false});
            if (streams_.empty()) streams_ = streams.memory();
            StreamsView<G> view = streams.view();
            view.memory = streams_.data();
            pool_.for_each(setup().realizations, [&](std::int64_t realization, int) {
                for (std::uint64_t c = 0; c < 2 * static_cast<std::uint64_t>(count); ++c)
                    update_colour<coding(), probability()>(view, static_cast<std::uint32_t>(realization),
                                                           2 * completed_ + c);
            });
        });
        completed_ += static_cast<std::uint64_t>(count);
    }
    void load_neighbours(int count, LatticeArrangement arrangement) override {
        with_arrangement(arrangement, [&](auto constant) { load<constant()>(count); });
    }
    std::vector<std::uint32_t> words() const override { return decoded_words(setup(), words_); }
    std::vector<std::uint32_t> loaded() const override { return pairs_; }

  private:
    template <TemperatureCoding Coding, FlipProbability Probability, class G>
    void update_colour(const StreamsView<G>& streams, std::uint32_t realization, std::uint64_t colours) {
        const auto L = static_cast<std::uint32_t>(setup().L), threads = temperature_streams(setup());
        TemperatureLattice lattice{
            .words = words_.data() + realization * setup().sites() * TemperatureSegments<Coding>::words,
            .thresholds = tables_.threshold,
            .shared_table = tables_.probability,
            .memory_table = tables_.probability,
            .beta = {},
            .field = static_cast<float>(setup().field),
            .L = L};
        for (int t = 0; t < packed_temperatures; ++t) lattice.beta[t] = static_cast<float>(setup().beta(t));
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            const std::size_t stream = realization * threads + thread;
            G numbers = streams.stream(stream, colours * numbers_of_colour(setup()));
            for (std::uint32_t i = thread; i < setup().sites() / 2; i += threads)
                update_temperatures<Coding, Probability>(
                    lattice, site_of_colour(L, static_cast<std::uint32_t>(colours % 2), i), numbers);
            numbers.store(streams.words(stream));
        }
    }
    template <LatticeArrangement Arrangement>
    void load(int count) {
        constexpr bool shuffled = Arrangement == LatticeArrangement::shuffled;
        const auto L = static_cast<std::uint32_t>(setup().L);
        pool_.for_each(setup().realizations, [&](std::int64_t realization, int) {
            std::uint32_t* const words = pairs_.data() + 2 * setup().sites() * realization;
            for (std::uint32_t c = 0; c < 2 * static_cast<std::uint32_t>(count); ++c)
                for (std::uint32_t i = 0; i < setup().sites() / (shuffled ? 1 : 2); ++i)
                    load_six<Arrangement>(words, L, c % 2, i);
        });
    }

    ThreadPool pool_;
    FlipTables tables_;
    std::vector<std::uint32_t> words_, pairs_, streams_;
    std::uint64_t completed_ = 0;
};

void check_setup(const TemperatureWordsSetup& setup) {
    constexpr std::array sizes = {4, 8, 16};
    if (!std::ranges::count(sizes, setup.L))
        throw InputError(
            fmt::format("words of temperatures have no lattice of L = {}; use L = 4, 8 or 16", setup.L));
    if (!with_temperature_case(setup, [](auto...) {}))
        throw InputError(fmt::format(
            "words of temperatures cannot be timed with {}, {} and generator {}; use lcg32, xorwow, "
            "philox or philox7, and thresholds with codings other than amsc1",
            name(setup.coding), name(setup.probability), setup.generator));
}

}  // namespace

std::string_view name(TemperatureCoding coding) {
    constexpr std::array<std::string_view, 4> names = {"amsc1", "amsc3", "amsc4", "camsc"};
    return names[static_cast<std::size_t>(coding)];
}
std::string_view name(FlipProbability probability) {
    constexpr std::array<std::string_view, 5> names = {"exp", "fast exp", "table in memory",
                                                       "table in shared memory", "thresholds"};
    return names[static_cast<std::size_t>(probability)];
}
std::string_view name(LatticeArrangement arrangement) {
    constexpr std::array<std::string_view, 3> names = {"unified", "separated", "shuffled"};
    return names[static_cast<std::size_t>(arrangement)];
}

std::vector<std::uint32_t> initial_temperature_words(const TemperatureWordsSetup& setup) {
    const auto L = static_cast<std::uint32_t>(setup.L);
    const std::size_t n = setup.sites();
    std::vector<std::uint32_t> words(n * setup.realizations);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<std::uint32_t>(stream_seed(setup.seed ^ 0x5eedull, i)) & 0x15ffffffu;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const SixSites near = six_neighbours(L, static_cast<std::uint32_t>(i % n));
        for (int d = 0; d < 3; ++d)
            words[i / n * n + near.at[2 * d]] |= (words[i] >> (24 + 2 * d) & 1u) << (25 + 2 * d);
    }
    return words;
}

std::vector<std::uint32_t> words_of_loads(const TemperatureWordsSetup& setup) {
    std::vector<std::uint32_t> words(2 * setup.sites() * setup.realizations);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<std::uint32_t>(stream_seed(setup.seed, i));
    return words;
}

FlipTables flip_tables(const TemperatureWordsSetup& setup) {
    FlipTables tables{};
    for (int t = 0; t < packed_temperatures; ++t)
        for (std::uint32_t c = 0; c < 14; ++c) {
            const auto beta = static_cast<float>(setup.beta(t)), field = static_cast<float>(setup.field);
            tables.probability[16 * t + c] = std::exp(-beta * flip_cost(c, field));
            const double p = std::min(1.0, std::exp(-setup.beta(t) * flip_cost(c, setup.field)));
            tables.threshold[16 * t + c] =
                static_cast<std::uint32_t>(std::max(1.0, std::round(p * 0x1p32)) - 1.0);
        }
    return tables;
}

std::vector<std::uint32_t> coded_words(const TemperatureWordsSetup& setup) {
    const int bits = bits_of(setup.coding), of_word = packed_temperatures / bits;
    const std::vector<std::uint32_t> all = initial_temperature_words(setup);
    std::vector<std::uint32_t> result(all.size() * bits);
    const std::size_t n = setup.sites();
    for (std::size_t i = 0; i < all.size(); ++i)
        for (int w = 0; w < bits; ++w) {
            std::uint32_t& word = result[(i / n * bits + w) * n + i % n];
            word = all[i] & ~0xffffffu;
            for (int j = 0; j < of_word; ++j) word |= (all[i] >> (w * of_word + j) & 1u) << bits * j;
        }
    return result;
}

std::vector<std::uint32_t> decoded_words(const TemperatureWordsSetup& setup,
                                         const std::vector<std::uint32_t>& coded) {
    const int bits = bits_of(setup.coding), of_word = packed_temperatures / bits;
    const std::size_t n = setup.sites();
    std::vector<std::uint32_t> result(n * setup.realizations);
    for (std::size_t i = 0; i < result.size(); ++i)
        for (int w = 0; w < bits; ++w) {
            const std::uint32_t word = coded[(i / n * bits + w) * n + i % n];
            result[i] |= word & ~0xffffffu;
            for (int j = 0; j < of_word; ++j) result[i] |= (word >> bits * j & 1u) << (w * of_word + j);
        }
    return result;
}

double transactions_of_loads(const TemperatureWordsSetup& setup, LatticeArrangement arrangement) {
    return static_cast<double>(setup.sites()) * setup.realizations *
           (arrangement == LatticeArrangement::shuffled ? 2 : 1);
}

std::unique_ptr<TemperatureWords> make_temperature_words_cpu(const TemperatureWordsSetup& setup,
                                                             int threads) {
    return std::make_unique<TemperatureWordsCpu>(setup, threads > 0 ? threads : available_threads());
}

std::unique_ptr<TemperatureWords> make_temperature_words(const BackendChoice& choice,
                                                         const TemperatureWordsSetup& setup) {
    check_setup(setup);
#if PSFLIP_HAVE_CUDA
    if (choose_backend(choice) == Backend::cuda) return make_temperature_words_cuda(setup, choice.device);
#endif
    choose_backend(choice);
    return make_temperature_words_cpu(setup, choice.threads);
}

}  // namespace psflip
