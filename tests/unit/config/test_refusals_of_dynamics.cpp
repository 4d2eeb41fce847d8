#include <doctest/doctest.h>

#include "unit/config/refusal_table.hpp"

using psflip::test::check_all;

TEST_CASE("what the dynamics with demons does not have is refused") {
    check_all({
        {"dynamics: {update: demon}\nmodel: {couplings: gaussian}\n",
         "study.yaml:2: model.couplings = gaussian does not go with dynamics.update = demon (study.yaml:1)",
         {"metropolis and heat-bath"}},
        {"dynamics: {update: demon}\nmodel: {kind: heisenberg}\n",
         "study.yaml:2: model.kind = heisenberg does not go with dynamics.update = demon (study.yaml:1)",
         {"cone"}},
        {"dynamics: {update: demon}\nmultispin: {share: 32}\n",
         "study.yaml:2: multispin.share = 32 does not go with dynamics.update = demon (study.yaml:1)",
         {"use 1 or leave it out"}},
        {"dynamics: {update: demon, tile: 2}\nmultispin: {lanes: sites}\nlattice: {L: [64]}\n",
         "study.yaml:1: dynamics.tile = 2 does not go with dynamics.update = demon (study.yaml:1)",
         {"the plain checkerboard"}},
        {"dynamics: {demon_sites: 8}\n",
         "study.yaml:1: dynamics.demon_sites = 8 does not go with dynamics.update = metropolis",
         {"use update: demon or leave it out"}},
        {"dynamics: {update: demon}\nrelax: {first: 3}\n",
         "study.yaml:2: relax.first = 3 has 3, which is odd: with dynamics.update = demon",
         {"use 4"}},
    });
}

TEST_CASE("what cluster updates do not have is refused") {
    check_all({
        {"dynamics: {update: swendsen-wang}\n",
         "study.yaml (default): model.kind = edwards-anderson does not go with dynamics.update = "
         "swendsen-wang (study.yaml:1)",
         {"kind: ferromagnet"}},
        {"dynamics: {update: wolff}\nmodel: {kind: ferromagnet, field: 0.1}\n",
         "study.yaml:2: model.field = 0.1 does not go with dynamics.update = wolff (study.yaml:1)",
         {"use 0"}},
        {"dynamics: {update: wolff}\nmodel: {kind: ferromagnet}\nmultispin: {share: 32}\n",
         "study.yaml:3: multispin.share = 32 does not go with dynamics.update = wolff (study.yaml:1)",
         {"use 1 or leave it out"}},
        {"dynamics: {update: swendsen-wang}\nmodel: {kind: ferromagnet}\nmultispin: {lanes: replicas}\n",
         "study.yaml:3: multispin.lanes = replicas does not go with dynamics.update = swendsen-wang",
         {"realizations or sites"}},
        {"dynamics: {update: swendsen-wang, tile: 2}\nmodel: {kind: ferromagnet}\n"
         "multispin: {lanes: sites}\nlattice: {L: [64]}\n",
         "study.yaml:1: dynamics.tile = 2 does not go with dynamics.update = swendsen-wang",
         {"no tiles"}},
        {"dynamics: {update: swendsen-wang, wolff_clusters: 3}\nmodel: {kind: ferromagnet}\n",
         "study.yaml:1: dynamics.wolff_clusters = 3 does not go with dynamics.update = swendsen-wang",
         {"use update: wolff or leave it out"}},
    });
}

TEST_CASE("Houdayer moves are refused where they cannot work") {
    check_all({
        {"dynamics: {houdayer_every: 10}\nreplicas: 1\n",
         "study.yaml:2: replicas = 1 does not go with dynamics.houdayer_every (study.yaml:1)",
         {"two replicas or more"}},
        {"dynamics: {houdayer_every: 10}\nmodel: {kind: heisenberg}\n",
         "study.yaml:2: model.kind = heisenberg does not go with dynamics.houdayer_every (study.yaml:1)",
         {"Ising spins"}},
        {"dynamics: {houdayer_every: 10}\nmultispin: {lanes: sites}\nlattice: {L: [64]}\n",
         "study.yaml:2: multispin.lanes = sites does not go with dynamics.houdayer_every (study.yaml:1)",
         {"use realizations or replicas"}},
        {"dynamics: {houdayer_every: 10}\nmultispin: {lanes: replicas}\nmodel: {p_absent: 0.2}\n",
         "study.yaml:3: model.p_absent = 0.2 does not go with dynamics.houdayer_every (study.yaml:1)",
         {"multispin.lanes = realizations"}},
        {"dynamics: {houdayer_every: 10}\nmultispin: {lanes: replicas}\nmodel: {boundary: open}\n",
         "study.yaml:3: model.boundary = open does not go with dynamics.houdayer_every (study.yaml:1)",
         {"multispin.lanes = realizations"}},
        {"dynamics: {houdayer_every: 10}\ntemperatures: {list: [1.2, 1.5]}\n",
         "study.yaml (default): dynamics.houdayer_below = 1 is below the lowest temperature, 1.2",
         {"no move would be made"}},
        {"dynamics: {houdayer_below: 2}\n",
         "study.yaml:1: dynamics.houdayer_below = 2 has no use without Houdayer moves",
         {"set dynamics.houdayer_every"}},
    });
}

TEST_CASE("what tiles of vector spins do not have is refused") {
    check_all({
        {"dynamics: {tile: 4}\nmodel: {kind: heisenberg}\nlattice: {L: 32}\n",
         "study.yaml:1: dynamics.tile = 4 does not fit into L = 32, which needs an even number of tiles of "
         "edge "
         "8 or more",
         {"use 8, or 0"}},
        {"dynamics: {tile: 16}\nmodel: {couplings: gaussian, dimension: 2}\nlattice: {L: 48}\n",
         "study.yaml:1: dynamics.tile = 16 does not fit into L = 48",
         {"use 8, or 0"}},
        {"dynamics: {tile: 8}\nmodel: {kind: heisenberg}\nlattice: {L: 12}\n",
         "study.yaml:1: dynamics.tile = 8 does not fit into L = 12",
         {"use 0 for"}},
        {"dynamics: {tile: 8}\nmodel: {kind: heisenberg, boundary: open}\nlattice: {L: 16}\n",
         "study.yaml:2: model.boundary = open does not go with tiles",
         {"use periodic"}},
        {"dynamics: {tile: 8, hits: 10, update: cone}\nmodel: {kind: heisenberg}\nlattice: {L: 16}\n",
         "study.yaml:1: dynamics.hits = 10 does not go with dynamics.update = cone",
         {"2, 4, 8 or 16"}},
        {"dynamics: {tile: 8, over_relaxation: 1, tile_order: alternating}\nmodel: {kind: heisenberg}\n"
         "lattice: {L: 16}\n",
         "study.yaml:1: dynamics.tile_order = alternating does not go with dynamics.over_relaxation",
         {"use fixed"}},
        {"dynamics: {tile: 8, hits: 5, houdayer_every: 12}\nmodel: {couplings: gaussian}\nlattice: {L: 16}\n",
         "study.yaml:1: dynamics.houdayer_every = 12 has 12, which is not a multiple of dynamics.hits = 5",
         {"use 10 or 15"}},
        {"dynamics: {tile_order: alternating}\n",
         "study.yaml:1: dynamics.tile_order = alternating goes with tiles only",
         {"use fixed"}},
    });
}
