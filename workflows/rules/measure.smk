# Thermal means, errors and the equilibration verdict of each realization of one batch.
rule measure:
    input:
        disorder=f"{OUT}/L{{L}}/batch{{first}}/disorder.h5",
        runs=run_files,
    output:
        f"{OUT}/L{{L}}/batch{{first}}/observables.h5",
    log:
        f"{OUT}/logs/measure/L{{L}}-{{first}}.log",
    benchmark:
        f"{OUT}/benchmarks/measure/L{{L}}-{{first}}.tsv"
    priority: 1000
    params:
        physics_version=PHYSICS,
        study=STUDY.measure_parameters(),
    shell:
        "{BIN:q}/measure --config {STUDY_FILE:q} --L {wildcards.L} --disorder {input.disorder:q} --run {input.runs:q}"
        " --out {output:q} > {log:q} 2>&1"
