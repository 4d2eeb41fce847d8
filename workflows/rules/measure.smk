# Thermal means, errors and the equilibration verdict of each realization of one batch, from all its runs up to an end. The only step
# that is done again for a batch that was finished: where the test of equilibration was changed.
def runs_until(wildcards):
    return [f"run-{stop}.h5" for stop in CAMPAIGN.chain(batch_of(wildcards), int(wildcards.sweeps))]


def measure_input(wildcards):
    """For a batch that is measured only what was lost: it is measured again where the criteria are new, not where a file is."""
    batch = batch_of(wildcards)
    names = CAMPAIGN.names(batch)
    finished = f"observables-{wildcards.sweeps}.h5" in names
    wanted = ["disorder.h5", *runs_until(wildcards)]
    return [f"{OUT}/{batch.folder}/{name}" for name in wanted if not finished or name not in names]


rule measure:
    input:
        measure_input,
        criteria=str(CAMPAIGN.criteria_file()),
    output:
        f"{BATCH}/observables-{{sweeps}}.h5",
    log:
        f"{OUT}/logs/measure/{JOB}-{{sweeps}}.log",
    benchmark:
        f"{OUT}/benchmarks/measure/{JOB}-{{sweeps}}.tsv"
    priority: BEFORE_SWEEPS
    threads: job_threads
    group: group_of
    resources:
        one_by_one=1,
        runtime=runtime("measure"),
        mem_mb=memory("measure"),
    params:
        disorder=f"{BATCH}/disorder.h5",
        runs=lambda w: [f"{OUT}/L{w.L}/batch{w.batch}/{name}" for name in runs_until(w)],
    shell:
        "{START} {BIN:q}/measure --config {STUDY_COPY:q} --L {wildcards.L} --disorder {params.disorder:q} --run {params.runs:q}"
        " --out {output:q} --threads {threads} > {log:q} 2>&1"
