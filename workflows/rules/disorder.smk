# Couplings of one batch of realizations of one lattice size.
rule disorder:
    output:
        f"{BATCH}/disorder.h5",
    log:
        f"{OUT}/logs/disorder/{JOB}.log",
    benchmark:
        f"{OUT}/benchmarks/disorder/{JOB}.tsv"
    priority: BEFORE_SWEEPS
    threads: PLAN.job_threads
    group: PLAN.group
    resources:
        one_by_one=1,
        runtime=PLAN.runtime("disorder"),
        mem_mb=PLAN.memory("disorder"),
    params:
        drawing=lambda w: PLAN.drawing(STUDY_COPY, "--L", w.L, "--first", str(batch_of(w).first), "--count", str(batch_of(w).count)),
        threads=lambda w, threads: f"--threads {threads}" if CAMPAIGN.draws else "",
    shell:
        "{START} {params.drawing} --out {output:q} {params.threads} > {log:q} 2>&1"
