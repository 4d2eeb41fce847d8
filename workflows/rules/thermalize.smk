# From random spins to the state that the measured run starts from. A job that stopped early leaves <output>.checkpoint.h5,
# which Snakemake does not know and so does not delete; the same command resumes them.
rule thermalize:
    input:
        lambda w: PLAN.needed(w, ["state-0.h5"], ["disorder.h5"], 0),
    output:
        f"{BATCH}/state-0.h5",
    log:
        f"{OUT}/logs/thermalize/{JOB}.log",
    benchmark:
        f"{OUT}/benchmarks/thermalize/{JOB}.tsv"
    priority: PLAN.sweep_priority
    threads: PLAN.job_threads
    params:
        started=PLAN.started,
        threads=PLAN.rank_threads,
    group: PLAN.group
    resources:
        one_by_one=1,
        gpu=PLAN.job_gpus,
        tasks=PLAN.slabs,
        tasks_per_gpu=0,
        nodes=1,
        runtime=PLAN.runtime("thermalize"),
        mem_mb=PLAN.memory("thermalize"),
    shell:
        "{params.started} {BIN:q}/thermalize --config {STUDY_COPY:q} --L {wildcards.L} --disorder {input[0]:q}"
        " --out {output:q} --backend {BACKEND} --threads {params.threads} {TIME_LIMIT} >> {log:q} 2>&1"
