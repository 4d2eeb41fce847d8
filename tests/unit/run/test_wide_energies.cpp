// Energies of squares that have no room in 32 bits, from what an ensemble counts to run files and back.
#include <doctest/doctest.h>

#include <algorithm>

#include "io/schema.hpp"
#include "lattice/site_bits.hpp"
#include "measure/stored_sums.hpp"
#include "run/run_file.hpp"
#include "statistics/thermal/run_input.hpp"
#include "unit/run/fakes.hpp"
#include "unit/run/small_case.hpp"
#include "unit/run/temporary_folder.hpp"

using namespace psflip;

namespace {

constexpr int L = 65536, replicas = 2, realizations = 3;
constexpr std::int64_t N = std::int64_t{L} * L;
/// By replica and realization: the lowest and the highest possible ones, others beyond 32 bits with and
/// without sign.
constexpr std::int64_t energy[replicas][realizations] = {{-2 * N, 2 * N, 4'938'271'564},
                                                         {-2 * N, -3'000'000'004, 0}};

Parameters parameters() {
    Parameters p = small_parameters(replicas, 1);
    p.L = L;
    p.model.dimension = 2;
    p.multispin.lanes = Lanes::sites;
    p.temperatures = {1.5};
    p.run.snapshots = 0;
    return p;
}

/// Counts of replicas that are equal in realization 0, opposite in 1, and opposite in half of the rows in 2.
/// Spins of replica 0 are all down, spins of replica 1 all up.
class Counts : public LatticeCounts {
  public:
    void count_differences(std::span<const ReplicaPair> pairs, bool, const Take& take) override {
        for (std::int64_t r = 0; r < realizations; ++r)
            for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
                DifferenceCounts counts{std::vector<std::int32_t>(2 * L, 0)};
                const auto fill = [&](int first, int end, int sites) {
                    std::fill(counts.planes.begin() + first, counts.planes.begin() + end, sites);
                };
                if (pairs[pair].b < 0 ? pairs[pair].a == 0 : r == 1) fill(0, 2 * L, L);
                if (pairs[pair].b >= 0 && r == 2) {
                    fill(0, L, L / 2);
                    fill(L, L + L / 2, L);
                    counts.links = 2 * L;
                }
                take(r, 0, pair, counts);
            }
    }
};

/// A lattice that is counted, but not there.
class Counted : public Sampler {
  public:
    explicit Counted(const Shape& shape)
        : ensemble_(log_, shape, {.dimension = 2}),
          layout_(SpinLayout::of(shape, 1)),
          walkers_(replicas * column_bits, 0),
          energies_(replicas * column_bits, 0) {
        for (int replica = 0; replica < replicas; ++replica)
            std::ranges::copy(energy[replica], energies_.begin() + replica * column_bits);
    }
    void advance(std::int64_t, std::int64_t) override {}
    Ensemble& ensemble() override { return ensemble_; }
    SamplerState state() const override { return {}; }
    void set_state(const SamplerState&) override {}
    View view() override {
        return CpuView{.layout = layout_,
                       .spins = nullptr,
                       .energies = nullptr,
                       .walkers = walkers_.data(),
                       .absent = nullptr,
                       .bonds = nullptr,
                       .pool = &caller_alone(),
                       .level = SimdLevel::scalar,
                       .lattices = &counts_,
                       .wide_energies = energies_.data()};
    }

  private:
    EventLog log_;
    FakeEnsemble ensemble_;
    SpinLayout layout_;
    Counts counts_;
    std::vector<std::uint8_t> walkers_;
    std::vector<std::int64_t> energies_;
};

std::int64_t total(const std::vector<std::int64_t>& sums, int components, int component, int realization) {
    std::int64_t sum = 0;
    for (std::size_t at = component * realizations + realization; at < sums.size();
         at += components * realizations)
        sum += sums[at];
    return sum;
}

}  // namespace

TEST_CASE("energies beyond 32 bits are added up, written and read as they are") {
    const Parameters p = parameters();
    const Shape shape = batch_shape(p, 0, realizations);
    REQUIRE(has_wide_energies(shape));
    Counted counted(shape);
    RunData run;
    run.identity = {0, realizations, L, p.physics_yaml(), "0123456789abcdef", ""};
    run.temperatures = p.temperatures;
    run.last = p.run_sweeps;
    run.counts.round_trips.assign(realizations * replicas, 0);
    run.grid = run_grid(p);
    run.bins = {run.grid.block_edges(0, run.last)};
    run.measured = measured_of(model_of(p), true);
    const auto measurement = make_measurement(counted, run.bins.count(), p.run.histogram_bins, true);
    const std::int64_t times = p.run_sweeps / p.run.measure_every;
    for (std::int64_t i = 1; i <= times; ++i) measurement->measure(run.bins.bin(i * p.run.measure_every));
    run.accumulators = measurement->accumulators();
    run.hottest = {{1}, std::vector<std::int64_t>(replicas * realizations, 0)};
    const Accumulators& sums = run.accumulators;

    for (int replica = 0; replica < replicas; ++replica)
        for (int r = 0; r < realizations; ++r) {
            CHECK(total(sums.integers[int(Sum::energy)], replicas, replica, r) == times * energy[replica][r]);
            CHECK(total(sums.integers[int(Sum::magnetisation)], replicas, replica, r) ==
                  times * (replica == 0 ? -N : N));
            CHECK(sums.lowest_energy[replica * realizations + r] == energy[replica][r]);
        }
    const std::int64_t overlaps[] = {N, -N, 0}, links[] = {2 * N, 2 * N, 2 * N - 4 * L};
    for (int r = 0; r < realizations; ++r) {
        CHECK(total(sums.integers[int(Sum::overlap)], 1, 0, r) == times * overlaps[r]);
        CHECK(total(sums.integers[int(Sum::link)], 1, 0, r) == times * links[r]);
        const int bin = r == 0 ? p.run.histogram_bins - 1 : r == 1 ? 0 : p.run.histogram_bins / 2;
        CHECK(sums.histogram[bin * realizations + r] == times);
    }
    const double first = static_cast<double>(sums.count.front());
    CHECK(sums.reals[int(Sum::energy2)].front() == first * 4.0 * double(N) * double(N));

    TemporaryFolder folder;
    {
        OutputFile file(folder.file("sums.h5"), schema::state, {}, run_datasets(2, false));
        write_accumulators(file, run.bins, sums);
        file.commit();
        OutputFile run_file(folder.file("run.h5"), schema::run, {}, run_datasets(2, false));
        write_run(&run_file, shape, run);
        run_file.commit();
    }
    CHECK(read_accumulators(InputFile(folder.file("sums.h5"), schema::state), shape, run.bins,
                            p.run.histogram_bins, run.measured) == sums);
    const RunSums read = read_run(InputFile(folder.file("run.h5"), schema::run), model_of(p));
    for (const Sum sum : {Sum::energy, Sum::magnetisation, Sum::overlap, Sum::link}) {
        const auto& integers = sums.integers[int(sum)];
        CHECK(read.blocks[sum] == std::vector<double>(integers.begin(), integers.end()));  // below 2^53
    }
    CHECK(read.blocks[Sum::energy2] == stored_reals(sums, Sum::energy2));
    CHECK(read.lowest_energy == sums.lowest_energy);
}
