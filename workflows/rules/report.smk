rule plots:
    input:
        f"{OUT}/reduced.h5",
    output:
        FIGURES,
    log:
        f"{OUT}/logs/plots.log",
    benchmark:
        f"{OUT}/benchmarks/plots.tsv"
    shell:
        "{PYTHON:q} {SCRIPTS:q}/plots.py --reduced {input:q} --out {OUT:q}/plots > {log:q} 2>&1"


rule crossings:
    input:
        f"{OUT}/reduced.h5",
    output:
        f"{OUT}/crossings.csv",
    log:
        f"{OUT}/logs/crossings.log",
    benchmark:
        f"{OUT}/benchmarks/crossings.tsv"
    shell:
        "{PYTHON:q} {SCRIPTS:q}/crossings.py --reduced {input:q} --out {output:q} > {log:q} 2>&1"


rule report:
    input:
        reduced=f"{OUT}/reduced.h5",
        csv=f"{OUT}/results.csv",
        crossings=f"{OUT}/crossings.csv",
        plots=[file for file in FIGURES if file.endswith(".svg")],
    output:
        f"{OUT}/report.html",
    log:
        f"{OUT}/logs/report.log",
    benchmark:
        f"{OUT}/benchmarks/report.tsv"
    shell:
        "{PYTHON:q} {SCRIPTS:q}/report.py --results {OUT:q} --study {STUDY_FILE:q} --out {output:q} > {log:q} 2>&1"
