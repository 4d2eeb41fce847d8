#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "config/document.hpp"
#include "config/keys.hpp"
#include "config/ladder.hpp"
#include "config/resolved.hpp"
#include "unit/config/scratch.hpp"

using namespace psflip;
using psflip::test::load_text;

namespace {

/// A configuration with no value at its default.
const char* const full_text = R"(
seed: 18446744073709551615
model:      {kind: edwards-anderson, dimension: 3, field: 0.0, p_ferro: 0.123456789012345678}
lattice:    {L: [16, 4, 10]}
disorder:   {realizations: 1000, batch: 192}
temperatures: {4: {list: [1.1, 0.3, 2]}, 10: {min: 0.7, max: 1.7, count: 64, spacing: inverse}, 16: {min: 0.1, max: 3, spacing: linear}}
replicas:   3
multispin:  {share: 64}
dynamics:   {sweeps_per_swap: 5}
thermalize: {sweeps: {4: 0, 16: 4000000000, 10: 7}}
run:        {sweeps: 8000, measure_every: 20, blocks: 6, snapshots: 25, histogram_bins: 33}
equilibration: {test: none, threshold_sigma: 3.25, min_walk_times: 12, unequilibrated: refuse, max_doublings: 0}
checkpoint: {every_seconds: 0.1}
)";

void check_same(const Config& a, const Config& b) {
    CHECK(a.yaml == b.yaml);
    CHECK(a.hash == b.hash);
    CHECK(a.sizes == b.sizes);
    CHECK(a.temperatures == b.temperatures);
    CHECK(a.thermalize_sweeps == b.thermalize_sweeps);
    CHECK(a.run_sweeps == b.run_sweeps);
    CHECK(a.model.p_ferro == b.model.p_ferro);
    CHECK(a.equilibration.threshold_sigma == b.equilibration.threshold_sigma);
    CHECK(a.checkpoint.every_seconds == b.checkpoint.every_seconds);
}

}  // namespace

TEST_CASE("the outline of the design is a valid configuration") {
    const Config config = load_text(R"(
seed: 20261121
model:      {kind: edwards-anderson, dimension: 3, field: 0.0, p_ferro: 0.5}
lattice:    {L: [4, 6, 8]}
disorder:   {realizations: 512, batch: 128}
temperatures: {min: 0.8, max: 1.8, count: 20, spacing: geometric}
replicas:   2
multispin:  {share: 128}
dynamics:   {sweeps_per_swap: 10}
thermalize: {sweeps: 2048}
run:        {sweeps: 8192, measure_every: 100, blocks: 16, snapshots: 0}
equilibration: {test: log2, max_doublings: 4}
checkpoint: {every_seconds: 300}
)");
    CHECK(config.sizes == std::vector<int>{4, 6, 8});
    CHECK(config.run_sweeps.at(6) == 8192);
    CHECK(config.temperatures.at(8).size() == 20);
    CHECK(config.run.histogram_bins == 50);
    CHECK(config.equilibration.threshold_sigma == 4.0);
}

TEST_CASE("every key is read into its place") {
    const Config config = load_text(full_text);
    CHECK(config.seed == 18446744073709551615u);
    CHECK(config.model.kind == ModelKind::edwards_anderson);
    CHECK(config.model.dimension == 3);
    CHECK(config.model.field == 0.0);
    CHECK(config.model.p_ferro == 0.123456789012345678);
    CHECK(config.sizes == std::vector<int>{4, 10, 16});
    CHECK(config.disorder.realizations == 1000);
    CHECK(config.disorder.batch == 192);
    CHECK(config.temperatures.at(4) == std::vector<double>{0.3, 1.1, 2.0});
    CHECK(config.temperatures.at(10).size() == 64);
    CHECK(config.temperatures.at(16).size() == 20);
    CHECK(config.replicas == 3);
    CHECK(config.multispin.share == 64);
    CHECK(config.dynamics.sweeps_per_swap == 5);
    CHECK(config.thermalize_sweeps == std::map<int, std::int64_t>{{4, 0}, {10, 7}, {16, 4000000000}});
    CHECK(config.run_sweeps == std::map<int, std::int64_t>{{4, 8000}, {10, 8000}, {16, 8000}});
    CHECK(config.run.measure_every == 20);
    CHECK(config.run.blocks == 6);
    CHECK(config.run.snapshots == 25);
    CHECK(config.run.histogram_bins == 33);
    CHECK(config.equilibration.test == EquilibrationRule::none);
    CHECK(config.equilibration.threshold_sigma == 3.25);
    CHECK(config.equilibration.unequilibrated == Unequilibrated::refuse);
    CHECK(config.equilibration.min_walk_times == 12.0);
    CHECK(config.equilibration.max_doublings == 0);
    CHECK(config.checkpoint.every_seconds == 0.1);
}

TEST_CASE("the resolved configuration reads back to the same one") {
    for (const char* text :
         {full_text, "seed: 1\n",
          "lattice: {L: 4}\nmodel: {p_ferro: 1e-17, field: -0.0}\nmultispin: {share: 1}\n"}) {
        const Config config = load_text(text);
        check_same(load_text(config.yaml), config);
    }
    for (const char* name : {"reference", "quickstart", "ea3d"}) {
        const Config config = load_config(std::string(PSFLIP_SOURCE_DIR) + "/configs/" + name + ".yaml");
        check_same(load_text(config.yaml), config);
    }
}

TEST_CASE("real numbers that are whole may stand for whole numbers") {
    const Config config = load_text(
        "seed: 1e15\nreplicas: 4.0\nlattice: {L: [4.0, 1e1]}\nrun: {sweeps: {4: 8e3, default: 1.6e+4}}\n"
        "multispin: {share: 3.2e1}\ntemperatures: {count: 2.4E1}\nrelax: {waiting: [0.0, 1e2]}\n");
    const Config digits = load_text(
        "seed: 1000000000000000\nreplicas: 4\nlattice: {L: [4, 10]}\nrun: {sweeps: {4: 8000, 10: 16000}}\n"
        "multispin: {share: 32}\ntemperatures: {count: 24}\nrelax: {waiting: [0, 100]}\n");
    check_same(config, digits);
    CHECK(config.yaml == digits.yaml);
    CHECK(load_text("seed: 9007199254740991.0\n").seed == 9007199254740991u);
    CHECK(load_text("seed: 1\n", {"seed=2.5e1"}).seed == 25);
    const Config square = load_text(
        "model: {kind: ferromagnet, dimension: 2.0}\nlattice: {L: 2048}\nmultispin: {lanes: sites}\n");
    CHECK(square.model.dimension == 2);
}

TEST_CASE("names in quotes are names") {
    const Config square = load_text(
        "{\"model\": {\"kind\": \"ferromagnet\", \"dimension\": 2}, \"lattice\": {\"L\": 2048}, "
        "\"multispin\": {\"lanes\": \"sites\"}}\n");
    CHECK(square.multispin.share == 1);
    CHECK(load_text("model: {couplings: 'gaussian'}\n").multispin.share == 1);
}

TEST_CASE("how a configuration is written does not change its hash, what it says does") {
    const Config config = load_text("seed: 1\nlattice: {L: [8, 4]}\nrun: {sweeps: {8: 8000, 4: 8000}}\n");
    CHECK(load_text("# comment\nrun: {sweeps: 8000}\nlattice:\n  L:\n  - 4\n  - 8\nseed: 1\n").hash ==
          config.hash);
    CHECK(load_text("seed: 2\nlattice: {L: [8, 4]}\nrun: {sweeps: 8000}\n").hash != config.hash);
    CHECK(fnv1a64("") == 0xcbf29ce484222325u);
    CHECK(fnv1a64("foobar") == 0x85944171f73967e8u);
}

TEST_CASE("a key without a meaning in a model may have its default, however that is written") {
    const std::string text = "lattice: {L: 4}\nmultispin: {share: 1}\nmodel: {kind: ";
    for (const char* model : {"ferromagnet, p_ferro: 0.50}", "edwards-anderson, exchange: [1.0, 1, 1e0]}",
                              "edwards-anderson, concentration: 0.0}"})
        CHECK_NOTHROW(load_text(text + model + "\n"));
    for (const char* model : {"ferromagnet, p_ferro: 0.51}", "edwards-anderson, exchange: [1.0, 1, 2]}",
                              "edwards-anderson, concentration: 0.1}"})
        CHECK_THROWS_AS(load_text(text + model + "\n"), InputError);
}

TEST_CASE("overrides replace, add and select") {
    const std::string text = "seed: 1\nlattice: {L: [4, 6]}\nrun:\n  sweeps: {4: 2000, 6: 4000}\n";
    CHECK(load_text(text, {"seed=7"}).seed == 7);
    CHECK(load_text(text, {"seed=7", "seed=8"}).seed == 8);
    CHECK(load_text(text, {"run.sweeps.6=5000"}).run_sweeps ==
          std::map<int, std::int64_t>{{4, 2000}, {6, 5000}});
    CHECK(load_text(text, {"run.sweeps=9000"}).run_sweeps ==
          std::map<int, std::int64_t>{{4, 9000}, {6, 9000}});
    CHECK(load_text(text, {"temperatures.count=5"}).temperatures.at(4).size() == 5);
    CHECK(load_text(text, {"temperatures={list: [2, 1]}"}).temperatures.at(6) == std::vector<double>{1, 2});
    CHECK(load_text(text, {"model.p_ferro=1", "multispin.share=1"}).model.p_ferro == 1.0);
    const Config one = load_text(text, {"lattice.L=4"});
    CHECK(one.sizes == std::vector<int>{4});
    CHECK(one.run_sweeps == std::map<int, std::int64_t>{{4, 2000}});
    CHECK(load_text(text, {"lattice.L=[4,6,8]", "run.sweeps.8=8000"}).run_sweeps.at(8) == 8000);
}

TEST_CASE("ladders have exact ends and equal steps") {
    const auto ladder = [](const std::string& text) {
        return read_ladder(parse_document(text, "text"), "temperatures");
    };
    const std::vector<double> linear = ladder("{min: 1, max: 2, count: 5, spacing: linear}");
    CHECK(linear == std::vector<double>{1, 1.25, 1.5, 1.75, 2});
    const std::vector<double> geometric = ladder("{min: 0.5, max: 8, count: 5}");
    CHECK(geometric == std::vector<double>{0.5, 1, 2, 4, 8});
    const std::vector<double> inverse = ladder("{min: 0.25, max: 1, count: 4, spacing: inverse}");
    CHECK(inverse == std::vector<double>{0.25, 0.3333333333, 0.5, 1});
    const std::vector<double> fine = make_ladder(0.8, 1.8, 64, Spacing::geometric);
    CHECK(fine.front() == 0.8);
    CHECK(fine.back() == 1.8);
    for (std::size_t i = 1; i < fine.size(); ++i)
        CHECK(fine[i] / fine[i - 1] == doctest::Approx(std::pow(1.8 / 0.8, 1.0 / 63)).epsilon(1e-9));
}

TEST_CASE("parameters of one size") {
    const Config config = load_text(full_text);
    const Parameters p = parameters_for(config, 16);
    CHECK(p.L == 16);
    CHECK(p.seed == config.seed);
    CHECK(p.temperatures == config.temperatures.at(16));
    CHECK(p.thermalize_sweeps == 4000000000);
    CHECK(p.run_sweeps == 8000);
    CHECK(p.n_sites() == 4096);
    CHECK(parameters_for(load_text("lattice: {L: 8}\n"), 0).L == 8);
    CHECK_THROWS_AS(parameters_for(config, 0), InputError);
    CHECK_THROWS_AS(parameters_for(config, 6), InputError);
}

TEST_CASE("the physics of a state tells what may change and what may not") {
    const std::string text = "lattice: {L: 4}\ntemperatures: {list: [0.7, 1.1]}\n";
    const auto physics = [&](const std::vector<std::string>& overrides) {
        return parameters_for(load_text(text, overrides), 4).physics_yaml();
    };
    CHECK(physics({}) ==
          "seed: 20261121\n"
          "model: {kind: edwards-anderson, dimension: 3, field: 0, p_ferro: 0.5}\n"
          "L: 4\ntemperatures: [0.7, 1.1]\nreplicas: 2\nshare: 128\nsweeps_per_swap: 10\n");
    for (const char* same :
         {"run.sweeps=16384", "run.blocks=8", "disorder.realizations=4096", "disorder.batch=256",
          "lattice.L=[4,6]", "checkpoint.every_seconds=1", "run.histogram_bins=9"})
        CHECK_MESSAGE(physics({same}) == physics({}), same);
    for (const char* other : {"seed=1", "model.p_ferro=0.6", "temperatures={list: [0.7]}", "replicas=3",
                              "multispin.share=32", "dynamics.sweeps_per_swap=5", "model.dimension=2",
                              "model.p_absent=0.1", "model.boundary=open", "dynamics.update=heat-bath"})
        CHECK_MESSAGE(physics({other}) != physics({}), other);
    CHECK(physics({"replicas=4", "model.field=0.5"}) != physics({"replicas=4"}));
}

TEST_CASE("keys that omit their default enter texts only if they differ from it") {
    const std::string text = "lattice: {L: 4}\ntemperatures: {list: [0.7, 1.1]}\nmultispin: {share: 1}\n";
    const std::vector<std::string> always = {"seed",
                                             "model.kind",
                                             "model.dimension",
                                             "model.field",
                                             "model.p_ferro",
                                             "lattice.L",
                                             "disorder.realizations",
                                             "disorder.batch",
                                             "replicas",
                                             "multispin.share",
                                             "dynamics.sweeps_per_swap",
                                             "thermalize.sweeps",
                                             "run.sweeps",
                                             "run.measure_every",
                                             "run.blocks",
                                             "run.discard",
                                             "run.snapshots",
                                             "run.histogram_bins",
                                             "checkpoint.every_seconds"};
    const std::string plain = load_text(text).yaml;
    CHECK(load_text(text, {"model.p_absent=0.0", "model.boundary=periodic", "dynamics.update=metropolis",
                           "multispin.lanes=realizations", "dynamics.tile=0", "dynamics.hits=1",
                           "dynamics.tile_order=fixed"})
              .yaml == plain);
    for (const Key& key : config_keys())
        CHECK(key.omits_default ==
              !(std::ranges::count(always, key.path) > 0 || key.path.starts_with("temperatures") ||
                key.path.starts_with("equilibration.")));
    const Config config = load_text(text, {"model.p_absent=0.25", "model.boundary=open", "replicas=4",
                                           "dynamics.update=heat-bath", "model.field=0.5"});
    for (const char* line :
         {"  field: 0.5\n", "  p_absent: 0.25\n", "  boundary: open\n", "  update: heat-bath\n"})
        CHECK_MESSAGE(config.yaml.find(line) != std::string::npos, line);
    CHECK(parameters_for(config, 4).physics_yaml() ==
          "seed: 20261121\n"
          "model: {kind: edwards-anderson, dimension: 3, field: 0.5, p_ferro: 0.5, p_absent: 0.25, boundary: "
          "open}\n"
          "L: 4\ntemperatures: [0.7, 1.1]\nreplicas: 4\nshare: 1\nsweeps_per_swap: 10\nupdate: heat-bath\n");
    CHECK(parameters_for(load_text(text, {"model.couplings=gaussian", "model.dimension=2"}), 4)
              .physics_yaml() ==
          "seed: 20261121\nmodel: {kind: edwards-anderson, dimension: 2, field: 0, couplings: gaussian}\n"
          "L: 4\ntemperatures: [0.7, 1.1]\nreplicas: 2\nshare: 1\nsweeps_per_swap: 10\nprecision: float\n");
    CHECK(load_text(config.yaml).yaml == config.yaml);
    CHECK(parameters_for(load_text(text, {"dynamics.update=demon"}), 4).physics_yaml() ==
          "seed: 20261121\nmodel: {kind: edwards-anderson, dimension: 3, field: 0, p_ferro: 0.5}\n"
          "L: 4\ntemperatures: [0.7, 1.1]\nreplicas: 2\nshare: 1\nsweeps_per_swap: 10\nupdate: "
          "demon\ndemon_sites: 16\n");
    const Config replicas = load_text(text, {"multispin.lanes=replicas"});
    CHECK(replicas.yaml.find("  share: 1\n  lanes: replicas\n") != std::string::npos);
    CHECK(parameters_for(replicas, 4).physics_yaml() ==
          parameters_for(load_text(text), 4).physics_yaml() + "lanes: replicas\n");
    const std::vector<std::string> in_boxes = {"lattice.L=64", "multispin.lanes=sites"};
    const auto physics = [&](std::vector<std::string> more) {
        more.insert(more.begin(), in_boxes.begin(), in_boxes.end());
        return parameters_for(load_text(text, more), 64).physics_yaml();
    };
    CHECK(physics({}).ends_with("share: 1\nsweeps_per_swap: 10\nlanes: sites\n"));
    CHECK(physics({"dynamics.tile=8"}) == physics({}) + "tile: 8\nhits: 1\n");
    CHECK(physics({"dynamics.tile=8", "dynamics.hits=2"}) == physics({}) + "tile: 8\nhits: 2\n");
    CHECK(physics({"dynamics.tile=8", "dynamics.tile_order=alternating"}) ==
          physics({}) + "tile: 8\nhits: 1\ntile_order: alternating\n");
    const Config vectors =
        load_text(text, {"model.kind=heisenberg", "lattice.L=32", "dynamics.tile=8", "dynamics.hits=2"});
    CHECK(parameters_for(vectors, 32).physics_yaml().ends_with("tile: 8\nhits: 2\nprecision: float\n"));
    CHECK(load_text("lattice: {L: 1024}\nmodel: {dimension: 2}\n").sizes == std::vector<int>{1024});
    CHECK(load_text("lattice: {L: 16384}\nmodel: {dimension: 2}\nmultispin: {lanes: sites}\n").sizes ==
          std::vector<int>{16384});
}

TEST_CASE("where lanes are replicas or sites a share that is not given is 1") {
    const std::string text = "lattice: {L: 4}\ntemperatures: {list: [0.7, 1.1]}\n";
    CHECK(load_text(text).multispin.share == 128);
    CHECK(load_text(text, {"multispin.lanes=realizations"}).multispin.share == 128);
    CHECK(load_text(text + "multispin: {lanes: replicas}\n").multispin.share == 1);
    CHECK(load_text(text, {"multispin.lanes=replicas"}).multispin.share == 1);
    CHECK(load_text(text, {"multispin.lanes=sites", "lattice.L=32"}).multispin.share == 1);
    CHECK(load_text(text, {"multispin.lanes=replicas", "multispin.share=1"}).multispin.lanes ==
          Lanes::replicas);
}

TEST_CASE("maps per size may name sizes of later, and have an entry for all others") {
    const char* const maps =
        "temperatures: {4: {list: [1, 2]}, 64: {list: [3]}, default: {list: [1, 2, 4]}}\n"
        "thermalize: {sweeps: {8: 30, default: 20, 64: 90}}\n";
    const Config config = load_text(std::string("lattice: {L: [4, 6, 8]}\n") + maps);
    CHECK(config.temperatures.at(4) == std::vector<double>{1, 2});
    CHECK(config.temperatures.at(6) == std::vector<double>{1, 2, 4});
    CHECK(config.thermalize_sweeps == std::map<int, std::int64_t>{{4, 20}, {6, 20}, {8, 30}});
    const Config same = load_text(
        "lattice: {L: [4, 6, 8]}\ntemperatures: {4: {list: [1, 2]}, 6: {list: [1, 2, 4]}, 8: {list: [1, 2, "
        "4]}}\nthermalize: {sweeps: {4: 20, 6: 20, 8: 30}}\n");
    CHECK(config.hash == same.hash);
    CHECK(load_text(std::string("lattice: {L: [4, 64]}\n") + maps).thermalize_sweeps.at(64) == 90);
}
