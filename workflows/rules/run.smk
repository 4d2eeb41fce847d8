# The measured run of one batch, from the thermalized state. Stops and goes on like thermalize.
rule run:
    input:
        disorder=f"{OUT}/L{{L}}/batch{{first}}/disorder.h5",
        state=f"{OUT}/L{{L}}/batch{{first}}/state.h5",
    output:
        run=f"{OUT}/L{{L}}/batch{{first}}/run.h5",
        state=f"{OUT}/L{{L}}/batch{{first}}/state1.h5",
    log:
        f"{OUT}/logs/run/L{{L}}-{{first}}.log",
    benchmark:
        f"{OUT}/benchmarks/run/L{{L}}-{{first}}.tsv"
    priority: lambda w: int(w.L)
    threads: job_threads
    resources:
        gpu=job_gpus,
    params:
        physics_version=PHYSICS,
        study=lambda w: STUDY.run_parameters(int(w.L)),
    shell:
        "{ON_DEVICE} {BIN:q}/pt-run --config {STUDY_FILE:q} --L {wildcards.L} --disorder {input.disorder:q}"
        " --state {input.state:q} --out {output.run:q} --state-out {output.state:q}"
        " --backend {BACKEND} --threads {threads} {TIME_LIMIT} >> {log:q} 2>&1"


# One more run of a batch that was not equilibrated (extend=yes), from the state that the run before left.
use rule run as run_on with:
    input:
        disorder=f"{OUT}/L{{L}}/batch{{first}}/disorder.h5",
        state=lambda w: f"{OUT}/L{w.L}/batch{w.first}/state{int(w.k) - 1}.h5",
    output:
        run=f"{OUT}/L{{L}}/batch{{first}}/run{{k}}.h5",
        state=f"{OUT}/L{{L}}/batch{{first}}/state{{k}}.h5",
    log:
        f"{OUT}/logs/run/L{{L}}-{{first}}-{{k}}.log",
    benchmark:
        f"{OUT}/benchmarks/run/L{{L}}-{{first}}-{{k}}.tsv"
