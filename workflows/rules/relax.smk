# Off equilibrium: the target `relaxation`, of a study with a section `relax`. A larger relax.last continues from the state at the end.
RELAX_LAST = STUDY.data.get("relax", {}).get("last", 65536)
RELAXED = re.compile(r"relax-(\d+)\.state\.h5")


def relax_ends(batch):
    """Where finished relaxations of a batch end that this one goes on from or is, ascending."""
    names = [RELAXED.fullmatch(file.name) for file in Path(OUT, batch.folder).glob("relax-*.state.h5")]
    return sorted(int(name[1]) for name in names if name and int(name[1]) <= RELAX_LAST)


def relax_state(wildcards):
    """The option that names the state to go on from."""
    earlier = [end for end in relax_ends(batch_of(wildcards)) if end < int(wildcards.sweeps)]
    return "--state " + shlex.quote(f"{OUT}/{batch_of(wildcards).folder}/relax-{earlier[-1]}.state.h5") if earlier else ""


def relaxations(*_):
    """The files of all sizes, batches and parts."""
    batches = [batch for L in STUDY.sizes for batch in CAMPAIGN.batches(L)]
    return [f"{OUT}/{batch.folder}/relax-{end}.h5" for batch in batches for end in dict.fromkeys([*relax_ends(batch), RELAX_LAST])]


VECTORS = STUDY.data["model"]["kind"] == "heisenberg"


def one_lattice(wildcards, input):
    """Options with the state file, and the disorder file of vector spins, of which a lattice is drawn: the last one of the largest size."""
    last = Path(input[-1])
    disorder = f" --disorder {shlex.quote(str(last.with_name('disorder.h5')))}" if VECTORS else ""
    return f"--state {shlex.quote(str(last.with_suffix('.state.h5')))}{disorder}"


rule relax:
    input:
        f"{BATCH}/disorder.h5",
    output:
        relaxation=f"{BATCH}/relax-{{sweeps}}.h5",
        state=f"{BATCH}/relax-{{sweeps}}.state.h5",
    log:
        f"{OUT}/logs/relax/{JOB}-{{sweeps}}.log",
    benchmark:
        f"{OUT}/benchmarks/relax/{JOB}-{{sweeps}}.tsv"
    priority: sweep_priority
    threads: job_threads
    params:
        started=started,
        state=relax_state,
    resources:
        gpu=job_gpus,
        tasks=1,
        tasks_per_gpu=0,
        nodes=1,
        runtime=runtime("relax"),
        mem_mb=memory("relax"),
    shell:
        "{params.started} {BIN:q}/relax --config {STUDY_COPY:q} --L {wildcards.L} --disorder {input:q} {params.state}"
        " --set relax.last={wildcards.sweeps} --out {output.relaxation:q} --state-out {output.state:q}"
        " --backend {BACKEND} --threads {threads} {TIME_LIMIT} >> {log:q} 2>&1"


# The name of its stamp says what numbers, pictures and page were made of: with more sizes, realizations or sweeps it is missing.
rule relaxation:
    input:
        relaxations,
    output:
        touch(str(CAMPAIGN.relaxation_stamp())),
        page=f"{OUT}/relaxation.html",
    log:
        f"{OUT}/logs/relaxation.log",
    benchmark:
        f"{OUT}/benchmarks/relaxation.tsv"
    params:
        name=Path(OUT).name,
        script="vectors.study" if VECTORS else "relaxation.study",
        lattice=one_lattice,
    resources:
        runtime=analysis_runtime("relaxation"),
        mem_mb=analysis_memory("relaxation"),
    shell:
        "rm -f {OUT:q}/rounds/relaxation-*.done; {PYTHON:q} {PACKAGE:q} {params.script} --relaxations {input:q} {params.lattice} --study {STUDY_COPY:q}"
        " --out {OUT:q} --name {params.name:q} > {log:q} 2>&1"
