# Thermal means, errors and the equilibration verdict of each realization of one batch, from all its runs up to an end. The only step
# that is done again for a batch that was finished: where the test of equilibration was changed.
rule measure:
    input:
        disorder=ancient(f"{BATCH}/disorder.h5"),
        runs=lambda w: [
            ancient(f"{OUT}/L{w.L}/batch{w.batch}/run-{end}.h5") for end in CAMPAIGN.chain(batch_of(w), int(w.sweeps))
        ],
        criteria=str(CAMPAIGN.criteria_file()),
    output:
        f"{BATCH}/observables-{{sweeps}}.h5",
    log:
        f"{OUT}/logs/measure/{JOB}-{{sweeps}}.log",
    benchmark:
        f"{OUT}/benchmarks/measure/{JOB}-{{sweeps}}.tsv"
    priority: 1000
    resources:
        runtime=runtime("measure"),
        mem_mb=memory("measure"),
    shell:
        "{BIN:q}/measure --config {STUDY_COPY:q} --L {wildcards.L} --disorder {input.disorder:q} --run {input.runs:q}"
        " --out {output:q} > {log:q} 2>&1"
