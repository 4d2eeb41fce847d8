# From random spins to the state that the measured run starts from. A job that stopped early leaves <output>.checkpoint.h5,
# which Snakemake does not know and so does not delete; the same command resumes them.
rule thermalize:
    input:
        lambda w: needed(w, ["state-0.h5"], ["disorder.h5"], 0),
    output:
        f"{BATCH}/state-0.h5",
    log:
        f"{OUT}/logs/thermalize/{JOB}.log",
    benchmark:
        f"{OUT}/benchmarks/thermalize/{JOB}.tsv"
    priority: sweep_priority
    threads: job_threads
    params:
        started=started,
        threads=lambda w, threads: rank_threads(w, threads),
    group: group_of
    resources:
        one_by_one=1,
        gpu=job_gpus,
        tasks=slabs_of,
        tasks_per_gpu=0,
        nodes=1,
        runtime=runtime("thermalize"),
        mem_mb=memory("thermalize"),
    shell:
        "{params.started} {BIN:q}/thermalize --config {STUDY_COPY:q} --L {wildcards.L} --disorder {input[0]:q}"
        " --out {output:q} --backend {BACKEND} --threads {params.threads} {TIME_LIMIT} >> {log:q} 2>&1"
