# Off equilibrium: the target `relaxation`, of a study with a section `relax`. A larger relax.last continues from the state at the end.
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
    priority: PLAN.sweep_priority
    threads: PLAN.job_threads
    params:
        started=PLAN.started,
        state=PLAN.relax_state,
    resources:
        gpu=PLAN.job_gpus,
        tasks=1,
        tasks_per_gpu=0,
        nodes=1,
        runtime=PLAN.runtime("relax"),
        mem_mb=PLAN.memory("relax"),
    shell:
        "{params.started} {BIN:q}/relax --config {STUDY_COPY:q} --L {wildcards.L} --disorder {input:q} {params.state}"
        " --set relax.last={wildcards.sweeps} --out {output.relaxation:q} --state-out {output.state:q}"
        " --backend {BACKEND} --threads {threads} {TIME_LIMIT} >> {log:q} 2>&1"


# The name of its stamp says what numbers, pictures and page were made of: with more sizes, realizations or sweeps it is missing.
rule relaxation:
    input:
        PLAN.relaxations,
    output:
        touch(str(CAMPAIGN.relaxation_stamp())),
        page=f"{OUT}/relaxation.html",
        archive=f"{OUT}/relaxation.zip",
    log:
        f"{OUT}/logs/relaxation.log",
    benchmark:
        f"{OUT}/benchmarks/relaxation.tsv"
    params:
        name=Path(OUT).name,
        script="vectors.study" if VECTORS else "relaxation.study",
        lattice=one_lattice,
    resources:
        runtime=PLAN.analysis_runtime("relaxation"),
        mem_mb=PLAN.analysis_memory("relaxation"),
    shell:
        "{{ rm -f {OUT:q}/rounds/relaxation-*.done; {PYTHON:q} {PACKAGE:q} {params.script} --relaxations {input:q} {params.lattice} --study {STUDY_COPY:q}"
        " --out {OUT:q} --name {params.name:q}; {PYTHON:q} {PACKAGE:q} results.study_zip --relax --results {OUT:q} --study {STUDY_COPY:q}"
        " --out {output.archive:q}; }} > {log:q} 2>&1"
