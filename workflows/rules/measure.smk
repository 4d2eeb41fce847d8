# Thermal means, errors and the equilibration verdict of each realization of one batch, from all its runs up to an end. The only step
# that is done again for a batch that was finished: where the test of equilibration was changed.
def measured(wildcards):
    """The couplings and all runs up to the end."""
    batch = batch_of(wildcards)
    runs = [f"run-{end}.h5" for end in CAMPAIGN.chain(batch, int(wildcards.sweeps))]
    return [f"{OUT}/{batch.folder}/{name}" for name in ["disorder.h5", *runs]]


def measure_input(wildcards):
    """The same; [] where the verdicts are there and up to date (see `needed`)."""
    made, criteria = CAMPAIGN.observables(batch_of(wildcards), int(wildcards.sweeps)), CAMPAIGN.criteria_file()
    current = criteria.is_file() and made.is_file() and made.stat().st_mtime >= criteria.stat().st_mtime
    return [] if current else measured(wildcards)


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
    priority: 1000
    params:
        disorder=lambda w: measured(w)[0],
        runs=lambda w: measured(w)[1:],
    resources:
        runtime=runtime("measure"),
        mem_mb=memory("measure"),
    shell:
        "{BIN:q}/measure --config {STUDY_COPY:q} --L {wildcards.L} --disorder {params.disorder:q} --run {params.runs:q}"
        " --out {output:q} > {log:q} 2>&1"
