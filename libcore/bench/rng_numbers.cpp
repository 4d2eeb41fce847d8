#include "bench/rng_numbers.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "bench/rng_numbers_streams.hpp"

namespace psflip {
namespace {

/// Draws on the CPU. Each thread works on whole streams.
template <class Listed>
class NumbersCpu : public Numbers {
    using G = typename Listed::G;

  public:
    NumbersCpu(const NumbersSetup& setup, const Listed& listed, int threads)
        : Numbers(setup, fmt::format("cpu, {} thread{}", threads, threads == 1 ? "" : "s")),
          streams_(setup.streams, {setup.seed, listed.in_sequence}),
          pool_(threads) {}
    void fill() override {
        floats_.resize(setup().numbers());
        const StreamsView<G> streams = streams_.view();
        pool_.for_each(setup().streams, [&](std::int64_t stream, int) {
            fill_by_stream(view(), streams, static_cast<std::uint32_t>(stream),
                           1.0f / static_cast<float>(G::range), floats_.data());
        });
        ++calls_;
    }
    std::vector<float> floats() const override { return floats_; }
    std::uint64_t count_odd() override {
        std::vector<std::uint64_t> odd(setup().streams);
        const StreamsView<G> streams = streams_.view();
        pool_.for_each(setup().streams, [&](std::int64_t stream, int) {
            odd[stream] = odd_of_stream(view(), streams, static_cast<std::uint32_t>(stream));
        });
        ++calls_;
        return std::accumulate(odd.begin(), odd.end(), std::uint64_t{0});
    }

  private:
    NumbersView view() const { return {setup().streams, setup().run, setup().each, calls_ * setup().each}; }

    StreamSet<G> streams_;
    ThreadPool pool_;
    std::vector<float> floats_;
    std::uint64_t calls_ = 0;
};

void check_setup(const NumbersSetup& setup, bool device) {
    std::uint32_t widest = 1;
    const bool found = with_generator(setup.generator, [&](auto listed) {
        if constexpr (listed.ring) widest = decltype(listed)::G::side_by_side;
    });
    if (!found) throw InputError(unknown_generator(setup.generator));
    if (setup.streams < 1 || setup.run < 1 || setup.each < 1 || setup.each % setup.run != 0)
        throw InputError(
            fmt::format("{} streams cannot give {} numbers each, {} of them next to each other; use numbers "
                        "of at least 1, of which the third divides the second",
                        setup.streams, setup.each, setup.run));
    if (device && widest > 1 && setup.run > widest)
        throw InputError(fmt::format("{} threads cannot draw side by side from one stream of {}; use 1 to {}",
                                     setup.run, setup.generator, widest));
}

}  // namespace

std::unique_ptr<Numbers> make_numbers_cpu(const NumbersSetup& setup, int threads) {
    std::unique_ptr<Numbers> numbers;
    with_generator(setup.generator, [&](auto listed) {
        numbers = std::make_unique<NumbersCpu<decltype(listed)>>(setup, listed,
                                                                 threads > 0 ? threads : available_threads());
    });
    return numbers;
}

std::unique_ptr<Numbers> make_numbers(const BackendChoice& choice, const NumbersSetup& setup) {
    const bool device = choose_backend(choice) == Backend::cuda;
    check_setup(setup, device);
#if PSFLIP_HAVE_CUDA
    if (device) return make_numbers_cuda(setup, choice.device);
#endif
    return make_numbers_cpu(setup, choice.threads);
}

}  // namespace psflip
