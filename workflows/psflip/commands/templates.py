"""The study files that `psflip new` writes: a table of models, and a block of text, a comment and keys, for each section."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from psflip.campaign.study import MIN_GROUPS

SHARES = (128, 64, 32)
FEW = 16  # realizations below which lanes of replicas take less time, also next to share: 128
LANES = 128
COPIES = "Without disorder, realizations are independent copies of one system."


@dataclass(frozen=True)
class Model:
    """`shares`: realizations may share random numbers. `lanes`: multispin.lanes may be replicas. `relax`: the section of a study off equilibrium, instead of a run."""

    about: str
    model: str
    sizes: tuple[int, ...]
    temperatures: str
    note: str
    realizations: int = 512
    sweeps: int = 16000
    replicas: int = 2
    disorder: str = "Samples of the couplings."
    source: str = "drawn"
    shares: bool = False
    why_not: str = ""
    lanes: bool = True
    dynamics: str = ""
    measure_every: int = 100
    relax: str = ""
    multiple: int = 1600  # of the sweeps
    option: str = ""  # that psflip plan and psflip run need
    clusters_from: int = 0  # size of the largest lattice from which on Swendsen-Wang updates pay; 0: none


UNTESTED = "Errors with shared random numbers are tested for glasses on periodic cubic lattices with all bonds and without a field."
EQUAL = "Without random bonds, realizations that share random numbers become copies of each other."
GLASS = "{kind: edwards-anderson, dimension: 3, p_ferro: 0.5}"

RELAXATION = """\
# From random spins. Times t lie on a logarithmic grid; at each waiting time t_w psflip keeps the spins and compares them with those at t_w + t.
relax:
  last: {sweeps}
  per_decade: 8
  waiting: [{waiting}]
"""
LOOP = [*range(10, -11, -2), *range(-8, 11, 2)]  # tenths of model.field
PROTOCOL = f"""\
# Spins begin along the field. The field is model.field times each factor, for stage_sweeps sweeps each; waiting are times of pictures of the spins.
relax:
  start: up
  fields: [{", ".join(f"{x / 10:g}" for x in LOOP)}]
  stage_sweeps: {{sweeps}}
  measure_every: 10
  last: {{last}}
  waiting: [{{waiting}}]
"""

MODELS = {
    "glass": Model("The ±J spin glass of three dimensions.", GLASS, (4, 6, 8), "{min: 0.8, max: 2.0, count: 16, spacing: geometric}",
                   "T_c = 1.10. The hot end lets configurations decorrelate; the cold end should lie below the crossings.", shares=True),
    "glass2d": Model("The ±J spin glass of two dimensions, which orders at T = 0 only.", "{kind: edwards-anderson, dimension: 2, p_ferro: 0.5}", (8, 12, 16),
                     "{min: 0.4, max: 2.0, count: 16, spacing: geometric}", "Curves of different sizes do not cross.", why_not=UNTESTED),
    "gaussian": Model("The spin glass of three dimensions with Gaussian couplings.", "{kind: edwards-anderson, dimension: 3, couplings: gaussian}", (4, 6, 8),
                      "{min: 0.7, max: 1.8, count: 16, spacing: geometric}", "T_c = 0.951. The hot end lets configurations decorrelate.", realizations=256, sweeps=8000, lanes=False),
    "diluted": Model("The bond-diluted ±J spin glass of three dimensions.", "{kind: edwards-anderson, dimension: 3, p_ferro: 0.5, p_absent: 0.55}", (4, 6, 8),
                     "{min: 0.4, max: 1.6, count: 16, spacing: geometric}", "If p_absent is above 0.751, the bonds do not percolate and there is no transition.", why_not=UNTESTED),
    "field": Model("The ±J spin glass of three dimensions in a field.", "{kind: edwards-anderson, dimension: 3, p_ferro: 0.5, field: 0.15}", (4, 6, 8),
                   "{min: 0.7, max: 2.0, count: 16, spacing: geometric}", "Whether there is a transition is debated.", replicas=4, why_not=UNTESTED),
    "ferromagnet": Model("The Ising ferromagnet of three dimensions.", "{kind: ferromagnet, dimension: 3}", (4, 6, 8), "{min: 4.3, max: 4.8, count: 16, spacing: linear}",
                         "T_c = 4.5115.", disorder=COPIES, why_not=EQUAL),
    "ferromagnet2d": Model("The Ising ferromagnet of two dimensions.", "{kind: ferromagnet, dimension: 2}", (8, 12, 16), "{min: 2.1, max: 2.5, count: 16, spacing: linear}",
                           "T_c = 2 / ln(1 + sqrt(2)) = 2.2692.", disorder=COPIES, why_not=EQUAL, clusters_from=128),
    "heisenberg": Model("The Heisenberg ferromagnet of three dimensions.", "{kind: heisenberg, dimension: 3}", (4, 6, 8), "{min: 1.3, max: 1.6, count: 11, spacing: linear}",
                        "T_c = 1.443.", realizations=64, sweeps=4800, replicas=1, disorder=COPIES, lanes=False, measure_every=10,
                        dynamics="{update: heat-bath, over_relaxation: 4, sweeps_per_swap: 5}"),
    "relaxation": Model("The ±J spin glass of three dimensions after a quench: coherence length and ageing.", GLASS, (16,), "{list: [0.8, 1.1]}", "T_c = 1.10.",
                        sweeps=4096, replicas=4, shares=True, dynamics="{update: heat-bath}", relax=RELAXATION, multiple=2),
    "protocol": Model("A loop of hysteresis of Heisenberg spins with an easy plane.", "{kind: heisenberg, dimension: 3, anisotropy: [-1, -1], field: 1}", (8,),
                      "{list: [0.5, 0.9]}", "T_c = 1.443 without anisotropy and field.", realizations=16, sweeps=400, replicas=1, disorder=COPIES, lanes=False,
                      dynamics="{update: cone}", relax=PROTOCOL, multiple=10),
    "own-couplings": Model("A ±J spin glass of three dimensions with couplings from your own files.", GLASS, (4, 6, 8), "{min: 0.8, max: 2.0, count: 16, spacing: geometric}",
                           "They should enclose the transition.", disorder="Files that psflip couplings or psflip.couplings writes.", source="files",
                           why_not="Your own couplings may have signs that shared random numbers do not keep apart.", option=" --couplings FOLDER"),
}  # fmt: skip

HEAD = """\
# {about} Written by psflip new {name}.
# What it takes: psflip plan {file}. Then: psflip run {file}{option}. All keys, their units and ranges: psflip keys.
"""
SEED = """\
# Another number gives another, independent study.
seed: {seed}
"""
SIZES = """\
# Even sizes. {pairs}A size can be added later.
lattice:
  L: [{sizes}]
"""
DISORDER = """\
# {disorder} More can be added later; a batch is one job.
disorder:
{source}  realizations: {realizations}
  batch: {batch}
"""
TEMPERATURES = """\
# In units of J/k_B. {note}{ladder}
temperatures: {temperatures}
"""
REPLICAS = """\
# Copies with the same couplings; products of averages take distinct ones.
replicas: {replicas}
"""
ONE_REPLICA = """\
# Copies with the same couplings. One is enough for the magnetisation; overlaps need two.
replicas: 1
"""
SWENDSEN_WANG = "{update: swendsen-wang, sweeps_per_swap: 1}"
DYNAMICS = {
    SWENDSEN_WANG: """\
# Near T_c, single flips need 600 sweeps at L = 128 for independent magnetisations, and clusters need 5. A sweep takes 50 times as long (docs/clusters.md).
""",
    "{update: heat-bath}": "# With metropolis, spins whose local field is 0 flip in every sweep, and correlations in time zigzag.\n",
    "{update: cone}": "# A spin moves within a cap around its direction. psflip keeps the width of the cap that accepts half of the moves.\n",
    "{update: heat-bath, over_relaxation: 4, sweeps_per_swap: 5}": "# Heat bath changes the energy; four over-relaxation sweeps after each decorrelate long waves.\n",
}
SHARED = """\
# Number of realizations that share random numbers. 128 is fastest; all averages have errors from 10 such groups on.
multispin:
  share: {share}
"""
NOT_SHARED = """\
# Each spin has its own random numbers. {why}
multispin:
  share: 1
"""
REPLICA_LANES = """\
# The lanes of a machine word are the replicas and temperatures of one realization. With lanes: realizations, {idle} of 128 lanes would idle:
# one realization of L = 8 takes 13600 ps per flip with share: 1 and 3500 with share: 128, but 670 as here (one core with AVX-512).
# Other lanes have other random numbers: a study keeps its lanes while it grows. Use lanes: realizations if it will have many realizations.
multispin:
  lanes: replicas
  share: 1
"""
RUN = """\
# In sweeps: before measurements begin, and of the measured run. Larger sizes need longer; a map {{4: 2048, 8: 16384}} gives each size its own.
thermalize:
  sweeps: {thermalize}
run:
  sweeps: {sweeps}
  measure_every: {measure_every}
"""
EQUILIBRATION = """\
# Batches with realizations that are not equilibrated run on to twice the sweeps, at most so often.
equilibration:
  test: log2
  max_doublings: 2
"""


# For updates that change every configuration in few sweeps.
NO_WALKS = """\
# Batches with realizations that are not equilibrated run on to twice the sweeps, at most so often. Clusters change the configurations of every
# temperature in few sweeps, so min_walk_times: 0 does not ask for walks of configurations through the temperatures.
equilibration:
  test: log2
  min_walk_times: 0
  max_doublings: 2
"""


def share_of(model: Model, realizations: int) -> int:
    """Returns the largest share for which all averages have errors; 1 if there is none."""
    return next((share for share in SHARES if realizations // share >= MIN_GROUPS), 1) if model.shares else 1


def fitting(model: Model, sizes: list[int]) -> Model:
    """Returns the model with the update for these sizes."""
    if not model.clusters_from or max(sizes) < model.clusters_from:
        return model
    return replace(model, dynamics=SWENDSEN_WANG, sweeps=1600, measure_every=10)


def multispin(model: Model, realizations: int) -> str:
    """Returns the section; empty for vectors and real couplings, which have no lanes."""
    if not model.lanes:
        return ""
    if realizations < FEW and model.dynamics != SWENDSEN_WANG:
        return REPLICA_LANES.format(idle=LANES - realizations)
    share = share_of(model, realizations)
    too_few = f"Sharing pays from {MIN_GROUPS * SHARES[-1]} realizations on, where all averages have errors." if model.shares else model.why_not
    return SHARED.format(share=share) if share > 1 else NOT_SHARED.format(why=too_few)


def relaxing(model: Model, sweeps: int) -> str:
    """Returns the section relax. `sweeps`: at each field of a loop, or the last time."""
    stages = len(LOOP)
    waiting = [sweeps * stage for stage in (1, stages // 4, stages // 2)] if model.relax is PROTOCOL else [t for t in (0, 32, 256) if 2 * t < sweeps]
    return model.relax.format(sweeps=sweeps, last=stages * sweeps, waiting=", ".join(map(str, waiting)))


def text_of(name: str, file: Path, sizes: list[int], realizations: int, sweeps: int, seed: int) -> str:
    """Returns the text of a study file."""
    model = fitting(MODELS[name], sizes)
    pairs = "Pairs with the ratios 2 and 3/2 give T_c and exponents. " if not model.relax else ""
    ladder = f"\n# psflip ladder {file} proposes values." if model.lanes and not model.relax else ""
    blocks = [
        HEAD.format(about=model.about, name=name, file=file, option=model.option),
        SEED.format(seed=seed),
        f"model: {model.model}\n",
        SIZES.format(pairs=pairs, sizes=", ".join(map(str, sizes))),
        DISORDER.format(disorder=model.disorder, source=f"  source: {model.source}\n" if model.source != "drawn" else "", realizations=realizations, batch=128 if realizations <= 128 else 256),
        TEMPERATURES.format(note=model.note, ladder=ladder, temperatures=model.temperatures),
        REPLICAS.format(replicas=model.replicas) if model.replicas > 1 else ONE_REPLICA,
        multispin(model, realizations),
        f"{DYNAMICS[model.dynamics]}dynamics: {model.dynamics}\n" if model.dynamics else "",
    ]
    if model.relax:
        blocks.append(relaxing(model, sweeps))
    else:
        blocks += [RUN.format(thermalize=max(100, sweeps // 4), sweeps=sweeps, measure_every=model.measure_every), NO_WALKS if model.dynamics == SWENDSEN_WANG else EQUILIBRATION]
    return "\n".join(block for block in blocks if block)
