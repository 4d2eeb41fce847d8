# Couplings of one batch of realizations of one lattice size.
rule disorder:
    output:
        f"{OUT}/L{{L}}/batch{{first}}/disorder.h5",
    log:
        f"{OUT}/logs/disorder/L{{L}}-{{first}}.log",
    benchmark:
        f"{OUT}/benchmarks/disorder/L{{L}}-{{first}}.tsv"
    priority: 1000
    params:
        physics_version=PHYSICS,
        study=lambda w: STUDY.disorder_parameters(w.L, w.first),
    shell:
        "{BIN:q}/gen-disorder --config {STUDY_FILE:q} --L {wildcards.L} --first {params.study[first]}"
        " --count {params.study[count]} --out {output:q} > {log:q} 2>&1"
