# Temperatures proposed by short runs of each size, before the campaign: the target `ladder`. They are tuned on realizations of their own,
# from the temperatures of the study file as it is, also where the campaign takes the tuned ones (--config ladder=tuned).
rule ladder:
    input:
        [f"{OUT}/ladder/L{L}.{ending}" for L in STUDY.sizes for ending in ("yaml", *figures.FORMATS)],


rule ladder_disorder:
    output:
        temp(f"{OUT}/ladder/couplings/L{{L}}.h5"),
    log:
        f"{OUT}/logs/ladder/L{{L}}-disorder.log",
    shell:
        "{BIN:q}/gen-disorder --config {STUDY_FILE:q} --L {wildcards.L} --first {ladders.FIRST} --count {ladders.COUNT}"
        " --out {output:q} > {log:q} 2>&1"


rule ladder_tuning:
    input:
        f"{OUT}/ladder/couplings/L{{L}}.h5",
    output:
        yaml=f"{OUT}/ladder/L{{L}}.yaml",
        numbers=f"{OUT}/ladder/L{{L}}.h5",
    log:
        f"{OUT}/logs/ladder/L{{L}}.log",
    benchmark:
        f"{OUT}/benchmarks/ladder/L{{L}}.tsv"
    threads: ladder_threads
    resources:
        gpu=job_gpus,
    params:
        physics_version=PROGRAMS.physics_version,
        study=lambda w: ladders.depends_on(GIVEN_STUDY, int(w.L)),
        options=option("ladder_options", ""),
    shell:
        "{ON_DEVICE} {BIN:q}/pt-run --tune-ladder {params.options} --config {STUDY_FILE:q} --L {wildcards.L} --disorder {input:q}"
        " --out {output.yaml:q} --numbers {output.numbers:q} --backend {BACKEND} --threads {threads} {TIME_LIMIT} > {log:q} 2>&1"


rule ladder_plot:
    input:
        f"{OUT}/ladder/L{{L}}.h5",
    output:
        [f"{OUT}/ladder/L{{L}}.{ending}" for ending in figures.FORMATS],
    log:
        f"{OUT}/logs/ladder/L{{L}}-plot.log",
    shell:
        "{PYTHON:q} {SCRIPTS:q}/ladder_plot.py --numbers {input:q} --out {output:q} > {log:q} 2>&1"
