# Disorder averages, derived quantities and crossings of all sizes. A script calls the program, since the names of the files of a
# large study do not fit into one line of a shell.
rule reduce:
    input:
        observables=OBSERVABLES,
    output:
        reduced=f"{OUT}/reduced.h5",
        csv=f"{OUT}/results.csv",
    log:
        f"{OUT}/logs/reduce.log",
    benchmark:
        f"{OUT}/benchmarks/reduce.tsv"
    params:
        physics_version=PHYSICS,
    shell:
        "{PYTHON:q} {SCRIPTS:q}/reduce.py --program {BIN:q}/reduce-disorder --study {STUDY_FILE:q} --results {OUT:q}"
        " --out {output.reduced:q} --csv {output.csv:q} > {log:q} 2>&1"
