#include "evolution/move_sampler.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "disorder/couplings.hpp"
#include "lattice/packing.hpp"

using namespace psflip;

namespace {

/// Completed sweeps and period of each application of a move.
using Log = std::vector<std::pair<std::int64_t, int>>;

/// Notes its applications. Can do whole periods with their sweeps if `with_sweeps`.
class LoggingMove final : public Move {
    IsingEnsemble& ensemble_;
    Log& log_;
    bool with_sweeps_;

  public:
    LoggingMove(IsingEnsemble& ensemble, int period, Log& log, bool with_sweeps)
        : Move(period), ensemble_(ensemble), log_(log), with_sweeps_(with_sweeps) {}
    void apply(std::int64_t completed) override { log_.emplace_back(completed, period()); }
    bool sweep_and_apply(std::int64_t first, int periods) override {
        if (!with_sweeps_) return false;
        ensemble_.sweep(first, periods * period());
        for (int i = 1; i <= periods; ++i) apply(first + i * std::int64_t{period()});
        return true;
    }
};

class LoggingSampler final : public MoveSampler {
    std::unique_ptr<IsingEnsemble> ensemble_;

  public:
    explicit LoggingSampler(std::unique_ptr<IsingEnsemble> ensemble) : ensemble_(std::move(ensemble)) {}
    IsingEnsemble& ensemble() override { return *ensemble_; }
    View view() override { return {}; }
};

}  // namespace

TEST_CASE("a first move that also sweeps leaves the order of all moves and the spins as they are") {
    const Shape shape{4, 1, 2, 32, 0, 32};
    const auto bonds = generate_couplings({5, {}, shape.L}, 0, shape.realizations, 1);
    for (const int other : {0, 2, 3, 4, 12, 20}) {
        CAPTURE(other);
        const auto run = [&](bool with_sweeps, Log& log) {
            LoggingSampler sampler(make_ising_ensemble({{"cpu", 1, 0}, shape, {1.0, 0.5}, 5, bonds}));
            sampler.ensemble().set_spins(random_spins(shape, 5));
            for (const int period : {4, other})
                sampler.add(std::make_unique<LoggingMove>(sampler.ensemble(), period, log,
                                                          with_sweeps && period == 4));
            sampler.advance(0, 10);
            sampler.advance(10, 50);
            return sampler.ensemble().spins();
        };
        Log expected, apart, together;
        for (int completed = 1; completed <= 50; ++completed)
            for (const int period : {4, other})
                if (period > 0 && completed % period == 0) expected.emplace_back(completed, period);
        CHECK(run(false, apart) == run(true, together));
        CHECK(apart == expected);
        CHECK(together == expected);
    }
}
