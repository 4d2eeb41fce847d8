# Couplings of one batch of realizations of one lattice size.
rule disorder:
    output:
        f"{BATCH}/disorder.h5",
    log:
        f"{OUT}/logs/disorder/{JOB}.log",
    benchmark:
        f"{OUT}/benchmarks/disorder/{JOB}.tsv"
    priority: BEFORE_SWEEPS
    threads: job_threads
    resources:
        runtime=runtime("disorder"),
        mem_mb=memory("disorder"),
    params:
        first=lambda w: batch_of(w).first,
        realizations=lambda w: batch_of(w).count,
    shell:
        "{BIN:q}/gen-disorder --config {STUDY_COPY:q} --L {wildcards.L} --first {params.first}"
        " --count {params.realizations} --out {output:q} --threads {threads} > {log:q} 2>&1"
