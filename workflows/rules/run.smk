# The measured run of one batch to an end in sweeps, from the thermalized state or the end before. Stops and continues like thermalize.
def run_input(wildcards):
    end = int(wildcards.sweeps)
    start = CAMPAIGN.start(batch_of(wildcards), end)
    return PLAN.needed(wildcards, [f"run-{end}.h5", f"state-{end}.h5"], ["disorder.h5", f"state-{start}.h5"], end)


rule run:
    input:
        run_input,
    output:
        run=f"{BATCH}/run-{{sweeps}}.h5",
        state=f"{BATCH}/state-{{sweeps}}.h5",
    log:
        f"{OUT}/logs/run/{JOB}-{{sweeps}}.log",
    benchmark:
        f"{OUT}/benchmarks/run/{JOB}-{{sweeps}}.tsv"
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
        runtime=PLAN.runtime("run"),
        mem_mb=PLAN.memory("run"),
    shell:
        "{params.started} {BIN:q}/pt-run --config {STUDY_COPY:q} --L {wildcards.L} --until {wildcards.sweeps} --disorder {input[0]:q}"
        " --state {input[1]:q} --out {output.run:q} --state-out {output.state:q}"
        " --backend {BACKEND} --threads {params.threads} {TIME_LIMIT} >> {log:q} 2>&1"
