# Quotients, extrapolation and collapse: T_c and exponents.
rule critical:
    input:
        f"{OUT}/reduced.h5",
    output:
        json=f"{OUT}/critical.json",
        csv=f"{OUT}/critical.csv",
    log:
        f"{OUT}/logs/critical.log",
    benchmark:
        f"{OUT}/benchmarks/critical.tsv"
    shell:
        "{PYTHON:q} {PACKAGE:q} critical.analysis --reduced {input:q} --json {output.json:q} --csv {output.csv:q} > {log:q} 2>&1"


rule plots:
    input:
        reduced=f"{OUT}/reduced.h5",
        critical=f"{OUT}/critical.json",
    output:
        FIGURES,
    log:
        f"{OUT}/logs/plots.log",
    benchmark:
        f"{OUT}/benchmarks/plots.tsv"
    threads: lambda w: 1 if on_cluster() or not workflow.resource_settings.cores else min(workflow.cores, 16)
    shell:
        "{PYTHON:q} {PACKAGE:q} plots.plots --reduced {input.reduced:q} --critical {input.critical:q} --results {OUT:q} --out {OUT:q}/plots --threads {threads} > {log:q} 2>&1"


rule crossings:
    input:
        f"{OUT}/reduced.h5",
    output:
        csv=f"{OUT}/crossings.csv",
        columns=f"{OUT}/columns.csv",
    log:
        f"{OUT}/logs/crossings.log",
    benchmark:
        f"{OUT}/benchmarks/crossings.tsv"
    shell:
        "{PYTHON:q} {PACKAGE:q} results.crossings --reduced {input:q} --out {output.csv:q} --columns {output.columns:q} > {log:q} 2>&1"


# Do the last half of the runs and the bins before it agree on average?
rule paired:
    input:
        f"{OUT}/reduced.h5",
    output:
        f"{OUT}/equilibration.csv",
    log:
        f"{OUT}/logs/paired.log",
    benchmark:
        f"{OUT}/benchmarks/paired.tsv"
    shell:
        "{PYTHON:q} {PACKAGE:q} results.paired --reduced {input:q} --out {output:q} > {log:q} 2>&1"


# What made each file. It changes with every new file, which is when reduced.h5 does.
rule provenance:
    input:
        f"{OUT}/reduced.h5",
    output:
        f"{OUT}/provenance.csv",
    log:
        f"{OUT}/logs/provenance.log",
    benchmark:
        f"{OUT}/benchmarks/provenance.tsv"
    shell:
        "{PYTHON:q} {PACKAGE:q} results.provenance --results {OUT:q} --out {output:q} > {log:q} 2>&1"


# Parts of a campaign that not every study has; the report and the archive are made again when one is new.
def where_there(wildcards):
    return [str(file) for pattern in ("ladder/L*.*", "audit/*.json") for file in visible(Path(OUT), pattern)]


rule report:
    input:
        where_there,
        reduced=f"{OUT}/reduced.h5",
        csv=f"{OUT}/results.csv",
        crossings=f"{OUT}/crossings.csv",
        critical=f"{OUT}/critical.json",
        paired=f"{OUT}/equilibration.csv",
        provenance=f"{OUT}/provenance.csv",
        plots=[file for file in FIGURES if file.endswith(".svg")],
        audits=audits,
    output:
        f"{OUT}/report.html",
    log:
        f"{OUT}/logs/report.log",
    benchmark:
        f"{OUT}/benchmarks/report.tsv"
    shell:
        "{PYTHON:q} {PACKAGE:q} report.report --results {OUT:q} --study {STUDY_COPY:q} --out {output:q} > {log:q} 2>&1"


# All that is handed over of a study.
rule study_zip:
    input:
        f"{OUT}/report.html",
        f"{OUT}/results.csv",
        f"{OUT}/crossings.csv",
        f"{OUT}/columns.csv",
        f"{OUT}/critical.csv",
        f"{OUT}/critical.json",
        f"{OUT}/equilibration.csv",
        f"{OUT}/reduced.h5",
        f"{OUT}/provenance.csv",
        where_there,
        FIGURES,
    output:
        f"{OUT}/study.zip",
    log:
        f"{OUT}/logs/study_zip.log",
    benchmark:
        f"{OUT}/benchmarks/study_zip.tsv"
    shell:
        "{PYTHON:q} {PACKAGE:q} results.study_zip --results {OUT:q} --study {STUDY_COPY:q} --out {output:q} > {log:q} 2>&1"
