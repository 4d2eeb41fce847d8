# Disorder averages and jackknife samples of all sizes.
rule reduce:
    input:
        final=[str(CAMPAIGN.final_file(L)) for L in STUDY.sizes],
        # named here, or Snakemake would not miss it where all observables are there
        criteria=str(CAMPAIGN.criteria_file()),
    output:
        reduced=f"{OUT}/reduced.h5",
        csv=f"{OUT}/results.csv",
        list=f"{OUT}/observables.txt",
        stamp=str(CAMPAIGN.stamp()),
    log:
        f"{OUT}/logs/reduce.log",
    benchmark:
        f"{OUT}/benchmarks/reduce.tsv"
    threads: PLAN.all_threads
    resources:
        runtime=PLAN.reduce_runtime,
        mem_mb=PLAN.reduce_memory,
    shell:
        "{START} {PYTHON:q} {PACKAGE:q} campaign.reduce --program {BIN:q}/reduce-disorder --study {STUDY_COPY:q} --results {OUT:q}"
        " --out {output.reduced:q} --csv {output.csv:q} --list {output.list:q} --stamp {output.stamp:q} --threads {threads} {input.final:q} > {log:q} 2>&1"
