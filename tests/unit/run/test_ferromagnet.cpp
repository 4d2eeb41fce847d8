#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <fstream>

#include "evolution/move_sampler.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "measure/stored_sums.hpp"
#include "run/run_file.hpp"
#include "statistics/reduce/reduce.hpp"
#include "statistics/thermal/analyse_run.hpp"
#include "unit/run/small_case.hpp"
#include "unit/run/temporary_folder.hpp"

using namespace psflip;

namespace {

constexpr int L = 4, N = L * L, realizations = 64;

std::string study_of(double field) {
    return "seed: 3\nmodel: {kind: ferromagnet, dimension: 2, field: " + std::to_string(field) +
           "}\nlattice: {L: 4}\ndisorder: {realizations: 64, batch: 64}\n"
           "temperatures: {list: [2.0, 3.0]}\nreplicas: 2\nmultispin: {share: 1}\n"
           "dynamics: {sweeps_per_swap: 5}\nrun: {sweeps: 2000, measure_every: 5, blocks: 8}\n";
}

/// <e>, C, <|m|>, <m^2>, <m^4>, beta N (<m^2> - <|m|>^2) of the square lattice of 4 x 4 spins, by summing
/// over all states.
std::array<double, 6> exact(double temperature, double field) {
    double Z = 0.0, sums[5]{};
    for (unsigned state = 0; state < 1u << N; ++state) {
        const auto spin = [&](int x, int y) { return state >> (x % L + L * (y % L)) & 1u; };
        int unequal = 0;
        for (int y = 0; y < L; ++y)
            for (int x = 0; x < L; ++x)
                unequal += static_cast<int>((spin(x, y) ^ spin(x + 1, y)) + (spin(x, y) ^ spin(x, y + 1)));
        const double M = 2.0 * std::popcount(state) - N, E = 2.0 * unequal - 2.0 * N - field * M, m = M / N;
        const double weight = std::exp(-(E + (2.0 + field) * N) / temperature);
        Z += weight;
        const double values[] = {E / N, E * E / N, std::abs(m), m * m, m * m * m * m};
        for (int i = 0; i < 5; ++i) sums[i] += weight * values[i];
    }
    for (double& sum : sums) sum /= Z;
    return {sums[0], (sums[1] - N * sums[0] * sums[0]) / (temperature * temperature),
            sums[2], sums[3],
            sums[4], N / temperature * (sums[3] - sums[2] * sums[2])};
}

/// Couplings, a run and its file, as the programs make them.
void simulate(const Parameters& p, const std::string& disorder, const std::string& path) {
    const Model model = model_of(p);
    write_disorder(disorder, {p.seed, model, L}, 0, realizations, {});
    const auto couplings = read_disorder(disorder, L, 1, model).couplings;
    Shape shape{L, p.replicas, 2, realizations, 0, 1};
    shape.dimension = 2;
    auto sampler = make_ising_sampler(
        {one_thread(), shape, {1.0 / 2.0, 1.0 / 3.0}, p.seed, couplings, p.dynamics.sweeps_per_swap, model});
    RunData run;
    run.identity = {0, realizations, L, p.physics_yaml(), couplings_hash(couplings), ""};
    run.temperatures = p.temperatures;
    run.last = p.run_sweeps;
    run.grid = run_grid(p);
    run.bins = {run.grid.block_edges(0, run.last)};
    run.measured = measured_of(model, false);
    const auto measurement = make_measurement(*sampler, run.bins.count(), p.run.histogram_bins);
    sampler->ensemble().set_spins(random_spins(shape, sampler->ensemble().key()));
    constexpr int thermalization = 200;
    sampler->advance(0, thermalization);
    const SamplerState start = sampler->state();
    for (std::int64_t sweep = 5; sweep <= run.last; sweep += 5) {
        sampler->advance(thermalization + sweep - 5, thermalization + sweep);
        measurement->measure(run.bins.bin(sweep));
    }
    run.accumulators = measurement->accumulators();
    run.counts = counts_between(start, sampler->state());
    run.hottest = {{1}, std::vector<std::int64_t>(p.replicas * realizations, 0)};
    OutputFile file(path, schema::run, {}, run_datasets(2, run.measured.field));
    write_run(&file, shape, run);
    file.commit();
    const InputFile written(path, schema::run);
    for (const SumInfo& row : sum_table) {
        const Sum sum = row.sum;
        CAPTURE(row.name);
        if (!row.of(run.measured) || !is_stored(sum)) continue;
        if (row.values.integer)
            CHECK(written.read<std::int64_t>(sum_dataset(sum)).data == run.accumulators.integers[int(sum)]);
        else
            CHECK(written.read<double>(stored_name(sum)).data == stored_reals(run.accumulators, sum));
    }
    CHECK_FALSE(written.has("/blocks/overlap"));
    CHECK_FALSE(written.has("/blocks/magnetisation_kmin_x"));
    CHECK(written.has("/blocks/magnetisation_kmin"));
    CHECK(written.has("/blocks/energy_magnetisation") == (model.field != 0.0));
}

}  // namespace

TEST_CASE("a ferromagnet from run file to results.csv, against the sum over all states") {
    for (const double field : {0.0, 0.25}) {
        CAPTURE(field);
        TemporaryFolder folder;
        std::ofstream(folder.file("study.yaml")) << study_of(field);
        const Config config = load_config(folder.file("study.yaml"));
        const Parameters p = parameters_for(config, L);
        const std::string disorder = folder.file("d.h5"), run = folder.file("r.h5"),
                          means = folder.file("o.h5"), reduced = folder.file("reduced.h5"),
                          csv = folder.file("results.csv");
        simulate(p, disorder, run);
        analyse_run(config, p, {disorder, {run}, means, false, false, one_thread(), {}});
        reduce_disorder(config, {means}, reduced, csv, {});
        const InputFile file(reduced, schema::reduced);
        const char* names[] = {"energy", "specific_heat", "m_abs", "m2", "m4", "chi_m"};
        for (int t = 0; t < 2; ++t) {
            const auto expected = exact(p.temperatures[t], field);
            for (int i = 0; i < 6; ++i) {
                const std::string name = std::string("/L4/") + names[i];
                CAPTURE(name);
                const double value = file.read<double>(name).data[t];
                const double error = file.read<double>(name + "_err").data[t];
                CHECK(std::abs(value - expected[i]) < 4.5 * error);
                CHECK(error < 0.05 * std::abs(expected[i]) + 0.02);
            }
        }
        CHECK_FALSE(file.has("/L4/q2"));
        CHECK(file.has("/L4/tau_m2"));
        CHECK(file.has("/L4/paired_m2"));
        std::string header;
        std::getline(std::ifstream(csv) >> std::ws, header);
        CHECK(header.find("m_abs,m_abs_err") != std::string::npos);
        CHECK(header.find("q_abs") == std::string::npos);
    }
}
