# Thermal means, errors and the equilibration verdict of each realization of one batch, from all its runs up to an end. The only step
# that is done again for a batch that was finished: where the test of equilibration was changed.
rule measure:
    input:
        PLAN.measure_input,
        criteria=str(CAMPAIGN.criteria_file()),
    output:
        f"{BATCH}/observables-{{sweeps}}.h5",
    log:
        f"{OUT}/logs/measure/{JOB}-{{sweeps}}.log",
    benchmark:
        f"{OUT}/benchmarks/measure/{JOB}-{{sweeps}}.tsv"
    priority: BEFORE_SWEEPS
    threads: PLAN.job_threads
    group: PLAN.group
    resources:
        one_by_one=1,
        runtime=PLAN.runtime("measure"),
        mem_mb=PLAN.memory("measure"),
    params:
        disorder=f"{BATCH}/disorder.h5",
        runs=lambda w: [f"{OUT}/L{w.L}/batch{w.batch}/{name}" for name in PLAN.runs_until(w)],
    shell:
        "{START} {BIN:q}/measure --config {STUDY_COPY:q} --L {wildcards.L} --disorder {params.disorder:q} --run {params.runs:q}"
        " --out {output:q} --threads {threads} > {log:q} 2>&1"
