#include <doctest/doctest.h>

#include "unit/config/refusal_table.hpp"

using namespace psflip;
using psflip::test::check_all;
using psflip::test::refusal;

TEST_CASE("keys that do not exist are refused with the nearest known one") {
    check_all({
        {"seed: 1\nsede: 2\n", "study.yaml:2: unknown key sede;", {"did you mean seed?"}},
        {"run:\n  sweep: 5\n", "study.yaml:2: unknown key run.sweep;", {"did you mean run.sweeps?"}},
        {"measure_every: 5\n",
         "study.yaml:1: unknown key measure_every;",
         {"did you mean run.measure_every?"}},
        {"dynamics:\n  houdayer: 5\n",
         "study.yaml:2: unknown key dynamics.houdayer;",
         {"did you mean dynamics.houdayer_every?"}},
        {"run:\n  sweeps: 8192\n  zzzzzz: 1\n", "study.yaml:3: unknown key run.zzzzzz;", {"measure_every"}},
        {"qqqqqqqq: 1\n", "study.yaml:1: unknown key qqqqqqqq;", {"known keys", "thermalize"}},
        {"temperatures: {min: 1, cout: 4}\n",
         "study.yaml:1: unknown key temperatures.cout;",
         {"did you mean temperatures.count?"}},
        {"lattice: {L: 4}\ntemperatures:\n  4:\n    mni: 1\n",
         "study.yaml:4: unknown key temperatures.4.mni;",
         {"temperatures.min"}},
        {"run: 5\n", "study.yaml:1: run = 5 is a single value", {"keys of run: sweeps"}},
        {"run:\n", "study.yaml:1: section run is empty", {}},
        {"<<: {seed: 1}\n", "study.yaml:1: unknown key <<;", {}},
    });
}

TEST_CASE("files that are not a configuration are refused") {
    check_all({
        {"seed: 1\nrun: {sweeps: [1\n", "study.yaml:", {"not valid YAML"}},
        {"seed: 1\n\tmodel: 2\n", "study.yaml:2: this is not valid YAML", {}},
        {"seed: 1\nreplicas: 2\nseed: 3\n", "study.yaml:3: key seed is given twice", {"study.yaml:1"}},
        {"run: {blocks: 2, blocks: 3}\n", "study.yaml:1: key blocks is given twice", {}},
        {"lattice: {L: [4, 6]}\nrun:\n  sweeps:\n    4: 2000\n    4: 3000\n",
         "study.yaml:5: key 4 is given twice",
         {}},
        {"", "study.yaml: the configuration is empty", {}},
        {"# only a comment\n", "study.yaml: the configuration is empty", {}},
        {"- 1\n- 2\n", "study.yaml:1: the configuration is not a map", {}},
        {"seed: 1\n---\nseed: 2\n", "study.yaml:", {"second YAML document"}},
        {"seed: 1\n---\n", "study.yaml:2: a second YAML document ('---') begins here; keep one document", {}},
        {"{seed: 1},\n", "study.yaml:1: text follows the end of the value", {"{ }"}},
        {"{seed: 1}\n...\n2\n", "study.yaml:3: text follows the end of the value", {}},
        {",", "study.yaml:1: text follows the end of the value", {}},
        {"? [a, b]\n: 1\n", "study.yaml:1: a key must be a plain name", {}},
        {"seed: &a [*a]\n", "study.yaml:1: a value contains itself", {}},
    });
    CHECK_THROWS_WITH_AS(load_config("/no/such/study.yaml"),
                         "/no/such/study.yaml: cannot read the configuration: No such file or directory",
                         InputError);
    CHECK_THROWS_WITH_AS(load_config("/"),
                         "/: cannot read the configuration, because this is a folder and not a regular file",
                         InputError);
    CHECK(refusal(std::string("seed: 1\0\n", 9)).find("a binary file, not a YAML configuration") !=
          std::string::npos);
}

TEST_CASE("values of a wrong type are refused") {
    check_all({
        {"seed: 1.5\n", "study.yaml:1: seed = 1.5 is not a whole number", {}},
        {"seed: 1.5e0\n", "study.yaml:1: seed = 1.5e0 is not a whole number", {}},
        {"seed: 1e-3\n", "study.yaml:1: seed = 1e-3 is not a whole number", {}},
        {"seed: 1e999\n", "study.yaml:1: seed = 1e999 is not a whole number", {}},
        {"seed: 9007199254740992.0\n",
         "study.yaml:1: seed = 9007199254740992.0 is too large for a real number",
         {"decimal digits"}},
        {"seed: 1e16\n", "study.yaml:1: seed = 1e16 is too large for a real number", {"decimal digits"}},
        {"seed: -1e3\n", "study.yaml:1: seed = -1e3 is negative", {}},
        {"seed: 1e\n", "study.yaml:1: seed = 1e is not a number", {}},
        {"replicas: 9.0\n", "study.yaml:1: replicas = 9.0 is too large; allowed: 1 to 8", {}},
        {"multispin: {share: 1.6e1}\n",
         "study.yaml:1: multispin.share = 1.6e1 is not known; use one of 1, 32, 64, 128",
         {}},
        {"seed: 0x10\n", "study.yaml:1: seed = 0x10 is not a number", {}},
        {"seed: 012\n", "study.yaml:1: seed = 012", {"write 12"}},
        {"seed: yes\n", "study.yaml:1: seed = yes is not a number", {}},
        {"seed: \"5\"\n", "study.yaml:1: seed = \"5\" is text in quotes", {}},
        {"seed:\nreplicas: 2\n", "study.yaml:1: seed has no value", {}},
        {"replicas: [2]\n", "study.yaml:1: replicas = [2] is a list", {}},
        {"replicas: {a: 1}\n", "study.yaml:1: replicas = {a: 1} is a map", {}},
        {"model:\n  p_ferro: half\n", "study.yaml:2: model.p_ferro = half is not a number", {}},
        {"model: {kind: [edwards-anderson]}\n",
         "study.yaml:1: model.kind = [edwards-anderson] is a list",
         {}},
        {"lattice: {L: [4, six]}\n", "study.yaml:1: lattice.L = six is not a number", {}},
        {"lattice: {L: {4: 1}}\n", "study.yaml:1: lattice.L = {4: 1} is a map", {}},
        {"run: {sweeps: many}\n", "study.yaml:1: run.sweeps = many is not a number", {}},
        {"temperatures: [1, 2]\n", "study.yaml:1: temperatures = [1, 2] is a list; write {list: [...]}", {}},
        {"temperatures: 1.0\n", "study.yaml:1: temperatures = 1.0 is not a ladder", {}},
        {"temperatures: {list: 1.0}\n", "study.yaml:1: temperatures.list = 1.0 is not a list", {}},
        {"temperatures: {count: 4.5}\n", "study.yaml:1: temperatures.count = 4.5 is not a whole number", {}},
    });
}

TEST_CASE("values out of range are refused") {
    check_all({
        {"seed: -1\n", "study.yaml:1: seed = -1 is negative", {"2^64 - 1"}},
        {"seed: 18446744073709551616\n", "study.yaml:1: seed = 18446744073709551616 is too large", {}},
        {"replicas: 0\n", "study.yaml:1: replicas = 0 is too small; allowed: 1 to 8", {}},
        {"replicas: 9\n", "study.yaml:1: replicas = 9 is too large", {}},
        {"replicas: 4294967298\n", "study.yaml:1: replicas = 4294967298 is too large", {}},
        {"replicas: 99999999999999999999\n",
         "study.yaml:1: replicas = 99999999999999999999 is too large",
         {}},
        {"run:\n  sweeps: -100\n", "study.yaml:2: run.sweeps = -100 is negative", {}},
        {"thermalize: {sweeps: -1}\n", "study.yaml:1: thermalize.sweeps = -1 is negative; allowed: 0", {}},
        {"run: {blocks: 15}\n",
         "study.yaml:1: run.blocks = 15 is odd: half of the blocks must lie in the second half of a run; use "
         "14 or 16",
         {}},
        {"run: {blocks: 0}\n", "study.yaml:1: run.blocks = 0 is too small", {}},
        {"run: {histogram_bins: 0}\n", "study.yaml:1: run.histogram_bins = 0 is too small", {}},
        {"multispin: {share: 16}\n",
         "study.yaml:1: multispin.share = 16 is not known; use one of 1, 32, 64, 128",
         {}},
        {"disorder: {realizations: 16777217}\n",
         "study.yaml:1: disorder.realizations = 16777217 is too large",
         {}},
        {"model: {p_ferro: 1.01}\n", "study.yaml:1: model.p_ferro = 1.01 is too large; allowed: 0 to 1", {}},
        {"model: {p_ferro: .nan}\n", "study.yaml:1: model.p_ferro = .nan is not a finite number", {}},
        {"model: {p_ferro: nan}\n", "study.yaml:1: model.p_ferro = nan is not a finite number", {}},
        {"model: {p_ferro: 1e999}\n", "study.yaml:1: model.p_ferro = 1e999 is not a finite number", {}},
        {"model: {field: 101}\n", "study.yaml:1: model.field = 101 is too large; allowed: -100 to 100", {}},
        {"model: {dimension: 4}\n", "study.yaml:1: model.dimension = 4", {"2, 3"}},
        {"model: {kind: potts}\n",
         "study.yaml:1: model.kind = potts is not known",
         {"edwards-anderson, ferromagnet"}},
        {"model: {boundary: free}\n", "study.yaml:1: model.boundary = free is not known", {"periodic, open"}},
        {"model: {p_absent: 1.5}\n", "study.yaml:1: model.p_absent = 1.5 is too large; allowed: 0 to 1", {}},
        {"dynamics: {update: glauber}\n",
         "study.yaml:1: dynamics.update = glauber is not known",
         {"metropolis, heat-bath"}},
        {"equilibration: {test: log3}\n",
         "study.yaml:1: equilibration.test = log3 is not known",
         {"log2, none", "did you mean log2?"}},
        {"equilibration: {unequilibrated: leave}\n",
         "study.yaml:1: equilibration.unequilibrated = leave is not known; use one of keep, refuse",
         {}},
        {"equilibration: {max_doublings: 21}\n",
         "study.yaml:1: equilibration.max_doublings = 21 is too large",
         {}},
        {"checkpoint: {every_seconds: -1}\n", "study.yaml:1: checkpoint.every_seconds = -1 is too small", {}},
    });
}

TEST_CASE("lattice sizes are refused in plain words") {
    check_all({
        {"lattice:\n  L: [4, 5]\n",
         "study.yaml:2: lattice.L = [4, 5] has 5, which is odd",
         {"checkerboard", "use 4 or 6"}},
        {"lattice: {L: 1}\n", "study.yaml:1: lattice.L = 1", {"even L from 4 to 1024"}},
        {"lattice: {L: 0}\n", "study.yaml:1: lattice.L = 0", {"even L from 4 to 1024"}},
        {"lattice: {L: -4}\n", "study.yaml:1: lattice.L = -4", {"even L from 4 to 1024"}},
        {"lattice: {L: 2}\n", "study.yaml:1: lattice.L = 2", {"use 4 or more"}},
        {"lattice: {L: 65600}\nmodel: {dimension: 2}\nmultispin: {lanes: sites}\n",
         "study.yaml:1: lattice.L = 65600",
         {"use at most 65536"}},
        {"lattice: {L: 46400}\nmodel: {dimension: 2}\nmultispin: {lanes: sites}\ntemperatures: {list: [2.0, "
         "2.1]}\n",
         "study.yaml:1: lattice.L = 46400 has 46400 with 2 temperatures",
         {"sizes above 46336 have one temperature"}},
        {"lattice: {L: 2048}\nmultispin: {lanes: sites}\n",
         "study.yaml:1: lattice.L = 2048",
         {"use at most 1024"}},
        {"lattice: {L: 1026}\n", "study.yaml:1: lattice.L = 1026", {"use at most 1024"}},
        {"lattice: {L: [894, 896]}\nmodel: {p_absent: 0.1}\n",
         "study.yaml:1: lattice.L = [894, 896]",
         {"has 896; the largest size with absent bonds", "is 894"}},
        {"lattice: {L: 1024}\nmodel: {boundary: open}\n",
         "study.yaml:1: lattice.L = 1024",
         {"largest size with absent bonds"}},
        {"lattice: {L: [644, 646]}\nmodel: {kind: heisenberg}\n",
         "study.yaml:1: lattice.L = [644, 646] has 646; the largest size in three dimensions with "
         "multispin.share = 1 and model.kind = heisenberg (study.yaml:2) is 644",
         {}},
        {"lattice: {L: 646}\nmodel: {couplings: gaussian}\n",
         "study.yaml:1: lattice.L = 646 has 646",
         {"model.couplings = gaussian (study.yaml:2) is 644"}},
        {"lattice: {L: 646}\nmultispin: {lanes: replicas}\n",
         "study.yaml:1: lattice.L = 646 has 646",
         {"multispin.lanes = replicas (study.yaml:2) is 644"}},
        {"lattice: {L: 646}\ndynamics: {update: demon}\n",
         "study.yaml:1: lattice.L = 646 has 646",
         {"dynamics.update = demon (study.yaml:2) is 644"}},
        {"lattice: {L: 646}\ndynamics: {update: wolff}\nmodel: {kind: ferromagnet}\n",
         "study.yaml:1: lattice.L = 646 has 646",
         {"dynamics.update = wolff (study.yaml:2) is 644; use a smaller L, or multispin.lanes = sites"}},
        {"lattice: {L: 646}\ndynamics: {houdayer_every: 10}\nmultispin: {share: 1}\n",
         "study.yaml:1: lattice.L = 646 has 646",
         {"dynamics.houdayer_every = 10 (study.yaml:2) is 644"}},
        {"lattice: {L: 1026}\nmodel: {dimension: 2}\n",
         "study.yaml:1: lattice.L = 1026",
         {"use at most 1024",
          "at most 65536 for Ising spins in two dimensions with multispin.lanes = sites"}},
        {"lattice: {L: []}\n", "study.yaml:1: lattice.L = [] is empty", {}},
        {"lattice: {L: [8, 4, 8]}\n", "study.yaml:1: lattice.L = [8, 4, 8] has 8 twice", {}},
    });
}

TEST_CASE("temperatures are refused with their reason") {
    check_all({
        {"temperatures: {list: [1, 2, 1.0]}\n", "study.yaml:1: temperatures has the temperature 1 twice", {}},
        {"temperatures: {list: []}\n",
         "study.yaml:1: temperatures.list = [] is not a list of temperatures",
         {}},
        {"temperatures: {list: [0, 1]}\n",
         "study.yaml:1: temperatures.list = 0 is too small; allowed: 0.01 to 1000",
         {}},
        {"temperatures: {list: [-1, 1]}\n", "study.yaml:1: temperatures.list = -1 is too small", {}},
        {"temperatures: {list: [1, .inf]}\n",
         "study.yaml:1: temperatures.list = .inf is not a finite number",
         {}},
        {"temperatures:\n  min: 1\n  list: [1]\n", "study.yaml:2: temperatures has both list and min", {}},
        {"temperatures: {count: 65}\n",
         "study.yaml:1: temperatures.count = 65 is too large; allowed: 2 to 64",
         {}},
        {"temperatures: {min: 2, max: 1}\n",
         "study.yaml:1: temperatures.min = 2 is not below temperatures.max = 1",
         {}},
        {"temperatures: {min: 1, max: 1.0000000001}\n",
         "study.yaml:1: temperatures has the temperature",
         {"twice"}},
        {"temperatures: {spacing: cubic}\n",
         "study.yaml:1: temperatures.spacing = cubic is not known",
         {"inverse"}},
        {"temperatures: {min: 1, 4: {min: 2}}\n",
         "study.yaml:1: temperatures has the key 'min'",
         {"lattice sizes"}},
        {"lattice: {L: [4, 6]}\ntemperatures:\n  4: {min: 1}\n",
         "study.yaml:2: temperatures has no value for L = 6",
         {}},
        {"lattice: {L: 4}\ntemperatures:\n  4: {min: 1}\n  6: {min: -1}\n",
         "study.yaml:4: temperatures.6.min = -1",
         {}},
    });
    std::string many = "temperatures: {list: [1";
    for (int i = 1; i < 65; ++i) many += ", 1." + std::to_string(100 + i);
    CHECK(refusal(many + "]}\n") ==
          "study.yaml:1: temperatures.list has 65 temperatures; at most 64 are possible");
}

TEST_CASE("keys that contradict each other are refused") {
    check_all({
        {"run:\n  measure_every: 15\n",
         "study.yaml:2: run.measure_every = 15 is not a multiple of dynamics.sweeps_per_swap = 10; use 10 or "
         "20",
         {}},
        {"run: {measure_every: 5}\n", "study.yaml:1: run.measure_every = 5", {"use 10"}},
        {"dynamics: {sweeps_per_swap: 7}\n",
         "study.yaml (default): run.measure_every = 100 is not a multiple",
         {"use 98 or 105"}},
        {"run: {sweeps: 1599}\n",
         "study.yaml:1: run.sweeps = 1599 is too short for run.blocks = 16",
         {"1600 or more"}},
        {"lattice: {L: [4, 6]}\nrun:\n  sweeps:\n    4: 2000\n    6: 1000\n",
         "study.yaml:5: run.sweeps.6 = 1000 is too short",
         {}},
        {"run: {sweeps: 8000, snapshots: 7}\n",
         "study.yaml:1: run.snapshots = 7 does not divide the 80 measurements",
         {"use 5 or 8"}},
        {"run: {sweeps: 8000, snapshots: 160}\n",
         "study.yaml:1: run.snapshots = 160 does not divide",
         {"use 80"}},
        {"lattice: {L: [4, 6]}\nrun: {sweeps: {4: 8000, 6: 9000}, snapshots: 8}\n",
         "study.yaml:2: run.snapshots = 8 does not divide the 90 measurements of L = 6",
         {}},
        {"disorder: {batch: 100}\n",
         "study.yaml:1: disorder.batch = 100 is not a multiple of 128",
         {"use 128"}},
        {"multispin:\n  lanes: replicas\n  share: 32\n",
         "study.yaml:3: multispin.share = 32 does not go with multispin.lanes = replicas (study.yaml:2)",
         {"use share: 1 or leave it out"}},
        {"multispin:\n  lanes: sites\n  share: 32\n",
         "study.yaml:3: multispin.share = 32 does not go with multispin.lanes = sites (study.yaml:2)",
         {"use share: 1 or leave it out"}},
        {"lattice:\n  L: [64, 100]\nmodel: {dimension: 2}\nmultispin: {lanes: sites}\n",
         "study.yaml:2: lattice.L = [64, 100] has 100, which does not go with multispin.lanes = sites "
         "(study.yaml:4)",
         {"multiples of 64", "use 64 or 128"}},
        {"lattice: {L: 8}\nmultispin: {lanes: sites}\n",
         "study.yaml:1: lattice.L = 8 has 8, which does not go with multispin.lanes = sites",
         {"multiples of 32", "use 32"}},
        {"lattice: {L: 32}\nmodel: {p_absent: 0.1}\nmultispin: {lanes: sites}\n",
         "study.yaml:2: model.p_absent = 0.1 does not go with multispin.lanes = sites (study.yaml:3)",
         {"use 0"}},
        {"lattice: {L: 32}\nmodel: {boundary: open}\nmultispin: {lanes: sites}\n",
         "study.yaml:2: model.boundary = open does not go with multispin.lanes = sites (study.yaml:3)",
         {"use periodic"}},
        {"dynamics: {tile: 4}\n",
         "study.yaml:1: dynamics.tile = 4 does not go with multispin.lanes = realizations",
         {"use lanes: sites"}},
        {"lattice: {L: 32}\nmultispin: {lanes: sites}\ndynamics: {hits: 2}\n",
         "study.yaml:3: dynamics.hits = 2 goes with tiles only",
         {"give dynamics.tile, or use 1"}},
        {"lattice: {L: 64}\nmultispin: {lanes: sites}\ndynamics:\n  tile: 16\n",
         "study.yaml:4: dynamics.tile = 16 does not fit into the subdomains of L = 64, whose edges are 16 "
         "and 8",
         {"use 2, 4, 8, or 0"}},
        {"lattice: {L: 64}\nmultispin: {lanes: sites}\ndynamics: {tile: 4, hits: 4}\n",
         "study.yaml (default): dynamics.sweeps_per_swap = 10 has 10, which is not a multiple of "
         "dynamics.hits = 4",
         {"use 8 or 12"}},
        {"lattice: {L: 64}\nmultispin: {lanes: sites}\ndynamics: {tile: 4, hits: 10}\n",
         "study.yaml (default): thermalize.sweeps = 2048 has 2048",
         {"use 2040 or 2050"}},
        {"model: {p_ferro: 1}\nmultispin:\n  share: 64\n",
         "study.yaml:3: multispin.share = 64 does not go with model.p_ferro = 1 (study.yaml:1)",
         {"use share: 1"}},
        {"model: {p_ferro: 0}\n", "study.yaml (default): multispin.share = 128", {"model.p_ferro = 0"}},
        {"model: {p_ferro: 1e-10}\n", "study.yaml (default): multispin.share = 128", {}},
        {"model: {p_ferro: 0.9999999999}\n", "study.yaml (default): multispin.share = 128", {}},
        {"model: {kind: ferromagnet}\n",
         "study.yaml (default): multispin.share = 128 does not go with model.kind = ferromagnet "
         "(study.yaml:1)",
         {"use share: 1"}},
        {"model: {p_absent: 1}\n",
         "study.yaml (default): multispin.share = 128 does not go with model.p_absent = 1",
         {}},
        {"model: {field: -2.5}\n",
         "study.yaml (default): multispin.share = 128 does not go with model.field = -2.5",
         {"in a strong field"}},
        {"model: {field: 0.1}\n",
         "study.yaml (default): replicas = 2 does not go with model.field = 0.1 (study.yaml:1)",
         {"use 4, or 1"}},
        {"model: {field: 0.1}\nreplicas: 3\n", "study.yaml:2: replicas = 3 does not go with", {}},
        {"model: {kind: ferromagnet, p_ferro: 0.8}\nmultispin: {share: 1}\n",
         "study.yaml:1: model.p_ferro = 0.8 does not go with model.kind = ferromagnet",
         {"leave it out"}},
        {"model: {p_absent: 0.6, dimension: 2}\n",
         "study.yaml (default): multispin.share = 128 does not go with model.p_absent = 0.6",
         {"percolating"}},
        {"disorder: {batch: 48}\nmultispin: {share: 1}\n",
         "study.yaml:1: disorder.batch = 48 is not a multiple of 32",
         {"use 32 or 64"}},
        {"run: {sweeps: 70368744177664}\n",
         "study.yaml:1: run.sweeps = 70368744177664 is too large",
         {"2^48"}},
        {"lattice: {L: 4 6 8}\n", "study.yaml:1: lattice.L = 4 6 8 is not a number or a list", {"[4, 6, 8]"}},
        {"lattice:\n  L: 4, 6\n", "study.yaml:2: lattice.L = 4, 6 is not a number or a list", {"[4, 6, 8]"}},
        {"run: {sweeps: {4: 2000}}\n", "study.yaml:1: run.sweeps has no value for L = 6", {}},
        {"run: {sweeps: {four: 2000}}\n", "study.yaml:1: run.sweeps has the key 'four'", {}},
        {"thermalize: {sweeps: {4: 1, default: -1}}\n", "study.yaml:1: thermalize.sweeps.default = -1", {}},
    });
}

TEST_CASE("overrides are refused with the option's name") {
    const std::string text = "seed: 1\nrun:\n  sweeps: 8192\n";
    const auto message = [&](const std::string& assignment) { return refusal(text, {assignment}); };
    CHECK(message("run.sweeps=-5").rfind("--set: run.sweeps = -5 is negative", 0) == 0);
    CHECK(message("run.sweps=5") == "--set: unknown key run.sweps; did you mean run.sweeps?");
    CHECK(message("lattice.L=[4,6") ==
          "--set: this is not valid YAML: end of sequence flow not found (in lattice.L=[4,6)");
    CHECK(message("lattice.L=[4],6").rfind("--set: text follows the end of the value", 0) == 0);
    CHECK(message("lattice.L=[4] 6").rfind("--set: text follows the end of the value", 0) == 0);
    CHECK(message("seed=1,") == "--set: seed = 1, is not a number; give a whole number in decimal digits");
    CHECK(message("seed") == "--set: 'seed' is not of the form key.path=value");
    CHECK(message("=5") == "--set: '=5' is not of the form key.path=value");
    CHECK(message("run..sweeps=5") == "--set: the key of 'run..sweeps=5' has an empty part");
    CHECK(message("seed=").rfind("--set: seed has no value", 0) == 0);
    CHECK(message("run.sweeps.4=5") ==
          "--set: run.sweeps.4: run.sweeps is the single value 8192 (from study.yaml:3), not a map; set "
          "run.sweeps as a whole");
    CHECK(message("run=5").rfind("--set: run = 5 is a single value", 0) == 0);
    CHECK(message("run={sweeps: 5, sweeps: 6}").find("key sweeps is given twice") != std::string::npos);
}
