# From random spins to the state that the measured run starts from. A job that stopped early leaves <output>.checkpoint.h5,
# which Snakemake does not know and so does not delete; the same command goes on from there.
rule thermalize:
    input:
        disorder=f"{OUT}/L{{L}}/batch{{first}}/disorder.h5",
    output:
        state=f"{OUT}/L{{L}}/batch{{first}}/state.h5",
    log:
        f"{OUT}/logs/thermalize/L{{L}}-{{first}}.log",
    benchmark:
        f"{OUT}/benchmarks/thermalize/L{{L}}-{{first}}.tsv"
    priority: lambda w: int(w.L)
    threads: job_threads
    resources:
        gpu=job_gpus,
    params:
        physics_version=PHYSICS,
        study=lambda w: STUDY.thermalize_parameters(int(w.L)),
    shell:
        "{ON_DEVICE} {BIN:q}/thermalize --config {STUDY_FILE:q} --L {wildcards.L} --disorder {input.disorder:q}"
        " --out {output.state:q} --backend {BACKEND} --threads {threads} {TIME_LIMIT} >> {log:q} 2>&1"
