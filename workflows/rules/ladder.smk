# Temperatures proposed by short runs of each size, before the campaign: the target `ladder`. They start from the temperatures of the study
# file as it was given, also where the campaign takes the tuned ones. `content` names what they depend on.
def couplings_of(L):
    content = ladders.content(PLAN.given_study, int(L), PLAN.programs.physics_version, PLAN.ladder_options)
    return f"{OUT}/ladder/couplings/L{L}-{content}.h5"


rule ladder:
    input:
        [couplings_of(L) for L in STUDY.sizes],  # asked for here, so that they are made anew, and all that follows, where `content` is another
        [f"{OUT}/ladder/L{L}.{ending}" for L in STUDY.sizes for ending in ("yaml", *figures.FORMATS)],


rule ladder_couplings:
    output:
        f"{OUT}/ladder/couplings/L{{L}}-{{content}}.h5",
    log:
        f"{OUT}/logs/ladder/L{{L}}-{{content}}.log",
    params:
        drawing=lambda w: PLAN.drawing(PLAN.given_study_file, "--L", w.L, *(["--first", str(ladders.FIRST), "--count", str(ladders.COUNT)] if CAMPAIGN.draws else [])),
    shell:
        "rm -f {OUT:q}/ladder/couplings/L{wildcards.L}-*.h5; {START} {params.drawing} --out {output:q} > {log:q} 2>&1"


rule ladder_tuning:
    input:
        lambda w: couplings_of(w.L),
    output:
        yaml=f"{OUT}/ladder/L{{L}}.yaml",
        numbers=f"{OUT}/ladder/L{{L}}.h5",
    log:
        f"{OUT}/logs/ladder/L{{L}}.log",
    benchmark:
        f"{OUT}/benchmarks/ladder/L{{L}}.tsv"
    params:
        started=PLAN.started,
    threads: PLAN.tuning_threads
    resources:
        gpu=lambda w: PLAN.job_gpus(None),
    shell:
        "{params.started} {BIN:q}/pt-run --tune-ladder {PLAN.ladder_options} --config {PLAN.given_study_file:q} --L {wildcards.L} --disorder {input:q}"
        " --out {output.yaml:q} --numbers {output.numbers:q} --backend {BACKEND} --threads {threads} > {log:q} 2>&1"


rule ladder_plot:
    input:
        f"{OUT}/ladder/L{{L}}.h5",
    output:
        [f"{OUT}/ladder/L{{L}}.{ending}" for ending in figures.FORMATS],
    log:
        f"{OUT}/logs/ladder/L{{L}}-plot.log",
    shell:
        "{PYTHON:q} {PACKAGE:q} plots.ladder_plot --numbers {input:q} --out {output:q} > {log:q} 2>&1"
